"""The dataset of the rows that a query of an SQLite database gives."""

from __future__ import annotations

import math
import os
import re
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any, Final
from urllib.parse import quote

import numpy as np

from dataflow.errors import FailedPreconditionError, OpError, UnknownError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.datasets.dataset import Dataset, Element, Stage
from dataflow.kernels.datasets.run import Run
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

_INTEGER: Final = re.compile(rb"\s*([+-]?\d+)")
_REAL: Final = re.compile(rb"\s*([+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)")
_LARGEST: Final = 2**63 - 1
_STEPS: Final = 10_000
"""Of SQLite's machine, between two looks whether the step was stopped."""
_INTEGERS: Final = (
    dtypes.int8,
    dtypes.int16,
    dtypes.int32,
    dtypes.int64,
    dtypes.uint8,
    dtypes.uint16,
)


def _whole(value: Any) -> int:
    """What SQLite gives for a value where 64 bits of an integer are asked for."""
    if value is None:
        return 0
    if isinstance(value, bytes):
        found = _INTEGER.match(value)
        value = int(found[1]) if found else 0
    elif isinstance(value, float):
        value = int(value) if math.isfinite(value) else math.copysign(_LARGEST + 1, value)
    return int(max(-_LARGEST - 1, min(value, _LARGEST)))


def _real(value: Any) -> Any:
    if isinstance(value, bytes):
        found = _REAL.match(value)
        value = float(found[1]) if found else 0.0
    return np.float64(0 if value is None else value)


def _text(value: Any) -> Any:
    if value is None:
        value = b""
    elif isinstance(value, float):
        mantissa, e, exponent = f"{value:.15g}".partition("e")
        dot = "" if "." in mantissa or not mantissa.strip("-").isdigit() else ".0"
        value = f"{mantissa}{dot}{e}{exponent}".encode()
    elif isinstance(value, int):
        value = str(value).encode()
    return np.array(value, object)


def _converter(dtype: DType) -> Callable[[Any], Any]:
    """Makes a component of a column's value, as SQLite converts it and C cuts it."""
    if dtype == dtypes.string:
        return _text
    if dtype == dtypes.float64:
        return _real
    if dtype == dtypes.bool:
        return lambda value: np.bool_(_whole(value) != 0)
    kind: Any = np.dtype(dtype.as_numpy_dtype).type
    return lambda value: np.array(_whole(value), np.int64).astype(kind)[()]


class SqlDataset(Dataset):
    """The rows of a query."""

    kind = "Sql"
    __slots__ = ("file", "query")

    def __init__(
        self, types: Sequence[DType], shapes: Sequence[TensorShape], file: bytes, query: bytes
    ) -> None:
        """Takes the file and the query."""
        super().__init__(types, shapes)
        self.file, self.query = file, query

    def start(self, run: Run) -> Stage:
        return _SqlStage(run, self)


def check_types(types: Sequence[DType]) -> None:
    """Refuses types that columns cannot have.

    Raises:
      InvalidArgumentError: There is one.
    """
    served = (*_INTEGERS, dtypes.bool, dtypes.float64, dtypes.string)
    if any(dtype not in served for dtype in types):
        raise invalid(
            "Each element of `output_types_` must be one of: DT_STRING, DT_INT8, DT_INT16, "
            "DT_INT32, DT_INT64, DT_UINT8, DT_UINT16, DT_BOOL, DT_DOUBLE "
        )


class _SqlStage(Stage):
    """Asks with the first row that is wanted."""

    __slots__ = ("_convert", "_dataset", "_rows")

    def __init__(self, run: Run, dataset: SqlDataset) -> None:
        super().__init__(run)
        self._dataset = dataset
        self._convert = [_converter(dtype) for dtype in dataset.types]
        self._rows: sqlite3.Cursor | None = None

    def next(self) -> Element | None:
        try:
            if self._rows is None:
                self._rows = self._opened()
            row = next(self._rows, None)
        except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
            self.run.check()
            raise self._failed(error) from None
        if row is None:
            return None
        return tuple(convert(value) for convert, value in zip(self._convert, row, strict=True))

    def _opened(self) -> sqlite3.Cursor:
        dataset, run = self._dataset, self.run
        place = f"file:{quote(dataset.file)}?mode=ro"
        try:
            connection = sqlite3.connect(place, uri=True, check_same_thread=False)
        except sqlite3.Error as error:
            raise FailedPreconditionError(
                None, None, f"Failed to open {os.fsdecode(dataset.file)}: {error}"
            ) from None
        connection.text_factory = bytes

        def is_stopped() -> bool:
            try:
                run.check()
            except OpError:
                return True
            return False

        connection.set_progress_handler(is_stopped, _STEPS)
        try:
            rows = connection.execute(dataset.query.decode(errors="replace"))
            columns = len(rows.description or ())
        except sqlite3.OperationalError as error:
            if "readonly" not in str(error):
                raise
            columns = 0  # What writes has no results, and is not done.
        if columns != len(dataset.types):
            raise invalid(
                f"The number of columns in query ({columns}) must match the number of elements in "
                f"output_types ({len(dataset.types)})."
            )
        return rows

    def _failed(self, error: Exception) -> OpError:
        code = getattr(error, "sqlite_errorcode", 1)
        query = self._dataset.query.decode(errors="backslashreplace")
        return UnknownError(None, None, f"Prepare() failed: [{code}] {error}: {query}")
