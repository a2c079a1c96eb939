"""Kernels of ops on queues; a handle is the queue itself, as is a reference of an old graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.ops.queues.queue_kinds import names_text
from dataflow.kernels.queues.queue import Queue
from dataflow.kernels.queues.waiting import Done, Waiter
from dataflow.values.dtypes import DType


@kernel("QueueEnqueueV2", "QueueEnqueue", device="CPU", blocking=True)
def enqueue(node: KernelNode, xp: Any) -> Callable[..., None]:
    check = _signature(node)

    def run(step: Waiter, done: Done, queue: Queue, *components: Any) -> None:
        check(queue)
        queue.enqueue(step, done, components)

    return run


@kernel("QueueEnqueueManyV2", "QueueEnqueueMany", device="CPU", blocking=True)
def enqueue_many(node: KernelNode, xp: Any) -> Callable[..., None]:
    check = _signature(node)

    def run(step: Waiter, done: Done, queue: Queue, *components: Any) -> None:
        check(queue)
        queue.enqueue_many(step, done, components)

    return run


@kernel("QueueDequeueV2", "QueueDequeue", device="CPU", blocking=True)
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


@kernel("QueueCloseV2", "QueueClose", device="CPU", blocking=True)
def close(node: KernelNode, xp: Any) -> Callable[..., None]:
    cancel_pending = node.attr("cancel_pending_enqueues")

    def run(step: Waiter, done: Done, queue: Queue) -> None:
        queue.close(step, done, cancel_pending)

    return run


@kernel("QueueSizeV2", "QueueSize", device="CPU")
def size(node: KernelNode, xp: Any) -> Callable[[Any], Any]:
    def run(queue: Any) -> Any:
        if not isinstance(queue, Queue):
            raise invalid(
                "Trying to access a resource using the wrong type: input 0 refers to a "
                f"{type(queue).__name__}, which this op does not work with."
            )
        return np.int32(queue.size)

    return run


@kernel("QueueIsClosedV2", "QueueIsClosed", device="CPU")
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
        return f"{first}->{names_text(found)}" if takes_out else f"{first}, {names_text(found)}->"

    def check(queue: Queue) -> None:
        if queue.types != types:
            raise invalid(f"Signature mismatch, have: {text(types)} expected: {text(queue.types)}")

    return check
