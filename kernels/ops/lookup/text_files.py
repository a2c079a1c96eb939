"""Keys and values of tables from the lines of text files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Final

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.type_names import type_name
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.system_errors import system_errors

_WHOLE_LINE: Final = -2
_LINE_NUMBER: Final = -1


def pairs_of_lines(
    path: str,
    key: tuple[int, DType],
    value: tuple[int, DType],
    limit: int,
    delimiter: bytes,
    offset: int,
) -> list[tuple[Any, Any]]:
    """Keys with their values, one for each line.

    Args:
      path: The file.
      key: Which column keys are, -2 for whole lines, -1 for their numbers; and their type.
      value: The same of values.
      limit: How many lines to read, all of which must be there; -1 for all that there are.
      delimiter: What stands between columns.
      offset: What to add to the numbers of lines.
    """
    key_of = _reader(path, *key, delimiter, 0)
    value_of = _reader(path, *value, delimiter, offset)
    pairs = [
        (key_of(number, line), value_of(number, line))
        for number, line in islice(_lines(path), None if limit < 0 else limit)
    ]
    if limit > len(pairs):
        raise invalid(f"Invalid vocab_size in {path}: expected {limit} but got {len(pairs)}")
    return pairs


def _lines(path: str) -> Iterator[tuple[int, bytes]]:
    end = 0
    with system_errors(), open(path, "rb") as file:
        for number, line in enumerate(file):
            end += len(line)
            if not (content := line.removesuffix(b"\n").removesuffix(b"\r")):
                raise invalid(f"Invalid content in {path}: empty line found at position {end}.")
            yield number, content


def _reader(
    path: str, column: int, dtype: DType, delimiter: bytes, offset: int
) -> Callable[[int, bytes], Any]:
    if column == _LINE_NUMBER:
        if dtype not in (dtypes.int64, dtypes.int32):
            raise invalid(
                "Key and value index of line numbers must be int64, got " + type_name(dtype)
            )
        return lambda number, line: number + offset
    convert = _CONVERSIONS.get(dtype)
    if convert is None:
        raise invalid(f"Column type {type_name(dtype)} is not supported in {path}")

    def read(number: int, line: bytes) -> Any:
        field = line
        if column != _WHOLE_LINE:
            parts = line.split(delimiter)
            if column >= len(parts):
                raise invalid(
                    f"Invalid number of columns in {path} line {number} ({_shown(line)}) : "
                    f"expected at least {column + 1} got {len(parts)}"
                )
            field = parts[column]
        try:
            return convert(field)
        except ValueError:
            raise invalid(
                f"Field {_shown(field)} in line {number} of {path} is not a valid "
                f"{type_name(dtype)}."
            ) from None

    return read


def _shown(text: bytes) -> str:
    return text[:200].decode(errors="backslashreplace")


def _int64(text: bytes) -> int:
    number = int(text)
    if not -(1 << 63) <= number < 1 << 63:
        raise ValueError(text)
    return number


_CONVERSIONS: Final[dict[DType, Callable[[bytes], Any]]] = {
    dtypes.string: bytes,
    dtypes.int32: _int64,
    dtypes.int64: _int64,
    dtypes.float32: float,
    dtypes.float64: float,
}
