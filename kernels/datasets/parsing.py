"""Datasets of the features of serialized examples."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.datasets.dataset import Dataset, Element, Stage
from dataflow.kernels.datasets.run import Run
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

Parse = Callable[[Element], Element]


class ParseExampleDataset(Dataset):
    """What is read from the strings of each element."""

    kind = "ParseExample"
    __slots__ = ("parse",)

    def __init__(
        self, types: Sequence[DType], shapes: Sequence[TensorShape], source: Dataset, parse: Parse
    ) -> None:
        """Takes what reads them.

        Raises:
          InvalidArgumentError: The elements are no strings.
        """
        super().__init__(types, shapes, source)
        if any(dtype != dtypes.string for dtype in source.types):
            raise invalid("Examples are parsed from elements that are vectors of strings.")
        self.parse = parse

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()

    def start(self, run: Run) -> Stage:
        return _ParseStage(run, self.inputs[0].start(run), self.parse)


class _ParseStage(Stage):
    __slots__ = ("_parse", "_source")

    def __init__(self, run: Run, source: Stage, parse: Parse) -> None:
        super().__init__(run, source)
        self._source = source
        self._parse = parse

    def next(self) -> Element | None:
        element = self._source.next()
        return None if element is None else self._parse(element)
