"""The body of a `Defun` under construction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from dataflow.functions.func_graph import FuncGraph
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.graph.variable_scope_object import get_variable_scope
from dataflow.ops.basic.placeholder import placeholder
from dataflow.variables.resource_variable_base import BaseResourceVariable
from dataflow.variables.scope import variable_scope
from dataflow.variables.store import get_variable_store

_SHARED_COLLECTIONS = (*GraphKeys._VARIABLE_COLLECTIONS, ("__variable_store",))


def getter_outside(outer: Graph, reads: bool, found: list[Any]) -> Callable[..., Any]:
    """A custom getter of `get_variable` that makes variables in the graph around a body.

    Args:
      outer: That graph.
      reads: Whether it gives the value of a resource variable, read out there.
      found: Gets the variables.
    """
    outer_scope = get_variable_scope()
    around = f"{outer_scope.name}/" if outer_scope.name else ""
    known = ("shape", "dtype", "initializer", "reuse", "trainable", "collections", "use_resource")

    def get(getter: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        wanted = {key: kwargs[key] for key in known if key in kwargs}
        with outer.as_default():
            own = name.removeprefix(around)
            variable = outer_scope.get_variable(get_variable_store(), own, *args, **wanted)
            found.append(variable)
            is_read = reads and isinstance(variable, BaseResourceVariable)
            return variable.value() if is_read else variable

    return get


class DefunGraph(FuncGraph):
    """A body whose captured tensors are passed with each call; variables are made outside of it.

    Attributes:
      extra_inputs: The outer tensors that are captured.
      extra_args: The placeholders that stand for them.
      extra_vars: The variables that `get_variable` has given inside.
    """

    keeps_control_flow_v1 = True

    def __init__(
        self, name: str, capture_by_value: bool, allowed_ops: Iterable[Any], read_variables: bool
    ) -> None:
        """Makes an empty body.

        Args:
          name: Name for errors.
          capture_by_value: Whether outer operations are copied in place of being captured.
          allowed_ops: Stateful outer operations that may be copied.
          read_variables: Whether `get_variable` gives the value of a resource variable.
        """
        super().__init__(name)
        outer = self.outer_graph
        self._outer = outer
        self._seed = None
        self._scopes.colocation_stack = []
        self._collections = outer._collections.only(_SHARED_COLLECTIONS)
        self._by_value = capture_by_value
        self._allowed_ops = frozenset(allowed_ops)
        self._copies: dict[Tensor, Tensor] = {}
        self.extra_vars: list[Any] = []
        self._getter = getter_outside(outer, read_variables, self.extra_vars)

    @property
    def extra_inputs(self) -> list[Tensor]:
        """The outer tensors that are captured."""
        return self.external_captures

    @property
    def extra_args(self) -> list[Tensor]:
        """The placeholders that stand for captured tensors."""
        return self.internal_captures

    def getvar(self, getter: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        """The custom getter of `get_variable`: makes variables in the graph around."""
        return self._getter(getter, name, *args, **kwargs)

    def _capture_outer(self, tensor: Tensor, name: str) -> Tensor:
        if self._by_value:
            return self._copied(tensor.op).outputs[tensor.value_index]
        known = self.captured.get(tensor)
        if known is not None:
            return known
        with self.as_default(), self.control_dependencies(None):
            made = placeholder(tensor.dtype, tensor.shape)
        made.handle_data = tensor.handle_data
        self.captured.add(tensor, made)
        self.inputs.append(made)
        return made

    @contextmanager
    def control_dependencies(self, control_inputs: Any) -> Iterator[None]:
        """A graph's: what is outside cannot be waited for in here.

        Raises:
          ValueError: An operation or tensor is of another graph.
        """
        with Graph.control_dependencies(self, control_inputs):
            yield

    def _copied(self, op: Operation) -> Operation:
        """A copy of an outer operation, and of those it depends on."""
        if op.outputs and op.outputs[0] in self._copies:
            return self._copies[op.outputs[0]].op
        if op.op_def.is_stateful and op not in self._allowed_ops:
            raise ValueError(
                f"Cannot capture a stateful node (name:{op.name}, type:{op.type}) by value."
            )
        if op.type in ("Placeholder", "PlaceholderV2"):
            raise ValueError(
                f"Cannot capture a placeholder (name:{op.name}, type:{op.type}) by value."
            )
        inputs = [self._copied(t.op).outputs[t.value_index] for t in op.inputs]
        copy = self.add_op(op.op_def, inputs, dict(op.attrs), op.name)
        self._copies.update(zip(op.outputs, copy.outputs, strict=True))
        return copy


def trace_defun(
    graph: DefunGraph,
    function: Callable[..., Any],
    names: Sequence[str],
    types: Sequence[Any],
    device: Any,
) -> None:
    """Fills a body with what a Python function makes of placeholders.

    Raises:
      ValueError: A result is None.
      TypeError: A result is nothing that can become a tensor.
    """
    with graph.as_default(), graph.device(device):
        graph.inputs = [
            placeholder(dtype, name=name) for name, dtype in zip(names, types, strict=True)
        ]
        parameters = list(graph.inputs)
        with variable_scope("", custom_getter=graph.getvar):
            results = function(*parameters)
        if results is None:
            results = []
        elif not isinstance(results, (list, tuple)):
            results = [results]
        if any(result is None for result in results):
            raise ValueError(f"Function {graph.name} can not return None.")
        graph.outputs = [graph.capture(convert_to_tensor(result)) for result in results]


def outer_device(graph: Graph) -> Any:
    """The innermost device scope of a graph, or None."""
    stack = graph._scopes.device_stack
    return stack[-1].what if stack else None


def get_extra_vars() -> list[Any]:
    """The variables that the Defun around has made or found; none outside of one."""
    graph = scopes.get_default_graph()
    return graph.extra_vars if isinstance(graph, DefunGraph) else []


def get_extra_inputs() -> list[Tensor]:
    """The tensors that the Defun around has captured; none outside of one."""
    graph = scopes.get_default_graph()
    return graph.extra_inputs if isinstance(graph, DefunGraph) else []


def get_extra_args() -> list[Tensor]:
    """What stands for the tensors that the Defun around has captured; none outside of one."""
    graph = scopes.get_default_graph()
    return graph.extra_args if isinstance(graph, DefunGraph) else []
