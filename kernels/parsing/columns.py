"""What is collected of a feature from the examples of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from dataflow.kernels.parsing.features import AnyFeature, DenseFeature, Feature
from dataflow.kernels.parsing.lists import LONGEST, TYPES, count_of, joined, payload
from dataflow.kernels.parsing.wire import DELIMITED_1, MalformedError
from dataflow.values import dtypes

_SHORT: Final = 0x80
"""Below this a length is one byte."""

Taken = tuple[Sequence[int], tuple[int, int, int] | None]
"""Places of messages, and where the payload of each of them stands."""


class WrongListError(Exception):
    """A feature holds another list, or another number of elements, than was asked for."""


class Column:
    """The payloads of a feature, one for each example so far."""

    def __init__(self, feature: AnyFeature) -> None:
        self.feature = feature
        self.key = feature.key
        self.counts: list[int] = []
        """How many elements each example has, if they may have different numbers of them."""
        self._payloads: list[Any] = []
        self._tag = next(tag for tag, dtype in TYPES.items() if dtype is feature.dtype)
        self._is_string = feature.dtype is dtypes.string
        self._absent: Any = [] if self._is_string else b""
        self._stride = 1
        self._is_fixed = False
        if isinstance(feature, DenseFeature):
            self._absent = feature.absent
            self._stride = feature.stride
            self._is_fixed = not feature.is_variable
        # How many bytes that many numbers take, if each integer is a small one.
        self._size = self._stride * (4 if feature.dtype is dtypes.float32 else 1)
        self.is_int = feature.dtype is dtypes.int64

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

    def may_lack(self) -> bool:
        """Whether an example need not have the feature."""
        return self._absent is not None

    def place(self, data: bytes, start: int, finish: int) -> tuple[int, int, int] | None:
        """Where the payload of an example begins and ends, and its number of elements.

        None if it has not the usual form, or is not what was asked for.
        """
        begin = self._usual(data, start, finish)
        if begin is None:
            return None
        held: Any = [data[begin:finish]] if self._is_string else data[begin:finish]
        if self.feature.dtype is dtypes.float32 and len(held) % 4:
            return None
        try:
            count = count_of(held, self.feature.dtype)
        except MalformedError:
            return None
        # Bytes that are not the last ones of integers are so few that none of these is too long.
        if self.is_int and (not count or len(held) - count >= LONGEST):
            return None
        if count != self._stride if self._is_fixed else self._stride != 1:
            return None
        return begin, finish, count

    def take_alike(self, serialized: Sequence[bytes], rows: int, groups: Sequence[Taken]) -> None:
        """Puts what was taken where it belongs, among the payloads of messages of one form.

        Args:
          serialized: The messages.
          rows: How many there are.
          groups: Places of messages, and where the payload of each of them stands; None for the
            feature's absence. What was taken stands in the other places, in order.
        """
        payloads: list[Any] = [None] * rows
        counts = [-1] * rows
        for places, span in groups:
            if span is None:
                for row in places:
                    payloads[row], counts[row] = self._absent, 0
                continue
            begin, finish, count = span
            for row in places:
                held = serialized[row][begin:finish]
                payloads[row], counts[row] = [held] if self._is_string else held, count
        if self._payloads:
            taken = iter(self._payloads)
            payloads = [next(taken) if held is None else held for held in payloads]
        if not self._is_fixed:
            known = iter(self.counts)
            self.counts = [next(known) if count < 0 else count for count in counts]
        self._payloads = payloads

    def _take_usual(self, held: bytes) -> bool:
        """Takes the only string, or packed numbers; False if that is not what was asked for."""
        if self._is_string:
            if self._stride != 1:
                return False
            self._payloads.append([held])
            if not self._is_fixed:
                self.counts.append(1)
            return True
        if self.is_int and not held.isascii():
            return False
        if self._is_fixed:
            if len(held) != self._size:
                return False
        else:
            count, rest = divmod(len(held), 1 if self.is_int else 4)
            if rest or self._stride != 1:
                return False
            self.counts.append(count)
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
            self.counts.append(count)
        self._payloads.append(held)

    def skip(self) -> bool:
        """Takes an example that lacks the feature; False if it must not."""
        if self._absent is None:
            return False
        self._payloads.append(self._absent)
        if not self._is_fixed:
            self.counts.append(0)
        return True

    def sizes(self) -> np.ndarray[Any, Any]:
        """The counts as an array."""
        return np.array(self.counts, np.int64)

    def values(self) -> np.ndarray[Any, Any]:
        """The elements of all examples, behind each other."""
        return joined(self._payloads, self.feature.dtype)

    def splits(self) -> np.ndarray[Any, Any]:
        """Where the elements of each example begin, and where the last ones end."""
        assert isinstance(self.feature, Feature)
        ends = np.cumsum(self.sizes())
        return np.concatenate([[0], ends]).astype(self.feature.splits)

    def stacked(self, rows: int) -> np.ndarray[Any, Any]:
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
