"""Conditionals that are decided while the graph is built, as far as the condition is known."""

from __future__ import annotations

from typing import Any

import pytest
from tensorflow.python.framework import smart_cond as theirs

from dataflow.control_flow import smart_cond as ours
from tests.control_flow.both import assert_same_refusal
from tests.differentiation.both import assert_same_graph, oracle


def _library(tf: Any) -> Any:
    return theirs if tf is oracle else ours


def known(tf: Any) -> Any:
    choose = _library(tf).smart_cond
    x = tf.placeholder(tf.float32, [], name="x")
    return [
        choose(True, lambda: x * 2.0, lambda: x),
        choose(0, lambda: x * 2.0, lambda: x + 1.0),
        choose(tf.constant(True), lambda: tf.exp(x), lambda: x),
    ]


def unknown(tf: Any) -> Any:
    x = tf.placeholder(tf.float32, [], name="x")
    return _library(tf).smart_cond(x > 0.0, lambda: x * 2.0, lambda: x, name="choose")


def cases(tf: Any) -> Any:
    choose = _library(tf).smart_case
    x = tf.placeholder(tf.float32, [], name="x")
    pairs = [(False, lambda: x), (x > 0.0, lambda: x * 2.0), (True, lambda: tf.exp(x))]
    return [
        choose(pairs, default=lambda: -x),
        choose([(False, lambda: x), (True, lambda: tf.sin(x))], default=lambda: -x),
    ]


@pytest.mark.parametrize("program", [known, unknown, cases])
def test_graph(program: Any) -> None:
    assert_same_graph(program)


def of_a_number(tf: Any) -> Any:
    return _library(tf).smart_cond(2, lambda: 1, lambda: 2)


def of_a_string(tf: Any) -> Any:
    return _library(tf).smart_cond("yes", lambda: 1, lambda: 2)


def without_a_function(tf: Any) -> Any:
    return _library(tf).smart_cond(True, 1, lambda: 2)


def without_the_other_function(tf: Any) -> Any:
    return _library(tf).smart_cond(True, lambda: 2, None)


def case_of_numbers(tf: Any) -> Any:
    return _library(tf).smart_case([(2, lambda: 1)], default=lambda: 2)


@pytest.mark.parametrize(
    "program",
    [of_a_number, of_a_string, without_a_function, without_the_other_function, case_of_numbers],
)
def test_refusal(program: Any) -> None:
    assert assert_same_refusal(program)
