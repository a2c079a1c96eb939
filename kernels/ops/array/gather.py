"""Kernels that look up entries of a tensor by index."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.errors import InvalidArgumentError
from dataflow.kernels.contract.element_types import ANY
from dataflow.kernels.contract.indices import are_below
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.threads.parallel import grain_of, split
from dataflow.values import dtypes

_LARGE: Final = 1 << 17
"""Elements of a result from which several threads may look them up."""
_SECONDS: Final = 2e-10
"""What a byte of the result takes, about."""


@kernel("Gather", dtypes={"Tparams": ANY})
def gather(node: KernelNode, xp: Any) -> Callable[..., Any]:
    take = _taker(node, xp)

    def run(params: Any, indices: Any) -> Any:
        if not params.ndim:
            raise invalid("params must be at least 1 dimensional")
        return take(params, indices, 0)

    return run


@kernel("GatherV2", dtypes={"Tparams": ANY}, host_inputs=("axis",))
def gather_v2(node: KernelNode, xp: Any) -> Callable[..., Any]:
    take = _taker(node, xp)
    batch_dims: int = node.attr("batch_dims")

    def run(params: Any, indices: Any, axis: Any) -> Any:
        if axis.ndim:
            raise invalid("axis must be scalar")
        if not params.ndim:
            raise invalid("params must be at least 1 dimensional")
        place = int(axis)
        least = -place if place < 0 else place + 1
        if params.ndim < least:
            raise invalid(f"Shape must be at least rank {least} but is rank {params.ndim}")
        place %= params.ndim
        if not batch_dims:
            return take(params, indices, place)
        return _gather_in_step(xp, params, indices, place, _batch(params, indices, place))

    def _batch(params: Any, indices: Any, axis: int) -> int:
        rank = indices.ndim
        if not -rank <= batch_dims <= rank:
            raise invalid(
                f"Expected batch_dims in the range [{-rank}, {rank}], but got {batch_dims}"
            )
        batch = batch_dims + rank if batch_dims < 0 else batch_dims
        if batch >= params.ndim:
            raise invalid(f"batch_dims ({batch}) must be less than rank(params) ({params.ndim}).")
        if axis < batch:
            raise invalid(f"batch_dims ({batch}) must be less than or equal to axis ({axis}).")
        for i in range(batch):
            if params.shape[i] != indices.shape[i]:
                raise invalid(
                    f"params.shape[{i}]: {params.shape[i]} should be equal to "
                    f"indices.shape[{i}]: {indices.shape[i]}"
                )
        return batch

    return run


def _taker(node: KernelNode, xp: Any) -> Callable[[Any, Any, int], Any]:
    """`take(params, indices, axis)` that refuses indices out of range."""
    if node.output_dtypes[0] == dtypes.string:

        def take_strings(params: Any, indices: Any, axis: int) -> Any:
            _check_indices(indices, params.shape[axis])
            return params[(*(slice(None),) * axis, indices, Ellipsis)]

        return take_strings
    if xp is not np:
        return _device_taker(xp)

    def take(params: Any, indices: Any, axis: int) -> Any:
        if axis == 0 and indices.size * params.size > _LARGE * params.shape[0]:
            return _take_many(params, indices)
        # numpy refuses what is too large, but takes negative indices to count from the end.
        if not indices.size or indices.min() >= 0:
            try:
                return params.take(indices, axis)
            except IndexError:
                pass
        raise _out_of_range(indices, params.shape[axis])

    return take


def _take_many(params: Any, indices: Any) -> Any:
    """Rows of a large array, taken by several threads."""
    _check_indices(indices, params.shape[0])
    result = np.empty(indices.shape + params.shape[1:], params.dtype)
    flat, rows = indices.reshape(-1), result.reshape(indices.size, *params.shape[1:])

    def run(start: int, stop: int) -> None:
        # With "raise" numpy would copy twice; all indices are in range.
        params.take(flat[start:stop], 0, out=rows[start:stop], mode="clip")

    split(flat.size, grain_of(flat.size, result.nbytes * _SECONDS), run)
    return result


def _device_taker(xp: Any) -> Callable[[Any, Any, int], Any]:
    """A device does not stop for indices out of range: it gives zeros, as TensorFlow's do."""

    def take(params: Any, indices: Any, axis: int) -> Any:
        inside = (indices >= 0) & (indices < params.shape[axis])
        found = xp.take(params, xp.where(inside, indices, 0), axis)
        shown = inside.reshape(inside.shape + (1,) * (params.ndim - axis - 1))
        return xp.where(shown, found, xp.zeros((), params.dtype))

    return take


def _check_indices(indices: Any, size: int) -> None:
    if indices.size and (indices.min() < 0 or indices.max() >= size):
        raise _out_of_range(indices, size)


def _out_of_range(indices: Any, size: int) -> InvalidArgumentError:
    """The error that names the first index out of range."""
    outside = (indices < 0) | (indices >= size)
    bad = np.unravel_index(int(np.argmax(outside)), indices.shape)
    place = shape_text(map(int, bad)) if bad else ""
    return invalid(f"indices{place} = {indices[bad]} is not in [0, {size})")


def _gather_in_step(xp: Any, params: Any, indices: Any, axis: int, batch: int) -> Any:
    """Gathers along `axis`; the first `batch` dimensions go in step."""
    if xp is np:
        _check_indices(indices, params.shape[axis])
    shape = params.shape[:axis] + indices.shape[batch:] + params.shape[axis + 1 :]
    count = math.prod(params.shape[:batch])
    rows = math.prod(indices.shape[batch:])
    between = math.prod(params.shape[batch:axis])
    inner = math.prod(params.shape[axis + 1 :])
    source = params.reshape(count, between, params.shape[axis], inner)
    flat = indices.reshape(count, rows)
    # The slice between the two index arrays puts their dimensions first.
    found = source[xp.arange(count)[:, None], :, flat]
    return found.swapaxes(1, 2).reshape(shape)


@kernel("GatherNd", dtypes={"Tparams": ANY})
def gather_nd(node: KernelNode, xp: Any) -> Callable[..., Any]:
    skip = skips_bad_indices(node)
    empty: Any = b"" if node.output_dtypes[0] == dtypes.string else 0

    def run(params: Any, indices: Any) -> Any:
        if not params.ndim:
            raise invalid("params must be at least a vector")
        if not indices.ndim:
            raise invalid("indices must be at least a vector")
        depth = indices.shape[-1]
        if depth > params.ndim:
            raise invalid(
                "index innermost dimension length must be <= params rank; saw: "
                f"{depth} vs. {params.ndim}"
            )
        if not params.size and math.prod(indices.shape[:-1]):
            raise invalid(
                "Requested more than 0 entries, but params is empty.  Params shape: "
                f"{shape_text(params.shape)}"
            )
        outside = out_of_range(xp, indices, params.shape)
        if outside is None or not (skip or xp is not np):
            if outside is not None:
                row = first_bad_row(indices, outside)
                raise invalid(
                    f"indices{row} does not index into param shape {shape_text(params.shape)}, "
                    f"node name: {node.name}"
                )
            return _taken(params, indices) if xp is np else _entries(xp, params, indices)
        found = _entries(xp, params, xp.where(outside[..., None], 0, indices))
        found = xp.array(found, copy=True)
        found[outside] = empty
        return found

    return run


def _taken(params: Any, indices: Any) -> Any:
    """Entries of numpy's arrays, whose indices are in range: `take` is faster than `[]`."""
    depth = indices.shape[-1]
    if depth == 0 or params.dtype == object or not params.flags.c_contiguous:
        return _entries(np, params, indices)
    rows = indices[..., 0]
    for place in range(1, depth):
        # In one array of the wider type: the number of an entry may not fit the indices' type.
        rows = np.multiply(rows, params.shape[place], dtype=np.intp)
        rows += indices[..., place]
    params = params.reshape(-1, *params.shape[depth:])
    if rows.size * params.size > _LARGE * len(params):
        return _take_many(params, rows)
    return params.take(rows, 0)


def _entries(xp: Any, params: Any, indices: Any) -> Any:
    depth = indices.shape[-1]
    if depth == 0:
        return xp.broadcast_to(params, indices.shape[:-1] + params.shape)
    return params[(*(indices[..., i] for i in range(depth)), Ellipsis)]


def skips_bad_indices(node: KernelNode) -> bool:
    """Whether a node passes over positions out of range rather than refusing them.

    Raises:
      InvalidArgumentError: Its attr says something unknown.
    """
    policy = node.attr("bad_indices_policy")
    if policy not in (b"", b"DEFAULT", b"ERROR", b"IGNORE"):
        raise invalid(
            f"No OpKernel was registered to support Op '{node.op}' with bad_indices_policy "
            f'"{policy.decode(errors="replace")}"; there are DEFAULT, ERROR and IGNORE.'
        )
    return bool(policy == b"IGNORE")


def out_of_range(xp: Any, indices: Any, shape: tuple[int, ...]) -> Any:
    """For each row of indices whether it is beyond the shape; None if no row is."""
    if not indices.size:
        return None
    if all(are_below(indices[..., i], shape[i]) for i in range(indices.shape[-1])):
        return None
    limits = xp.asarray(shape[: indices.shape[-1]], dtype=np.int64)
    if xp is np and indices.min() >= 0 and (indices < limits).all():
        return None
    outside = ((indices < 0) | (indices >= limits)).any(axis=-1)
    return None if xp is np and not outside.any() else outside


def first_bad_row(indices: Any, outside: Any) -> str:
    """Where the first row out of range is, and what it says: `[0,1] = [7, 2]`."""
    bad = np.unravel_index(int(np.argmax(outside)), outside.shape)
    place = shape_text(map(int, bad)) if bad else ""
    return f"{place} = [{', '.join(map(str, indices[bad].tolist()))}]"
