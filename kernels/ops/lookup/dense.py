"""Dense tables: what TensorFlow keeps in an array of buckets, seen as such where it is exported.

Checkpoints hold that array, and TensorFlow looks keys up in it as it was saved: so a key's bucket
is the one where TensorFlow's hash function and its triangular probing put it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.hashes.formulas import MURMUR
from dataflow.kernels.hashes.texts import hashed
from dataflow.kernels.ops.lookup.table import MutableTable
from dataflow.values import dtypes
from dataflow.values.dtypes import DType

_FEWEST: Final = 4
_REMOVED: Final = object()
"""What stands in the bucket of a key that was removed."""
_WORD: Final = (1 << 64) - 1


class DenseTable(MutableTable):
    """A table that steps may change, in which two keys cannot be."""

    kind: ClassVar[str] = "MutableDenseHashTable"
    key_shape: tuple[int, ...] = ()
    empty_key: Any = None
    deleted_key: Any = None

    def __init__(
        self,
        name: str,
        key_dtype: DType,
        value_dtype: DType,
        value_shape: tuple[int, ...],
        buckets: int,
        max_load: float,
    ) -> None:
        """Makes a table without keys.

        Args:
          name: Its name, for messages.
          key_dtype: Type of its keys.
          value_dtype: Type of its values.
          value_shape: Shape of each value.
          buckets: How many buckets there are at first, a power of 2.
          max_load: Which part of them may be taken.

        Raises:
          InvalidArgumentError: There are too few buckets, or no number of them would do; or keys
            are neither integers nor strings.
        """
        if not key_dtype.is_integer and key_dtype != dtypes.string:
            raise invalid(
                f"Keys of a dense table are integers or strings, not {type_name(key_dtype)}"
            )
        if buckets < _FEWEST or buckets & (buckets - 1):
            raise invalid(f"Number of buckets must be at least 4 and a power of 2, got: {buckets}")
        if not 0 < max_load <= 1:
            raise invalid(f"max_load_factor must be between 0 and 1, got: {max_load:g}")
        super().__init__(name, key_dtype, value_dtype, value_shape)
        self._size, self._max_load = buckets, max_load
        self._taken: dict[int, Any] = {}
        self._left: dict[int, Any] = {}

    def bar(self, empty_key: Any, deleted_key: Any) -> None:
        """Says which keys, scalars or vectors of one size, cannot be in the table."""
        self.key_shape = np.shape(empty_key)
        self.empty_key, self.deleted_key = self._names(empty_key)[0], self._names(deleted_key)[0]

    def listed(self, keys: Any) -> tuple[list[Any], tuple[int, ...]]:
        """Keys of a tensor in order, and the shape in which they stand there."""
        keys = np.asarray(keys)
        outer = keys.shape[: keys.ndim - len(self.key_shape)]
        if outer + self.key_shape != keys.shape:
            raise invalid(
                f"Input key shape {shape_text(keys.shape)} must end with the table's key shape "
                f"{shape_text(self.key_shape)}"
            )
        wanted = (*keys.shape[:1], *self.key_shape) if keys.ndim else (1,)
        if keys.size != math.prod(wanted):
            raise invalid(f"Expected key shape {shape_text(wanted)} got {shape_text(keys.shape)}")
        names = self._names(keys)
        for barred, text in ((self.empty_key, "empty_key"), (self.deleted_key, "deleted_key")):
            if barred in names:
                raise invalid(f"Using the {text} as a table key is not allowed")
        return names, outer

    def insert(self, keys: Any, values: Any) -> None:
        """Gives keys their values."""
        pairs = self.pairs(keys, values)
        with self.lock:
            self._make_room(len(self.entries) + len(pairs))
            self._add(pairs)

    def remove(self, keys: Any) -> None:
        """Takes keys out; those that are not there are no mistake."""
        names, _ = self.listed(keys)
        with self.lock:
            for start, key in zip(_hashes(names), names, strict=True):
                if key in self.entries:
                    place = self._bucket(start, key)
                    self._taken[place] = _REMOVED
                    self._left[place] = self.entries.pop(key)

    def export(self) -> tuple[Any, Any]:
        """The buckets: keys [buckets, elements of a key], values [buckets, elements of a value]."""
        with self.lock:
            size = self._size
            keys = np.empty((size, math.prod(self.key_shape)), self.key_dtype.as_numpy_dtype)
            keys[:] = self.empty_key
            values = np.zeros((size, math.prod(self.value_shape)), self.value_dtype.as_numpy_dtype)
            if self.value_dtype.as_numpy_dtype is object:
                values.fill(b"")
            for place, key in self._taken.items():
                is_left = key is _REMOVED
                keys[place] = self.deleted_key if is_left else key
                values[place] = np.ravel(self._left[place] if is_left else self.entries[key])
        return keys, values

    def replace(self, keys: Any, values: Any) -> None:
        """Takes over the buckets that another table exported."""
        keys, values = np.asarray(keys), np.asarray(values)
        wanted = (*keys.shape[:1], math.prod(self.value_shape))
        if values.shape != wanted:
            raise invalid(
                f"Expected shape {shape_text(wanted)} for value, got {shape_text(values.shape)}"
            )
        if keys.shape[1:] != (math.prod(self.key_shape),):
            raise invalid(f"Keys have the shape {shape_text(keys.shape)} of no export of the table")
        rows: Sequence[Any] = list(values.reshape((len(keys), *self.value_shape)).copy())
        if not self.value_shape:
            rows = values[:, 0].tolist()
        with self.lock:
            self._size = len(keys)
            self._taken, self._left, self.entries = {}, {}, {}
            for place, key in enumerate(self._names(keys)):
                if key == self.deleted_key:
                    self._taken[place], self._left[place] = _REMOVED, rows[place]
                elif key != self.empty_key:
                    self._taken[place], self.entries[key] = key, rows[place]
            if self._size < _FEWEST or self._size & (self._size - 1):
                self._spread(max(_FEWEST, 1 << self._size.bit_length()))

    def _names(self, keys: Any) -> list[Any]:
        flat = np.ravel(keys)
        if not self.key_shape:
            return list(flat.tolist())
        return [tuple(key) for key in flat.reshape(-1, *self.key_shape).tolist()]

    def _make_room(self, wanted: int) -> None:
        size = self._size
        while wanted > size * self._max_load:
            size *= 2
        if size != self._size:
            self._spread(size)

    def _spread(self, size: int) -> None:
        """Puts all keys, in the order of their buckets, into so many new ones."""
        old = [(key, self.entries[key]) for _, key in sorted(self._live())]
        self._size = size
        self._taken, self._left, self.entries = {}, {}, {}
        self._add(old)

    def _live(self) -> list[tuple[int, Any]]:
        return [each for each in self._taken.items() if each[1] is not _REMOVED]

    def _add(self, pairs: list[tuple[Any, Any]]) -> None:
        starts = _hashes([key for key, _ in pairs])
        for start, (key, value) in zip(starts, pairs, strict=True):
            if key not in self.entries:
                place = self._bucket(start, _REMOVED)
                self._taken[place] = key
                self._left.pop(place, None)
            self.entries[key] = value

    def _bucket(self, start: int, wanted: Any) -> int:
        """The first bucket from a place on that has what is wanted, or nothing."""
        mask = self._size - 1
        place, probes = start & mask, 0
        while self._taken.get(place, wanted) != wanted:
            probes += 1
            place = (place + probes) & mask
        return place


def _hashes(keys: list[Any]) -> list[int]:
    """TensorFlow's hashes of scalars, or those of vectors' elements combined as its Hash64Combine.

    https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/core/lib/hash/hash.h
    """
    if keys and isinstance(keys[0], tuple):
        found = [0] * len(keys)
        for parts in zip(*keys, strict=True):
            found = [_combined(*each) for each in zip(found, _hashes(list(parts)), strict=True)]
        return found
    if keys and isinstance(keys[0], bytes):
        words: list[int] = hashed(keys, MURMUR).tolist()
        return words
    return keys


def _combined(first: int, second: int) -> int:
    return first ^ (second + 0x9E3779B97F4A7800 + (first << 10) + (first >> 4)) & _WORD
