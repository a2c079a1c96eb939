"""Passes over the values of large constants: fewer bits, or fewer different values."""

from __future__ import annotations

import numpy as np

from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.proto.types_pb2 import DT_FLOAT, DT_QUINT8
from dataflow.transforms.context import Context
from dataflow.transforms.views import constant_node, values_from_const, with_nodes

_LEVELS = 255


def quantize_weights(graph_def: GraphDef, context: Context) -> GraphDef:
    """Large float32 constants have 8 bits, with their extremes, and are dequantized when they run.

    `minimum_size` says how many elements a constant must have, by default 1024.
    """
    least = context.number("minimum_size", 1024)
    nodes: list[NodeDef] = []
    for node in graph_def.node:
        value = _weights(node, least)
        nodes.extend([node] if value is None else _quantized(node, value))
    return with_nodes(graph_def, nodes)


def _weights(node: NodeDef, least: int) -> np.ndarray | None:
    """The value of a constant that is large enough, and finite."""
    if node.op != "Const" or node.attr["dtype"].type != DT_FLOAT:
        return None
    value = values_from_const(node)
    return value if value.size >= max(least, 1) and np.isfinite(value).all() else None


def _quantized(node: NodeDef, value: np.ndarray) -> list[NodeDef]:
    """The codes, the extremes, and the op that has the constant's name.

    An element is extreme + code * range / 255, of which 0 is one.
    """
    low, high = min(float(value.min()), 0.0), max(float(value.max()), 0.0)
    if low == high:
        high = low + 1.0
    step = (high - low) / _LEVELS
    # Moving both by less than a step makes 0 a code.
    low = round(low / step) * step
    high = low + step * _LEVELS
    codes = np.clip(np.round((value.astype(np.float64) - low) / step), 0, _LEVELS)
    packed = NodeDef(name=f"{node.name}_quantized_const", op="Const", device=node.device)
    packed.attr["dtype"].type = DT_QUINT8
    tensor = packed.attr["value"].tensor
    tensor.dtype = DT_QUINT8
    for size in value.shape:
        tensor.tensor_shape.dim.add().size = size
    tensor.tensor_shape.SetInParent()
    tensor.tensor_content = codes.astype(np.uint8).tobytes()
    ends = [
        constant_node(f"{node.name}_quantized_{name}", np.array(end, np.float32), node.device)
        for name, end in (("min", low), ("max", high))
    ]
    result = NodeDef(
        name=node.name,
        op="Dequantize",
        input=[packed.name, *(end.name for end in ends)],
        device=node.device,
    )
    result.input.extend(text for text in node.input if text.startswith("^"))
    result.attr["T"].type = DT_QUINT8
    result.attr["mode"].s = b"MIN_FIRST"
    return [packed, *ends, result]


def round_weights(graph_def: GraphDef, context: Context) -> GraphDef:
    """Large float32 constants have `num_steps` different values, which files compress well.

    `minimum_size` says how many elements a constant must have, by default 1024.
    """
    steps, least = context.number("num_steps", 256), context.number("minimum_size", 1024)
    nodes = []
    for node in graph_def.node:
        value = _weights(node, least)
        if value is not None and steps > 1 and value.max() > value.min():
            low, high = float(value.min()), float(value.max())
            size = (high - low) / (steps - 1)
            rounded = low + np.round((value.astype(np.float64) - low) / size) * size
            new = constant_node(node.name, rounded.astype(np.float32), node.device)
            new.input.extend(node.input)
            node = new
        nodes.append(node)
    return with_nodes(graph_def, nodes)
