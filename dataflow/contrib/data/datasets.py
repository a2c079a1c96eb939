"""Datasets of tf.contrib.data as before tf.data: `map` is told of threads and buffers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.contrib.data.older import read_batch_features
from dataflow.library.datasets import dataset as _core
from dataflow.library.datasets import readers as _readers


class OlderMethods(_core.Dataset):
    """What methods took before tf.data; datasets that are made of others have them, too."""

    def map(  # type: ignore[override]
        self,
        map_func: Callable[..., Any],
        num_threads: Any = None,
        output_buffer_size: Any = None,
        num_parallel_calls: Any = None,
        **others: Any,
    ) -> Any:
        """What a function makes of each element.

        Args:
          map_func: Takes the components of an element; returns an element.
          num_threads: How many calls go on at a time; `num_parallel_calls` if None.
          output_buffer_size: How many elements are made beforehand.
          num_parallel_calls: How many calls go on at a time; None for one.
          others: See `tf.data.Dataset.map`.
        """
        calls = num_parallel_calls if num_threads is None else num_threads
        mapped = super().map(map_func, calls, **others)
        return mapped if output_buffer_size is None else mapped.prefetch(output_buffer_size)

    def dense_to_sparse_batch(self, batch_size: Any, row_shape: Any) -> Any:
        """Batches of elements of different shapes, as sparse tensors: `sparse_batch`."""
        return self.sparse_batch(batch_size, row_shape)


class Dataset(OlderMethods):
    """A stream of elements; `tf.data.Dataset` with the methods' older arguments."""

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Any:
        """See `tf.data.Dataset`, as for all that follow."""
        return _older(_core.Dataset.from_tensors(tensors, name))

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Any:
        return _older(_core.Dataset.from_tensor_slices(tensors, name))

    @staticmethod
    def from_sparse_tensor_slices(sparse_tensor: Any) -> Any:
        return _older(_core.Dataset.from_sparse_tensor_slices(sparse_tensor))

    @staticmethod
    def from_generator(*args: Any, **kwargs: Any) -> Any:
        return _older(_core.Dataset.from_generator(*args, **kwargs))

    @staticmethod
    def range(*args: Any, **kwargs: Any) -> Any:
        return _older(_core.Dataset.range(*args, **kwargs))

    @staticmethod
    def zip(*args: Any, **kwargs: Any) -> Any:
        return _older(_core.Dataset.zip(*args, **kwargs))

    @staticmethod
    def list_files(*args: Any, **kwargs: Any) -> Any:
        return _older(_core.Dataset.list_files(*args, **kwargs))

    read_batch_features = staticmethod(read_batch_features)


class TFRecordDataset(OlderMethods, _readers.TFRecordDataset):
    """The records of record files."""


class TextLineDataset(OlderMethods, _readers.TextLineDataset):
    """The lines of text files."""


class FixedLengthRecordDataset(OlderMethods, _readers.FixedLengthRecordDataset):
    """Records of one length."""


def _older(dataset: Any) -> Any:
    """The same dataset, whose methods take the older arguments."""
    return Dataset._made(dataset._variant_tensor, dataset.element_spec, dataset)


OlderMethods._plain = Dataset
