"""The math functions refuse what TensorFlow refuses, in the same words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.differentiation.both import assert_same_refusal

Program = Callable[[Any], Any]


def f(t: Any, *shape: int) -> Any:
    return t.placeholder(t.float32, shape)


def d(t: Any, *shape: int) -> Any:
    return t.placeholder(t.float64, shape)


def i(t: Any, *shape: int) -> Any:
    return t.placeholder(t.int32, shape)


SAME: dict[str, Program] = {
    "complex of int": lambda t: t.complex(i(t), i(t)),
    "complex of two": lambda t: t.complex(f(t), d(t)),
    "truediv": lambda t: t.truediv(f(t), d(t)),
    "truediv of bool": lambda t: t.truediv(t.constant(True), t.constant(True)),
    "div_no_nan": lambda t: t.div_no_nan(f(t), d(t)),
    "div_no_nan of bool": lambda t: t.div_no_nan(t.constant(True), False),
    "add of two": lambda t: t.add(f(t), d(t)),
    "operator of two": lambda t: f(t) + d(t),
    "operator of number": lambda t: i(t) + 1.5,
    "operator of shapes": lambda t: f(t, 2, 3) * f(t, 4),
    "pow of two": lambda t: t.pow(f(t), d(t)),
    "less of string": lambda t: t.less("a", "b"),
    "log of int": lambda t: t.log(i(t)),
    "scalar_mul": lambda t: t.scalar_mul(f(t, 2), f(t, 2)),
    "add_n of nothing": lambda t: t.add_n([]),
    "add_n of two": lambda t: t.add_n([f(t, 2), f(t, 3)]),
    "accumulate_n": lambda t: t.accumulate_n([f(t), d(t)]),
    "accumulate_n of nothing": lambda t: t.accumulate_n([]),
    "accumulate_n of dtype": lambda t: t.accumulate_n([f(t)], tensor_dtype=t.int32),
    "matmul turned twice": lambda t: t.matmul(
        f(t, 2, 2), f(t, 2, 2), transpose_a=True, adjoint_a=True
    ),
    "matmul b turned twice": lambda t: t.matmul(
        f(t, 2, 2), f(t, 2, 2), transpose_b=True, adjoint_b=True
    ),
    "matmul": lambda t: t.matmul(f(t, 2, 3), f(t, 2, 3)),
    "matmul of vector": lambda t: t.matmul(f(t, 3), f(t, 3, 2)),
    "matmul of two": lambda t: t.matmul(f(t, 2, 2), d(t, 2, 2)),
    "stacks": lambda t: t.matmul(f(t, 2, 3, 4), f(t, 3, 4, 5)),
    "stack of a vector": lambda t: t.matmul(f(t, 2, 3, 4), f(t, 4)),
    "einsum of two ellipses": lambda t: t.einsum("...i...,ij->j", f(t, 2, 3), f(t, 3, 2)),
    "einsum of two periods": lambda t: t.raw_ops.Einsum(inputs=[f(t, 3)], equation="..i->i"),
    "einsum of spread periods": lambda t: t.raw_ops.Einsum(inputs=[f(t, 3)], equation=".i..->i"),
    "einsum to a period": lambda t: t.raw_ops.Einsum(inputs=[f(t, 3)], equation="i->.i"),
    "tensordot of negative": lambda t: t.tensordot(f(t, 2), f(t, 2), -1),
    "tensordot of too many": lambda t: t.tensordot(f(t, 2), f(t, 2), [[0], [0, 1]]),
    "tensordot of three": lambda t: t.tensordot(f(t, 2), f(t, 2), [[0], [0], [0]]),
    "einsum keyword": lambda t: t.einsum("i->", f(t, 2), keyword=1),
    "einsum format": lambda t: t.einsum("i?j->i", f(t, 2, 2)),
    "einsum count": lambda t: t.einsum("i,j->ij", f(t, 2)),
    "einsum repeats": lambda t: t.einsum("i->ii", f(t, 2)),
    "einsum dots": lambda t: t.einsum("...i->......", f(t, 2)),
    "einsum zero": lambda t: t.einsum("0...->...", f(t, 2)),
    "einsum ranks": lambda t: t.einsum("ij,jk,kl->il", f(t, 2), f(t, 2, 2), f(t, 2, 2)),
    "einsum sizes": lambda t: t.einsum("ij,jk->ik", f(t, 2, 3), f(t, 2, 3)),
    "axis by both names": lambda t: t.reduce_sum(f(t, 2), axis=0, reduction_indices=0),
    "keepdims by both names": lambda t: t.reduce_max(f(t, 2), keepdims=True, keep_dims=True),
    "axis out of range": lambda t: t.reduce_mean(f(t, 2), axis=1),
    "argmax axis": lambda t: t.argmax(f(t, 2), axis="a"),
    "argmax float axis": lambda t: t.argmax(f(t, 2), axis=t.constant(1.0)),
    "argmax both axes": lambda t: t.argmax(f(t, 2), axis=0, dimension=0),
    "argmax out of range": lambda t: t.argmax(f(t, 2, 3), axis=2),
    "variance of int": lambda t: t.math.reduce_variance(i(t, 2)),
    "count_nonzero of both": lambda t: t.count_nonzero(f(t), input=f(t)),
    "polyval": lambda t: t.math.polyval((1.0, 2.0), f(t)),
    "range of no step": lambda t: t.range(0, 5, 0),
    "range backwards": lambda t: t.range(5, 0),
    "real of string": lambda t: t.real(t.constant("a")),
    "conj of string": lambda t: t.conj(t.constant("a")),
    "multiply_no_nan": lambda t: t.math.multiply_no_nan(f(t), d(t)),
    "cast to nothing": lambda t: t.cast(f(t), "float99"),
    "cross": lambda t: t.cross(f(t, 2), f(t, 2)),
    "shift of float": lambda t: t.bitwise.left_shift(f(t), f(t)),
    "both messages": lambda t: t.verify_tensor_all_finite(f(t), "a", message="b"),
    "segments": lambda t: t.unsorted_segment_sum(f(t, 3), [0, 1], 2),
}


@pytest.mark.parametrize("program", SAME.values(), ids=SAME)
def test_in_the_same_words(program: Program) -> None:
    assert_same_refusal(program)


def test_an_op_without_gradient_says_what_to_do() -> None:
    x = tf.placeholder(tf.float32, [2], name="x")
    y = tf.raw_ops.TruncateMod(x=x, y=x, name="remainder")
    with pytest.raises(
        LookupError,
        match=r"No gradient defined for operation ?'remainder.*TruncateMod.*RegisterGradient",
    ):
        tf.gradients(y, x)


def test_an_operator_gives_way_to_the_other_operand() -> None:
    class Wise:
        def __radd__(self, other: Any) -> str:
            return f"knows {other.name}"

    assert tf.placeholder(tf.float32, [2], name="operand") + Wise() == "knows operand:0"


def test_numpy_leaves_operators_to_tensors() -> None:
    result = np.ones([2], np.float32) * tf.placeholder(tf.float32, [2])
    assert isinstance(result, tf.Tensor)
