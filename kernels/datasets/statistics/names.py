"""What the datasets of a pipeline are called: as TensorFlow does when it writes one down."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dataflow.kernels.datasets.dataset import Dataset
from dataflow.kernels.datasets.run import Captured

EDGE: Final = "LatencyEdge"
"""The kind of datasets that only a rewrite makes."""
NAMELESS: Final = (EDGE, "Options")
"""Kinds that TensorFlow 1 has no nodes for: they have no names, and take no numbers."""
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
    """The name of each dataset of a pipeline.

    All nodes have numbers, in the order in which they are needed: "PrefetchDataset/_5".
    """
    names: dict[Dataset, str] = {}
    count = 0
    for each in _inputs_first(dataset):
        if each.kind in NAMELESS:
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
