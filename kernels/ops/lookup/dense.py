"""Dense tables: what TensorFlow keeps in an array of buckets, seen as such where it is exported.

Checkpoints hold that array, and TensorFlow looks keys up in it as it was saved: so a key's bucket
is the one where TensorFlow's hash function and its triangular probing look for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.ops.lookup.table import MutableTable
from dataflow.kernels.ops.text.fingerprints import hashed, murmur
from dataflow.values import dtypes
from dataflow.values.dtypes import DType

_FEWEST = 4


class DenseTable(MutableTable):
    """A table that steps may change, in which two keys cannot be."""

    kind: ClassVar[str] = "MutableDenseHashTable"
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
        self._buckets, self._max_load = buckets, max_load

    def bar(self, empty_key: Any, deleted_key: Any) -> None:
        """Says which keys cannot be in the table."""
        self.empty_key, self.deleted_key = empty_key, deleted_key
        self.barred = frozenset((empty_key, deleted_key))

    def insert(self, keys: Any, values: Any) -> None:
        """Gives keys their values."""
        with self.lock:
            self._make_room(len(self.entries) + np.size(keys))
            super().insert(keys, values)

    def export(self) -> tuple[Any, Any]:
        """The buckets: keys [buckets, 1] and values [buckets, elements of a value]."""
        with self.lock:
            size, mask = self._buckets, self._buckets - 1
            keys: list[Any] = [self.empty_key] * size
            width = int(np.prod(self.value_shape))
            values = np.zeros((size, width), self.value_dtype.as_numpy_dtype)
            if self.value_dtype.as_numpy_dtype is object:
                values.fill(b"")
            places = _hashes(list(self.entries))
            for start, (key, value) in zip(places, self.entries.items(), strict=True):
                place, probes = start & mask, 0
                while keys[place] != self.empty_key:
                    probes += 1
                    place = (place + probes) & mask
                keys[place] = key
                values[place] = np.reshape(value, -1)
        made = np.empty((size, 1), self.key_dtype.as_numpy_dtype)
        made[:, 0] = keys
        return made, values

    def replace(self, keys: Any, values: Any) -> None:
        """Takes over what another table exported."""
        keys, values = np.asarray(keys), np.asarray(values)
        width = int(np.prod(self.value_shape))
        if keys.shape[1:] != (1,) or values.shape != (len(keys), width):
            raise invalid(
                f"Expected shape [n, 1] of keys and [n, {width}] of values, got "
                f"{shape_text(keys.shape)} and {shape_text(values.shape)}"
            )
        rows: Iterable[Any] = values.reshape((len(keys), *self.value_shape))
        if not self.value_shape:
            rows = values[:, 0].tolist()
        entries = {
            key: value
            for key, value in zip(keys[:, 0].tolist(), rows, strict=True)
            if key not in self.barred
        }
        with self.lock:
            self._make_room(len(entries))
            self.entries = entries

    def _make_room(self, wanted: int) -> None:
        while wanted > self._buckets * self._max_load:
            self._buckets *= 2


def _hashes(keys: list[Any]) -> list[int]:
    if keys and isinstance(keys[0], bytes):
        found: list[int] = hashed(keys, murmur).tolist()
        return found
    return keys
