"""Kernels of staging areas with keys, which nodes find by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.queues.map_staging import MapStagingArea, OrderedMapStagingArea
from dataflow.kernels.queues.waiting import Done, Waiter
from dataflow.values.dtypes import DType


def _area(node: KernelNode) -> Callable[[], MapStagingArea]:
    """The area of a shared name, or of the node's."""
    name = node.attr("shared_name").decode(errors="backslashreplace") or node.name
    container = node.attr("container").decode(errors="backslashreplace")
    sizes = len(node.attr("dtypes")), node.attr("capacity"), node.attr("memory_limit")
    kind = OrderedMapStagingArea if node.op.startswith("Ordered") else MapStagingArea
    find = node.resources.lookup_or_create
    return lambda: find(container, name, kind, lambda: kind(*sizes))


@kernel(
    "MapStage",
    "OrderedMapStage",
    blocking=True,
    passes=True,
    host_inputs=("key", "indices"),
)
def map_stage(node: KernelNode, xp: Any) -> Callable[..., None]:
    find, types = _area(node), tuple(node.input_dtypes[2:])

    def run(step: Waiter, done: Done, key: Any, indices: Any, *values: Any) -> None:
        if np.ndim(key):
            shape = shape_text(np.shape(key))
            raise invalid(f"key must be an int64 scalar, got tensor with shape: {shape}")
        typed = list(zip(types, values, strict=True))
        find().put(step, done, int(key), np.ravel(indices).tolist(), typed)

    return run


@kernel(
    "MapUnstage",
    "MapPeek",
    "OrderedMapUnstage",
    "OrderedMapPeek",
    blocking=True,
    passes=True,
    host_inputs=("key", "indices"),
)
def map_unstage(node: KernelNode, xp: Any) -> Callable[..., None]:
    find, stays, types = _area(node), node.op.endswith("Peek"), tuple(node.output_dtypes)

    def run(step: Waiter, done: Done, key: Any, indices: Any) -> None:
        if np.ndim(key):
            raise invalid(f"key must be an int64 scalar: {shape_text(np.shape(key))}")
        places = _places(indices, types)
        find().take(step, done, int(key), places, types[: len(places)], stays)

    return run


@kernel(
    "MapUnstageNoKey",
    "OrderedMapUnstageNoKey",
    blocking=True,
    passes=True,
    host_inputs=("indices",),
    host_outputs=("key",),
)
def map_unstage_no_key(node: KernelNode, xp: Any) -> Callable[..., None]:
    find, types = _area(node), tuple(node.output_dtypes[1:])

    def run(step: Waiter, done: Done, indices: Any) -> None:
        places = _places(indices, types)

        def end(made: Any = None, error: Exception | None = None) -> None:
            if error is not None:
                done(error=error)
            else:
                done((np.int64(made[0]), *made[1:]))

        find().take(step, end, None, places, types[: len(places)])

    return run


@kernel("MapSize", "OrderedMapSize", host_outputs=("size",))
def map_size(node: KernelNode, xp: Any) -> Callable[[], Any]:
    find = _area(node)
    return lambda: np.int32(find().size)


@kernel("MapIncompleteSize", "OrderedMapIncompleteSize", host_outputs=("size",))
def map_incomplete_size(node: KernelNode, xp: Any) -> Callable[[], Any]:
    find = _area(node)
    return lambda: np.int32(find().incomplete_size)


@kernel("MapClear", "OrderedMapClear")
def map_clear(node: KernelNode, xp: Any) -> Callable[[], None]:
    find = _area(node)
    return lambda: find().clear()


def _places(indices: Any, types: Sequence[DType]) -> list[int]:
    """Places of the values that a node takes out: one for each of its outputs."""
    places: list[int] = np.ravel(indices).tolist()
    if places and len(places) != len(types):
        raise invalid(f"Mismatch stage/unstage: {len(places)} indices vs. {len(types)} outputs")
    return places
