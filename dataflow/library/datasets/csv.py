"""tf.data.experimental.CsvDataset and make_csv_dataset: the records of CSV files."""

from __future__ import annotations

import csv
import gzip
import itertools
import zlib
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.library.datasets import structures
from dataflow.library.datasets.dataset import Dataset
from dataflow.library.datasets.nodes import flag, number, text
from dataflow.library.datasets.specs import TensorSpec
from dataflow.library.datasets.transformations import parallel_interleave
from dataflow.records.globs import matching_paths
from dataflow.values import dtypes

_BUFFER: Final = 4 * 1024 * 1024
_SUPPORTED: Final = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string)


class CsvDataset(Dataset):
    """The records of CSV files, a scalar for each column.

    Args:
      filenames: Names of files: a string, a list or a tensor.
      record_defaults: For each column that is taken its type, or what stands for a missing value.
      compression_type: "", "ZLIB" or "GZIP"; None for "".
      buffer_size: How many bytes are read at a time.
      header: Whether files begin with names of columns.
      field_delim: What separates fields.
      use_quote_delim: Whether fields may stand between quotes.
      na_value: What stands for a missing value, beside an empty field.
      select_cols: Columns that are taken, rising; all if None.
      exclude_cols: In its place, columns that are left out.

    Raises:
      ValueError: Both are given.
    """

    def __init__(
        self,
        filenames: Any,
        record_defaults: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        header: Any = False,
        field_delim: Any = ",",
        use_quote_delim: Any = True,
        na_value: Any = "",
        select_cols: Any = None,
        exclude_cols: Any = None,
    ) -> None:
        names = text(filenames, "filenames")
        compression = text(compression_type, "compression_type")
        defaults = [_default(value) for value in record_defaults]
        size = number(buffer_size, "buffer_size", _BUFFER)
        spec = tuple(TensorSpec([], tensor.dtype) for tensor in defaults)
        variant = apply_op(
            "CSVDatasetV2",
            names,
            compression,
            size,
            flag(header, "header"),
            text(field_delim, "field_delim"),
            flag(use_quote_delim, "use_quote_delim"),
            text(na_value, "na_value"),
            number([] if select_cols is None else select_cols, "select_cols"),
            defaults,
            number([] if exclude_cols is None else exclude_cols, "exclude_cols"),
            output_shapes=structures.flat_shapes(spec),
        )
        self._set(variant, spec, ())


def _default(value: Any) -> Tensor:
    try:
        dtype = dtypes.as_dtype(value)
    except TypeError:
        return convert_to_tensor(value)
    return convert_to_tensor([], dtype=dtype)


def make_csv_dataset(
    file_pattern: Any,
    batch_size: Any,
    column_names: Any = None,
    column_defaults: Any = None,
    label_name: Any = None,
    select_columns: Any = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: Any = None,
    shuffle: bool = True,
    shuffle_buffer_size: Any = 10000,
    shuffle_seed: Any = None,
    prefetch_buffer_size: Any = None,
    num_parallel_reads: Any = None,
    sloppy: bool = False,
    num_rows_for_inference: Any = 100,
    compression_type: Any = None,
    ignore_errors: bool = False,
    encoding: str = "utf-8",
) -> Any:
    """Batches of the records of CSV files, by the names of their columns.

    Args:
      file_pattern: Names or patterns of files: a string or a list.
      batch_size: How many records a batch has.
      column_names: Names of the columns; those in the first line if None.
      column_defaults: For each column that is taken its type or what stands for a missing value;
        guessed from the first records if None.
      label_name: The column that is given apart from the others.
      select_columns: Names or numbers of the columns that are taken; all if None.
      field_delim: What separates fields.
      use_quote_delim: Whether fields may stand between quotes.
      na_value: What stands for a missing value, beside an empty field.
      header: Whether files begin with names of columns.
      num_epochs: How many times all are read; without end if None.
      shuffle: Whether they come in a random order.
      shuffle_buffer_size: Among how many records the next one is chosen.
      shuffle_seed: Decides on the order.
      prefetch_buffer_size: How many batches are made ahead; a good number if None.
      num_parallel_reads: How many files are read at a time; one if None.
      sloppy: Whether records may come out of order; here they never do.
      num_rows_for_inference: How many records are read to guess types; all if None.
      compression_type: "", "ZLIB" or "GZIP"; None for "".
      ignore_errors: Whether what is wrong in files is left out.
      encoding: Of the files.

    Returns:
      A dataset of dictionaries of batches by name of the column, or of pairs of such a dictionary
      and the label's batch.

    Raises:
      ValueError: No file matches, names are missing or come twice, or something does not fit.
    """
    if num_parallel_reads is None:
        num_parallel_reads = 1
    if prefetch_buffer_size is None:
        prefetch_buffer_size = -1
    files = _files(file_pattern)
    dataset: Any = Dataset.from_tensor_slices(files)
    if shuffle:
        dataset = dataset.shuffle(len(files), shuffle_seed)
    form: dict[str, Any] = {"delimiter": field_delim, "quoting": csv.QUOTE_MINIMAL}
    if not use_quote_delim:
        form["quoting"] = csv.QUOTE_NONE

    def lines(name: str) -> Iterable[list[str]]:
        opened: Any = gzip.open if compression_type == "GZIP" else open
        if compression_type == "ZLIB":
            with open(name, "rb") as packed:
                text_of = zlib.decompress(packed.read()).decode(encoding)
            return csv.reader(text_of.splitlines(), **form)
        with opened(name, "rt", encoding=encoding, newline="") as file:
            return list(csv.reader(file, **form))

    if compression_type not in (None, "", "GZIP", "ZLIB"):
        raise ValueError(
            f"Received unknown `compression_type` {compression_type}. Expected: GZIP, ZLIB or  "
            "(empty string)."
        )
    if column_names is None:
        if not header:
            raise ValueError("Cannot infer column names without a header line.")
        column_names = _names(files, lines)
    if len(column_names) != len(set(column_names)):
        raise ValueError("Cannot have duplicate column names.")
    columns = None
    if select_columns is not None:
        columns = _columns(select_columns, column_names)
    if column_defaults is not None:
        defaults = list(column_defaults)
    else:
        rows = (row for name in files for row in itertools.islice(lines(name), int(header), None))
        wanted = columns if columns is not None else list(range(len(column_names)))
        few = itertools.islice(rows, num_rows_for_inference)
        defaults = _guessed(few, wanted, na_value, len(column_names))
    if columns is not None and len(columns) != len(defaults):
        raise ValueError("If specified, column_defaults and select_columns must have same length.")
    names = column_names if columns is None else [column_names[i] for i in columns]
    if label_name is not None and label_name not in names:
        raise ValueError("`label_name` provided must be one of the columns.")

    def read(filename: Any) -> Any:
        made: Any = CsvDataset(
            filename,
            record_defaults=defaults,
            field_delim=field_delim,
            use_quote_delim=use_quote_delim,
            na_value=na_value,
            select_cols=columns,
            header=header,
            compression_type=compression_type,
        )
        return made.ignore_errors() if ignore_errors else made

    def named(*parts: Any) -> Any:
        features = OrderedDict(zip(names, parts, strict=True))
        if label_name is None:
            return features
        label = features.pop(label_name)
        return features, label

    dataset = dataset.apply(parallel_interleave(read, num_parallel_reads, sloppy=sloppy))
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        dataset = dataset.repeat(num_epochs)
    dataset = dataset.batch(batch_size=batch_size, drop_remainder=num_epochs is None)
    return dataset.map(named).prefetch(prefetch_buffer_size)


def _files(file_pattern: Any) -> list[str]:
    patterns = [file_pattern] if isinstance(file_pattern, str) else list(file_pattern)
    if not patterns:
        raise ValueError("File pattern is empty.")
    found = [name for pattern in patterns for name in matching_paths(pattern)]
    if not found:
        raise ValueError(f"No files match `file_pattern` {file_pattern}.")
    return sorted(found)


def _names(files: Sequence[str], lines: Any) -> list[str]:
    rows = [next(iter(lines(name)), None) for name in files]
    first: list[str] | None = rows[0]
    if first is None or None in rows:
        raise ValueError(
            f"Received StopIteration when reading the header line of {files[0]}.  Empty file?"
        )
    if any(row != first for row in rows):
        raise ValueError("Files have different column names in the header row.")
    return first


def _columns(selected: Sequence[Any], names: Sequence[str]) -> list[int]:
    if not selected:
        raise ValueError("Argument `select_columns` cannot be empty.")
    if len(selected) != len(set(selected)):
        raise ValueError("select_columns contains duplicate columns")
    for column in selected:
        if isinstance(column, str) and column not in names:
            raise ValueError(
                f"Value '{column}' specified in select_columns not a valid column index or name."
            )
        if not isinstance(column, str) and not 0 <= column < len(names):
            raise ValueError(
                f"Column index {column} specified in select_columns out of valid range."
            )
    return sorted(names.index(c) if isinstance(c, str) else c for c in selected)


def _guessed(
    rows: Iterable[Sequence[str]], columns: Sequence[int], absent: str, count: int
) -> list[Any]:
    """Zeros of the narrowest types that the fields of some records fit, and empty strings."""
    found: list[int] = [-1] * len(columns)
    order = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64, dtypes.string)
    for row in rows:
        if len(row) != count:
            raise ValueError(
                "Problem inferring types: CSV row has different number of fields than expected."
            )
        for place, column in enumerate(columns):
            field = row[column]
            if field not in ("", absent):
                found[place] = max(found[place], _kind(field))
    chosen = [order[kind] if kind >= 0 else dtypes.string for kind in found]
    return [convert_to_tensor([""] if t == dtypes.string else [0], dtype=t) for t in chosen]


def _kind(field: str) -> int:
    try:
        value = int(field)
    except ValueError:
        try:
            number_of = float(field)
        except ValueError:
            return 4
        return 2 if abs(number_of) < np.finfo(np.float32).max else 3
    return 0 if abs(value) < 1 << 31 else 1 if abs(value) < 1 << 63 else 4
