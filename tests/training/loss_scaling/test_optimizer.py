"""Optimizers that multiply losses, against TensorFlow's: graphs, weights, factors, checkpoints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow.session import defaults
from tests.differentiation.both import assert_same_graph, assert_same_refusal

oracle.disable_v2_behavior()
oracle.logging.set_verbosity(oracle.logging.ERROR)

FED = [1.0, 2.0, np.inf, 1.0, np.nan, np.inf, 1.0, 3.0, 1.0]


def _model(tf: Any, scale: Any) -> tuple[Any, ...]:
    x = tf.placeholder(tf.float32, [], name="x")
    weight = tf.get_variable("weight", initializer=[1.0, -1.0])
    table = tf.get_variable("table", initializer=[[1.0], [2.0]], use_resource=True)
    step = tf.train.get_or_create_global_step()
    inner = tf.train.MomentumOptimizer(0.1, 0.5)
    optimizer = tf.mixed_precision.MixedPrecisionLossScaleOptimizer(inner, scale)
    loss = x * (tf.reduce_sum(weight**2) + tf.reduce_sum(tf.gather(table, [1])))
    return x, weight, table, step, optimizer, optimizer.minimize(loss, global_step=step)


def _trained(tf: Any, dynamic: bool) -> tuple[list[Any], list[str]]:
    with tf.Graph().as_default(), tf.Session() as session:
        dynamic_scale, fixed = (
            tf.mixed_precision.DynamicLossScale,
            tf.mixed_precision.FixedLossScale,
        )
        scale = dynamic_scale(2.0**100, 2, 2.0**14) if dynamic else fixed(8)
        x, weight, table, step, optimizer, train = _model(tf, scale)
        session.run(tf.global_variables_initializer())
        seen = []
        for value in FED if dynamic else FED[:2]:
            session.run(train, {x: value})
            seen.append(session.run([weight, table, step, scale()]))
        return seen, [each.op.name for each in optimizer.variables()]


@pytest.mark.parametrize("dynamic", [False, True])
def test_trains_as_tensorflows(dynamic: bool) -> None:
    ours, names = _trained(tf, dynamic)
    theirs, expected = _trained(oracle, dynamic)
    assert names == expected
    for mine, other in zip(ours, theirs, strict=True):
        for got, want in zip(mine, other, strict=True):
            np.testing.assert_array_equal(got, want)


def test_graphs_are_the_same() -> None:
    for scale in (16, "dynamic"):
        assert_same_graph(lambda tf, scale=scale: _model(tf, scale)[:4], values=False)


@pytest.mark.parametrize(
    "build",
    [
        lambda tf: tf.mixed_precision.FixedLossScale(0.5),
        lambda tf: tf.mixed_precision.FixedLossScale("a"),
        lambda tf: tf.mixed_precision.MixedPrecisionLossScaleOptimizer(
            tf.train.GradientDescentOptimizer(0.1), "big"
        ),
        lambda tf: tf.mixed_precision.MixedPrecisionLossScaleOptimizer(
            tf.train.GradientDescentOptimizer(0.1), None
        ),
        lambda tf: tf.mixed_precision.enable_mixed_precision_graph_rewrite("Adam"),
        lambda tf: tf.mixed_precision.enable_mixed_precision_graph_rewrite(
            tf.train.experimental.MixedPrecisionLossScaleOptimizer(
                tf.train.GradientDescentOptimizer(0.1), 2
            )
        ),
    ],
)
def test_refusals_are_tensorflows(build: Any) -> None:
    assert_same_refusal(build)


def test_the_rewrite_is_an_option_of_new_sessions() -> None:
    try:
        inner = tf.train.AdamOptimizer()
        wrapped = tf.train.experimental.enable_mixed_precision_graph_rewrite(inner)
        assert isinstance(wrapped, tf.mixed_precision.MixedPrecisionLossScaleOptimizer)
        assert tf.config.optimizer.get_experimental_options()["auto_mixed_precision"]
        tf.train.experimental.disable_mixed_precision_graph_rewrite()
        assert not tf.config.optimizer.get_experimental_options()["auto_mixed_precision"]
    finally:
        defaults.DEFAULTS.graph_options.rewrite_options.ClearField("auto_mixed_precision")


def test_the_factor_is_in_checkpoints_of_objects(tmp_path: Path) -> None:
    def build(tf: Any) -> tuple[Any, Any]:
        scale = tf.mixed_precision.DynamicLossScale(64.0)
        *_, optimizer, _ = _model(tf, scale)
        return scale, tf.train.Checkpoint(optimizer=optimizer)

    with oracle.Graph().as_default(), oracle.Session() as session:
        scale, checkpoint = build(oracle)
        session.run(oracle.global_variables_initializer())
        session.run(scale._current_loss_scale.assign(32.0))
        path = checkpoint.save(str(tmp_path / "theirs"), session=session)
    with tf.Graph().as_default(), tf.Session() as session:
        scale, checkpoint = build(tf)
        checkpoint.restore(path).run_restore_ops(session)
        assert session.run(scale()) == 32.0


def _followed(start: float, raised_after: int, lowered_after: int, finite: list[bool]) -> list[Any]:
    """The factors by the rules of tf.contrib.mixed_precision's documentation."""
    factor, good, bad, seen = np.float32(start), 0, 0, []
    for fine in finite:
        good, bad = (good + 1, bad) if fine else (0, bad + 1)
        if good >= raised_after:
            factor, good, bad = factor * np.float32(3), 0, 0
        elif bad >= lowered_after:
            factor, good, bad = np.maximum(np.float32(1), factor * np.float32(0.25)), 0, 0
        seen.append(factor)
    return seen


@pytest.mark.parametrize("start", [2.0, 1000.0])
def test_contribs_factor_follows_the_gradients(start: float) -> None:
    mixed = tf.contrib.mixed_precision
    with tf.Graph().as_default(), tf.Session() as session:
        manager = mixed.ExponentialUpdateLossScaleManager(start, 2, 2, 3, 0.25)
        x = tf.placeholder(tf.float32, [])
        weight = tf.get_variable("weight", initializer=4.0)
        optimizer = mixed.LossScaleOptimizer(tf.train.GradientDescentOptimizer(0.5), manager)
        train = optimizer.minimize(x * weight)
        session.run(tf.global_variables_initializer())
        expected, seen, value = [], [], 4.0
        for fed in (1.0, np.inf, *FED):
            session.run(train, {x: fed})
            value -= 0.5 * fed if np.isfinite(fed) else 0.0
            expected.append(value)
            seen.append(session.run([weight, manager.get_loss_scale()]))
    factors = _followed(start, 2, 2, [bool(np.isfinite(fed)) for fed in (1.0, np.inf, *FED)])
    np.testing.assert_allclose(seen, list(zip(expected, factors, strict=True)), rtol=1e-6)


def test_contribs_fixed_factor() -> None:
    mixed = tf.contrib.mixed_precision
    with tf.Graph().as_default(), tf.Session() as session:
        weight = tf.get_variable("weight", initializer=4.0)
        optimizer = mixed.LossScaleOptimizer(
            tf.train.GradientDescentOptimizer(0.5), mixed.FixedLossScaleManager(128)
        )
        train = optimizer.minimize(lambda: weight * weight, var_list=[weight])
        session.run(tf.global_variables_initializer())
        session.run(train)
        assert session.run(weight) == 0.0
    with pytest.raises(ValueError, match="loss scale must be at least 1"):
        mixed.FixedLossScaleManager(0.5)
