"""FuncGraph: the body of a function, in which tensors of outer graphs become inputs."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from dataflow.errors import InaccessibleTensorError
from dataflow.graph import scopes
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.parts.function_def import graph_to_function_def
from dataflow.graph.parts.functions import GraphFunction
from dataflow.graph.tensor import Tensor
from dataflow.schema import arguments as op_schema
from dataflow.schema import opdef
from dataflow.schema.opdef import OpDef
from dataflow.values import dtypes
from dataflow.values.composite_tensor import CompositeTensor
from dataflow.values.shapes import TensorShape

_PLACEHOLDER = "Placeholder"
_SHARED_COLLECTIONS = (
    GraphKeys.GLOBAL_VARIABLES,
    GraphKeys.LOCAL_VARIABLES,
    GraphKeys.TRAINABLE_VARIABLES,
    ("__variable_store",),
    ("__varscope",),
)
"""Collections of the outer graph that a body shares with it; of others it has a copy."""

_uids = itertools.count()


def uid() -> int:
    """A number that this process gives out once."""
    return next(_uids)


class Captures:
    """Outer tensors and the placeholders that stand for them, in the order they were captured."""

    def __init__(self) -> None:
        self._pairs: dict[Tensor, Tensor] = {}
        self._externals: dict[Tensor, Tensor] = {}
        self.control: dict[Operation, None] = {}
        """Outer operations that the call of the function has to wait for."""

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        return iter(list(self._pairs.items()))

    def get(self, external: Tensor) -> Tensor | None:
        """What stands for an outer tensor, or None."""
        return self._pairs.get(external)

    def external_of(self, internal: Tensor) -> Tensor | None:
        """The outer tensor that a placeholder stands for, or None."""
        return self._externals.get(internal)

    def add(self, external: Tensor, internal: Tensor) -> None:
        """Notes what stands for an outer tensor."""
        self._pairs[external] = internal
        self._externals[internal] = external

    def reset(self, externals: Iterable[Tensor], internals: Iterable[Tensor]) -> None:
        """Replaces all of them."""
        self._pairs = dict(zip(externals, internals, strict=True))
        self._externals = {internal: external for external, internal in self._pairs.items()}

    @property
    def externals(self) -> list[Tensor]:
        """The outer tensors."""
        return list(self._pairs)

    @property
    def internals(self) -> list[Tensor]:
        """The placeholders."""
        return list(self._pairs.values())


class FuncGraph(Graph):
    """The body of a function under construction.

    Operations may take tensors of outer graphs: each such tensor becomes an input, once.

    Attributes:
      name: Name of the function it will be.
      inputs: Placeholders: the parameters, then the captured tensors.
      outputs: What the function returns, flat.
      control_outputs: Operations that run whenever the function does.
      structured_outputs: What the Python function returned, with tensors for what it was made of.
    """

    def __init__(self, name: str, outer: Graph | None = None, share_collections: bool = False):
        """Makes an empty body.

        Args:
          name: Name of the function it will be.
          outer: The graph around it; the default graph if None.
          share_collections: Whether it has the outer graph's collections for its own.
        """
        super().__init__()
        outer = scopes.get_default_graph() if outer is None else outer
        self.name = name
        self.inputs: list[Tensor] = []
        self.outputs: list[Tensor] = []
        self.control_outputs: list[Operation] = []
        self.structured_outputs: Any = None
        self.captured = Captures()
        self.is_control_flow_graph = False
        self.output_names: dict[Tensor, str] = {}
        """Names of results that were read from a FunctionDef."""
        self.forward_node: Operation | None = None
        """The node whose function the body is, while that is differentiated."""
        self.python_grad_func: Callable[..., Any] | None = None
        """What differentiates calls of the function, if a node cannot."""
        self.shape_ops: dict[Any, Operation] = {}
        """Operations that read shapes for gradients, which are made only once."""
        self._building_function = True
        self._captures = True
        self._outer_graph = weakref.ref(outer)
        self._outermost_graph = outermost(outer)
        self._seed = outer.seed
        self._scopes.colocation_stack = list(outer._scopes.colocation_stack)
        if share_collections:
            self._collections = outer._collections
        else:
            self._collections = outer._collections.derived(_SHARED_COLLECTIONS)

    @property
    def outer_graph(self) -> Graph:
        """The graph around this one; the outermost, if that was dropped."""
        return self._outer_graph() or self._outermost_graph

    @outer_graph.setter
    def outer_graph(self, graph: Graph) -> None:
        self._outer_graph = weakref.ref(graph)

    @property
    def captures(self) -> list[tuple[Tensor, Tensor]]:
        """Pairs of an outer tensor and the placeholder that stands for it."""
        return list(self.captured)

    @property
    def external_captures(self) -> list[Tensor]:
        """The outer tensors that are captured."""
        return self.captured.externals

    @property
    def internal_captures(self) -> list[Tensor]:
        """The placeholders that stand for captured tensors."""
        return self.captured.internals

    @property
    def output_types(self) -> list[dtypes.DType]:
        """Element types of the outputs."""
        return [tensor.dtype for tensor in self.outputs]

    @property
    def output_shapes(self) -> list[TensorShape]:
        """Static shapes of the outputs."""
        return [tensor.shape for tensor in self.outputs]

    def capture(self, tensor: Tensor, name: str | None = None) -> Tensor:
        """What stands for a tensor in this graph: itself, or an input.

        Raises:
          InaccessibleTensorError: The tensor is of a function inside this one.
        """
        if tensor.graph is self:
            return tensor
        self._check_in_scope(tensor)
        return self._capture_outer(tensor, tensor.op.name if name is None else name)

    def _capture_outer(self, tensor: Tensor, name: str) -> Tensor:
        """The input for a tensor of an outer graph; bodies of gradients do it their way."""
        known = self.captured.get(tensor)
        if known is not None:
            return known
        with self.control_dependencies(None):
            made = self.placeholder(tensor.dtype, tensor.shape, name)
        made.handle_data = tensor.handle_data
        self.captured.add(tensor, made)
        self.inputs.append(made)
        return made

    def placeholder(self, dtype: dtypes.DType, shape: TensorShape, name: str | None) -> Tensor:
        """A new parameter, which is not put among the inputs."""
        definition = opdef.find(_PLACEHOLDER)
        assert definition is not None
        attrs = {"dtype": dtype.base_dtype, "shape": shape}
        try:
            op = super().add_op(definition, (), attrs, name)
        except ValueError:
            # Names of parameters need not be names of operations.
            op = super().add_op(definition, (), attrs, None)
        if name is not None:
            op._set_attr("_user_specified_name", name.encode())
        return op.outputs[0]

    def add_op(
        self,
        op_def: OpDef,
        inputs: Sequence[Tensor],
        attrs: dict[str, Any],
        name: str | None,
        op: Operation | None = None,
    ) -> Operation:
        """Adds an operation; inputs of outer graphs are captured, in the operation's name scope."""
        if all(tensor.graph is self for tensor in inputs):
            return super().add_op(op_def, inputs, attrs, name, op)
        if name and name.endswith("/"):
            return self._add_captured(op_def, inputs, attrs, name, op)
        with self.name_scope(name or op_def.name) as scope:
            return self._add_captured(op_def, inputs, attrs, scope, op)

    def _add_captured(
        self,
        op_def: OpDef,
        inputs: Sequence[Tensor],
        attrs: dict[str, Any],
        scope: str,
        op: Operation | None,
    ) -> Operation:
        own = self._own_inputs(inputs)
        # What a reference refers to cannot be changed in here: its value alone is captured.
        types = [tensor.dtype for tensor in own]
        op_schema.check_input_types(scope[:-1], types, op_def.input_types(attrs))
        return super().add_op(op_def, own, attrs, scope, op)

    def _own_inputs(self, inputs: Sequence[Tensor]) -> Sequence[Tensor]:
        return [tensor if tensor.graph is self else self.capture(tensor) for tensor in inputs]

    @contextmanager
    def control_dependencies(self, control_inputs: Any) -> Iterator[None]:
        """Like a graph's; what is outside has to run before the function is called."""
        inner: list[Any] | None = None
        if control_inputs is not None:
            inner = []
            for item in control_inputs:
                is_variable = hasattr(item, "_handle") and hasattr(item, "op")
                element = item.op if is_variable or isinstance(item, CompositeTensor) else item
                if getattr(element, "graph", self) is self:
                    inner.append(element)
                else:
                    op = element.op if isinstance(element, Tensor) else element
                    self.captured.control[op] = None
        with super().control_dependencies(inner):
            yield

    def _check_in_scope(self, tensor: Tensor) -> None:
        inner: Any = tensor.graph
        while isinstance(inner, FuncGraph):
            if inner is self:
                raise InaccessibleTensorError(
                    f"{tensor!r} is out of scope and cannot be used here. Use return values, "
                    "explicit Python locals or TensorFlow collections to access it.\n"
                    f"\n{tensor!r} was defined here:\n    {tensor.op.traceback_line}\n\n"
                    f"The tensor {tensor!r} cannot be accessed from {self}, because it was defined "
                    f"in {tensor.graph}, which is out of scope."
                )
            inner = inner.outer_graph

    def to_function(self, operations: Collection[Operation] | None = None) -> GraphFunction:
        """The function as it is now.

        Args:
          operations: What of the body is needed; all of it if None.
        """
        names = [self.output_names.get(tensor) for tensor in self.outputs]
        known = [name for name in names if name is not None]
        if len({*known}) != len(names):
            known = []
        definition = graph_to_function_def(
            self.name,
            [op for op in self.get_operations() if operations is None or op in operations],
            self.inputs,
            self.outputs,
            output_names=known,
            control_outputs=self.control_outputs,
        )
        definition.attr["_construction_context"].s = b"kEagerRuntime"
        return GraphFunction(
            definition,
            tuple(self._functions.values()),
            python_grad_func=self.python_grad_func,
            graph=self,
        )

    def __str__(self) -> str:
        return f"FuncGraph(name={self.name}, id={id(self)})"


class ControlFlowFuncGraph(FuncGraph):
    """A branch, a loop's condition or its body: it is placed like what is around it."""

    def __init__(self, name: str, outer: Graph | None = None, share_collections: bool = False):
        super().__init__(name, outer, share_collections)
        self.is_control_flow_graph = True
        scopes_around = self.outer_graph._scopes
        self._scopes.device_stack = list(scopes_around.device_stack)
        self._scopes.merged_device = scopes_around.merged_device


class CondBranchFuncGraph(ControlFlowFuncGraph):
    """A branch of `cond` or `switch_case`."""


class WhileCondFuncGraph(ControlFlowFuncGraph):
    """The condition of a `while_loop`."""


class WhileBodyFuncGraph(ControlFlowFuncGraph):
    """The body of a `while_loop`."""


def outermost(graph: Graph) -> Graph:
    """The graph around all functions that a graph is in."""
    while isinstance(graph, FuncGraph):
        graph = graph.outer_graph
    return graph


def find_function(graph: Graph, name: str) -> GraphFunction | None:
    """The function of that name in a graph or one around it, or None."""
    current: Any = graph
    while current is not None:
        found: GraphFunction | None = current._get_function(name)
        if found is not None:
            return found
        current = getattr(current, "outer_graph", None)
    return None
