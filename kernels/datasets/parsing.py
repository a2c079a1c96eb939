"""Datasets of the features of serialized examples."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.datasets.dataset import Dataset, Element, Stage
from dataflow.kernels.datasets.run import Run
from dataflow.kernels.datasets.statistics.told import Told
from dataflow.kernels.parsing.examples import counts
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

Parse = Callable[[Element], Element]


class ParseExampleDataset(Dataset):
    """What is read from the strings of each element."""

    kind = "ParseExample"
    __slots__ = ("defaults", "keys", "parse")

    def __init__(
        self,
        types: Sequence[DType],
        shapes: Sequence[TensorShape],
        source: Dataset,
        parse: Parse,
        keys: Collection[bytes],
        defaults: int,
    ) -> None:
        """Takes what reads them, the keys of what is read, and how many defaults there are.

        Raises:
          InvalidArgumentError: The elements are no strings.
        """
        super().__init__(types, shapes, source)
        if any(dtype != dtypes.string for dtype in source.types):
            raise invalid("Examples are parsed from elements that are vectors of strings.")
        self.parse = parse
        self.keys = frozenset(keys)
        self.defaults = defaults

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()

    def start(self, run: Run) -> Stage:
        source, told = self.inputs[0].start(run), run.told(self)
        if told is not None:
            return _ToldParse(run, source, self, told)
        return _ParseStage(run, source, self.parse)


class _ParseStage(Stage):
    __slots__ = ("_parse", "_source")

    def __init__(self, run: Run, source: Stage, parse: Parse) -> None:
        super().__init__(run, source)
        self._source = source
        self._parse = parse

    def next(self) -> Element | None:
        element = self._source.next()
        return None if element is None else self._parse(element)


class _ToldParse(_ParseStage):
    """Tells how many features and values the examples have."""

    __slots__ = ("_keys", "_told")

    def __init__(self, run: Run, source: Stage, dataset: ParseExampleDataset, told: Told) -> None:
        super().__init__(run, source, dataset.parse)
        self._keys = dataset.keys
        self._told = told

    def next(self) -> Element | None:
        element = self._source.next()
        if element is None:
            return None
        parsed = self._parse(element)
        told = self._told
        for message in (text for part in element for text in np.ravel(part).tolist()):
            features, values = counts(message, self._keys)
            told.value("features_count", features)
            told.value("feature_values_count", values)
        # It has no threads of its own.
        told.scalar("thread_utilization", 0)
        told.step += 1
        return parsed
