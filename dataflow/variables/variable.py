"""tf.Variable: makes a reference or a resource variable; how variables are initialised."""

from __future__ import annotations

import inspect
import os
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.index as array_index
import dataflow.ops.basic.grouping as grouping
import dataflow.ops.math.compare as math_compare
import dataflow.ops.state.reference as state_ops
from dataflow.graph import scopes
from dataflow.graph.collection_protos import register_proto_function
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.graph.tracebacks import shortened
from dataflow.graph.variable_scope_object import get_variable_scope
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.identity import no_op
from dataflow.ops.basic.single import single
from dataflow.proto.variable_pb2 import VariableDef
from dataflow.values import dtypes
from dataflow.values.variable_policy import VariableAggregation, VariableSynchronization
from dataflow.variables.base import BaseVariable
from dataflow.variables.ref_variable import RefVariable
from dataflow.variables.resource_variable import ResourceVariable

Creator = Callable[..., Any]
"""`f(next_creator, **kwargs)`: makes a variable, usually by calling `next_creator(**kwargs)`."""


class _Creators(threading.local):
    """The creators in force for each graph on this thread, outermost first."""

    def __init__(self) -> None:
        super().__init__()
        self.by_graph: weakref.WeakKeyDictionary[Graph, list[Creator]] = weakref.WeakKeyDictionary()


class _Toggle:
    """A switch of the whole process."""

    on = False


_creators = _Creators()
_resource_variables = _Toggle()


def enable_resource_variables() -> None:
    """Makes variables resource variables where nothing else is asked for."""
    _resource_variables.on = True


def disable_resource_variables() -> None:
    """Makes variables reference variables where nothing else is asked for: the default."""
    _resource_variables.on = False


def resource_variables_enabled() -> bool:
    """Whether variables are resource variables where nothing else is asked for."""
    return _resource_variables.on


class _VariableType(type):
    """Lets a call of `Variable` make a variable of the right kind, which counts as a Variable."""

    @shortened
    def __call__(cls, *args: Any, **kwargs: Any) -> Variable:
        if cls is Variable:
            bound = _SIGNATURE.bind(None, *args, **kwargs)
            bound.apply_defaults()
            _, *given = bound.arguments.items()
            made: Variable = _create(dict(given))
        else:
            made = super().__call__(*args, **kwargs)
        return made

    def __instancecheck__(cls, instance: Any) -> bool:
        if cls is Variable:
            return isinstance(instance, BaseVariable)
        return super().__instancecheck__(instance)

    def __subclasscheck__(cls, subclass: type) -> bool:
        if cls is Variable:
            return issubclass(subclass, BaseVariable)
        return super().__subclasscheck__(subclass)


class Variable(BaseVariable, metaclass=_VariableType):
    """A value that is kept from step to step.

    Its initializer must run, in each session, before its value is used.

    Args:
      initial_value: The value that the initializer assigns: anything that converts to a tensor, or
        a function without arguments that gives it.
      trainable: Whether optimizers train the variable; True if None.
      collections: Graph collections it goes into; `GraphKeys.GLOBAL_VARIABLES` if None.
      validate_shape: False allows an initial value whose shape is not known.
      caching_device: Device that reads are made to.
      name: Name of the variable; made unique.
      variable_def: Takes the variable from nodes that the graph has already; excludes
        `initial_value`.
      dtype: Element type; that of the initial value if None.
      expected_shape: Ignored.
      import_scope: Name scope to put in front of the names in `variable_def`.
      constraint: Function that optimizers apply to the value after an update.
      use_resource: Whether the variable is behind a handle; None leaves it to the variable scope
        and `enable_resource_variables`.
      synchronization: When copies are brought together.
      aggregation: How updates of copies become one.
      shape: Shape of the variable; that of the initial value if None.

    Raises:
      ValueError: There is no initial value, or its shape is not known although it should be.

    >>> step = tf.Variable(0, trainable=False)
    >>> with tf.Session() as session:
    ...     session.run(step.initializer)
    ...     print(session.run(step.assign_add(5)))
    5
    """

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
        use_resource: bool | None = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregation.NONE,
        shape: Any = None,
    ) -> None:
        """Says what the arguments are; a call makes a variable of another class."""

    def sparse_read(self, indices: Any, name: str | None = None) -> Tensor:
        """Rows of the variable, read without the others.

        Args:
          indices: Row numbers: an integer tensor.
          name: Name of the operation.

        Raises:
          AttributeError: It is a reference variable, which is read whole.
        """
        raise AttributeError("Only resource variables have sparse_read; tf.gather reads any.")

    def gather_nd(self, indices: Any, name: str | None = None) -> Tensor:
        """Slices of the variable, read without the others.

        Args:
          indices: Index vectors along the last dimension: an integer tensor.
          name: Name of the operation.

        Raises:
          AttributeError: It is a reference variable, which is read whole.
        """
        raise AttributeError("Only resource variables have gather_nd; tf.gather_nd reads any.")

    @staticmethod
    def from_proto(variable_def: VariableDef, import_scope: str | None = None) -> BaseVariable:
        """A variable whose nodes are in the default graph already; see `to_proto`."""
        kind = ResourceVariable if variable_def.is_resource else RefVariable
        return kind.from_proto(variable_def, import_scope)


_SIGNATURE: Final = inspect.signature(Variable.__init__)


def _create(arguments: dict[str, Any]) -> Any:
    create: Callable[..., Any] = default_variable_creator
    for creator in _creators.by_graph.get(scopes.get_default_graph(), ()):
        create = _chained(creator, create)
    if arguments["aggregation"] is None:
        arguments["aggregation"] = VariableAggregation.NONE
    return create(**arguments)


def _chained(creator: Creator, following: Callable[..., Any]) -> Callable[..., Any]:
    return lambda **kwargs: creator(following, **kwargs)


def default_variable_creator(
    next_creator: Creator | None = None,
    *,
    use_resource: bool | None = None,
    expected_shape: Any = None,
    **kwargs: Any,
) -> BaseVariable:
    """Makes a variable of the kind that is asked for here; what creators come down to."""
    if use_resource is None:
        use_resource = get_variable_scope().use_resource
    if use_resource is None:
        use_resource = resource_variables_enabled()
    return ResourceVariable(**kwargs) if use_resource else RefVariable(**kwargs)


@contextmanager
def variable_creator_scope(variable_creator: Creator) -> Iterator[None]:
    """Has variables that are made inside made by `variable_creator`.

    Args:
      variable_creator: `f(next_creator, **kwargs)`; it gets the arguments of `Variable` and
        returns a variable, as a rule that of `next_creator(**kwargs)`. Inner ones are called first.
    """
    stack = _creators.by_graph.setdefault(scopes.get_default_graph(), [])
    outer = tuple(stack)
    stack.append(variable_creator)
    inside = tuple(stack)
    try:
        yield
    finally:
        nested = tuple(stack) == inside
        stack[:] = outer
        if not nested:
            raise RuntimeError("Exiting variable_creator_scope without proper nesting.")


def global_variables(scope: str | None = None) -> list[Any]:
    """The variables that are shared and saved; with `scope`, only those named so from the start."""
    return scopes.get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def all_variables() -> list[Any]:
    """Old name of `global_variables`."""
    return global_variables()


def local_variables(scope: str | None = None) -> list[Any]:
    """The variables that each process has for itself; see `global_variables`."""
    return scopes.get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def model_variables(scope: str | None = None) -> list[Any]:
    """The variables that a trained model needs; see `global_variables`."""
    return scopes.get_collection(GraphKeys.MODEL_VARIABLES, scope)


def trainable_variables(scope: str | None = None) -> list[Any]:
    """The variables that optimizers train; see `global_variables`."""
    return scopes.get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def moving_average_variables(scope: str | None = None) -> list[Any]:
    """The variables that moving averages are kept of; see `global_variables`."""
    return scopes.get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


def variables_initializer(var_list: Sequence[Any], name: str = "init") -> Operation:
    """An operation that gives the variables their initial values."""
    if var_list:
        return grouping.group(*[v.initializer for v in var_list], name=name)
    return no_op(name=name)


def initialize_variables(var_list: Sequence[Any], name: str = "init") -> Operation:
    """Old name of `variables_initializer`."""
    return variables_initializer(var_list, name=name)


def global_variables_initializer() -> Operation:
    """An operation that gives all global variables made so far their initial values."""
    return variables_initializer(global_variables())


def initialize_all_variables() -> Operation:
    """Old name of `global_variables_initializer`."""
    return global_variables_initializer()


def local_variables_initializer() -> Operation:
    """An operation that gives all local variables made so far their initial values."""
    return variables_initializer(local_variables())


def initialize_local_variables() -> Operation:
    """Old name of `local_variables_initializer`."""
    return local_variables_initializer()


def is_variable_initialized(variable: Any) -> Tensor:
    """Whether a variable holds a value: a scalar bool tensor."""
    return state_ops.is_variable_initialized(variable)


def _known_variables() -> list[Any]:
    """All global and local variables, or else the references in the graph."""
    known = global_variables() + local_variables()
    if known:
        return known
    return [
        op.outputs[0]
        for op in scopes.get_default_graph().get_operations()
        if op.type in ("Variable", "VariableV2", "AutoReloadVariable")
    ]


def assert_variables_initialized(var_list: Sequence[Any] | None = None) -> Tensor | None:
    """A tensor whose evaluation fails if a variable has no value; None if there are no variables.

    Args:
      var_list: The variables; all global and local ones if None.
    """
    known = _known_variables() if var_list is None else list(var_list)
    ranks = []
    for variable in known:
        with (
            scopes.colocate_with(variable.op),
            scopes.name_scope(None, "Rank", [variable]) as scope,
        ):
            ranks.append(single("Rank", variable, name=scope))
    if not ranks:
        return None
    return ranks[0] if len(ranks) == 1 else array_concat.stack(ranks)


def report_uninitialized_variables(
    var_list: Sequence[Any] | None = None, name: str = "report_uninitialized_variables"
) -> Tensor:
    """The names of the variables that have no value: a string vector.

    Args:
      var_list: The variables; all global and local ones if None.
      name: Name scope of the operations made.
    """
    known = _known_variables() if var_list is None else list(var_list)
    with scopes.name_scope(name):
        held = [state_ops.is_variable_initialized(v) for v in known]
        device = os.environ.get("TF_DEVICE_FOR_UNINITIALIZED_VARIABLE_REPORTING", "/cpu:0")
        with scopes.device(device):
            if not known:
                return constant([], dtype=dtypes.string)
            missing = math_compare.logical_not(array_concat.stack(held))
            names = constant([v.op.name for v in known])
            return array_index.boolean_mask(names, missing)


def _to_proto(variable: Any, export_scope: str | None = None) -> VariableDef | None:
    written: VariableDef | None = variable.to_proto(export_scope=export_scope)
    return written


for _key in (
    GraphKeys.GLOBAL_VARIABLES,
    GraphKeys.TRAINABLE_VARIABLES,
    GraphKeys.MOVING_AVERAGE_VARIABLES,
    GraphKeys.LOCAL_VARIABLES,
    GraphKeys.MODEL_VARIABLES,
    GraphKeys.GLOBAL_STEP,
    GraphKeys.METRIC_VARIABLES,
):
    register_proto_function(_key, VariableDef, _to_proto, Variable.from_proto)
