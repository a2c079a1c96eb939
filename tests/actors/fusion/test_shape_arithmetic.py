"""What is computed from shapes alone: the values of the nodes one by one, for all shapes that come.

Each program runs on inputs of one shape until its nodes are put together, then on others and back.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow.actors.fusion.shape_arithmetic import ShapeNode
from tests.actors.fusion.merged import RUNS, session_config, watch
from tests.oracle import open_session

SHAPES: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    *[((4, 3), (1, 3))] * RUNS,
    ((4, 3), (4, 3)),
    ((1, 3), (4, 3)),
    ((7, 1), (1, 5)),
    ((4, 3), (1, 3)),
    ((2, 6), (1, 6)),
    ((0, 3), (1, 3)),
)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[ShapeNode]:
    """The nodes that are put together while a test runs."""
    return watch(monkeypatch, "remember_shapes", ShapeNode)


def _gradients(lib: Any, x: Any, y: Any) -> list[Any]:
    loss = lib.reduce_mean(lib.square(x * y - x) + y)
    return [loss, *lib.gradients(loss, [x, y])]


def _shape_of_what_shapes_made(lib: Any, x: Any, y: Any) -> list[Any]:
    """Answers about shapes that depend on values, which earlier answers went into."""
    shape = lib.shape(x)
    rows = lib.cast(lib.reduce_sum(y) * 0.0, lib.int32) + shape[0]
    tiled = lib.tile(lib.reshape(x, lib.stack([shape[1], shape[0]])), lib.stack([1, rows + 1]))
    return [lib.shape(tiled) + shape, lib.reduce_prod(lib.shape(tiled)) - shape[1], tiled]


def _shapes_fetched(lib: Any, x: Any, y: Any) -> list[Any]:
    shape = lib.shape(x)
    return [shape, lib.shape(y) * 2, shape[1:], lib.size(x) + 1, lib.concat([shape, shape], 0)]


def _many_numbers(lib: Any, x: Any, y: Any) -> list[Any]:
    return [lib.range(lib.shape(x)[0] * 700) + 1, lib.fill(lib.shape(x) + 1, 2.0)]


def _under_a_condition(lib: Any, x: Any, y: Any) -> list[Any]:
    chosen = lib.cond(
        lib.equal(lib.shape(x)[0], 4),
        lambda: lib.shape(x) + lib.reverse(lib.shape(x), [0]),
        lambda: lib.shape(x) - 7,
    )
    return [chosen]


def _in_a_loop(lib: Any, x: Any, y: Any) -> list[Any]:
    def body(i: Any, z: Any) -> tuple[Any, Any]:
        return i + 1, lib.concat([z, z[:1]], 0)

    _, z = lib.while_loop(
        lambda i, z: i + lib.shape(z)[1] + lib.shape(x)[1] < 12,
        body,
        [0, x],
        shape_invariants=[lib.TensorShape([]), lib.TensorShape([None, None])],
    )
    return [lib.shape(z) + lib.shape(x), z]


def _in_the_body_of_a_loop(lib: Any, x: Any, y: Any) -> list[Any]:
    """Its variable has another shape in each iteration."""

    def body(i: Any, z: Any) -> tuple[Any, Any]:
        z = lib.concat([z, z[:1]], 0)
        number = lib.cast(lib.shape(z)[0] * 7 + lib.shape(z)[1], lib.float32)
        return i + 1, lib.cond(i < 2, lambda: z / number, lambda: z * lib.cast(i, lib.float32))

    invariants = [lib.TensorShape([]), lib.TensorShape([None, None])]
    _, z = lib.while_loop(lambda i, _: i < 4, body, [0, x], shape_invariants=invariants)
    return [z, *lib.gradients(lib.reduce_sum(z * z), [x])]


PROGRAMS: tuple[tuple[Callable[[Any, Any, Any], list[Any]], bool], ...] = (
    (_gradients, True),
    (_shape_of_what_shapes_made, True),
    (_shapes_fetched, True),
    (_many_numbers, True),
    (_under_a_condition, False),
    (_in_a_loop, False),
    (_in_the_body_of_a_loop, True),
)


def run(
    lib: Any, program: Callable[[Any, Any, Any], list[Any]], shapes: Sequence[Any]
) -> list[list[Any]]:
    """What a program gives for inputs of these shapes."""
    random = np.random.default_rng(5)
    found = []
    with lib.Graph().as_default() as graph, open_session(lib, graph) as session:
        x, y = (lib.placeholder(lib.float32, [None, None]) for _ in range(2))
        fetches = program(lib, x, y)
        for first, second in shapes:
            feeds = {x: random.random(first, np.float32), y: random.random(second, np.float32)}
            found.append(session.run(fetches, feeds))
            kept = [np.copy(value) for value in found[-1]]
            for value in found[-1]:
                if isinstance(value, np.ndarray):
                    value[...] = 77
            found[-1] = kept
    return found


@pytest.mark.parametrize(
    ("program", "is_put_together"), PROGRAMS, ids=lambda value: getattr(value, "__name__", "")
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_values_are_tensorflows(
    program: Callable[[Any, Any, Any], list[Any]], is_put_together: bool, made: list[ShapeNode]
) -> None:
    found = run(tf, program, SHAPES)
    assert made or not is_put_together
    for ours, theirs in zip(found, run(oracle, program, SHAPES), strict=True):
        for one, other in zip(ours, theirs, strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_allclose(one, other, 1e-5, 1e-6)


def test_loops_remember_too(made: list[ShapeNode]) -> None:
    run(tf, _in_the_body_of_a_loop, SHAPES[:RUNS])
    assert any(node.guard for node in made)


def test_more_shapes_than_are_remembered(made: list[ShapeNode]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, None])
        answer = tf.shape(x)[0] * 1000 + tf.shape(x)[1]
        for turn in range(2):
            for rows in range(1, 150):
                value = np.zeros((rows, rows + turn), np.float32)
                assert session.run(answer, {x: value}) == 1001 * rows + turn
    assert made


def test_shapes_that_do_not_fit_name_the_node(made: list[ShapeNode]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = (tf.placeholder(tf.float32, [None]) for _ in range(2))
        shape = tf.broadcast_dynamic_shape(tf.shape(x), tf.shape(y))
        one, two = np.zeros(1), np.zeros(2)
        for _ in range(RUNS):
            assert session.run(shape, {x: one, y: two}).tolist() == [2]
        assert made
        for _ in range(2):
            with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                session.run(shape, {x: np.zeros(3), y: two})
            assert f"node {shape.op.name} " in str(caught.value)
        assert session.run(shape, {x: two, y: two}).tolist() == [2]


def test_nodes_stay_apart_where_that_is_asked_for(made: list[ShapeNode]) -> None:
    with tf.Graph().as_default(), tf.Session(config=session_config(False)) as session:
        x = tf.placeholder(tf.float32, [None])
        answer = tf.shape(x) * 2
        for size in range(RUNS):
            assert session.run(answer, {x: np.zeros(size)}).tolist() == [2 * size]
    assert not made


def test_steps_of_several_threads_get_their_own_answers(made: list[ShapeNode]) -> None:
    failures: list[BaseException] = []
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 3])
        loss = tf.reduce_mean(x * x)
        slope = tf.gradients(loss, x)[0]
        for _ in range(RUNS):
            session.run(slope, {x: np.ones((2, 3))})

        def work(start: int) -> None:
            try:
                for rows in range(start, start + 60):
                    found = session.run(slope, {x: np.ones((rows, 3))})
                    np.testing.assert_allclose(found, np.full((rows, 3), 2 / (3 * rows)), 1e-5)
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(1 + 30 * i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert made
    assert not failures
