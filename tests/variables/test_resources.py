"""Resources that programs register, against TensorFlow's."""

from __future__ import annotations

from typing import Any

from tensorflow.python.ops import resources as oracle_resources

import dataflow as tf
from dataflow.variables import resources as our_resources
from tests.oracle import oracle


def _trace(tf: Any, resources: Any) -> list[Any]:
    """What is missing before and after, and the graph."""
    seen = []
    with tf.Graph().as_default() as graph:
        assert resources.shared_resources() == resources.local_resources() == []
        for shared in (True, False):
            made = tf.Variable(1.0, name=f"made_{shared}", use_resource=False)
            resources.register_resource(
                made, made.initializer, tf.is_variable_initialized(made), is_shared=shared
            )
        missing = resources.report_uninitialized_resources()
        shared = resources.initialize_resources(resources.shared_resources())
        local = resources.initialize_resources(resources.local_resources(), name="local")
        nothing = resources.report_uninitialized_resources([])
        resources.initialize_resources([])
        with tf.Session() as session:
            for init in (tf.no_op(), shared, local):
                session.run(init)
                seen.append([session.run(missing).tolist(), session.run(nothing).tolist()])
    return [*seen, sorted((op.name, op.type) for op in graph.get_operations())]


def test_resources_are_tensorflows() -> None:
    assert _trace(tf, our_resources) == _trace(oracle, oracle_resources)


def _initialised(tf: Any, resources: Any) -> list[Any]:
    with tf.Graph().as_default() as graph:
        for shared in (True, False):
            held = tf.Variable(3.0, name=f"held_{shared}", collections=[], use_resource=False)
            resources.register_resource(
                held, held.initializer, tf.is_variable_initialized(held), is_shared=shared
            )
        values = [op for op in graph.get_operations() if op.name.endswith("/read")]
        with tf.train.MonitoredSession() as session:
            values = session.run([op.outputs[0] for op in values])
        return [values, sorted(op.name for op in graph.get_operations() if "save" not in op.name)]


def test_monitored_sessions_initialise_resources() -> None:
    """By the operations that TensorFlow has for it."""
    assert _initialised(tf, our_resources) == _initialised(oracle, oracle_resources)
