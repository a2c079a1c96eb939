"""Functions that tf.contrib.data had before others took their place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dataflow.library.datasets.dataset import Dataset
from dataflow.library.datasets.experimental.examples import make_batched_features_dataset
from dataflow.library.datasets.readers import TFRecordDataset
from dataflow.library.datasets.transformations import Transformation, parallel_interleave


def sloppy_interleave(
    map_func: Callable[..., Any], cycle_length: Any, block_length: Any = 1
) -> Transformation:
    """`parallel_interleave` whose elements may come out of order; here they never do."""
    return parallel_interleave(map_func, cycle_length, block_length, sloppy=True)


def reduce_dataset(dataset: Any, reducer: Any) -> Any:
    """What a `Reducer` makes of all elements, begun with key 0.

    Raises:
      TypeError: `dataset` is none.
    """
    if not isinstance(dataset, Dataset):
        raise TypeError("`dataset` must be a `tf.data.Dataset` object.")
    return dataset.reduce(reducer.init_func(np.int64(0)), reducer.reduce_func)


def read_batch_features(
    file_pattern: Any,
    batch_size: Any,
    features: Mapping[str, Any],
    reader: Callable[..., Any] = TFRecordDataset,
    reader_args: Any = None,
    randomize_input: bool = True,
    num_epochs: int | None = None,
    capacity: Any = 10000,
) -> Any:
    """The features of the next `Example` messages in files: tensors by key.

    Args:
      file_pattern: See `make_batched_features_dataset`, as for all that follow.
      batch_size: How many messages a step takes.
      features: Keys, and what their features are expected to be.
      reader: Makes a dataset of messages of a file's name.
      reader_args: Further arguments of the reader.
      randomize_input: Whether files and messages come in a random order.
      num_epochs: How many times all files are read; without end if None.
      capacity: Among how many messages the next one is chosen.
    """
    dataset = make_batched_features_dataset(
        file_pattern,
        batch_size,
        features,
        reader,
        reader_args=reader_args,
        num_epochs=num_epochs,
        shuffle=randomize_input,
        shuffle_buffer_size=capacity,
    )
    return dataset.make_one_shot_iterator().get_next()
