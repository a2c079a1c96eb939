"""Hints that contradict each other, and what hints forbid."""

from __future__ import annotations

from typing import Any

import pytest

import dataflow as tf


def test_hints_and_sizes() -> None:
    with tf.Graph().as_default():
        square = tf.linalg.LinearOperatorDiag([1.0, 0.0], is_non_singular=False)
        with pytest.raises(NotImplementedError, match="expected to be singular"):
            square.solve([[1.0], [1.0]])
        with pytest.raises(ValueError, match="represents a singular matrix"):
            square.inverse()
        with pytest.raises(ValueError, match="Not a positive definite self adjoint"):
            square.cholesky()
        with pytest.raises(ValueError, match="always self adjoint"):
            tf.linalg.LinearOperatorDiag([1.0], is_self_adjoint=False)
        with pytest.raises(TypeError, match="Expected argument to have dtype"):
            square.matmul(tf.ones([2, 1], tf.float64))
        wide = tf.linalg.LinearOperatorFullMatrix(tf.ones([2, 3]))
        with pytest.raises(ValueError, match="Operators are incompatible"):
            wide.matmul(wide)
        with pytest.raises(NotImplementedError, match="not be square"):
            wide.determinant()


def test_sizes_that_the_step_tells() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        matrix = tf.placeholder(tf.float32, [None, None, None])
        operator = tf.linalg.LinearOperatorFullMatrix(matrix)
        assert operator.shape.as_list() == [None, None, None]
        sizes = [operator.shape_tensor(), operator.solve(tf.ones([2, 1]))]
        shape, solved = session.run(sizes, {matrix: [[[2.0, 0.0], [0.0, 4.0]]]})
        assert shape.tolist() == [1, 2, 2]
        assert solved.tolist() == [[[0.5], [0.25]]]


def test_operators_of_programs_override_products_of_vectors() -> None:
    class Doubling(tf.linalg.LinearOperatorIdentity):
        def _matvec(self, x: Any, adjoint: bool = False) -> Any:
            self._check_input_dtype(x)
            return 2.0 * x

        def _solvevec(self, rhs: Any, adjoint: bool = False) -> Any:
            return 0.5 * rhs

    with tf.Graph().as_default(), tf.Session() as session:
        doubling = Doubling(2)
        values = [doubling.matvec([1.0, 3.0]), doubling.solvevec([1.0, 3.0])]
        assert [value.tolist() for value in session.run(values)] == [[2.0, 6.0], [0.5, 1.5]]


def test_blocks_that_do_not_fit() -> None:
    with tf.Graph().as_default():
        blocks = tf.linalg.LinearOperatorBlockLowerTriangular
        one, two = tf.linalg.LinearOperatorIdentity(1), tf.linalg.LinearOperatorIdentity(2)
        with pytest.raises(ValueError, match="must be a list of >=1 operators"):
            blocks([])
        with pytest.raises(ValueError, match="must contain `2` blocks"):
            blocks([[one], [one]])
        with pytest.raises(ValueError, match=r"operators\[1\]\[0\].range_dimension` \(1\)"):
            blocks([[one], [one, two]])
        with pytest.raises(ValueError, match="must be square"):
            blocks([[one]], is_square=False)
        with pytest.raises(ValueError, match="always non-singular"):
            blocks([[one]], is_non_singular=False)
        singular = tf.linalg.LinearOperatorZeros(1)
        with pytest.raises(ValueError, match="always singular"):
            blocks([[singular]], is_non_singular=True)
        with pytest.raises(ValueError, match="must be one of compact, matrix, or sequence"):
            tf.linalg.LinearOperatorTridiag(tf.ones([3, 2]), "columns")
