"""Gradients of the math ops are made of the nodes that TensorFlow makes them of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.differentiation.both import assert_same_graph
from tests.pairwise import pairwise

Program = Callable[[Any], Any]


def feed(t: Any, *shape: int | None, dtype: str = "float32") -> Any:
    return t.placeholder(dtype, shape or None)


UNARY = (
    *("abs", "acosh", "asin", "asinh", "acos", "atan", "atanh", "ceil", "cos", "cosh", "digamma"),
    *("erf", "erfc", "exp", "expm1", "floor", "lgamma", "log", "log1p", "log_sigmoid", "negative"),
    *("reciprocal", "rint", "round", "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt", "square"),
    *("tan", "tanh", "to_double"),
)
MATH = ("erfinv", "ndtri", "bessel_i0", "bessel_i1", "bessel_i0e", "bessel_i1e")
SPECIAL = (
    *("bessel_j0", "bessel_j1", "bessel_k0", "bessel_k0e", "bessel_k1", "bessel_k1e", "bessel_y0"),
    *("bessel_y1", "dawsn", "expint", "fresnel_cos", "fresnel_sin", "spence"),
)


def _slope(function: Callable[[Any], Any], shape: tuple[int | None, ...]) -> Program:
    def program(t: Any) -> Any:
        x = feed(t, *shape) * 0.5
        return t.gradients(function(t)(x), x)

    return program


ONE: dict[str, Program] = {
    **{n: _slope(lambda t, n=n: getattr(t, n), (2, 3)) for n in UNARY},
    **{n: _slope(lambda t, n=n: getattr(t.math, n), (None,)) for n in MATH},
    **{n: _slope(lambda t, n=n: getattr(t.math.special, n), (None,)) for n in SPECIAL},
}


@pytest.mark.parametrize("program", ONE.values(), ids=ONE)
def test_of_one_tensor(program: Program) -> None:
    assert_same_graph(program)


TWICE = ("exp", "log", "rsqrt", "sqrt", "reciprocal", "sigmoid", "tanh", "square", "sin")


@pytest.mark.parametrize("name", TWICE)
def test_second_derivatives(name: str) -> None:
    def program(t: Any) -> Any:
        x = feed(t, 2)
        return t.gradients(t.gradients(getattr(t, name)(x), x), x)

    assert_same_graph(program)


BINARY = (
    *("add", "atan2", "div", "div_no_nan", "floordiv", "floormod", "maximum", "minimum"),
    *("multiply", "pow", "realdiv", "squared_difference", "subtract", "truediv"),
)
BINARY_MATH = ("multiply_no_nan", "xdivy", "xlogy", "xlog1py", "igamma", "zeta")
SHAPES = (
    ((2, 3), (2, 3)),
    ((2, 3), (3,)),
    ((2, 1), (1, 3)),
    ((2,), ()),
    ((None, 3), (3,)),
    ((None, 3), (None, 3)),
)


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("name", BINARY + BINARY_MATH)
def test_of_two_tensors(name: str, shapes: Any) -> None:
    def program(t: Any) -> Any:
        x, y = feed(t, *shapes[0]), t.placeholder("float32", shapes[1])
        if name == "zeta":
            x = x + 1.5
        function = getattr(t.math if name in BINARY_MATH else t, name)
        return t.gradients(function(x, y), [x, y])

    assert_same_graph(program)


@pytest.mark.parametrize("name", ("multiply", "div", "pow", "add"))
def test_of_two_complex_tensors(name: str) -> None:
    def program(t: Any) -> Any:
        x, y = feed(t, 2, dtype="complex64"), feed(t, 2, dtype="complex64")
        weights = t.constant(np.ones(2, np.complex64))
        return t.gradients(getattr(t, name)(x, y), [x, y], grad_ys=weights)

    assert_same_graph(program)


REDUCTIONS = (
    "reduce_sum",
    "reduce_mean",
    "reduce_max",
    "reduce_min",
    "reduce_prod",
    "reduce_logsumexp",
)


@pairwise(
    {
        "name": REDUCTIONS,
        "keep": (False, True),
        "axis": (None, 0, [1], [0, 1]),
        "shape": ((2, 3), (None, 3)),
    }
)
def test_of_reductions(name: str, keep: bool, axis: Any, shape: Any) -> None:
    def program(t: Any) -> Any:
        x = feed(t, *shape)
        return t.gradients(getattr(t, name)(x, axis, keep), x)

    assert_same_graph(program)


def test_of_a_reduction_over_axes_known_in_the_run() -> None:
    def program(t: Any) -> Any:
        x, axes = feed(t, 2, 3), t.placeholder("int32", [1])
        zero = axes * 0
        sums = [t.reduce_sum(x, zero), t.reduce_mean(x, zero), t.reduce_max(x, zero)]
        return [t.gradients(s, x) for s in sums]

    assert_same_graph(program)


def test_reductions_over_the_same_axes_share_what_they_know() -> None:
    def program(t: Any) -> Any:
        x = feed(t, 2, 3)
        return t.gradients([t.reduce_sum(x, 1), t.reduce_mean(x, 1), t.reduce_sum(x, 0)], x)

    assert_same_graph(program)


MORE: dict[str, Program] = {
    "matmul": lambda t: _of_product(t, (2, 3), (3, 4)),
    "matmul a": lambda t: _of_product(t, (3, 2), (3, 4), transpose_a=True),
    "matmul b": lambda t: _of_product(t, (2, 3), (4, 3), transpose_b=True),
    "matmul both": lambda t: _of_product(t, (3, 2), (4, 3), transpose_a=True, transpose_b=True),
    "stacks": lambda t: _of_product(t, (5, 2, 3), (5, 3, 4)),
    "stacks a": lambda t: _of_product(t, (5, 3, 2), (5, 3, 4), adjoint_a=True),
    "stacks b": lambda t: _of_product(t, (5, 2, 3), (5, 4, 3), adjoint_b=True),
    "stacks both": lambda t: _of_product(t, (5, 3, 2), (5, 4, 3), adjoint_a=True, adjoint_b=True),
    "broadcast stacks": lambda t: _of_product(t, (5, 2, 3), (3, 4)),
    "unknown stacks": lambda t: _of_product(t, (None, 2, 3), (None, 3, 4)),
    "sparse": lambda t: _of_product(t, (2, 3), (4, 3), a_is_sparse=True, transpose_b=True),
    "tensordot": lambda t: _of(t, lambda x, y: t.tensordot(x, y, 1), (2, 3), (3, 4)),
    "einsum": lambda t: _of(t, lambda x, y: t.einsum("ij,jk->ik", x, y), (2, 3), (3, 4)),
    "einsum sum": lambda t: _of(t, lambda x, y: t.einsum("ij,k->ik", x, y), (2, 3), (4,)),
    "einsum dots": lambda t: _of(t, lambda x, y: t.einsum("...j,j->...", x, y), (2, 3), (3,)),
    "einsum of one": lambda t: _of(t, lambda x: t.einsum("ij->i", x), (2, 3)),
    "trace by einsum": lambda t: _of(t, lambda x: t.einsum("ii->", x), (3, 3)),
    "cumsum": lambda t: _of(t, lambda x: t.cumsum(x, 1, exclusive=True), (2, 3)),
    "cumprod": lambda t: _of(t, lambda x: t.cumprod(x, 1, reverse=True), (2, 3)),
    "cumulative_logsumexp": lambda t: _of(t, lambda x: t.math.cumulative_logsumexp(x), (3,)),
    "l2_loss": lambda t: _of(t, t.nn.l2_loss, (2, 3)),
    "euclidean norm": lambda t: _of(t, lambda x: t.math.reduce_euclidean_norm(x, 1), (2, 3)),
    "variance": lambda t: _of(t, lambda x: t.math.reduce_variance(x, 1), (2, 3)),
    "std": lambda t: _of(t, lambda x: t.math.reduce_std(x), (2, 3)),
    "add_n": lambda t: _of(t, lambda x, y: t.add_n([x, y, x]), (2,), (2,)),
    "accumulate_n": lambda t: _of(t, lambda x, y: t.accumulate_n([x, y]), (2,), (2,)),
    "cast": lambda t: _of(t, lambda x: t.cast(t.cast(x, t.float64), t.float16), (2,)),
    "cast to int": lambda t: _of(t, lambda x: x + t.cast(t.cast(x, t.int32), t.float32), (2,)),
    "saturate_cast": lambda t: _of(t, lambda x: t.saturate_cast(x, t.float16), (2,)),
    "clip": lambda t: _of(t, lambda x, y: _clip(t, x, y), (2, 3), ()),
    "check_numerics": lambda t: _of(t, lambda x: t.check_numerics(x, "m"), (2,)),
    "complex": lambda t: _of(t, lambda x, y: t.abs(t.complex(x, y)), (2, 3), (3,)),
    "angle": lambda t: _of(t, lambda x, y: t.angle(t.complex(x, y)), (2,), (2,)),
    "real": lambda t: _of(t, lambda x, y: t.real(t.conj(t.complex(x, y))), (2,), (2,)),
    "imag": lambda t: _of(t, lambda x, y: t.imag(t.exp(t.complex(x, y))), (2,), (2,)),
    "cross": lambda t: _of(t, t.cross, (2, 3), (2, 3)),
    "argmax": lambda t: _of(t, lambda x: x * t.cast(t.argmax(x, 0), t.float32), (3,)),
    "polygamma": lambda t: _of(t, lambda x: t.polygamma(1.0, x), (3,)),
    "betainc": lambda t: _of(t, lambda x: t.betainc(2.0, 3.0, t.sigmoid(x)), (3,)),
    "nextafter": lambda t: _of(t, t.math.nextafter, (2, 3), (3,)),
    **{
        f"segment_{op}": lambda t, op=op: _of(
            t, lambda x: getattr(t, f"segment_{op}")(x, [0, 0, 1]), (3, 2)
        )
        for op in ("sum", "mean", "prod", "max", "min")
    },
    **{
        f"unsorted_segment_{op}": lambda t, op=op: _of(
            t, lambda x: getattr(t, f"unsorted_segment_{op}")(x, [1, 0, -1], 2), (3, 2)
        )
        for op in ("sum", "mean", "prod", "max", "min", "sqrt_n")
    },
}


def _of(t: Any, function: Callable[..., Any], *shapes: tuple[int | None, ...]) -> Any:
    inputs = [t.placeholder("float32", shape) for shape in shapes]
    return t.gradients(function(*inputs), inputs)


def _of_product(t: Any, a: Any, b: Any, **flags: bool) -> Any:
    return _of(t, lambda x, y: t.matmul(x, y, **flags), a, b)


def _clip(t: Any, x: Any, bound: Any) -> Any:
    return t.raw_ops.ClipByValue(t=x, clip_value_min=-bound, clip_value_max=bound)


@pytest.mark.parametrize("program", MORE.values(), ids=MORE)
def test_of_other_functions(program: Program) -> None:
    assert_same_graph(program)
