"""Tables of the states that chunks of a series ended with."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import control_dependencies
from dataflow.library.lookup.mutable import DenseHashTable
from dataflow.ops.array.concat import concat
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.identity import identity
from dataflow.values import nest


class TensorTable:
    """A table whose values are tensors of one shape, which it keeps as vectors."""

    def __init__(self, key_dtype: Any, default_value: Any, **options: Any) -> None:
        """Takes the value of keys that are not there, and options of the table."""
        self._key_dtype = key_dtype
        self._value_shape = array_shape.shape(default_value)
        self._table = DenseHashTable(
            key_dtype=key_dtype,
            value_dtype=default_value.dtype.base_dtype,
            default_value=array_shape.reshape(default_value, [-1]),
            **options,
        )

    def insert(self, keys: Any, values: Any) -> Any:
        """The operation that puts a value for each key into the table."""
        flat = array_shape.reshape(convert_to_tensor(keys, dtype=self._key_dtype), [-1])
        sizes: Any = array_shape.shape(flat)
        return self._table.insert(flat, array_shape.reshape(values, [sizes[0], -1]))

    def lookup(self, keys: Any) -> Any:
        """The value of each key."""
        flat = array_shape.reshape(convert_to_tensor(keys, dtype=self._key_dtype), [-1])
        return array_shape.reshape(
            self._table.lookup(flat), concat([array_shape.shape(keys), self._value_shape], 0)
        )


class TupleOfTensorsLookup:
    """Tables of states that are structures of tensors: one for each tensor."""

    def __init__(
        self,
        key_dtype: Any,
        default_values: Any,
        empty_key: Any,
        deleted_key: Any,
        name: str,
        checkpoint: bool = True,
    ) -> None:
        """Takes what a `DenseHashTable` does, with a structure of defaults.

        Args:
          key_dtype: The type of keys.
          default_values: What keys have that are not there.
          empty_key: A key that is never used.
          deleted_key: Another one.
          name: What the tables' names begin with.
          checkpoint: Whether checkpoints have them.
        """
        self._tables = nest.pack_sequence_as(
            default_values,
            [
                TensorTable(
                    key_dtype,
                    default_value,
                    empty_key=empty_key,
                    deleted_key=deleted_key,
                    name=f"{name}_{number}",
                    checkpoint=checkpoint,
                )
                for number, default_value in enumerate(nest.flatten(default_values))
            ],
        )

    def lookup(self, keys: Any) -> Any:
        """The structure of values of each key."""
        found = [table.lookup(keys) for table in nest.flatten(self._tables)]
        return nest.pack_sequence_as(self._tables, found)

    def insert(self, keys: Any, values: Any) -> Any:
        """The operation that puts structures of values into the tables."""
        nest.assert_same_structure(self._tables, values)
        # One table's values may depend on what was read of another.
        flat = [identity(value) for value in nest.flatten(values)]
        with control_dependencies(flat):
            return group(
                *(
                    table.insert(keys, value)
                    for table, value in zip(nest.flatten(self._tables), flat, strict=True)
                )
            )
