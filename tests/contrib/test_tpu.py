"""TPUEstimator without a TPU: sizes of batches, host calls, scaffolds, metrics by functions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import cluster_resolver, tpu
from tests.estimation.models import X, Y, trained


def input_fn(params: Any) -> Any:
    """The first rows, as many as a batch has."""
    size = params["batch_size"]
    return {"x": tf.constant(X[:size])}, tf.constant(Y[:size])


def model_fn(features: Any, labels: Any, mode: str, params: Any) -> Any:
    with tf.variable_scope("model"):
        weights = tf.get_variable("weights", [3], initializer=tf.zeros_initializer())
        bias = tf.get_variable("bias", [], initializer=tf.zeros_initializer())
    found = tf.reduce_sum(features["x"] * weights, 1) + bias
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tpu.TPUEstimatorSpec(mode, predictions={"y": found})
    loss = tf.losses.mean_squared_error(labels, found)
    optimizer = tpu.CrossShardOptimizer(tf.train.GradientDescentOptimizer(0.1))
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    count = tf.get_variable("count", [], initializer=tf.zeros_initializer(), trainable=False)

    def metrics(labels: Any, found: Any) -> Any:
        return {"error": tf.metrics.mean_absolute_error(labels, found)}

    return tpu.TPUEstimatorSpec(
        mode,
        loss=loss,
        train_op=train_op,
        eval_metrics=(metrics, [labels, found]),
        host_call=(lambda size: count.assign_add(size), [float(params["batch_size"])]),
        scaffold_fn=lambda: tf.train.Scaffold(),
    )


def test_without_a_tpu(tmp_path: Path) -> None:
    config = tpu.RunConfig(
        model_dir=str(tmp_path), tpu_config=tpu.TPUConfig(iterations_per_loop=5, num_shards=8)
    )
    est = tpu.TPUEstimator(
        model_fn,
        config=config,
        use_tpu=False,
        train_batch_size=8,
        eval_batch_size=4,
        predict_batch_size=2,
    )
    est.train(input_fn, max_steps=1)
    weights, bias = trained(1)
    np.testing.assert_allclose(est.get_variable_value("model/weights"), weights, rtol=1e-5)
    assert est.get_variable_value("count") == 8
    error = X[:4] @ weights + bias - Y[:4]
    found = est.evaluate(input_fn, steps=1)
    assert found["loss"] == pytest.approx((error**2).mean(), rel=1e-4)
    assert found["error"] == pytest.approx(np.abs(error).mean(), rel=1e-4)
    rows = est.predict(lambda params: input_fn(params)[0])
    assert next(rows)["y"] == pytest.approx(X[0] @ weights + bias, rel=1e-3)
    assert est.config.tpu_config.iterations_per_loop == 5


def test_refusals(tmp_path: Path) -> None:
    config = tpu.RunConfig(model_dir=str(tmp_path))
    with pytest.raises(NotImplementedError, match="There are no TPUs here"):
        tpu.TPUEstimator(model_fn, config=config)
    with pytest.raises(ValueError, match="must be provided with type `tpu_config"):
        tpu.TPUEstimator(model_fn, config=tf.estimator.RunConfig(), use_tpu=False)
    with pytest.raises(ValueError, match="are reserved keys but existed in params"):
        tpu.TPUEstimator(model_fn, config=config, use_tpu=False, params={"batch_size": 1})
    for call, text in (
        (1, "eval_metrics should be tuple or list"),
        ((1,), "should have two elements"),
        ((len, 1), "should be tuple or list, or dict"),
    ):
        with pytest.raises(ValueError, match=text):
            tpu.TPUEstimatorSpec("eval", eval_metrics=call)
    with pytest.raises(ValueError, match="Unsupported reduction"):
        tpu.CrossShardOptimizer(tf.train.AdamOptimizer(), "other")
    with pytest.raises(NotImplementedError, match="There are no TPUs here"):
        tpu.RunConfig(cluster=object())
    with pytest.raises(NotImplementedError, match="TPUClusterResolver is not here"):
        cluster_resolver.TPUClusterResolver("name")


def test_loops_in_a_step() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        count = tf.Variable(0.0)
        doubled = tpu.repeat(3, lambda x: (2.0 * x, count.assign_add(1.0).op), [tf.constant(1.0)])
        below = tpu.while_loop(lambda x: x < 20.0, lambda x: 3.0 * x, [tf.constant(1.0)])
        counts = tpu.repeat(2, lambda: count.assign_add(1.0).op)
        session.run(tf.global_variables_initializer())
        assert session.run(doubled) == [8.0]
        assert session.run(count) == 3.0
        assert session.run(below) == 27.0
        session.run(counts)
        assert session.run(count) == 5.0
        with pytest.raises(TypeError, match="loop body function cannot be called"):
            tpu.while_loop(lambda x: x < 2.0, lambda: 1.0, [tf.constant(1.0)])
        with pytest.raises(TypeError, match="Mismatch between input types and output types"):
            tpu.repeat(2, lambda x: tf.cast(x, tf.int32), [tf.constant(1.0)])
        with pytest.raises(ValueError, match="Tensor values followed by zero or more Operations"):
            tpu.repeat(2, lambda x: (tf.no_op(), x), [tf.constant(1.0)])
        with pytest.raises(NotImplementedError, match="infeed_queue feeds TPUs"):
            tpu.repeat(2, lambda x: x, [1.0], infeed_queue=1)


def test_variables_of_bfloat16_are_float32() -> None:
    with tf.Graph().as_default():
        with tpu.bfloat16_scope():
            narrow = tf.get_variable("narrow", [2], tf.bfloat16)
            wide = tf.get_variable("wide", [2])
        assert (narrow.dtype, wide.dtype.base_dtype) == (tf.bfloat16, tf.float32)
        assert [each.dtype.base_dtype for each in tf.global_variables()] == [tf.float32] * 2


@pytest.mark.parametrize("name", ["cross_replica_sum", "shard", "initialize_system", "Topology"])
def test_what_needs_a_tpu_says_so(name: str) -> None:
    with pytest.raises(NotImplementedError, match=f"{name} runs on TPUs, and there is none"):
        getattr(tpu, name)()


def test_checkpoints_beside_a_tpus_work(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step().assign_add(1)
        hook = tpu.AsyncCheckpointSaverHook(str(tmp_path), save_steps=1)
        with tf.train.MonitoredSession(hooks=[hook]) as session:
            session.run(step)
        assert tf.train.load_variable(str(tmp_path), "global_step") == 1
