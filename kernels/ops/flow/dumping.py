"""Kernel that dumps a tensor and passes it on."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from dataflow.errors import UnavailableError
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.records.dumps import dump_tensor

_SLOW = 1e-3
"""Seconds that it takes, about."""


@kernel("_DebugIdentity", host_inputs=("input",), host_outputs=("output",), cost=_SLOW)
def dump(node: KernelNode, xp: Any) -> Callable[..., Any]:
    device = os.fsdecode(node.attr("device_name"))
    name, _, slot = os.fsdecode(node.attr("tensor_name")).rpartition(":")
    folders = [os.fsdecode(folder) for folder in node.attr("debug_urls")]

    def run(value: Any) -> Any:
        for folder in folders:
            try:
                dump_tensor(folder, device, name, int(slot), value)
            except OSError as error:
                raise UnavailableError(
                    None, None, f"Tensor {name}:{slot} cannot be dumped to {folder}: {error}"
                ) from error
        return value

    return run
