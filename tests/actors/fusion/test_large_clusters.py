"""Elementwise clusters: the same values as node by node, whoever else holds the arrays."""

from __future__ import annotations

import gc
import random
import re
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.actors.code.one_by_one import OneByOne
from dataflow.actors.fusion.compiled.node import CompiledNode
from dataflow.proto.config_pb2 import OptimizerOptions
from tests.actors.fusion.merged import RUNS, session_config, watch
from tests.kernels.alone import alone
from tests.ray.actors import eventually

ROWS, COLUMNS = 700, 200

UNARY: dict[str, Callable[[Any], Any]] = {
    "neg": tf.negative,
    "square": tf.square,
    "tanh": tf.tanh,
    "sigmoid": tf.sigmoid,
    "relu": tf.nn.relu,
    "abs": tf.abs,
    "exp": lambda x: tf.exp(tf.minimum(x, 1.0)),
    "cast": lambda x: tf.cast(tf.cast(x, tf.float64), tf.float32),
    "mask": lambda x: tf.cast(x > 0.25, tf.float32),
    "same": lambda x: tf.cast(x, tf.float32),
    "floor": tf.floor,
    "selu": tf.nn.selu,
}
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": tf.add,
    "sub": tf.subtract,
    "mul": tf.multiply,
    "max": tf.maximum,
    "min": tf.minimum,
    "squared": tf.math.squared_difference,
    "add_n": lambda x, y: tf.add_n([x, y]) if x.shape == y.shape else x + y,
    "choose": lambda x, y: tf.where(x > y, x, y) if x.shape == y.shape else tf.maximum(x, y),
}


@pytest.fixture
def fused(monkeypatch: pytest.MonkeyPatch) -> list[CompiledNode]:
    """The clusters that are made while a test runs."""
    return watch(monkeypatch, "compile_clusters", CompiledNode)


def random_program(seed: int) -> tuple[list[Any], list[Any], Any]:
    """Placeholders, fetches and the initializer of a random program."""
    source = random.Random(seed)
    x = tf.placeholder(tf.float32, [None, COLUMNS])
    row = tf.placeholder(tf.float32, [COLUMNS])
    weights = tf.Variable(np.linspace(-1, 1, ROWS * COLUMNS, dtype="f").reshape(ROWS, COLUMNS))
    whole = [x, weights * 1.0]
    small = [row, tf.constant(0.75), tf.reduce_mean(x, 1, keepdims=True)]
    for _ in range(source.randint(8, 40)):
        kind = source.random()
        value = source.choice(whole[-6:])
        if kind < 0.4:
            made = UNARY[source.choice(sorted(UNARY))](value)
        elif kind < 0.65:
            made = BINARY[source.choice(sorted(BINARY))](value, source.choice(whole))
        elif kind < 0.85:
            operands = [value, source.choice(small)]
            source.shuffle(operands)
            made = BINARY[source.choice(["add", "sub", "mul", "max", "squared"])](*operands)
        elif kind < 0.9:
            made = tf.reverse(value, [source.randint(0, 1)])
        elif kind < 0.95:
            small.append(tf.reduce_sum(value, 0) / 1000.0)
            continue
        else:
            with tf.control_dependencies([source.choice(whole).op]):
                made = tf.identity(value)
        whole.append(made)
    fetches = [*source.sample(whole[2:], 2), whole[-1], tf.reduce_sum(whole[-1], 0)]
    return [x, row], fetches, tf.global_variables_initializer()


def run_program(seed: int, fuses: bool, feeds: list[list[np.ndarray]]) -> list[list[np.ndarray]]:
    with tf.Graph().as_default():
        placeholders, fetches, initializer = random_program(seed)
        with tf.Session(config=session_config(fuses)) as session:
            session.run(initializer)
            step = session.make_callable(fetches, feed_list=placeholders)
            return [step(*values) for values in feeds]


@pytest.mark.parametrize("seed", range(12))
def test_random_programs_give_the_same_bits(seed: int, fused: list[CompiledNode]) -> None:
    source = np.random.default_rng(seed)
    feeds = [
        [source.normal(size=(ROWS, COLUMNS)).astype("f"), source.normal(size=COLUMNS).astype("f")]
        for _ in range(RUNS)
    ]
    before = [[value.copy() for value in values] for values in feeds]
    expected = run_program(seed, False, feeds)
    assert not fused
    actual = run_program(seed, True, feeds)
    assert fused
    for step, (wanted, given) in enumerate(zip(expected, actual, strict=True)):
        for left, right in zip(wanted, given, strict=True):
            np.testing.assert_array_equal(left, right, err_msg=f"step {step}")
    for values, kept in zip(feeds, before, strict=True):
        for value, copy in zip(values, kept, strict=True):
            np.testing.assert_array_equal(value, copy)


def run_steps(fetches: Any, feeds: list[dict[Any, Any]], fuses: bool = True) -> list[Any]:
    with tf.Session(config=session_config(fuses)) as session:
        session.run(tf.global_variables_initializer())
        return [session.run(fetches, feed) for feed in feeds]


def test_shapes_may_change_after_the_cluster_was_made(fused: list[CompiledNode]) -> None:
    with tf.Graph().as_default():
        x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        z = tf.tanh(x * y + 0.5) - y
        source = np.random.default_rng(0)
        shapes = [((600, 200), (600, 200))] * 3
        shapes += [((3, 2), (3, 2)), ((), ()), ((200_000,), (200_000,)), ((600, 200), (200,))]
        shapes += [((600, 1), (1, 200)), ((0, 5), (5,)), ((600, 200), (600, 200))]
        feeds = [
            {x: source.normal(size=a).astype("f"), y: source.normal(size=b).astype("f")}
            for a, b in shapes
        ]
        for feed, result in zip(feeds, run_steps(z, feeds), strict=True):
            a, b = feed[x], feed[y]
            np.testing.assert_array_equal(result, alone.tanh(a * b + np.float32(0.5)) - b)
    assert fused


def test_operands_that_are_not_contiguous(fused: list[CompiledNode]) -> None:
    with tf.Graph().as_default():
        x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        z = x * y + 1.0
        a = np.random.default_rng(0).normal(size=(400, 400)).astype("f")
        feeds = [{x: a, y: a}, {x: a, y: a}, {x: a.T, y: a}, {x: a[::-1], y: a}, {x: a, y: a.T}]
        for feed, result in zip(feeds, run_steps(z, feeds), strict=True):
            np.testing.assert_array_equal(result, feed[x] * feed[y] + np.float32(1))
    assert fused


def test_in_a_branch_values_that_do_not_fit_run_one_by_one(fused: list[CompiledNode]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        wanted = tf.placeholder(tf.bool, [])
        z = tf.cond(wanted, lambda: tf.tanh(x * y + 0.5) - y, lambda: x)
        source = np.random.default_rng(0)
        shapes = [((600, 200), (600, 200))] * 3 + [((600, 1), (1, 200)), ((3, 2), (3, 2))]
        for a, b in shapes:
            first, second = (source.normal(size=shape).astype("f") for shape in (a, b))
            feeds = {x: first, y: second}
            found = session.run(z, {**feeds, wanted: True})
            np.testing.assert_array_equal(
                found, alone.tanh(first * second + np.float32(0.5)) - second
            )
            np.testing.assert_array_equal(session.run(z, {**feeds, wanted: False}), first)
    assert fused


def test_an_error_names_the_node(fused: list[CompiledNode]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        z = tf.multiply(tf.add(x, y, name="the_sum"), 2.0)
        a = np.ones((600, 200), np.float32)
        for _ in range(RUNS):
            session.run(z, {x: a, y: a})
        assert fused
        with pytest.raises(tf.errors.InvalidArgumentError, match="node the_sum"):
            session.run(z, {x: a, y: a[:7]})
        np.testing.assert_array_equal(session.run(z, {x: a, y: a}), a * 4)


def test_division_by_zero_in_a_block_names_the_node(fused: list[CompiledNode]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.int32, [300_000])
        z = tf.add(tf.floordiv(x + 1, x, name="quotient"), 3)
        ones = np.ones(300_000, np.int32)
        for _ in range(RUNS):
            np.testing.assert_array_equal(session.run(z, {x: ones}), ones * 5)
        ones[-1] = 0
        pattern = re.compile("Integer division by zero.*quotient", re.DOTALL)
        with pytest.raises(tf.errors.InvalidArgumentError, match=pattern):
            session.run(z, {x: ones})
    assert fused


def test_variables_and_fetched_arrays_are_never_written_to(fused: list[CompiledNode]) -> None:
    with tf.Graph().as_default(), tf.Session(config=session_config(True)) as session:
        v = tf.Variable(np.ones((500, 300), np.float32))
        product = tf.matmul(v, np.eye(300, dtype=np.float32))
        y = tf.nn.relu(product * 2.0 - 1.0)
        update = v.assign_add(y)
        session.run(v.initializer)
        held = []
        expected = np.ones((500, 300), np.float32)
        for _ in range(8):
            made, given, updated = session.run([product, y, update])
            held.append((made, given, expected.copy()))
            expected = expected + np.maximum(expected * np.float32(2) - np.float32(1), 0)
            np.testing.assert_array_equal(updated, expected)
        for made, given, value in held:
            np.testing.assert_array_equal(made, value)
            np.testing.assert_array_equal(given, np.maximum(value * 2 - 1, 0))
    assert fused


def test_what_is_repeated_in_the_middle_is_in_the_cluster(
    fused: list[CompiledNode],
) -> None:
    """A mask of the words of each text, as attention adds to the scores of all heads."""
    with tf.Graph().as_default():
        scores = tf.placeholder(tf.float32, [None] * 4)
        mask = tf.placeholder(tf.float32, [None] * 4)
        row = tf.placeholder(tf.float32, [None])
        y = tf.exp(-tf.abs(scores * 0.5 + row) + mask) * 2.0 - row
        random = np.random.default_rng(1)
        feeds = {
            p: random.normal(size=shape).astype(np.float32)
            for p, shape in ((scores, (8, 4, 64, 64)), (mask, (8, 1, 1, 64)), (row, (64,)))
        }
        with tf.Session(config=session_config(True)) as session:
            for _ in range(RUNS):
                found = session.run(y, feeds)
    x, added, bias = (value.astype(np.float64) for value in feeds.values())
    np.testing.assert_allclose(
        found, alone.exp(-np.abs(x * 0.5 + bias) + added) * 2 - bias, rtol=1e-5, atol=1e-5
    )
    parts = [[node.op for node in cluster.nodes] for cluster in fused]
    assert parts == [["Mul", "AddV2", "Abs", "Neg", "AddV2", "Exp", "Mul", "Sub"]]


def test_group_normalization_is_clusters(
    monkeypatch: pytest.MonkeyPatch, fused: list[CompiledNode]
) -> None:
    """The mean of a group is repeated for each place and each channel of the group."""
    monkeypatch.delattr(OneByOne, "__call__")
    with tf.Graph().as_default(), tf.Session(config=session_config(True)) as session:
        x = tf.placeholder(tf.float32, [4, 16, 16, 8, 16])
        mean, variance = tf.nn.moments(x, [1, 2, 4], keep_dims=True)
        y = (x - mean) * tf.rsqrt(variance + 1e-3)
        value = np.random.default_rng(0).normal(2, 3, x.shape.as_list()).astype(np.float32)
        for _ in range(RUNS):
            found = session.run(y, {x: value})
    assert found.shape == value.shape
    exact = value.astype(np.float64)
    apart = exact - exact.mean((1, 2, 4), keepdims=True)
    expected = apart / np.sqrt(exact.var((1, 2, 4), keepdims=True) + 1e-3)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    assert {node.op for cluster in fused for node in cluster.nodes} >= {"Sub", "Mul"}


def test_steps_in_steady_state_keep_nothing(fused: list[CompiledNode]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [400, 400])
        y = tf.nn.relu(tf.cumsum(x) + 1.0) * 0.5
        step = session.make_callable([y, tf.reduce_sum(y)], feed_list=[x])
        a = np.ones((400, 400), np.float32)
        for _ in range(20):
            step(a)
        assert fused
        gc.collect()
        tracemalloc.start()
        try:
            step(a)
            before = tracemalloc.get_traced_memory()[0]
            for _ in range(200):
                step(a)
            # Another thread may hold what it has made for a moment longer.
            assert eventually(lambda: tracemalloc.get_traced_memory()[0] - before < a.nbytes / 4)
        finally:
            tracemalloc.stop()


def test_no_optimization_makes_no_clusters(fused: list[CompiledNode]) -> None:
    config = tf.ConfigProto()
    config.graph_options.optimizer_options.opt_level = OptimizerOptions.L0
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        x = tf.placeholder(tf.float32, [200_000])
        y = tf.tanh(x * 2.0 + 1.0)
        for _ in range(RUNS):
            session.run(y, {x: np.ones(200_000, np.float32)})
    assert not fused


def test_what_nobody_reads_is_computed_too(fused: list[CompiledNode]) -> None:
    x = np.random.default_rng(0).normal(size=(600, 500)).astype("f")
    with tf.Graph().as_default():
        given, divisor = tf.placeholder(tf.float32, x.shape), tf.placeholder(tf.int32, x.shape)
        targets = [tf.sqrt(given + 1).op, tf.reduce_sum(given * 2, 1).op]
        targets.append(tf.floordiv(7 + divisor, divisor).op)
        fetch = tf.tanh(given * 0.5)
        with tf.Session() as session:
            feeds = {given: x, divisor: np.ones(x.shape, "i")}
            for _ in range(RUNS):
                found = session.run([*targets, fetch], feeds)
            assert found[:-1] == [None] * len(targets)
            np.testing.assert_array_equal(found[-1], alone.tanh(x * np.float32(0.5)))
            feeds[divisor][-1, -1] = 0
            with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero"):
                session.run([*targets, fetch], feeds)
    assert {node.op for one in fused for node in one.nodes} >= {"Mul", "Tanh"}
