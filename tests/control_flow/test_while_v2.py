"""while_loop as a While node: the graphs are TensorFlow's, and the values."""

from __future__ import annotations

import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.conftest import SessionFactory
from tests.control_flow import functional_cond_programs, functional_loop_programs
from tests.control_flow.functional import (
    Program,
    assert_same,
    built,
    first_gradient,
    functional_control_flow,
    refusal,
    second_gradient,
)
from tests.control_flow.functional_loop_programs import PROGRAMS, WITHOUT_SECOND
from tests.gradients.both import assert_same_value, example, flatten

_TWICE = [p for p in PROGRAMS if p not in WITHOUT_SECOND]


def _name(program: Program) -> str:
    return program.__name__


@pytest.mark.parametrize("program", PROGRAMS, ids=_name)
def test_program(program: Program) -> None:
    """Nodes, functions, and what they compute."""
    assert_same(program)


@pytest.mark.parametrize("program", PROGRAMS, ids=_name)
def test_first_gradient(program: Program) -> None:
    """The rewritten loop, the backward loop, and what they compute."""
    assert_same(first_gradient(program))


@pytest.mark.parametrize("program", _TWICE, ids=_name)
def test_second_gradient(program: Program) -> None:
    """Both loops are rewritten again."""
    assert_same(second_gradient(program))


@pytest.mark.parametrize(
    ("program", "op_type"),
    [
        (functional_loop_programs.captures, "StatelessWhile"),
        (functional_loop_programs.matrix, "While"),
    ],
    ids=["captures", "matrix"],
)
def test_state_in_a_body_decides_the_op(program: Program, op_type: str) -> None:
    """Reading a variable is stateful: what is read may change from one iteration to the next."""
    with tf.Graph().as_default() as graph, functional_control_flow(tf):
        program(tf)
        loops = [op.type for op in graph.get_operations() if op.type.endswith("While")]
        assert loops == [op_type]


_REFUSED: dict[str, Program] = {
    "shape changes": lambda tf: tf.while_loop(
        lambda x: tf.reduce_sum(x) < 3.0, lambda x: tf.concat([x, x], 0), [tf.constant([1.0])]
    ),
    "type changes": lambda tf: tf.while_loop(
        lambda x: x < 3.0, lambda x: tf.cast(x, tf.int32), [tf.constant(1.0)]
    ),
    "structure changes": lambda tf: tf.while_loop(
        lambda x: x < 3.0, lambda x: (x, x), [tf.constant(1.0)]
    ),
    "several conditions": lambda tf: tf.while_loop(
        lambda x: [x < 3.0, x < 3.0], lambda x: x, [tf.constant(1.0)]
    ),
    "no condition": lambda tf: tf.while_loop(lambda x: None, lambda x: x, [tf.constant(1.0)]),
    "body returns nothing": lambda tf: tf.while_loop(
        lambda x: x < 3.0, lambda x: None, [tf.constant(1.0)]
    ),
    "no iterations in parallel": lambda tf: tf.while_loop(
        lambda x: x < 3.0, lambda x: x, [tf.constant(1.0)], parallel_iterations=0
    ),
    "invariant is no shape": lambda tf: tf.while_loop(
        lambda x: x < 3.0, lambda x: x, [tf.constant(1.0)], shape_invariants=[3]
    ),
    "float limit": lambda tf: tf.while_loop(
        lambda x: x < 3.0, lambda x: x, [tf.constant(1.0)], maximum_iterations=3.0
    ),
}


@pytest.mark.parametrize("program", _REFUSED.values(), ids=_REFUSED)
def test_refusal(program: Program) -> None:
    """Type and text are TensorFlow's."""
    theirs, ours = refusal(oracle, program), refusal(tf, program)
    assert type(ours).__name__ == type(theirs).__name__
    assert str(ours) == str(theirs)


@pytest.mark.parametrize(
    "program",
    [
        functional_loop_programs.cond_in_loop,
        functional_loop_programs.recurrent,
        functional_cond_programs.by_switch_case,
    ],
    ids=_name,
)
def test_gradient_on_every_target(program: Program, session_factory: SessionFactory) -> None:
    """Optional values and lists stay where they are made, or travel whole."""
    differentiated = first_gradient(program)
    _, expected = built(oracle, differentiated)
    with functional_control_flow(tf), tf.Graph().as_default() as graph:
        fetches = flatten(differentiated(tf))
        feeds = {
            op.outputs[0]: example(op.outputs[0])
            for op in graph.get_operations()
            if op.type == "Placeholder"
        }
        session = session_factory(graph)
        session.run(tf.global_variables_initializer())
        for have, want in zip(session.run(fetches, feeds), expected, strict=True):
            assert_same_value(have, want)
