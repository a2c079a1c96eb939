"""Datasets that apply a function to each element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from dataflow.errors import InvalidArgumentError, OpError, OutOfRangeError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.datasets.dataset import INFINITE, UNKNOWN, Dataset, Element, Stage
from dataflow.kernels.datasets.run import Call, Captured, Run
from dataflow.kernels.datasets.statistics.told import Told
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

_NO_FILTER: Final = "Filter predicate `predicate` must return a scalar bool."


class MapDataset(Dataset):
    """What a function makes of each element."""

    kind = "Map"
    __slots__ = ("function", "keeps_count")

    def __init__(
        self,
        types: Sequence[DType],
        shapes: Sequence[TensorShape],
        source: Dataset,
        function: Captured,
        keeps_count: bool = True,
    ) -> None:
        """Takes the function.

        Args:
          types: Element types.
          shapes: Shapes.
          source: Where elements come from.
          function: Makes an element of an element.
          keeps_count: Whether there are as many elements as the source has; else the end of a
            sequence within the function is the end of this one.
        """
        super().__init__(types, shapes, source)
        self.function = function
        self.keeps_count = keeps_count

    def cardinality(self) -> int:
        return self.inputs[0].cardinality() if self.keeps_count else UNKNOWN

    def start(self, run: Run) -> Stage:
        call = run.function(self.function, self.kind, may_end=not self.keeps_count)
        return _MapStage(run, self.inputs[0].start(run), call)


class _MapStage(Stage):
    __slots__ = ("_call", "_source")

    def __init__(self, run: Run, source: Stage, call: Call) -> None:
        super().__init__(run, source)
        self._source = source
        self._call = call
        self.is_direct = source.is_direct and not call.may_wait

    def next(self) -> Element | None:
        element = self._source.next()
        if element is None:
            return None
        return mapped_or_end(self._call, element)


def mapped_or_end(call: Call, element: Element) -> Element | None:
    """What a function makes of an element; None at the end of a sequence within it, if that counts.

    Raises:
      OpError: The function fails.
    """
    try:
        return tuple(call(element))
    except OutOfRangeError as error:
        if call.may_end:
            return None
        raise _no_end(error) from error.__cause__


def mapped(call: Call, element: Element) -> Element:
    """What a function makes of an element.

    Raises:
      OpError: The function fails. An end of a sequence within it is no end of this one.
    """
    found = mapped_or_end(call, element)
    assert found is not None
    return found


def _no_end(error: OpError) -> OpError:
    return InvalidArgumentError(
        error.node_def,
        None,
        "Function invocation produced OutOfRangeError: " + error.message,
    )


class FilterDataset(Dataset):
    """The elements for which a function gives True."""

    kind = "Filter"
    __slots__ = ("predicate",)

    def __init__(
        self,
        types: Sequence[DType],
        shapes: Sequence[TensorShape],
        source: Dataset,
        predicate: Captured,
    ) -> None:
        """Takes the function."""
        super().__init__(types, shapes, source)
        self.predicate = predicate

    def cardinality(self) -> int:
        return 0 if self.inputs[0].cardinality() == 0 else UNKNOWN

    def start(self, run: Run) -> Stage:
        call, told = run.function(self.predicate, self.kind), run.told(self)
        source = self.inputs[0].start(run)
        return (
            _FilterStage(run, source, call)
            if told is None
            else _ToldFilter(run, source, call, told)
        )


class _FilterStage(Stage):
    __slots__ = ("_call", "_source")

    def __init__(self, run: Run, source: Stage, call: Call) -> None:
        super().__init__(run, source)
        self._source = source
        self._call = call
        self.is_direct = source.is_direct and not call.may_wait

    def next(self) -> Element | None:
        while True:
            element = self._source.next()
            if element is None or is_true(self._call(element), _NO_FILTER):
                return element


class _ToldFilter(_FilterStage):
    """Tells how many elements it has dropped and passed on."""

    __slots__ = ("_dropped", "_told")

    def __init__(self, run: Run, source: Stage, call: Call, told: Told) -> None:
        super().__init__(run, source, call)
        self._told = told
        self._dropped = 0

    def next(self) -> Element | None:
        told = self._told
        while (element := self._source.next()) is not None:
            if is_true(self._call(element), _NO_FILTER):
                told.scalar("filtered_elements", told.step + 1)
                told.step += 1
                return element
            self._dropped += 1
            told.scalar("dropped_elements", self._dropped)
        return None


def is_true(results: Sequence[Any], complaint: str) -> bool:
    """What a predicate says.

    Raises:
      InvalidArgumentError: It gives anything but one bool.
    """
    if len(results) != 1 or np.size(results[0]) != 1 or np.asarray(results[0]).dtype != bool:
        raise invalid(complaint)
    return bool(np.reshape(results[0], ()))


class TakeWhileDataset(FilterDataset):
    """The elements before the first one for which a function gives False."""

    kind = "TakeWhile"
    __slots__ = ()

    def start(self, run: Run) -> Stage:
        call = run.function(self.predicate, self.kind)
        return _TakeWhileStage(run, self.inputs[0].start(run), call)


class _TakeWhileStage(_FilterStage):
    __slots__ = ("_over",)

    def __init__(self, run: Run, source: Stage, call: Call) -> None:
        super().__init__(run, source, call)
        self._over = False

    def next(self) -> Element | None:
        element = None if self._over else self._source.next()
        if element is None:
            return None
        if not is_true(self._call(element), "`predicate` must returns a scalar bool tensor."):
            self._over = True
            return None
        return element


class ScanDataset(Dataset):
    """What a function makes of each element and a state, which it makes anew each time."""

    kind = "Scan"
    __slots__ = ("function", "keeps_count", "state")

    def __init__(
        self,
        types: Sequence[DType],
        shapes: Sequence[TensorShape],
        source: Dataset,
        state: Element,
        function: Captured,
        keeps_count: bool,
    ) -> None:
        """Takes the first state, and the function of state and element."""
        super().__init__(types, shapes, source)
        self.state = state
        self.function = function
        self.keeps_count = keeps_count

    def cardinality(self) -> int:
        return self.inputs[0].cardinality() if self.keeps_count else UNKNOWN

    def start(self, run: Run) -> Stage:
        call = run.function(self.function, self.kind)
        return _ScanStage(run, self.inputs[0].start(run), call, self.state)


class _ScanStage(Stage):
    __slots__ = ("_call", "_source", "_state")

    def __init__(self, run: Run, source: Stage, call: Call, state: Element) -> None:
        super().__init__(run, source)
        self._source = source
        self._call = call
        self._state = state
        self.is_direct = source.is_direct and not call.may_wait

    def next(self) -> Element | None:
        element = self._source.next()
        if element is None:
            return None
        results = mapped(self._call, self._state + element)
        count = len(self._state)
        self._state = results[:count]
        return results[count:]


class IgnoreErrorsDataset(Dataset):
    """The elements in whose place there is no error."""

    kind = "IgnoreErrors"
    __slots__ = ("log",)

    def __init__(
        self,
        types: Sequence[DType],
        shapes: Sequence[TensorShape],
        source: Dataset,
        log: Any = None,
    ) -> None:
        """Takes what is told of errors: `log(text)`, or None."""
        super().__init__(types, shapes, source)
        self.log = log

    def cardinality(self) -> int:
        count = self.inputs[0].cardinality()
        return count if count in (0, INFINITE) else UNKNOWN

    def start(self, run: Run) -> Stage:
        return _IgnoreErrorsStage(run, self.inputs[0].start(run), self.log)


class _IgnoreErrorsStage(Stage):
    __slots__ = ("_log", "_source")

    def __init__(self, run: Run, source: Stage, log: Any) -> None:
        super().__init__(run, source)
        self._source = source
        self._log = log

    def next(self) -> Element | None:
        while True:
            try:
                return self._source.next()
            except OpError as error:
                self.run.check()
                if self._log is not None:
                    self._log(f"Error raised with error message {error.message}")
