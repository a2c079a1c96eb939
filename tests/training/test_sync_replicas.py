"""SyncReplicasOptimizer against TensorFlow's: the same graphs, and the same weights in training."""

from __future__ import annotations

from threading import Thread
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.differentiation.both import assert_same_graph

oracle.disable_v2_behavior()


def _model(tf: Any, replicas: int = 1, total: int | None = None) -> tuple[Any, ...]:
    """Dense and sparse weights; the gradient is what is fed."""
    x = tf.placeholder_with_default([1.0, 2.0], [2], name="x")
    dense = tf.get_variable("dense", initializer=tf.constant([1.0, -1.0]))
    table = tf.get_variable("table", initializer=tf.constant([[1.0], [2.0], [3.0]]))
    loss = tf.reduce_sum(dense * x) + tf.reduce_sum(tf.gather(table, [0, 2]) * x[0])
    step = tf.train.get_or_create_global_step()
    inner = tf.train.MomentumOptimizer(0.1, 0.5)
    optimizer = tf.train.SyncReplicasOptimizer(inner, replicas, total)
    train = optimizer.minimize(loss, global_step=step)
    return x, dense, table, optimizer, train


@pytest.mark.parametrize("averaged", [False, True])
def test_graphs_are_the_same(averaged: bool) -> None:
    def build(tf: Any) -> None:
        weight = tf.get_variable("weight", initializer=tf.constant(1.0))
        table = tf.get_variable("table", initializer=tf.constant([[1.0], [2.0], [3.0]]))
        unused = tf.get_variable("unused", initializer=tf.constant(1.0))
        step = tf.train.get_or_create_global_step()
        averages = tf.train.ExponentialMovingAverage(0.9)
        optimizer = tf.train.SyncReplicasOptimizer(
            tf.train.GradientDescentOptimizer(0.1),
            3,
            2,
            averages if averaged else None,
            [weight] if averaged else None,
        )
        loss = weight * 2.0 + tf.reduce_sum(tf.gather(table, [0, 2]))
        gradients = optimizer.compute_gradients(loss, [weight, table, unused])
        optimizer.apply_gradients(gradients, step)
        optimizer.make_session_run_hook(True).begin()
        optimizer.get_init_tokens_op(4)
        with pytest.raises(ValueError, match="Too few tokens to finish the first step"):
            optimizer.get_init_tokens_op(0)

    assert_same_graph(build, values=False)


def _train(tf: Any, master: str) -> list[Any]:
    """Weights after three steps, of which each has gradients of two replicas."""
    with tf.Graph().as_default():
        x, dense, table, optimizer, train = _model(tf, 2, 2)
        hook = optimizer.make_session_run_hook(is_chief=True, num_tokens=0)
        hook.begin()
        coord = tf.train.Coordinator()
        initialize = tf.global_variables_initializer()
        with tf.Session(master) as session:
            session.run(initialize)
            hook.after_create_session(session, coord)
            for number in range(3):
                feeds = [[1.0 + number, 2.0], [3.0, -1.0]]
                threads = [
                    Thread(target=session.run, args=(train, {x: feed}), daemon=True)
                    for feed in feeds
                ]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join(30)
                    assert not thread.is_alive()
            step = tf.train.get_global_step()
            found = session.run([dense, table, step, *optimizer.variables()])
            names = [*optimizer.get_slot_names(), optimizer.get_slot(dense, "momentum").name]
            # The chief's thread waits for gradients of a further step, until the session ends.
            coord.request_stop()
    return [*found, *names]


def test_replicas_train_together(target: str) -> None:
    expected, actual = _train(oracle, ""), _train(tf, target)
    for ours, theirs in zip(actual, expected, strict=True):
        if isinstance(theirs, str):
            assert ours == theirs
        else:
            np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_refuses_the_same() -> None:
    texts = []
    for library in (oracle, tf):
        found = []
        with library.Graph().as_default():
            inner = library.train.GradientDescentOptimizer(0.1)
            optimizer = library.train.SyncReplicasOptimizer(inner, 1)
            weight = library.get_variable("weight", initializer=library.constant(1.0))
            for ask in (
                optimizer.get_chief_queue_runner,
                optimizer.get_init_tokens_op,
                optimizer.make_session_run_hook(False).begin,
                lambda optimizer=optimizer: optimizer.apply_gradients([]),
                lambda optimizer=optimizer, weight=weight: optimizer.apply_gradients([(1, weight)]),
            ):
                with pytest.raises(ValueError) as refusal:
                    ask()
                found.append(" ".join(str(refusal.value).split()))
        texts.append(found)
    assert texts[0] == texts[1]
