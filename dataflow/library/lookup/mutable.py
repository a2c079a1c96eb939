"""Tables that steps change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import add_to_collection, colocate_with, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.lookup.tables import HandleTable
from dataflow.library.saveable_object import SaveableObject, SaveSpec
from dataflow.ops.basic.single import single
from dataflow.values import dtypes
from dataflow.values.dtypes import DType

_DEFAULT_BUCKETS = 131072


class _Saveable(SaveableObject):
    """The keys and values of a table, as a checkpoint has them."""

    def __init__(self, table: MutableTable, name: str, scope: str) -> None:
        """Wraps a table; operations that restore it go by the name of a scope."""
        self._scope = scope
        keys, values = table.export()
        specs = [SaveSpec(keys, "", f"{name}-keys"), SaveSpec(values, "", f"{name}-values")]
        super().__init__(table, specs, name)

    def restore(
        self, restored_tensors: Sequence[Tensor], restored_shapes: Sequence[Any] | None
    ) -> Operation:
        """An operation that replaces all that the table has."""
        handle = self.op.resource_handle
        with name_scope(f"{self._scope}_table_restore"), colocate_with(handle):
            made: Operation = apply_op("LookupTableImportV2", handle, *restored_tensors)
        return made


class MutableTable(HandleTable):
    """What tables can do that steps change."""

    _find_scope, _export_scope = "lookup_table_find", "lookup_table_export_values"

    def _gather_saveables_for_checkpoint(self) -> dict[str, Callable[..., SaveableObject]]:
        """What checkpoints of objects save of it, as TensorFlow names it."""
        return {"table": lambda name=self.name: _Saveable(self, name, self.name)}

    def insert(self, keys: Any, values: Any, name: str | None = None) -> Operation:
        """An operation that gives keys their values."""
        with name_scope(name, f"{self.name}_lookup_table_insert"):
            flat = self._keys(keys)
            self._check(flat)
            given = convert_to_tensor(values, dtype=self._value_dtype, name="values")
            with self._place():
                made: Operation = apply_op("LookupTableInsertV2", self._handle, flat, given)
        return made

    def remove(self, keys: Any, name: str | None = None) -> Operation:
        """An operation that takes keys out; those that are not there are no mistake."""
        with name_scope(name, f"{self.name}_lookup_table_remove"):
            flat = self._keys(keys)
            self._check(flat)
            made: Operation = apply_op("LookupTableRemoveV2", self._handle, flat)
        return made

    def _place(self) -> AbstractContextManager[None]:
        return colocate_with(self._handle)

    def _save_as(self, name: str) -> None:
        add_to_collection(GraphKeys.SAVEABLE_OBJECTS, _Saveable(self, name, name))


class MutableHashTable(MutableTable):
    """A table of scalars, or of tensors of the default value's shape."""

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        """Makes an empty table.

        Args:
          key_dtype: Type of the keys.
          value_dtype: Type of the values.
          default_value: The value of keys that it does not have; values have its shape.
          name: Name of the operation, and of the table in checkpoints.
          checkpoint: Whether checkpoints hold its entries.
          experimental_is_anonymous: Whether its entries end with its handle.
        """
        default = convert_to_tensor(default_value, dtype=value_dtype)
        of_tensors = default.shape.rank != 0
        attrs: dict[str, Any] = {"key_dtype": key_dtype, "value_dtype": value_dtype, "name": name}
        if of_tensors:
            attrs["value_shape"] = default.shape
        if experimental_is_anonymous:
            op = "AnonymousMutableHashTableOfTensors" if of_tensors else "AnonymousMutableHashTable"
        else:
            op = "MutableHashTableOfTensorsV2" if of_tensors else "MutableHashTableV2"
            attrs["use_node_name_sharing"] = checkpoint
        super().__init__(single(op, **attrs), key_dtype, value_dtype, default)
        if checkpoint:
            self._save_as(name)

    # TensorFlow's order of arguments, which differs from that of other tables.
    def lookup(  # type: ignore[override]
        self, keys: Any, dynamic_default_values: Any = None, name: str | None = None
    ) -> Any:
        """The values of keys; of those that are not there, the default or a value for each."""
        if dynamic_default_values is None:
            return self._find(keys, self._default, name)
        return self._find(keys, dynamic_default_values, name)


class DenseHashTable(MutableTable):
    """A table in which two keys cannot be: they mark free places and those of removed keys.

    Keys are scalars, or vectors of the size of these two.
    """

    _exports_entries = False

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        empty_key: Any,
        deleted_key: Any,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        """Makes an empty table.

        Args:
          key_dtype: Type of the keys.
          value_dtype: Type of the values.
          default_value: The value of keys that it does not have; values have its shape.
          empty_key: A key that is never used.
          deleted_key: Another one.
          initial_num_buckets: How many places there are at first, a power of 2.
          name: Name of the operation, and of the table in checkpoints.
          checkpoint: Whether checkpoints hold its entries.
          experimental_is_anonymous: Whether its entries end with its handle.
        """
        default = convert_to_tensor(default_value, dtype=value_dtype, name="default_value")
        key_type: DType = dtypes.as_dtype(key_dtype)
        empty = convert_to_tensor(empty_key, dtype=key_type, name="empty_key")
        deleted = convert_to_tensor(deleted_key, dtype=key_type, name="deleted_key")
        attrs: dict[str, Any] = {
            "value_dtype": value_dtype,
            "value_shape": default.shape,
            "initial_num_buckets": initial_num_buckets or _DEFAULT_BUCKETS,
            "name": name,
        }
        op = "AnonymousMutableDenseHashTable"
        if not experimental_is_anonymous:
            op = "MutableDenseHashTableV2"
            attrs["use_node_name_sharing"] = checkpoint
        super().__init__(single(op, empty, deleted, **attrs), key_type, value_dtype, default)
        if checkpoint:
            self._save_as(name)

    def insert_or_assign(self, keys: Any, values: Any, name: str | None = None) -> Operation:
        """An operation that gives keys their values."""
        return self.insert(keys, values, name)

    def erase(self, keys: Any, name: str | None = None) -> Operation:
        """An operation that takes keys out."""
        return self.remove(keys, name)
