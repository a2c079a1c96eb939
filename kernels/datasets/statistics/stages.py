"""Datasets that stand for another one and tell of its elements: their bytes, the time they take."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from time import perf_counter
from typing import Any, Final

import numpy as np

from dataflow.kernels.datasets.dataset import Dataset, Element, Stage
from dataflow.kernels.datasets.passing import PassingDataset
from dataflow.kernels.datasets.run import Run
from dataflow.kernels.datasets.statistics.names import EDGE, names_of
from dataflow.kernels.datasets.statistics.told import Aggregator, Recorder, Told
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

_STRING: Final = 24
"""Bytes that TensorFlow counts for a string, beside its own;"""
_VARIANT: Final = 64
"""for a variant, whatever it holds."""
_LATENCY: Final = "record_latency::"


class ObservedDataset(PassingDataset):
    """The elements of another dataset, whose stages tell an aggregator of themselves."""

    kind = "SetStatsAggregator"
    __slots__ = ("aggregator", "tag")

    def __init__(
        self,
        types: Sequence[DType],
        shapes: Sequence[TensorShape],
        source: Dataset,
        aggregator: Aggregator,
        tag: bytes,
    ) -> None:
        """Takes the aggregator, and what all of its tags are to begin with."""
        super().__init__(types, shapes, source)
        self.aggregator = aggregator
        self.tag = tag

    def start(self, run: Run) -> Stage:
        recorder = Recorder(self.aggregator, self.tag, names_of(self.inputs[0]))
        return super().start(run.observed(recorder))


class BytesDataset(PassingDataset):
    """The elements of another dataset; how many bytes each has is told."""

    kind = "BytesProducedStats"
    __slots__ = ("tag",)

    def __init__(
        self, types: Sequence[DType], shapes: Sequence[TensorShape], source: Dataset, tag: bytes
    ) -> None:
        """Takes the tag under which it is told."""
        super().__init__(types, shapes, source)
        self.tag = tag

    def start(self, run: Run) -> Stage:
        source = super().start(run)
        if run.statistics is None:
            return source
        return self.watched(run, source, run.statistics.tagged(self.tag))

    def watched(self, run: Run, source: Stage, told: Told) -> Stage:
        """The stage that tells it."""
        return _BytesStage(run, source, told, self.types)


class LatencyDataset(BytesDataset):
    """The elements of another dataset; how many microseconds each takes is told."""

    kind = "LatencyStats"
    __slots__ = ()

    def watched(self, run: Run, source: Stage, told: Told) -> Stage:
        return _LatencyStage(run, source, told)


class _EdgeDataset(LatencyDataset):
    """One that a rewrite has put behind each dataset of a pipeline."""

    kind = EDGE
    __slots__ = ()


class _LatencyStage(Stage):
    __slots__ = ("_source", "_told")

    def __init__(self, run: Run, source: Stage, told: Told) -> None:
        super().__init__(run, source)
        self._source = source
        self._told = told

    def next(self) -> Element | None:
        start = perf_counter()
        element = self._source.next()
        if element is not None:
            self._tell((perf_counter() - start) * 1e6)
        return element

    def _tell(self, value: float) -> None:
        self._told.value("", int(value))
        self._told.step += 1


class _BytesStage(_LatencyStage):
    __slots__ = ("_types",)

    def __init__(self, run: Run, source: Stage, told: Told, types: Sequence[DType]) -> None:
        super().__init__(run, source, told)
        self._types = types

    def next(self) -> Element | None:
        element = self._source.next()
        if element is not None:
            pairs = zip(element, self._types, strict=True)
            self._tell(sum(bytes_of(value, dtype) for value, dtype in pairs))
        return element


def bytes_of(value: Any, dtype: DType) -> int:
    """How many bytes a tensor has, as TensorFlow counts them."""
    if dtype == dtypes.string:
        texts = [value] if isinstance(value, bytes) else np.ravel(value).tolist()
        return sum(_STRING + len(text) for text in texts)
    if dtype == dtypes.variant:
        return _VARIANT * int(np.size(value))
    return int(np.asarray(value).nbytes)


def with_latencies(dataset: Dataset) -> Dataset:
    """The same pipeline, which tells how long each of its datasets takes for an element."""
    return _with_edges(dataset, names_of(dataset))


def _with_edges(dataset: Dataset, names: dict[Dataset, str]) -> Dataset:
    made = _copied(dataset, names)
    if dataset not in names:
        return made
    return _EdgeDataset(made.types, made.shapes, made, (_LATENCY + names[dataset]).encode())


def _copied(dataset: Dataset, names: dict[Dataset, str]) -> Dataset:
    made = copy.copy(dataset)
    behind = _copied if dataset.kind == "MapAndBatch" else _with_edges
    made.inputs = tuple(behind(source, names) for source in dataset.inputs)
    return made
