"""What reads time series: from arrays, from lines of text and from records."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.timeseries.arrays import canonicalize_numpy_data
from dataflow.contrib.timeseries.feature_keys import TIMES, VALUES
from dataflow.control_flow.cond import cond
from dataflow.control_flow.tensor_array import TensorArray
from dataflow.control_flow.while_loop import while_loop
from dataflow.estimation.array_inputs import numpy_input_fn
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.keys import GraphKeys
from dataflow.graph.scopes import control_dependencies
from dataflow.library.parsing.examples import parse_example
from dataflow.library.readers.readers import TextLineReader, TFRecordReader
from dataflow.ops.array.concat import stack
from dataflow.ops.array.fill import zeros
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.identity import identity
from dataflow.ops.math.compare import not_equal
from dataflow.ops.parsing.csv import decode_csv
from dataflow.ops.state.reference import assign
from dataflow.training.inputs.producers import string_input_producer
from dataflow.values import dtypes
from dataflow.variables.variable import Variable, is_variable_initialized


class TimeSeriesReader(ABC):
    """Reads a series piece by piece or as a whole, as a dictionary of tensors."""

    def check_dataset_size(self, minimum_dataset_size: int) -> None:
        """Raises ValueError if it is known that there are fewer times than that."""
        del minimum_dataset_size  # Most readers know no size.

    @abstractmethod
    def read(self) -> dict[str, Any]:
        """Some times after those that were read before; from the beginning again after the end."""

    @abstractmethod
    def read_full(self) -> dict[str, Any]:
        """The whole series."""


class NumpyReader(TimeSeriesReader):
    """Reads arrays, which do not become part of the graph."""

    def __init__(self, data: Mapping[str, Any], read_num_records_hint: int = 4096) -> None:
        """Takes the arrays.

        Args:
          data: "times" and "values", and perhaps other features, of one series.
          read_num_records_hint: How many times are read at once.

        Raises:
          ValueError: They are not there, or have other shapes.
        """
        self._features = canonicalize_numpy_data(data, require_single_batch=True)
        self._read_num_records_hint = read_num_records_hint

    def check_dataset_size(self, minimum_dataset_size: int) -> None:
        """See `TimeSeriesReader`."""
        size = self._features[TIMES].shape[1]
        if size < minimum_dataset_size:
            raise ValueError(
                f"A TimeSeriesInputFn is configured to create windows of size "
                f"{minimum_dataset_size}, but only {size} records were available in the dataset. "
                "Either decrease the window size or provide more records."
            )

    def read(self) -> dict[str, Any]:
        """See `TimeSeriesReader`."""
        found: dict[str, Any] = numpy_input_fn(
            x={key: np.squeeze(value, axis=0) for key, value in self._features.items()},
            batch_size=self._read_num_records_hint,
            num_epochs=None,
            shuffle=False,
        )()
        return found

    def read_full(self) -> dict[str, Any]:
        """See `TimeSeriesReader`."""
        # An element of the queue is the whole series.
        found = numpy_input_fn(
            x=self._features, batch_size=1, num_epochs=None, queue_capacity=2, shuffle=False
        )()
        return {key: array_shape.squeeze(value, axis=0) for key, value in found.items()}


class ReaderBaseTimeSeriesParser(TimeSeriesReader):
    """Reads records of files, which a subclass parses."""

    def __init__(self, filenames: Any, read_num_records_hint: int = 4096) -> None:
        """Takes the files.

        Args:
          filenames: A name, or several.
          read_num_records_hint: How many records are read at once.
        """
        self._filenames = filenames
        self._read_num_records_hint = read_num_records_hint

    @abstractmethod
    def _get_reader(self) -> Any:
        """A new reader of records."""

    @abstractmethod
    def _process_records(self, lines: Any) -> dict[str, Any]:
        """The features of some records."""

    def _get_filename_queue(self, epoch_limit: int) -> tuple[Any, Any]:
        """A queue of the names, and what counts how often all were read.

        Files without a record would be read for ever: the count ends that. Who finds a record
        begins it anew.
        """
        limiter = Variable(
            constant(0, dtype=dtypes.int64),
            name="epoch_limiter",
            trainable=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
        )
        names = array_shape.reshape(convert_to_tensor(self._filenames), [-1])
        counted = cond(
            is_variable_initialized(limiter),
            lambda: limiter.count_up_to(epoch_limit),
            lambda: constant(0, dtype=dtypes.int64),
        )
        with control_dependencies([counted]):
            names = identity(names)
        return string_input_producer(names, shuffle=False, capacity=1), limiter

    def read(self) -> dict[str, Any]:
        """See `TimeSeriesReader`."""
        queue, limiter = self._get_filename_queue(epoch_limit=self._read_num_records_hint)
        reader = self._get_reader()
        with control_dependencies([assign(limiter, 0)]):
            _, records = reader.read_up_to(queue, self._read_num_records_hint)
        return self._process_records(records)

    def read_full(self) -> dict[str, Any]:
        """See `TimeSeriesReader`."""
        reader = self._get_reader()
        queue, limiter = self._get_filename_queue(epoch_limit=2)
        with control_dependencies([assign(limiter, 0)]):
            first_key, first_value = reader.read_up_to(queue, 1)

        def is_another(key: Any, *_: Any) -> Any:
            return not_equal(
                array_shape.squeeze(key, axis=0), array_shape.squeeze(first_key, axis=0)
            )

        def read_next(_: Any, value: Any, index: Any, collected: Any) -> Any:
            new_key, new_value = reader.read_up_to(queue, 1)
            new_key.set_shape([1])
            new_value.set_shape([1])
            return new_key, new_value, index + 1, collected.write(index, value)

        collected = TensorArray(dtype=dtypes.string, size=0, dynamic_size=True)
        *_, collected = while_loop(
            is_another, read_next, [constant([""]), first_value, 0, collected]
        )
        records = collected.concat()
        with control_dependencies([records]):
            reset = reader.reset()
        with control_dependencies([reset]):
            records = identity(records)
        return self._process_records(records)


class CSVReader(ReaderBaseTimeSeriesParser):
    """Reads files whose lines have numbers with commas between."""

    def __init__(
        self,
        filenames: Any,
        column_names: Sequence[str] = (TIMES, VALUES),
        column_dtypes: Sequence[Any] | None = None,
        skip_header_lines: int | None = None,
        read_num_records_hint: int = 4096,
    ) -> None:
        """Takes the files, and what stands in their lines.

        Args:
          filenames: A name, or several.
          column_names: The feature of each column; several may be "values".
          column_dtypes: The type of each; int64 for times and float32 for others if None.
          skip_header_lines: How many lines a file begins with that are left out.
          read_num_records_hint: How many lines are read at once.

        Raises:
          ValueError: There are no times or values, or times twice, or not as many types.
        """
        _check_required(column_names)
        if column_dtypes is not None and len(column_dtypes) != len(column_names):
            raise ValueError(
                "If specified, the length of column_dtypes must match the length of column_names "
                f"(got column_dtypes={column_dtypes} and column_names={column_names})."
            )
        if list(column_names).count(TIMES) != 1:
            raise ValueError(
                f"Got more than one times column ('{TIMES}'), but exactly one is required."
            )
        self._column_names = column_names
        self._column_dtypes = column_dtypes
        self._skip_header_lines = skip_header_lines
        super().__init__(filenames, read_num_records_hint)

    def _get_reader(self) -> Any:
        return TextLineReader(skip_header_lines=self._skip_header_lines)

    def _process_records(self, lines: Any) -> dict[str, Any]:
        defaults: list[Any]
        if self._column_dtypes is None:
            defaults = [
                (zeros([], dtypes.int64),) if name == TIMES else () for name in self._column_names
            ]
        else:
            defaults = [(zeros([], dtype),) for dtype in self._column_dtypes]
        columns: dict[str, list[Any]] = {}
        for name, value in zip(self._column_names, decode_csv(lines, defaults), strict=True):
            columns.setdefault(name, []).append(value)
        return {
            name: values[0] if name == TIMES else stack(values, axis=1)
            for name, values in columns.items()
        }


class TFExampleReader(ReaderBaseTimeSeriesParser):
    """Reads files of records that are Examples."""

    def __init__(self, filenames: Any, features: Mapping[str, Any]) -> None:
        """Takes the files, and what `tf.io.parse_example` is to take of an Example.

        Raises:
          ValueError: There are no times or values.
        """
        _check_required(features)
        self._features = features
        super().__init__(filenames)

    def _get_reader(self) -> Any:
        return TFRecordReader()

    def _process_records(self, lines: Any) -> dict[str, Any]:
        found: dict[str, Any] = parse_example(serialized=lines, features=self._features)
        return found


def _check_required(names: Any) -> None:
    for name in (TIMES, VALUES):
        if name not in names:
            raise ValueError(f"'{name}' is a required column.")
