"""Whether functions fit the nodes that call them: numbers and types of arguments and results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dataflow.errors import (
    NOT_FOUND,
    InvalidArgumentError,
    NotFoundError,
)
from dataflow.passes.control_flow.function_body import FunctionBodies, FunctionBody
from dataflow.passes.control_flow.lower_branches import branches_of
from dataflow.passes.graphs.node_graph import Node, NodeGraph
from dataflow.passes.graphs.system_ops import MISFIT, MISFIT_CODE
from dataflow.schema.summaries import type_names
from dataflow.values import dtypes
from dataflow.values.attrs import NameAttrList
from dataflow.values.dtypes import DType

_EXECUTORS: Final = ("DEFAULT", "", "SINGLE_THREADED_EXECUTOR")
"""What TensorFlow registers. Here all are one: what runs a node does not show."""


class Misfit(InvalidArgumentError):
    """A function does not fit the node that calls it. Only steps that run the node fail."""


def fitting_body(
    bodies: FunctionBodies,
    function: NameAttrList,
    node: Node,
    given: Sequence[DType],
    wanted: Sequence[DType],
) -> FunctionBody:
    """The body of a function that a node calls with these types, for these.

    Raises:
      InvalidArgumentError: The function is missing or malformed.
      Misfit: It takes or returns others.
    """
    body = bodies.body(function)
    returned = len(body.result_types)
    if node.op == "SymbolicGradient" and returned != len(wanted):
        raise Misfit(
            None,
            None,
            f"SymGrad expects to return {len(wanted)} tensor(s), but get {returned} tensor(s) "
            "instead.",
        )
    for what, types, own in (
        ("takes", given, body.argument_types),
        ("returns", wanted, body.result_types),
    ):
        if own != tuple(types):
            raise Misfit(
                None,
                None,
                f"Function {function.name} {what} ({type_names(own)}) where node '{node.name}' "
                f"({node.op}) needs one that {what} ({type_names(types)})",
            )
    return body


def check_branches(bodies: FunctionBodies, node: Node) -> None:
    """Whether the branches of an If or Case node fit it.

    Raises:
      InvalidArgumentError: One is missing or malformed.
      Misfit: One does not.
    """
    given = [dtype.base_dtype for dtype in node.input_types[1:]]
    for branch in branches_of(node):
        fitting_body(bodies, branch, node, given, node.output_types)


def check_loop(bodies: FunctionBodies, node: Node) -> FunctionBody:
    """The body of a While node, which fits it, as its condition does.

    Raises:
      InvalidArgumentError: One of them is missing or malformed.
      Misfit: One of them does not fit.
    """
    types = node.output_types
    condition: NameAttrList = node.attrs["cond"]
    returned = bodies.body(condition).result_types
    fitting_body(bodies, condition, node, types, returned)
    if len(returned) != 1:
        raise Misfit(
            None,
            None,
            "Expected a single scalar return value from WhileOp cond, got "
            f"{len(returned)} tensors.",
        )
    return _loop_body(bodies, node, types)


def check_count(bodies: FunctionBodies, node: Node) -> FunctionBody:
    """The body of a For node, which fits it.

    Raises:
      InvalidArgumentError: It is missing or malformed.
      Misfit: It does not fit.
    """
    return _loop_body(bodies, node, (dtypes.int32, *node.output_types))


def _loop_body(bodies: FunctionBodies, node: Node, given: Sequence[DType]) -> FunctionBody:
    types = node.output_types
    made = bodies.body(node.attrs["body"]).result_types
    if len(made) != len(types):
        kind = "For" if node.op == "For" else "While"
        raise Misfit(
            None, None, f"{kind} loop body returned {len(made)} arguments. Expected: {len(types)}"
        )
    return fitting_body(bodies, node.attrs["body"], node, given, types)


def check_executor(name: str | bytes) -> None:
    """Whether TensorFlow has an executor of this name.

    Raises:
      NotFoundError: It does not.
    """
    name = name.decode(errors="replace") if isinstance(name, bytes) else name
    if name not in _EXECUTORS:
        raise NotFoundError(
            None,
            None,
            f"No executor factory registered for the given executor type: {name} Registered "
            f"factories are {{{', '.join(_EXECUTORS)}}}.",
        )


def check_fit(graph: NodeGraph) -> None:
    """Looks whether functions fit the nodes of a step, and somebody runs them.

    Raises:
      InvalidArgumentError: One does not fit.
      NotFoundError: One asks for an executor that is not there.
    """
    for node in graph.nodes():
        if MISFIT in node.attrs:
            unknown = node.attrs[MISFIT_CODE] == NOT_FOUND
            kind = NotFoundError if unknown else InvalidArgumentError
            raise kind(None, None, str(node.attrs[MISFIT]))
