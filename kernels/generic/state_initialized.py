"""Kernels of reads that fall back to another value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.registry import KernelNode, kernel
from dataflow.kernels.resources import Variable


@kernel("_InitializedValue", "_InitializedResourceValue")
def initialized_value(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(cell: Variable, otherwise: Any) -> Any:
        value = cell.value
        return otherwise if value is None else value

    return run
