"""Queues that are filled with rows of arrays: what numpy_input_fn and pandas_input_fn read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from dataflow.errors import OutOfRangeError
from dataflow.graph.tensor import Tensor
from dataflow.library.queues.fifo_queue import FIFOQueue
from dataflow.library.summaries.values import scalar
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.placeholder import placeholder
from dataflow.training.coordination.queue_runner import QueueRunner, add_queue_runner
from dataflow.values import dtypes, logging


class FeedingQueueRunner(QueueRunner):
    """A queue runner whose enqueue operations are fed, each by a function of its own."""

    def __init__(
        self,
        queue: Any = None,
        enqueue_ops: Sequence[Any] | None = None,
        close_op: Any = None,
        cancel_op: Any = None,
        feed_fns: Sequence[Callable[[], Any]] | None = None,
        queue_closed_exception_types: Any = None,
    ) -> None:
        """Makes one.

        Args:
          queue: The queue.
          enqueue_ops: Its enqueue operations.
          close_op: Closes it; its own operation if None.
          cancel_op: Closes it and stops what waits; its own operation if None.
          feed_fns: For each enqueue operation what gives its feeds, and raises OutOfRangeError
            when there are no more of them.
          queue_closed_exception_types: What says that the queue is closed; OutOfRangeError if None.

        Raises:
          ValueError: There are not as many functions as operations.
        """
        types = queue_closed_exception_types or (OutOfRangeError,)
        super().__init__(queue, enqueue_ops, close_op, cancel_op, types)
        feeds = list(feed_fns or [dict] * len(self._enqueue_ops))
        if len(feeds) != len(self._enqueue_ops):
            raise ValueError(
                "If feed_fns is not None, it must have the same number of elements as enqueue_ops."
            )
        self._feeds = dict(zip(self._enqueue_ops, feeds, strict=True))

    def _enqueue_function(self, sess: Any, enqueue_op: Any) -> Callable[[], Any]:
        feed = self._feeds[enqueue_op]
        return lambda: sess.run(enqueue_op, feed_dict=feed())


def dequeued_rows(
    columns: Sequence[np.ndarray],
    batch_size: int,
    num_epochs: int | None,
    shuffle: bool,
    queue_capacity: int,
    num_threads: int,
    seed: int | None = None,
) -> list[Tensor]:
    """Tensors of `batch_size` rows of each column; the last batch may have fewer.

    Args:
      columns: Arrays whose first dimensions are alike.
      batch_size: How many rows.
      num_epochs: How often each thread reads all rows; None for no end.
      shuffle: Whether each epoch has an order of its own.
      queue_capacity: How many rows wait at most.
      num_threads: How many threads fill the queue.
      seed: Of the order.
    """
    types = [dtypes.as_dtype(column.dtype) for column in columns]
    queue = FIFOQueue(queue_capacity, types, [column.shape[1:] for column in columns])
    if num_threads > 1 and num_epochs is not None:
        logging.warning(
            "enqueue_data was called with num_epochs and num_threads > 1. num_epochs is applied "
            "per thread, so this will produce more epochs than you probably intend. If you want "
            "to limit epochs, use one thread."
        )
    enqueue_ops, feed_fns = [], []
    for number in range(num_threads):
        fed = [placeholder(each) for each in types]
        enqueue_ops.append(queue.enqueue_many(fed))
        own = None if seed is None else seed + number
        feed_fns.append(_Feeds(fed, columns, batch_size, num_epochs, shuffle, own))
    add_queue_runner(FeedingQueueRunner(queue, enqueue_ops, feed_fns=feed_fns))
    scalar(
        f"queue/{queue.name}fraction_over_0_of_{queue_capacity}_full",
        cast(queue.size(), dtypes.float32) * (1.0 / queue_capacity),
    )
    taken = (
        queue.dequeue_many(batch_size) if num_epochs is None else queue.dequeue_up_to(batch_size)
    )
    return list(taken) if isinstance(taken, (list, tuple)) else [taken]


class _Feeds:
    """Gives placeholders the next rows, again and again or for some epochs."""

    def __init__(
        self,
        placeholders: Sequence[Tensor],
        columns: Sequence[np.ndarray],
        rows: int,
        num_epochs: int | None,
        shuffle: bool,
        seed: int | None,
    ) -> None:
        self._placeholders, self._columns = placeholders, columns
        self._rows, self._epochs = rows, num_epochs
        self._shuffle, self._seed = shuffle, seed
        self._batches = self._all()

    def __call__(self) -> dict[Tensor, Any]:
        chosen = next(self._batches, None)
        if chosen is None:
            self._batches = self._all()
            raise OutOfRangeError(None, None, "Already emitted all epochs.")
        return {
            fed: column[chosen]
            for fed, column in zip(self._placeholders, self._columns, strict=True)
        }

    def _all(self) -> Iterator[np.ndarray]:
        """The indices of rows, in batches that go on from one epoch to the next."""
        random = np.random.RandomState(self._seed)
        count = len(self._columns[0])
        waiting = np.empty(0, np.int64)
        epoch = 0
        while self._epochs is None or epoch < self._epochs:
            order = random.permutation(count) if self._shuffle else np.arange(count)
            waiting = np.concatenate([waiting, order])
            epoch += 1
            while len(waiting) >= self._rows:
                yield waiting[: self._rows]
                waiting = waiting[self._rows :]
        if len(waiting):
            yield waiting
