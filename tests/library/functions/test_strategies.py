"""tf.distribute of one replica against TensorFlow's."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf


def states(tf: Any) -> list[Any]:
    """What strategies say of themselves in scopes, replicas and outside of both."""
    distribute = tf.distribute
    found: list[Any] = []

    def note(*more: Any) -> None:
        replica = distribute.get_replica_context()
        found.append(
            (
                distribute.has_strategy(),
                distribute.in_cross_replica_context(),
                replica is None,
                distribute.get_strategy().num_replicas_in_sync,
                *more,
            )
        )

    with tf.Graph().as_default():
        note()
        with distribute.get_strategy().scope():
            note()
        strategy = distribute.OneDeviceStrategy("/cpu:0")
        with strategy.scope():
            note("CPU:0" in tf.Variable(1.0).device)
            strategy.run(lambda x: note(x), args=(3,))
            replica = distribute.get_replica_context
            strategy.run(lambda: replica().merge_call(lambda s, a: note(s is strategy, a), (4,)))
            total = strategy.reduce(distribute.ReduceOp.SUM, tf.constant([1.0, 2.0]), axis=0)
            found.append((total.op.type, strategy.experimental_local_results(3)))
            with (
                pytest.raises(RuntimeError, match="Mixing different"),
                distribute.OneDeviceStrategy("/cpu:0").scope(),
            ):
                pass
        note()
    return found


def test_scopes_and_replicas() -> None:
    assert states(tf) == states(oracle)


def test_all_reduce_of_one() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        context = tf.distribute.get_replica_context()
        assert session.run(context.all_reduce("sum", [tf.constant(2.0)])) == [2.0]
        with pytest.raises(ValueError):
            context.all_reduce("max", tf.constant(2.0))


def test_estimators_train_under_a_strategy(tmp_path: Any) -> None:
    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        seen.append((tf.distribute.has_strategy(), tf.distribute.get_replica_context() is None))
        loss = tf.reduce_mean(tf.square(tf.get_variable("w", []) * features - labels))
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)

    def input_fn(input_context: Any = None) -> Any:
        contexts.append(input_context)
        return tf.data.Dataset.from_tensors((2.0, 6.0)).repeat(30)

    seen: list[Any] = []
    contexts: list[Any] = []
    strategies: list[Any] = [
        tf.distribute.MirroredStrategy(),
        tf.contrib.distribute.MirroredStrategy(num_gpus=0),
    ]
    config = tf.estimator.RunConfig(train_distribute=strategies[0], eval_distribute=strategies[1])
    estimator = tf.estimator.Estimator(model_fn, str(tmp_path), config)
    estimator.train(input_fn)
    assert estimator.evaluate(input_fn, steps=1)["loss"] < 1e-3
    assert seen == [(True, False)] * 2
    assert [context.num_input_pipelines for context in contexts] == [1, 1]


def test_several_replicas_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="one replica"):
        tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
    with pytest.raises(NotImplementedError, match="one replica"):
        tf.contrib.distribute.MirroredStrategy(num_gpus=2)
    with pytest.raises(ValueError, match="both"):
        tf.contrib.distribute.MirroredStrategy(num_gpus=1, num_gpus_per_worker=1)
    with tf.distribute.MirroredStrategy("/cpu:0").scope():
        assert "CPU:0" in tf.Variable(1.0).device
