"""A table that is cut into several by its keys."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.graph.operation import Operation
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.lookup.mutable import DenseHashTable
from dataflow.ops.array.partition import dynamic_partition, dynamic_stitch
from dataflow.ops.array.shape import reshape
from dataflow.ops.array.slice import slice as sliced
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.range import range as number_range
from dataflow.ops.math.division import floormod
from dataflow.ops.math.unary import abs as absolute
from dataflow.ops.reductions.sum import add_n
from dataflow.values import dtypes


class ShardedMutableDenseHashTable:
    """Tables of which each has the keys whose first number is its own, modulo how many they are."""

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        empty_key: Any,
        deleted_key: Any,
        num_shards: int = 1,
        checkpoint: bool = True,
        name: str = "ShardedMutableHashTable",
    ) -> None:
        """Makes empty tables.

        Args:
          key_dtype: Type of the keys.
          value_dtype: Type of the values.
          default_value: The value of keys that are not there.
          empty_key: A key that is never used.
          deleted_key: Another one.
          num_shards: How many tables there are.
          checkpoint: Whether checkpoints hold their entries.
          name: Begins the tables' names.
        """
        self._key_dtype = dtypes.as_dtype(key_dtype)
        self._key_shape = np.shape(empty_key)
        self._value_shape = np.shape(default_value)
        with name_scope(name, "sharded_mutable_hash_table") as scope:
            self._table_name = scope
            self._table_shards = [
                DenseHashTable(
                    key_dtype,
                    value_dtype,
                    default_value,
                    empty_key,
                    deleted_key,
                    name=f"{name}-{number + 1}-of-{num_shards}",
                    checkpoint=checkpoint,
                )
                for number in range(num_shards)
            ]

    @property
    def name(self) -> str:
        """The name scope."""
        return self._table_name

    @property
    def table_shards(self) -> list[DenseHashTable]:
        """The tables."""
        return self._table_shards

    def size(self, name: str | None = None) -> Tensor:
        """How many entries there are."""
        with name_scope(name, "sharded_mutable_hash_table_size"):
            return add_n([each.size() for each in self._table_shards])

    def lookup(self, keys: Any, name: str | None = None) -> Tensor:
        """The values of keys.

        Args:
          keys: A vector, or a matrix whose rows are keys; its shape must be known.
          name: Name of the operations.

        Raises:
          TypeError: The keys are of another type.
          ValueError: Their shape is not known, or of another rank.
        """
        if keys.dtype.base_dtype != self._key_dtype:
            raise TypeError(
                f"Signature mismatch. Keys must be dtype {self._key_dtype}, got {keys.dtype}."
            )
        _check(keys)
        if len(self._table_shards) == 1:
            alone: Tensor = self._table_shards[0].lookup(keys, name=name)
            return alone
        shards, parts = self._cut(keys)
        count = keys.shape[0].value
        places = dynamic_partition(number_range(count), shards, len(parts))
        values = [
            table.lookup(part, name=name)
            for table, part in zip(self._table_shards, parts, strict=True)
        ]
        found = dynamic_stitch(places, values)
        found.set_shape([count, *self._value_shape])
        return found

    def insert(self, keys: Any, values: Any, name: str | None = None) -> Operation:
        """An operation that gives keys their values; see `lookup`."""
        _check(keys)
        if len(self._table_shards) == 1:
            return self._table_shards[0].insert(keys, values, name=name)
        shards, parts = self._cut(keys)
        of_parts = dynamic_partition(values, shards, len(parts))
        return group(
            *(
                table.insert(part, value, name=name)
                for table, part, value in zip(self._table_shards, parts, of_parts, strict=True)
            )
        )

    def export_sharded(self, name: str | None = None) -> tuple[list[Tensor], list[Tensor]]:
        """The keys and the values of each table."""
        found = [each.export(name=name) for each in self._table_shards]
        for keys, values in found:
            keys.set_shape([None, *self._key_shape])
            values.set_shape([None, *self._value_shape])
        return [keys for keys, _ in found], [values for _, values in found]

    def _cut(self, keys: Any) -> tuple[Tensor, Any]:
        """The table of each key, and the keys of each table."""
        count, first = len(self._table_shards), keys
        if keys.shape.ndims > 1:
            first = reshape(sliced(keys, [0, 0], [keys.shape[0].value, 1]), [-1])
        shards = cast(floormod(absolute(first), count), dtypes.int32)
        return shards, dynamic_partition(keys, shards, count)


def _check(keys: Any) -> None:
    if not keys.shape.is_fully_defined():
        raise ValueError(f"Key shape must be fully defined, got {keys.shape}.")
    if keys.shape.ndims not in (1, 2):
        raise ValueError(f"Expected a vector or matrix for keys, got {keys.shape}.")
