"""Kernels of running sums and products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.element_types import NUMBERS
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.precision import NARROW, accumulator
from dataflow.kernels.contract.registry import KernelNode, kernel


@kernel("Cumsum", "Cumprod", dtypes={"T": NUMBERS}, host_inputs=("axis",))
def scan(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = accumulator(node.output_dtypes[0])
    accumulate = xp.cumsum if node.op == "Cumsum" else xp.cumprod
    neutral = 0 if node.op == "Cumsum" else 1
    return _scan(node, xp, lambda x, axis: accumulate(x, axis=axis, dtype=dtype), neutral)


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
) -> Callable[..., Any]:
    exclusive, reverse = node.attr("exclusive"), node.attr("reverse")
    narrow = node.output_dtypes[0].as_numpy_dtype if node.output_dtypes[0] in NARROW else None

    def run(x: Any, axis: Any) -> Any:
        position = checked_axis(x, axis)
        if reverse:
            x = xp.flip(x, position)
        result = accumulate(x, position)
        if narrow is not None:
            result = result.astype(narrow)
        if exclusive and x.shape[position]:
            result = _shifted(result, position, neutral)
        return xp.flip(result, position) if reverse else result

    return run


def checked_axis(x: Any, axis: Any) -> int:
    """The axis, counted from the front."""
    rank: int = x.ndim
    if axis.ndim:
        shape = ",".join(map(str, axis.shape))
        raise invalid(f"ScanOp: axis must be a scalar, not [{shape}]")
    position = int(axis)
    if position < 0:
        position += rank
    if not 0 <= position < rank:
        raise invalid(
            f"ScanOp: Expected scan axis in the range [{-rank}, {rank}), but got {position}",
        )
    return position


def _shifted(running: Any, axis: int, neutral: Any) -> Any:
    """Each element's predecessor, and the neutral element first."""
    lead = (slice(None),) * axis
    shifted = running.copy()
    shifted[(*lead, slice(1, None))] = running[(*lead, slice(None, -1))]
    shifted[(*lead, slice(0, 1))] = neutral
    return shifted
