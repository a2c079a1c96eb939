"""Products that finish their results: the values of the nodes one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.actors.fusion.pairs.epilogues import FinishedNode
from tests.actors.fusion.merged import RUNS, session_config, watch
from tests.kernels.onednn_paths import switched_off


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[FinishedNode]:
    """The nodes that are put together while a test runs."""
    return watch(monkeypatch, "finish_results", FinishedNode)


def _floats(seed: int, *shape: int) -> np.ndarray:
    """Numbers whose products with a thousand others add up to about 1."""
    return np.random.default_rng(seed).normal(0, 0.2, shape).astype(np.float32)


def _dense(x: Any, add: Callable[[Any, Any], Any] = tf.add) -> Any:
    """A product and a bias, for images of the flattened input."""
    product = tf.matmul(tf.reshape(x, [-1, 1024]), tf.Variable(_floats(1, 1024, 400)))
    return add(product, tf.Variable(_floats(2, 400)))


PROGRAMS: dict[str, tuple[Callable[[Any], Any], tuple[str, ...]]] = {
    "sum": (_dense, ("AddV2",)),
    "sum and relu": (lambda x: tf.nn.relu(_dense(x)), ("Relu",)),
    "bias and relu": (lambda x: tf.nn.relu(_dense(x, tf.nn.bias_add)), ("Relu",)),
    "bias and tanh": (lambda x: tf.tanh(_dense(x, tf.nn.bias_add)), ("Tanh",)),
    "two layers": (
        lambda x: (
            tf.matmul(tf.nn.sigmoid(_dense(x)), tf.Variable(_floats(3, 400, 600)))
            + tf.Variable(_floats(4, 600))
        ),
        ("Sigmoid", "AddV2"),
    ),
    "a matrix is added": (
        lambda x: tf.nn.relu(
            tf.matmul(tf.reshape(x, [-1, 1024]), tf.Variable(_floats(1, 1024, 400)))
            + tf.Variable(_floats(2, 1, 400))
        ),
        (),
    ),
    "more of the kind follows": (lambda x: _dense(x) * 0.5 + 1.0, ()),
    "a number is added": (lambda x: tf.nn.relu(_dense(x, lambda y, _: y + 0.5)), ()),
    "the sum is read twice": (lambda x: (lambda y: y + y[0])(_dense(x)), ()),
}


def _with_gradients(program: Callable[[Any], Any], x: Any) -> list[Any]:
    y = program(x)
    loss = tf.reduce_mean(tf.square(tf.cast(y, tf.float32)))
    found = tf.gradients(loss, [x, *tf.trainable_variables()])
    return [y, *(slope for slope in found if slope is not None)]


def _run(
    program: Callable[[Any], Any], fuses: bool, train: bool, sizes: tuple[int, ...] = (24,) * RUNS
) -> list[list[np.ndarray]]:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 8, 8, 16])
        fetches = _with_gradients(program, x) if train else [program(x)]
        with tf.Session(config=session_config(fuses)) as session:
            session.run(tf.global_variables_initializer())
            return [
                session.run(fetches, {x: _floats(n + i, n, 8, 8, 16)}) for i, n in enumerate(sizes)
            ]


@pytest.mark.parametrize("train", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_values_are_those_of_the_nodes(name: str, train: bool, made: list[FinishedNode]) -> None:
    program, ends = PROGRAMS[name]
    expected = _run(program, False, train)
    assert not made
    for onednn in (True, False):
        made.clear()
        if onednn:
            actual = _run(program, True, train)
        else:
            with switched_off():
                actual = _run(program, True, train)
        if not train:
            assert tuple(node.op for node in made) == ends
        for want, have in zip(expected, actual, strict=True):
            for left, right in zip(want, have, strict=True):
                assert left.dtype == right.dtype
                scale = max(1e-3, float(np.abs(left).max()))
                np.testing.assert_allclose(right, left, rtol=1e-4, atol=2e-5 * scale)


def test_a_product_with_its_bias_is_what_numpy_says() -> None:
    x = _floats(24, 24, 8, 8, 16).reshape(24, 1024).astype(np.float64)
    want = np.maximum(x @ _floats(1, 1024, 400) + _floats(2, 400), 0)
    (have,) = _run(PROGRAMS["sum and relu"][0], True, False, (24, 24, 24, 24))[0]
    np.testing.assert_allclose(have, want, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("name", ["sum and relu", "bias and tanh"])
def test_the_number_of_images_may_change(name: str, made: list[FinishedNode]) -> None:
    sizes = (24, 24, 24, 1, 33, 2, 24)
    program, _ = PROGRAMS[name]
    expected, actual = (_run(program, fuses, True, sizes) for fuses in (False, True))
    assert made
    for want, have in zip(expected, actual, strict=True):
        for left, right in zip(want, have, strict=True):
            scale = max(1e-3, float(np.abs(left).max()))
            np.testing.assert_allclose(right, left, rtol=1e-4, atol=2e-5 * scale)


def _count(build: Callable[[Any], Any], made: list[FinishedNode]) -> list[str]:
    """What is put together of a graph whose fetches are made of images."""
    with tf.Graph().as_default(), tf.Session(config=session_config(True)) as session:
        x = tf.placeholder(tf.float32, [24, 8, 8, 16])
        fetches = build(x)
        session.run(tf.global_variables_initializer())
        for _ in range(RUNS):
            session.run(fetches, {x: _floats(0, 24, 8, 8, 16)})
    return [node.op for node in made]


def test_what_others_read_is_computed(made: list[FinishedNode]) -> None:
    def bias_is_fetched(x: Any) -> Any:
        y = _dense(x)
        return [y, tf.nn.relu(y)]

    assert _count(bias_is_fetched, made) == []
    made.clear()

    def product_is_fetched(x: Any) -> Any:
        y = tf.matmul(tf.reshape(x, [-1, 1024]), tf.Variable(_floats(1, 1024, 400)))
        return [y, tf.nn.bias_add(y, tf.Variable(_floats(2, 400)))]

    assert _count(product_is_fetched, made) == []

    def bias_is_read_twice(x: Any) -> Any:
        y = _dense(x)
        return tf.nn.relu(y) + tf.reverse(y, [0])

    assert _count(bias_is_read_twice, made) == []


@pytest.mark.parametrize(
    ("going_round", "op"), [("function", "Tanh"), ("bias", "BiasAdd"), ("product", None)]
)
def test_in_a_loop(going_round: str, op: str | None, made: list[FinishedNode]) -> None:
    """What gives the variables their next values follows all nodes of the body."""
    first, matrix, bias = _floats(0, 240, 400), _floats(1, 400, 400) / 4, _floats(2, 400)

    def layer(lib: Any, z: Any) -> tuple[Any, Any]:
        product = z @ matrix if lib is np else tf.matmul(z, matrix)
        total = product + bias if lib is np else tf.nn.bias_add(product, bias)
        end = lib.tanh(total)
        return {"function": (end, z), "bias": (total, z), "product": (product, end)}[going_round]

    results = []
    for fuses in (False, True):
        with tf.Graph().as_default(), tf.Session(config=session_config(fuses)) as session:
            start = (tf.constant(0), tf.constant(first), tf.constant(first))
            loop = tf.while_loop(lambda i, *_: i < 4, lambda i, z, _: (i + 1, *layer(tf, z)), start)
            results += [session.run(loop[1:]) for _ in range(RUNS)]
    z = first.astype(np.float64)
    for _ in range(4):
        z, last = layer(np, z)
    for found in results:
        np.testing.assert_array_equal(found, results[0])
        np.testing.assert_allclose(found, [z, last], rtol=1e-4, atol=1e-4)
    assert [node.op for node in made] == ([] if op is None else [op])


def test_what_others_wait_for_runs_by_itself(made: list[FinishedNode]) -> None:
    def waits(x: Any) -> Any:
        matrix, bias = tf.Variable(_floats(1, 1024, 400)), tf.Variable(_floats(2, 400))
        y = tf.matmul(tf.reshape(x, [-1, 1024]), matrix)
        with tf.control_dependencies([y]):
            changed = tf.assign(bias, bias * 0.0)
        with tf.control_dependencies([changed]):
            return tf.nn.bias_add(y, bias.read_value())

    assert _count(waits, made) == []


def test_nan_is_not_lost(made: list[FinishedNode]) -> None:
    with tf.Graph().as_default(), tf.Session(config=session_config(True)) as session:
        x = tf.placeholder(tf.float32, [24, 8, 8, 16])
        y = tf.nn.relu(_dense(x * np.nan))
        session.run(tf.global_variables_initializer())
        for _ in range(RUNS):
            assert np.isnan(session.run(y, {x: _floats(0, 24, 8, 8, 16)})).all()
    # One for each layout that is tried.
    assert len({node.name for node in made}) == 1


def test_an_error_names_its_node(made: list[FinishedNode]) -> None:
    feed = {"x:0": _floats(0, 240, 1024), "bias:0": _floats(2, 400)}
    for is_initialized in (True, False):
        with tf.Graph().as_default(), tf.Session(config=session_config(True)) as session:
            x = tf.placeholder(tf.float32, [None, None], name="x")
            bias = tf.placeholder(tf.float32, name="bias")
            matrix = tf.Variable(_floats(1, 1024, 400), name="never")
            y = tf.matmul(x, matrix, name="product")
            y = tf.nn.relu(tf.nn.bias_add(y, bias, name="sum"), name="end")
            if not is_initialized:
                with pytest.raises(tf.errors.FailedPreconditionError) as e:
                    session.run(y, feed)
                assert "uninitialized value never" in e.value.message
                continue
            session.run(tf.global_variables_initializer())
            for _ in range(RUNS):
                session.run(y, feed)
            assert made
            for name, wrong, node, text in (
                ("bias:0", _floats(2, 7), "sum", "as many biases as the last"),
                ("x:0", _floats(0, 24, 1023), "product", "size-incompatible"),
            ):
                with pytest.raises(tf.errors.InvalidArgumentError) as f:
                    session.run(y, {**feed, name: wrong})
                assert f.value.op.name == node and text in f.value.message
            session.run(y, feed)


def test_an_error_in_a_branch_names_the_node() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x, bias = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        wanted = tf.placeholder(tf.bool, [])

        def dense() -> Any:
            product = tf.matmul(x, np.ones((300, 300), np.float32))
            return tf.nn.relu(tf.nn.bias_add(product, bias, name="shifted"))

        z = tf.cond(wanted, dense, lambda: x)
        ones, row = np.ones((400, 300), np.float32), np.ones(300, np.float32)
        for _ in range(5):
            found = session.run(z, {x: ones, bias: row, wanted: True})
            np.testing.assert_array_equal(found, np.full((400, 300), 301, np.float32))
        with pytest.raises(tf.errors.InvalidArgumentError, match="shifted"):
            session.run(z, {x: ones, bias: row[:7], wanted: True})
