"""Tables behind handles, and those of them that are filled once."""

from __future__ import annotations

import uuid
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import (
    get_collection,
    get_default_graph,
    init_scope,
    name_scope,
)
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.library.lookup.initializers import TableInitializerBase
from dataflow.library.lookup.resources import TrackableResource, made_again
from dataflow.ops.basic.single import single
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape


class LookupInterface(TrackableResource):
    """What all tables have: the types of their keys and values."""

    def __init__(self, key_dtype: Any, value_dtype: Any) -> None:
        """Tells the types of keys and values."""
        super().__init__()
        self._key_dtype = dtypes.as_dtype(key_dtype)
        self._value_dtype = dtypes.as_dtype(value_dtype)

    @property
    def key_dtype(self) -> DType:
        """Type of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """Type of the values."""
        return self._value_dtype

    @property
    def name(self) -> str:
        """Name of the table."""
        raise NotImplementedError

    def size(self, name: str | None = None) -> Tensor:
        """How many keys the table has."""
        raise NotImplementedError

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The values of keys."""
        raise NotImplementedError


class HandleTable(LookupInterface):
    """A table of its own op, whose handle other ops take."""

    _find_scope, _export_scope = "Lookup", "Export"
    """What TensorFlow calls the scopes of these operations, behind the table's name."""
    _exports_entries = True
    """Whether exported keys are a vector, with one value for each."""

    def __init__(self, handle: Tensor, key_dtype: Any, value_dtype: Any, default: Any) -> None:
        """Wraps a handle.

        Args:
          handle: The output of the table's op.
          key_dtype: Type of the keys.
          value_dtype: Type of the values.
          default: The value of keys that the table does not have.
        """
        super().__init__(key_dtype, value_dtype)
        self._handle = self._resource_handle = handle
        self._default = convert_to_tensor(default, dtype=self._value_dtype)

    @property
    def name(self) -> str:
        """Name of the table."""
        name: str = self._handle.op.name.split("/")[-1]
        return name

    def size(self, name: str | None = None) -> Tensor:
        """How many keys the table has."""
        with name_scope(name, f"{self.name}_Size"), self._place():
            return single("LookupTableSizeV2", self._handle)

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The values of keys, dense or sparse; the default for those that are not there.

        Raises:
          TypeError: The keys are of another type than the table's.
        """
        return self._find(keys, self._default, name)

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys and values."""
        with name_scope(name, f"{self.name}_{self._export_scope}"), self._place():
            keys, values = apply_op(
                "LookupTableExportV2",
                self._handle,
                Tkeys=self._key_dtype,
                Tvalues=self._value_dtype,
            )
        if self._exports_entries:
            keys.set_shape([None])
            values.set_shape(TensorShape([None]).concatenate(self._default.shape))
        return keys, values

    def __getitem__(self, keys: Any) -> Any:
        """The values of keys."""
        return self.lookup(keys)

    def _create_resource(self) -> Tensor:
        """Another handle of a table of this kind."""
        op = self._handle.op
        # Names of nodes are not shared between graphs.
        own = {} if op.attrs.get("shared_name", b"-") else {"shared_name": f"table_{uuid.uuid4()}"}
        return made_again(op, {}, **own).outputs[0]

    def _find(self, keys: Any, default: Any, name: str | None) -> Any:
        flat = keys.values if isinstance(keys, SparseTensor) else self._keys(keys)
        self._check(flat)
        with name_scope(name, f"{self.name}_{self._find_scope}"), self._place():
            values = single("LookupTableFindV2", self._handle, flat, default)
        if values.shape.rank is None:
            values.set_shape(flat.shape.concatenate(self._default.shape))
        if isinstance(keys, SparseTensor):
            return SparseTensor(keys.indices, values, keys.dense_shape)
        return values

    def _place(self) -> AbstractContextManager[None]:
        """Where operations on the table are made."""
        return nullcontext()

    def _keys(self, keys: Any) -> Tensor:
        if isinstance(keys, Tensor):
            return keys
        return convert_to_tensor(keys, dtype=self._key_dtype, name="keys")

    def _check(self, keys: Tensor) -> None:
        if keys.dtype.base_dtype != self._key_dtype:
            raise TypeError(
                f"Signature mismatch. Keys must be dtype {self._key_dtype}, got {keys.dtype}."
            )


class StaticHashTable(HandleTable):
    """A table that an initializer fills once."""

    def __init__(
        self,
        initializer: TableInitializerBase,
        default_value: Any,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        """Makes a table, and adds what fills it to the collection of such operations.

        Args:
          initializer: What fills it.
          default_value: The value of keys that it does not have.
          name: Name of the operation.
          experimental_is_anonymous: Whether no other table shares its entries.
        """
        shared = "" if experimental_is_anonymous else self._name_to_share(initializer)
        with init_scope():
            handle = single(
                "HashTableV2",
                shared_name=shared or f"hash_table_{uuid.uuid4()}",
                key_dtype=initializer.key_dtype,
                value_dtype=initializer.value_dtype,
                name=name or "hash_table",
            )
        super().__init__(handle, initializer.key_dtype, initializer.value_dtype, default_value)
        if self._default.shape.rank:
            raise ValueError(f"The default value must be a scalar, got {self._default.shape}.")
        with init_scope() if get_default_graph()._get_control_flow_context() else nullcontext():
            self._initializer = initializer.initialize(self)

    @property
    def default_value(self) -> Tensor:
        """The value of keys that the table does not have."""
        return self._default

    @property
    def initializer(self) -> Operation:
        """The operation that fills the table."""
        return self._initializer

    def _initialize(self) -> Operation:
        files = get_collection(GraphKeys.ASSET_FILEPATHS)
        return made_again(self._initializer, {id(each): each for each in (self._handle, *files)})

    def _name_to_share(self, initializer: TableInitializerBase) -> str:
        """The name under which other tables find the same entries; "" for none."""
        return initializer._shared_name
