"""Input functions that read what Python generators give."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import numpy as np

from dataflow.errors import OutOfRangeError
from dataflow.estimation.feeding import FeedingQueueRunner
from dataflow.graph.tensor import Tensor
from dataflow.library.queues.fifo_queue import FIFOQueue
from dataflow.library.queues.padding_fifo_queue import PaddingFIFOQueue
from dataflow.library.queues.random_shuffle_queue import RandomShuffleQueue
from dataflow.library.summaries.values import scalar
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.placeholder import placeholder
from dataflow.training.coordination.queue_runner import add_queue_runner
from dataflow.values import dtypes


def generator_input_fn(
    x: Callable[[], Iterator[dict[str, Any]]],
    target_key: str | Collection[str] | None = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool = True,
    queue_capacity: int = 1000,
    num_threads: int = 1,
    pad_value: Any = None,
) -> Callable[[], Any]:
    """An input function of dictionaries of arrays, one for each example.

    Args:
      x: A generator function that gives the examples once.
      target_key: Which arrays are labels; there are none if None.
      batch_size: How many examples a batch has; the last one may have fewer.
      num_epochs: How often all examples are read; None for no end.
      shuffle: Whether the queue gives them in an order of chance.
      queue_capacity: How many examples wait at most.
      num_threads: How many threads read.
      pad_value: What fills up examples of other sizes; all must be alike if None.

    Returns:
      A function that gives tensors by name, and labels: a tensor, or tensors by name if there are
      several.

    Raises:
      TypeError: `x` is no generator function, gives no dictionaries, or a key is no string.
      KeyError: There is no such key.
    """
    if not inspect.isfunction(x):
        raise TypeError(f"x must be generator function; got {type(x).__name__}")
    examples = x()
    if not inspect.isgenerator(examples):
        raise TypeError(f"x() must be generator; got {type(examples).__name__}")
    first = next(examples)
    if not isinstance(first, dict):
        raise TypeError(f"x() must yield dict; got {type(first).__name__}")
    names = sorted(first)
    targets = _targets(target_key, names)

    def input_fn() -> Any:
        columns = [np.asarray(first[name]) for name in names]
        types = [dtypes.as_dtype(column.dtype) for column in columns]
        shapes = [column.shape for column in columns]
        queue: Any
        if pad_value is not None:
            queue = PaddingFIFOQueue(queue_capacity, types, [[None] * len(each) for each in shapes])
        elif shuffle:
            queue = RandomShuffleQueue(queue_capacity, queue_capacity // 4, types, shapes)
        else:
            queue = FIFOQueue(queue_capacity, types, shapes)
        enqueue_ops, feed_fns = [], []
        for _ in range(num_threads):
            fed = [placeholder(each) for each in types]
            enqueue_ops.append(queue.enqueue_many(fed))
            feed_fns.append(_Feeds(fed, x, names, batch_size, num_epochs, pad_value))
        add_queue_runner(FeedingQueueRunner(queue, enqueue_ops, feed_fns=feed_fns))
        scalar(
            f"queue/{queue.name}fraction_over_0_of_{queue_capacity}_full",
            cast(queue.size(), dtypes.float32) * (1.0 / queue_capacity),
        )
        take = queue.dequeue_many if num_epochs is None else queue.dequeue_up_to
        taken = take(batch_size)
        features = dict(
            zip(names, taken if isinstance(taken, (list, tuple)) else [taken], strict=True)
        )
        if not targets:
            return features
        labels = {name: features.pop(name) for name in targets}
        return features, labels if len(labels) > 1 else labels[targets[0]]

    return input_fn


class _Feeds:
    """Gives placeholders a batch of examples, again and again or for some epochs."""

    def __init__(
        self,
        placeholders: Sequence[Tensor],
        generator: Callable[[], Iterator[dict[str, Any]]],
        names: Sequence[str],
        rows: int,
        num_epochs: int | None,
        pad_value: Any,
    ) -> None:
        self._placeholders, self._generator, self._names = placeholders, generator, names
        self._rows, self._epochs, self._pad_value = rows, num_epochs, pad_value
        self._batches = self._all()

    def __call__(self) -> dict[Tensor, Any]:
        batch = next(self._batches, None)
        if batch is None:
            self._batches = self._all()
            raise OutOfRangeError(None, None, "Already emitted all epochs.")
        return {
            fed: self._column([np.asarray(each[name]) for each in batch])
            for fed, name in zip(self._placeholders, self._names, strict=True)
        }

    def _all(self) -> Iterator[list[dict[str, Any]]]:
        waiting: list[dict[str, Any]] = []
        epoch = 0
        while self._epochs is None or epoch < self._epochs:
            epoch += 1
            for example in self._generator():
                if sorted(example) != list(self._names):
                    raise KeyError(
                        f"key mismatch between dicts emitted by GenFun. Expected {self._names} "
                        f"keys; got {sorted(example)}"
                    )
                waiting.append(example)
                if len(waiting) == self._rows:
                    yield waiting
                    waiting = []
        if waiting:
            yield waiting

    def _column(self, rows: list[np.ndarray]) -> np.ndarray:
        if self._pad_value is None:
            return np.stack(rows)
        size = np.max([row.shape for row in rows], axis=0, initial=0).astype(int)
        found = np.full((len(rows), *size), self._pad_value, rows[0].dtype)
        for number, row in enumerate(rows):
            place: Any = (number, *map(slice, row.shape))
            found[place] = row
        return found


def _targets(target_key: Any, names: Sequence[str]) -> list[str]:
    if target_key is None:
        return []
    if isinstance(target_key, str):
        target_key = [target_key]
    if not isinstance(target_key, Collection) or isinstance(target_key, bytes):
        raise TypeError(
            f"target_key must be str or Container of str; got {type(target_key).__name__}"
        )
    for each in target_key:
        if not isinstance(each, str):
            raise TypeError(
                f"target_key must be str or Container of str; got {type(each).__name__}"
            )
        if each not in names:
            raise KeyError(
                f"target_key not in yielded dict. Expected {list(names)} keys; got {each}"
            )
    return list(target_key)
