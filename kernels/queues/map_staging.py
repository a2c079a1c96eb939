"""Staging areas with keys: values that one step leaves for another, which asks for them by key."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from dataflow.errors import InvalidArgumentError, ResourceExhaustedError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.resources import snapshot
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.queues.waiting import Attempt, Awaited, Done, Line, Outcome, Waiter
from dataflow.values.dtypes import DType

Typed = tuple[DType, Any]
"""A value with its element type."""
Wanted = tuple[int, DType]
"""A place in a tuple, and the element type that is wanted there."""


class MapStagingArea(Awaited):
    """Tuples of values by key, bounded in number and size; they may come and leave in parts."""

    def __init__(self, components: int, capacity: int, memory_limit: int) -> None:
        """Makes an empty area.

        Args:
          components: How many values a tuple has.
          capacity: Most whole tuples it holds; 0 for any number.
          memory_limit: Most bytes that the values have; 0 for any number.
        """
        self._puts: Line = deque()
        super().__init__(self._puts)
        self._components = components
        self._capacity = capacity
        self._memory_limit = memory_limit
        self._held: dict[int, list[Typed | None]] = {}
        self._incomplete: dict[int, list[Typed | None]] = {}
        self._bytes = 0

    @property
    def size(self) -> int:
        """How many keys have, or had, all values."""
        return len(self._held)

    @property
    def incomplete_size(self) -> int:
        """How many keys lack some."""
        return len(self._incomplete)

    def put(
        self, step: Waiter, done: Done, key: int, places: Sequence[int], values: Sequence[Typed]
    ) -> None:
        """Leaves values at these places of a key's tuple."""
        _check_order(places)
        if len(places) > len(values):
            raise invalid(f"There are {len(places)} indices, and {len(values)} values")
        values = [(dtype, snapshot(value)) for dtype, value in values[: len(places)]]
        size = _size(values)
        if 0 < self._memory_limit < size:
            raise ResourceExhaustedError(
                None,
                None,
                f"Attempted to insert tensors with combined size of '{size}' bytes into Staging "
                f"Area with a memory limit of '{self._memory_limit}'.",
            )
        self._check_places(key, places)
        pairs = list(zip(places, values, strict=True))
        attempt = Attempt("MapStage", done, partial(self._put, key, pairs, size))
        self.submit(self._puts, attempt, step)

    def take(
        self,
        step: Waiter,
        done: Done,
        key: int | None,
        places: Sequence[int],
        types: Sequence[DType],
        stays: bool = False,
    ) -> None:
        """Takes values out.

        Args:
          step: Who waits for them.
          done: Ends the kernel's call.
          key: Of the tuple; None for the first one, and its key comes before its values.
          places: In the tuple.
          types: Element types that the values must have.
          stays: Whether they stay there.
        """
        _check_order(places)
        advance = partial(
            self._peek if stays else self._take, key, list(zip(places, types, strict=True))
        )
        line: Line = deque()
        with self._lock:
            # Who waits for one key holds up nobody who waits for another.
            self._lines = (*(each for each in self._lines if each or each is self._puts), line)
        self.submit(line, Attempt("MapUnstage", done, advance), step)

    def clear(self) -> None:
        """Drops all values."""
        with self._lock:
            self._held.clear()
            self._incomplete.clear()
            self._bytes = 0
        self.changed()

    def _put(
        self, key: int, pairs: Sequence[tuple[int, Typed]], size: int, attempt: Attempt
    ) -> Outcome:
        is_whole = len(pairs) == self._components
        if 0 < self._memory_limit < self._bytes + size:
            return Outcome.STUCK
        if is_whole and 0 < self._capacity <= len(self._held):
            return Outcome.STUCK
        values = None if is_whole else self._incomplete.get(key)
        if values is None:
            values = [None] * self._components
        for place, _ in pairs:
            if values[place] is not None:
                attempt.error = invalid(
                    f"The tensor for index '{place}' for key '{key}' was already initialized "
                    f"'{self._components}'."
                )
                return Outcome.OVER
        for place, value in pairs:
            values[place] = value
        if any(value is None for value in values):
            self._incomplete[key] = values
            self._bytes += size
            return Outcome.OVER
        if not is_whole:
            del self._incomplete[key]
        if key not in self._held:
            self._held[key] = values
            self._bytes += size
        elif not is_whole:
            self._bytes -= _size(values) - size
        return Outcome.OVER

    def _peek(self, key: int | None, wanted: Sequence[Wanted], attempt: Attempt) -> Outcome:
        values = None if key is None else self._held.get(key)
        if key is None or values is None:
            return Outcome.STUCK
        try:
            attempt.result = _given(self._found(key, wanted, values))
        except InvalidArgumentError as error:
            attempt.error = error
        return Outcome.OVER

    def _take(self, key: int | None, wanted: Sequence[Wanted], attempt: Attempt) -> Outcome:
        found = self._first() if key is None else key
        values = None if found is None else self._held.get(found)
        if found is None or values is None:
            return Outcome.STUCK
        try:
            taken = self._found(found, wanted, values)
        except InvalidArgumentError as error:
            attempt.error = error
            return Outcome.OVER
        self._bytes -= _size([values[place] for place, _ in wanted])
        for place, _ in wanted:
            values[place] = None
        if all(value is None for value in values):
            del self._held[found]
        attempt.result = (found, *taken) if key is None else _given(taken)
        return Outcome.OVER

    def _first(self) -> int | None:
        """The key whose tuple goes first."""
        return next(iter(self._held), None)

    def _found(
        self, key: int, wanted: Sequence[Wanted], values: Sequence[Typed | None]
    ) -> list[Any]:
        """What an attempt wants of a tuple."""
        self._check_places(key, [place for place, _ in wanted])
        found: list[Any] = []
        for place, dtype in wanted:
            entry = values[place]
            if entry is None:
                raise invalid(
                    f"Tensor at index '{place}' for key '{key}' has already been removed."
                )
            if entry[0] != dtype:
                raise invalid(
                    f"Output {len(found)} of type {type_name(entry[0])} does not match declared "
                    f"output type {type_name(dtype)}"
                )
            found.append(entry[1])
        return found

    def _check_places(self, key: int, places: Sequence[int]) -> None:
        for place in places:
            if not 0 <= place < self._components:
                raise invalid(
                    f"Index '{place}' for key '{key}' was out of bounds '{self._components}'."
                )


class OrderedMapStagingArea(MapStagingArea):
    """The tuple of the lowest key goes first."""

    def _first(self) -> int | None:
        return min(self._held, default=None)


def _given(values: Sequence[Any]) -> Any:
    return values[0] if len(values) == 1 else tuple(values)


def _check_order(places: Sequence[int]) -> None:
    if not places:
        raise invalid("Indices are empty")
    if any(a >= b for a, b in pairwise(places)):
        raise invalid("Indices are not strictly ordered")


def _size(values: Sequence[Typed | None]) -> int:
    return sum(int(getattr(entry[1], "nbytes", 0)) for entry in values if entry is not None)
