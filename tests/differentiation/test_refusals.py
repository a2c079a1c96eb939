"""What `gradients` refuses, in TensorFlow's words."""

from __future__ import annotations

from typing import Any

import pytest

import dataflow as tf
from tests.differentiation.both import assert_same_refusal, oracle, refusal
from tests.words import as_in_tensorflow_1


def place(tf: Any, *shape: Any, dtype: str = "float32") -> Any:
    return tf.placeholder(dtype, list(shape), name="x")


def overridden(tf: Any, name: str, function: Any) -> Any:
    """exp(x), differentiated by `function`."""
    registered = f"{name} of {tf.__name__}"
    if function is not None:
        tf.RegisterGradient(registered)(function)
    x = place(tf, 2)
    with tf.get_default_graph().gradient_override_map({"Exp": registered}):
        return tf.gradients(tf.exp(x, name="layer/exp"), x)


SAME = {
    "complex y": lambda tf: tf.gradients(place(tf, 2, dtype="complex64"), place(tf, 3)),
    "lengths": lambda tf: tf.gradients(place(tf, 2), place(tf, 3), grad_ys=[None, None]),
    "bool start": lambda tf: tf.gradients(place(tf, 2), place(tf, 3), grad_ys=[tf.constant(True)]),
    "real start of complex": lambda tf: tf.gradients(
        place(tf, 2, dtype="complex64"), place(tf, 3), grad_ys=[tf.constant(1.0)]
    ),
    "start of string": lambda tf: tf.gradients(
        place(tf, 2, dtype="string"), place(tf, 3), grad_ys=[tf.constant(1.0)]
    ),
    "unconnected": lambda tf: tf.gradients(place(tf, 2), place(tf, 3), unconnected_gradients="nil"),
    "method": lambda tf: (lambda x: tf.gradients(tf.exp(x) * x, x, aggregation_method=7))(
        place(tf, 2)
    ),
    "shape": lambda tf: overridden(tf, "shape", lambda op, grad: tf.zeros([7])),
    "type to register": lambda tf: tf.RegisterGradient(3),
    "type not differentiable": lambda tf: tf.NotDifferentiable(3),
    "other graph": lambda tf: tf.gradients(place(tf, 2), _elsewhere(tf)),
}


def _elsewhere(tf: Any) -> Any:
    with tf.Graph().as_default():
        return place(tf, 2)


@pytest.mark.parametrize("case", [name for name in SAME if name != "other graph"])
def test_same_refusal(case: str) -> None:
    assert_same_refusal(SAME[case])


def test_tensors_of_two_graphs() -> None:
    theirs, ours = refusal(oracle, SAME["other graph"]), refusal(tf, SAME["other graph"])
    assert type(ours) is type(theirs) is ValueError
    assert "must be from the same graph" in str(ours)
    assert "must be from the same graph" in str(theirs)


def test_no_gradient_registered() -> None:
    def program(tf: Any) -> Any:
        return overridden(tf, "nothing here", None)

    theirs, ours = refusal(oracle, program), refusal(tf, program)
    assert type(ours) is type(theirs) is LookupError
    start = "No gradient defined for operation 'layer/exp' (op type: Exp)."
    assert str(ours).startswith(start)
    assert as_in_tensorflow_1(str(theirs)).startswith(start)
    assert "@tf.RegisterGradient" in str(ours)
    assert "tf.stop_gradient" in str(ours)


def test_op_that_has_no_gradient() -> None:
    def program(tf: Any) -> Any:
        x = place(tf, 2)
        return tf.gradients(tf.raw_ops.Snapshot(input=x), x)

    theirs, ours = refusal(oracle, program), refusal(tf, program)
    assert type(ours) is type(theirs) is LookupError
    start = "No gradient defined for operation 'Snapshot' (op type: Snapshot)."
    assert str(ours).startswith(start)
    assert as_in_tensorflow_1(str(theirs)).startswith(start)


def test_number_of_gradients() -> None:
    def program(tf: Any) -> Any:
        return overridden(tf, "two", lambda op, grad: [grad, grad])

    theirs, ours = refusal(oracle, program), refusal(tf, program)
    assert type(ours) is type(theirs) is ValueError
    for error in (theirs, ours):
        assert str(error).startswith(
            'Num gradients 2 generated for op name: "layer/exp"\nop: "Exp"'
        )
        assert str(error).endswith("do not match num inputs 1")


def test_gradient_that_is_no_tensor() -> None:
    error = refusal(tf, lambda tf: overridden(tf, "number", lambda op, grad: 3.0))
    assert type(error) is TypeError
    assert str(error).startswith(
        "Invalid gradient [3.0] [index = 0]. Gradients have to be either all Tensors or all "
        "IndexedSlices"
    )
    assert "output 0 of 'x'" in str(error)


@pytest.mark.parametrize("kind", ["SparseTensor", "IndexedSlices"])
def test_composites_as_ends(kind: str) -> None:
    def composite() -> Any:
        if kind == "IndexedSlices":
            return tf.IndexedSlices(place(tf, 1), tf.constant([0]))
        indices, shape = tf.constant([[0]], tf.int64), tf.constant([2], tf.int64)
        return tf.SparseTensor(indices, place(tf, 1), shape)

    text = f"Type {kind} is not supported as a gradient source or gradient target."
    for program in (
        lambda tf: tf.gradients(place(tf, 2), [composite()]),
        lambda tf: tf.gradients([composite()], place(tf, 2)),
    ):
        error = refusal(tf, program)
        assert type(error) is ValueError
        assert str(error).startswith(text)


@pytest.mark.parametrize("end", ["ys", "xs"])
def test_none_as_end(end: str) -> None:
    def program(tf: Any) -> Any:
        ends = {"ys": place(tf, 2), "xs": place(tf, 2), end: None}
        return tf.gradients(**ends)

    error = refusal(tf, program)
    assert type(error) is TypeError
    assert f"{end}[0] is None" in str(error)


def test_prevent_gradient_says_why() -> None:
    def program(tf: Any) -> Any:
        x = place(tf, 2)
        return tf.gradients(tf.raw_ops.PreventGradient(input=x, message="not today"), x)

    theirs, ours = refusal(oracle, program), refusal(tf, program)
    assert type(ours) is type(theirs) is LookupError
    assert "not today" in str(ours)
    assert "not today" in str(theirs)
