"""Operations of a graph as a GraphDef."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from dataflow.graph.operation import Operation
from dataflow.graph.parts.functions import GraphFunction, GraphFunctions
from dataflow.proto.function_pb2 import FunctionDef
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.versions_pb2 import VersionDef
from dataflow.values.garbage import uncollected

_LIMIT = 2**31 - 1


@uncollected
def export(
    operations: Sequence[Operation],
    versions: VersionDef,
    functions: GraphFunctions,
    add_shapes: bool,
    with_attrs: bool = True,
) -> GraphDef:
    """Writes operations, in their order, into a new GraphDef.

    Args:
      operations: The operations.
      versions: Versions of the format.
      functions: The function library.
      add_shapes: Adds static shapes as attr `_output_shapes`.
      with_attrs: Writes the attrs; whoever leaves them out hands them over in another way.

    Raises:
      ValueError: The constants alone fill the 2 GB a protobuf can hold.
    """
    _check_size(operations)
    graph_def = GraphDef()
    graph_def.versions.CopyFrom(versions)
    library = functions.library()
    if library.function or library.gradient:
        graph_def.library.CopyFrom(library)
        if add_shapes:
            for definition in graph_def.library.function:
                _add_input_shapes(definition, functions[definition.signature.name])
    for op in operations:
        node = graph_def.node.add()
        op.fill_node_def(node, with_attrs)
        if add_shapes and op.outputs:
            shapes = node.attr["_output_shapes"].list.shape
            shapes.extend([tensor.shape.as_proto() for tensor in op.outputs])
    return graph_def


def _add_input_shapes(definition: FunctionDef, function: GraphFunction) -> None:
    inputs = getattr(function.graph, "inputs", None)
    if inputs:
        shapes = definition.attr["_input_shapes"].list.shape
        if not shapes:
            shapes.extend([tensor.shape.as_proto() for tensor in inputs])


def _check_size(operations: Iterable[Operation]) -> None:
    sizes = [
        (value.nbytes, op.name)
        for op in operations
        if isinstance(value := op.attrs.get("value"), np.ndarray)
    ]
    if sum(size for size, _ in sizes) > _LIMIT:
        largest = ", ".join(f"{name} ({size} bytes)" for size, name in sorted(sizes)[:-6:-1])
        raise ValueError(
            f"GraphDef cannot be larger than 2GB. The largest constants are {largest}: "
            "feed them or keep them in variables."
        )
