"""cond, case and switch_case as If and Case nodes: which op they make, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.control_flow.functional import (
    Program,
    functional_control_flow,
    refusal,
)
from tests.control_flow.programs import functional_cond_programs
from tests.words import as_in_tensorflow_1


def _shares_tensor(tf: Any) -> Any:
    made: list[Any] = []

    def first() -> Any:
        made.append(tf.constant(1.0))
        return made[0]

    return tf.cond(tf.constant(True), first, lambda: made[0] + 1.0)


def _leaks_tensor(tf: Any) -> Any:
    made: list[Any] = []

    def first() -> Any:
        made.append(tf.constant(1.0) * 2.0)
        return made[0]

    tf.cond(tf.constant(True), first, lambda: tf.constant(2.0))
    return made[0]


def _assigns_reference(tf: Any) -> Any:
    v = tf.get_variable("v", initializer=1.0, use_resource=False)
    return tf.cond(tf.constant(True), lambda: v.assign(2.0), lambda: v + 1.0)


_REFUSED: dict[str, Program] = {
    "python predicate": lambda tf: tf.cond(True, lambda: 1, lambda: 2),
    "types": lambda tf: tf.cond(
        tf.constant(True), lambda: tf.constant(1), lambda: tf.constant(1.0)
    ),
    "lengths": lambda tf: tf.cond(tf.constant(True), lambda: None, lambda: tf.constant(1)),
    "assign to reference": lambda tf: tf.cond(
        tf.constant(True),
        lambda: tf.assign(tf.get_variable("w", [2])._ref(), [1.0, 2.0]),
        lambda: tf.constant([1.0, 1.0]),
    ),
    "missing branch": lambda tf: tf.cond(tf.constant(True), lambda: 1),
    "uncallable branch": lambda tf: tf.cond(tf.constant(True), 1, lambda: 1),
    "branch uses the other's tensor": _shares_tensor,
    "python index": lambda tf: tf.switch_case(1, [lambda: 1]),
    "float index": lambda tf: tf.switch_case(tf.constant(1.0), [lambda: 1]),
    "long index": lambda tf: tf.switch_case(tf.constant(1, tf.int64), [lambda: 1, lambda: 2]),
    "no branches": lambda tf: tf.switch_case(tf.constant(1), []),
    "branches are no list": lambda tf: tf.switch_case(tf.constant(1), 3),
    "branch is no function": lambda tf: tf.switch_case(tf.constant(1), [3]),
    "keyed branch is no function": lambda tf: tf.switch_case(tf.constant(1), [(1, 2)]),
    "string key": lambda tf: tf.switch_case(tf.constant(1), [("a", lambda: 2)]),
    "gap in keys": lambda tf: tf.switch_case(tf.constant(1), {0: lambda: 1, 2: lambda: 1}),
    "case types": lambda tf: tf.switch_case(
        tf.constant(1), [lambda: tf.constant(1), lambda: tf.constant(1.0)]
    ),
    "shapes in a branch": lambda tf: tf.cond(
        tf.constant(True),
        lambda: tf.matmul(tf.constant([[1.0]]), tf.constant([1.0])),
        lambda: tf.constant([1.0]),
    ),
    "assignment to a reference": lambda tf: _assigns_reference(tf),
    "fetch of a branch's tensor": lambda tf: tf.Session().run(_leaks_tensor(tf)),
}


@pytest.mark.parametrize("program", _REFUSED.values(), ids=_REFUSED)
def test_refusal(program: Program) -> None:
    """Type and text are TensorFlow's."""
    theirs, ours = refusal(oracle, program), refusal(tf, program)
    assert type(ours).__name__ == type(theirs).__name__
    assert str(ours) == as_in_tensorflow_1(str(theirs))


@pytest.mark.parametrize(
    ("program", "types"),
    [
        (functional_cond_programs.captures, {"StatelessIf"}),
        (functional_cond_programs.by_switch_case, {"StatelessCase"}),
        (functional_cond_programs.writes_variable, {"If", "Case"}),
    ],
    ids=lambda each: each.__name__ if callable(each) else "",
)
def test_state_in_a_branch_decides_the_op(program: Program, types: set[str]) -> None:
    """Only a node of stateless branches may be left out or merged with another."""
    with tf.Graph().as_default() as graph, functional_control_flow(tf):
        program(tf)
        known = {"If", "StatelessIf", "Case", "StatelessCase"}
        assert {op.type for op in graph.get_operations()} & known == types


def test_node_cannot_be_fetched() -> None:
    """Lowering takes the node away, so that only its outputs have values."""
    with tf.Graph().as_default():
        tf.enable_control_flow_v2()
        try:
            result = tf.cond(tf.constant(True), lambda: 1, lambda: 2)
        finally:
            tf.disable_control_flow_v2()
        with tf.Session() as session:
            assert session.run(result) == 1
            with pytest.raises(ValueError, match="has been marked as not fetchable"):
                session.run(result.op.inputs[0].op)


def test_version_one_is_the_default() -> None:
    """Unless asked, conditionals are Switch and Merge."""
    with tf.Graph().as_default() as graph:
        assert not tf.control_flow_v2_enabled()
        tf.cond(tf.constant(True), lambda: 1, lambda: 2)
        assert "If" not in {op.type for op in graph.get_operations()}


def test_inside_of_functional_control_flow_all_is_functional() -> None:
    """A branch of switch_case, which is always functional, has no Switch."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [])
        y = tf.switch_case(
            tf.constant(1),
            [lambda: x, lambda: tf.cond(x > 1.0, lambda: x * 2.0, lambda: x * 3.0)],
        )
        types = {node.op for f in graph.as_graph_def().library.function for node in f.node_def}
        assert "StatelessIf" in types and "Switch" not in types
        with tf.Session() as session:
            assert session.run(y, {x: 2.0}) == 4.0
            assert session.run(y, {x: 0.5}) == 1.5
