"""What a session adds to a runtime's errors: the operation and the program's lines behind it."""

from __future__ import annotations

import re
from typing import Final, NoReturn

from dataflow.errors import OpError
from dataflow.graph.graph import Graph
from dataflow.graph.operation import Operation

_NODE_TAG: Final = re.compile(r"\{\{node ([A-Za-z0-9_.][A-Za-z0-9_.\-/>]*)\}\}")
_VALUE_OF: Final = re.compile(r"_(?:retval|arg)_(.+)_\d+_\d+")
"""Names of the nodes that hand a value in or out: the operation, its output, the place."""
_DEFINED_AT: Final = re.compile(r"\n\t defined at [^\n]*")
# Inputs of these are shown in their place: they only pass a value on.
_PASSING_ON: Final = frozenset({"Identity", "StopGradient", "ReadVariableOp"})


def raise_with_details(error: OpError, graph: Graph) -> NoReturn:
    """Raises the error as the program gets it; an exception of other code behind it stays shown."""
    cause = error.__cause__
    raise with_graph_details(error, graph) from (None if isinstance(cause, OpError) else cause)


def with_graph_details(error: OpError, graph: Graph) -> OpError:
    """The error as the program gets it.

    The first node that the message tags, `{{node NAME}}`, becomes the error's operation. Each tag
    becomes "node NAME (defined at FILE:LINE)", and the lines that made its inputs follow.

    Args:
      error: What the runtime raised.
      graph: The session's graph.
    """
    message = error.message
    tagged = {name: _maker(graph, name) for name in _NODE_TAG.findall(message)}
    operations = list(dict.fromkeys(filter(None, tagged.values())))
    callers = {name: _caller(graph, name) for name in tagged}
    if operations or any(callers.values()):

        def described(tag: re.Match[str]) -> str:
            found = tagged[tag[1]] or callers[tag[1]]
            return tag[0] if found is None else f"node {tag[1]}{_defined_at(found)} "

        # The runtime may have known the line as well; once is enough.
        message = _DEFINED_AT.sub("", message)
        message = _NODE_TAG.sub(described, message) + _sources(operations)
    # What hands a value out is no operation of the program, in TensorFlow neither.
    own = [operation for operation in operations if operation.name in tagged]
    operation = _operation_of(error, own, graph)
    node_def = error.node_def if operation is None else operation.node_def
    cls = type(error)
    if cls is OpError:
        detailed = OpError(
            node_def, operation, message, error.error_code, error.experimental_payloads
        )
    else:
        detailed = cls(node_def, operation, message, error.experimental_payloads)  # type: ignore[arg-type]
    detailed._report = error._report
    return detailed


def _operation_of(error: OpError, tagged: list[Operation], graph: Graph) -> Operation | None:
    if tagged:
        return tagged[0]
    return None if error.node_def is None else _find(graph, error.node_def.name)


def _caller(graph: Graph, name: str) -> Operation | None:
    """The operation that called the function which the node is of.

    The compiler names the nodes of a function `<operation>/_<part>/<name>`.
    """
    operation, mark, _ = name.partition("/_")
    return _find(graph, operation) if mark else None


def _maker(graph: Graph, name: str) -> Operation | None:
    """The node, or for one that hands a value in or out the operation that has the value."""
    handing = _VALUE_OF.fullmatch(name)
    return _find(graph, handing[1] if handing else name)


def _find(graph: Graph, name: str) -> Operation | None:
    try:
        return graph.get_operation_by_name(name)
    except (KeyError, ValueError):
        return None


def _defined_at(operation: Operation) -> str:
    line = operation.traceback_line
    return f" (defined at {line})" if line else ""


def _sources(operations: list[Operation]) -> str:
    """The lines that made the inputs of the failed operations, where they are others."""
    blocks = []
    for operation in operations:
        shown = {_defined_at(operation), ""}
        lines = []
        for tensor in operation.inputs:
            source = tensor.op
            while source.type in _PASSING_ON and source.inputs:
                source = source.inputs[0].op
            line = _defined_at(source)
            if line not in shown:
                shown.add(line)
                lines.append(f" {source.name}{line}")
        if lines:
            listed = "\t\n".join(lines)
            blocks.append(
                f"\nInput Source operations connected to node {operation.name}:\n{listed}"
            )
    if not blocks:
        return ""
    return "\n\nErrors may have originated from an input operation." + "\n".join(blocks)
