"""Initial values made of other variables: which operations are made again for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.differentiation.both import assert_same_graph
from tests.oracle import open_session

_KINDS = [pytest.param(False, id="reference"), pytest.param(True, id="resource")]


def _assert_same(program: Callable[[Any], Any]) -> None:
    """Fails unless both libraries make the same nodes, and variables of the same values."""
    assert_same_graph(program, values=False)
    assert _values(tf, program) == _values(oracle, program)


def _values(library: Any, program: Callable[[Any], Any]) -> list[float]:
    with library.Graph().as_default() as graph:
        variables = program(library)
        with open_session(library, graph) as session:
            for variable in variables:
                session.run(variable.initializer)
            return [float(value) for value in session.run(variables)]


def _variable(tf: Any, value: Any, resource: bool, name: str) -> Any:
    return tf.Variable(value, name=name, use_resource=resource)


@pytest.mark.parametrize("resource", _KINDS)
def test_a_value_that_a_loop_makes_is_left_as_it_is(resource: bool) -> None:
    """Its operations depend on themselves."""

    def program(tf: Any) -> Any:
        v = _variable(tf, 2.0, resource, "v")
        total = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * v), [0, v])[1]
        w = _variable(tf, total + v, resource, "w")
        return v, w

    _assert_same(program)


@pytest.mark.parametrize("resource", _KINDS)
def test_what_only_waits_for_a_loop_is_left_as_it_is(resource: bool) -> None:
    def program(tf: Any) -> Any:
        v = _variable(tf, 2.0, resource, "v")
        with tf.control_dependencies([tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])]):
            value = v * 3.0
        w = _variable(tf, value, resource, "w")
        return v, w

    _assert_same(program)


@pytest.mark.parametrize("resource", _KINDS)
def test_what_is_read_twice_is_no_cycle_and_is_made_again_once(resource: bool) -> None:
    def program(tf: Any) -> Any:
        v = _variable(tf, 2.0, resource, "v")
        a = v + 1.0
        b = a * a
        w = _variable(tf, (b - a) * (b + v), resource, "w")
        return v, w

    _assert_same(program)


@pytest.mark.parametrize("resource", _KINDS)
def test_as_many_paths_as_atoms_take_no_time(resource: bool) -> None:
    def program(tf: Any) -> Any:
        v = _variable(tf, 2.0, resource, "v")
        value = v + 0.0
        for _ in range(100):
            value = (value + value) * 0.5
        return v, _variable(tf, value, resource, "w")

    _assert_same(program)


@pytest.mark.parametrize("resource", _KINDS)
def test_a_branch_is_made_again(resource: bool) -> None:
    def program(tf: Any) -> Any:
        v = _variable(tf, 2.0, resource, "v")
        chosen = tf.cond(v > 1.0, lambda: v * 5.0, lambda: v - 1.0)
        w = _variable(tf, chosen, resource, "w")
        return v, w

    _assert_same(program)


@pytest.mark.parametrize("resource", _KINDS)
def test_a_chain_of_variables_starts_in_any_order(resource: bool) -> None:
    def program(tf: Any) -> Any:
        made = [_variable(tf, 2.0, resource, "v")]
        for number in range(4):
            name = f"w{number}"
            made.append(_variable(tf, made[-1] * 2.0 + made[0], resource, name))
        return made

    _assert_same(program)
