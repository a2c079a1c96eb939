"""The math functions build the nodes that TensorFlow builds: names, ops, inputs, attrs, values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.differentiation.both import assert_same_graph

Program = Callable[[Any], Any]


def x(t: Any) -> Any:
    """A matrix with a size that building does not know."""
    return t.placeholder(t.float32, [None, 3], name="x")


def y(t: Any) -> Any:
    return t.placeholder(t.float32, [2, 3], name="y")


def z(t: Any) -> Any:
    return t.placeholder(t.complex64, [2], name="z")


def i(t: Any) -> Any:
    return t.placeholder(t.int32, [2, 3], name="i")


def b(t: Any) -> Any:
    return t.placeholder(t.bool, [2, 3], name="b")


def positive(t: Any) -> Any:
    return t.abs(y(t)) + 0.5


UNARY = [
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "ceil",
    "cos",
    "cosh",
    "digamma",
    "erf",
    "erfc",
    "exp",
    "expm1",
    "floor",
    "is_finite",
    "is_inf",
    "is_nan",
    "lgamma",
    "log",
    "log1p",
    "log_sigmoid",
    "negative",
    "reciprocal",
    "rint",
    "round",
    "rsqrt",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
]
BINARY = [
    "add",
    "atan2",
    "div",
    "div_no_nan",
    "divide",
    "equal",
    "floor_div",
    "floordiv",
    "floormod",
    "greater",
    "greater_equal",
    "less",
    "less_equal",
    "maximum",
    "minimum",
    "mod",
    "multiply",
    "not_equal",
    "pow",
    "realdiv",
    "squared_difference",
    "subtract",
    "truediv",
]
REDUCTIONS = ["sum", "mean", "prod", "max", "min", "logsumexp"]

SIMPLE: dict[str, Program] = {
    **{name: lambda t, n=name: getattr(t, n)(positive(t)) for name in UNARY},
    **{f"{name} named": lambda t, n=name: getattr(t, n)(y(t), name="given") for name in UNARY},
    **{
        f"{name} of a list": lambda t, n=name: getattr(t, n)([0.5, 0.25])
        for name in UNARY
        if name != "acosh"
    },
    **{name: lambda t, n=name: getattr(t, n)(y(t), positive(t)) for name in BINARY},
    **{f"{name} by a number": lambda t, n=name: getattr(t, n)(y(t), 2.0) for name in BINARY},
    **{f"{name} of a number": lambda t, n=name: getattr(t, n)(2.0, y(t)) for name in BINARY},
    **{
        f"{name} named": lambda t, n=name: getattr(t, n)(y(t), 3.0, name="s/given")
        for name in BINARY
    },
}


@pytest.mark.parametrize("program", SIMPLE.values(), ids=SIMPLE)
def test_elementwise(program: Program) -> None:
    assert_same_graph(program)


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name: str) -> None:
    def program(t: Any) -> list[Any]:
        reduce = getattr(t, f"reduce_{name}")
        return [
            reduce(y(t)),
            reduce(x(t)),
            reduce(x(t), 1),
            reduce(x(t), axis=[0, 1]),
            reduce(x(t), axis=-1, keepdims=True),
            reduce(x(t), keepdims=True, name="kept"),
            reduce(x(t), reduction_indices=[0]),
            reduce(x(t), 0, keep_dims=True),
            reduce(t.placeholder(t.float32, None)),
            reduce([[1.0, 2.0], [3.0, 4.0]]),
            reduce(y(t), axis=t.placeholder(t.int32, [0], name="axes")),
        ]

    assert_same_graph(program, values=False)
    assert_same_graph(lambda t: program(t)[:8])


FUNCTIONS: dict[str, Program] = {
    "reduce_all": lambda t: [
        t.reduce_all(b(t)),
        t.reduce_all(b(t), 1),
        t.reduce_any(b(t), 0, True),
    ],
    "reduce_any": lambda t: [t.reduce_any(b(t)), t.reduce_any(b(t), keep_dims=True)],
    "euclidean norm": lambda t: [
        t.math.reduce_euclidean_norm(x(t), 1),
        t.math.reduce_euclidean_norm(x(t)),
    ],
    "variance": lambda t: [t.math.reduce_variance(x(t)), t.math.reduce_variance(x(t), 1, name="v")],
    "complex variance": lambda t: t.math.reduce_variance(z(t)),
    "std": lambda t: [t.math.reduce_std(x(t)), t.math.reduce_std(x(t), [0], keepdims=True)],
    "count_nonzero": lambda t: [
        t.count_nonzero(x(t)),
        t.count_nonzero(b(t), 1, dtype=t.int32),
        t.count_nonzero(input=i(t), keep_dims=True, name="c"),
    ],
    "argmax": lambda t: [
        t.argmax(x(t)),
        t.argmax(x(t), 1, output_type=t.int32),
        t.argmin(x(t), axis=-1, name="least"),
        t.argmax(x(t), dimension=0),
        t.arg_max(x(t), 1),
        t.arg_min(x(t), 0, t.int32),
        t.argmax(x(t), t.constant(1, t.int64)),
    ],
    "cumsum": lambda t: [
        t.cumsum(x(t)),
        t.cumsum(x(t), 1, exclusive=True, reverse=True, name="c"),
        t.cumprod(x(t), axis=-1),
        t.math.cumulative_logsumexp(x(t)),
        t.cumsum([1.0, 2.0]),
    ],
    "matmul": lambda t: [
        t.matmul(x(t), y(t), transpose_b=True),
        t.matmul(x(t), y(t), adjoint_a=True, name="m"),
        t.matmul([[1.0, 2.0]], [[3.0], [4.0]]),
        x(t) @ t.ones([3, 2]),
        t.linalg.matvec(x(t), [1.0, 2.0, 3.0]),
    ],
    "stacks of matrices": lambda t: [
        t.matmul(t.placeholder(t.float32, [2, 2, 3]), t.placeholder(t.float32, [2, 3, 4])),
        t.matmul(t.placeholder(t.float32, [4, 2, 3]), t.ones([3, 2]), transpose_a=False),
        t.matmul(t.placeholder(t.float32, [2, 3, 2]), t.ones([2, 3, 2]), transpose_a=True),
        t.matmul(
            t.placeholder(t.complex64, [2, 3, 2]),
            t.placeholder(t.complex64, [2, 3, 2]),
            transpose_b=True,
        ),
    ],
    "complex matmul": lambda t: [
        t.matmul(
            t.placeholder(t.complex64, [2, 3]), t.placeholder(t.complex64, [2, 3]), adjoint_b=True
        ),
        t.matmul(
            t.placeholder(t.complex64, [2, 3]), t.placeholder(t.complex64, [2, 3]), transpose_b=True
        ),
    ],
    "sparse matmul": lambda t: [
        t.matmul(x(t), y(t), transpose_b=True, a_is_sparse=True),
        t.sparse_matmul(x(t), y(t), transpose_a=False, transpose_b=True, b_is_sparse=True),
    ],
    "tensordot": lambda t: [
        t.tensordot(y(t), y(t), 2),
        t.tensordot(y(t), y(t), [[1], [1]]),
        t.tensordot(y(t), t.ones([4, 2, 3]), [[0, 1], [1, 2]], name="td"),
        t.tensordot(y(t), t.ones([3, 2]), 1),
        t.tensordot(y(t), y(t), 0),
        t.tensordot(y(t), t.ones([5, 3]), axes=(1, -1)),
    ],
    "tensordot with unknown sizes": lambda t: [
        t.tensordot(x(t), y(t), [[1], [1]]),
        t.tensordot(x(t), t.ones([3, 4]), 1),
    ],
    "einsum": lambda t: [
        t.einsum("ij,kj->ik", x(t), y(t)),
        t.einsum("ij->ji", y(t), name="turned"),
        t.einsum("...j,jk", x(t), t.ones([3, 2])),
        t.einsum("ij,jk,kl->il", y(t), t.ones([3, 4]), t.ones([4, 5])),
        t.einsum("ab,bc,cd,de->ae", t.ones([2, 3]), t.ones([3, 8]), t.ones([8, 2]), t.ones([2, 4])),
        t.linalg.einsum("i...->...", y(t)),
    ],
    "trace": lambda t: [t.trace(t.ones([3, 3])), t.linalg.trace(t.ones([2, 3, 3]), name="tr")],
    "polyval": lambda t: [t.math.polyval([1.0, 2.0, 3.0], y(t)), t.math.polyval([], y(t))],
    "cast": lambda t: [
        t.cast(y(t), t.int32),
        t.cast(y(t), t.float32),
        t.cast([1, 2], t.float64, name="c"),
        t.to_float(i(t)),
        t.to_double(y(t)),
        t.to_int32(y(t)),
        t.to_int64(y(t), name="long"),
        t.to_bfloat16(y(t)),
        t.to_complex64(y(t)),
        t.to_complex128(y(t)),
    ],
    "saturate_cast": lambda t: [
        t.saturate_cast(y(t) * 1000.0, t.uint8),
        t.saturate_cast(y(t), t.float64),
        t.saturate_cast(t.constant([3e9, -3e9]), t.int32, name="s"),
        t.saturate_cast(i(t), t.int8),
        t.saturate_cast(t.constant([1e300], t.float64), t.float32),
    ],
    "complex numbers": lambda t: [
        t.complex(y(t), y(t)),
        t.real(z(t)),
        t.imag(z(t)),
        t.angle(z(t)),
        t.conj(z(t)),
        t.abs(z(t)),
        t.real(y(t)),
        t.imag(y(t)),
        t.angle(y(t)),
        t.conj(y(t)),
        t.sign(z(t)),
    ],
    "sums": lambda t: [
        t.add_n([y(t), y(t), y(t)]),
        t.add_n([y(t)]),
        t.add_n([y(t)], name="one"),
        t.add_n([1.0, 2.0], name="sum"),
        t.accumulate_n([y(t), y(t)], shape=[2, 3], tensor_dtype=t.float32),
        t.accumulate_n([y(t)], name="one"),
        t.scalar_mul(2.0, y(t)),
        t.scalar_mul(3, i(t), name="s"),
    ],
    "integers": lambda t: [
        t.truncatediv(i(t), 3),
        t.truncatemod(i(t), 3),
        t.floordiv(i(t), 3),
        t.truediv(i(t), 3),
        t.div(i(t), 3),
        t.round(i(t)),
        t.bitwise.bitwise_and(i(t), 3),
        t.bitwise.bitwise_or(i(t), 3, name="o"),
        t.bitwise.bitwise_xor(i(t), 3),
        t.bitwise.invert(i(t)),
        t.bitwise.left_shift(i(t), 1),
        t.bitwise.right_shift(i(t), 1),
    ],
    "logic": lambda t: [
        t.logical_and(b(t), True),
        t.logical_or(b(t), b(t), name="or"),
        t.logical_not(b(t)),
        t.logical_xor(b(t), b(t)),
        t.math.logical_xor(b(t), b(t), name="x"),
    ],
    "range": lambda t: [
        t.range(5),
        t.range(1, 7, 2),
        t.range(0.0, 1.0, 0.25),
        t.range(3, dtype=t.float32, name="r"),
        t.range(t.placeholder(t.int32, []), 9),
        t.range(0, t.constant(4, t.int64)),
        t.convert_to_tensor(range(1, 9, 3)),
    ],
    "segments": lambda t: [
        t.segment_sum(y(t), [0, 1]),
        t.segment_mean(y(t), [0, 0], name="m"),
        t.segment_prod(y(t), [0, 1]),
        t.segment_max(y(t), [0, 1]),
        t.math.segment_min(y(t), [0, 1]),
        t.unsorted_segment_sum(y(t), [1, 0], 3),
        t.unsorted_segment_prod(y(t), [1, 0], 3),
        t.unsorted_segment_max(y(t), [1, 0], 2),
        t.math.unsorted_segment_min(y(t), [1, 0], 2, name="l"),
        t.unsorted_segment_mean(y(t), [1, 1], 3),
        t.unsorted_segment_sqrt_n(
            x(t), t.placeholder(t.int32, [None], name="ids") * 0, 3, name="q"
        ),
    ],
    "special": lambda t: [
        t.igamma(positive(t), positive(t)),
        t.igammac(positive(t), positive(t)),
        t.zeta(positive(t) + 1.0, positive(t)),
        t.polygamma(1.0, positive(t)),
        t.betainc(positive(t), positive(t), t.sigmoid(y(t))),
        t.lbeta(positive(t)),
        t.math.erfinv(t.sigmoid(y(t))),
        t.math.ndtri(t.sigmoid(y(t)), name="n"),
        t.math.erfcinv(t.sigmoid(y(t))),
        t.math.bessel_i0(y(t)),
        t.math.bessel_i1e(y(t), name="i"),
        t.math.special.dawsn(y(t)),
        t.math.special.fresnel_cos(y(t)),
        t.math.xdivy(y(t), positive(t)),
        t.math.xlogy(y(t), positive(t)),
        t.math.xlog1py(y(t), positive(t), name="x1"),
        t.math.multiply_no_nan(y(t), 0.0),
        t.math.reciprocal_no_nan(y(t)),
        t.math.nextafter(y(t), 1.0),
        t.cross(y(t), y(t) + 1.0),
    ],
    "counts": lambda t: [
        t.bincount(t.constant([1, 1, 3])),
        t.bincount(t.constant([], t.int32)),
        t.bincount(t.constant([1, 1, 3]), minlength=5, maxlength=6, dtype=t.int64),
        t.bincount(t.constant([1, 1, 3]), weights=t.constant([1.0, 2.0, 3.0])),
        t.histogram_fixed_width(y(t), [-1.0, 1.0], nbins=4),
        t.histogram_fixed_width(y(t), [-1.0, 1.0], dtype=t.int64, name="h"),
    ],
    "checks": lambda t: [
        t.check_numerics(y(t), "bad", name="c"),
        t.verify_tensor_all_finite(y(t), "not finite"),
    ],
    "all checks": lambda t: _with_checks(t),
    "linspace": lambda t: [
        t.linspace(0.0, 1.0, 5),
        t.lin_space(1.0, 4.0, 3, name="l"),
        t.linspace([0.0, 5.0], [10.0, 40.0], 5, axis=-1),
        t.linspace(0.0, 1.0, t.placeholder(t.int32, [], name="n") * 0 + 4),
    ],
    "l2_loss": lambda t: [t.nn.l2_loss(y(t)), t.nn.l2_loss([1.0, 2.0], name="l")],
    "joined strings": lambda t: [
        t.strings.reduce_join([["a", "b"]], separator=","),
        t.reduce_join([["a", "b"]], axis=[0, 1], name="j"),
        t.strings.reduce_join(t.placeholder_with_default(["a", "b"], None, name="s")),
    ],
    "strings": lambda t: [t.add(["a"], "b"), t.constant(["a", "b"]) + "c", t.equal(["a"], "a")],
}


def _with_checks(t: Any) -> Any:
    total = t.reduce_sum(y(t) * 2.0 + t.cast(i(t), t.float32))
    with t.control_dependencies([t.add_check_numerics_ops()]):
        return t.identity(total)


@pytest.mark.parametrize("program", FUNCTIONS.values(), ids=FUNCTIONS)
def test_functions(program: Program) -> None:
    assert_same_graph(program)
