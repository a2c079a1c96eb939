"""The functions that 1.15 has in the files of contrib.quantize; its names and numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib.quantize import former_names

VALUES = np.array([[-1.0, -3.0], [2.0, 0.1], [0.5, 5.0], [-0.2, 0.3]], np.float32)


def small_net(is_training: bool) -> None:
    with tf.variable_scope("test"):
        net = tf.contrib.layers.conv2d(
            tf.zeros([2, 8, 8, 3]),
            4,
            [3, 3],
            normalizer_fn=tf.contrib.layers.batch_norm,
            normalizer_params={"is_training": is_training},
            activation_fn=tf.nn.relu6,
            scope="conv",
        )
        tf.contrib.layers.fully_connected(tf.reshape(net, [2, -1]), 3, scope="fc")


@pytest.mark.parametrize("is_training", [True, False])
def test_a_graph_is_rewritten_in_two_steps(is_training: bool) -> None:
    with tf.Graph().as_default() as graph:
        small_net(is_training)
        former_names.FoldBatchNorms(graph, is_training=is_training)
        former_names.Quantize(graph, is_training, weight_bits=6, vars_collection="ranges")
        bits = {
            op.name: op.get_attr("num_bits")
            for op in graph.get_operations()
            if op.type == "FakeQuantWithMinMaxVars"
        }
        kinds = ("conv/act", "conv/weights", "fc/act", "fc/weights")
        assert bits == {
            f"test/{kind}_quant/FakeQuantWithMinMaxVars": 6 if "weights" in kind else 8
            for kind in kinds
        }
        names = sorted(each.op.name for each in tf.get_collection("ranges"))
        assert names == [f"test/{kind}_quant/{end}" for kind in kinds for end in ("max", "min")]
        assert set(tf.get_collection("ranges")) <= set(tf.global_variables())
        activation = former_names.GetEndpointActivationOp(graph, "test/fc/")
        assert activation is not None and activation.name == "test/fc/Relu"
        assert former_names.GetEndpointActivationOp(graph, "test/no/") is None
        consumers = former_names.InputToOps(graph)
        bias = graph.get_operation_by_name("test/fc/BiasAdd")
        assert [op.name for op in consumers.ConsumerOperations(bias)] == ["test/fc/Relu"]


def test_what_lies_outside_of_a_scope_stays() -> None:
    with tf.Graph().as_default() as graph:
        small_net(True)
        former_names.Quantize(graph, True, scope="test/fc")
        found = [op.name for op in graph.get_operations() if op.type.startswith("FakeQuant")]
        assert found and all(name.startswith("test/fc/") for name in found)


@pytest.mark.parametrize("averaged", [False, True])
@pytest.mark.parametrize("per_channel", [False, True])
def test_values_set_the_range(averaged: bool, per_channel: bool) -> None:
    function: Any = former_names.LastValueQuantize
    if averaged:
        function = former_names.MovingAvgQuantize
    with tf.Graph().as_default(), tf.Session() as session:
        rounded = function(tf.constant(VALUES), per_channel=per_channel, name_prefix="q")
        session.run(tf.global_variables_initializer())
        values = session.run(rounded)
        low, high = (session.run(f"q/{end}:0") for end in ("min", "max"))
        axis = 0 if per_channel else None
        wanted = np.minimum(VALUES.min(axis), 0), np.maximum(VALUES.max(axis), 0)
        if not averaged:
            np.testing.assert_allclose([low, high], wanted)
        assert np.shape(low) == ((2,) if per_channel else ())
        np.testing.assert_allclose(values, VALUES, atol=0.03)
        kept = tf.get_collection(tf.GraphKeys.MOVING_AVERAGE_VARIABLES)
        assert len(kept) == (2 if averaged else 0)


def test_ranges_that_stay_and_symmetric_ones() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        still = former_names.MovingAvgQuantize(
            tf.constant(VALUES), is_training=False, init_min=-1.0, init_max=2.0
        )
        even = former_names.LastValueQuantize(
            tf.constant(VALUES), symmetric=True, narrow_range=True, num_bits=4, name_prefix="q"
        )
        vector = former_names.LastValueQuantize(tf.constant([1.0, -2.0]), per_channel=True)
        fixed = former_names.FixedQuantize(tf.constant([1.0, 7.0, -9.0]))
        session.run(tf.global_variables_initializer())
        found = session.run(still)
        np.testing.assert_allclose([found.min(), found.max()], [-1, 2], atol=1e-6)
        # 1.15 gives these.
        wanted = [[-0.7143, -2.8571], [2.1429, 0.0], [0.7143, 5.0], [0.0, 0.0]]
        np.testing.assert_allclose(session.run(even), wanted, atol=1e-4)
        assert (session.run("q/min:0"), session.run("q/max:0")) == (-5, 5)
        assert session.run(vector).tolist() == [1, -2]
        np.testing.assert_allclose(session.run(fixed), [1, 6, -6], atol=0.03)
    with pytest.raises(AssertionError, match="Expected 1D, 2D or 4D input"):
        former_names.MovingAvgQuantize(tf.zeros([2, 2, 2]), per_channel=True)


def test_small_helpers() -> None:
    assert former_names.DropStringPrefix("abc", "a") == "bc"
    assert former_names.DropStringPrefix("abc", "b") == "abc"
    with tf.Graph().as_default() as graph, tf.Session() as session:
        one, two = tf.constant(1.0), tf.constant(2.0)
        total, product = one + one, one * 3.0
        # An operation that takes a tensor twice is counted for each pair, as in 1.15.
        assert former_names.RerouteTensor(two, one, [total.op]) == 4
        assert session.run([total, product]) == [4, 3]
        tf.identity(one, name="a/BatchNorm/batchnorm/mul")
        tf.identity(one, name="a/BatchNorm/batchnorm/sub")
        tf.identity(one, name="gradients/b/BatchNorm/batchnorm/mul")
        assert former_names.BatchNormGroups(graph) == ["a/"]
