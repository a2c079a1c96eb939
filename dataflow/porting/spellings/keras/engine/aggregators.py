"""tensorflow.python.keras.engine.training_utils: results of batches, put together."""

from __future__ import annotations

import atexit
import multiprocessing.pool
import threading
import time
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from dataflow.graph.sparse_tensor import SparseTensorValue
from dataflow.library.shallow_nest import flatten_up_to, get_traverse_shallow_structure
from dataflow.values import nest

_COPY_THREADS = 4
_COPY_POOL: Any = None


def get_copy_pool() -> Any:
    """The threads that copy large results."""
    global _COPY_POOL
    if _COPY_POOL is None:
        _COPY_POOL = multiprocessing.pool.ThreadPool(_COPY_THREADS)
        atexit.register(_COPY_POOL.close)
    return _COPY_POOL


class Aggregator(ABC):
    """Puts results of batches together.

    Args:
      use_steps: Whether batches are counted, not samples.
      num_samples: How many samples there are.
      steps: How many batches.
      batch_size: How many samples a batch has.
    """

    def __init__(
        self,
        use_steps: bool,
        num_samples: int | None = None,
        steps: int | None = None,
        batch_size: int | None = None,
    ) -> None:
        self.use_steps, self.num_samples = use_steps, num_samples
        self.steps, self.batch_size = steps, batch_size
        self.results: Any = []

    @abstractmethod
    def create(self, batch_outs: Any) -> None:
        """Begins with results like these, which are not taken in yet."""

    @abstractmethod
    def aggregate(
        self, batch_outs: Any, batch_start: int | None = None, batch_end: int | None = None
    ) -> None:
        """Takes in a batch's results."""

    @abstractmethod
    def finalize(self) -> None:
        """Makes `results` of all."""


class MetricsAggregator(Aggregator):
    """The mean loss, and the last metrics."""

    def __init__(
        self, use_steps: bool, num_samples: int | None = None, steps: int | None = None
    ) -> None:
        super().__init__(use_steps, num_samples, steps)

    def create(self, batch_outs: Any) -> None:
        """See `Aggregator`."""
        self.results = [0.0] * len(batch_outs)

    def aggregate(
        self, batch_outs: Any, batch_start: int | None = None, batch_end: int | None = None
    ) -> None:
        """See `Aggregator`."""
        weight = 1 if self.use_steps else (batch_end or 0) - (batch_start or 0)
        self.results[0] += batch_outs[0] * weight
        self.results[1:] = batch_outs[1:]

    def finalize(self) -> None:
        """See `Aggregator`.

        Raises:
          ValueError: There was no batch.
        """
        if not self.results:
            raise ValueError("Empty training data.")
        self.results[0] /= self.num_samples or self.steps


class ConcatAggregator(Aggregator):
    """Arrays one behind the other."""

    def __init__(self, batch_size: int | None) -> None:
        super().__init__(use_steps=True, batch_size=batch_size)

    def create(self, batch_outs: Any) -> None:
        """See `Aggregator`."""

    def aggregate(
        self, batch_outs: Any, batch_start: int | None = None, batch_end: int | None = None
    ) -> None:
        """See `Aggregator`.

        Raises:
          ValueError: A batch has more rows than it may.
        """
        if self.batch_size and self.batch_size < batch_outs.shape[0]:
            raise _mismatch(batch_outs.shape, (self.batch_size, *batch_outs.shape[1:]))
        self.results.append(batch_outs)

    def finalize(self) -> None:
        """See `Aggregator`."""
        if len(self.results) == 1:
            self.results = self.results[0]
        elif isinstance(self.results[0], SparseTensorValue):
            self.results = _stacked(self.results)
        else:
            self.results = np.concatenate(self.results, axis=0)


def _mismatch(shape: Any, expected: Any) -> ValueError:
    return ValueError(
        "Mismatch between expected batch size and model output batch size. Output shape = "
        f"{shape}, expected output shape = shape {expected}"
    )


def _stacked(values: list[Any]) -> SparseTensorValue:
    """Sparse values one below the other."""
    begin, indices = 0, []
    for each in values:
        rows = np.array(each.indices)
        rows[:, 0] += begin
        indices.append(rows)
        begin += int(each.dense_shape[0])
    return SparseTensorValue(
        np.concatenate(indices),
        np.concatenate([each.values for each in values]),
        np.array([begin, *values[0].dense_shape[1:]], np.int64),
    )


class SliceAggregator(Aggregator):
    """Arrays in an array for all samples, which large ones are copied into by other threads."""

    _BINARY_SIZE_THRESHOLD = 2**14
    _MAX_COPY_SECONDS = 300.0

    def __init__(self, num_samples: int | None, batch_size: int | None) -> None:
        self._async_copies: list[threading.Event] = []
        self._pool = get_copy_pool()
        self._errors: list[Exception] = []
        super().__init__(use_steps=False, num_samples=num_samples, batch_size=batch_size)

    def create(self, batch_outs: Any) -> None:
        """See `Aggregator`."""
        self.results = np.empty((self.num_samples, *batch_outs.shape[1:]), batch_outs.dtype)

    def aggregate(
        self, batch_outs: Any, batch_start: int | None = None, batch_end: int | None = None
    ) -> None:
        """See `Aggregator`.

        Raises:
          ValueError: The only batch has another number of rows.
        """
        if self._errors:
            raise self._errors[0]
        if (batch_end or 0) - (batch_start or 0) == self.num_samples:
            if self.num_samples != batch_outs.shape[0]:
                raise _mismatch(batch_outs.shape, self.results.shape)
            self.results = batch_outs
        elif np.prod(batch_outs.shape) < self._BINARY_SIZE_THRESHOLD:
            self.results[batch_start:batch_end] = batch_outs
        else:
            done = threading.Event()
            given = (batch_outs, batch_start, batch_end, done)
            self._pool.apply_async(self._slice_assign, args=given)
            self._async_copies.append(done)

    def _slice_assign(
        self, batch_outs: Any, batch_start: Any, batch_end: Any, is_finished: threading.Event
    ) -> None:
        try:
            self.results[batch_start:batch_end] = batch_outs
        except Exception as error:
            self._errors.append(error)
        finally:
            is_finished.set()

    def finalize(self) -> None:
        """See `Aggregator`.

        Raises:
          ValueError: Copying takes too long.
        """
        end = time.monotonic() + self._MAX_COPY_SECONDS
        for each in self._async_copies:
            if not each.wait(max(0.0, end - time.monotonic())):
                raise ValueError("Timed out waiting for copy to complete.")
        if self._errors:
            raise self._errors[0]


class OutputsAggregator(Aggregator):
    """What a model gives: an array, or a structure of them."""

    _structure: Any = None

    def create(self, batch_outs: Any) -> None:
        """See `Aggregator`.

        Raises:
          RuntimeError: There is something else in it.
        """
        self._structure = get_traverse_shallow_structure(
            lambda each: not isinstance(each, SparseTensorValue), batch_outs
        )
        for each in flatten_up_to(self._structure, batch_outs):
            if isinstance(each, SparseTensorValue) or (
                isinstance(each, np.ndarray) and self.use_steps
            ):
                part: Aggregator = ConcatAggregator(self.batch_size)
            elif isinstance(each, np.ndarray):
                part = SliceAggregator(self.num_samples, self.batch_size)
            else:
                raise RuntimeError(f"Attempted to aggregate unsupported object {each}.")
            part.create(each)
            self.results.append(part)

    def aggregate(
        self, batch_outs: Any, batch_start: int | None = None, batch_end: int | None = None
    ) -> None:
        """See `Aggregator`."""
        parts = flatten_up_to(self._structure, batch_outs)
        for part, each in zip(self.results, parts, strict=True):
            part.aggregate(each, batch_start, batch_end)

    def finalize(self) -> None:
        """See `Aggregator`."""
        for part in self.results:
            part.finalize()
        found = [part.results for part in self.results]
        self.results = nest.pack_sequence_as(self._structure, found)
