"""A lookup table: a dictionary with the types of its keys and values."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from dataflow.errors import FailedPreconditionError, UnimplementedError
from dataflow.kernels.contract.handles import Referable
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.contract.type_names import type_name
from dataflow.values.dtypes import DType


class Table(Referable):
    """What all tables can do."""

    kind: ClassVar[str] = "HashTable"

    def __init__(
        self, name: str, key_dtype: DType, value_dtype: DType, value_shape: tuple[int, ...] = ()
    ) -> None:
        """Makes a table without keys.

        Args:
          name: Its name, for messages.
          key_dtype: Type of its keys.
          value_dtype: Type of its values.
          value_shape: Shape of each value.
        """
        self.name = name
        self.key_dtype = key_dtype
        self.value_dtype = value_dtype
        self.value_shape = value_shape
        self.lock = threading.RLock()
        self.entries: dict[Any, Any] = {}

    def check_types(self, key_dtype: DType, value_dtype: DType | None) -> None:
        """Refuses keys and values of other types than the table's."""
        if key_dtype != self.key_dtype or value_dtype not in (None, self.value_dtype):
            given = self.value_dtype if value_dtype is None else value_dtype
            raise invalid(
                f"Table '{self.name}' maps {type_name(self.key_dtype)} to "
                f"{type_name(self.value_dtype)}, not {type_name(key_dtype)} to {type_name(given)}"
            )

    def size(self) -> int:
        """How many keys there are."""
        return len(self.entries)

    def find(self, keys: Any, default: Any) -> Any:
        """The values of keys, and the default for those that are not there."""
        default = np.asarray(default)
        names, places = self.listed(keys)
        shape = places + self.value_shape
        if default.shape not in (self.value_shape, shape):
            raise invalid(
                f"Expected shape {shape_text(self.value_shape)} or {shape_text(shape)} for "
                f"default value, got {shape_text(default.shape)}"
            )
        get, found = self.entries.get, np.empty(shape, default.dtype)
        if not self.value_shape and not default.ndim:
            value = default.item()
            flat = np.empty(len(names), default.dtype)
            flat[:] = [get(key, value) for key in names]
            return flat.reshape(shape)
        rows = found.reshape((len(names), *self.value_shape))
        rows[...] = default if default.shape != shape else default.reshape(rows.shape)
        for place, key in enumerate(names):
            value = get(key)
            if value is not None:
                rows[place] = value
        return found

    def export(self) -> tuple[Any, Any]:
        """All keys and values."""
        with self.lock:
            entries = dict(self.entries)
        keys = np.empty(len(entries), self.key_dtype.as_numpy_dtype)
        keys[:] = list(entries)
        values = np.empty((len(entries), *self.value_shape), self.value_dtype.as_numpy_dtype)
        for place, value in enumerate(entries.values()):
            values[place] = value
        return keys, values

    def pairs(self, keys: Any, values: Any) -> list[tuple[Any, Any]]:
        """Keys with their values."""
        values = np.asarray(values)
        names, places = self.listed(keys)
        shape = places + self.value_shape
        if values.shape != shape:
            raise invalid(
                f"Expected shape {shape_text(shape)} for value, got {shape_text(values.shape)}"
            )
        if self.value_shape:
            rows: Sequence[Any] = list(values.reshape((len(names), *self.value_shape)).copy())
        else:
            rows = values.ravel().tolist()
        return list(zip(names, rows, strict=True))

    def listed(self, keys: Any) -> tuple[list[Any], tuple[int, ...]]:
        """Keys of a tensor in order, and the shape in which they stand there."""
        keys = np.asarray(keys)
        return keys.ravel().tolist(), keys.shape


class StaticTable(Table):
    """A table that is filled once."""

    is_filled = False

    def size(self) -> int:
        """How many keys there are."""
        self._check_filled()
        return super().size()

    def find(self, keys: Any, default: Any) -> Any:
        """The values of keys, and the default for those that are not there."""
        self._check_filled()
        return super().find(keys, default)

    def export(self) -> tuple[Any, Any]:
        """All keys and values."""
        self._check_filled()
        return super().export()

    def fill(self, pairs: Callable[[], Sequence[tuple[Any, Any]]]) -> None:
        """Fills the table, unless it is filled with as many keys."""
        with self.lock:
            made = pairs()
            if self.is_filled:
                if len(made) != len(self.entries):
                    raise FailedPreconditionError(None, None, "Table already initialized.")
                return
            entries: dict[Any, Any] = {}
            for key, value in made:
                if entries.setdefault(key, value) != value:
                    raise FailedPreconditionError(
                        None,
                        None,
                        f"HashTable has different value for same key. Key {_shown(key)} has "
                        f"{_shown(entries[key])} and trying to add value {_shown(value)}",
                    )
            self.entries, self.is_filled = entries, True

    def insert(self, keys: Any, values: Any) -> None:
        """Refuses to change the table."""
        raise UnimplementedError(None, None, "Insert not supported by HashTable implementations")

    def remove(self, keys: Any) -> None:
        """Refuses to change the table."""
        raise UnimplementedError(None, None, "Remove not supported by HashTable implementations")

    def replace(self, keys: Any, values: Any) -> None:
        """Fills the table, with one key at least."""
        if not np.size(keys):
            raise invalid("keys and values cannot be empty tensors.")
        self.fill(lambda: self.pairs(keys, values))

    def _check_filled(self) -> None:
        if not self.is_filled:
            raise FailedPreconditionError(None, None, "Table not initialized.")


class MutableTable(Table):
    """A table that steps may change."""

    kind = "MutableHashTable"

    def find(self, keys: Any, default: Any) -> Any:
        """The values of keys, and the default for those that are not there."""
        with self.lock:
            return super().find(keys, default)

    def insert(self, keys: Any, values: Any) -> None:
        """Gives keys their values."""
        pairs = self.pairs(keys, values)
        with self.lock:
            self.entries.update(pairs)

    def remove(self, keys: Any) -> None:
        """Takes keys out; those that are not there are no mistake."""
        names, _ = self.listed(keys)
        with self.lock:
            for key in names:
                self.entries.pop(key, None)

    def replace(self, keys: Any, values: Any) -> None:
        """Replaces all that there is."""
        entries = dict(self.pairs(keys, values))
        with self.lock:
            self.entries = entries


def _shown(value: Any) -> Any:
    return value.decode(errors="backslashreplace") if isinstance(value, bytes) else value
