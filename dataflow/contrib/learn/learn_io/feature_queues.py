"""A queue of parsed features, dense and sparse."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dataflow import errors
from dataflow.graph.scopes import name_scope
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.library.queues.fifo_queue import FIFOQueue
from dataflow.library.summaries.values import scalar
from dataflow.ops.basic.cast import cast
from dataflow.training.coordination.queue_runner import QueueRunner, add_queue_runner
from dataflow.values import dtypes


def queue_parsed_features(
    parsed_features: Mapping[str, Any],
    keys: Any = None,
    feature_queue_capacity: int = 100,
    num_enqueue_threads: int = 2,
    name: str | None = None,
) -> tuple[Any, dict[str, Any]]:
    """What stands next in a queue that queue runners fill with a batch of features.

    Args:
      parsed_features: Tensors, dense or sparse, by name.
      keys: A tensor that goes with them.
      feature_queue_capacity: How many batches the queue has at most.
      num_enqueue_threads: How many threads fill it.
      name: The name scope.

    Returns:
      The keys, None if there are none, and the features by name.
    """
    names = sorted(parsed_features)
    given = [*parsed_features.values(), *([] if keys is None else [keys])]
    with name_scope(name, "queue_parsed_features", given):
        parts: list[Any] = []
        for each in names:
            parts.extend(_parts(parsed_features[each]))
        parts.extend([] if keys is None else [keys])
        queue = FIFOQueue(feature_queue_capacity, [part.dtype for part in parts])
        scalar(
            f"queue/parsed_features/{queue.name}/fraction_of_{feature_queue_capacity}_full",
            cast(queue.size(), dtypes.float32) * (1.0 / feature_queue_capacity),
        )
        runner = QueueRunner(
            queue,
            [queue.enqueue(parts) for _ in range(num_enqueue_threads)],
            queue_closed_exception_types=(errors.OutOfRangeError, errors.CancelledError),
        )
        add_queue_runner(runner)
        dequeued = queue.dequeue()
        found = dequeued if isinstance(dequeued, list | tuple) else [dequeued]
        for part, before in zip(found, parts, strict=True):
            part.set_shape(before.shape)
        rest = iter(found)
        features = {
            each: SparseTensor(next(rest), next(rest), next(rest))
            if isinstance(parsed_features[each], SparseTensor)
            else next(rest)
            for each in names
        }
        return None if keys is None else next(rest), features


def _parts(tensor: Any) -> list[Any]:
    if isinstance(tensor, SparseTensor):
        return [tensor.indices, tensor.values, tensor.dense_shape]
    return [tensor]
