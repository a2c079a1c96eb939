"""Datasets whose elements come from datasets that a function makes of elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from dataflow.errors import CancelledError, OpError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.datasets.buffering import BufferStage
from dataflow.kernels.datasets.dataset import INFINITE, UNKNOWN, Dataset, Element, Stage, as_dataset
from dataflow.kernels.datasets.mapping import mapped
from dataflow.kernels.datasets.run import Call, Captured, Run
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape


def inner_dataset(call: Call, element: Element) -> Dataset:
    """The dataset that a function makes of an element.

    Raises:
      InvalidArgumentError: It makes something else.
    """
    results = mapped(call, element)
    if len(results) != 1:
        raise invalid("Function must return a single scalar of dtype DT_VARIANT.")
    return as_dataset(results[0])


class FlatMapDataset(Dataset):
    """The elements of datasets, one dataset after the other."""

    kind = "FlatMap"
    __slots__ = ("function",)

    def __init__(
        self,
        types: Sequence[DType],
        shapes: Sequence[TensorShape],
        source: Dataset,
        function: Captured,
    ) -> None:
        """Takes what makes a dataset of an element."""
        super().__init__(types, shapes, source)
        self.function = function

    def start(self, run: Run) -> Stage:
        call = run.function(self.function, self.kind)
        return _FlatMapStage(run, self.inputs[0].start(run), call)


class _FlatMapStage(Stage):
    __slots__ = ("_call", "_inner", "_source")

    def __init__(self, run: Run, source: Stage, call: Call) -> None:
        super().__init__(run, source)
        self._source: Stage | None = source
        self._call = call
        self._inner: Stage | None = None
        # What the function will make may wait.
        self.is_direct = False
        self.gives_many = True

    def next(self) -> Element | None:
        while (inner := self._begun()) is not None:
            element = inner.next()
            if element is not None:
                return element
            self._inner = None
        return None

    def take(self, most: int) -> Sequence[Any]:
        while (inner := self._begun()) is not None:
            taken = inner.take(most)
            if taken:
                table = inner.table
                return taken if table is None else [table.row(number) for number in taken]
            self._inner = None
        return ()

    def _begun(self) -> Stage | None:
        """What gives the next elements, if there is one."""
        if self._inner is None and self._source is not None:
            self.run.check()
            element = self._source.next()
            if element is None:
                self._source = None
            else:
                self._inner = inner_dataset(self._call, element).start(self.run)
        return self._inner

    def is_ready(self) -> bool:
        return self._inner is not None and self._inner.is_direct


class InterleaveDataset(Dataset):
    """The elements of several datasets at a time, some of each in turn."""

    kind = "Interleave"
    refusal: ClassVar[str] = "{} must be greater than zero."
    """What is said of a number that is not positive."""
    __slots__ = ("ahead", "block_length", "closes_up", "cycle_length", "function")

    def __init__(
        self,
        types: Sequence[DType],
        shapes: Sequence[TensorShape],
        source: Dataset,
        function: Captured,
        cycle_length: int,
        block_length: int,
        ahead: int = 0,
        closes_up: bool = False,
    ) -> None:
        """Takes what makes a dataset of an element.

        Args:
          types: Element types.
          shapes: Shapes.
          source: Where elements come from.
          function: Makes a dataset of an element.
          cycle_length: How many datasets there are at a time.
          block_length: How many elements are taken of one before the next has its turn.
          ahead: How many elements of each are made ahead, on a thread of its own; 0 for none.
          closes_up: When a dataset ends and there is no next one, its place is closed.

        Raises:
          InvalidArgumentError: A number is not positive.
        """
        for name, value in (("cycle_length", cycle_length), ("block_length", block_length)):
            if value <= 0:
                raise invalid(self.refusal.format(name))
        super().__init__(types, shapes, source)
        self.function = function
        self.cycle_length, self.block_length = cycle_length, block_length
        self.ahead, self.closes_up = ahead, closes_up

    def cardinality(self) -> int:
        return 0 if self.inputs[0].cardinality() == 0 else UNKNOWN

    def start(self, run: Run) -> Stage:
        return _InterleaveStage(run, self)


class ParallelInterleaveDataset(InterleaveDataset):
    """One whose elements are made ahead."""

    kind = "ParallelInterleave"
    refusal = "`{}` must be > 0"
    __slots__ = ()


class _InterleaveStage(Stage):
    __slots__ = ("_block", "_call", "_dataset", "_inner", "_place", "_source", "_told")

    def __init__(self, run: Run, dataset: InterleaveDataset) -> None:
        source = dataset.inputs[0].start(run)
        super().__init__(run, source)
        self._source: Stage | None = source
        self._dataset = dataset
        self._call = run.function(dataset.function, dataset.kind)
        self._inner: list[Stage | None] = []
        self._place = self._block = 0
        self._told = run.told(dataset) if dataset.ahead else None
        self.is_direct = False

    def next(self) -> Element | None:
        dataset = self._dataset
        while True:
            self.run.check()
            if dataset.ahead or dataset.closes_up:
                self._open_all()
            if self._place >= len(self._inner) and len(self._inner) < dataset.cycle_length:
                opened = self._open()
                if opened is not None:
                    self._inner.append(opened)
            if self._place >= len(self._inner):
                if not any(self._inner):
                    return None
                self._place = 0
            inner = self._inner[self._place]
            if inner is None:
                inner = self._inner[self._place] = self._open()
            if inner is None:
                if not any(self._inner):
                    return None
                self._advance()
                continue
            try:
                element = inner.next()
            except OpError as error:
                # One that was met ahead stands in the place of an element.
                if dataset.ahead and not isinstance(error, CancelledError):
                    self._count()
                raise
            if element is not None:
                self._count()
                if self._told is not None:
                    busy = sum(stage is not None for stage in self._inner)
                    self._told.scalar("thread_utilization", busy / dataset.cycle_length)
                    self._told.step += 1
                return element
            if dataset.closes_up:
                self._replace()
            else:
                self._inner[self._place] = None
                self._advance()

    def _count(self) -> None:
        self._block += 1
        if self._block == self._dataset.block_length:
            self._advance()

    def _replace(self) -> None:
        following = self._open()
        if following is None:
            del self._inner[self._place]
        else:
            self._inner[self._place] = following
            self._advance()

    def _advance(self) -> None:
        self._block = 0
        self._place = (self._place + 1) % self._dataset.cycle_length

    def _open_all(self) -> None:
        while len(self._inner) < self._dataset.cycle_length and self._source is not None:
            opened = self._open()
            if opened is not None:
                self._inner.append(opened)

    def _open(self) -> Stage | None:
        if self._source is None:
            return None
        try:
            element = self._source.next()
            if element is None:
                self._source = None
                return None
            inner = inner_dataset(self._call, element)
        except CancelledError:
            raise
        except OpError as error:
            # It is met when the place has its turn.
            return _FailedStage(self.run, error)
        if self._dataset.ahead:
            return BufferStage(self.run, inner, self._dataset.ahead)
        return inner.start(self.run)


class _FailedStage(Stage):
    """In the place of a dataset that could not be had."""

    __slots__ = ("_error",)

    def __init__(self, run: Run, error: OpError) -> None:
        super().__init__(run)
        self._error: OpError | None = error

    def next(self) -> Element | None:
        error, self._error = self._error, None
        if error is not None:
            raise error
        return None


class DirectedInterleaveDataset(Dataset):
    """Elements of several datasets, of which another one says from which the next comes."""

    kind = "DirectedInterleave"
    __slots__ = ("stops",)

    def __init__(
        self,
        types: Sequence[DType],
        shapes: Sequence[TensorShape],
        selector: Dataset,
        datasets: Sequence[Dataset],
        stops: bool,
    ) -> None:
        """Takes the datasets.

        Args:
          types: Element types.
          shapes: Shapes.
          selector: Gives the number of a dataset, each time.
          datasets: The datasets.
          stops: Whether the end of one is the end of all.

        Raises:
          InvalidArgumentError: The selector has other elements than numbers.
        """
        if len(selector.types) != 1 or selector.types[0].name != "int64":
            raise invalid("The selector dataset must be a dataset of scalar int64 elements.")
        for place, dataset in enumerate(datasets):
            if dataset.types != datasets[0].types:
                raise invalid(
                    "All inputs must have the same output_dtypes. First input has types "
                    f"{datasets[0].types}, and input {place} has types {dataset.types}."
                )
        super().__init__(types, shapes, selector, *datasets)
        self.stops = stops

    def cardinality(self) -> int:
        counts = [dataset.cardinality() for dataset in self.inputs]
        if all(count == INFINITE for count in counts):
            return INFINITE
        return 0 if counts[0] == 0 else UNKNOWN

    def start(self, run: Run) -> Stage:
        return _DirectedStage(run, self)


class _DirectedStage(Stage):
    __slots__ = ("_selector", "_sources", "_stops")

    def __init__(self, run: Run, dataset: DirectedInterleaveDataset) -> None:
        selector, *sources = (part.start(run) for part in dataset.inputs)
        super().__init__(run, selector, *sources)
        self._selector: Stage | None = selector
        self._sources: list[Stage | None] = list(sources)
        self._stops = dataset.stops

    def next(self) -> Element | None:
        while self._selector is not None and any(self._sources):
            self.run.check()
            chosen = self._selector.next()
            if chosen is None:
                break
            place = int(np.reshape(chosen[0], ()))
            if not 0 <= place < len(self._sources):
                raise invalid(f"Selector index out of range: {place} >= {len(self._sources)}")
            source = self._sources[place]
            if source is None:
                continue
            element = source.next()
            if element is not None:
                return element
            self._sources[place] = None
            if self._stops:
                break
        self._selector = None
        return None
