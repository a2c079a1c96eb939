"""Clusters: the same bits as node by node, errors that name the node."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.actors.fusion.compiled.node import CompiledNode
from tests.actors.fusion.compiled_clusters import config, ops_of, same_bits
from tests.actors.fusion.merged import RUNS

UNARY: list[Callable[[Any], Any]] = [
    tf.negative,
    tf.square,
    tf.abs,
    tf.nn.relu,
    tf.floor,
    tf.sign,
    tf.nn.softsign,
    lambda x: tf.sqrt(tf.abs(x)),
    lambda x: tf.cast(x > 0.5, tf.float32),
    lambda x: tf.cast(tf.cast(x, tf.float64) * 1.5, tf.float32),
    tf.tanh,
    lambda x: tf.identity(x * 0.5),
]
BINARY: list[Callable[[Any, Any], Any]] = [
    tf.add,
    tf.subtract,
    tf.multiply,
    tf.maximum,
    tf.minimum,
    tf.math.divide_no_nan,
    tf.math.squared_difference,
]
ALIKE: list[Callable[[Any, Any], Any]] = [
    lambda x, y: tf.add_n([x, y, x]),
    lambda x, y: tf.where(tf.logical_or(x > y, x < -y), x, y),
    lambda x, y: tf.raw_ops.ReluGrad(gradients=x, features=y),
    lambda x, y: tf.raw_ops.TanhGrad(y=x, dy=y),
]


def random_program(seed: int, shape: list[int]) -> tuple[Any, list[Any]]:
    """A placeholder and the fetches of a random program."""
    source = random.Random(seed)
    x = tf.placeholder(tf.float32, shape)
    variable = tf.get_variable("v", initializer=np.linspace(-1, 1, shape[-1], dtype="f"))
    whole = [x, x * variable]
    others = [variable, tf.constant(0.75), tf.reduce_mean(x), tf.reduce_max(x, -1, keepdims=True)]
    fetches = []
    for _ in range(source.randint(20, 150)):
        value = source.choice(whole[-8:])
        kind = source.random()
        if kind < 0.3:
            made = source.choice(UNARY)(value)
        elif kind < 0.6:
            made = source.choice(BINARY)(value, source.choice(whole))
        elif kind < 0.75:
            made = source.choice(ALIKE)(value, source.choice(whole))
        elif kind < 0.9:
            operands = [value, source.choice(others)]
            source.shuffle(operands)
            made = source.choice(BINARY)(*operands)
        elif kind < 0.95:
            made = tf.cond(
                tf.reduce_sum(value) > 0, lambda v=value: v * v + v - 1, lambda v=value: -v
            )
        else:
            with tf.control_dependencies([source.choice(whole).op]):
                made = tf.reverse(value, [0])
        whole.append(made)
        if source.random() < 0.05:
            fetches.append(made)
    return x, [*fetches, whole[-1], tf.reduce_sum(whole[-1])]


@pytest.mark.parametrize("shape", [[32], [4, 6], [2, 3, 5], [1], [100]])
@pytest.mark.parametrize("seed", range(6))
def test_random_programs_give_the_same_bits(
    seed: int, shape: list[int], clusters: list[CompiledNode]
) -> None:
    numbers = np.random.default_rng(seed)
    feeds = [numbers.normal(size=shape).astype("f") * 2 for _ in range(RUNS)]
    feeds[-1].reshape(-1)[0] = np.nan
    feeds[-2].reshape(-1)[-1] = -np.inf
    results = []
    for fuses in (False, True):
        with tf.Graph().as_default():
            x, fetches = random_program(seed, shape)
            with tf.Session(config=config(fuses)) as session:
                session.run(tf.global_variables_initializer())
                results.append([session.run(fetches, {x: value}) for value in feeds])
        assert fuses or not clusters
    for wanted, given in zip(*results, strict=True):
        assert all(map(same_bits, wanted, given))
    assert clusters


def test_sums_of_many_chains_are_taken_in_the_order_of_the_kernel(
    clusters: list[CompiledNode],
) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [32])
        ends = []
        for index in range(400):
            end = x + float(index) * 0.37
            for _ in range(4):
                end = end * 0.999
            ends.append(end)
        total = tf.add_n(ends)
        value = np.linspace(-3, 3, 32, dtype="f")
        with tf.Session(config=config(True)) as session:
            found = [session.run(total, {x: value}) for _ in range(RUNS)]
    expected = np.zeros(32, "f")
    for index in range(400):
        end = value + np.float32(float(index) * 0.37)
        for _ in range(4):
            end = end * np.float32(0.999)
        expected = expected + end if index else end
    for result in found:
        assert same_bits(result, expected)
    assert ops_of(clusters) == {"Mul", "AddV2", "AddN"}


def test_many_operands(clusters: list[CompiledNode]) -> None:
    numbers = np.random.default_rng(0)
    arrays = [numbers.normal(size=8).astype("f") for _ in range(200)]
    with tf.Graph().as_default():
        places = [tf.placeholder(tf.float32, [8]) for _ in arrays]
        total = places[0] * 0.5
        for place in places[1:]:
            total = total * 0.9 + place
        with tf.Session(config=config(True)) as session:
            step = session.make_callable(total, feed_list=places)
            found = [step(*arrays) for _ in range(RUNS)]
    expected = arrays[0] * np.float32(0.5)
    for array in arrays[1:]:
        expected = expected * np.float32(0.9) + array
    assert all(same_bits(result, expected) for result in found)
    assert len(clusters) == 2


def polynomial(x: Any, y: Any) -> Any:
    for factor in (0.5, 2.0, -0.25, 1.5, 0.125):
        x = x * y + factor
    return x


def numpy_polynomial(x: Any, y: Any) -> Any:
    for factor in (0.5, 2.0, -0.25, 1.5, 0.125):
        x = x * y + np.float32(factor)
    return x


def test_shapes_may_change_after_the_cluster_was_made(clusters: list[CompiledNode]) -> None:
    shapes: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((4, 5), (5,))] * 3
    shapes += [
        ((4, 5), ()),
        ((), ()),
        ((7,), (7,)),
        ((3, 1), (1, 4)),
        ((0, 5), (5,)),
        ((5,), (4, 5)),
    ]
    shapes += [
        ((0,), (3, 1)),
        ((300, 200), (200,)),
        ((900,), (900, 1)),
        ((2, 2), (2, 2)),
        ((4, 5), (5,)),
    ]
    numbers = np.random.default_rng(0)
    with tf.Graph().as_default(), tf.Session(config=config(True)) as session:
        x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        z = polynomial(x, y)
        for first, second in shapes:
            a, b = numbers.normal(size=first).astype("f"), numbers.normal(size=second).astype("f")
            result = session.run(z, {x: a, y: b})
            assert same_bits(result, numpy_polynomial(a, b)), (first, second)
            assert isinstance(result, np.ndarray if np.broadcast(a, b).ndim else np.float32)
    assert clusters


def test_operands_of_one_shape_are_asked_for_where_the_op_does(
    clusters: list[CompiledNode],
) -> None:
    with tf.Graph().as_default(), tf.Session(config=config(True)) as session:
        x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        total = tf.add_n([polynomial(x, 0.5), y], name="total")
        a = np.ones(6, np.float32)
        expected = session.run(total, {x: a, y: a})
        for _ in range(RUNS):
            assert same_bits(session.run(total, {x: a, y: a}), expected)
        assert "AddN" in ops_of(clusters)
        assert session.run(total, {x: a[:4], y: a[:4]}).shape == (4,)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"same size.*(\n.*)*total"):
            session.run(total, {x: a, y: a[:1]})
        assert same_bits(session.run(total, {x: a, y: a}), expected)


def test_operands_that_are_not_contiguous(clusters: list[CompiledNode]) -> None:
    a = np.random.default_rng(0).normal(size=(6, 6)).astype("f")
    feeds = [
        (a, a),
        (a, a),
        (a.T, a),
        (a[::-1], a),
        (a, a.T),
        (a[:, ::2], a[:, 1::2]),
        (a, a[:, :1]),
    ]
    with tf.Graph().as_default(), tf.Session(config=config(True)) as session:
        x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        z = polynomial(x, y)
        for first, second in feeds:
            result = session.run(z, {x: first, y: second})
            assert same_bits(result, numpy_polynomial(first, second))
    assert clusters


def test_operands_that_are_not_aligned(clusters: list[CompiledNode]) -> None:
    with tf.Graph().as_default(), tf.Session(config=config(True)) as session:
        x = tf.placeholder(tf.float32)
        z = polynomial(x, x)
        numbers = np.random.default_rng(0).normal(size=40).astype("f")
        odd = np.frombuffer(b"-" + numbers.tobytes(), np.float32, offset=1)
        assert not odd.flags.aligned
        for value in (numbers, numbers, odd, odd):
            assert same_bits(session.run(z, {x: value}), numpy_polynomial(numbers, numbers))
    assert clusters


def test_an_error_names_the_node_and_the_next_step_works(clusters: list[CompiledNode]) -> None:
    with tf.Graph().as_default(), tf.Session(config=config(True)) as session:
        x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        z = polynomial(tf.add(x, y, name="the_sum"), 0.5)
        a = np.ones((4, 6), np.float32)
        wanted = session.run(z, {x: a, y: a})
        for _ in range(RUNS):
            session.run(z, {x: a, y: a})
        assert clusters
        with pytest.raises(tf.errors.InvalidArgumentError, match="node the_sum"):
            session.run(z, {x: a, y: a[:3]})
        assert same_bits(session.run(z, {x: a, y: a}), wanted)


def test_an_uninitialized_variable_is_named(clusters: list[CompiledNode]) -> None:
    with tf.Graph().as_default() as graph:
        v = tf.Variable(np.ones(6, np.float32), name="weights")
        z = polynomial(v, 0.5)
        with tf.Session(config=config(True)) as session:
            session.run(v.initializer)
            for _ in range(RUNS):
                session.run(z)
        assert clusters
        with tf.Session(graph=graph, config=config(True)) as session:
            for _ in range(RUNS):
                with pytest.raises(tf.errors.FailedPreconditionError, match="weights"):
                    session.run(z)


def test_reads_stay_before_the_assignments_that_wait_for_them(clusters: list[CompiledNode]) -> None:
    with tf.Graph().as_default(), tf.Session(config=config(True)) as session:
        v = tf.Variable(np.full(6, 2.0, np.float32))
        read = v * 3.0
        with tf.control_dependencies([read]):
            changed = tf.assign(v, tf.ones([6]) * 5.0)
        with tf.control_dependencies([changed]):
            later = v * 1.0
        z = polynomial(read, 0.5) + later
        for _ in range(RUNS):
            session.run(v.initializer)
            expected = numpy_polynomial(np.full(6, 6.0, "f"), np.float32(0.5)) + np.float32(5)
            assert same_bits(session.run(z), expected)
    assert clusters


def test_results_are_the_user_s_own(clusters: list[CompiledNode]) -> None:
    with tf.Graph().as_default(), tf.Session(config=config(True)) as session:
        x = tf.placeholder(tf.float32, [4, 3])
        z = polynomial(x, x)
        held = []
        for index in range(8):
            a = np.full((4, 3), index, np.float32)
            result = session.run(z, {x: a})
            assert result.flags.c_contiguous and result.flags.writeable
            held.append((result, numpy_polynomial(a, a)))
        assert clusters
        for result, expected in held:
            np.testing.assert_array_equal(result, expected)
            result += 1


def test_clusters_in_loops_and_branches(clusters: list[CompiledNode]) -> None:
    with tf.Graph().as_default(), tf.Session(config=config(True)) as session:
        x = tf.placeholder(tf.float32, [8])

        def body(i: Any, y: Any) -> Any:
            y = tf.cond(i % 2 > 0, lambda: polynomial(y, x), lambda: polynomial(y, 0.25) - x)
            return i + 1, polynomial(y, 0.5)

        _, z = tf.while_loop(lambda i, y: i < 10, body, [0, x])
        a = np.linspace(-1, 1, 8, dtype="f")
        expected = a
        for i in range(10):
            if i % 2:
                expected = numpy_polynomial(expected, a)
            else:
                expected = numpy_polynomial(expected, np.float32(0.25)) - a
            expected = numpy_polynomial(expected, np.float32(0.5))
        for _ in range(RUNS):
            assert same_bits(session.run(z, {x: a}), expected)
    assert len(clusters) == 3


def test_threads_share_a_plan(clusters: list[CompiledNode]) -> None:
    with tf.Graph().as_default(), tf.Session(config=config(True)) as session:
        x, y = tf.placeholder(tf.float32, [64]), tf.placeholder(tf.float32, [64])
        z = x
        for _ in range(40):
            z = polynomial(z, y)
        step = session.make_callable(z, feed_list=[x, y])
        numbers = np.random.default_rng(0)
        feeds = [[numbers.uniform(-0.5, 0.5, 64).astype("f") for _ in range(2)] for _ in range(4)]
        expected = []
        for a, b in feeds:
            value = a
            for _ in range(40):
                value = numpy_polynomial(value, b)
            expected.append(value)
        for _ in range(3):
            step(*feeds[0])
        wrong: list[int] = []

        def work(index: int) -> None:
            for _ in range(400):
                if not same_bits(step(*feeds[index]), expected[index]):
                    wrong.append(index)

        threads = [threading.Thread(target=work, args=(index,)) for index in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong
    assert clusters


_WITHOUT = """
import sys
sys.modules["llvmlite"] = None
import numpy as np
import dataflow as tf
x = tf.placeholder(tf.float32, [8])
y = x
for _ in range(20):
    y = y * x + 0.5
with tf.Session() as session:
    found = [session.run(y, {x: np.full(8, 0.5, "f")}) for _ in range(5)]
assert all((value == found[0]).all() for value in found)
assert found[0][0] != 0
"""


def test_steps_do_without_llvm() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
