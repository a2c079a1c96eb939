"""Calls of Python functions, which nodes name by a token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from dataflow.graph.apply_op import apply_op
from dataflow.graph.graph import Graph
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op
from dataflow.schema.shape_functions import unknown
from dataflow.values.python import functions as python_functions
from dataflow.values.python.functions import PythonFunction

_TYPES: Final = ("token: string", "Tin: list(type) >= 0", "Tout: list(type) >= 0")


def _eager_gradient(op: Operation, *grads: Tensor) -> list[Tensor]:
    """A call of what the function's own tape gives; it must come after the function's."""
    function = python_functions.find(op.get_attr("token").decode())
    if function is None or function.backward is None:
        raise LookupError(
            f"The Python function of '{op.name}' is not in this process, so that it cannot be "
            "differentiated."
        )
    graph = op.graph
    backward = python_functions.register(function.backward)
    with graph.control_dependencies(op.outputs):
        types = [tensor.dtype for tensor in op.inputs]
        made = call_python("EagerPyFunc", backward, grads, types, graph, None)
    return list(made) if types else []


for _op, _stateful in (("PyFunc", True), ("PyFuncStateless", False)):
    define_op(
        _op,
        inputs="input: Tin",
        outputs="output: Tout",
        attrs=list(_TYPES),
        shape=unknown,
        gradient=NOT_DIFFERENTIABLE,
        doc="What a Python function gives for arrays.",
        stateful=_stateful,
    )

define_op(
    "EagerPyFunc",
    inputs="input: Tin",
    outputs="output: Tout",
    attrs=["token: string", "is_async: bool = false", *_TYPES[1:]],
    shape=unknown,
    gradient=_eager_gradient,
    doc="What a Python function gives for tensors whose values are at hand.",
    stateful=True,
)


def call_python(
    op_type: str,
    function: PythonFunction,
    inputs: Sequence[Any],
    types: Sequence[Any],
    graph: Graph,
    name: str | None,
) -> Any:
    """Adds a node that calls a function; the graph around all functions keeps that alive.

    Args:
      op_type: An op type that calls Python functions.
      function: The function.
      inputs: What it is called with.
      types: Element types of what it gives.
      graph: The graph that the node is added to.
      name: Name of the node.

    Returns:
      The outputs; the operation if it has none.
    """
    made: Sequence[Tensor] | Any = apply_op(
        op_type, list(inputs), token=function.token, Tout=list(types), name=name
    )
    while (outer := getattr(graph, "outer_graph", None)) is not None and outer is not graph:
        graph = outer
    graph._python_functions.append(function)
    return made
