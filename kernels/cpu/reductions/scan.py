"""Kernels of running sums and products, line by line or of many lines side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.precision import NARROW
from dataflow.kernels.contract.registry import KernelNode, override
from dataflow.kernels.ops.reductions import scan as generic
from dataflow.kernels.reductions.scans import along, running

_LARGE: Final = 1 << 12
"""Elements from which lines are taken side by side."""


@override(generic.scan, device="CPU")
def scan(node: KernelNode, xp: Any) -> Callable[..., Any]:
    scan_whole, dtype = generic.scan(node, xp), node.output_dtypes[0]
    exclusive, reverse = node.attr("exclusive"), node.attr("reverse")
    ufunc, neutral = (np.add, 0) if node.op == "Cumsum" else (np.multiply, 1)

    def run(x: Any, axis: Any) -> Any:
        if x.size < _LARGE and not (exclusive or reverse):
            return scan_whole(x, axis)
        position = generic.checked_axis(x, axis)
        if x.size >= _LARGE:
            return running(ufunc, x, position, exclusive, reverse, neutral)
        out = np.empty(x.shape, x.dtype)
        along(ufunc, x, out, position, exclusive, reverse, neutral)
        return out

    takes_lines = (dtype.is_floating or dtype.is_integer) and dtype not in NARROW
    return run if takes_lines else scan_whole
