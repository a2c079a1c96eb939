"""What linear operators compute is what TensorFlow's compute."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow

import dataflow
from tests.library.linear_operators.operators import build
from tests.oracle import open_session

_TF = tensorflow.compat.v1
_SQUARE = ("determinant", "cond")


def _products(tf: Any, operator: Any, columns: Any, vectors: Any) -> dict[str, Any]:
    """What of an operator asks for no inverse."""
    rows, width = operator.shape.as_list()[-2:]
    right, left = (tf.constant(columns[size]) for size in (width, rows))
    return {
        "dense": operator.to_dense(),
        "matmul": operator.matmul(right),
        "adjoint": operator.matmul(left, adjoint=True),
        "adjoint_arg": operator.matmul(tf.linalg.adjoint(right), adjoint_arg=True),
        "matvec": operator.matvec(vectors[width]),
        "diag_part": operator.diag_part(),
        "trace": operator.trace(),
        "add": operator.add_to_tensor(tf.ones([2, rows, width], operator.dtype.name)),
        "shape": operator.shape_tensor(),
        "batch": operator.batch_shape_tensor(),
        "rank": operator.tensor_rank_tensor(),
        "sizes": operator.domain_dimension_tensor() - operator.range_dimension_tensor(),
    }


def _results(tf: Any, dtype: str, is_whole: bool) -> dict[str, Any]:
    generator = np.random.default_rng(3)

    def numbers(*shape: int) -> Any:
        return generator.uniform(-1.0, 1.0, shape).astype(dtype)

    columns = {size: numbers(2, size, 2) for size in range(1, 13)}
    vectors = {size: numbers(size) for size in range(1, 13)}
    with tf.Graph().as_default(), open_session(tf) as session:
        asked: dict[str, Any] = {}
        for key, operator in build(tf, dtype).items():
            rows, width = operator.shape.as_list()[-2:]
            right = tf.constant(columns[width])
            if is_whole:
                asked |= {
                    f"{key}: {what}": value
                    for what, value in _products(tf, operator, columns, vectors).items()
                }
            if rows == width and operator.is_non_singular is not False:
                asked |= {f"{key}: {what}": getattr(operator, what)() for what in _SQUARE}
                if dtype == "float64":
                    asked[f"{key}: logarithm"] = operator.log_abs_determinant()
                asked[f"{key}: solve"] = operator.solve(right)
                if not is_whole:
                    continue
                asked[f"{key}: solve adjoint"] = operator.solve(right, adjoint=True)
                asked[f"{key}: solve adjoint_arg"] = operator.solve(
                    tf.linalg.adjoint(right), adjoint_arg=True
                )
                asked[f"{key}: solvevec"] = operator.solvevec(
                    tf.broadcast_to(vectors[width], [2, width])
                )
        values: dict[str, Any] = session.run(asked)
        shapes = {f"{key} known": value.shape.as_list() for key, value in asked.items()}
        return values | shapes


@pytest.mark.parametrize(
    ("dtype", "is_whole"),
    [
        ("complex128", True),
        # What is a function of its own for real numbers: the others conjugate nothing then.
        ("float64", False),
        pytest.param("float64", True, marks=pytest.mark.long),
    ],
)
def test_values(dtype: str, is_whole: bool) -> None:
    ours, theirs = (_results(tf, dtype, is_whole) for tf in (dataflow, _TF))
    assert ours.keys() == theirs.keys()
    for key, want in theirs.items():
        if key.endswith("known"):
            assert ours[key] == want, key
        else:
            assert ours[key].dtype == want.dtype, key
            np.testing.assert_allclose(ours[key], want, rtol=1e-8, atol=1e-9, err_msg=key)


def test_logarithms_of_complex_determinants() -> None:
    with dataflow.Graph().as_default(), dataflow.Session() as session:
        square = {
            key: (operator.log_abs_determinant(), operator.to_dense())
            for key, operator in build(dataflow, "complex128").items()
            if operator.is_square and operator.is_non_singular is not False
        }
        for key, (logarithm, dense) in session.run(square).items():
            assert logarithm.dtype == np.complex128
            want = np.log(np.abs(np.linalg.det(dense)))
            np.testing.assert_allclose(logarithm, want, rtol=1e-8, atol=1e-9, err_msg=key)
