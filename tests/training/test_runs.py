"""Training runs: the same losses as in TensorFlow, step by step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dataflow.session.session import Session
from tests.conftest import SessionFactory
from tests.differentiation.both import oracle, tf
from tests.training.models import OPTIMIZERS, regression

STEPS = 20
KINDS = pytest.mark.parametrize("use_resource", [False, True], ids=["ref", "resource"])
TOLERANCE = {"float32": 2e-5, "float64": 1e-10}


def losses(library: Any, session: Any, optimizer: str, use_resource: bool, dtype: str) -> Any:
    """The losses before each step, then all variables, by name, and the global step."""
    loss = regression(library, use_resource, dtype)
    step = library.train.get_or_create_global_step()
    train = OPTIMIZERS[optimizer](library).minimize(loss, global_step=step)
    session.run(library.global_variables_initializer())
    seen = []
    for _ in range(STEPS):
        seen.append(session.run(loss))
        session.run(train)
    assert library.train.global_step(session, step) == STEPS
    variables = library.global_variables()
    return seen, dict(zip([v.name for v in variables], session.run(variables), strict=True))


def on_oracle(optimizer: str, use_resource: bool, dtype: str) -> Any:
    """What TensorFlow does."""
    with oracle.Graph().as_default(), oracle.Session() as session:
        return losses(oracle, session, optimizer, use_resource, dtype)


@pytest.mark.parametrize(
    ("dtype", "use_resource"),
    [("float32", False), ("float32", True), ("float64", True)],
    ids=["ref", "resource", "float64"],
)
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_losses(optimizer: str, dtype: str, use_resource: bool) -> None:
    if dtype == "float64" and optimizer.startswith("proximal"):
        # TensorFlow does not cast their hyperparameters; here they work.
        with pytest.raises(TypeError, match="that does not match type"):
            on_oracle(optimizer, use_resource, dtype)
        with tf.Graph().as_default(), Session() as session:
            seen, _ = losses(tf, session, optimizer, use_resource, dtype)
        assert seen[-1] < 0.8 * seen[0]
        return
    expected, held = on_oracle(optimizer, use_resource, dtype)
    with tf.Graph().as_default(), Session() as session:
        actual, ours = losses(tf, session, optimizer, use_resource, dtype)
    tolerance = TOLERANCE[dtype]
    np.testing.assert_allclose(actual, expected, tolerance)
    assert ours.keys() == held.keys()
    for name, want in held.items():
        np.testing.assert_allclose(ours[name], want, 10 * tolerance, tolerance, err_msg=name)
    assert actual[-1] < actual[0]


@pytest.mark.parametrize("optimizer", ["adam", "momentum", "gradient_descent"])
def test_losses_on_every_target(session_factory: SessionFactory, optimizer: str) -> None:
    with tf.Graph().as_default() as graph:
        actual, _ = losses(tf, session_factory(graph), optimizer, False, "float32")
    np.testing.assert_allclose(actual, on_oracle(optimizer, False, "float32")[0], 2e-5)


@KINDS
def test_embedding_seen_in_part(use_resource: bool) -> None:
    """Rows without a gradient move with Adam and stay with Momentum, as in TensorFlow."""

    def tables(library: Any, session: Any, optimizer: str) -> list[np.ndarray]:
        table = library.Variable(
            np.arange(12, dtype=np.float32).reshape(6, 2), use_resource=use_resource
        )
        ids = library.placeholder(library.int32, [None])
        loss = library.reduce_sum(library.square(library.gather(table, ids)))
        train = OPTIMIZERS[optimizer](library).minimize(loss)
        session.run(library.global_variables_initializer())
        seen = []
        for chosen in ([0, 1, 1], [5], [], [1, 5, 5, 5]):
            session.run(train, {ids: chosen})
            seen.append(session.run(table))
        return seen

    for optimizer in OPTIMIZERS:
        with oracle.Graph().as_default(), oracle.Session() as session:
            expected = tables(oracle, session, optimizer)
        with tf.Graph().as_default(), Session() as session:
            actual = tables(tf, session, optimizer)
        np.testing.assert_allclose(actual, expected, 2e-5, 1e-5, err_msg=optimizer)


@KINDS
@pytest.mark.parametrize("optimizer", ["adam", "adagrad", "rmsprop", "momentum"])
def test_variable_of_unknown_shape(optimizer: str, use_resource: bool) -> None:
    """Slots take their shape from the variable when they are initialised."""

    def trained(library: Any, session: Any) -> Any:
        start = library.placeholder(library.float32, [None])
        weights = library.Variable(start, validate_shape=False, name="W", use_resource=use_resource)
        train = OPTIMIZERS[optimizer](library).minimize(library.reduce_sum(weights * weights))
        feeds = {start: np.array([1.0, -2.0, 3.0], np.float32)}
        session.run(weights.initializer, feeds)
        session.run(library.global_variables_initializer(), feeds)
        for _ in range(3):
            session.run(train)
        return session.run(weights)

    with oracle.Graph().as_default(), oracle.Session() as session:
        expected = trained(oracle, session)
    with tf.Graph().as_default(), Session() as session:
        np.testing.assert_allclose(trained(tf, session), expected, 2e-5)


@KINDS
def test_constraint_is_applied_after_each_step(use_resource: bool) -> None:
    with tf.Graph().as_default(), Session() as session:
        weights = tf.Variable(
            [3.0, -4.0],
            use_resource=use_resource,
            constraint=lambda value: tf.clip_by_norm(value, 1.0),
        )
        train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(weights * 2.0))
        session.run(tf.global_variables_initializer())
        session.run(train)
        moved = np.array([2.8, -4.2])
        np.testing.assert_allclose(session.run(weights), moved / np.linalg.norm(moved), 1e-6)


def test_many_threads_with_locking() -> None:
    """No update gets lost."""
    from concurrent.futures import ThreadPoolExecutor

    with tf.Graph().as_default(), Session() as session:
        weights = tf.Variable(np.zeros(1000, np.float64))
        optimizer = tf.train.MomentumOptimizer(1.0, 0.0, use_locking=True)
        train = optimizer.apply_gradients([(tf.ones([1000], tf.float64), weights)])
        session.run(tf.global_variables_initializer())
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda _: session.run(train), range(200)))
        np.testing.assert_array_equal(session.run(weights), np.full(1000, -200.0))


@KINDS
@pytest.mark.parametrize("optimizer", ["adam", "centered_rmsprop", "ftrl_shrinkage", "adagrad_da"])
def test_graphs_train_in_the_other_library(optimizer: str, use_resource: bool) -> None:
    """What TensorFlow wrote trains here, and what we wrote trains there."""
    seen = []
    for maker, runner in ((tf, oracle), (oracle, tf), (tf, tf)):
        with maker.Graph().as_default() as graph:
            loss = regression(maker, use_resource)
            train = OPTIMIZERS[optimizer](maker).minimize(loss)
            names = [maker.global_variables_initializer().name, loss.name, train.name]
            data = graph.as_graph_def().SerializeToString()
        graph_def = runner.GraphDef()
        graph_def.ParseFromString(data)
        with runner.Graph().as_default() as imported, runner.Session(graph=imported) as session:
            runner.import_graph_def(graph_def, name="")
            session.run(names[0])
            values = []
            for _ in range(5):
                values.append(session.run(names[1]))
                session.run(names[2])
        seen.append(values)
    np.testing.assert_allclose(seen[1], seen[0], 1e-5)
    np.testing.assert_allclose(seen[2], seen[0], 1e-5)
