"""Datasets of what is in files: of records, lines of text, and rows of SQLite databases."""

from __future__ import annotations

from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.library.datasets import element_nest
from dataflow.library.datasets.base import DatasetBase
from dataflow.library.datasets.dataset import Dataset
from dataflow.library.datasets.nodes import dataset_node, number, text
from dataflow.library.datasets.source_methods import slices
from dataflow.library.datasets.specs import TensorSpec
from dataflow.library.datasets.transformations import parallel_interleave
from dataflow.ops.array.shape import reshape
from dataflow.values import dtypes

_BUFFER = 256 * 1024
_SPEC = TensorSpec([], dtypes.string)


class _FileDataset(Dataset):
    """Reads files one after the other, or some at a time."""

    def _set_files(self, filenames: Any, num_parallel_reads: Any, name: str | None) -> None:
        if isinstance(filenames, DatasetBase):
            files: Any = filenames
            if files.element_spec.dtype != dtypes.string:
                raise TypeError("`filenames` must be a `tf.data.Dataset` of `tf.string` elements.")
            if not files.element_spec.shape.is_compatible_with([]):
                raise TypeError(
                    "`filenames` must be a `tf.data.Dataset` of scalar `tf.string` elements."
                )
        else:
            names = convert_to_tensor(filenames, dtype_hint=dtypes.string)
            if names.dtype != dtypes.string:
                raise TypeError(
                    "The `filenames` argument must contain `tf.string` elements. Got "
                    f"`{names.dtype!r}` elements."
                )
            files = slices(reshape(names, [-1], name="flat_filenames"), is_files=True)

        def read_one_file(filename: Any) -> Any:
            return DatasetBase._made(self._read(filename), _SPEC)

        if num_parallel_reads is None:
            made = files.flat_map(read_one_file, name=name)
        elif num_parallel_reads == -1:
            made = files.interleave(read_one_file, num_parallel_calls=num_parallel_reads, name=name)
        else:
            made = files.apply(parallel_interleave(read_one_file, num_parallel_reads))
        self._set(made._variant_tensor, _SPEC, (files,))

    def _read(self, filename: Any) -> Any:
        raise NotImplementedError

    def _inputs(self) -> list[Any]:
        """None: what names the files does not count."""
        return []


class TFRecordDataset(_FileDataset):
    """The records of record files, each a string.

    Args:
      filenames: A name, a list or tensor of names, or a dataset of names.
      compression_type: "", "ZLIB" or "GZIP"; None for "".
      buffer_size: How many bytes are read at a time.
      num_parallel_reads: How many files are read at a time; None for one after the other.
      name: Name of the operation.

    Raises:
      TypeError: Names are no strings.
    """

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        self._compression, self._size = compression_type, buffer_size
        self._set_files(filenames, num_parallel_reads, name)

    def _inputs(self) -> list[Any]:
        """The dataset that names the files."""
        return list(self._sources)

    def _read(self, filename: Any) -> Any:
        return apply_op(
            "TFRecordDataset",
            filename,
            text(self._compression, "compression_type"),
            number(self._size, "buffer_size", _BUFFER),
        )


class TextLineDataset(_FileDataset):
    """The lines of text files, without what ends them.

    Args:
      filenames: A name, a list or tensor of names, or a dataset of names.
      compression_type: "", "ZLIB" or "GZIP"; None for "".
      buffer_size: How many bytes are read at a time.
      num_parallel_reads: How many files are read at a time; None for one after the other.
      name: Name of the operation.

    Raises:
      TypeError: Names are no strings.
    """

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        self._compression, self._size = compression_type, buffer_size
        self._set_files(filenames, num_parallel_reads, name)

    def _read(self, filename: Any) -> Any:
        return apply_op(
            "TextLineDataset",
            filename,
            text(self._compression, "compression_type"),
            number(self._size, "buffer_size", _BUFFER),
        )


class FixedLengthRecordDataset(_FileDataset):
    """Pieces of files, all of one length, each a string.

    Args:
      filenames: A name, a list or tensor of names, or a dataset of names.
      record_bytes: How long a piece is: scalar int64.
      header_bytes: How many bytes stand before the first piece; None for 0.
      footer_bytes: How many bytes stand behind the last one; None for 0.
      buffer_size: How many bytes are read at a time.
      compression_type: "", "ZLIB" or "GZIP"; None for "".
      num_parallel_reads: How many files are read at a time; None for one after the other.
      name: Name of the operation.

    Raises:
      TypeError: Names are no strings.
    """

    def __init__(
        self,
        filenames: Any,
        record_bytes: Any,
        header_bytes: Any = None,
        footer_bytes: Any = None,
        buffer_size: Any = None,
        compression_type: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        self._compression, self._size = compression_type, buffer_size
        self._parts = record_bytes, header_bytes, footer_bytes
        self._set_files(filenames, num_parallel_reads, name)

    def _read(self, filename: Any) -> Any:
        record, header, footer = self._parts
        size = number(record, "record_bytes")
        return apply_op(
            "FixedLengthRecordDatasetV2",
            filename,
            number(header, "header_bytes", 0),
            size,
            number(footer, "footer_bytes", 0),
            number(self._size, "buffer_size", _BUFFER),
            text(self._compression, "compression_type"),
        )


class SqlDataset(Dataset):
    """The rows that a query of an SQLite database gives, a tuple of scalars for each.

    Args:
      driver_name: The kind of database: "sqlite".
      data_source_name: The file.
      query: What is asked, in SQL.
      output_types: A tuple of the columns' types: string, bool, float64, or an integer of up to 64
        bits.
    """

    def __init__(
        self, driver_name: Any, data_source_name: Any, query: Any, output_types: Any
    ) -> None:
        spec = element_nest.map_atoms(lambda dtype: TensorSpec([], dtype), output_types)
        named = {"driver_name": driver_name, "data_source_name": data_source_name, "query": query}
        given = [convert_to_tensor(v, dtype=dtypes.string, name=k) for k, v in named.items()]
        self._set(dataset_node("SqlDataset", spec, *given), spec, ())
