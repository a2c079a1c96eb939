"""The order in which libstdc++ walks its unordered containers of ints, which TensorFlow's order
of finished nodes follows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

_SIZES: Final = (
    1, 3, 7, 17, 37, 79, 167, 337, 709, 1493, 3209, 6427, 12983, 26267, 53201, 107897, 218971,
    444487, 902483, 1832561, 3721303,
)  # fmt: skip
"""The numbers of buckets that a growing container of TensorFlow 1's has, one after the other."""


class HashOrder:
    """A set of numbers that are not negative, in the order of a std::unordered_set."""

    def __init__(self, numbers: Iterable[int] = ()) -> None:
        """Puts numbers in, one after the other."""
        self._inside: set[int] = set()
        self._buckets: dict[int, list[int]] = {}
        self._count = 1
        for number in numbers:
            self.add(number)

    def __iter__(self) -> Iterator[int]:
        # The newest bucket comes first, and in it what was added last.
        for bucket in reversed(self._buckets.values()):
            yield from reversed(bucket)

    def __len__(self) -> int:
        return len(self._inside)

    def add(self, number: int) -> None:
        """Puts a number in, unless it is there."""
        if number in self._inside:
            return
        self._inside.add(number)
        if len(self._inside) >= self._count:
            self._count = next(size for size in _SIZES if size > self._count)
            before, self._buckets = list(self), {}
            for old in before:
                self._link(old)
        self._link(number)

    def discard(self, number: int) -> None:
        """Takes a number out, if it is there."""
        if number in self._inside:
            self._inside.remove(number)
            bucket = self._buckets[number % self._count]
            bucket.remove(number)
            if not bucket:
                del self._buckets[number % self._count]

    def _link(self, number: int) -> None:
        self._buckets.setdefault(number % self._count, []).append(number)
