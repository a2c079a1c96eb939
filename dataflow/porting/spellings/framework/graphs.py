"""tensorflow.python.framework.ops: what other libraries ask of it that programs do not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dataflow.functions.func_graph import uid as uid
from dataflow.graph.graph import Graph
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import get_default_graph, graph_of
from dataflow.graph.tensor import Tensor
from dataflow.porting.spellings.framework.tensor_like import _TensorLike as _TensorLike
from dataflow.values.scope_names import prepend_name_scope as prepend_name_scope
from dataflow.values.scope_names import strip_name_scope as strip_name_scope


def _as_graph_element(obj: Any) -> Any:
    """The tensor or operation that an object stands for in a graph, or None."""
    convert = getattr(obj, "_as_graph_element", None)
    return None if convert is None else convert()


def _get_graph_from_inputs(op_input_list: Iterable[Any], graph: Graph | None = None) -> Graph:
    """The graph that inputs of an operation belong to; the default one if none of them says.

    Args:
      op_input_list: Tensors, operations and other objects.
      graph: The one that they have to belong to.

    Raises:
      TypeError: `graph` is no graph.
      ValueError: They belong to different graphs, or not to `graph`.
    """
    default = get_default_graph()
    if default._building_function:
        return default
    if graph and not isinstance(graph, Graph):
        raise TypeError(f"Input graph needs to be a Graph: {graph}")
    elements = [
        each if isinstance(each, Operation | Tensor) else _as_graph_element(each)
        for each in op_input_list
    ]
    elements = [each for each in elements if each is not None]
    if graph is None:
        return graph_of(elements)
    for element in elements:
        if element.graph is not graph:
            raise ValueError(f"{element} is not from the passed-in graph.")
    return graph


class EagerTensor:
    """A tensor of eager execution; there is none here, so nothing is one."""

    def __init__(self) -> None:
        raise NotImplementedError("There is no eager execution here.")


class RegisterShape:
    """A decorator that leaves a function as it is: shapes come from the definitions of ops."""

    def __init__(self, op_type: str) -> None:
        """Takes the op that the function would be for."""

    def __call__(self, f: Any) -> Any:
        return f


def set_shapes_for_outputs(op: Operation) -> None:
    """Nothing: an operation has its shapes when it is made."""


def register_dense_tensor_like_type(tensor_type: type) -> None:
    """Says of a class that its objects stand for tensors.

    Raises:
      TypeError: It has no property `name`, or none `dtype`.
    """
    for name in ("name", "dtype"):
        if not isinstance(getattr(tensor_type, name, None), property):
            raise TypeError(f"Type {tensor_type.__name__} does not define a `{name}` property")
    tensor_type._is_dense_tensor_like = True  # type: ignore[attr-defined]
