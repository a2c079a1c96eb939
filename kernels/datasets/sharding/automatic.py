"""Finds where a pipeline is to be divided, and makes one that is."""

from __future__ import annotations

import copy
import enum
from typing import Final

from dataflow.errors import NotFoundError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.datasets.batching import (
    BatchDataset,
    UnbatchDataset,
    WindowDataset,
)
from dataflow.kernels.datasets.buffering import PrefetchDataset
from dataflow.kernels.datasets.caching import FileCacheDataset, MemoryCache, MemoryCacheDataset
from dataflow.kernels.datasets.choosing import (
    ConcatenateDataset,
    RepeatDataset,
    ShardDataset,
    SkipDataset,
    TakeDataset,
    ZipDataset,
)
from dataflow.kernels.datasets.dataset import Dataset
from dataflow.kernels.datasets.interleaving import FlatMapDataset, InterleaveDataset
from dataflow.kernels.datasets.mapping import FilterDataset, MapDataset, TakeWhileDataset
from dataflow.kernels.datasets.parsing import ParseExampleDataset
from dataflow.kernels.datasets.passing import PassingDataset
from dataflow.kernels.datasets.readers import FileDataset
from dataflow.kernels.datasets.rebatching import RebatchDataset, SplitBatchesDataset
from dataflow.kernels.datasets.shuffling import ShuffleDataset

_READER_OPS: Final = frozenset(
    {
        "FixedLengthRecordDataset",
        "FixedLengthRecordDatasetV2",
        "TextLineDataset",
        "TFRecordDataset",
        "TFRecordDatasetV2",
    }
)
_CALLING: Final = (FlatMapDataset, InterleaveDataset, MapDataset)
_JOINING: Final = (ConcatenateDataset, ZipDataset)
_PASSING: Final = (
    *_CALLING,
    BatchDataset,
    FileCacheDataset,
    FilterDataset,
    MemoryCacheDataset,
    ParseExampleDataset,
    PassingDataset,
    PrefetchDataset,
    RebatchDataset,
    RepeatDataset,
    ShardDataset,
    ShuffleDataset,
    SkipDataset,
    SplitBatchesDataset,
    TakeDataset,
    UnbatchDataset,
    WindowDataset,
)
"""Those whose elements are divided when those that they are made of are."""


class Policy(enum.IntEnum):
    """By what a pipeline is divided: the numbers of `tf.data.experimental.AutoShardPolicy`."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


def by_file(dataset: Dataset, count: int, place: int) -> Dataset:
    """A pipeline of each so many-th file only.

    Files are left out of the elements that a function makes readers of; what shuffles these
    shuffles those that are left. A reader that is no function's has its names from no dataset.

    Args:
      dataset: The last stage.
      count: How many workers there are.
      place: Which of them this one is.

    Raises:
      NotFoundError: A source reads no files.
    """
    if isinstance(dataset, _CALLING) and dataset.function.function.ops() & _READER_OPS:
        return _with_inputs(dataset, _divided(dataset.inputs[0], count, place))
    if not dataset.inputs and not isinstance(dataset, FileDataset):
        raise _without_files(f"Found an unshardable source dataset: {dataset.kind}")
    if not isinstance(dataset, (*_PASSING, *_JOINING)) or isinstance(dataset, TakeWhileDataset):
        raise _without_files(
            "Did not find a shardable source, walked to a node which is not a dataset: "
            f"{dataset.kind}"
        )
    return _with_inputs(dataset, *(by_file(each, count, place) for each in dataset.inputs))


def _without_files(text: str) -> NotFoundError:
    return NotFoundError(
        None, None, f"{text}Dataset. AutoShardPolicy.DATA would divide its elements instead."
    )


def by_hint(dataset: Dataset, count: int, place: int) -> Dataset:
    """A pipeline whose shards that say `SHARD_HINT` are a worker's; functions keep theirs."""
    inputs = [by_hint(each, count, place) for each in dataset.inputs]
    if isinstance(dataset, ShardDataset) and dataset.is_hint:
        (source,) = inputs
        needs = dataset.require_non_empty
        return ShardDataset(dataset.types, dataset.shapes, source, count, place, needs)
    if all(new is old for new, old in zip(inputs, dataset.inputs, strict=True)):
        return dataset
    return _with_inputs(dataset, *inputs)


def by_element(dataset: Dataset, count: int, place: int, replicas: int) -> Dataset:
    """Each so many-th element of a pipeline.

    Where its last stage cuts batches to sizes that are taken in turns, batches are cut evenly for
    the replicas of all workers: a worker would get sizes that are another's.

    Raises:
      InvalidArgumentError: Batches are cut, and there is no number of replicas.
    """
    if isinstance(dataset, PrefetchDataset):
        source = by_element(dataset.inputs[0], count, place, replicas)
        return _with_inputs(dataset, source)
    if isinstance(dataset, RebatchDataset):
        if replicas < 1:
            raise invalid(
                "Cannot rewrite RebatchDatasetV2 to legacy RebatchDataset with invalid "
                f"num_replicas argument. `num_replicas` is {replicas}, but expected to be >= 1."
            )
        dataset = SplitBatchesDataset(dataset.types, dataset.shapes, dataset.inputs[0], replicas)
    return ShardDataset(dataset.types, dataset.shapes, dataset, count, place)


def divided(dataset: Dataset, policy: int, count: int, place: int, replicas: int) -> Dataset:
    """One worker's part of a pipeline.

    Args:
      dataset: The last stage.
      policy: The number of a `Policy`.
      count: How many workers there are.
      place: Which of them this one is.
      replicas: How many replicas all workers have.

    Raises:
      NotFoundError: A source reads no files, and these are to be divided.
      InvalidArgumentError: There is no such policy, or batches are cut for an unknown number of
        replicas.
    """
    match policy:
        case Policy.OFF:
            return dataset
        case Policy.HINT:
            return by_hint(dataset, count, place)
        case Policy.DATA:
            return by_element(dataset, count, place, replicas)
        case Policy.FILE:
            return dataset if count == 1 else by_file(dataset, count, place)
        case Policy.AUTO:
            try:
                return by_file(dataset, count, place)
            except NotFoundError:
                return by_element(dataset, count, place, replicas)
    raise invalid("auto_shard_policy is invalid.")


def _with_inputs(dataset: Dataset, *inputs: Dataset) -> Dataset:
    """The same stage of other ones, which keeps nothing of what the former gave it."""
    made = copy.copy(dataset)
    if isinstance(made, MemoryCacheDataset):
        made.cache = MemoryCache()
    made.inputs = inputs
    return made


def _divided(names: Dataset, count: int, place: int) -> Dataset:
    """Each so many-th name, in an order of its own if the names are shuffled.

    Workers that shuffle each by themselves must not divide what comes of it: two of them could
    take the same file.
    """
    plain, last = _unshuffled(names)
    made: Dataset = ShardDataset(names.types, names.shapes, plain, count, place)
    return made if last is None else _with_inputs(last, made)


def _unshuffled(dataset: Dataset) -> tuple[Dataset, ShuffleDataset | None]:
    """A pipeline without what shuffles it, and the last stage that did."""
    if len(dataset.inputs) != 1:
        return dataset, None
    plain, last = _unshuffled(dataset.inputs[0])
    if isinstance(dataset, ShuffleDataset):
        return plain, dataset
    return (dataset, None) if last is None else (_with_inputs(dataset, plain), last)
