"""Accumulators of gradients: who wants the mean of so many waits until they have come."""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.handles import Referable
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.resources import snapshot
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.lists.partial_shapes import Dims, agree, dims_text
from dataflow.kernels.queues.waiting import Attempt, Awaited, Done, Line, Outcome, Waiter
from dataflow.values import logging
from dataflow.values.dtypes import DType


class Accumulator(Referable, Awaited):
    """Sums up gradients; those of steps before its own are dropped."""

    def __init__(self, name: str, dtype: DType, shape: Dims | None, takes_mean: bool) -> None:
        """Makes an empty accumulator at step 0.

        Args:
          name: Its name.
          dtype: Element type of the gradients.
          shape: What their shape must be, as far as known; None for anything.
          takes_mean: Whether the mean is taken out, rather than the sum.
        """
        self._takes: Line = deque()
        super().__init__(self._takes)
        self.name = name
        self.dtype: Final = dtype
        self.shape: Final = shape
        self.takes_mean: Final = takes_mean
        self.count = 0
        """How many gradients there are."""
        self._step = 0

    def set_step(self, step: int) -> None:
        """Sets the step: gradients of earlier ones are dropped from now on."""
        with self._lock:
            if step < self._step:
                logging.warning(
                    "Accumulator '%s' is set back from step %d to %d.", self.name, self._step, step
                )
            self._step = step

    def apply(self, local_step: int, *gradient: Any) -> None:
        """Adds a gradient that was computed at a step, unless it comes too late."""
        with self._lock:
            if local_step < self._step:
                return
            self._check(*gradient)
            self._add(*gradient)
            self.count += 1
        self.changed()

    def take(self, step: Waiter, done: Done, required: int) -> None:
        """Takes the mean or sum out once there are so many gradients, and begins a new step."""
        attempt = Attempt("TakeGrad", done, partial(self._take, required))
        self.submit(self._takes, attempt, step)

    def _take(self, required: int, attempt: Attempt) -> Outcome:
        if self.count < required:
            return Outcome.STUCK
        attempt.result = self._result()
        self.count = 0
        self._step += 1
        return Outcome.OVER

    def _check(self, *gradient: Any) -> None:
        """Refuses a gradient that does not fit; the lock is held, as below."""
        raise NotImplementedError

    def _add(self, *gradient: Any) -> None:
        raise NotImplementedError

    def _result(self) -> Any:
        raise NotImplementedError


class DenseAccumulator(Accumulator):
    """Sums up tensors of one shape."""

    _sum: Any = None

    def _check(self, *gradient: Any) -> None:
        found = np.shape(gradient[0])
        if not agree(self.shape, found):
            raise invalid(
                f"Shape mismatch: expected {dims_text(self.shape)}, got {shape_text(found)}"
            )
        if self.count and np.shape(self._sum) != found:
            raise invalid(
                f"Shape mismatch: expected {shape_text(np.shape(self._sum))}, got "
                f"{shape_text(found)}"
            )

    def _add(self, *gradient: Any) -> None:
        if not self.count:
            self._sum = np.array(gradient[0])
        else:
            self._sum += gradient[0]

    def _result(self) -> Any:
        total, self._sum = self._sum, None
        if self.takes_mean:
            total /= total.dtype.type(self.count)
        return snapshot(total, handed_over=True)


class SparseAccumulator(Accumulator):
    """Sums up rows by their indices; each row has its own count."""

    def __init__(self, name: str, dtype: DType, shape: Dims | None, takes_mean: bool) -> None:
        """See `Accumulator`; the shape may leave out the last dimensions."""
        super().__init__(name, dtype, shape, takes_mean)
        self._indices: list[int] = []
        self._rows: Any = None
        self._counts: Any = None

    def _check(self, *gradient: Any) -> None:
        indices, rows, shape = gradient
        if np.ndim(indices) != 1:
            raise invalid(
                "Input indices should be vector but received shape: "
                f"{shape_text(np.shape(indices))}"
            )
        if not np.ndim(rows):
            raise invalid("Values cannot be 0-dimensional.")
        if len(rows) != len(indices):
            raise invalid(f"Expected {len(indices)} non-empty input values, got {len(rows)}")
        known = self.shape or ()
        if shape is not None:
            self._check_shape(known, np.ravel(shape))
        if known and known[0] is not None:
            for place in np.flatnonzero(indices >= known[0])[:1]:
                raise invalid(
                    f"Shape mismatch: index of slice {place} exceeded limits of shape; index is "
                    f"{indices[place]} exceeded {known[0]}"
                )
        if self.count:
            wanted: Dims = self._rows.shape
            if len(wanted) != rows.ndim:
                raise invalid(
                    f"Shape mismatch: expected values rank {len(wanted)}, got {rows.ndim}"
                )
        else:
            wanted = known
            if len(wanted) > rows.ndim:
                raise invalid(
                    f"Shape mismatch: expected values rank at least {len(wanted)}, got {rows.ndim}"
                )
        for place, (dim, found) in enumerate(zip(wanted, rows.shape, strict=False)):
            if place and dim not in (None, found):
                raise invalid(
                    f"Shape mismatch: expected values dim {place} to be {dim}, got {found}"
                )

    @staticmethod
    def _check_shape(known: Dims, shape: Any) -> None:
        if len(known) > len(shape):
            raise invalid(
                f"Shape mismatch: expected shape rank at least {len(known)}, got {len(shape)}"
            )
        for place, (dim, found) in enumerate(zip(known, shape, strict=False)):
            if dim not in (None, found):
                raise invalid(
                    f"Shape mismatch: expected shape dim {place} to be {dim}, got {found}"
                )

    def _add(self, *gradient: Any) -> None:
        indices, rows, _ = gradient
        if not self.count:
            self._indices = indices.tolist()
            self._rows = np.array(rows)
            self._counts = np.ones(len(rows), np.int32)
            return
        self._indices, ours, theirs = _merged(self._indices, indices.tolist())
        made = np.zeros((len(self._indices), *rows.shape[1:]), rows.dtype)
        counts = np.zeros(len(made), np.int32)
        made[ours] = self._rows
        made[theirs] += rows
        counts[ours] = self._counts
        counts[theirs] += 1
        self._rows, self._counts = made, counts

    def _result(self) -> Any:
        rows = self._rows
        if self.takes_mean:
            counts = self._counts.astype(rows.dtype)
            rows /= counts.reshape(-1, *[1] * (rows.ndim - 1))
        shape = np.array(rows.shape, np.int64)
        first = self.shape[0] if self.shape else None
        shape[0] = -1 if first is None else first
        indices = np.array(self._indices, np.int64)
        self._indices, self._rows, self._counts = [], None, None
        return indices, snapshot(rows, handed_over=True), shape


def _merged(first: list[int], second: list[int]) -> tuple[list[int], list[int], list[int]]:
    """Two rising lists as one, what both have once; and where the elements of each are in it.

    Lists that do not rise are gone through all the same, as TensorFlow does: what meets its like is
    added to it, and other indices stay there several times.
    """
    merged: list[int] = []
    ours: list[int] = []
    theirs: list[int] = []
    i = j = 0
    while i < len(first) or j < len(second):
        takes_first = j == len(second) or (i < len(first) and first[i] <= second[j])
        takes_second = i == len(first) or (j < len(second) and second[j] <= first[i])
        merged.append(first[i] if takes_first else second[j])
        if takes_first:
            ours.append(len(merged) - 1)
            i += 1
        if takes_second:
            theirs.append(len(merged) - 1)
            j += 1
    return merged, ours, theirs
