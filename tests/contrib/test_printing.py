"""print_op: what is printed, as TensorFlow 1.15 does, and what is passed on."""

from __future__ import annotations

from typing import Any

import pytest

import dataflow as tf
from dataflow.contrib.framework.printing import print_op


@pytest.mark.parametrize(
    ("make", "printed"),
    [
        (
            lambda: print_op(tf.constant([1.0, 2.0]), message="m: "),
            "m: [Name: Const:0][Type: Tensor (float32)][Shape: [Dimension(2)]][Value:][1 2]",
        ),
        (
            lambda: print_op(
                tf.constant([False, True]), [tf.constant([3], name="c")], print_shape=False
            ),
            "[Name: Const:0][Type: Tensor (bool)][First True in Boolean tensor at:][1][Value:]"
            "[0 1][Name: c:0][Type: Tensor (int32)][Value:][3]",
        ),
        (
            lambda: print_op(tf.constant([False, True]), summarize_indicator_vector=False),
            "[Name: Const:0][Type: Tensor (bool)][Shape: [Dimension(2)]][Value:][0 1]",
        ),
        (
            lambda: print_op(tf.SparseTensor([[1, 2]], [3.0], [4, 4])).values,
            "[Type: SparseTensor (float32)][Shape:][4 4][Sparse indices:][[1 2]]"
            "[Sparse values:][3]",
        ),
        (
            lambda: print_op(tf.Variable([1.0], use_resource=False)),
            "[Type: Variable (float32_ref)]",
        ),
    ],
)
def test_what_is_printed(make: Any, printed: str, capfd: pytest.CaptureFixture[str]) -> None:
    with tf.Graph().as_default():
        made = make()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            assert session.run(made).size
    assert printed in capfd.readouterr().err.splitlines()


def test_an_array_is_passed_on() -> None:
    with tf.Graph().as_default() as graph:
        array = print_op(tf.TensorArray(tf.float32, 2, element_shape=[]).unstack([1.0, 2.0]))
        (printing,) = [op for op in graph.get_operations() if op.type == "Print"]
        assert len(printing.inputs) == 6
        with tf.Session() as session:
            assert session.run(array.stack()).tolist() == [1.0, 2.0]


def test_what_cannot_be_printed() -> None:
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="input_ must be of type Tensor, SparseTensor or"):
            print_op(None)
        with pytest.raises(ValueError, match="t must be a Tensor, SparseTensor, TensorArray or"):
            print_op([1.0])
