"""Sums of linear operators, and the internal helpers of other libraries' operators."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tensorflow.python.ops.linalg import linear_operator_addition, linear_operator_util

import dataflow
from dataflow.library.linear_operators import addition
from dataflow.porting.spellings.linalg import linear_operators
from tests.oracle import oracle

LIBRARIES = (
    (dataflow, addition, linear_operators),
    (oracle, linear_operator_addition, linear_operator_util),
)
MATRIX = np.array([[2.0, 1.0], [0.5, 3.0]])


def _operators(tf: Any) -> dict[str, Any]:
    linalg = tf.linalg
    double = {"is_positive_definite": True, "is_self_adjoint": True}
    return {
        "identity": linalg.LinearOperatorIdentity(2, dtype=tf.float64, name="identity"),
        "scaled": linalg.LinearOperatorScaledIdentity(
            2, tf.constant([2.0, 3.0], tf.float64), name="scaled", **double
        ),
        "diag": linalg.LinearOperatorDiag(tf.constant([1.0, 4.0], tf.float64), name="diag"),
        "tril": linalg.LinearOperatorLowerTriangular(tf.constant(MATRIX), name="tril"),
        "full": linalg.LinearOperatorFullMatrix(tf.constant(MATRIX), name="full"),
    }


@pytest.mark.parametrize(
    "names",
    [
        ["diag"],
        ["identity", "identity"],
        ["identity", "scaled"],
        ["scaled", "diag", "identity"],
        ["tril", "identity", "diag"],
        ["tril", "tril"],
        ["full", "diag", "full", "tril"],
    ],
    ids="_".join,
)
def test_sums(names: list[str]) -> None:
    def found(tf: Any, library: Any) -> list[Any]:
        with tf.Graph().as_default(), tf.Session() as session:
            of = _operators(tf)
            made = library.add_operators([of[name] for name in names])
            hints = ("is_non_singular", "is_self_adjoint", "is_positive_definite")
            return [
                (
                    type(each).__name__,
                    each.name,
                    [bool(getattr(each, hint)) for hint in hints],
                    session.run(each.to_dense()).tolist(),
                )
                for each in made
            ]

    ours, theirs = (found(tf, library) for tf, library, _ in LIBRARIES)
    assert ours == theirs


def test_names_and_tiers_are_what_a_program_says() -> None:
    of = _operators(dataflow)
    (made,) = addition.add_operators(
        [of["full"], of["diag"], of["full"]],
        operator_name="whole",
    )
    assert made.name == "whole"
    apart = addition.add_operators([of["full"], of["tril"]], addition_tiers=[])
    assert [each.name for each in apart] == ["tril", "full"]
    with dataflow.Session() as session:
        np.testing.assert_allclose(session.run(made.to_dense()), 2 * MATRIX + np.diag([1, 4]))


def test_what_cannot_be_added() -> None:
    of = _operators(dataflow)
    with pytest.raises(ValueError, match="at least one operator"):
        addition.add_operators([])
    with pytest.raises(TypeError, match="only LinearOperator instances"):
        addition.add_operators([of["diag"], MATRIX])
    other = dataflow.linalg.LinearOperatorIdentity(3, dtype=dataflow.float64)
    with pytest.raises(ValueError, match="same domain dimension"):
        addition.add_operators([of["diag"], other])


def _helped(tf: Any, util: Any) -> list[Any]:
    batch = tf.constant(np.stack([MATRIX, MATRIX + 1.0]))
    rhs = tf.constant([[1.0, 2.0], [3.0, 4.0]], tf.float64)
    # TensorFlow has it no longer: its own op broadcasts.
    triangular = getattr(util, "matrix_triangular_solve_with_broadcast", tf.linalg.triangular_solve)
    unknown = tf.placeholder_with_default(MATRIX, [None, None])
    return [
        *util.broadcast_matrix_batch_dims([batch, rhs]),
        *util.broadcast_matrix_batch_dims([unknown, batch]),
        *util.broadcast_matrix_batch_dims([rhs]),
        util.matrix_solve_with_broadcast(batch, rhs),
        util.matrix_solve_with_broadcast(rhs, batch, adjoint=True),
        triangular(batch, rhs, lower=False),
        triangular(batch, rhs, adjoint=True),
        tf.linalg.cholesky_solve(tf.constant(MATRIX), rhs),
        util.shape_tensor([]),
        util.shape_tensor([2, 3]),
        util.convert_nonref_to_tensor(3.0),
        util.convert_nonref_to_tensor([1, 2], dtype=tf.float32),
    ]


def test_helpers() -> None:
    results = []
    for tf, _, util in LIBRARIES:
        with tf.Graph().as_default(), tf.Session() as session:
            results.append(session.run(_helped(tf, util)))
    for ours, theirs in zip(*results, strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    with dataflow.Session() as session:
        batch = dataflow.constant(np.stack([np.tril(MATRIX), np.eye(2)]))
        solved = linear_operators.cholesky_solve_with_broadcast(batch, MATRIX)
        wanted = [np.linalg.solve(each @ each.T, MATRIX) for each in (np.tril(MATRIX), np.eye(2))]
        np.testing.assert_allclose(session.run(solved), wanted)


@pytest.mark.parametrize("own", [None, True, False])
@pytest.mark.parametrize("said", [None, True, False])
def test_hints(own: bool | None, said: bool | None) -> None:
    class Operator:
        """Says something of itself."""

        is_square = own

    def combined(util: Any) -> Any:
        try:
            return util.use_operator_or_provided_hint_unless_contradicting(
                Operator, "is_square", said, "contradicts"
            )
        except ValueError as error:
            return str(error)

    assert combined(linear_operators) == combined(linear_operator_util)


def test_variables_stay_variables() -> None:
    variable = dataflow.Variable(1.0)
    assert linear_operators.convert_nonref_to_tensor(variable) is variable
    assert linear_operators.convert_nonref_to_tensor(variable, "float32") is variable
    assert linear_operators.convert_nonref_to_tensor(None) is None
    with pytest.raises(TypeError, match='must be of dtype "int32" but is "float32"'):
        linear_operators.convert_nonref_to_tensor(variable, dataflow.int32)
    with pytest.raises(TypeError, match="Argument scale cannot be reference type"):
        linear_operators.assert_not_ref_type(variable, "scale")
    linear_operators.assert_not_ref_type(1.0, "scale")


def test_checks() -> None:
    with pytest.raises(ValueError, match="at least two dimensions"):
        linear_operators.assert_is_batch_matrix(dataflow.ones([2]))
    operator = dataflow.linalg.LinearOperatorIdentity(2)
    bad = {
        "x < y": linear_operators.assert_no_entries_with_modulus_zero(
            dataflow.placeholder_with_default([1.0, 0.0], [None]), message="zero"
        ),
        "x == y": linear_operators.assert_zero_imag_part(
            dataflow.placeholder_with_default([1.0 + 1.0j], [None]), message="not real"
        ),
        "Dimensions are not compatible": linear_operators.assert_compatible_matrix_dimensions(
            operator, dataflow.placeholder_with_default(np.ones([3, 1]), [None, 1])
        ),
    }
    with dataflow.Session() as session:
        session.run(linear_operators.assert_zero_imag_part(dataflow.constant(1.0)))
        for said, check in bad.items():
            with pytest.raises(dataflow.errors.InvalidArgumentError) as raised:
                session.run(check)
            assert said in raised.value.message
