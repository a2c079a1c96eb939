"""Kernels of queues; a handle is the queue itself, as is a reference of an old graph."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.queues.queue import Queue, Shape
from dataflow.kernels.queues.waiting import Done, Waiter
from dataflow.values.dtypes import DType

_NUMBERS: Final = itertools.count()


@kernel("FIFOQueueV2", "FIFOQueue", device="CPU")
def fifo_queue(node: KernelNode, xp: Any) -> Callable[[], Queue]:
    """The queue of the name that nodes share, or one of the node's own."""
    name = node.attr("shared_name").decode(errors="backslashreplace")
    types, capacity = node.attr("component_types"), node.attr("capacity")
    if not all(shape.is_fully_defined() for shape in node.attr("shapes")):
        raise invalid(f"The shapes of a queue's components must be known: {node.attr('shapes')}")
    shapes: list[Shape] = [tuple(shape.as_list()) for shape in node.attr("shapes")]
    if not name:
        own = Queue(f"_{next(_NUMBERS)}_{node.name}", types, shapes, capacity)
        return lambda: own
    container = node.attr("container").decode(errors="backslashreplace")
    find = node.resources.lookup_or_create

    def run() -> Queue:
        queue = find(container, name, Queue, lambda: Queue(name, types, shapes, capacity))
        _check_shared(queue, types, shapes, capacity)
        return queue

    return run


def _check_shared(
    queue: Queue, types: Sequence[DType], shapes: Sequence[Shape], capacity: int
) -> None:
    """Refuses a node that wants another queue than the one that there is by its name."""
    if queue.capacity != capacity and max(queue.capacity, capacity) >= 0:
        raise invalid(
            f"Shared queue '{queue.name}' has capacity {queue.capacity} but requested capacity was "
            f"{capacity}"
        )
    if queue.types != tuple(types):
        raise invalid(
            f"Shared queue '{queue.name}' has component types {_names(queue.types)} but requested "
            f"component types were {_names(types)}"
        )
    if queue.shapes != tuple(shapes):
        raise invalid(
            f"Shared queue '{queue.name}' has component shapes {_shapes_text(queue.shapes)} but "
            f"requested component shapes were {_shapes_text(shapes)}"
        )


@kernel("QueueEnqueueV2", "QueueEnqueue", device="CPU", blocking=True, handle=Queue)
def enqueue(node: KernelNode, xp: Any) -> Callable[..., None]:
    check = _signature(node)

    def run(step: Waiter, done: Done, queue: Queue, *components: Any) -> None:
        check(queue)
        queue.enqueue(step, done, components)

    return run


@kernel("QueueEnqueueManyV2", "QueueEnqueueMany", device="CPU", blocking=True, handle=Queue)
def enqueue_many(node: KernelNode, xp: Any) -> Callable[..., None]:
    check = _signature(node)

    def run(step: Waiter, done: Done, queue: Queue, *components: Any) -> None:
        check(queue)
        queue.enqueue_many(step, done, components)

    return run


@kernel("QueueDequeueV2", "QueueDequeue", device="CPU", blocking=True, handle=Queue)
def dequeue(node: KernelNode, xp: Any) -> Callable[..., None]:
    check = _signature(node)

    def run(step: Waiter, done: Done, queue: Queue) -> None:
        check(queue)
        queue.dequeue(step, done)

    return run


@kernel(
    "QueueDequeueManyV2",
    "QueueDequeueMany",
    "QueueDequeueUpToV2",
    "QueueDequeueUpTo",
    device="CPU",
    blocking=True,
    handle=Queue,
)
def dequeue_many(node: KernelNode, xp: Any) -> Callable[..., None]:
    up_to = node.op.startswith("QueueDequeueUpTo")
    name, check = "DequeueUpToOp" if up_to else "DequeueManyOp", _signature(node)

    def run(step: Waiter, done: Done, queue: Queue, n: Any) -> None:
        if np.size(n) != 1:
            raise invalid(f"n must be a scalar, but had shape: {shape_text(np.shape(n))}")
        count = int(np.reshape(n, ()))
        if count < 0:
            raise invalid(f"{name} requested {count} < 0 elements")
        check(queue)
        queue.dequeue_many(step, done, count, up_to)

    return run


@kernel("QueueCloseV2", "QueueClose", device="CPU", blocking=True, handle=Queue)
def close(node: KernelNode, xp: Any) -> Callable[..., None]:
    cancel_pending = node.attr("cancel_pending_enqueues")

    def run(step: Waiter, done: Done, queue: Queue) -> None:
        queue.close(step, done, cancel_pending)

    return run


@kernel("QueueSizeV2", "QueueSize", device="CPU", handle=Queue)
def size(node: KernelNode, xp: Any) -> Callable[[Queue], Any]:
    return lambda queue: np.int32(queue.size)


@kernel("QueueIsClosedV2", "QueueIsClosed", device="CPU", handle=Queue)
def is_closed(node: KernelNode, xp: Any) -> Callable[[Queue], Any]:
    return lambda queue: np.bool_(queue.is_closed)


def _signature(node: KernelNode) -> Callable[[Queue], None]:
    """Checks that the components of a node are those of its queue."""
    if node.attr("timeout_ms") != -1:
        raise invalid("Timeout not supported yet.")
    takes_out = bool(node.output_dtypes)
    counted = takes_out and len(node.input_dtypes) > 1
    types = tuple(node.output_dtypes if takes_out else node.input_dtypes[1:])
    handle = "string_ref" if node.input_dtypes[0]._is_ref_dtype else "resource"
    first = f"{handle}, int32" if counted else handle

    def text(found: Sequence[DType]) -> str:
        return f"{first}->{_names(found)}" if takes_out else f"{first}, {_names(found)}->"

    def check(queue: Queue) -> None:
        if queue.types != types:
            raise invalid(f"Signature mismatch, have: {text(types)} expected: {text(queue.types)}")

    return check


def _names(types: Sequence[DType]) -> str:
    return ", ".join(map(type_name, types))


def _shapes_text(shapes: Sequence[Shape]) -> str:
    return f"[{', '.join(map(shape_text, shapes))}]"
