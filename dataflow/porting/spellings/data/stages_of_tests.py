"""data.experimental.ops.sleep, optimization and distribute: stages that tests ask for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.library.datasets import element_nest
from dataflow.library.datasets.base import DatasetBase
from dataflow.library.datasets.nodes import dataset_node, number
from dataflow.library.datasets.specs import TensorSpec
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


class _ChooseFastestDataset(DatasetBase):
    """The elements of the first of several datasets; TensorFlow would take the fastest one's."""

    def __new__(cls, datasets: Sequence[Any], num_experiments: int = 10) -> Any:
        """Makes the dataset.

        Args:
          datasets: They have the same elements.
          num_experiments: How many elements TensorFlow would time.
        """
        spec = datasets[0].element_spec
        variants = [dataset._variant_tensor for dataset in datasets]
        made = dataset_node("ChooseFastestDataset", spec, variants, num_experiments=num_experiments)
        return DatasetBase._made(made, spec, *datasets)


class _RebatchDataset(DatasetBase):
    """Batches, each cut into as many as there are replicas."""

    def __new__(cls, input_dataset: Any, num_replicas: int, use_fallback: bool = True) -> Any:
        """Makes the dataset.

        Args:
          input_dataset: Has the batches.
          num_replicas: How many batches become of one.
          use_fallback: Has no meaning here.

        Raises:
          ValueError: A component has no first dimension.
        """
        spec = element_nest.map_atoms(
            lambda atom: _cut(atom, num_replicas), input_dataset.element_spec
        )
        made = dataset_node(
            "RebatchDataset",
            spec,
            input_dataset._variant_tensor,
            number(num_replicas, "num_replicas"),
        )
        return DatasetBase._made(made, spec, input_dataset)


class _AutoShardDataset(DatasetBase):
    """One worker's part of a pipeline, by the policy in its options."""

    def __new__(
        cls, input_dataset: Any, num_workers: Any, index: Any, num_replicas: int | None = None
    ) -> Any:
        """Makes the dataset.

        Args:
          input_dataset: The pipeline.
          num_workers: How many workers there are: scalar int64.
          index: Which of them this one is: scalar int64.
          num_replicas: How many replicas all workers have, for batches that are cut for them.
        """
        options = input_dataset.options()
        made = dataset_node(
            "AutoShardDataset",
            input_dataset.element_spec,
            input_dataset._variant_tensor,
            number(num_workers, "num_workers"),
            number(index, "index"),
            auto_shard_policy=int(options.experimental_distribute.auto_shard_policy),
            num_replicas=num_replicas or 0,
        )
        return DatasetBase._made(made, input_dataset.element_spec, input_dataset)


_AutoShardDatasetV1 = _AutoShardDataset


def _cut(atom: Any, count: int) -> Any:
    dims = atom.shape.dims_tuple
    if dims is None or not dims:
        raise ValueError(
            "Input shape should have at least one dimension. Perhaps your input dataset is not "
            "batched?"
        )
    first = dims[0]
    size = None if first is None or first % count else first // count
    return TensorSpec([size, *dims[1:]], atom.dtype)
