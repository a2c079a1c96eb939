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
