"""A barrier: values that come in pieces, by key, and leave when all of them are there."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from dataflow.errors import CancelledError, OutOfRangeError
from dataflow.kernels.contract.handles import Referable
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.resources import snapshot
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.lists.stacking import make_zeros, slices_of, stack_elements
from dataflow.kernels.queues.priority_heap import Element, pop, push
from dataflow.kernels.queues.waiting import Attempt, Awaited, Done, Line, Outcome, Waiter
from dataflow.values import dtypes
from dataflow.values.dtypes import DType

Shape = tuple[int, ...]
_FIRST: Final = -(2**63)
_ABSENT: Final = object()


class Barrier(Referable, Awaited):
    """Complete values leave it in the order in which their keys came first."""

    def __init__(self, name: str, types: Sequence[DType], shapes: Sequence[Shape]) -> None:
        """Makes an empty barrier.

        Args:
          name: Its name, for messages.
          types: Element types of the components.
          shapes: Their shapes.
        """
        self._inserts: Line = deque()
        self._takes: Line = deque()
        super().__init__(self._inserts, self._takes)
        self.name = name
        self.types: Final = tuple(types)
        self.shapes: Final = tuple(shapes)
        self._is_closed = False
        self._refuses_all = False
        self._index = _FIRST
        self._incomplete: dict[bytes, list[Any]] = {}
        self._ready: list[Element] = []

    @property
    def ready_size(self) -> int:
        """How many keys have all components."""
        return len(self._ready)

    @property
    def incomplete_size(self) -> int:
        """How many keys lack some."""
        return len(self._incomplete)

    def insert(self, step: Waiter, done: Done, keys: Sequence[bytes], place: int, of: Any) -> None:
        """Gives one component of the values of these keys, a row of `of` for each."""
        shape = np.shape(of)
        if keys and not np.size(of):
            raise invalid(
                f"Tensors with no elements are not supported {self.name}: received shape "
                f"{shape_text(shape)}"
            )
        if len(keys) != (shape[0] if shape else 1):
            raise invalid(
                f"There are {len(keys)} keys, and values for {shape[0] if shape else 1}: shape "
                f"{shape_text(shape)}"
            )
        if keys and self.shapes[place] != shape[1:]:
            raise invalid(
                f"Shape mismatch in tuple component {place + 2}. Expected "
                f"{shape_text(self.shapes[place])}, got {shape_text(shape[1:])}"
            )
        rows = slices_of(snapshot(of), self.types[place]) if shape else [of]
        attempt = Attempt("BarrierInsertMany", done, partial(self._insert, keys, place, rows))
        self.submit(self._inserts, attempt, step)

    def take(self, step: Waiter, done: Done, count: int, allows_fewer: bool) -> None:
        """Takes complete values out; `allows_fewer`: what there is, if the barrier is closed."""
        advance = partial(self._take, count, allows_fewer)
        self.submit(self._takes, Attempt("BarrierTakeMany", done, advance), step)

    def close(self, refuses_all: bool) -> None:
        """Lets no new key in; `refuses_all`: nor components of those that wait for more.

        Raises:
          CancelledError: It is closed already.
        """
        with self._lock:
            if self._is_closed and (self._refuses_all or not refuses_all):
                raise CancelledError(None, None, f"Barrier '{self.name}' is already closed.")
            self._is_closed, self._refuses_all = True, refuses_all
            if refuses_all:
                self._incomplete.clear()
        self.changed()

    def _insert(self, keys: Sequence[bytes], place: int, rows: Any, attempt: Attempt) -> Outcome:
        waiting = self._incomplete
        if self._is_closed and (self._refuses_all or (keys and not waiting)):
            attempt.error = self._closed(f".  Number of new insertions: {len(keys)}")
            return Outcome.OVER
        brings_keys = False
        for number, (key, row) in enumerate(zip(keys, rows, strict=True)):
            values = waiting.get(key)
            if values is None:
                if self._is_closed:
                    attempt.error = self._closed(
                        f".  Insertion index: {number}",
                        f", but attempted to insert a brand new "
                        f"key: {key.decode(errors='backslashreplace')}",
                    )
                    return Outcome.OVER
                values = waiting[key] = [self._index, *[_ABSENT] * len(self.types)]
                brings_keys = True
            if values[place + 1] is not _ABSENT:
                attempt.error = invalid(
                    f"Key {key.decode(errors='backslashreplace')} already has a value for "
                    f"component {place} in barrier {self.name}"
                )
                return Outcome.OVER
            values[place + 1] = row
            if not any(value is _ABSENT for value in values):
                del waiting[key]
                push(self._ready, (values[0], key, *values[1:]))
        self._index += brings_keys
        return Outcome.OVER

    def _take(self, count: int, allows_fewer: bool, attempt: Attempt) -> Outcome:
        ready = len(self._ready)
        if self._is_closed:
            available = ready
            if allows_fewer:
                count = min(count, available)
            else:
                available += len(self._incomplete)
            if available < max(count, 1):
                attempt.error = OutOfRangeError(
                    None,
                    None,
                    f"Barrier '{self.name}' is closed and has insufficient elements (requested "
                    f"{count}, total size {available})",
                )
                return Outcome.OVER
        if ready < count:
            return Outcome.STUCK
        elements = [pop(self._ready) for _ in range(count)]
        attempt.result = self._stacked(elements)
        return Outcome.OVER

    def _stacked(self, elements: Sequence[Element]) -> Element:
        types = (dtypes.int64, dtypes.string, *self.types)
        if not elements:
            pairs = zip(((), (), *self.shapes), types, strict=True)
            return tuple(make_zeros(np, (0, *shape), dtype) for shape, dtype in pairs)
        columns = zip(*elements, strict=True)
        return tuple(
            stack_elements(np, column, dtype) for column, dtype in zip(columns, types, strict=True)
        )

    def _closed(self, count: str, but: str = "") -> CancelledError:
        return CancelledError(
            None,
            None,
            f"Barrier {self.name} is closed{but}.  Pending enqueues cancelled: "
            f"{int(self._refuses_all)}{count}.  Number of incomplete keys: "
            f"{len(self._incomplete)}.",
        )
