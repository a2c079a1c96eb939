"""Classes of `dataset_ops`: each makes one stage of a pipeline, and tells which datasets are such.

TensorFlow 1's methods wrap what they make in `DatasetV1Adapter`, which is not of these classes;
here a dataset is of the class of its last stage, however it was made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.graph.tensor import Tensor
from dataflow.library.datasets.base import DatasetBase, wrap
from dataflow.library.datasets.dataset import Dataset

__all__ = ["DatasetSource", "UnaryDataset", "UnaryUnchangedStructureDataset"]


class _Stage(type):
    """The class of such classes."""

    _ops: frozenset[str]
    _make: Callable[..., Any]

    def __call__(cls, *args: Any, **options: Any) -> Any:
        return cls._make(*args, **options)

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, DatasetBase) and value._variant_tensor.op.type in cls._ops


def _stage(name: str, ops: str, make: Callable[..., Any]) -> None:
    globals()[name] = _Stage(
        name,
        (Dataset,),
        {
            "_ops": frozenset(ops.split()),
            "_make": staticmethod(make),
            "__doc__": f"Datasets that end with {ops.split()[0]}.",
            "__module__": __name__,
        },
    )
    __all__.append(name)


def _map(
    input_dataset: Any,
    map_func: Any,
    use_inter_op_parallelism: bool = True,
    preserve_cardinality: bool = False,
    use_legacy_function: bool = False,
) -> Any:
    call = input_dataset.map_with_legacy_function if use_legacy_function else input_dataset.map
    return call(map_func)


def _parallel_map(
    input_dataset: Any,
    map_func: Any,
    num_parallel_calls: Any,
    use_inter_op_parallelism: bool = True,
    preserve_cardinality: bool = False,
    use_legacy_function: bool = False,
) -> Any:
    call = input_dataset.map_with_legacy_function if use_legacy_function else input_dataset.map
    return call(map_func, num_parallel_calls)


def _filter(input_dataset: Any, predicate: Any, use_legacy_function: bool = False) -> Any:
    if use_legacy_function:
        return input_dataset.filter_with_legacy_function(predicate)
    return input_dataset.filter(predicate)


def _prefetch(input_dataset: Any, buffer_size: Any, slack_period: Any = None) -> Any:
    return input_dataset.prefetch(buffer_size)


for _name, _ops, _make in (
    ("TensorDataset", "TensorDataset", Dataset.from_tensors),
    ("TensorSliceDataset", "TensorSliceDataset", Dataset.from_tensor_slices),
    ("SparseTensorSliceDataset", "SparseTensorSliceDataset", Dataset.from_sparse_tensor_slices),
    ("RangeDataset", "RangeDataset", Dataset.range),
    ("ZipDataset", "ZipDataset", Dataset.zip),
    ("ConcatenateDataset", "ConcatenateDataset", Dataset.concatenate),
    ("RepeatDataset", "RepeatDataset", Dataset.repeat),
    ("ShuffleDataset", "ShuffleDataset ShuffleDatasetV2 ShuffleDatasetV3", Dataset.shuffle),
    ("CacheDataset", "CacheDataset CacheDatasetV2", Dataset.cache),
    ("TakeDataset", "TakeDataset", Dataset.take),
    ("SkipDataset", "SkipDataset", Dataset.skip),
    ("ShardDataset", "ShardDataset", Dataset.shard),
    ("BatchDataset", "BatchDataset BatchDatasetV2", Dataset.batch),
    ("PaddedBatchDataset", "PaddedBatchDataset PaddedBatchDatasetV2", Dataset.padded_batch),
    ("MapDataset", "MapDataset", _map),
    ("ParallelMapDataset", "ParallelMapDataset ParallelMapDatasetV2", _parallel_map),
    ("FlatMapDataset", "FlatMapDataset", Dataset.flat_map),
    ("InterleaveDataset", "InterleaveDataset", Dataset.interleave),
    (
        "ParallelInterleaveDataset",
        "ParallelInterleaveDatasetV2 ParallelInterleaveDatasetV3 ParallelInterleaveDatasetV4",
        Dataset.interleave,
    ),
    ("FilterDataset", "FilterDataset", _filter),
    ("PrefetchDataset", "PrefetchDataset", _prefetch),
    ("WindowDataset", "WindowDataset", Dataset.window),
    ("_UnbatchDataset", "UnbatchDataset", Dataset.unbatch),
    ("_OptionsDataset", "OptionsDataset", Dataset.with_options),
    ("_VariantDataset", "", wrap),
):
    _stage(_name, _ops or "a variant", _make)


class DatasetSource(Dataset):
    """Base of a user's class of datasets that are made of no others."""

    def __init__(self, variant_tensor: Tensor) -> None:
        """Makes one of the variant that stands for it."""
        self._set(variant_tensor, _spec_of(self), ())


class UnaryDataset(Dataset):
    """Base of a user's class of datasets that are made of another."""

    def __init__(self, input_dataset: Any, variant_tensor: Tensor) -> None:
        """Makes one of the other and of the variant that stands for it."""
        self._set(variant_tensor, _spec_of(self), (input_dataset,))


class UnaryUnchangedStructureDataset(UnaryDataset):
    """The same for one whose elements are like those of the other."""

    def __init__(self, input_dataset: Any, variant_tensor: Tensor) -> None:
        """Makes one of the other and of the variant that stands for it."""
        self._set(variant_tensor, input_dataset.element_spec, (input_dataset,))


def _spec_of(dataset: Any) -> Any:
    """What the user's class says of the elements; None if it says so by older names."""
    says_so = type(dataset).element_spec is not DatasetBase.element_spec
    return dataset.element_spec if says_so else None
