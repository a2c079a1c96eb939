"""What linear operators refuse and check, as TensorFlow; variables read when they are used."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow
from tests.oracle import oracle


def _unknown(tf: Any, value: Any) -> Any:
    return tf.placeholder_with_default(value, shape=None)


def _in_graph(tf: Any) -> dict[str, Callable[[], Any]]:
    """What fails while the graph is made."""
    linalg = tf.linalg
    full, identity, zeros = (
        linalg.LinearOperatorFullMatrix,
        linalg.LinearOperatorIdentity,
        linalg.LinearOperatorZeros,
    )
    updated = linalg.LinearOperatorLowRankUpdate
    base, u = identity(3, dtype=tf.float64), np.ones([5, 3, 2])
    return {
        "size of a variable": lambda: identity(tf.Variable(2)),
        "batch of a variable": lambda: identity(2, batch_shape=tf.Variable([2])),
        "columns of a variable": lambda: zeros(2, num_columns=tf.Variable(2)),
        "multiple of a size of a variable": lambda: linalg.LinearOperatorScaledIdentity(
            tf.Variable(2), 1.0
        ),
        "inverse of zeros": zeros(2).assert_non_singular,
        "positive zeros": zeros(2).assert_positive_definite,
        "singular inverse": lambda: linalg.LinearOperatorInversion(
            full([[1.0]], is_non_singular=False)
        ),
        "inverse said to be singular": lambda: linalg.LinearOperatorInversion(
            full([[1.0]]), is_non_singular=False
        ),
        "batches of u and v": lambda: updated(base, u, v=np.ones([4, 3, 2])),
        "batches of u and the base": lambda: updated(
            identity(3, batch_shape=[4], dtype=tf.float64), u
        ),
        "columns of u": lambda: updated(base, np.ones([5, 4, 2])),
        "rank of the update": lambda: updated(base, u, diag_update=np.ones([5, 4])),
        "batch of the update": lambda: updated(base, u, diag_update=np.ones([4, 2])),
        "update that is not definite": lambda: updated(
            base, u, is_diag_update_positive=True, is_positive_definite=False
        ),
        "logarithm of what may be singular": lambda: linalg.logdet(full([[1.0]])),
        "transposed operator": lambda: tf.matmul(full([[1.0]]), [[1.0]], transpose_a=True),
        "zeros that are not square": lambda: (
            zeros(2, 3, is_square=False, is_self_adjoint=False) @ full(np.ones([3, 3], np.float32))
        ),
    }


def _of_values(tf: Any) -> dict[str, Callable[[], Any]]:
    """What fails where the values are seen: in the step, if the graph does not know them."""
    linalg = tf.linalg
    full, diag = linalg.LinearOperatorFullMatrix, linalg.LinearOperatorDiag
    identity, zeros = linalg.LinearOperatorIdentity, linalg.LinearOperatorZeros
    scaled, circulant = linalg.LinearOperatorScaledIdentity, linalg.LinearOperatorCirculant
    turned = tf.constant([1.0 + 1.0j, 2.0])
    proper = {"assert_proper_shapes": True}
    one = _unknown(tf, np.ones([3, 3], np.float32))
    rows = _unknown(tf, 2)
    return {
        "singular diagonal": lambda: diag([1.0, 0.0]).assert_non_singular(),
        "diagonal not definite": lambda: diag([1.0, -2.0]).assert_positive_definite(),
        "complex diagonal not definite": lambda: diag(-turned).assert_positive_definite(),
        "diagonal not real": lambda: diag(turned).assert_self_adjoint(),
        "singular multiple": lambda: scaled(2, [1.0, 0.0]).assert_non_singular(),
        "multiple not definite": lambda: scaled(2, -1.0).assert_positive_definite(),
        "multiple not real": lambda: scaled(2, turned).assert_self_adjoint(),
        "singular triangle": lambda: linalg.LinearOperatorLowerTriangular(
            [[1.0, 0.0], [1.0, 0.0]]
        ).assert_non_singular(),
        "singular spectrum": lambda: circulant(turned - 2.0).assert_non_singular(),
        "spectrum not definite": lambda: circulant(-turned).assert_positive_definite(),
        "spectrum not real": lambda: circulant(turned).assert_self_adjoint(),
        "singular matrix": lambda: full([[1.0, 1.0], [1.0, 1.0]]).assert_non_singular(),
        "nearly singular matrix": lambda: full([[1.0, 0.0], [0.0, 2e-6]]).assert_non_singular(),
        "matrix not definite": lambda: full(
            [[1.0, 1.0], [1.0, 1.0]], is_self_adjoint=True
        ).assert_positive_definite(),
        "definite matrix that is not": lambda: full(
            [[1.0, 2.0], [2.0, 1.0]], is_self_adjoint=True, is_positive_definite=True
        ).assert_non_singular(),
        "matrix not its adjoint": lambda: full([[0.0, 1.0], [0.0, 1.0]]).assert_self_adjoint(),
        "rank of a size": lambda: identity(_unknown(tf, [2]), **proper).to_dense(),
        "negative size": lambda: identity(_unknown(tf, -2), **proper).to_dense(),
        "rank of a batch": lambda: identity(2, batch_shape=_unknown(tf, 2), **proper).to_dense(),
        "negative batch": lambda: zeros(2, batch_shape=_unknown(tf, [-2]), **proper).to_dense(),
        "rows for an identity": lambda: identity(rows, **proper).matmul(one),
        "rows for a multiple": lambda: scaled(rows, [1.0, 2.0], **proper).matmul(one),
        "rows for zeros": lambda: zeros(rows, **proper).matmul(one),
    }


def _said(error: Exception) -> tuple[str, str]:
    text = str(getattr(error, "message", error))
    text = text[max(text.find("assertion failed"), 0) :]
    return type(error).__name__, re.split(r"\]|\n|\s*Found", text)[0]


def _failures(tf: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    with tf.Graph().as_default(), tf.Session() as session:
        for name, make in {**_in_graph(tf), **_of_values(tf)}.items():
            try:
                found[name] = session.run(make())
            except (TypeError, ValueError, tf.errors.OpError) as error:
                found[name] = _said(error)
    return found


def test_refusals() -> None:
    ours, theirs = _failures(dataflow), _failures(oracle)
    assert all(isinstance(each, tuple) for each in theirs.values()), theirs
    assert ours == theirs


def _variables(tf: Any) -> dict[str, Any]:
    linalg = tf.linalg
    vector = tf.Variable([2.0, 3.0])
    matrix = tf.Variable([[2.0, 1.0], [1.0, 3.0]])
    number = tf.Variable(2.0)
    waves = tf.Variable([2.0 + 1.0j, 3.0])
    return {
        "diag": linalg.LinearOperatorDiag(vector),
        "full": linalg.LinearOperatorFullMatrix(matrix),
        "definite": linalg.LinearOperatorFullMatrix(
            matrix, is_self_adjoint=True, is_positive_definite=True
        ),
        "lower": linalg.LinearOperatorLowerTriangular(matrix),
        "scaled": linalg.LinearOperatorScaledIdentity(2, number),
        "householder": linalg.LinearOperatorHouseholder(vector),
        "toeplitz": linalg.LinearOperatorToeplitz(vector, vector),
        "circulant": linalg.LinearOperatorCirculant(waves),
        "updated": linalg.LinearOperatorLowRankUpdate(
            linalg.LinearOperatorDiag(vector), matrix, vector
        ),
        "blocks": linalg.LinearOperatorBlockDiag([linalg.LinearOperatorDiag(vector)]),
        "kronecker": linalg.LinearOperatorKronecker([linalg.LinearOperatorFullMatrix(matrix)]),
    }


@pytest.mark.parametrize("resources", [True, False])
def test_variables_are_read_when_the_operator_is_used(resources: bool) -> None:
    with dataflow.Graph().as_default(), dataflow.Session() as session:
        with dataflow.variable_scope("v", use_resource=resources):
            operators = _variables(dataflow)
        changes = [
            dataflow.assign(variable, variable + 1)
            for variable in {
                id(each): each for operator in operators.values() for each in operator.variables
            }.values()
        ]
        before = {name: operator.to_dense() for name, operator in operators.items()}
        with dataflow.control_dependencies(changes):
            after = {name: operator.to_dense() for name, operator in operators.items()}
        session.run(dataflow.global_variables_initializer())
        was = session.run(before)
        became = session.run(after)
        kept = session.run(before)
    for name in operators:
        assert not np.allclose(was[name], became[name]), name
        np.testing.assert_allclose(became[name], kept[name], err_msg=name)


def test_tapes_see_variables() -> None:
    def gradients(tf: Any) -> list[Any]:
        with tf.Graph().as_default(), tf.Session() as session:
            with tf.variable_scope("v", use_resource=True):
                operators = _variables(tf)
            found = []
            for operator in operators.values():
                with tf.GradientTape() as tape:
                    dense = operator.to_dense()
                found += tape.gradient(dense, operator.variables)
            session.run(tf.global_variables_initializer())
            return session.run(found)

    for ours, theirs in zip(gradients(dataflow), gradients(oracle), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-6)


def test_functions_of_matrices_take_operators() -> None:
    def values(tf: Any) -> list[Any]:
        with tf.Graph().as_default(), tf.Session() as session:
            linalg = tf.linalg
            operator = linalg.LinearOperatorFullMatrix(
                [[2.0, 0.5], [0.5, 1.0]], is_self_adjoint=True, is_positive_definite=True
            )
            plain = linalg.LinearOperatorFullMatrix([[2.0, 0.5], [1.5, 1.0]], is_non_singular=True)
            x = np.arange(8.0, dtype=np.float32).reshape(2, 2, 2)
            return session.run(
                [
                    linalg.trace(operator),
                    linalg.diag_part(operator),
                    linalg.logdet(operator),
                    linalg.det(operator),
                    linalg.adjoint(plain).to_dense(),
                    linalg.cholesky(operator).to_dense(),
                    linalg.inv(plain).to_dense(),
                    linalg.inv(plain, adjoint=True).to_dense(),
                    linalg.solve(plain, x, adjoint=True),
                    tf.matmul(plain, x, adjoint_a=True),
                    tf.matmul(x, plain, adjoint_b=True),
                    tf.matmul(x, plain, adjoint_a=True),
                ]
            )

    for ours, theirs in zip(values(dataflow), values(oracle), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_products_with_zeros_and_of_multiples() -> None:
    def kinds(tf: Any) -> list[str]:
        linalg = tf.linalg
        zeros, scaled = linalg.LinearOperatorZeros(2), linalg.LinearOperatorScaledIdentity(2, 3.0)
        full = linalg.LinearOperatorFullMatrix([[1.0, 0.0], [0.0, 1.0]])
        made = (
            zeros @ full,
            full @ zeros,
            scaled @ scaled,
            zeros @ zeros,
            scaled.inverse() @ scaled,
        )
        return [type(each).__name__ for each in made]

    assert kinds(dataflow) == kinds(oracle)


def test_rectangles_are_updated() -> None:
    rng = np.random.default_rng(0)
    base, u, v = rng.normal(size=(2, 3, 2)), rng.normal(size=(3, 1)), rng.normal(size=(2, 1))
    linalg = dataflow.linalg
    operator = linalg.LinearOperatorLowRankUpdate(linalg.LinearOperatorFullMatrix(base), u, v=v)
    with dataflow.Session() as session:
        np.testing.assert_allclose(session.run(operator.to_dense()), base + u @ v.T)
    with pytest.raises(ValueError, match="Dimensions 3 and 2 are not compatible"):
        linalg.LinearOperatorLowRankUpdate(linalg.LinearOperatorFullMatrix(base), v, v=v)
