"""Datasets of the features of serialized examples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dataflow.graph.apply_op import apply_op
from dataflow.library.datasets.base import DatasetBase
from dataflow.library.datasets.dataset import Dataset
from dataflow.library.datasets.elementwise import deterministic_text
from dataflow.library.datasets.nodes import AUTOTUNE, described, number
from dataflow.library.datasets.readers import TFRecordDataset
from dataflow.library.datasets.settings.options import Options
from dataflow.library.datasets.specs import SparseTensorSpec, TensorSpec
from dataflow.library.datasets.transformations import Transformation, parallel_interleave
from dataflow.library.parsing.composites import assembled
from dataflow.library.parsing.configs import RaggedFeature, SparseFeature
from dataflow.library.parsing.examples import parameters_of
from dataflow.library.parsing.parameters import Parameters
from dataflow.library.ragged.spec import RaggedTensorSpec
from dataflow.library.readers.reader_base import ReaderBase
from dataflow.values import dtypes


def parse_example_dataset(
    features: Mapping[str, Any], num_parallel_calls: Any = 1, deterministic: bool | None = None
) -> Transformation:
    """The features of vectors of serialized `Example` messages, in dictionaries.

    Args:
      features: Keys, and what their features are expected to be, as for `tf.io.parse_example`.
      num_parallel_calls: How many vectors are parsed at a time: scalar int64.
      deterministic: Whether elements keep their order; here they always do.

    Returns:
      A function for `Dataset.apply`. It raises TypeError for a dataset of other elements.

    Raises:
      ValueError: There are no features.
    """
    if features is None:
        raise ValueError("Argument `features` is required, but not specified.")

    def apply(dataset: Any) -> Any:
        if not TensorSpec([None], dtypes.string).is_compatible_with(dataset.element_spec):
            raise TypeError(
                "Input dataset should be a dataset of vectors of strings. Instead it is "
                f"`{dataset.element_spec}`."
            )
        asked = parameters_of(features)
        spec = _spec(asked, dataset.element_spec.shape)
        variant = apply_op(
            "ParseExampleDatasetV2",
            dataset._variant_tensor,
            number(num_parallel_calls, "num_parallel_calls"),
            asked.default_tensors(),
            sparse_keys=asked.sparse_keys,
            dense_keys=asked.dense_keys,
            sparse_types=asked.sparse_types,
            dense_shapes=asked.dense_shapes,
            deterministic=deterministic_text(deterministic),
            ragged_keys=asked.ragged_keys,
            ragged_value_types=asked.ragged_value_types,
            ragged_split_types=asked.ragged_split_types,
            **described(spec),
        )
        made = DatasetBase._made(variant, spec, dataset)
        if any(isinstance(each, (SparseFeature, RaggedFeature)) for each in features.values()):
            made = made.map(
                lambda found: assembled(features, found), num_parallel_calls=num_parallel_calls
            )
        return made

    return apply


def _spec(asked: Parameters, batch: Any) -> dict[str, Any]:
    spec: dict[str, Any] = {}
    rows = batch.concatenate([None])
    for key, dtype in zip(asked.sparse_keys, asked.sparse_types, strict=True):
        spec[key] = SparseTensorSpec(rows, dtype)
    dense = zip(asked.dense_keys, asked.dense_types, asked.dense_shapes, strict=True)
    for key, dtype, shape in dense:
        spec[key] = TensorSpec(batch.concatenate(shape), dtype)
    ragged = zip(asked.ragged_keys, asked.ragged_value_types, asked.ragged_split_types, strict=True)
    for key, dtype, splits in ragged:
        spec[key] = RaggedTensorSpec(rows, dtype, 1, splits)
    return spec


def make_batched_features_dataset(
    file_pattern: Any,
    batch_size: Any,
    features: Mapping[str, Any],
    reader: Callable[..., Any] | None = None,
    label_key: str | None = None,
    reader_args: Any = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: Any = 10000,
    shuffle_seed: Any = None,
    prefetch_buffer_size: Any = None,
    reader_num_threads: Any = None,
    parser_num_threads: Any = None,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> Any:
    """Batches of the features of the `Example` messages in files.

    Args:
      file_pattern: Names or patterns of files: a string or a list.
      batch_size: How many messages a batch has.
      features: Keys, and what their features are expected to be, as for `tf.io.parse_example`.
      reader: Makes a dataset of messages, or of pairs of a key and a message, of a file's name;
        `TFRecordDataset` if None.
      label_key: The feature that is given apart from the others.
      reader_args: Further arguments of the reader.
      num_epochs: How many times all files are read; without end if None.
      shuffle: Whether files and messages come in a random order.
      shuffle_buffer_size: Among how many messages the next one is chosen.
      shuffle_seed: Decides on the order.
      prefetch_buffer_size: How many batches are made ahead; a good number if None.
      reader_num_threads: How many files are read at a time; one if None.
      parser_num_threads: How many batches are parsed at a time; two if None.
      sloppy_ordering: Whether messages may come out of order; here they never do.
      drop_final_batch: Whether a last batch with fewer messages is left out.

    Returns:
      A dataset of dictionaries of features, or of pairs of such a dictionary and the label.

    Raises:
      TypeError: The reader is a queue's.
      ValueError: The label is no feature.
    """
    dataset: Any = Dataset.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)
    if isinstance(reader, type) and issubclass(reader, ReaderBase):
        raise TypeError(
            "The `reader` argument must return a `Dataset` object. `tf.ReaderBase` subclasses are "
            "not supported. For example, pass `tf.data.TFRecordDataset` instead of "
            "`tf.TFRecordReader`."
        )
    read: Any = reader or TFRecordDataset
    threads = 1 if reader_num_threads is None else reader_num_threads

    def messages_of(filename: Any) -> Any:
        return read(filename, *(reader_args or ()))

    if threads == AUTOTUNE:
        options = Options()
        options.deterministic = not sloppy_ordering
        dataset = dataset.interleave(messages_of, num_parallel_calls=threads)
        dataset = dataset.with_options(options)
    else:
        dataset = dataset.apply(parallel_interleave(messages_of, threads, sloppy=sloppy_ordering))
    if dataset.output_types == (dtypes.string, dtypes.string):
        dataset = dataset.map(lambda _, message: message)
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        dataset = dataset.repeat(num_epochs)
    dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    parsers = np.int64(2 if parser_num_threads is None else parser_num_threads)
    dataset = dataset.apply(parse_example_dataset(features, num_parallel_calls=parsers))
    if label_key:
        if label_key not in features:
            raise ValueError(
                f"The `label_key` provided ({label_key!r}) must be one of the `features` keys."
            )
        dataset = dataset.map(lambda found: (found, found.pop(label_key)))
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)
