"""Kernels of running sums and products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.element_types import NUMBERS
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.precision import NARROW, accumulator
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.reductions.scans import along, running

_LARGE: Final = 1 << 12
"""Elements from which lines are taken side by side."""


@kernel("Cumsum", "Cumprod", dtypes={"T": NUMBERS}, host_inputs=("axis",))
def scan(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = accumulator(node.output_dtypes[0])
    accumulate = xp.cumsum if node.op == "Cumsum" else xp.cumprod
    neutral = 0 if node.op == "Cumsum" else 1
    ufunc = np.add if node.op == "Cumsum" else np.multiply
    return _scan(node, xp, lambda x, axis: accumulate(x, axis=axis, dtype=dtype), neutral, ufunc)


@kernel("CumulativeLogsumexp", device="CPU", host_inputs=("axis",))
def scan_logsumexp(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = accumulator(node.output_dtypes[0])

    def accumulate(x: Any, axis: int) -> Any:
        return np.logaddexp.accumulate(x.astype(dtype, copy=False), axis=axis)

    return _scan(node, xp, accumulate, -np.inf)


def _scan(
    node: KernelNode,
    xp: Any,
    accumulate: Callable[[Any, int], Any],
    neutral: Any,
    ufunc: Any = None,
) -> Callable[..., Any]:
    """The callable; `ufunc` is of two operands, if there is one that does what accumulates."""
    exclusive, reverse = node.attr("exclusive"), node.attr("reverse")
    narrow = node.output_dtypes[0].as_numpy_dtype if node.output_dtypes[0] in NARROW else None
    is_real = node.output_dtypes[0].is_floating or node.output_dtypes[0].is_integer
    takes_lines = ufunc is not None and xp is np and narrow is None and is_real

    def run(x: Any, axis: Any) -> Any:
        rank = x.ndim
        if axis.ndim:
            shape = ",".join(map(str, axis.shape))
            raise invalid(f"ScanOp: axis must be a scalar, not [{shape}]")
        position = int(axis)
        if not -rank <= position < rank:
            raise invalid(
                f"ScanOp: Expected scan axis in the range [{-rank}, {rank}), but got {position}",
            )
        if takes_lines and x.size >= _LARGE:
            return running(ufunc, x, position % rank, exclusive, reverse, neutral)
        if takes_lines and (exclusive or reverse):
            out = np.empty(x.shape, x.dtype)
            along(ufunc, x, out, position % rank, exclusive, reverse, neutral)
            return out
        if reverse:
            x = xp.flip(x, position)
        result = accumulate(x, position)
        if narrow is not None:
            result = result.astype(narrow)
        if exclusive and x.shape[position]:
            result = _shifted(result, position % rank, neutral)
        return xp.flip(result, position) if reverse else result

    return run


def _shifted(running: Any, axis: int, neutral: Any) -> Any:
    """Each element's predecessor, and the neutral element first."""
    lead = (slice(None),) * axis
    shifted = running.copy()
    shifted[(*lead, slice(1, None))] = running[(*lead, slice(None, -1))]
    shifted[(*lead, slice(0, 1))] = neutral
    return shifted
