"""What import_graph_def raises for a GraphDef that it cannot import."""

from __future__ import annotations

from dataflow import errors
from dataflow.errors import InvalidArgumentError, NotFoundError, OpError
from dataflow.proto.node_def_pb2 import NodeDef


class InvalidGraphDefError(InvalidArgumentError, ValueError):
    """A GraphDef that cannot be imported. TensorFlow's importer raises ValueError."""


class UnregisteredOpError(InvalidGraphDefError, NotFoundError):
    """A GraphDef with an op type that is not known. TensorFlow's importer raises NotFoundError."""

    def __init__(self, node_def: NodeDef | None, op: None, message: str) -> None:
        OpError.__init__(self, node_def, op, message, errors.NOT_FOUND)


def invalid(node: NodeDef | None, message: str) -> InvalidGraphDefError:
    """The error for a GraphDef in which something is wrong with a node."""
    return InvalidGraphDefError(node, None, message)


def about_node(error: InvalidArgumentError, node: NodeDef, new_name: str) -> InvalidGraphDefError:
    """The error of a check of one node, which knew the node by its name in the GraphDef."""
    if isinstance(error, InvalidGraphDefError):
        return error
    old, new = f"{{{{node {node.name}}}}}", f"{{{{node {new_name}}}}}"
    return invalid(node, error.message.replace(old, new))
