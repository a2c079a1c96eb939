"""Kernel of comma-separated values."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.parsing.csv import Dialect, fields, integer, real, whole_columns
from dataflow.values import dtypes


@kernel("DecodeCSV", host_inputs=("records", "record_defaults"), host_outputs=("output",))
def decode_csv(node: KernelNode, xp: Any) -> Callable[..., Any]:
    types = node.attr("OUT_TYPE")
    dialect = _dialect(node, len(types))
    missing = {b"", node.attr("na_value")}
    readers = [_reader(dtype) for dtype in types]

    def run(records: Any, *defaults: Any) -> Any:
        given = [_default(place, value) for place, value in enumerate(defaults)]
        array = np.asarray(records, object)
        if (quick := whole_columns(array.ravel().tolist(), dialect, missing, types)) is not None:
            return tuple(column.reshape(array.shape) for column in quick)
        rows = [fields(record, dialect) for record in array.ravel().tolist()]
        columns: list[list[Any]] = [[] for _ in types]
        for number, row in enumerate(rows):
            if len(row) != len(types):
                raise invalid(f"Expect {len(types)} fields but have {len(row)} in record {number}")
            for place, (field, read, column) in enumerate(zip(row, readers, columns, strict=True)):
                if field in missing:
                    if not given[place]:
                        raise invalid(f"Field {place} is required but missing in record {number}!")
                    column.append(given[place][0])
                    continue
                try:
                    column.append(read(field))
                except ValueError:
                    shown = field[:200].decode(errors="backslashreplace")
                    raise invalid(
                        f"Field {place} in record {number} is not a valid "
                        f"{type_name(types[place])}: {shown}"
                    ) from None
        return tuple(
            _column(column, dtype).reshape(array.shape)
            for column, dtype in zip(columns, types, strict=True)
        )

    return run


def _dialect(node: KernelNode, count: int) -> Dialect:
    columns, delimiter = tuple(node.attr("select_cols")), node.attr("field_delim")
    if columns and len(columns) != count:
        raise invalid("select_cols should match output size")
    if any(a >= b for a, b in itertools.pairwise(columns)):
        raise invalid("select_cols should be strictly increasing indices")
    if columns and columns[0] < 0:
        raise invalid("select_cols should be non-negative indices")
    if len(delimiter) != 1:
        raise invalid("field_delim should be only 1 char")
    return Dialect(delimiter, node.attr("use_quote_delim"), columns)


def _reader(dtype: dtypes.DType) -> Callable[[bytes], Any]:
    if dtype is dtypes.string:
        return lambda field: field
    if dtype.is_integer:
        return integer(int(dtype.min), int(dtype.max))
    return real


def _default(place: int, value: Any) -> list[Any]:
    array = np.asarray(value)
    if array.ndim > 1:
        raise invalid("Each record default should be at most rank 1")
    if array.size > 1:
        raise invalid(
            f"There should only be 1 default per field but field {place} has {array.size}"
        )
    return list(array.ravel())


def _column(column: Sequence[Any], dtype: dtypes.DType) -> Any:
    made = np.empty(len(column), dtype.as_numpy_dtype)
    with np.errstate(over="ignore"):
        made[:] = column
    return made
