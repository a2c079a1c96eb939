"""The records of CSV files, as RFC 4180 has them: fields become tensors of given types."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.datasets.dataset import Element, Stage
from dataflow.kernels.datasets.readers import FileDataset, FileStage, Reading
from dataflow.kernels.datasets.run import Run
from dataflow.records.reading import open_bytes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

_PIECE: Final = 1 << 18
_QUOTE: Final = b'"'
_LIMITS: Final = {"int32": 1 << 31, "int64": 1 << 63}


@dataclass(frozen=True, slots=True)
class CsvForm:
    """How records are written, and what is taken of them."""

    has_header: bool
    delimiter: bytes
    quotes: bool
    """Whether fields may stand between quotes."""
    absent: bytes
    """What stands for a value that is missing, beside an empty field."""
    selected: tuple[int, ...]
    """Columns that are taken, rising; empty for all."""
    excluded: tuple[int, ...]
    """Columns that are left out, rising."""
    defaults: tuple[Any, ...]
    """For each column that is taken what stands for missing values; empty if it must be there."""

    def check(self) -> None:
        """Refuses what makes no sense.

        Raises:
          InvalidArgumentError: Says what.
        """
        if len(self.delimiter) != 1:
            raise invalid("field_delim should be only 1 char")
        for value in self.defaults:
            if np.ndim(value) > 1:
                raise invalid("Each record default should be at most rank 1")
            if np.size(value) >= 2:
                raise invalid("There should only be 1 default per field but field has 2 or more")
        for columns, name in ((self.selected, "select_cols"), (self.excluded, "exclude_cols")):
            if any(b <= a for a, b in itertools.pairwise(columns)):
                raise invalid(f"{name} should be strictly increasing indices")
            if columns and columns[0] < 0:
                raise invalid(f"{name} should be non-negative indices")
        if self.selected and self.excluded:
            raise invalid("Either select_cols or exclude_cols should be empty")
        if self.selected and len(self.selected) != len(self.defaults):
            raise invalid("select_cols should match output size")


class CsvDataset(FileDataset):
    """The records of CSV files."""

    kind = "CSV"
    __slots__ = ("form",)

    def __init__(
        self,
        types: Sequence[DType],
        shapes: Sequence[TensorShape],
        names: Sequence[bytes],
        compression: bytes,
        form: CsvForm,
    ) -> None:
        """Takes the files, and how they are written.

        Raises:
          InvalidArgumentError: Something of that makes no sense.
        """
        form.check()
        super().__init__(names, compression)
        self.types, self.shapes = tuple(types), tuple(shapes)
        self.form = form

    def open(self, name: bytes, start: int) -> Reading:
        records = _Records(open_bytes(name, self.compression), self.form)
        if self.form.has_header and records.next() is None:
            raise invalid("Can't read header of file")
        converters = [
            _converter(place, dtype, default, self.form.absent)
            for place, (dtype, default) in enumerate(
                zip(self.types, self.form.defaults, strict=True)
            )
        ]
        form = self.form

        def following() -> Any:
            fields = records.next()
            if fields is None:
                return None
            if form.selected:
                if form.selected[-1] >= len(fields):
                    there = sum(place < len(fields) for place in form.selected)
                    raise invalid(f"Expect {len(form.selected)} fields but have {there} in record")
                fields = [fields[place] for place in form.selected]
            elif form.excluded:
                fields = [f for place, f in enumerate(fields) if place not in form.excluded]
            if len(fields) != len(converters):
                raise invalid(
                    f"Expect {len(converters)} fields but have {len(fields)} in record"
                    if len(fields) < len(converters)
                    else f"Expect {len(converters)} fields but have more in record"
                )
            return tuple(convert(f) for convert, f in zip(converters, fields, strict=True))

        return Reading(following)

    def start(self, run: Run) -> Stage:
        return _CsvStage(run, self)


class _CsvStage(FileStage):
    __slots__ = ()

    def take(self, most: int) -> Sequence[Element]:
        # A row that is wrong does not end its file.
        return Stage.take(self, most)

    def next(self) -> Any:
        dataset = self._dataset
        while True:
            if self._reading is None:
                if self._place >= len(dataset.names):
                    return None
                self.run.check()
                name = dataset.names[self._place]
                self._place += 1
                self._reading = dataset.open(name, 0)
            element = self._reading.next()
            if element is not None:
                return element
            self._reading = None


def _converter(place: int, dtype: DType, default: Any, absent: bytes) -> Callable[[bytes], Any]:
    kind: Any = dtype.as_numpy_dtype
    limit = _LIMITS.get(dtype.name)

    def convert(field: bytes) -> Any:
        if not field or field == absent:
            if not np.size(default):
                raise invalid(f"Field {place} is required but missing in record!")
            return np.reshape(default, ())[()]
        if dtype.name == "string":
            return np.array(field, object)
        try:
            if limit is None:
                return kind(field.decode())
            value = int(field)
            if not -limit <= value < limit or b"_" in field:
                raise ValueError
            return kind(value)
        except (ValueError, UnicodeDecodeError):
            raise invalid(
                f"Field {place} in record is not a valid {dtype.name}: "
                f"{field.decode(errors='replace')}"
            ) from None

    return convert


class _Records:
    """Takes records out of a stream of bytes."""

    def __init__(self, read: Callable[[int], bytes], form: CsvForm) -> None:
        self._read = read
        self._delimiter = form.delimiter
        self._quotes = form.quotes
        self._text = b""
        self._place = 0
        self._over = False

    def next(self) -> list[bytes] | None:
        """The fields of the next record; None at the end.

        Raises:
          InvalidArgumentError: A quote is out of place; the next record is that of the next line.
        """
        while True:
            line = self._line(self._place)
            if line is None:
                self._more()
                continue
            end, following = line
            if self._place == len(self._text):
                return None
            record = self._text[self._place : end]
            if not self._quotes or _QUOTE not in record:
                self._place = following
                return record.split(self._delimiter)
            fields = self._fields()
            if fields is not None:
                return fields
            self._more()

    def _more(self) -> None:
        piece = self._read(_PIECE)
        self._over = not piece
        self._text = self._text[self._place :] + piece
        self._place = 0

    def _line(self, place: int) -> tuple[int, int] | None:
        """Where a line ends and where the next one begins; None if that is not there yet."""
        text = self._text
        end = text.find(b"\n", place)
        carriage = text.find(b"\r", place, len(text) if end < 0 else end)
        if carriage >= 0:
            following = carriage + 1
            if following == len(text) and not self._over:
                return None
            return carriage, following + (text[following : following + 1] == b"\n")
        if end >= 0:
            return end, end + 1
        return (len(text), len(text)) if self._over else None

    def _fields(self) -> list[bytes] | None:
        """The fields of a record that has quotes; None if it is not there as a whole yet."""
        text, place = self._text, self._place
        fields: list[bytes] = []
        wrong = ""
        while True:
            if text[place : place + 1] == _QUOTE:
                found = self._closing(place)
                if found is None and not self._over:
                    return None
                if found is None:
                    self._place = len(text)
                    raise invalid(
                        wrong or "Reached end of file without closing quoted field in record"
                    )
                end, is_right = found
                if not is_right:
                    wrong = wrong or "Quote inside a string has to be escaped by another quote"
                fields.append(text[place + 1 : end].replace(b'""', _QUOTE))
                place = end + 1
                if text[place : place + 1] == self._delimiter:
                    place += 1
                    continue
                line = self._line(place)
                stop = -1
            else:
                line = self._line(place)
                if line is not None:
                    stop = text.find(self._delimiter, place, line[0])
                    fields.append(text[place : line[0] if stop < 0 else stop])
                    if _QUOTE in fields[-1]:
                        wrong = wrong or "Unquoted fields cannot have quotes inside"
            if line is None:
                return None
            if stop < 0:
                self._place = line[1]
                if wrong:
                    raise invalid(wrong)
                return fields
            place = stop + 1

    def _closing(self, place: int) -> tuple[int, bool] | None:
        """Where the quote is that ends a field, and whether none that is in it stands alone.

        None if it is not there, or what follows it is not there yet.
        """
        text, is_right = self._text, True
        while (place := text.find(_QUOTE, place + 1)) >= 0:
            after = text[place + 1 : place + 2]
            if after == _QUOTE:
                place += 1
            elif after in (self._delimiter, b"\n", b"\r") or (not after and self._over):
                return place, is_right
            elif not after:
                return None
            else:
                is_right = False
        return None
