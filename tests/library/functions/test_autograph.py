"""AutoGraph: programs against TensorFlow's, and what cannot become operations."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.library.functions.programs import PROGRAMS
from tests.oracle import open_session

ARGUMENTS = (1.5, -3.0)


def results(library: Any, program: Callable[..., Any]) -> list[Any]:
    with library.Graph().as_default() as graph:
        function = library.function(functools.partial(program, library))
        made = [function(library.constant(value)) for value in ARGUMENTS]
        with open_session(library, graph) as session:
            return session.run(made)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_program(program: Callable[..., Any]) -> None:
    for ours, theirs in zip(results(tf, program), results(oracle, program), strict=True):
        tf.nest.map_structure(np.testing.assert_allclose, ours, theirs)


def refused(tf: Any, body: Callable[..., Any]) -> None:
    with tf.Graph().as_default():
        tf.function(body)(tf.constant(1.0))


def test_branches_that_do_not_fit() -> None:
    def missing(x: Any) -> Any:
        if x > 0:
            z = x
        return z  # type: ignore[possibly-undefined]

    def unlike(x: Any) -> Any:
        z: Any = x
        if x > 0:
            z = (x, x)
        return z

    def unlike_turns(x: Any) -> Any:
        z: Any = x
        while x < 3.0:
            z = (z, x)
        return z

    def python_loop(x: Any) -> Any:
        for i in range(3):
            if x > i:
                break
        return x

    for body, error, text in (
        (missing, ValueError, "'z' must also be initialized in the else branch"),
        (unlike, TypeError, "'z' must have the same nested structure"),
        (unlike_turns, ValueError, "'z' must keep its structure"),
        (python_loop, NotImplementedError, "break and return statements which depend on a TF"),
    ):
        with pytest.raises(error, match=text):
            refused(tf, body)


def test_functions_that_stay_as_they_are() -> None:
    seen: list[Any] = []

    @tf.autograph.experimental.do_not_convert
    def plain(x: Any) -> Any:
        seen.append(type(x))
        return x

    def body(x: Any) -> Any:
        generated = sum(i for i in range(3))
        return plain(x) + generated

    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(tf.function(body)(tf.constant(1.0))) == 4.0
        with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
            tf.function(lambda x: 1 if x > 0 else 2, autograph=False)(tf.constant(1.0))
    assert seen == [tf.Tensor]


def test_to_graph_and_to_code() -> None:
    def absolute(x: Any) -> Any:
        if x < 0:
            return -x
        return x

    converted = tf.autograph.to_graph(absolute)
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run([converted(tf.constant(-2.0)), converted(tf.constant(3.0))]) == [2, 3]
    assert converted(-5) == 5
    assert "if_stmt" in tf.autograph.to_code(absolute)
    with pytest.raises(ValueError, match="converting"):
        tf.autograph.to_graph(len)


def growing(x: Any) -> Any:
    rows = tf.zeros([0])
    for _ in tf.range(3):
        tf.autograph.experimental.set_loop_options(
            shape_invariants=[(rows, tf.TensorShape([None]))], maximum_iterations=2
        )
        rows = tf.concat([rows, [x]], 0)
    return rows


def test_options_of_a_loop() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(tf.function(growing)(tf.constant(2.0))).tolist() == [2.0, 2.0]


def test_optional_features() -> None:
    feature = tf.autograph.experimental.Feature

    def checked(x: Any) -> Any:
        assert x > 0, "too small"
        return x

    with tf.Graph().as_default(), tf.Session() as session:
        function = tf.function(checked, experimental_autograph_options=feature.ASSERT_STATEMENTS)
        assert session.run(function(tf.constant(1.0))) == 1.0
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(function(tf.constant(-1.0)))
        assert "too small" in caught.value.message
    assert feature.ALL not in feature.all_but([feature.LISTS])
