"""ResourceVariable: a variable behind a handle, whose reads happen where they are asked for."""

from __future__ import annotations

from typing import Any

from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor, register_tensor_conversion_function
from dataflow.ops.basic.identity import identity
from dataflow.ops.basic.single import single
from dataflow.proto.variable_pb2 import VariableDef
from dataflow.values import dtypes
from dataflow.values.scope_names import name_from_scope_name, prepend_name_scope, strip_name_scope
from dataflow.values.shapes import TensorShape, as_shape
from dataflow.values.variable_policy import settle_policy
from dataflow.variables.base import checked_collections
from dataflow.variables.guard import check_outside_of_control_flow, guarded_initial_value
from dataflow.variables.resource_variable_base import BaseResourceVariable
from dataflow.variables.slices import SaveSliceInfo


class ResourceVariable(BaseResourceVariable):
    """A variable behind a handle.

    A read sees every write it has a control dependency on, and none that has one on it. See
    `Variable` for the arguments.

    Raises:
      ValueError: There is no initial value, or it does not fit `shape`.
    """

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        dtype: Any = None,
        variable_def: VariableDef | None = None,
        import_scope: str | None = None,
        constraint: Any = None,
        distribute_strategy: Any = None,
        synchronization: Any = None,
        aggregation: Any = None,
        shape: Any = None,
    ) -> None:
        self._validate_shape = validate_shape
        if variable_def is not None:
            if initial_value is not None:
                raise ValueError(
                    "The variable_def and initial_value args to `tf.Variable` are mutually "
                    f"exclusive, but got both: variable_def={variable_def},\n"
                    f"initial_value={initial_value}"
                )
            self._init_from_proto(variable_def, import_scope)
            return
        if initial_value is None:
            raise ValueError(
                "The `initial_value` arg to `tf.Variable` must be specified except when you are "
                "not providing a `variable_def`. You provided neither."
            )
        if constraint is not None and not callable(constraint):
            raise ValueError(
                "Argument `constraint` must be None or a callable. a callable. "
                f"Got a {type(constraint)}:  {constraint}"
            )
        self._synchronization, self._aggregation, self._trainable = settle_policy(
            synchronization, aggregation, trainable, name
        )
        names = checked_collections(collections, self._trainable)
        self._constraint = constraint
        self._caching_device = caching_device
        with scopes.init_scope():
            values = [] if callable(initial_value) else [initial_value]
            with scopes.name_scope(name, "Variable", values) as scope:
                self._make_nodes(initial_value, scope, dtype, shape)
                scopes.add_to_collections(names, self)

    def _make_nodes(self, initial_value: Any, scope: str, dtype: Any, shape: Any) -> None:
        name = name_from_scope_name(scope)
        group = b"loc:@" + name.encode()
        with scopes.get_default_graph()._scopes.with_attrs({"_class": (group,)}):
            with scopes.name_scope("Initializer"), scopes.device(None):
                given = initial_value() if callable(initial_value) else initial_value
                value = convert_to_tensor(given, dtype, "initial_value")
            if not callable(initial_value):
                check_outside_of_control_flow(scope, value)
            if shape is None:
                shape = value.shape
            elif not value.shape.is_compatible_with(shape):
                raise ValueError(
                    "In this `tf.Variable` creation, the initial value's shape "
                    f"({value.shape}) is not compatible with the explicitly supplied `shape` "
                    f"argument ({shape})."
                )
            self._dtype = value.dtype.base_dtype
            self._shape = as_shape(shape)
            self._handle = single(
                "VarHandleOp",
                shape=self._shape,
                dtype=self._dtype,
                shared_name=name,
                debug_name=scope,
                name=scope,
            )
        self._handle_name = f"{name}:0"
        self._initial_value = value
        with scopes.name_scope("IsInitialized"):
            self._is_initialized_op = single("VarIsInitializedOp", self._handle)
        with (
            scopes.name_scope("Assign") as assign_scope,
            scopes.colocate_with(None, ignore_existing=True),
            scopes.device(self._handle.device),
        ):
            self._initializer_op = self._assigned(
                guarded_initial_value(scope, value), name=assign_scope
            )
        with scopes.name_scope("Read"):
            with scopes.device(self._handle.device):
                self._graph_element = single("ReadVariableOp", self._handle, dtype=self._dtype)
            if self._caching_device is not None:
                with (
                    scopes.colocate_with(None, ignore_existing=True),
                    scopes.device(self._caching_device),
                ):
                    self._cached_value = identity(self._graph_element)

    def _init_from_proto(self, variable_def: VariableDef, import_scope: str | None) -> None:
        if not variable_def.is_resource:
            raise ValueError(
                "The `variable_def` you passed to `tf.Variable` is Trying to restore a TF 1.x "
                "Reference Variable as a TF 2.x ResourceVariable. This is unsupported. "
                f"Got variable_def={variable_def}"
            )
        graph = scopes.get_default_graph()

        def find(name: str) -> Any:
            return graph.as_graph_element(prepend_name_scope(name, import_scope))

        self._handle = find(variable_def.variable_name)
        self._handle_name = self._handle.name
        self._dtype = self._handle.op.attrs["dtype"]
        self._shape = TensorShape(self._handle.op.attrs["shape"])
        self._initializer_op = find(variable_def.initializer_name)
        initial = variable_def.initial_value_name
        self._initial_value = find(initial) if initial else None
        if variable_def.snapshot_name:
            snapshot = find(variable_def.snapshot_name)
            if snapshot.op.type != "ReadVariableOp":
                self._cached_value = snapshot
            while snapshot.op.type != "ReadVariableOp":
                snapshot = snapshot.op.inputs[0]
            self._graph_element = snapshot
        else:
            name = f"{self._handle.op.name}/Read/ReadVariableOp:0"
            self._graph_element = graph.get_tensor_by_name(name)
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
    def from_proto(variable_def: VariableDef, import_scope: str | None = None) -> ResourceVariable:
        """A variable whose nodes are in the default graph already; see `to_proto`."""
        return ResourceVariable(variable_def=variable_def, import_scope=import_scope)

    def to_proto(self, export_scope: str | None = None) -> VariableDef | None:
        """The names of the variable's nodes, or None if it is not in the scope to export."""
        if export_scope is not None and not self._handle.name.startswith(export_scope):
            return None
        snapshot = self._graph_element if self._cached_value is None else self._cached_value
        variable_def = VariableDef(
            variable_name=strip_name_scope(self._handle.name, export_scope),
            initializer_name=strip_name_scope(self.initializer.name, export_scope),
            snapshot_name=strip_name_scope(snapshot.name, export_scope),
            is_resource=True,
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


def _to_tensor(
    value: BaseResourceVariable, dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> Any:
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
        raise ValueError(
            f"Incompatible type conversion requested to type {dtypes.as_dtype(dtype).name} for "
            f"`tf.Variable of type {value.dtype.name}. (Variable: {value})"
        )
    return value.read_value().op.inputs[0] if as_ref else value.value()


register_tensor_conversion_function(BaseResourceVariable, _to_tensor)
