"""RefVariable: a variable of a VariableV2 node, TensorFlow 1's default kind."""

from __future__ import annotations

from typing import Any, NoReturn

import dataflow.ops.state.reference as state_ops
import dataflow.ops.state.scatter as state_scatter
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor, register_tensor_conversion_function
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.identity import identity
from dataflow.ops.basic.single import single
from dataflow.proto.variable_pb2 import VariableDef
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.scope_names import name_from_scope_name, prepend_name_scope, strip_name_scope
from dataflow.values.shapes import TensorShape
from dataflow.values.variable_policy import settle_policy
from dataflow.variables.base import BaseVariable, checked_collections
from dataflow.variables.guard import check_outside_of_control_flow, guarded_initial_value
from dataflow.variables.slices import SaveSliceInfo


class RefVariable(BaseVariable):
    """A variable that operations refer to directly.

    When an operation that reads it runs, relative to one that writes to it, is up to the control
    dependencies between them. See `Variable` for the arguments.

    Raises:
      ValueError: There is no initial value, or its shape is not known although it should be.
    """

    _variable: Tensor
    _snapshot: Tensor

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: VariableDef | None = None,
        dtype: Any = None,
        expected_shape: Any = None,
        import_scope: str | None = None,
        constraint: Any = None,
        synchronization: Any = None,
        aggregation: Any = None,
        shape: Any = None,
    ) -> None:
        if variable_def is not None:
            if initial_value is not None:
                raise ValueError("variable_def and initial_value are mutually exclusive.")
            self._init_from_proto(variable_def, import_scope)
            return
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        if constraint is not None and not callable(constraint):
            raise ValueError("The `constraint` argument must be a callable.")
        self._synchronization, self._aggregation, self._trainable = settle_policy(
            synchronization, aggregation, trainable, name
        )
        names = checked_collections(collections, self._trainable)
        self._constraint = constraint
        self._caching_device = caching_device
        with scopes.init_scope():
            values = [] if callable(initial_value) else [initial_value]
            with scopes.name_scope(name, "Variable", values) as scope:
                self._make_nodes(initial_value, validate_shape, scope, dtype, shape)
            scopes.add_to_collections(names, self)

    def _make_nodes(
        self, initial_value: Any, validate_shape: bool, scope: str, dtype: Any, shape: Any
    ) -> None:
        if callable(initial_value):
            # What makes the value is to be where the variable will be, which is not there yet.
            group = b"loc:@" + name_from_scope_name(scope).encode()
            with scopes.get_default_graph()._scopes.with_attrs({"_class": (group,)}):
                with scopes.name_scope("Initializer"), scopes.device(None):
                    value = convert_to_tensor(initial_value(), dtype, "initial_value")
                self._variable = self._node(value, validate_shape, scope, shape)
        else:
            value = convert_to_tensor(initial_value, dtype, "initial_value")
            check_outside_of_control_flow(scope, value)
            self._variable = self._node(value, validate_shape, scope, shape)
        self._initial_value = value
        self._name = self._variable.name
        if validate_shape and not value.shape.is_fully_defined():
            raise ValueError(f"initial_value must have a shape specified: {value}")
        self._initializer_op = state_ops.assign(
            self._variable, guarded_initial_value(scope, value), validate_shape=validate_shape
        ).op
        if self._caching_device is not None:
            with scopes.device(self._caching_device):
                self._snapshot = identity(self._variable, name="read")
        else:
            with scopes.colocate_with(self._variable.op):
                self._snapshot = identity(self._variable, name="read")

    @staticmethod
    def _node(value: Tensor, validate_shape: bool, scope: str, shape: Any) -> Tensor:
        if shape is None:
            shape = value.shape if validate_shape else TensorShape(None)
        return state_ops.variable_op(shape, value.dtype.base_dtype, name=scope)

    def _init_from_proto(self, variable_def: VariableDef, import_scope: str | None) -> None:
        graph = scopes.get_default_graph()

        def find(name: str) -> Any:
            return graph.as_graph_element(prepend_name_scope(name, import_scope))

        self._variable = find(variable_def.variable_name)
        self._name = self._variable.name
        self._initializer_op = find(variable_def.initializer_name)
        initial = variable_def.initial_value_name
        self._initial_value = find(initial) if initial else None
        self._snapshot = find(variable_def.snapshot_name)
        self._synchronization, self._aggregation, self._trainable = settle_policy(
            variable_def.synchronization,
            variable_def.aggregation,
            variable_def.trainable,
            variable_def.variable_name,
        )
        if variable_def.HasField("save_slice_info_def"):
            self._save_slice_info = SaveSliceInfo(
                save_slice_info_def=variable_def.save_slice_info_def, import_scope=import_scope
            )
        self._caching_device = None
        self._constraint = None

    @staticmethod
    def from_proto(variable_def: VariableDef, import_scope: str | None = None) -> RefVariable:
        """A variable whose nodes are in the default graph already; see `to_proto`."""
        return RefVariable(variable_def=variable_def, import_scope=import_scope)

    def to_proto(self, export_scope: str | None = None) -> VariableDef | None:
        """The names of the variable's nodes, or None if it is not in the scope to export."""
        if export_scope is not None and not self._variable.name.startswith(export_scope):
            return None
        variable_def = VariableDef(
            variable_name=strip_name_scope(self._variable.name, export_scope),
            initializer_name=strip_name_scope(self.initializer.name, export_scope),
            snapshot_name=strip_name_scope(self._snapshot.name, export_scope),
            trainable=self.trainable,
            synchronization=self.synchronization.value,  # type: ignore[arg-type]
            aggregation=self.aggregation.value,  # type: ignore[arg-type]
        )
        if self._initial_value is not None:
            name = strip_name_scope(self._initial_value.name, export_scope)
            variable_def.initial_value_name = name
        if self._save_slice_info is not None:
            info = self._save_slice_info.to_proto(export_scope)
            if info is not None:
                variable_def.save_slice_info_def.CopyFrom(info)
        return variable_def

    @property
    def name(self) -> str:
        """Name of the variable: `<op name>:0`."""
        return self._name

    @property
    def op(self) -> Operation:
        """The VariableV2 operation."""
        return self._variable.op

    @property
    def dtype(self) -> DType:
        """Element type, as a ref type."""
        return self._variable.dtype

    @property
    def shape(self) -> TensorShape:
        """Static shape of the value."""
        return self._variable.shape

    def set_shape(self, shape: Any) -> None:
        """Refines the static shape by what the caller knows.

        Raises:
          ValueError: `shape` contradicts what is known.
        """
        self._variable.set_shape(shape)
        self._snapshot.set_shape(shape)

    def __iter__(self) -> NoReturn:
        raise TypeError("'Variable' object is not iterable.")

    def value(self) -> Tensor:
        """The value, as operations take it: what is there when the operation runs."""
        return self._snapshot

    def read_value(self) -> Tensor:
        """The value, read where this is called: after the control dependencies in force here."""
        result: Tensor = identity(self._variable, name="read")
        return result

    def is_initialized(self, name: str | None = None) -> Tensor:
        """Whether the variable holds a value: a scalar bool tensor."""
        return state_ops.is_variable_initialized(self._variable, name=name)

    def _as_graph_element(self) -> Tensor:
        return self._variable

    def _ref(self) -> Tensor:
        """The reference, for operations that write to the variable."""
        return self._variable

    # Writing

    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Gives the variable a value.

        Args:
          value: The new value.
          use_locking: Whether the assignment excludes others.
          name: Name of the operation.
          read_value: Returns the reference after the assignment, else the operation.

        Raises:
          ValueError: The value's shape is known not to fit.
        """
        assigned = state_ops.assign(self._variable, value, use_locking=use_locking, name=name)
        return assigned if read_value else assigned.op

    def assign_add(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Adds to the variable; see `assign`."""
        assigned = state_ops.assign_add(self._variable, delta, use_locking=use_locking, name=name)
        return assigned if read_value else assigned.op

    def assign_sub(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Subtracts from the variable; see `assign`."""
        assigned = state_ops.assign_sub(self._variable, delta, use_locking=use_locking, name=name)
        return assigned if read_value else assigned.op

    def _scatter(self, kind: str, delta: Any, use_locking: bool, name: str | None) -> Tensor:
        if not isinstance(delta, IndexedSlices):
            raise TypeError(f"sparse_delta is not IndexedSlices: {delta}")
        return single(
            f"Scatter{kind}",
            self._variable,
            delta.indices,
            delta.values,
            use_locking=use_locking,
            name=name,
        )

    def batch_scatter_update(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Tensor:
        """Puts `IndexedSlices` into each tensor the variable is a batch of; see `scatter_sub`."""
        result: Tensor = state_scatter.batch_scatter_update(
            self, sparse_delta.indices, sparse_delta.values, use_locking=use_locking, name=name
        )
        return result

    def _scatter_nd(self, kind: str, indices: Any, updates: Any, name: str | None) -> Tensor:
        return single(
            f"ScatterNd{kind}", self._variable, indices, updates, use_locking=True, name=name
        )

    def count_up_to(self, limit: int) -> Tensor:
        """The value of a counter, which is then one higher; see `tf.count_up_to`."""
        return state_ops.count_up_to(self._variable, limit=limit)

    def _strided_slice_assign(
        self, begin: Any, end: Any, strides: Any, value: Any, name: str | None, **masks: int
    ) -> Tensor:
        return single(
            "StridedSliceAssign", self._variable, begin, end, strides, value, name=name, **masks
        )


def _to_tensor(
    value: RefVariable, dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> Any:
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
        raise ValueError(
            f"Incompatible type conversion requested to type '{dtypes.as_dtype(dtype).name}' for "
            f"variable of type '{value.dtype.name}'"
        )
    return value._ref() if as_ref else value.value()


register_tensor_conversion_function(RefVariable, _to_tensor)
