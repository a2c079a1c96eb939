"""while_loop as a While node: which op it makes, what is refused, and gradients on Ray."""

from __future__ import annotations

import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.conftest import SessionFactory
from tests.control_flow.functional import (
    Program,
    built,
    first_gradient,
    functional_control_flow,
    refusal,
)
from tests.control_flow.programs import functional_cond_programs, functional_loop_programs
from tests.differentiation.both import assert_same_value, example, flatten
from tests.words import as_in_tensorflow_1


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
    assert str(ours) == as_in_tensorflow_1(str(theirs))


@pytest.mark.parametrize(
    "program",
    [
        functional_loop_programs.cond_in_loop,
        functional_loop_programs.recurrent,
        functional_cond_programs.by_switch_case,
    ],
    ids=lambda each: each.__name__,
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
