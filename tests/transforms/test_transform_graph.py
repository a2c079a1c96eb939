"""Each pass keeps the answers, and does what it is for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow

import dataflow as tf
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.transforms.transform_graph import TransformGraph, parse_transforms
from tests.transforms.nets import IMAGES, OUTPUTS, answer, net, ops

NET = net()
ANSWER = answer(NET)


def _transform(*transforms: str, graph: GraphDef = NET) -> GraphDef:
    before = graph.SerializeToString(deterministic=True)
    result = TransformGraph(graph, ["images"], OUTPUTS, transforms)
    assert graph.SerializeToString(deterministic=True) == before
    return result


def _keeps(result: GraphDef, rtol: float = 1e-4) -> None:
    np.testing.assert_allclose(answer(result), ANSWER, rtol=rtol, atol=1e-7)


def test_the_net_answers_as_in_tensorflow() -> None:
    np.testing.assert_allclose(answer(NET, tensorflow.compat.v1), ANSWER, rtol=1e-4)


def test_fold_old_batch_norms() -> None:
    result = _transform("strip_unused_nodes", "fold_old_batch_norms")
    _keeps(result)
    assert "FusedBatchNormV3" in ops(NET) and "FusedBatchNormV3" not in ops(result)
    assert ops(result).count("BiasAdd") == 2


def test_fold_batch_norms() -> None:
    result = _transform("fold_batch_norms")
    _keeps(result)
    assert ops(NET).count("Mul") - ops(result).count("Mul") == 2


def test_fold_constants() -> None:
    result = _transform("fold_constants(ignore_errors=true)")
    _keeps(result, rtol=1e-6)
    assert not {"Sqrt", "Split"} & set(ops(result)) and {"Sqrt", "Split"} <= set(ops(NET))
    small = _transform("fold_constants(max_constant_size_in_bytes=4)")
    _keeps(small, rtol=1e-6)
    assert "Sqrt" not in ops(small) and "Split" in ops(small)


def test_remove_nodes() -> None:
    result = _transform("remove_nodes(op=Identity, op=CheckNumerics, op=StopGradient)")
    _keeps(result, rtol=1e-6)
    assert not {"Identity", "CheckNumerics", "StopGradient"} & set(ops(result))
    # It has several inputs, and what is fetched stays.
    assert "Mul" in ops(_transform("remove_nodes(op=Mul)"))
    assert "Softmax" in ops(_transform("remove_nodes(op=Softmax)"))


def test_merge_duplicate_nodes() -> None:
    result = _transform("merge_duplicate_nodes")
    _keeps(result, rtol=1e-6)
    assert ops(NET).count("Square") == 2 and ops(result).count("Square") == 1


def test_what_is_taken_elsewhere_is_not_folded() -> None:
    """The convolution's own output is an answer, or part of one."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [1, 2, 2, 1], name="x")
        filters = tf.constant(np.full((1, 1, 1, 2), 3.0, np.float32))
        h = tf.nn.conv2d(x, filters, [1, 1, 1, 1], "SAME", name="product")
        factors = tf.constant([2.0, 5.0])
        tf.add(h * factors, h, name="both")
        ones = tf.ones([2])
        normed = tf.nn.fused_batch_norm(h, factors, ones, ones, ones, 0.01, "NHWC", False)[0]
        tf.identity(normed, name="normed")
        graph_def = graph.as_graph_def()
    names = ["both:0", "normed:0", "product:0"]
    image = np.arange(4, dtype=np.float32).reshape(1, 2, 2, 1)

    def answers(of: GraphDef, wanted: list[str]) -> list[np.ndarray]:
        with tf.Graph().as_default(), tf.Session() as session:
            tf.import_graph_def(of, name="")
            found: list[np.ndarray] = session.run(wanted, {"x:0": image})
            return found

    for ends in (names, names[1:], names[2:]):
        for transform in ("fold_batch_norms", "fold_old_batch_norms"):
            outputs = [name.removesuffix(":0") for name in ends]
            result = TransformGraph(graph_def, ["x"], outputs, ["strip_unused_nodes", transform])
            for have, want in zip(answers(result, ends), answers(graph_def, ends), strict=True):
                np.testing.assert_allclose(have, want, rtol=1e-6)


def test_nodes_that_others_wait_for_stay() -> None:
    with tf.Graph().as_default() as graph:
        waited = tf.identity(tf.constant(1.0), name="waited")
        with tf.control_dependencies([waited]):
            tf.negative(tf.constant(2.0), name="answer")
        graph_def = graph.as_graph_def()
    result = TransformGraph(graph_def, [], ["answer"], ["remove_nodes(op=Identity)"])
    assert "waited" in [node.name for node in result.node]


def test_what_is_fed_is_not_folded() -> None:
    with tf.Graph().as_default() as graph:
        tf.negative(tf.constant(1.0, name="given"), name="answer")
        graph_def = graph.as_graph_def()
    result = TransformGraph(graph_def, ["given"], ["answer"], ["fold_constants"])
    assert sorted(ops(result)) == ["Const", "Neg"]


def test_random_numbers_are_not_merged() -> None:
    with tf.Graph().as_default() as graph:
        first, second = (tf.random_uniform([3], seed=1) for _ in range(2))
        tf.add(first, second, name="answer")
        graph_def = graph.as_graph_def()
    result = TransformGraph(graph_def, [], ["answer"], ["merge_duplicate_nodes", "fold_constants"])
    assert ops(result).count("RandomUniform") == 2


def test_sort_by_execution_order() -> None:
    backwards = GraphDef(node=reversed(NET.node), versions=NET.versions)
    result = _transform("sort_by_execution_order", graph=backwards)
    _keeps(result, rtol=1e-6)
    seen: set[str] = set()
    for node in result.node:
        assert {text.removeprefix("^").split(":")[0] for text in node.input} <= seen
        seen.add(node.name)
    assert len(seen) == len(NET.node)


def test_loops_are_sorted_too() -> None:
    with tf.Graph().as_default() as graph:
        tf.identity(tf.while_loop(lambda i: i < 5, lambda i: i + 2, [0]), name="answer")
        graph_def = graph.as_graph_def()
    backwards = GraphDef(node=reversed(graph_def.node), versions=graph_def.versions)
    result = TransformGraph(backwards, [], ["answer"], ["sort_by_execution_order fold_constants"])
    with tf.Session(graph=tf.Graph()) as session:
        with session.graph.as_default():
            tf.import_graph_def(result, name="")
        assert session.run("answer:0") == 6


def test_strip_unused_nodes() -> None:
    result = _transform('strip_unused_nodes(type=float, shape="2,8,8,3")')
    _keeps(result, rtol=1e-6)
    assert "unused" not in [node.name for node in result.node]
    (placeholder,) = (node for node in result.node if node.name == "images")
    assert [dim.size for dim in placeholder.attr["shape"].shape.dim] == [2, 8, 8, 3]
    cut = TransformGraph(
        NET, ["first"], OUTPUTS, ["strip_unused_nodes(name=first,type_for_name=float)"]
    )
    assert "images" not in [node.name for node in cut.node]


def test_attributes() -> None:
    renamed = _transform(
        "rename_attribute(old_attribute_name=T, new_attribute_name=S, op_name=Relu)"
    )
    relu = next(node for node in renamed.node if node.op == "Relu")
    assert "S" in relu.attr and "T" not in relu.attr
    back = _transform("rename_attribute(old_attribute_name=S, new_attribute_name=T)", graph=renamed)
    _keeps(back, rtol=1e-6)
    removed = _transform("remove_attribute(attribute_name=data_format, op_name=Conv2D)")
    assert all("data_format" not in n.attr for n in removed.node if n.op == "Conv2D")
    _keeps(removed, rtol=1e-6)
    filled = _transform("add_default_attributes", graph=removed)
    assert all("data_format" in n.attr for n in filled.node if n.op == "Conv2D")
    _keeps(filled, rtol=1e-6)


def test_ops_devices_and_waiting() -> None:
    assert "Relu6" in ops(_transform("rename_op(old_op_name=Relu, new_op_name=Relu6)"))
    placed = _transform("set_device(device=/cpu:0)")
    assert {node.device for node in placed.node} == {"/cpu:0"}
    kept = _transform("set_device(device=/cpu:1, if_default=true)", graph=placed)
    assert {node.device for node in kept.node} == {"/cpu:0"}
    assert {node.device for node in _transform("remove_device", graph=placed).node} == {""}
    waits = GraphDef()
    waits.CopyFrom(NET)
    waits.node[-1].input.append("^images")
    assert list(_transform("remove_control_dependencies", graph=waits).node[-1].input) == ["images"]


def test_quantize_weights() -> None:
    result = _transform("quantize_weights(minimum_size=1000)")
    assert ops(result).count("Dequantize") == 2
    assert len(result.SerializeToString()) < len(NET.SerializeToString()) - 3 * 2000
    # The kernel is TensorFlow's.
    found = answer(result, tensorflow.compat.v1)
    np.testing.assert_allclose(found, ANSWER, atol=0.05)
    assert np.abs(found - ANSWER).max() > 0


def test_quantized_weights_are_near_and_zero_stays() -> None:
    with tf.Graph().as_default() as graph:
        values = np.linspace(-0.3, 1.7, 2000, dtype=np.float32)
        values[7] = 0
        tf.constant(values, name="answer")
        graph_def = graph.as_graph_def()
    result = TransformGraph(graph_def, [], ["answer"], ["quantize_weights"])
    with tensorflow.Graph().as_default() as graph, tensorflow.compat.v1.Session() as session:
        message = tensorflow.compat.v1.GraphDef.FromString(result.SerializeToString())
        tensorflow.import_graph_def(message, name="")
        found = session.run("answer:0")
    np.testing.assert_allclose(found, values, atol=2 / 255)
    assert abs(found[7]) < 1e-6


def test_round_weights() -> None:
    result = _transform("round_weights(num_steps=64, minimum_size=1000)")
    np.testing.assert_allclose(answer(result), ANSWER, atol=0.05)
    sizes = [
        len(np.unique(tf.make_ndarray(node.attr["value"].tensor)))
        for node in result.node
        if node.op == "Const" and node.attr["value"].tensor.ByteSize() > 4000
    ]
    assert sizes and max(sizes) <= 64


def test_several_after_each_other_in_text() -> None:
    result = _transform(
        'strip_unused_nodes(type=float,shape="2,8,8,3") remove_nodes(op=Identity, op=CheckNumerics)'
        "\n fold_constants(ignore_errors=true) fold_batch_norms fold_old_batch_norms",
        "merge_duplicate_nodes sort_by_execution_order",
    )
    _keeps(result)
    assert len(result.node) < len(NET.node) - 15
    assert answer(result).shape == (len(IMAGES), 30)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no_such_pass", "Transform 'no_such_pass' not recognized."),
        ("remove_nodes", "expects at least one 'op' argument"),
        ("rename_op(old_op_name=Relu)", "Expected exactly one value for parameter 'new_op_name'"),
        ("strip_unused_nodes(type=flot)", "flot"),
        ('strip_unused_nodes(shape="a,b")', "Couldn't interpret the shape argument: a,b"),
        ("quantize_weights(minimum_size=x)", "Couldn't interpret the minimum_size argument"),
        ("fold_constants(", "Looking for a transform or its parameters"),
        ("=", "Looking for a transform or its parameters"),
    ],
)
def test_mistakes_are_told(text: str, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        _transform(text)
    assert message in str(raised.value)


def test_errors_may_be_ignored() -> None:
    result = _transform("strip_unused_nodes(type=flot, ignore_errors=true)")
    assert result.SerializeToString(deterministic=True) == NET.SerializeToString(deterministic=True)


def test_malformed_graphs_are_told() -> None:
    broken = GraphDef()
    broken.node.add(name="answer", op="Neg", input=["nowhere"])
    for name in ("fold_constants", "strip_unused_nodes", "remove_device"):
        with pytest.raises(ValueError, match="nowhere"):
            TransformGraph(broken, [], OUTPUTS, [name])


def test_text_is_read() -> None:
    found: Any = parse_transforms('a b(c=1,d="2, 3" c = x)  e()')
    assert found == [("a", {}), ("b", {"c": ["1", "x"], "d": ["2, 3"]}), ("e", {})]
