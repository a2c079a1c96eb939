"""Kernels that make queues, each kind, or find them by the name that nodes share."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.lists.partial_shapes import dims_text
from dataflow.kernels.queues.padding_queue import PaddingQueue
from dataflow.kernels.queues.priority_queue import PriorityQueue
from dataflow.kernels.queues.queue import Queue, Shape
from dataflow.kernels.queues.random_shuffle_queue import RandomShuffleQueue
from dataflow.values import dtypes
from dataflow.values.dtypes import DType

_NUMBERS: Final = itertools.count()


@kernel("FIFOQueueV2", "FIFOQueue", device="CPU")
def fifo_queue(node: KernelNode, xp: Any) -> Callable[[], Queue]:
    types, shapes, capacity = _types(node), _known_shapes(node), node.attr("capacity")
    return _shared(node, Queue, lambda name: Queue(name, types, shapes, capacity), types, shapes)


@kernel("RandomShuffleQueueV2", "RandomShuffleQueue", device="CPU")
def random_shuffle_queue(node: KernelNode, xp: Any) -> Callable[[], Queue]:
    types, shapes, capacity = _types(node), _known_shapes(node), node.attr("capacity")
    kept, seeds = node.attr("min_after_dequeue"), (node.attr("seed"), node.attr("seed2"))
    if kept < 0:
        raise invalid(f"min_after_dequeue {kept} must be >= 0")
    if 0 <= capacity <= kept:
        raise invalid(f"min_after_dequeue {kept} must be < capacity {capacity}")

    def check(queue: RandomShuffleQueue) -> None:
        if queue.kept != kept:
            raise invalid(
                f"Shared queue '{queue.name}' has min_after_dequeue {queue.kept} but requested "
                f"min_after_dequeue was {kept}."
            )
        if any(seeds) and queue.seeds != seeds:
            raise invalid(
                f"Shared queue '{queue.name}' has random seeds {queue.seeds} but requested seeds "
                f"are {seeds}."
            )

    def make(name: str) -> RandomShuffleQueue:
        return RandomShuffleQueue(name, types, shapes, capacity, kept, seeds)

    return _shared(node, RandomShuffleQueue, make, types, shapes, check)


@kernel("PaddingFIFOQueueV2", "PaddingFIFOQueue", device="CPU")
def padding_fifo_queue(node: KernelNode, xp: Any) -> Callable[[], Queue]:
    types, capacity = _types(node), node.attr("capacity")
    for shape in node.attr("shapes"):
        if shape.rank is None:
            raise invalid(f"shape {shape} must have known rank.")
    shapes = _checked(types, [tuple(shape.as_list()) for shape in node.attr("shapes")])

    def make(name: str) -> PaddingQueue:
        return PaddingQueue(name, types, shapes, capacity)

    return _shared(node, PaddingQueue, make, types, shapes)


@kernel("PriorityQueueV2", "PriorityQueue", device="CPU")
def priority_queue(node: KernelNode, xp: Any) -> Callable[[], Queue]:
    """The first component of all elements is their priority."""
    types, capacity = (dtypes.int64, *node.attr("component_types")), node.attr("capacity")
    found = _known_shapes(node, with_priority=True)
    shapes = _checked(types, [(), *found] if found else [])

    def make(name: str) -> PriorityQueue:
        return PriorityQueue(name, types, shapes, capacity)

    return _shared(node, PriorityQueue, make, types, shapes)


def _types(node: KernelNode) -> tuple[DType, ...]:
    return tuple(node.attr("component_types"))


def _known_shapes(node: KernelNode, with_priority: bool = False) -> list[Shape]:
    if not all(shape.is_fully_defined() for shape in node.attr("shapes")):
        raise invalid(f"The shapes of a queue's components must be known: {node.attr('shapes')}")
    shapes: list[Shape] = [tuple(shape.as_list()) for shape in node.attr("shapes")]
    return shapes if with_priority else _checked(node.attr("component_types"), shapes)


def _checked(types: Sequence[DType], shapes: list[Shape]) -> list[Shape]:
    if shapes and len(shapes) != len(types):
        raise invalid(f"A queue has {len(types)} components, and shapes for {len(shapes)} of them.")
    return shapes


_Kind = TypeVar("_Kind", bound=Queue)


def _shared(
    node: KernelNode,
    kind: type[_Kind],
    make: Callable[[str], _Kind],
    types: Sequence[DType],
    shapes: Sequence[Shape],
    check: Callable[[_Kind], None] | None = None,
) -> Callable[[], Queue]:
    """The queue of the name that nodes share, or one of the node's own.

    Args:
      node: The node.
      kind: Of the queue.
      make: Makes it, by name.
      types: Of its components.
      shapes: Of its components.
      check: Refuses one that is of another nature than the node wants.
    """
    name = node.attr("shared_name").decode(errors="backslashreplace")
    if not name:
        own = make(f"_{next(_NUMBERS)}_{node.name}")
        return lambda: own
    container = node.attr("container").decode(errors="backslashreplace")
    find, capacity = node.resources.lookup_or_create, node.attr("capacity")

    def run() -> Queue:
        queue = find(container, name, Queue, lambda: make(name))
        if type(queue) is not kind:
            raise invalid(f"Expected {queue.kind}, found {node.op}")
        _check_shared(queue, types, shapes, capacity, check)
        return queue

    return run


def _check_shared(
    queue: _Kind,
    types: Sequence[DType],
    shapes: Sequence[Shape],
    capacity: int,
    check: Callable[[_Kind], None] | None,
) -> None:
    """Refuses a node that wants another queue than the one that there is by its name."""
    if queue.capacity != capacity and max(queue.capacity, capacity) >= 0:
        raise invalid(
            f"Shared queue '{queue.name}' has capacity {queue.capacity} but requested capacity was "
            f"{capacity}"
        )
    if check is not None:
        check(queue)
    if queue.types != tuple(types):
        raise invalid(
            f"Shared queue '{queue.name}' has component types {names_text(queue.types)} but "
            f"requested component types were {names_text(types)}"
        )
    if not _may_agree(queue.shapes, shapes):
        raise invalid(
            f"Shared queue '{queue.name}' has component shapes {_shapes_text(queue.shapes)} but "
            f"requested component shapes were {_shapes_text(shapes)}"
        )


def _may_agree(shapes: Sequence[Shape], others: Sequence[Shape]) -> bool:
    """Whether components of some shapes can be of others; sizes that may vary are None."""
    return [*map(len, shapes)] == [*map(len, others)] and all(
        None in (size, other) or size == other
        for shape, wanted in zip(shapes, others, strict=True)
        for size, other in zip(shape, wanted, strict=True)
    )


def names_text(types: Sequence[DType]) -> str:
    """Element types as errors list them."""
    return ", ".join(map(type_name, types))


def _shapes_text(shapes: Sequence[Shape]) -> str:
    return f"[{', '.join(map(dims_text, shapes))}]"
