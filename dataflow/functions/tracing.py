"""Runs a Python function to make the body of a graph function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from dataflow.functions import flow
from dataflow.functions.automatic_control import AutomaticControl
from dataflow.functions.func_graph import FuncGraph
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import HandleData, Tensor
from dataflow.graph.variable_scope_object import get_variable_scope
from dataflow.ops.basic.identity import identity
from dataflow.values import dtypes, nest
from dataflow.values.composite_tensor import CompositeTensor
from dataflow.values.shapes import TensorShape


@dataclass(frozen=True, slots=True)
class Parameter:
    """One tensor that a function takes."""

    dtype: dtypes.DType
    shape: TensorShape
    name: str | None = None
    handle_data: HandleData | None = None


def parameter_of(tensor: Tensor, name: str | None = None) -> Parameter:
    """A parameter for tensors like this one."""
    return Parameter(tensor.dtype.base_dtype, tensor.shape, name, tensor.handle_data)


def trace(
    graph: FuncGraph,
    function: Callable[..., Any],
    signature: Any = (),
    *,
    automatic_control: bool = True,
    resource_variables: bool = True,
    op_return_value: Tensor | None = None,
) -> FuncGraph:
    """Fills a body with what a Python function makes.

    Args:
      graph: An empty body.
      function: Called with a placeholder for each parameter; returns a structure of tensors.
      signature: A sequence of structures of `Parameter`.
      automatic_control: Whether stateful operations are given control edges.
      resource_variables: Whether `get_variable` makes resource variables unless told otherwise.
      op_return_value: What takes the place of an operation among the results: a copy of this
        tensor that waits for it. None refuses operations.

    Returns:
      `graph`, with inputs, outputs and structured_outputs set.

    Raises:
      TypeError: A result is nothing that can become a tensor.
    """
    control: AbstractContextManager[AutomaticControl | None]
    control = AutomaticControl(graph) if automatic_control else nullcontext()
    with graph.as_default(), control as manager:
        scope = get_variable_scope()
        use_resource = scope.use_resource
        scope.set_use_resource(resource_variables or use_resource)
        try:
            arguments = nest.map_structure(
                lambda parameter: _placeholder(graph, parameter),
                list(signature),
                expand_composites=True,
            )
            graph.inputs = nest.flatten(arguments, expand_composites=True)
            results = nest.map_structure(_variable_value, function(*arguments))
        finally:
            scope.set_use_resource(use_resource)
        convert = _Conversion(function, op_return_value, manager)
        results = nest.map_structure(convert, results, expand_composites=True)
        graph.structured_outputs = results
        graph.outputs += [graph.capture(x) for x in flat_tensors(results)]
    if manager is not None:
        graph.control_outputs += manager.must_run
    return graph


def flat_tensors(structure: Any) -> list[Tensor]:
    """The tensors of a structure, in order; TensorArrays give their flow, None nothing."""
    atoms = nest.flatten(structure, expand_composites=True)
    return [flow.to_flow(x) for x in atoms if x is not None]


def pack_tensors(structure: Any, tensors: Sequence[Tensor]) -> Any:
    """The tensors in the form of a structure that `flat_tensors` gave as many of."""
    remaining = iter(tensors)
    packed = []
    for atom in nest.flatten(structure, expand_composites=True):
        value = None if atom is None else next(remaining)
        packed.append(flow.from_flow(atom, value))
    return nest.pack_sequence_as(structure, packed, expand_composites=True)


def _placeholder(graph: FuncGraph, parameter: Parameter) -> Tensor:
    tensor = graph.placeholder(parameter.dtype, parameter.shape, parameter.name)
    tensor.handle_data = parameter.handle_data
    return tensor


def _variable_value(value: Any) -> Any:
    """A variable behind a handle is read where it is returned."""
    is_variable = isinstance(getattr(value, "handle", None), Tensor) and hasattr(value, "assign")
    return convert_to_tensor(value) if is_variable else value


@dataclass(frozen=True, slots=True)
class _Conversion:
    """Turns a result of the Python function into what the function returns."""

    function: Callable[..., Any]
    op_return_value: Tensor | None
    manager: AutomaticControl | None

    def __call__(self, value: Any) -> Any:
        if value is None:
            return None
        if self.op_return_value is not None and isinstance(value, Operation):
            with scopes.control_dependencies([value]):
                value = identity(self.op_return_value)
        elif not flow.is_tensor_array(value) and not isinstance(value, CompositeTensor):
            try:
                value = convert_to_tensor(value)
            except (TypeError, ValueError):
                raise TypeError(
                    "To be compatible with tf.function, Python functions must return zero or more "
                    "Tensors or ExtensionTypes or None values; in compilation of "
                    f"{self.function}, found return value of type {type(value).__name__}, which is "
                    "not a Tensor or ExtensionType."
                ) from None
        return value if self.manager is None else self.manager.mark_as_return(value)
