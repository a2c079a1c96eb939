"""ConcreteFunction: a graph function of known types, called by adding a node that calls it."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dataflow.functions.func_graph import FuncGraph
from dataflow.functions.function_def_import import function_def_to_graph
from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.graph import Graph
from dataflow.graph.operation import Operation
from dataflow.graph.parts.functions import GraphFunction
from dataflow.graph.tensor import Tensor
from dataflow.library.concrete.executors import executor_type
from dataflow.library.datasets.specs import TensorSpec
from dataflow.values import nest
from dataflow.values.attrs import NameAttrList
from dataflow.values.shapes import TensorShape


@dataclass(frozen=True)
class Arguments:
    """What a function is called with.

    Attributes:
        names: Of the tensors, in the function's order; captured ones come behind them.
        specs: Their types and shapes.
        positional: How many of them may be given without a name.
        structure: The arguments and the keyword arguments of the Python function that it was.
    """

    names: tuple[str, ...]
    specs: tuple[TensorSpec, ...]
    positional: int
    structure: tuple[Any, Any]


class ConcreteFunction:
    """A function of tensors, and tensors of its graph that it takes besides.

    Args:
      function: The graph function.
      arguments: What it is called with.
      outputs: A structure of TensorSpecs, and of None where nothing is returned.
      captured: Further tensors that it is given with each call.
      variables: Those that it reads or changes.
    """

    def __init__(
        self,
        function: GraphFunction,
        arguments: Arguments,
        outputs: Any,
        captured: Sequence[Tensor] = (),
        variables: Sequence[Any] = (),
    ) -> None:
        self._function = function
        self._arguments = arguments
        self._outputs = outputs
        self._captured = list(captured)
        self._variables = tuple(variables)

    @property
    def name(self) -> str:
        """The name that nodes call it by."""
        return self._function.name

    @property
    def function_def(self) -> Any:
        """The function as a message."""
        return self._function.definition

    @functools.cached_property
    def graph(self) -> FuncGraph:
        """The body: that which the function was made of, or one of its definition."""
        made = self._function.graph
        if isinstance(made, FuncGraph):
            return made
        outer = Graph()
        for function in self._function.children:
            outer._add_function_recursive(function)
        shapes = [
            *(spec.shape for spec in self._arguments.specs),
            *(t.shape for t in self._captured),
        ]
        return function_def_to_graph(self._function.definition, outer, shapes)

    @property
    def inputs(self) -> list[Tensor]:
        """The body's parameters, those for captured tensors last."""
        return list(self.graph.inputs)

    @property
    def outputs(self) -> list[Tensor]:
        """The body's results, flat."""
        return list(self.graph.outputs)

    @property
    def output_dtypes(self) -> Any:
        """Element types in the structure of what a call returns."""
        return nest.map_structure(lambda spec: spec and spec.dtype, self._outputs)

    @property
    def output_shapes(self) -> Any:
        """Shapes in the structure of what a call returns."""
        return nest.map_structure(lambda spec: spec and spec.shape, self._outputs)

    @property
    def structured_input_signature(self) -> tuple[Any, Any]:
        """TensorSpecs, and other values, as the Python function takes them: args and kwargs."""
        return self._arguments.structure

    @property
    def structured_outputs(self) -> Any:
        """TensorSpecs in the structure of what a call returns."""
        return self._outputs

    @property
    def captured_inputs(self) -> list[Tensor]:
        """Tensors that are given with each call."""
        return list(self._captured)

    @property
    def variables(self) -> tuple[Any, ...]:
        """Variables that it reads or changes."""
        return self._variables

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those of `variables` that are trainable."""
        return tuple(each for each in self._variables if each.trainable)

    def _bind(self, captured: Sequence[Tensor], variables: Sequence[Any]) -> None:
        """Sets the tensors that are given with each call, and the variables among them."""
        self._captured = list(captured)
        self._variables = tuple(variables)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Adds a call to the default graph.

        Args:
          *args: Tensors, or what becomes one.
          **kwargs: Further ones by name.

        Returns:
          Tensors in the structure of `structured_outputs`; the operation if that is None.

        Raises:
          TypeError: A tensor is missing, or is nobody's.
          ValueError: One does not fit its spec.
        """
        return self._packed(self._call(self._bound(args, kwargs), self._captured))

    def _bound(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """The tensors in order."""
        names, most = self._arguments.names, self._arguments.positional
        if len(args) > most:
            only = f"keyword arguments {list(names)}" if not most else f"{most} of {list(names)}"
            raise TypeError(
                f"{self.name} takes only {only} by position, got {len(args)} such arguments: {args}"
            )
        given = dict(zip(names, args, strict=False))
        twice = [name for name in kwargs if name in given]
        if twice:
            raise TypeError(f"{self.name} got two values for {twice}")
        given |= kwargs
        if set(given) != set(names):
            missing = [name for name in names if name not in given]
            unknown = [name for name in given if name not in names]
            raise TypeError(
                f"Expected argument names {list(names)} but got values for {list(given)}. Missing: "
                f"{missing}, not expected: {unknown}."
            )
        return [given[name] for name in names]

    def _call(self, values: Sequence[Any], captured: Sequence[Tensor]) -> list[Tensor] | Any:
        """A call's outputs, or the operation; with other tensors in place of captured ones."""
        inputs = [
            _as_argument(value, spec)
            for value, spec in zip(values, self._arguments.specs, strict=True)
        ]
        self.add_to_graph()
        signature = self._function.definition.signature
        with scopes.control_dependencies(self._waits_for()):
            found = apply_op(
                "StatefulPartitionedCall" if signature.is_stateful else "PartitionedCall",
                [*inputs, *captured],
                Tout=[arg.type for arg in signature.output_arg],
                f=NameAttrList(self.name),
                executor_type=executor_type(),
            )
        if not signature.output_arg:
            return found
        for tensor, shape in zip(found, self._result_shapes(), strict=True):
            tensor.set_shape(shape)
        return found

    def _waits_for(self) -> list[Operation]:
        """Operations around the function that run before each call."""
        return []

    def _result_shapes(self) -> list[TensorShape]:
        return [spec.shape for spec in nest.flatten(self._outputs) if spec is not None]

    def add_to_graph(self, g: Graph | None = None) -> None:
        """Makes the function known to a graph, the default one if None, with those it calls."""
        (g or scopes.get_default_graph())._add_function_recursive(self._function)

    def _packed(self, found: Any) -> Any:
        if self._outputs is None:
            return found
        remaining = iter(found if isinstance(found, list) else [])
        return nest.map_structure(
            lambda spec: None if spec is None else next(remaining), self._outputs
        )


def _as_argument(value: Any, spec: TensorSpec) -> Tensor:
    tensor = convert_to_tensor(value, spec.dtype)
    if not spec.shape.is_compatible_with(tensor.shape):
        raise ValueError(
            f"Tensor {tensor} is not compatible with the shape this function was traced with. "
            f"Expected shape {spec.shape}, but got shape {tensor.shape}.\n\nIf you called "
            "get_concrete_function, you may need to pass a tf.TensorSpec(..., shape=...) with a "
            "less specific shape, having None on axes which can vary."
        )
    return tensor
