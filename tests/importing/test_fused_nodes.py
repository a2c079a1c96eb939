"""Fused nodes run as the plain ones they stand for: TensorFlow runs them as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow

import dataflow
from dataflow.proto.graph_pb2 import GraphDef
from tests.oracle import open_session

oracle = tensorflow.compat.v1
oracle.disable_v2_behavior()

DT_FLOAT = 1
RANDOM = np.random.default_rng(4)
IMAGE = RANDOM.normal(0, 1, (2, 5, 5, 3)).astype(np.float32)
FILTERS = RANDOM.normal(0, 1, (3, 3, 3, 3)).astype(np.float32)
MATRIX = RANDOM.normal(0, 1, (4, 3)).astype(np.float32)
VECTORS = [RANDOM.uniform(0.5, 1.5, 3).astype(np.float32) for _ in range(5)]
SIDE = RANDOM.normal(0, 1, (2, 5, 5, 3)).astype(np.float32)


def _constant(graph: GraphDef, name: str, value: np.ndarray) -> str:
    node = graph.node.add(name=name, op="Const")
    node.attr["dtype"].type = DT_FLOAT
    node.attr["value"].tensor.CopyFrom(dataflow.make_tensor_proto(value))
    return name


def _graph(op: str, fused: list[str], inputs: list[np.ndarray], arguments: Any) -> GraphDef:
    """Constants, the fused node "f", and what takes its output "g"."""
    graph = GraphDef()
    graph.versions.producer = 1000
    names = [_constant(graph, f"c{i}", value) for i, value in enumerate([*inputs, *arguments])]
    node = graph.node.add(name="f", op=op, input=names, device="/device:CPU:0")
    node.attr["T"].type = DT_FLOAT
    node.attr["num_args"].i = len(arguments)
    node.attr["fused_ops"].list.s.extend(each.encode() for each in fused)
    node.attr["epsilon"].f = 0.01
    node.attr["leakyrelu_alpha"].f = 0.3
    if op == "_FusedConv2D":
        node.attr["TArgs"].list.type.extend([DT_FLOAT] * len(arguments))
        node.attr["num_host_args"].i = 0
    if op == "_FusedMatMul":
        node.attr["transpose_b"].b = False
    else:
        node.attr["strides"].list.i.extend([1, 1, 1, 1])
        node.attr["padding"].s = b"SAME"
        node.attr["data_format"].s = b"NHWC"
    last = graph.node.add(name="g", op="Neg", input=["f"])
    last.attr["T"].type = DT_FLOAT
    return graph


def _run(tf: Any, graph_def: GraphDef, *names: str) -> Any:
    message = tf.GraphDef.FromString(graph_def.SerializeToString())
    with tf.Graph().as_default() as graph, open_session(tf, graph) as session:
        tf.import_graph_def(message, name="")
        return session.run(list(names))


ACTIVATIONS = ["Relu", "Relu6", "Elu", "LeakyRelu", "Tanh", "Sigmoid"]


@pytest.mark.parametrize("activation", ["", *ACTIVATIONS])
@pytest.mark.parametrize(
    ("op", "inputs", "first", "count"),
    [
        ("_FusedConv2D", [IMAGE, FILTERS], "BiasAdd", 1),
        ("_FusedConv2D", [IMAGE, FILTERS], "FusedBatchNorm", 4),
        ("_FusedMatMul", [IMAGE[0, 0, :4], FILTERS[0, 0]], "BiasAdd", 1),
        ("_FusedDepthwiseConv2dNative", [IMAGE, FILTERS[:, :, :, :1]], "BiasAdd", 1),
    ],
)
def test_products_with_activations(
    op: str, inputs: list[np.ndarray], first: str, count: int, activation: str
) -> None:
    fused = [first, activation] if activation else [first]
    ours = _run(dataflow, _graph(op, fused, inputs, VECTORS[:count]), "f:0", "g:0")
    if op == "_FusedDepthwiseConv2dNative":
        plain = _by_plain_nodes(inputs, VECTORS[0])
    else:
        plain = _run(oracle, _graph(op, [first], inputs, VECTORS[:count]), "f:0")[0]
    # TensorFlow has not every activation in every kernel, nor on every processor.
    want = _activated(activation, plain)
    for have, value in zip(ours, (want, -want), strict=True):
        np.testing.assert_allclose(have, value, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("activation", ["Relu", "Relu6", "Elu"])
@pytest.mark.parametrize("op", ["_FusedConv2D", "_FusedMatMul"])
def test_activations_are_those_of_tensorflows_fused_nodes(op: str, activation: str) -> None:
    inputs = [IMAGE, FILTERS] if op == "_FusedConv2D" else [IMAGE[0, 0, :4], FILTERS[0, 0]]
    graph = _graph(op, ["BiasAdd", activation], inputs, VECTORS[:1])
    runs = (_run(tf, graph, "f:0", "g:0") for tf in (dataflow, oracle))
    for have, want in zip(*runs, strict=True):
        np.testing.assert_allclose(have, want, rtol=1e-5, atol=1e-5)


def _by_plain_nodes(inputs: list[np.ndarray], bias: np.ndarray) -> np.ndarray:
    """A depthwise convolution and its bias."""
    with oracle.Graph().as_default() as graph, open_session(oracle, graph) as session:
        product = oracle.nn.depthwise_conv2d_native(*inputs, [1, 1, 1, 1], "SAME")
        found: np.ndarray = session.run(oracle.nn.bias_add(product, bias))
        return found


def test_a_bias_may_have_the_rank_of_what_it_is_added_to() -> None:
    """As TensorFlow has it where its kernels are oneDNN's."""
    bias = VECTORS[0].reshape(1, 1, 1, 3)
    found = _run(
        dataflow, _graph("_FusedConv2D", ["BiasAdd", "Relu"], [IMAGE, FILTERS], [bias]), "f:0"
    )
    flat = _graph("_FusedConv2D", ["BiasAdd", "Relu"], [IMAGE, FILTERS], VECTORS[:1])
    np.testing.assert_allclose(found, _run(oracle, flat, "f:0"), rtol=1e-5, atol=1e-5)


def _activated(name: str, x: np.ndarray) -> np.ndarray:
    functions = {
        "": lambda: x,
        "Relu": lambda: np.maximum(x, 0),
        "Relu6": lambda: np.clip(x, 0, 6),
        "Elu": lambda: np.where(x > 0, x, np.expm1(x)),
        "LeakyRelu": lambda: np.where(x > 0, x, np.float32(0.3) * x),
        "Tanh": lambda: np.tanh(x),
        "Sigmoid": lambda: 1 / (1 + np.exp(-x)),
    }
    return functions[name]()


@pytest.mark.parametrize("fused", [["BiasAdd", "Add"], ["BiasAdd", "Add", "Relu"]])
def test_sums_with_another_value(fused: list[str]) -> None:
    graph = _graph("_FusedConv2D", fused, [IMAGE, FILTERS], [VECTORS[0], SIDE])
    (have,) = _run(dataflow, graph, "f:0")
    plain = _graph("_FusedConv2D", ["BiasAdd"], [IMAGE, FILTERS], [VECTORS[0]])
    want = _run(oracle, plain, "f:0")[0] + SIDE
    want = np.maximum(want, 0) if "Relu" in fused else want
    np.testing.assert_allclose(have, want, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("approximate", [True, False])
def test_gelu(approximate: bool) -> None:
    name = "GeluApproximate" if approximate else "GeluExact"
    graph = _graph("_FusedMatMul", ["BiasAdd", name], [MATRIX, FILTERS[0, 0]], [VECTORS[0]])
    (have,) = _run(dataflow, graph, "f:0")
    with oracle.Graph().as_default() as theirs, open_session(oracle, theirs) as session:
        x = oracle.matmul(MATRIX, FILTERS[0, 0]) + VECTORS[0]
        want = session.run(tensorflow.nn.gelu(x, approximate))
    np.testing.assert_allclose(have, want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("side", [[], [SIDE]])
@pytest.mark.parametrize("mode", ["Identity", "Relu"])
def test_batch_norm(training: bool, side: list[np.ndarray], mode: str) -> None:
    graph = GraphDef()
    graph.versions.producer = 1000
    values = [IMAGE, *VECTORS[:4], *side]
    names = [_constant(graph, f"c{i}", value) for i, value in enumerate(values)]
    node = graph.node.add(name="f", op="_FusedBatchNormEx", input=names)
    node.attr["T"].type = node.attr["U"].type = DT_FLOAT
    node.attr["epsilon"].f = 0.01
    node.attr["is_training"].b = training
    node.attr["data_format"].s = b"NHWC"
    node.attr["num_side_inputs"].i = len(side)
    node.attr["activation_mode"].s = mode.encode()
    mean = graph.node.add(name="mean", op="Identity", input=["f:1"])
    mean.attr["T"].type = DT_FLOAT
    y, found = _run(dataflow, graph, "f:0", "mean:0")
    with oracle.Graph().as_default() as theirs, open_session(oracle, theirs) as session:
        given = {"mean": VECTORS[2], "variance": VECTORS[3]} if not training else {}
        want, batch_mean, _ = oracle.nn.fused_batch_norm(
            IMAGE, VECTORS[0], VECTORS[1], epsilon=0.01, is_training=training, **given
        )
        want, batch_mean = session.run([want, batch_mean])
    want = want + (side[0] if side else 0)
    np.testing.assert_allclose(y, np.maximum(want, 0) if mode == "Relu" else want, rtol=1e-4)
    np.testing.assert_allclose(found, batch_mean, rtol=1e-5, atol=1e-6)


def test_in_a_function() -> None:
    body = _graph("_FusedMatMul", ["BiasAdd", "Relu"], [MATRIX, FILTERS[0, 0]], [VECTORS[0]])
    want = _run(dataflow, body, "g:0")[0]
    graph = GraphDef()
    graph.versions.CopyFrom(body.versions)
    function = graph.library.function.add()
    function.signature.name = "fused"
    for name in ("y", "f"):
        function.signature.output_arg.add(name=name, type=DT_FLOAT)
    for node in body.node:
        copy = function.node_def.add()
        copy.CopyFrom(node)
        outputs = {"f": "f:product:0"}
        renamed = [outputs.get(text, f"{text}:output:0") for text in node.input]
        del copy.input[:]
        copy.input.extend(renamed)
    function.ret["y"], function.ret["f"] = "g:y:0", "f:product:0"
    call = graph.node.add(name="call", op="PartitionedCall")
    call.attr["f"].func.name = "fused"
    call.attr["Tin"].list.SetInParent()
    call.attr["Tout"].list.type.extend([DT_FLOAT, DT_FLOAT])
    y, f = _run(dataflow, graph, "call:0", "call:1")
    np.testing.assert_array_equal(y, want)
    np.testing.assert_array_equal(f, -want)


def test_what_is_malformed_is_told() -> None:
    for op, fused, arguments, text in (
        ("_FusedMatMul", ["BiasAdd", "Sine"], [VECTORS[0]], "fuses 'Sine', not known here"),
        ("_FusedMatMul", ["BiasAdd", "Add"], [VECTORS[0]], "lacks inputs"),
        ("_FusedMatMul", ["Relu"], [VECTORS[0]], "has 1 more inputs"),
    ):
        graph = _graph(op, fused, [MATRIX, FILTERS[0, 0]], arguments)
        with pytest.raises(ValueError, match=text):
            _run(dataflow, graph, "f:0")
    graph = _graph("_FusedMatMul", [], [MATRIX, FILTERS[0, 0]], [])
    del graph.node[2].input[1]
    with pytest.raises(ValueError, match="lacks inputs or its type"):
        _run(dataflow, graph, "f:0")


def test_types_that_are_none_are_told() -> None:
    for kind in (0, 99, 7):
        graph = _graph("_FusedMatMul", ["GeluExact"], [MATRIX, FILTERS[0, 0]], [])
        graph.node[2].attr["T"].type = kind
        with pytest.raises(ValueError, match="f"):
            _run(dataflow, graph, "f:0")


def test_what_is_waited_for_still_is() -> None:
    graph = _graph("_FusedMatMul", ["BiasAdd"], [MATRIX, FILTERS[0, 0]], [VECTORS[0]])
    graph.node.add(name="before", op="NoOp")
    graph.node[3].input.append("^before")
    with dataflow.Graph().as_default() as made:
        dataflow.import_graph_def(graph, name="")
        (first,) = made.get_operation_by_name("f/MatMul").control_inputs
    assert first.name == "before"


def test_names_of_new_nodes_are_free() -> None:
    graph = _graph("_FusedMatMul", ["BiasAdd"], [MATRIX, FILTERS[0, 0]], [VECTORS[0]])
    want = _run(dataflow, graph, "f:0")[0]
    graph.node[0].name = "f/MatMul"
    graph.node[3].input[0] = "f/MatMul"
    np.testing.assert_array_equal(_run(dataflow, graph, "f:0")[0], want)


def test_notes_of_symbolic_shapes_go() -> None:
    graph = _graph("_FusedMatMul", ["BiasAdd"], [MATRIX, FILTERS[0, 0]], [VECTORS[0]])
    graph.node[-1].attr["_input_shapes"].list.shape.add().dim.add().size = -7
    _run(dataflow, graph, "g:0")
