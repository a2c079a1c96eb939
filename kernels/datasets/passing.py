"""Datasets that stand for another one: they change how it is run, or what is told of that."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Any, Final

import numpy as np

from dataflow.kernels.datasets.dataset import Dataset, Element, Stage
from dataflow.kernels.datasets.run import Captured, Run
from dataflow.kernels.datasets.statistics import Aggregator, Recorder, Told
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

_OUT_OF_ORDER: Final = b"\x08\x00"
"""How options begin, with their first field, that say that the order of elements does not count."""
_STRING: Final = 24
"""Bytes that TensorFlow counts for a string, beside its own;"""
_VARIANT: Final = 64
"""for a variant, whatever it holds."""
_EDGE: Final = "record_latency::"


class PassingDataset(Dataset):
    """The elements of another dataset."""

    kind = "Passing"
    __slots__ = ()

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()

    def start(self, run: Run) -> Stage:
        return self.inputs[0].start(run)


class OptionsDataset(PassingDataset):
    """The elements of another dataset, with options for the whole pipeline."""

    kind = "Options"
    __slots__ = ("options",)

    def __init__(
        self, types: Sequence[DType], shapes: Sequence[TensorShape], source: Dataset, options: bytes
    ) -> None:
        """Takes the options, a serialized message."""
        super().__init__(types, shapes, source)
        self.options = options

    def start(self, run: Run) -> Stage:
        if self.options.startswith(_OUT_OF_ORDER):
            run.in_order = False
        return super().start(run)


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


_SERIALIZED: Final = {
    "AssertCardinality": ("", 1),
    "Batch": ("V2", 2),
    "Cache": ("", 1),
    "DenseToSparseBatch": ("", 2),
    "FixedLengthRecord": ("V2", 6),
    "Interleave": ("", 2),
    "MapAndBatch": ("", 3),
    "MatchingFiles": ("", 1),
    "PaddedBatch": ("V2", 2),
    "ParallelInterleave": ("V2", 3),
    "ParallelMap": ("", 1),
    "ParseExample": ("", 1),
    "Prefetch": ("", 1),
    "Random": ("", 2),
    "Range": ("", 3),
    "Rebatch": ("", 1),
    "Repeat": ("", 1),
    "Shard": ("", 2),
    "Shuffle": ("", 3),
    "Skip": ("", 1),
    "SparseTensorSlice": ("", 3),
    "Sql": ("", 3),
    "TFRecord": ("", 3),
    "Take": ("", 1),
    "TextLine": ("", 3),
    "Window": ("", 4),
}
"""For kinds of datasets: how the names of their ops end in a pipeline that TensorFlow 1 has
written down, and how many tensors they take beside datasets and what functions capture."""
_OF_COMPONENTS: Final = {"Tensor": 1, "TensorSlice": 1, "PaddedBatch": 2}
"""Kinds that take so many more for each component."""


def names_of(dataset: Dataset) -> dict[Dataset, str]:
    """What the datasets of a pipeline are called, as TensorFlow does when it writes one down.

    All nodes have numbers, in the order in which they are needed: "PrefetchDataset/_5".
    """
    names: dict[Dataset, str] = {}
    count = 0
    for each in _inputs_first(dataset):
        if isinstance(each, _EdgeDataset):
            continue
        version, tensors = _SERIALIZED.get(each.kind, ("", 0))
        count += tensors + _OF_COMPONENTS.get(each.kind, 0) * len(each.types) + _captures(each)
        count += getattr(each, "defaults", 0)
        name = f"{each.kind}Dataset{version}/_{count}"
        count += 1
        names.setdefault(each, name)
        if each.kind == "MapAndBatch":
            # One node in TensorFlow, two datasets here.
            names.setdefault(each.inputs[0], name)
    return names


def _inputs_first(dataset: Dataset) -> Iterator[Dataset]:
    is_whole = dataset.kind == "MapAndBatch"
    for source in dataset.inputs[0].inputs if is_whole else dataset.inputs:
        yield from _inputs_first(source)
    yield dataset


def _captures(dataset: Dataset) -> int:
    found = 0
    for each in (dataset, *dataset.inputs) if dataset.kind == "MapAndBatch" else (dataset,):
        for name in (
            name for kind in type(each).__mro__ for name in getattr(kind, "__slots__", ())
        ):
            value = getattr(each, name, None)
            found += len(value.values) if isinstance(value, Captured) else 0
    return found


def with_latencies(dataset: Dataset) -> Dataset:
    """The same pipeline, which tells how long each of its datasets takes for an element."""
    return _with_edges(dataset, names_of(dataset))


def _with_edges(dataset: Dataset, names: dict[Dataset, str]) -> Dataset:
    made = _copied(dataset, names)
    return _EdgeDataset(made.types, made.shapes, made, (_EDGE + names[dataset]).encode())


def _copied(dataset: Dataset, names: dict[Dataset, str]) -> Dataset:
    made = copy.copy(dataset)
    behind = _copied if dataset.kind == "MapAndBatch" else _with_edges
    made.inputs = tuple(behind(source, names) for source in dataset.inputs)
    return made
