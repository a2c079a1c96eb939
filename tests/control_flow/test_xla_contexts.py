"""Loops that a program wants to be compiled: they need bounds, and run as others do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle
from tensorflow.python.ops import control_flow_ops

import dataflow as tf
from dataflow.control_flow.functional import LOWERING_ATTR
from dataflow.control_flow.xla_context import XLAControlFlowContext
from dataflow.graph.constant_value import constant_value
from dataflow.proto.control_flow_pb2 import ControlFlowContextDef
from tests.control_flow.functional import functional_control_flow


@contextmanager
def _compiled(lib: Any) -> Iterator[None]:
    kind = XLAControlFlowContext if lib is tf else control_flow_ops.XLAControlFlowContext
    context = kind()
    context.Enter()
    yield
    context.Exit()


def _powers(lib: Any, v: Any, trips: Any, inner: Any = None) -> Any:
    def body(i: Any, x: Any) -> Any:
        if inner is not None:
            x = _powers(lib, v, inner(i))[1] * x
        return [i + 1, x * v]

    return lib.while_loop(lambda i, _: i < 3, body, [0, 1.0], maximum_iterations=trips)


def _of_a_branch(lib: Any, v: Any) -> Any:
    made: list[Any] = []

    def make() -> float:
        made.append(lib.placeholder(lib.int32, [], name="limit"))
        return 1.0

    lib.cond(lib.constant(True), make, make)
    return _powers(lib, v, made[0])


REFUSED: dict[str, Callable[[Any, Any], Any]] = {
    "no bound": lambda lib, v: _powers(lib, v, None),
    "no bound around": lambda lib, v: _powers(lib, v, None, lambda i: 2),
    "a bound of an iteration": lambda lib, v: _powers(lib, v, 2, lambda i: i),
    "a bound of a branch": _of_a_branch,
}


@pytest.mark.parametrize("build", REFUSED.values(), ids=REFUSED)
def test_gradients_of_unbounded_loops_are_refused(build: Callable[[Any, Any], Any]) -> None:
    def words(lib: Any) -> str:
        with lib.Graph().as_default():
            v = lib.constant(2.0, name="v")
            with _compiled(lib):
                loop = build(lib, v)
            with pytest.raises(ValueError, match="gradient accumulator") as caught:
                lib.gradients(loop, v)
        return str(caught.value)

    assert words(tf) == words(oracle)


def test_bounded_loops_compute_what_others_do() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        v = tf.constant(2.0)
        with _compiled(tf):
            loop = _powers(tf, v, 3, lambda i: 2)
        (slope,) = tf.gradients(loop[1], v)
        (plain,) = tf.gradients(_powers(tf, v, 3, lambda i: 2)[1], v)
        # What a loop inside of another context gives cannot be fetched itself.
        assert session.run(tf.identity(slope)) == session.run(plain) == 9 * 2.0**8
        stacks = [op for op in graph.get_operations() if op.type == "StackV2"]
        sizes = {int(np.asarray(constant_value(op.inputs[0]))) for op in stacks}
        assert sizes == {3, 6, -1}
        message = ControlFlowContextDef()
        XLAControlFlowContext().to_control_flow_context_def(message)
        assert not message.WhichOneof("ctxt")


def test_shapes_are_taken_where_gradients_need_them() -> None:
    with tf.Graph().as_default() as graph:
        x, y = (tf.placeholder(tf.float32, [None, None]) for _ in range(2))
        with _compiled(tf):
            loop = tf.while_loop(
                lambda a, b: False, lambda a, b: [a + b, a + b], [x, y], maximum_iterations=2
            )
            tf.gradients(loop[0], x)
        pairs = [op for op in graph.get_operations() if op.type == "BroadcastGradientArgs"]
        assert pairs
        assert {tensor.op.type for op in pairs for tensor in op.inputs} == {"Shape"}


def test_nodes_that_call_functions_are_not_marked_for_lowering() -> None:
    with tf.Graph().as_default() as graph, functional_control_flow(tf):
        x = tf.constant(1.0)
        with _compiled(tf):
            made = tf.cond(x > 0.0, lambda: tf.cond(x > 1.0, lambda: x, lambda: -x), lambda: x)
        nodes = [op for op in graph.get_operations() if op.type == "StatelessIf"]
        bodies = [f.graph for f in graph._functions.values() if f.graph is not None]
        nodes += [op for b in bodies for op in b.get_operations() if op.type == "StatelessIf"]
        assert len(nodes) == 2
        assert all(LOWERING_ATTR not in op.attrs for op in nodes)
        with tf.Session() as session:
            assert session.run(made) == -1.0
