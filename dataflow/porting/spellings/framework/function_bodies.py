"""tensorflow.python.framework.function_def_to_graph: functions as graphs of the default graph's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.functions import function_def_import
from dataflow.functions.func_graph import FuncGraph
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import get_default_graph
from dataflow.proto.function_pb2 import FunctionDef
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.values.attrs import NameAttrList
from dataflow.values.dtypes import resource
from dataflow.values.shapes import TensorShape, as_shape


def function_def_to_graph(
    fdef: FunctionDef, input_shapes: Sequence[Any] | None = None, **more: Any
) -> FuncGraph:
    """The graph of a function, with a placeholder for each argument.

    Args:
      fdef: The function; those that it calls are the default graph's.
      input_shapes: A shape for each argument, None where it is not known; None for those that the
        function notes.
      **more: Accepted: what structures the arguments and results have, and where nodes are.

    Raises:
      ValueError: There are more or fewer shapes than arguments.
      InvalidArgumentError: The function is malformed, or calls one that is not there.
    """
    outer = get_default_graph()
    shapes = _shapes(fdef, input_shapes)
    graph = function_def_import.function_def_to_graph(fdef, outer, shapes)
    for op in graph.get_operations():
        for name in _called(op):
            function = outer._get_function(name)
            if function is not None:
                graph._add_function_recursive(function)
    return graph


def function_def_to_graph_def(
    fdef: FunctionDef, input_shapes: Sequence[Any] | None = None, **more: Any
) -> tuple[GraphDef, dict[str, str]]:
    """The nodes of a function as a GraphDef, and the names of its tensors there.

    Args:
      fdef: The function; those that it calls are the default graph's.
      input_shapes: A shape for each argument, None where it is not known.
      **more: Accepted: whether the GraphDef has the functions that are called.

    Raises:
      ValueError: There are more or fewer shapes than arguments.
      InvalidArgumentError: The function is malformed.
    """
    shapes = None if input_shapes is None else _shapes(fdef, input_shapes)
    return function_def_import.function_def_to_graph_def(fdef, get_default_graph(), shapes)


def _called(op: Operation) -> list[str]:
    """The functions that attrs of a node name."""
    values = [each for value in op.attrs.values() for each in _each(value)]
    return [value.name for value in values if isinstance(value, NameAttrList)]


def _each(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else (value,)


def _shapes(fdef: FunctionDef, given: Sequence[Any] | None) -> list[TensorShape | None] | None:
    """Shapes of the arguments; what a handle is of says nothing of its own."""
    args = fdef.signature.input_arg
    if given is None:
        if "_input_shapes" not in fdef.attr:
            return None
        noted = fdef.attr["_input_shapes"].list.shape
        of_handles = resource.as_datatype_enum
        given = [
            None if arg.type == of_handles and arg.handle_data else shape
            for shape, arg in zip(noted, args, strict=False)
        ]
    if len(given) != len(args):
        raise ValueError(
            f"Length of `input_shapes` must match the number of `input_arg`s in `fdef`. Got "
            f"{len(given)} `input_shapes` and {len(args)} `input_arg`s."
        )
    return [None if shape is None else as_shape(shape) for shape in given]
