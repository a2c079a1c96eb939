"""Effects that `auto_control_deps` puts in order in graphs that are no functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import tensorflow.compat.v1 as oracle
from tensorflow.python.framework import auto_control_deps as oracle_deps

import dataflow as tf
from dataflow.functions import automatic_control
from tests.oracle import open_session

TARGETS = ["", "ray"]


def _twice(lib: Any, v: Any, p: Any, q: Any) -> None:
    v.assign(v + 1)
    v.assign(2 * v)


def _one_branch(lib: Any, v: Any, p: Any, q: Any) -> None:
    v.assign(v * 2)

    def otherwise() -> float:
        v.assign(v + 4)
        return 1.0

    lib.cond(p, lambda: 0.0, otherwise)
    v.assign(v * 3)


def _nested(lib: Any, v: Any, p: Any, q: Any) -> None:
    def add() -> float:
        v.assign(v + 1)
        return 0.0

    def multiplied(factor: float) -> float:
        v.assign(v * factor)
        return 1.0

    def choose() -> float:
        lib.cond(q, lambda: multiplied(2.0), lambda: multiplied(5.0))
        return 1.0

    lib.cond(p, add, choose)


# What 1.15 gives for p, q of (False, False), (False, True), (True, False), (True, True) in turn.
CASES = {
    "twice": (_twice, [4.0, 10.0, 22.0, 46.0]),
    "one_branch": (_one_branch, [18.0, 120.0, 720.0, 4320.0]),
    "nested": (_nested, [5.0, 10.0, 11.0, 12.0]),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("case", CASES)
def test_effects_come_in_order_and_before_what_is_returned(case: str, target: str) -> None:
    body, want = CASES[case]
    with tf.Graph().as_default():
        v = tf.Variable(1.0, use_resource=True)
        p, q = tf.placeholder(tf.bool), tf.placeholder(tf.bool)
        with automatic_control.AutomaticControlDependencies() as control:
            body(tf, v, p, q)
            result = control.mark_as_return(v.read_value())
            unread = control.mark_as_return(tf.constant(1.0))
        with tf.Session(target) as session:
            session.run(v.initializer)
            feeds = [{p: a, q: b} for a in (False, True) for b in (False, True)]
            assert [float(session.run(result, feed)) for feed in feeds] == want
            before = session.run(v)
            session.run(unread, feeds[0])
            assert session.run(v) != before


def _decorated(lib: Any, decorate: Callable[..., Any]) -> Any:
    with lib.Graph().as_default() as graph:
        v = lib.Variable(3.0, use_resource=True)

        @decorate
        def step(by: float) -> Any:
            v.assign_sub(by)
            v.assign(v * v)
            return {"value": v.read_value(), "two": lib.constant(2)}

        made = step(1.0)
        plain = lib.cond(lib.constant(True), lambda: v + 1.0, lambda: v + 0.0)
        with open_session(lib, graph) as session:
            session.run(v.initializer)
            return session.run(made), plain.op.type, float(session.run(plain))


def test_a_function_is_decorated() -> None:
    ours = _decorated(tf, automatic_control.automatic_control_dependencies)
    assert ours == _decorated(oracle, oracle_deps.automatic_control_dependencies)


@pytest.mark.parametrize("attr_map", [{"_A": 3}, {4: None}, ["_A"]])
def test_what_is_no_map_of_attrs_opens_no_scope(attr_map: Any) -> None:
    told = []
    for lib in (tf, oracle):
        with (
            lib.Graph().as_default() as graph,
            pytest.raises(TypeError) as caught,
            graph._attr_scope(attr_map),
        ):
            pass
        told.append(str(caught.value))
    assert told[0] == told[1]
