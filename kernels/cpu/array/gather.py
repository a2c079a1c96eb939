"""Kernels that look up entries of a tensor by index, and refuse indices out of range."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.indices import are_below
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, override
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.ops.array import gather as generic
from dataflow.kernels.threads.parallel import grain_of, split
from dataflow.values import dtypes

_LARGE: Final = 1 << 17
"""Elements of a result from which several threads may look them up."""
_SECONDS: Final = 2e-10
"""What a byte of the result takes, about."""


@override(generic.gather, device="CPU")
def gather(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return generic.gather_by(_taker(node, xp))


@override(generic.gather_v2, device="CPU")
def gather_v2(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return generic.gather_v2_by(node, _taker(node, xp), _gather_in_step)


def _taker(node: KernelNode, xp: Any) -> generic.Take:
    return generic.taker(node, xp) if node.output_dtypes[0] == dtypes.string else _take


def _take(params: Any, indices: Any, axis: int) -> Any:
    if axis == 0 and indices.size * params.size > _LARGE * params.shape[0]:
        return _take_many(params, indices)
    is_single = axis == 0 and not indices.ndim and not params.dtype.hasobject
    if is_single and 0 <= indices < len(params):
        # `take` lets go of Python's lock, which threads of queues fight for.
        return params[int(indices)].copy()
    # numpy refuses what is too large, but takes negative indices to count from the end.
    if not indices.size or indices.min() >= 0:
        try:
            return params.take(indices, axis)
        except IndexError:
            pass
    raise generic.beyond(indices, params.shape[axis])


def _take_many(params: Any, indices: Any) -> Any:
    """Rows of a large array, taken by several threads."""
    generic.check_indices(indices, params.shape[0])
    result = np.empty(indices.shape + params.shape[1:], params.dtype)
    flat, rows = indices.reshape(-1), result.reshape(indices.size, *params.shape[1:])

    def run(start: int, stop: int) -> None:
        # With "raise" numpy would copy twice; all indices are in range.
        params.take(flat[start:stop], 0, out=rows[start:stop], mode="clip")

    split(flat.size, grain_of(flat.size, result.nbytes * _SECONDS), run)
    return result


def _gather_in_step(params: Any, indices: Any, axis: int, batch: int) -> Any:
    generic.check_indices(indices, params.shape[axis])
    return generic.gather_in_step(np, params, indices, axis, batch)


@override(generic.gather_nd, device="CPU")
def gather_nd(node: KernelNode, xp: Any) -> Callable[..., Any]:
    skip = generic.skips_bad_indices(node)
    empty = generic.empty_of(node)

    def run(params: Any, indices: Any) -> Any:
        generic.check_nd(params, indices)
        outside = out_of_range(indices, params.shape)
        if outside is None:
            return _taken(params, indices)
        if not skip:
            row = generic.first_bad_row(indices, outside)
            raise invalid(
                f"indices{row} does not index into param shape {shape_text(params.shape)}, "
                f"node name: {node.name}"
            )
        return generic.entries_inside(xp, params, indices, outside, empty)

    return run


def _taken(params: Any, indices: Any) -> Any:
    """Entries of numpy's arrays, whose indices are in range: `take` is faster than `[]`."""
    depth = indices.shape[-1]
    if depth == 0 or params.dtype == object or not params.flags.c_contiguous:
        return generic.entries(np, params, indices)
    rows = indices[..., 0]
    for place in range(1, depth):
        # In one array of the wider type: the number of an entry may not fit the indices' type.
        rows = np.multiply(rows, params.shape[place], dtype=np.intp)
        rows += indices[..., place]
    params = params.reshape(-1, *params.shape[depth:])
    if rows.size * params.size > _LARGE * len(params):
        return _take_many(params, rows)
    return params.take(rows, 0)


def out_of_range(indices: np.ndarray, shape: tuple[int, ...]) -> np.ndarray | None:
    """For each row of indices whether it is beyond the shape; None if no row is."""
    if all(are_below(indices[..., i], shape[i]) for i in range(indices.shape[-1])):
        return None
    outside = generic.out_of_range(np, indices, shape)
    return outside if outside is not None and outside.any() else None
