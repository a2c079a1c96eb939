"""How many operations on numbers the usual ops take: TensorFlow's counts, by its formulas.

Convolutions and pooling are counted where the channels come last.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from dataflow.profiling.counting import OpStats, RegisterStatistics, lengths_of

if TYPE_CHECKING:
    from dataflow.graph.graph import Graph
    from dataflow.proto.node_def_pb2 import NodeDef

FLOPS: Final = "flops"


def _size(graph: Graph, name: str) -> int:
    return math.prod(lengths_of(graph, name))


def _of_input(op_type: str, each: int = 1, more: int = 0) -> None:
    @RegisterStatistics(op_type, FLOPS)
    def count(graph: Graph, node: NodeDef) -> OpStats:
        return OpStats(FLOPS, each * _size(graph, node.input[0]) + more)


def _of_output(op_type: str, each: int = 1) -> None:
    @RegisterStatistics(op_type, FLOPS)
    def count(graph: Graph, node: NodeDef) -> OpStats:
        return OpStats(FLOPS, each * _size(graph, node.name))


def _of_reduction(op_type: str, at_end: int = 0) -> None:
    @RegisterStatistics(op_type, FLOPS)
    def count(graph: Graph, node: NodeDef) -> OpStats:
        taken, given = _size(graph, node.input[0]), _size(graph, node.name)
        return OpStats(FLOPS, taken + given * (at_end - 1))


for _op in ["Reciprocal", "Square", "Log", "Neg", "AssignSub", "AssignAdd"]:
    _of_input(_op)
_of_input("Rsqrt", 2)
_of_input("Softmax", 5)
_of_input("L2Loss", 3, -1)
for _op in [
    "Add",
    "AddV2",
    "Sub",
    "Mul",
    "RealDiv",
    "Maximum",
    "Minimum",
    "Pow",
    "GreaterEqual",
    "Greater",
    "LessEqual",
    "Less",
    "Equal",
    "NotEqual",
    "BiasAdd",
]:
    _of_output(_op)
_of_output("SquaredDifference", 2)
_of_output("RsqrtGrad", 4)
_of_reduction("Mean", at_end=1)
for _op in ["Sum", "ArgMax", "ArgMin", "BiasAddGrad"]:
    _of_reduction(_op)


@RegisterStatistics("AddN", FLOPS)
def _add_n(graph: Graph, node: NodeDef) -> OpStats:
    return OpStats(FLOPS, _size(graph, node.input[0]) * (len(node.input) - 1))


@RegisterStatistics("MatMul", FLOPS)
def _mat_mul(graph: Graph, node: NodeDef) -> OpStats:
    rows, columns = lengths_of(graph, node.input[0])
    inner = rows if node.attr["transpose_a"].b else columns
    return OpStats(FLOPS, 2 * inner * _size(graph, node.name))


@RegisterStatistics("BatchMatMul", FLOPS)
@RegisterStatistics("BatchMatMulV2", FLOPS)
@RegisterStatistics("BatchMatMulV3", FLOPS)
def _batch_mat_mul(graph: Graph, node: NodeDef) -> OpStats:
    *_, rows, columns = lengths_of(graph, node.input[0])
    inner = rows if node.attr["adj_x"].b else columns
    return OpStats(FLOPS, 2 * inner * _size(graph, node.name))


def _channels_last(node: NodeDef) -> None:
    if node.attr["data_format"].s != b"NHWC":
        raise ValueError("Only NHWC format is supported in flops computations")


@RegisterStatistics("Conv2D", FLOPS)
def _conv_2d(graph: Graph, node: NodeDef) -> OpStats:
    height, width, depth, _ = lengths_of(graph, node.input[1])
    return OpStats(FLOPS, 2 * height * width * depth * _size(graph, node.name))


@RegisterStatistics("Conv3D", FLOPS)
def _conv_3d(graph: Graph, node: NodeDef) -> OpStats:
    *window, depth, _ = lengths_of(graph, node.input[1])
    return OpStats(FLOPS, 2 * math.prod(window) * depth * _size(graph, node.name))


@RegisterStatistics("DepthwiseConv2dNative", FLOPS)
def _depthwise(graph: Graph, node: NodeDef) -> OpStats:
    height, width, *_ = lengths_of(graph, node.input[1])
    return OpStats(FLOPS, 2 * height * width * _size(graph, node.name))


@RegisterStatistics("Dilation2D", FLOPS)
def _dilation(graph: Graph, node: NodeDef) -> OpStats:
    height, width, _ = lengths_of(graph, node.input[1])
    return OpStats(FLOPS, 2 * height * width * _size(graph, node.name))


def _of_gradient(node: NodeDef, images: list[int], filters: list[int]) -> OpStats:
    """Each filter meets every place of an image that its steps reach."""
    _channels_last(node)
    steps = math.prod(node.attr["strides"].list.i[1:3])
    return OpStats(FLOPS, 2 * math.prod(images) * math.prod(filters) / (images[-1] * steps))


@RegisterStatistics("Conv2DBackpropInput", FLOPS)
def _conv_2d_input_gradient(graph: Graph, node: NodeDef) -> OpStats:
    images, filters = lengths_of(graph, node.name), lengths_of(graph, node.input[1])
    return _of_gradient(node, images, filters)


@RegisterStatistics("Conv2DBackpropFilter", FLOPS)
def _conv_2d_filter_gradient(graph: Graph, node: NodeDef) -> OpStats:
    images, filters = lengths_of(graph, node.input[0]), lengths_of(graph, node.name)
    return _of_gradient(node, images, filters)


def _window(node: NodeDef) -> int:
    _channels_last(node)
    return math.prod(node.attr["ksize"].list.i)


@RegisterStatistics("AvgPool", FLOPS)
@RegisterStatistics("MaxPool", FLOPS)
def _pool(graph: Graph, node: NodeDef) -> OpStats:
    return OpStats(FLOPS, _window(node) * _size(graph, node.name))


@RegisterStatistics("AvgPoolGrad", FLOPS)
def _avg_pool_gradient(graph: Graph, node: NodeDef) -> OpStats:
    return OpStats(FLOPS, 2 * _window(node) * _size(graph, node.input[1]))


@RegisterStatistics("MaxPoolGrad", FLOPS)
def _max_pool_gradient(graph: Graph, node: NodeDef) -> OpStats:
    return OpStats(FLOPS, (_window(node) + 1) * _size(graph, node.input[1]))
