"""Functions that do not fit the nodes that call them, and executors nobody has."""

from __future__ import annotations

from typing import Any

import pytest

import dataflow as tf
from dataflow.library import defun as function
from tests.control_flow.functional import functional_control_flow, oracle


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ("cond", "Expected a single scalar return value from WhileOp cond, got 2 tensors."),
        ("body", "While loop body returned 3 arguments. Expected: 2"),
    ],
)
def test_words_are_tensorflows(extra: str, words: str) -> None:
    types = [tf.float32, tf.float32]

    @tf.Defun(*types)
    def cond(n: Any, x: Any) -> Any:
        return (n > 0.0, x) if extra == "cond" else n > 0.0

    @tf.Defun(*types)
    def body(n: Any, x: Any) -> Any:
        return (n - 1.0, x + n, x) if extra == "body" else (n - 1.0, x + n)

    with tf.Graph().as_default(), tf.Session() as session:
        loop = tf.raw_ops.While(input=[5.0, 0.0], cond=cond, body=body)
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(loop)
        assert session.run(tf.constant(3.0)) == 3.0, "steps without the loop work"
        assert session.run(tf.add(loop[1], 1.0), {loop[1]: 2.0}) == 3.0
    assert words in str(caught.value.message)


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ((0, 10, -1), "Invalid start/limit/delta: 0 10 -1"),
        ((10, 0, 0), "Invalid start/limit/delta: 10 0 0"),
        (([0], 10, 1), "start must be a scalar, but [1]"),
        ((0, 10, [[1]]), "delta must be a scalar, but [1,1]"),
    ],
)
def test_ranges_of_for_that_are_none(numbers: Any, words: str) -> None:
    @tf.Defun(tf.int32, tf.float32)
    def body(n: Any, x: Any) -> Any:
        return x + 1.0

    with tf.Graph().as_default(), tf.Session() as session:
        start, limit, delta = numbers
        loop = tf.raw_ops.For(start=start, limit=limit, delta=delta, input=[0.0], body=body)
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(loop)
    assert caught.value.message.startswith(words)


def test_the_body_of_a_for_that_returns_too_much() -> None:
    @tf.Defun(tf.int32, tf.float32)
    def body(n: Any, x: Any) -> Any:
        return x, x

    with tf.Graph().as_default(), tf.Session() as session:
        loop = tf.raw_ops.For(start=0, limit=3, delta=1, input=[0.0], body=body)
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(loop)
        with pytest.raises(LookupError, match=r"No gradient defined .*For"):
            tf.gradients(loop, loop[0].op.inputs[3])
    assert "For loop body returned 2 arguments. Expected: 1" in caught.value.message


def test_a_loop_in_a_function_that_calls_itself() -> None:
    @tf.Defun(tf.int32)
    def both(n: Any) -> Any:
        return n > 0, n

    @tf.Defun(tf.int32)
    def body(n: Any) -> Any:
        return n - 1

    with tf.Graph().as_default() as graph, tf.Session() as session:
        again = function.Declare("again", [("n", tf.int32)], [("y", tf.int32)])

        @tf.Defun(tf.int32, func_name="again", out_names=["y"])
        def define(n: Any) -> Any:
            (ended,) = tf.raw_ops.While(input=[n], cond=both, body=body)
            return tf.cond(n > 0, lambda: again(ended), lambda: n)

        define.add_to_graph(graph)
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(again(tf.constant(3)))
    assert "Expected a single scalar return value from WhileOp cond" in str(caught.value.message)


def test_a_gradient_function_of_too_many_results() -> None:
    @tf.Defun(tf.float32, tf.float32, tf.float32)
    def gradient(x: Any, left: Any, right: Any) -> Any:
        return x, left + right

    @tf.Defun(tf.float32, grad_func=gradient)
    def twice(x: Any) -> Any:
        return x, x

    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(1.0)
        total = tf.add_n(twice(x))
        (slope,) = tf.gradients(total, [x])
        assert session.run(total) == 2.0
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(slope)
    assert "SymGrad expects to return 1 tensor(s), but get 2 tensor(s) instead." in str(
        caught.value.message
    )


@pytest.mark.parametrize("looped", [False, True], ids=["cond", "loop"])
def test_gradients_after_a_run_of_nodes_that_gave_all(looped: bool) -> None:
    def inner(lib: Any, y: Any) -> Any:
        if looped:
            return lib.while_loop(lambda v: True, lambda v: v * y, [y], maximum_iterations=2)
        return lib.cond(y > 0.0, lambda: lib.square(y * y) + y, lambda: y)

    def found(lib: Any) -> list[Any]:
        with lib.Graph().as_default() as graph, lib.Session() as session:
            x = lib.constant(2.0)
            lib.experimental.output_all_intermediates(True)
            try:
                with functional_control_flow(lib):
                    if looped:
                        made = lib.while_loop(
                            lambda v: True, lambda v: inner(lib, v), [x], maximum_iterations=2
                        )
                    else:
                        made = lib.cond(x < 11.0, lambda: inner(lib, x * x) * x, lambda: x)
                    before = session.run(made)
                    nodes = [op for op in graph.get_operations() if op.type.startswith("State")]
                    given = len(nodes[0].outputs)
                    (gradient,) = lib.gradients(made, x)
            finally:
                lib.experimental.output_all_intermediates(None)
            assert len(nodes[0].outputs) == given
            return [before, *session.run([made, gradient])]

    assert found(tf) == found(oracle)


def test_gradients_of_a_conditional_that_has_run() -> None:
    def words(lib: Any) -> str:
        with lib.Graph().as_default(), lib.Session() as session:
            x = lib.constant(10.0)
            with functional_control_flow(lib):
                made = lib.cond(lib.less(x, 11.0), lambda: lib.square(x * x), lambda: x)
                session.run(made)
                gradient = lib.gradients(made, x)
            with pytest.raises(lib.errors.InvalidArgumentError) as caught:
                session.run(gradient)
        return str(caught.value.message)

    advice = "Try using tf.compat.v1.experimental.output_all_intermediates(True)."
    assert advice in words(tf) and advice in words(oracle)


def test_executors_nobody_has() -> None:
    """What asks for one fails when it runs; those TensorFlow has all do here."""
    wanted = "No executor factory registered for the given executor type: NONE"

    @tf.Defun(tf.int32)
    def add(n: Any) -> Any:
        return n + 5

    for call in (tf.raw_ops.PartitionedCall, tf.raw_ops.StatefulPartitionedCall):
        with tf.Graph().as_default(), tf.Session() as session:
            for known in ("", "DEFAULT", "SINGLE_THREADED_EXECUTOR"):
                (sum_,) = call(args=[1], f=add, Tout=[tf.int32], executor_type=known)
                assert session.run(sum_) == 6
            (none,) = call(args=[1], f=add, Tout=[tf.int32], executor_type="NONE", name="none")
            assert session.run(sum_) == 6, "steps without the call work"
            with pytest.raises(tf.errors.NotFoundError, match=wanted) as caught:
                session.run(none + 1)
            assert caught.value.op is none.op
    for name, works in (("SINGLE_THREADED_EXECUTOR", True), ("NONE", False)):
        config = tf.ConfigProto()
        config.experimental.executor_type = name
        with tf.Graph().as_default(), tf.Session(config=config) as session:
            if works:
                assert session.run(tf.constant(1)) == 1
                continue
            with pytest.raises(tf.errors.NotFoundError, match=wanted) as caught:
                session.run(tf.constant(1))
            assert type(caught.value) is tf.errors.NotFoundError
