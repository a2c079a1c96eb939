"""tensorflow.python.data.experimental.ops.sleep and optimization: stages that tests ask for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.library.datasets.nodes import number
from dataflow.values import dtypes


def sleep(sleep_microseconds: Any) -> Callable[[Any], Any]:
    """A transformation for `Dataset.apply`: each element comes after a rest."""
    return lambda dataset: dataset._same(
        "SleepDataset", number(sleep_microseconds, "sleep_microseconds")
    )


def model() -> Callable[[Any], Any]:
    """One that changes no element; TensorFlow would measure the stages."""
    return lambda dataset: dataset._same("ModelDataset")


def non_serializable() -> Callable[[Any], Any]:
    """One that changes no element; TensorFlow would not save where the iterator is."""
    return lambda dataset: dataset._same("NonSerializableDataset")


def optimize(optimizations: Sequence[str] | None = None) -> Callable[[Any], Any]:
    """One that changes no element; TensorFlow would rewrite the stages in these ways."""
    return lambda dataset: dataset._same(
        "OptimizeDataset",
        convert_to_tensor(list(optimizations or ()), dtypes.string, name="optimizations"),
    )
