"""tensorflow.python.ops.resource_variable_ops: variables behind handles, and what these are."""

from __future__ import annotations

from typing import Any

from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.porting.spellings.raw import op
from dataflow.values.shapes import as_shape
from dataflow.variables.resource_variable import ResourceVariable
from dataflow.variables.resource_variable_base import BaseResourceVariable, UnreadVariable
from dataflow.variables.variable import Variable


def is_resource_variable(var: Any) -> bool:
    """Whether a variable is behind a handle."""
    return isinstance(var, BaseResourceVariable) or hasattr(var, "_should_act_as_resource_variable")


def shape_safe_assign_variable_handle(
    handle: Any, shape: Any, value: Any, name: str | None = None
) -> Any:
    """Assigns to the variable behind a handle.

    Raises:
      ValueError: The value does not fit the shape.
    """
    with handle.graph.as_default():
        value = convert_to_tensor(value)
    shape.assert_is_compatible_with(value.shape)
    return op("AssignVariableOp")(resource=handle, value=value, name=name)


def variable_handle_from_shape_and_dtype(
    shape: Any,
    dtype: Any,
    shared_name: str,
    name: str | None,
    graph_mode: bool,
    extra_handle_data: Any = None,
) -> Any:
    """The handle of a variable.

    Args:
      shape: Its shape.
      dtype: Its element type.
      shared_name: The name under which it is kept.
      name: Of the node.
      graph_mode: Accepted: there is no other.
      extra_handle_data: A handle of the same, whose shape and type it has.
    """
    return op("VarHandleOp")(
        shape=shape, dtype=dtype, shared_name=shared_name, name=name, container=""
    )


_UnreadVariable = UnreadVariable


def get_resource_handle_data(graph_op: Any) -> Any:
    """What is known of the variable, queue or table behind a handle."""
    return graph_op.handle_data


def eager_safe_variable_handle(
    initial_value: Any, dtype: Any, shape: Any, shared_name: str, name: str, graph_mode: bool
) -> Any:
    """The handle of a variable with the shape and the type of an initial value."""
    return variable_handle_from_shape_and_dtype(
        initial_value.shape if shape is None else shape,
        dtype or initial_value.dtype.base_dtype,
        shared_name,
        name,
        graph_mode,
    )


def _to_proto_fn(v: Any, export_scope: str | None = None) -> Any:
    """The message of a variable, for a collection of the program's own."""
    return v.to_proto(export_scope=export_scope)


def _from_proto_fn(v: Any, import_scope: str | None = None) -> Any:
    """The variable that a message of such a collection describes, in the default graph."""
    return Variable.from_proto(v, import_scope=import_scope)


class UninitializedVariable(ResourceVariable):
    """A variable without an initializer: something else, as a checkpoint, gives it a value."""

    def __init__(
        self,
        trainable: bool = True,
        name: str | None = None,
        shape: Any = None,
        dtype: Any = None,
        constraint: Any = None,
        synchronization: Any = None,
        aggregation: Any = None,
    ) -> None:
        """Adds a handle and a read; for the arguments see `tf.Variable`."""
        self._validate_shape = True
        self._constraint, self._caching_device = constraint, None
        self._trainable = trainable
        self._synchronization, self._aggregation = synchronization, aggregation
        self._initial_value = None
        nothing: Any = None
        self._initializer_op = nothing
        self._dtype, self._shape = dtype, as_shape(shape)
        with scopes.init_scope(), scopes.name_scope(name, "Variable", []) as scope:
            shared_name = scope.removesuffix("/")
            self._handle_name = f"{shared_name}:0"
            self._handle = variable_handle_from_shape_and_dtype(
                self._shape, dtype, shared_name, scope, graph_mode=True
            )
            with scopes.name_scope("Read"), scopes.device(self._handle.device):
                self._graph_element = op("ReadVariableOp")(resource=self._handle, dtype=dtype)


def copy_to_graph_uninitialized(var: Any) -> UninitializedVariable:
    """A variable like another one in the default graph, without an initializer."""
    return UninitializedVariable(
        trainable=var.trainable,
        name=var._shared_name,
        shape=var.shape,
        dtype=var.dtype.base_dtype,
        constraint=var.constraint,
        synchronization=var.synchronization,
        aggregation=var.aggregation,
    )
