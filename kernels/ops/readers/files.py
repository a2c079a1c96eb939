"""Kernels of files that are read, written and found as a whole."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.readers.records import file_name, whole_file
from dataflow.records.globs import matching_paths
from dataflow.values.system_errors import system_errors


@kernel("ReadFile", device="CPU", needs_step=True)
def read_file(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """Needs a step, so that what the file holds then is read, and not before."""

    def run(step: Any, filename: Any) -> Any:
        return np.array(whole_file(_scalar("filename", filename)), object)

    return run


@kernel("WriteFile", device="CPU")
def write_file(node: KernelNode, xp: Any) -> Callable[..., None]:
    def run(filename: Any, contents: Any) -> None:
        path = file_name(_scalar("filename", filename))
        data = _scalar("contents", contents)
        with system_errors():
            if folder := os.path.dirname(path):
                os.makedirs(folder, exist_ok=True)
            with open(path, "wb") as file:
                file.write(data)

    return run


@kernel("MatchingFiles", device="CPU", needs_step=True)
def matching_files(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(step: Any, patterns: Any) -> Any:
        if np.ndim(patterns) > 1:
            raise invalid(
                "Input patterns tensor must be scalar or vector, but had shape: "
                f"{shape_text(np.shape(patterns))}"
            )
        found: list[bytes] = []
        for pattern in np.reshape(np.asarray(patterns, object), -1).tolist():
            found += map(os.fsencode, matching_paths(file_name(pattern)))
        made = np.empty(len(found), object)
        made[:] = sorted(found)
        return made

    return run


def _scalar(argument: str, value: Any) -> bytes:
    if np.ndim(value):
        raise invalid(
            f"Input {argument} tensor must be scalar, but had shape: {shape_text(np.shape(value))}"
        )
    return value if isinstance(value, bytes) else bytes(np.asarray(value).item())
