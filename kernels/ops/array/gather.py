"""Kernels that look up entries of a tensor by index."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from dataflow.errors import InvalidArgumentError
from dataflow.kernels.contract.element_types import ANY
from dataflow.kernels.contract.handles import OBJECTS
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.values import dtypes

Take = Callable[[Any, Any, int], Any]
"""`take(params, indices, axis)`."""
TakeInStep = Callable[[Any, Any, int, int], Any]
"""`take(params, indices, axis, batch)`; the first `batch` dimensions go in step."""


_ENTRIES: Final = (*ANY, *OBJECTS)


@kernel("Gather", dtypes={"Tparams": _ENTRIES}, grows=True)
def gather(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return gather_by(taker(node, xp))


def gather_by(take: Take) -> Callable[..., Any]:
    """The callable of `Gather`."""

    def run(params: Any, indices: Any) -> Any:
        if not params.ndim:
            raise invalid("params must be at least 1 dimensional")
        return take(params, indices, 0)

    return run


@kernel("GatherV2", dtypes={"Tparams": _ENTRIES}, host_inputs=("axis",), grows=True)
def gather_v2(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return gather_v2_by(node, taker(node, xp), partial(gather_in_step, xp))


def gather_v2_by(node: KernelNode, take: Take, take_in_step: TakeInStep) -> Callable[..., Any]:
    """The callable of `GatherV2`."""
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
        return take_in_step(params, indices, place, _batch(params, indices, place))

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


def taker(node: KernelNode, xp: Any) -> Take:
    """Gives zeros for indices out of range, as TensorFlow's devices do; objects' are refused."""
    if node.output_dtypes[0] in (dtypes.string, *OBJECTS):

        def take_objects(params: Any, indices: Any, axis: int) -> Any:
            check_indices(indices, params.shape[axis])
            return params[(*(slice(None),) * axis, indices, Ellipsis)]

        return take_objects

    def take(params: Any, indices: Any, axis: int) -> Any:
        inside = (indices >= 0) & (indices < params.shape[axis])
        found = xp.take(params, xp.where(inside, indices, 0), axis)
        shown = inside.reshape(inside.shape + (1,) * (params.ndim - axis - 1))
        return xp.where(shown, found, xp.zeros((), params.dtype))

    return take


def check_indices(indices: Any, size: int) -> None:
    """Refuses indices out of range."""
    if indices.size and (indices.min() < 0 or indices.max() >= size):
        raise beyond(indices, size)


def beyond(indices: Any, size: int) -> InvalidArgumentError:
    """The error that names the first index out of range."""
    outside = (indices < 0) | (indices >= size)
    bad = np.unravel_index(int(np.argmax(outside)), indices.shape)
    place = shape_text(map(int, bad)) if bad else ""
    return invalid(f"indices{place} = {indices[bad]} is not in [0, {size})")


def gather_in_step(xp: Any, params: Any, indices: Any, axis: int, batch: int) -> Any:
    """Gathers along `axis`; the first `batch` dimensions go in step."""
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


@kernel("GatherNd", dtypes={"Tparams": _ENTRIES}, grows=True)
def gather_nd(node: KernelNode, xp: Any) -> Callable[..., Any]:
    skips_bad_indices(node)  # Here it does so in any case.
    empty = empty_of(node)

    def run(params: Any, indices: Any) -> Any:
        check_nd(params, indices)
        outside = out_of_range(xp, indices, params.shape)
        if outside is None:
            return entries(xp, params, indices)
        return entries_inside(xp, params, indices, outside, empty)

    return run


def empty_of(node: KernelNode) -> Any:
    """What entries out of range are."""
    return b"" if node.output_dtypes[0] == dtypes.string else 0


def check_nd(params: Any, indices: Any) -> None:
    """Refuses shapes of `GatherNd` that do not fit."""
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


def entries_inside(xp: Any, params: Any, indices: Any, outside: Any, empty: Any) -> Any:
    """Entries at index vectors, and something empty where these are outside."""
    found = entries(xp, params, xp.where(outside[..., None], 0, indices))
    found = xp.array(found, copy=True)
    found[outside] = empty
    return found


def entries(xp: Any, params: Any, indices: Any) -> Any:
    """Entries at index vectors that are in range."""
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
    """For each row of indices whether it is beyond the shape; None if there are no indices."""
    if not indices.size:
        return None
    limits = xp.asarray(shape[: indices.shape[-1]], dtype=np.int64)
    return ((indices < 0) | (indices >= limits)).any(axis=-1)


def first_bad_row(indices: Any, outside: Any) -> str:
    """Where the first row out of range is, and what it says: `[0,1] = [7, 2]`."""
    bad = np.unravel_index(int(np.argmax(outside)), outside.shape)
    place = shape_text(map(int, bad)) if bad else ""
    return f"{place} = [{', '.join(map(str, indices[bad].tolist()))}]"
