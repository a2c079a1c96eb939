"""What fills the queue of a batch, and what is taken out of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.control_flow.smart_cond import smart_cond
from dataflow.graph.tensor import Tensor
from dataflow.library.queues.queue_base import QueueBase
from dataflow.library.summaries.values import scalar
from dataflow.ops.array.partition import dynamic_partition
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.identity import no_op
from dataflow.ops.math.binary import maximum
from dataflow.training.coordination.queue_runner import QueueRunner, add_queue_runner
from dataflow.values import dtypes


def fill(
    queue: QueueBase,
    lists: Sequence[Sequence[Any]],
    threads: int | None,
    enqueue_many: bool,
    keep_input: Tensor,
) -> None:
    """Adds a queue runner that puts tensors into a queue.

    Args:
      queue: The queue.
      lists: The components of elements; each list has a thread of its own.
      threads: How many threads a lone list has; None where there may be several lists.
      enqueue_many: Whether the tensors hold many elements.
      keep_input: Whether they are put in; a vector says so of each of many.
    """
    enqueue = queue.enqueue_many if enqueue_many else queue.enqueue

    def added(tensors: Sequence[Any]) -> Any:
        if keep_input.shape.rank == 1:
            return enqueue(_chosen(tensors, keep_input))
        return smart_cond(keep_input, lambda: enqueue(tensors), no_op)

    operations = [added(tensors) for tensors in lists]
    add_queue_runner(QueueRunner(queue, operations * (1 if threads is None else threads)))


def _chosen(tensors: Sequence[Any], keep_input: Tensor) -> list[Any]:
    which = cast(keep_input, dtypes.int32)
    return [dynamic_partition(tensor, which, num_partitions=2)[1] for tensor in tensors]


def summarize(queue: QueueBase, capacity: int, kept: int | None = None) -> None:
    """Adds a scalar summary of how full a queue is, above what it keeps."""
    if kept is None:
        fraction = cast(queue.size(), dtypes.float32) * (1.0 / capacity)
        scalar(f"fraction_of_{capacity}_full", fraction)
    else:
        full = cast(maximum(0, queue.size() - kept), dtypes.float32) * (1.0 / (capacity - kept))
        scalar(f"fraction_over_{kept}_of_{capacity - kept}_full", full)


def take(queue: QueueBase, batch_size: Any, up_to: bool, name: str) -> Any:
    """A batch out of a queue; `up_to`: the last one may be smaller."""
    return (queue.dequeue_up_to if up_to else queue.dequeue_many)(batch_size, name=name)
