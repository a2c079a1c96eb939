"""Names of scopes, and what has the same name in another graph."""

from __future__ import annotations

from typing import Any

from dataflow.contrib.graph_editor.lists import transform_tree
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor


def check_graphs(*args: Any) -> None:
    """Refuses what is not all of one graph.

    Raises:
      ValueError: There are several.
    """
    graph = None
    for place, each in enumerate(args):
        if graph is None:
            graph = each.graph
        elif each.graph is not None and each.graph is not graph:
            raise ValueError(f"Argument[{place}]: Wrong graph!")


def scope_dirname(scope: str) -> str:
    """The scope around a name, with a slash."""
    return scope[: scope.rfind("/") + 1]


def scope_basename(scope: str) -> str:
    """A name without the scope around it."""
    return scope[scope.rfind("/") + 1 :]


def get_predefined_collection_names() -> list[Any]:
    """The names of TensorFlow's collections."""
    return [getattr(GraphKeys, key) for key in dir(GraphKeys) if not key.startswith("_")]


def find_corresponding_elem(
    target: Any, dst_graph: Graph, dst_scope: str = "", src_scope: str = ""
) -> Any:
    """What has the name of an operation or a tensor in another graph.

    Args:
      target: The operation or tensor.
      dst_graph: The other graph.
      dst_scope: A scope that its name is in there.
      src_scope: A scope that it is in here.

    Raises:
      ValueError: It is not in that scope.
      TypeError: It is neither.
      KeyError: There is nothing of that name.
    """
    name: str = target.name
    if src_scope:
        around = src_scope if src_scope.endswith("/") else f"{src_scope}/"
        if not name.startswith(around):
            raise ValueError(f"{name} does not start with {around}")
        name = name.removeprefix(around)
    if dst_scope:
        name = (dst_scope if dst_scope.endswith("/") else f"{dst_scope}/") + name
    if isinstance(target, Tensor):
        return dst_graph.get_tensor_by_name(name)
    if isinstance(target, Operation):
        return dst_graph.get_operation_by_name(name)
    raise TypeError(f"Expected tf.Tensor or tf.Operation, got: {type(target)}")


def find_corresponding(
    targets: Any, dst_graph: Graph, dst_scope: str = "", src_scope: str = ""
) -> Any:
    """As `find_corresponding_elem`, of each leaf of nested iterables and dictionaries.

    Args:
      targets: Operations and tensors.
      dst_graph: The other graph.
      dst_scope: A scope that their names are in there.
      src_scope: A scope that they are in here.
    """
    return transform_tree(
        targets, lambda each: find_corresponding_elem(each, dst_graph, dst_scope, src_scope)
    )
