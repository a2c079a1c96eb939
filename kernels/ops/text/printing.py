"""Kernels of Print, PrintV2 and StringFormat."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any, TextIO

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.contract.tensor_text import (
    from_bytes,
    printable,
    summarize,
    summarize_ends,
    to_bytes,
)
from dataflow.values import logging

_FILE = "file://"


@kernel("Print", host_inputs=("data",))
def print_(node: KernelNode, xp: Any) -> Callable[..., Any]:
    message = from_bytes(node.attr("message"))
    left, limit = node.attr("first_n"), node.attr("summarize")
    lock = threading.Lock()

    def run(value: Any, *data: Any) -> Any:
        nonlocal left
        if left >= 0:
            with lock:
                if left == 0:
                    return value
                left -= 1
        shown = "".join(f"[{summarize(np.asarray(array), limit)}]" for array in data)
        _write(sys.stderr, f"{message}{shown}\n")
        return value

    return run


@kernel("PrintV2", host_inputs=("input",))
def print_v2(node: KernelNode, xp: Any) -> Callable[..., Any]:
    write = _writer(from_bytes(node.attr("output_stream")))
    end = from_bytes(node.attr("end"))

    def run(text: Any) -> None:
        if np.ndim(text):
            raise invalid(f"Input is expected to be scalar, but got {shape_text(text.shape)}")
        value: Any = text[()] if isinstance(text, np.ndarray) else text
        write(from_bytes(value) + end)

    return run


@kernel("StringFormat", host_inputs=("inputs",), host_outputs=("output",))
def string_format(node: KernelNode, xp: Any) -> Callable[..., Any]:
    pieces = from_bytes(node.attr("template")).split(from_bytes(node.attr("placeholder")))
    limit = node.attr("summarize")

    def run(*inputs: Any) -> Any:
        text = pieces[0]
        for array, piece in zip(inputs, pieces[1:], strict=True):
            text += summarize_ends(np.asarray(array), limit) + piece
        result = np.empty((), object)
        result[()] = to_bytes(text)
        return result

    return run


def _writer(stream: str) -> Callable[[str], None]:
    if stream.startswith(_FILE):
        path = stream[len(_FILE) :]

        def append(text: str) -> None:
            with open(path, "ab") as file:
                file.write(to_bytes(text))

        return append
    writers: dict[str, Callable[[str], None]] = {
        "stdout": lambda text: _write(sys.stdout, text),
        "stderr": lambda text: _write(sys.stderr, text),
        "log(info)": lambda text: logging.info("%s", printable(text)),
        "log(warning)": lambda text: logging.warning("%s", printable(text)),
        "log(error)": lambda text: logging.error("%s", printable(text)),
    }
    if stream not in writers:
        raise invalid(f"Unknown output stream: {stream}, Valid streams are: {' '.join(writers)}")
    return writers[stream]


def _write(stream: TextIO, text: str) -> None:
    stream.write(printable(text))
    stream.flush()
