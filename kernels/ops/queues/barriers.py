"""Kernels of ops on barriers; a handle is the barrier itself."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.lists.partial_shapes import dims_text
from dataflow.kernels.ops.queues.queue_kinds import names_text
from dataflow.kernels.queues.barrier import Barrier, Shape
from dataflow.kernels.queues.waiting import Done, Waiter

_NUMBERS: Final = itertools.count()


@kernel("Barrier", device="CPU")
def barrier(node: KernelNode, xp: Any) -> Callable[[], Barrier]:
    """The barrier of the name that nodes share, or one of the node's own."""
    if node.attr("capacity") != -1:
        raise invalid(
            "Barrier only accepts capacity=-1.  Feed the inputs to your Barrier through a queue to "
            "enforce a limited capacity."
        )
    types, shapes = tuple(node.attr("component_types")), _shapes(node)
    if len(shapes) != len(types):
        raise invalid("All of the component shapes must be specified")
    name = node.attr("shared_name").decode(errors="backslashreplace")
    if not name:
        own = Barrier(f"_{next(_NUMBERS)}_{node.name}", types, shapes)
        return lambda: own
    container = node.attr("container").decode(errors="backslashreplace")
    find = node.resources.lookup_or_create

    def run() -> Barrier:
        found = find(container, name, Barrier, lambda: Barrier(name, types, shapes))
        if found.types != types:
            raise invalid(
                f"Shared barrier '{name}' has component types {names_text(found.types)} but "
                f"requested component types were {names_text(types)}"
            )
        if found.shapes != shapes:
            raise invalid(
                f"Shared barrier '{name}' has component shapes {_shapes_text(found.shapes)} but "
                f"requested component shapes were {_shapes_text(shapes)}"
            )
        return found

    return run


def _shapes(node: KernelNode) -> tuple[Shape, ...]:
    """Shapes of the components; one of unknown rank stands for a scalar, as in TensorFlow."""
    found = []
    for shape in node.attr("shapes"):
        dims = () if shape.rank is None else tuple(shape.as_list())
        if None in dims:
            raise invalid(f"Shape {dims_text(dims)} is not fully defined")
        found.append(dims)
    return tuple(found)


def _shapes_text(shapes: tuple[Shape, ...]) -> str:
    return f"[{', '.join(map(dims_text, shapes))}]"


@kernel("BarrierInsertMany", device="CPU", blocking=True, handle=Barrier)
def insert_many(node: KernelNode, xp: Any) -> Callable[..., None]:
    place, dtype = node.attr("component_index"), node.input_dtypes[2]

    def run(step: Waiter, done: Done, barrier: Barrier, keys: Any, values: Any) -> None:
        if not 0 <= place < len(barrier.types):
            raise invalid(
                f"The component ID is out of range {place} > num_components (= "
                f"{len(barrier.types)})"
            )
        if barrier.types[place] != dtype:
            raise invalid(
                f"Signature mismatch, have: string_ref, string, {type_name(dtype)}-> expected: "
                f"string_ref, string, {type_name(barrier.types[place])}->"
            )
        barrier.insert(step, done, np.ravel(np.asarray(keys, object)).tolist(), place, values)

    return run


@kernel("BarrierTakeMany", device="CPU", blocking=True, handle=Barrier)
def take_many(node: KernelNode, xp: Any) -> Callable[..., None]:
    types, allows_fewer = tuple(node.attr("component_types")), node.attr("allow_small_batch")
    if node.attr("timeout_ms") != -1:
        raise invalid("Timeout not supported yet.")

    def run(step: Waiter, done: Done, barrier: Barrier, num_elements: Any) -> None:
        if np.ndim(num_elements):
            raise invalid("num_elements must be a scalar.")
        if num_elements < 0:
            raise invalid(f"num_elements must not be negative, but is {num_elements}")
        if barrier.types != types:
            given = "string_ref, int32->int64, string, "
            raise invalid(
                f"Signature mismatch, have: {given}{names_text(types)} expected: "
                f"{given}{names_text(barrier.types)}"
            )
        barrier.take(step, done, int(num_elements), allows_fewer)

    return run


@kernel("BarrierClose", device="CPU", handle=Barrier)
def close(node: KernelNode, xp: Any) -> Callable[[Barrier], None]:
    refuses_all = node.attr("cancel_pending_enqueues")
    return lambda barrier: barrier.close(refuses_all)


@kernel("BarrierReadySize", device="CPU", handle=Barrier)
def ready_size(node: KernelNode, xp: Any) -> Callable[[Barrier], Any]:
    return lambda barrier: np.int32(barrier.ready_size)


@kernel("BarrierIncompleteSize", device="CPU", handle=Barrier)
def incomplete_size(node: KernelNode, xp: Any) -> Callable[[Barrier], Any]:
    return lambda barrier: np.int32(barrier.incomplete_size)
