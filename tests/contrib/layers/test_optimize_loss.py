"""optimize_loss against tf_slim's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf1

import dataflow as tf
from dataflow.contrib import layers, slim
from tests.contrib.oracle import optimize_loss

CASES: dict[str, Callable[[Any], dict[str, Any]]] = {
    "by name": lambda lib: {"optimizer": "Momentum", "learning_rate": 0.1},
    "class": lambda lib: {"optimizer": lib.train.AdamOptimizer, "learning_rate": 0.1},
    "object": lambda lib: {
        "optimizer": lib.train.GradientDescentOptimizer(0.2),
        "learning_rate": None,
        "increment_global_step": False,
    },
    "function": lambda lib: {
        "optimizer": lambda rate: lib.train.RMSPropOptimizer(rate),
        "learning_rate": lib.constant(0.05),
        "summaries": ["learning_rate", "gradients"],
    },
    "clipped": lambda lib: {
        "optimizer": "SGD",
        "learning_rate": 0.5,
        "clip_gradients": 0.25,
        "summaries": ["loss", "gradient_norm"],
    },
    "clipped by a function": lambda lib: {
        "optimizer": "SGD",
        "learning_rate": 0.5,
        "clip_gradients": lambda pairs: [(lib.sign(grad), var) for grad, var in pairs],
    },
    "decayed and multiplied": lambda lib: {
        "optimizer": "Adagrad",
        "learning_rate": 0.4,
        "learning_rate_decay_fn": lambda rate, step: lib.train.exponential_decay(
            rate, step, 1, 0.5
        ),
        "gradient_multipliers": {"b:0": 3.0},
        "name": "training",
    },
}


def trained(lib: Any, optimize: Any, case: str) -> tuple[Any, ...]:
    """Names that are made, and variables and losses of three steps."""
    with lib.Graph().as_default() as graph:
        step = lib.train.create_global_step()
        a = lib.get_variable("a", initializer=[1.0, -2.0], use_resource=True)
        b = lib.get_variable("b", initializer=0.5, use_resource=True)
        count = lib.get_variable("count", initializer=0.0, trainable=False)
        lib.add_to_collection(lib.GraphKeys.UPDATE_OPS, lib.assign_add(count, 1.0))
        # Each is read once: what is read later in the step may be read after the update.
        seen_a, seen_b = lib.identity(a), lib.identity(b)
        loss = lib.reduce_sum(lib.square(seen_a - 3.0)) * seen_b + lib.square(seen_b)
        train = optimize(loss, step, **CASES[case](lib))
        names = sorted(v.op.name for v in lib.global_variables())
        summaries = sorted(each.op.name for each in graph.get_collection("summaries"))
        with lib.Session() as session:
            session.run(lib.global_variables_initializer())
            losses = [session.run(train) for _ in range(3)]
            values = session.run([a, b, count, step])
            merged = lib.summary.merge_all()
            text = session.run(merged) if merged is not None else b""
        found = lib.Summary.FromString(text)
        scalars = {value.tag: value.simple_value for value in found.value}
        return names, summaries, losses, values, scalars


@pytest.mark.parametrize("case", CASES)
def test_as_tf_slim(case: str) -> None:
    ours = trained(tf, layers.optimize_loss, case)
    theirs = trained(tf1, optimize_loss, case)
    assert ours[0] == theirs[0] and ours[1] == theirs[1]
    np.testing.assert_allclose(ours[2], theirs[2], rtol=1e-5)
    for one, other in zip(ours[3], theirs[3], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)
    assert ours[4].keys() == theirs[4].keys()
    for tag, value in ours[4].items():
        np.testing.assert_allclose(value, theirs[4][tag], rtol=1e-5, err_msg=tag)


def test_noise() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        a = tf.get_variable("a", initializer=tf.zeros([1000]))
        train = layers.optimize_loss(
            tf.reduce_sum(a), None, 1.0, "SGD", gradient_noise_scale=0.5, summaries=[]
        )
        session.run(tf.global_variables_initializer())
        session.run(train)
        values = session.run(a)
    # Truncated normal noise has a standard deviation of 0.88.
    assert abs(values.mean() + 1) < 0.06 and 0.40 < values.std() < 0.48


def test_factors_are_of_any_type_and_none_is_of_a_variable_without_gradient() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        a = tf.get_variable("a", initializer=10.0)
        unused = tf.get_variable("unused", initializer=1.0)
        factor = tf.placeholder(tf.float64, [])
        train = layers.optimize_loss(
            5.0 * a, None, 0.1, "SGD", gradient_multipliers={a: factor, unused: 2.0}
        )
        session.run(tf.global_variables_initializer())
        session.run(train, {factor: 7.0})
        np.testing.assert_allclose(session.run([a, unused]), [6.5, 1.0], rtol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"learning_rate": -0.1}, "Invalid learning_rate -0.1"),
        ({"learning_rate": "a"}, "should be 0d Tensor or float"),
        ({"learning_rate": None}, "Learning rate is None"),
        ({"optimizer": "Best"}, "Optimizer name should be one of"),
        ({"optimizer": 3}, "Unrecognized optimizer: should be string"),
        ({"optimizer": lambda: 3}, "Unrecognized optimizer: function should return"),
        ({"summaries": ["all"]}, "Summaries should be one of"),
        ({"clip_gradients": "a"}, "Unknown type <class 'str'> for clip_gradients"),
        ({"learning_rate_decay_fn": lambda rate, step: rate}, "global_step is required"),
    ],
)
def test_malformed_arguments(arguments: dict[str, Any], message: str) -> None:
    with tf.Graph().as_default():
        a = tf.get_variable("a", initializer=1.0)
        tf.get_variable("c", initializer=1.0)
        with pytest.raises(ValueError, match=message):
            layers.optimize_loss(
                a * a, None, **{"learning_rate": 0.1, "optimizer": "SGD", **arguments}
            )


@pytest.mark.parametrize("by_step", [False, True])
def test_clipping_by_norms_there_were(by_step: bool) -> None:
    """Against the averages of the norms' logarithms in numpy."""
    norms = [1.0, 2.0, 1.5, 40.0, 1.0, 300.0]
    mean = squares = 0.0
    wanted = []
    for count, norm in enumerate(norms):
        decay = min(0.5, count / (count + 1)) if by_step else 0.5
        log = np.log(norm + 1e-8)
        mean += (1 - decay) * (log - mean)
        squares += (1 - decay) * (log**2 - squares)
        bound = np.exp(mean + 0.5 * np.sqrt(max(1e-8, squares - mean**2)))
        factor = 1.0 if norm < bound else np.exp(mean) / norm
        wanted.append(min(factor, 3.0 / norm))
    with tf.Graph().as_default() as graph, tf.Session() as session:
        scale, step = tf.placeholder(tf.float32, []), tf.placeholder(tf.int64, [])
        dense = tf.constant([0.6, 0.0]) * scale
        values = tf.reshape(scale * 0.8, [1, 1])
        sliced = tf.IndexedSlices(values, tf.constant([1]), tf.constant([2, 1]))
        clip = slim.adaptive_clipping_fn(
            0.5, 0.5, 3.0, step if by_step else None, report_summary=True
        )
        pairs = clip([(dense, "a"), (None, "b"), (sliced, "c")])
        assert [var for _, var in pairs] == ["a", "b", "c"] and pairs[1][0] is None
        names = [var.op.name for var in tf.global_variables()]
        assert names == ["AdaptiveMaxNorm/mean", "AdaptiveMaxNorm/sq_mean"]
        assert not tf.trainable_variables()
        (summary,) = graph.get_collection(tf.GraphKeys.SUMMARIES)
        assert summary.op.name == "global_norm/adaptive_max_gradient_norm"
        session.run(tf.global_variables_initializer())
        for count, (norm, factor) in enumerate(zip(norms, wanted, strict=True)):
            fed = {scale: norm, step: count}
            (first, _), found = session.run([pairs[0][0], pairs[2][0]], fed)
            np.testing.assert_allclose(first, 0.6 * norm * factor, rtol=1e-4)
            np.testing.assert_allclose(found.values, [[0.8 * norm * factor]], rtol=1e-4)
            assert list(found.indices) == [1]
