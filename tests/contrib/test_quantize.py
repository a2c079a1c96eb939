"""Models whose batch norms are folded, and whose numbers are rounded to few bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import quantize, slim

X = np.random.RandomState(0).normal(size=(4, 6, 6, 3)).astype(np.float32)


def model(fused: bool, training: bool = True) -> Any:
    """A layer of each type that batch norms are folded into."""
    norm = {
        "normalizer_fn": slim.batch_norm,
        "normalizer_params": {"fused": fused, "is_training": training, "scale": True},
        "weights_initializer": tf.random_normal_initializer(seed=1),
    }
    net = slim.conv2d(tf.constant(X), 4, [3, 3], scope="conv", **norm)
    net = slim.separable_conv2d(
        net, None, [3, 3], 1, scope="deep", activation_fn=tf.nn.relu6, **norm
    )
    return slim.fully_connected(slim.flatten(net), 5, scope="full", **norm)


def values(rewrite: Any, fused: bool) -> list[np.ndarray]:
    """The output of the model, and the gradients of all weights, gammas and betas."""
    with tf.Graph().as_default(), tf.Session() as session:
        output = model(fused)
        last = tf.reduce_sum(tf.identity(output) ** 2 * tf.range(5.0))
        rewrite()
        gradients = tf.gradients(last, tf.trainable_variables())
        session.run(tf.global_variables_initializer())
        found = session.run([output, *gradients])
    assert len(found) == 10
    return list(found)


@pytest.mark.parametrize("fused", [True, False])
def test_folding_changes_no_value(fused: bool) -> None:
    def fold() -> None:
        quantize.experimental_create_training_graph(scope="nowhere")
        tf.get_default_graph().get_operation_by_name("conv/mul_fold")

    def fold_and_delay() -> None:
        quantize.experimental_create_training_graph(quant_delay=9, freeze_bn_delay=9)

    expected = values(lambda: None, fused)
    for rewrite in (fold, fold_and_delay):
        for ours, theirs in zip(values(rewrite, fused), expected, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=2e-3, atol=2e-3)


def test_names_of_roundings() -> None:
    tf.identity(model(True))
    quantize.create_training_graph()
    fakes = [
        op.name
        for op in tf.get_default_graph().get_operations()
        if op.type == "FakeQuantWithMinMaxVars"
    ]
    assert fakes == [
        f"{layer}/{which}_quant/FakeQuantWithMinMaxVars"
        for layer in ("conv", "deep", "full")
        for which in ("weights", "act")
    ]


def test_rounded_values(target: str) -> None:
    """Weights and outputs of few bits, as numpy rounds them; ranges are kept for evaluation."""
    weights = np.random.RandomState(1).normal(size=(6, 3)).astype(np.float32)
    x = X.reshape(-1, 6)

    def built(rewrite: Any) -> Any:
        output = slim.fully_connected(
            tf.constant(x), 3, scope="full", weights_initializer=tf.constant_initializer(weights)
        )
        output = tf.identity(output)
        rewrite(weight_bits=4, activation_bits=3, symmetric=True)
        return output

    def rounded(value: np.ndarray, low: float, high: float, steps: int) -> Any:
        step = (high - low) / steps
        zero = np.round(-low / step)
        low, high = -zero * step, (steps - zero) * step
        return np.round((np.clip(value, low, high) - low) / step) * step + low

    with tf.Graph().as_default(), tf.Session(target) as session:
        output = built(quantize.experimental_create_training_graph)
        session.run(tf.global_variables_initializer())
        found = session.run(output)
        ends = {v.op.name: session.run(v) for v in tf.global_variables() if "quant" in v.op.name}
    most = np.abs(weights).max()
    full = np.maximum(x @ rounded(weights, -most, most, 14), 0)
    low, high = -full.max() * 8 / 6, full.max()
    np.testing.assert_allclose(
        [ends[f"full/{name}"] for name in ("weights_quant/min", "act_quant/min", "act_quant/max")],
        [-most, low, high],
        rtol=1e-4,  # A thousandth is no float32: the average of one value is not that value.
    )
    np.testing.assert_allclose(found, rounded(full, low, high, 7), atol=1e-3)
    with tf.Graph().as_default(), tf.Session(target) as session:
        output = built(quantize.experimental_create_eval_graph)
        session.run(tf.global_variables_initializer())
        for variable in tf.global_variables():
            if variable.op.name in ends:
                variable.load(ends[variable.op.name], session)
        np.testing.assert_allclose(session.run(output), found, atol=1e-6)


def test_sums_and_training() -> None:
    x = tf.constant(X)
    left = slim.conv2d(x, 3, [1, 1], scope="block/a", activation_fn=None)
    net = tf.nn.relu(left + x, name="block/Relu")
    net = slim.conv2d(net, 3, [1, 1], scope="block/b") + net
    loss = tf.reduce_mean(tf.square(net - 1.0))
    quantize.create_training_graph(quant_delay=2)
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    kinds = {op.name for op in tf.get_default_graph().get_operations()}
    assert {
        "block/a/weights_quant/FakeQuantWithMinMaxVars",
        "block/a/conv_quant/delayed_quant/Merge",
        "block/act_quant/activate_quant",
        "post_activation_bypass_quant/AssignMinEma",
        "fake_quantization_step/AssignAdd",
    } <= kinds
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        losses = [session.run([loss, step])[0] for _ in range(12)]
    assert losses[-1] < losses[0]
    with pytest.raises(ValueError, match="Training op found in graph, exiting"):
        quantize.create_training_graph()
    with tf.Graph().as_default():
        net = slim.conv2d(tf.constant(X), 3, [1, 1], normalizer_fn=slim.batch_norm, scope="c")
        for op in tf.get_default_graph().get_operations():
            if op.type == "Sub" and "AssignMovingAvg" in op.name:
                op._update_input(1, tf.zeros([3]))
        with pytest.raises(ValueError, match="no updates of the moving averages"):
            quantize.create_training_graph()


def test_patterns_by_their_public_names() -> None:
    from dataflow.contrib.quantize import graph_matcher as gm

    with tf.Graph().as_default() as graph:
        x, y = tf.placeholder(tf.float32, [4], name="x"), tf.placeholder(tf.float32, [4], name="y")
        halves = tf.split(x, 2, name="halves")
        total = tf.add(tf.nn.relu(halves[1], name="kept"), y[:2], name="total")
        tf.nn.relu6(total, name="last")
        split = gm.OpTypePattern("Split", name="split")
        either = gm.OneofPattern(
            [gm.OpTypePattern("Tanh"), gm.OpTypePattern("Relu|Relu6", "act", ["*"])]
        )
        ordered = gm.OpTypePattern("AddV2|Add", inputs=["*", either])
        free = gm.OpTypePattern(
            "AddV2|Add", inputs=[gm.OpTypePattern("*"), either], ordered_inputs=False
        )
        assert list(gm.GraphMatcher(ordered).match_graph(graph)) == []
        (found,) = gm.GraphMatcher(free).match_graph(graph)
        assert found.get_op("act").name == "kept" and found.get_tensor("act").name == "kept:0"
        assert found.get_op(free) is total.op and found.get_tensor(free) is None
        assert found.get_op("none") is None and found.get_tensor(ordered) is None
        with pytest.raises(ValueError, match="Expect Pattern or str"):
            found.get_op(3)
        deep = gm.GraphMatcher(gm.OpTypePattern("Relu", inputs=[split]))
        result = deep.match_op(graph.get_operation_by_name("kept"))
        assert result.get_op(split).name == "halves"
        assert result.get_tensor("split").name == "halves:1"
        assert deep.match_op(total.op) is None
        with pytest.raises(ValueError, match="Name split is already bound"):
            result.add(gm.OpTypePattern("*", name="split"), total.op, total)
        result.merge_from(found)
        assert result.get_op("act").name == "kept"
        any_order = [gm.OpTypePattern("*")] * 2
        assert len(list(gm.GraphMatcher(either).match_graph(graph))) == 2
        assert gm.OpTypePattern("Relu6", inputs=any_order).match(total.op, None) is None
    with pytest.raises(ValueError, match="Only < 8 inputs"):
        gm.OpTypePattern("*", inputs=["*"] * 9)
