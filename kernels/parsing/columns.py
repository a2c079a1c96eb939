"""What is collected of a feature from the examples of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from dataflow.kernels.parsing.features import AnyFeature, DenseFeature, Feature
from dataflow.kernels.parsing.lists import LONGEST, TYPES, count_of, joined, payload, values
from dataflow.kernels.parsing.stretches import Part, Spans, Text, woven
from dataflow.kernels.parsing.wire import DELIMITED_1
from dataflow.values import dtypes

_SHORT: Final = 0x80
"""Below this a length is one byte."""

Array = np.ndarray[Any, Any]
Form = tuple[Array, Spans | None, Array | None]
"""Places of messages, where the payload of each of them stands, None if they lack it, and what they
hold, if that has been read."""


_TAGS: Final = {dtype: tag for tag, dtype in TYPES.items()}


class WrongListError(Exception):
    """A feature holds another list, or another number of elements, than was asked for."""


class Column:
    """What is collected of a feature: payloads one by one, or at once of all examples of a form."""

    def __init__(self, feature: AnyFeature) -> None:
        self.feature = feature
        self.key = feature.key
        self._counts: list[int] = []
        self._payloads: list[Any] = []
        self._tag = _TAGS[feature.dtype]
        self.is_string = feature.dtype is dtypes.string
        self._absent: Any = [] if self.is_string else b""
        self._stride = 1
        self._is_fixed = False
        if isinstance(feature, DenseFeature):
            self._absent = feature.absent
            self._stride = feature.stride
            self._is_fixed = not feature.is_variable
        # How many bytes that many numbers take, if each integer is a small one.
        self.size = self._stride * (4 if feature.dtype is dtypes.float32 else 1)
        self.is_int = feature.dtype is dtypes.int64
        self.is_integer = self.is_int and self._is_fixed and self._stride == 1
        """Whether each example has one integer."""

    def take(self, data: bytes, start: int, finish: int) -> None:
        """Takes the feature of an example, which stands between these places.

        Raises:
          MalformedError: It is none.
          WrongListError: It is another one than was asked for.
        """
        begin = self._usual(data, start, finish)
        if begin is None or not self._take_usual(data[begin:finish]):
            self._take_any(data, start, finish)

    def _usual(self, data: bytes, start: int, finish: int) -> int | None:
        """Where the only field of the wanted list begins, if nothing is behind it.

        Its two lengths are of a byte or two.
        """
        if start == finish or data[start] != self._tag:
            return None
        try:
            place = start + 2
            if (size := data[start + 1]) >= _SHORT:
                size, place = size & 0x7F | data[start + 2] << 7, start + 3
            begin = place + 2
            if (inner := data[place + 1]) >= _SHORT:
                inner, begin = inner & 0x7F | data[place + 2] << 7, place + 3
            is_usual = (
                place + size == begin + inner == finish
                and data[place] == DELIMITED_1
                and data[place - 1] < _SHORT
                and data[begin - 1] < _SHORT
            )
        except IndexError:
            return None
        return begin if is_usual else None

    @property
    def has_one_size(self) -> bool:
        """Whether its payloads can have one size only."""
        return self._is_fixed and self.feature.dtype is dtypes.float32

    def may_lack(self) -> bool:
        """Whether an example need not have the feature."""
        return self._absent is not None

    def begin(self, data: bytes, start: int, finish: int) -> int | None:
        """Where the payload of an example begins, if it is all that the feature holds.

        None if it is not, or if there may be no such feature.
        """
        is_usual = self._stride == 1 or (self._stride > 1 and not self.is_string)
        return self._usual(data, start, finish) if is_usual else None

    def fits(self, text: Text, spans: Spans) -> Any:
        """Which of these payloads hold as many elements of the wanted type as are wanted."""
        sizes = spans[1]
        if self.is_string:
            return True
        if not self.is_int:
            return sizes == self.size if self._is_fixed else sizes % (4 * self._stride) == 0
        counts = self._counted(text, spans)
        lasts = text.windows(spans[0] + sizes - 1, 1)[:, 0]
        is_right = counts == self._stride if self._is_fixed else counts % self._stride == 0
        # Bytes that are not the last ones of integers are so few that none is too long.
        return is_right & (sizes > 0) & (lasts < _SHORT) & (sizes - counts < LONGEST)

    def _counted(self, text: Text, spans: Spans) -> Array:
        """How many elements payloads have."""
        sizes = spans[1]
        if not self.is_int:
            return sizes // 4
        ends = np.cumsum(sizes)
        known = np.concatenate([[0], np.cumsum(text.joined(spans) < _SHORT)])
        counts: Array = known[ends] - known[ends - sizes]
        return counts

    def settle(self, rows: int, others: Sequence[int], text: Text, forms: Sequence[Form]) -> None:
        """Puts what was taken one by one where it belongs, among the examples of some forms.

        Args:
          rows: How many examples there are.
          others: The places of those that were taken one by one, or skipped, in order.
          text: The bytes of forms.
          forms: The forms.
        """
        parts = [self._part(text, *form) for form in forms]
        if others or not parts:
            counts = self._stride if self._is_fixed else np.array(self._counts, np.intp)
            held = joined(self._payloads, self.feature.dtype)
            parts.append((np.array(others, np.intp), counts, held))
        sizes, self._values = woven(rows, parts)
        self._sizes: Array = sizes if self._is_fixed else np.full(rows, sizes, np.int64)

    def _part(self, text: Text, rows: Array, spans: Spans | None, known: Array | None) -> Part:
        dtype = self.feature.dtype
        if known is not None:
            return rows, self._stride, known
        if spans is None:
            held = [self._absent] * rows.size
            return rows, self._stride if self._is_fixed else 0, joined(held, dtype)
        counts = self._stride if self._is_fixed else self._counted(text, spans)
        return rows, counts, values(text.joined(spans), dtype)

    def _take_usual(self, held: bytes) -> bool:
        """Takes the only string, or packed numbers; False if that is not what was asked for."""
        if self.is_string:
            if self._stride != 1:
                return False
            self._payloads.append([held])
            if not self._is_fixed:
                self._counts.append(1)
            return True
        if self.is_int and not held.isascii():
            return False
        if self._is_fixed:
            if len(held) != self.size:
                return False
        else:
            count, rest = divmod(len(held), 1 if self.is_int else 4)
            if rest or self._stride != 1:
                return False
            self._counts.append(count)
        self._payloads.append(held)
        return True

    def _take_any(self, data: bytes, start: int, finish: int) -> None:
        if start == finish:
            self.skip()
            return
        if data[start] != self._tag:
            raise WrongListError
        held = payload(data, start + 1, finish, self.feature.dtype)
        count = count_of(held, self.feature.dtype)
        if self._is_fixed:
            if count != self._stride:
                raise WrongListError
        else:
            if count % self._stride if self._stride else count:
                raise WrongListError
            self._counts.append(count)
        self._payloads.append(held)

    def skip(self) -> bool:
        """Takes an example that lacks the feature; False if it must not."""
        if self._absent is None:
            return False
        self._payloads.append(self._absent)
        if not self._is_fixed:
            self._counts.append(0)
        return True

    def sizes(self) -> Array:
        """How many elements each example has."""
        return self._sizes

    def values(self) -> Array:
        """The elements of all examples, behind each other."""
        return self._values

    def splits(self) -> Array:
        """Where the elements of each example begin, and where the last ones end."""
        assert isinstance(self.feature, Feature)
        ends = np.cumsum(self.sizes())
        return np.concatenate([[0], ends]).astype(self.feature.splits)

    def stacked(self, rows: int) -> Array:
        """The elements as a tensor with a row for each example; shorter ones are filled up."""
        feature, flat = self.feature, self.values()
        assert isinstance(feature, DenseFeature)
        if self._is_fixed:
            return flat.reshape(rows, *feature.shape)
        counts = self.sizes()
        longest = int(counts.max(initial=0)) // self._stride if self._stride else 0
        shape = (rows, longest, *feature.shape[1:])
        if flat.size == rows * longest * self._stride:
            return flat.reshape(shape)
        width = longest * self._stride
        padded = np.full((rows, width), np.asarray(feature.default).ravel()[0], flat.dtype)
        padded[np.arange(width) < counts[:, None]] = flat
        return padded.reshape(shape)
