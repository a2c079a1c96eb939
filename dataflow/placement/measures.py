"""How much nodes take: bytes of weights, times of runs, and the bytes that edges carry."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from dataflow.graph.graph import Graph as FrontGraph
from dataflow.importing.import_graph import import_graph_def
from dataflow.proto.config_pb2 import RunMetadata, RunOptions
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.proto.tensor_shape_pb2 import TensorShapeProto
from dataflow.values.dtypes import as_dtype
from dataflow.values.shapes import TensorShape

_HOLDERS = frozenset({"Variable", "VariableV2", "VarHandleOp"})
_UNKNOWN_BYTES = 1024
"""What a tensor counts whose rank is not known."""
_STRING_BYTES = 32


def weight_bytes(node: NodeDef) -> int:
    """The bytes that a node keeps: a variable's, or a constant's."""
    if node.op in _HOLDERS:
        return _bytes(node.attr["dtype"].type, node.attr["shape"].shape)
    if node.op == "Const":
        tensor = node.attr["value"].tensor
        return max(_bytes(tensor.dtype, tensor.tensor_shape), len(tensor.tensor_content))
    return 0


def _bytes(number: int, shape: TensorShapeProto) -> int:
    if shape.unknown_rank:
        return 0
    dtype = as_dtype(number)
    width = dtype.size if dtype.is_numpy_compatible and dtype.name != "string" else _STRING_BYTES
    return math.prod(max(dim.size, 1) for dim in shape.dim) * max(width, 1)


def tensor_bytes(graph_def: GraphDef) -> dict[tuple[str, int], int]:
    """The bytes of tensors, by node and output; sizes that are not known count as 1."""
    with FrontGraph().as_default() as graph:
        import_graph_def(_without_devices(graph_def), name="")
        found: dict[tuple[str, int], int] = {}
        for op in graph.get_operations():
            for index, tensor in enumerate(op.outputs):
                found[op.name, index] = _of_tensor(tensor)
        return found


def _of_tensor(tensor: Any) -> int:
    shape: TensorShape = tensor.shape
    dims = shape.dims_tuple
    if dims is None:
        return _UNKNOWN_BYTES
    dtype = tensor.dtype.base_dtype
    width = dtype.size if dtype.is_numpy_compatible and dtype.name != "string" else _STRING_BYTES
    return math.prod(size or 1 for size in dims) * max(width, 1)


def _without_devices(graph_def: GraphDef) -> GraphDef:
    found = GraphDef()
    found.CopyFrom(graph_def)
    for node in found.node:
        node.device = ""
    return found


def measured_costs(
    session: Any, fetches: Any, feed_dict: Mapping[Any, Any] | None = None, runs: int = 3
) -> dict[str, float]:
    """The microseconds of each node in traced runs, the least of several.

    Args:
      session: Has the graph, and its variables have values.
      fetches: As for `Session.run`.
      feed_dict: As for `Session.run`; as large as what will be fed.
      runs: How many are traced, after one that is not.

    Returns:
      Times by the names of nodes. What a node's function runs counts for the node.
    """
    session.run(fetches, feed_dict)
    found: dict[str, float] = {}
    for _ in range(max(runs, 1)):
        metadata = RunMetadata()
        options = RunOptions(trace_level=RunOptions.FULL_TRACE)
        session.run(fetches, feed_dict, options, metadata)
        times: dict[str, float] = {}
        for device in metadata.step_stats.dev_stats:
            for stats in device.node_stats:
                name = stats.node_name.partition(":")[0]
                spent = max(stats.op_end_rel_micros - stats.op_start_rel_micros, 0)
                times[name] = times.get(name, 0.0) + spent
        for name, total in times.items():
            found[name] = min(found.get(name, total), total)
    return found
