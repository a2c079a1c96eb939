"""BaseResourceVariable: reads of and writes to what is behind a handle; and what a write gives."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, NoReturn

import dataflow.ops.state.scatter as state_scatter
from dataflow.graph import default_stacks, scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.identity import identity
from dataflow.ops.basic.single import single
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape
from dataflow.variables.base import BaseVariable


class BaseResourceVariable(BaseVariable):
    """Reads of and writes to the variable behind a handle."""

    _should_act_as_resource_variable = True

    _handle: Tensor
    _handle_name: str
    _dtype: DType
    _shape: TensorShape
    _graph_element: Any
    _is_initialized_op: Tensor | None = None
    _cached_value: Tensor | None = None
    _validate_shape: bool = True

    @property
    def name(self) -> str:
        """Name of the variable: `<op name>:0`."""
        return self._handle_name

    def numpy(self) -> NoReturn:
        """There is no value without a session: `Session.run` gives it.

        Raises:
          NotImplementedError: Always.
        """
        raise NotImplementedError("numpy() is only available when eager execution is enabled.")

    @property
    def handle(self) -> Tensor:
        """The handle: a scalar tensor of dtype resource."""
        return self._handle

    @property
    def op(self) -> Operation:
        """The operation that gives the handle."""
        return self._handle.op

    @property
    def create(self) -> Operation:
        """The operation that gives the variable its initial value."""
        return self._initializer_op

    @property
    def device(self) -> str:
        """The device asked for, or ""."""
        return self._handle.device

    @property
    def dtype(self) -> DType:
        """Element type."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """Static shape of the value."""
        return self._shape

    def set_shape(self, shape: Any) -> None:
        """Refines the static shape by what the caller knows.

        Raises:
          ValueError: `shape` contradicts what is known.
        """
        self._shape = self._shape.merge_with(shape)

    def _as_graph_element(self) -> Tensor:
        element: Tensor | None = self._graph_element
        return self._read() if element is None else element

    @property
    def _in_graph_mode(self) -> bool:
        return True

    @property
    def _unique_id(self) -> str:
        """Tells it from the other variables of its graph."""
        return self._shared_name

    def _shape_as_list(self) -> list[int | None] | None:
        return None if self._shape.rank is None else self._shape.as_list()

    def _shape_tuple(self) -> tuple[int | None, ...] | None:
        return self._shape.dims_tuple

    # Reading

    def _read_variable_op(self) -> Tensor:
        return self._read()

    def value(self) -> Tensor:
        """The value, read where this is called, or what the caching device keeps of it."""
        if self._cached_value is not None:
            return self._cached_value
        with scopes.colocate_with(None, ignore_existing=True):
            return self._read()

    def _read(self) -> Tensor:
        if self._caching_device is None:
            return single("ReadVariableOp", self._handle, dtype=self._dtype)
        with (
            scopes.colocate_with(None, ignore_existing=True),
            scopes.device(self._caching_device),
        ):
            return single("ReadVariableOp", self._handle, dtype=self._dtype)

    def read_value(self) -> Tensor:
        """The value, read where this is called: after the control dependencies in force here."""
        with scopes.name_scope("Read"):
            value = self._read()
        result: Tensor = identity(value)
        return result

    def sparse_read(self, indices: Any, name: str | None = None) -> Tensor:
        """Rows of the variable.

        Args:
          indices: Row numbers: an integer tensor.
          name: Name of the operation.
        """
        with scopes.name_scope("Gather" if name is None else name) as scope:
            return single("ResourceGather", self._handle, indices, dtype=self._dtype, name=scope)

    def gather_nd(self, indices: Any, name: str | None = None) -> Tensor:
        """Slices of the variable.

        Args:
          indices: Index vectors along the last dimension: an integer tensor.
          name: Name of the operation.
        """
        with scopes.name_scope("GatherNd" if name is None else name) as scope:
            value = single("ResourceGatherNd", self._handle, indices, dtype=self._dtype, name=scope)
        result: Tensor = identity(value)
        return result

    def is_initialized(self, name: str | None = None) -> Tensor:
        """Whether the variable holds a value: a scalar bool tensor."""
        return single("VarIsInitializedOp", self._handle, name=name)

    def __deepcopy__(self, memo: Any) -> NoReturn:
        raise NotImplementedError(
            "__deepcopy__() is only available when eager execution is enabled."
        )

    # Writing

    def _in_order(self) -> AbstractContextManager[Any]:
        """Where writes are made: after a write that this is the outcome of."""
        return nullcontext() if default_stacks.graphs.stack else self.graph.as_default()

    def _after_cached_read(self) -> AbstractContextManager[Any]:
        """Makes writes wait for the read that the caching device keeps."""
        if self._cached_value is None:
            return nullcontext()
        return scopes.control_dependencies([self._cached_value])

    def _written(self, write: Operation, read_value: bool = True) -> Any:
        return UnreadVariable(self, write) if read_value else write

    _lazy_read = _written

    def _assigned(self, value: Any, **options: Any) -> Operation:
        write: Operation = apply_op("AssignVariableOp", self._handle, value, **options)
        return write

    def assign(
        self,
        value: Any,
        use_locking: bool | None = None,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Gives the variable a value.

        Args:
          value: The new value.
          use_locking: Ignored: writes always exclude others.
          name: Name of the operation.
          read_value: Returns the variable as it is after the assignment, else the operation.

        Raises:
          ValueError: The value's shape is known not to fit.
        """
        with self._in_order():
            tensor = convert_to_tensor(value, dtype=self._dtype)
            if not self._shape.is_compatible_with(tensor.shape):
                raise ValueError(
                    f"Cannot assign value to variable ' {self.name}': Shape mismatch.The variable "
                    f"shape {self._shape}, and the assigned value shape {tensor.shape} are "
                    "incompatible."
                )
            validate = self._validate_shape and self._shape.is_fully_defined()
            write = self._assigned(tensor, name=name, validate_shape=validate)
            return self._written(write, read_value)

    def assign_add(
        self,
        delta: Any,
        use_locking: bool | None = None,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Adds to the variable; see `assign`."""
        return self._changed("AssignAddVariableOp", delta, name, read_value)

    def assign_sub(
        self,
        delta: Any,
        use_locking: bool | None = None,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Subtracts from the variable; see `assign`."""
        return self._changed("AssignSubVariableOp", delta, name, read_value)

    def _changed(self, op_type: str, delta: Any, name: str | None, read_value: bool) -> Any:
        with self._in_order():
            with self._after_cached_read():
                tensor = convert_to_tensor(delta, dtype=self._dtype)
                write = apply_op(op_type, self._handle, tensor, name=name)
            return self._written(write, read_value)

    def _scatter(self, kind: str, delta: Any, use_locking: bool, name: str | None) -> Any:
        if not isinstance(delta, IndexedSlices):
            raise TypeError(
                f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {delta}"
            )
        with self._in_order():
            values = convert_to_tensor(delta.values, self._dtype)
            return self._written(
                apply_op(f"ResourceScatter{kind}", self._handle, delta.indices, values, name=name)
            )

    def batch_scatter_update(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Puts `IndexedSlices` into each tensor the variable is a batch of; see `scatter_sub`."""
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(
                "Argument `sparse_delta` must be a `tf.IndexedSlices`. "
                f"Received arg: {sparse_delta}"
            )
        with self._in_order():
            written = state_scatter.batch_scatter_update(
                self, sparse_delta.indices, sparse_delta.values, use_locking=use_locking, name=name
            )
            return self._written(written.op)

    def _scatter_nd(self, kind: str, indices: Any, updates: Any, name: str | None) -> Any:
        with self._in_order():
            values = convert_to_tensor(updates, self._dtype)
            return self._written(
                apply_op(f"ResourceScatterNd{kind}", self._handle, indices, values, name=name)
            )

    def count_up_to(self, limit: int) -> Tensor:
        """The value of a counter, which is then one higher; see `tf.count_up_to`."""
        return single("ResourceCountUpTo", self._handle, limit=limit, T=self._dtype)

    def _strided_slice_assign(
        self, begin: Any, end: Any, strides: Any, value: Any, name: str | None, **masks: int
    ) -> Any:
        with self._in_order(), self._after_cached_read():
            tensor = convert_to_tensor(value, dtype=self._dtype)
            bounds = (begin, end, strides)
            write = apply_op(
                "ResourceStridedSliceAssign", self._handle, *bounds, tensor, name=name, **masks
            )
            return self._written(write)

    # A variable is no number that `+=` could replace

    def _refuse(self, symbol: str, remedy: str, name: str = "variable") -> NoReturn:
        raise RuntimeError(
            f"`{name} {symbol}= value` with `tf.Variable`s is not supported. Use `{remedy}` to "
            f"modify the variable, or `out = {name} {symbol} value` if you need to get a new "
            "output Tensor."
        )

    def __iadd__(self, other: Any) -> NoReturn:
        self._refuse("+", "variable.assign_add(value)")

    def __isub__(self, other: Any) -> NoReturn:
        self._refuse("-", "variable.assign_sub(value)")

    def __imul__(self, other: Any) -> NoReturn:
        self._refuse("*", "var.assign(var * value)", "var")

    def __itruediv__(self, other: Any) -> NoReturn:
        self._refuse("/", "var.assign(var / value)", "var")

    def __ipow__(self, other: Any) -> NoReturn:
        self._refuse("**", "var.assign(var ** value)", "var")


class UnreadVariable(BaseResourceVariable):
    """A variable after a write: what is read from it, or written to it, comes after the write.

    As an operation it is the write.
    """

    def __init__(self, variable: BaseResourceVariable, write: Operation) -> None:
        self._handle = variable._handle
        self._handle_name = variable._handle.name
        self._dtype = variable._dtype
        self._shape = variable._shape
        self._trainable = variable._trainable
        self._synchronization = variable._synchronization
        self._aggregation = variable._aggregation
        self._initial_value = None
        self._constraint = None
        self._caching_device = None
        self._write = write
        # In a function the value is read where it is needed, if it is.
        in_function = scopes.get_default_graph().building_function
        self._graph_element = None if in_function else self._read()

    @property
    def name(self) -> str:
        """Name of the write."""
        return self._write.name

    @property
    def op(self) -> Operation:
        """The write."""
        return self._write

    def value(self) -> Tensor:
        """The value after the write."""
        return self._read()

    def read_value(self) -> Tensor:
        """The value after the write."""
        return self._read()

    def _read(self) -> Tensor:
        with scopes.control_dependencies([self._write]):
            return single("ReadVariableOp", self._handle, dtype=self._dtype)

    def _in_order(self) -> AbstractContextManager[Any]:
        return scopes.control_dependencies([self._write])
