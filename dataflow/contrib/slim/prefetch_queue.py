"""slim's prefetch queue: batches that are made ahead."""

from __future__ import annotations

from typing import Any

from dataflow.graph.scopes import name_scope
from dataflow.library.queues.fifo_queue import FIFOQueue
from dataflow.library.queues.padding_fifo_queue import PaddingFIFOQueue
from dataflow.library.queues.queue_base import QueueBase
from dataflow.library.summaries.values import scalar
from dataflow.ops.basic.cast import cast
from dataflow.training.coordination.queue_runner import QueueRunner, add_queue_runner
from dataflow.values import dtypes


def prefetch_queue(
    tensors: Any,
    capacity: int = 8,
    num_threads: int = 1,
    dynamic_pad: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> QueueBase:
    """A queue that a queue runner fills with tensors, ahead of their use.

    Args:
      tensors: A list or a dictionary of tensors.
      capacity: How many of each wait at most.
      num_threads: How many threads fill it.
      dynamic_pad: Whether sizes may be unknown; what is dequeued together is then filled up.
      shared_name: The name under which sessions share the queue.
      name: Prefix of the operations' names.
    """
    names = sorted(tensors) if isinstance(tensors, dict) else None
    listed = tensors if names is None else [tensors[each] for each in names]
    with name_scope(name, "prefetch_queue", listed):
        queue = (PaddingFIFOQueue if dynamic_pad else FIFOQueue)(
            capacity=capacity,
            dtypes=[tensor.dtype for tensor in listed],
            shapes=[tensor.get_shape() for tensor in listed],
            names=names,
            shared_name=shared_name,
        )
        filling = queue.enqueue(tensors)
        add_queue_runner(QueueRunner(queue, [filling] * num_threads))
        fraction = cast(queue.size(), dtypes.float32) * (1.0 / capacity)
        scalar(f"fraction_of_{capacity}_full", fraction)
        return queue
