"""Circulant operators and blocks stay what they are; operators know what they were made with."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow.compat.v1 as oracle

import dataflow
from tests.library.linear_operators.operators import build
from tests.oracle import open_session

_SPECTRUM = np.array([[4.0, 1.0, 0.5, 1.0], [3.0, 1.5, 1.0, 1.5]])


def _made(tf: Any) -> dict[str, Any]:
    """All in complex64, which TensorFlow makes of each product and adjoint."""
    linalg = tf.linalg
    self_adjoint = linalg.LinearOperatorCirculant(
        tf.constant(_SPECTRUM, tf.complex64), is_self_adjoint=True, is_positive_definite=True
    )
    turned = linalg.LinearOperatorCirculant(tf.constant(_SPECTRUM * (1 + 2j), tf.complex64))
    levels = linalg.LinearOperatorCirculant2D(
        tf.constant(_SPECTRUM.reshape(2, 2, 2) * 1j, tf.complex64), is_non_singular=True
    )
    diagonal = [
        linalg.LinearOperatorDiag(tf.constant(_SPECTRUM[0, :size], tf.complex64)) for size in (1, 3)
    ]
    matrix = tf.constant(_SPECTRUM[:, :3].T @ _SPECTRUM[:, :3] + np.eye(3), tf.complex64)
    dense = linalg.LinearOperatorFullMatrix(matrix, is_non_singular=True)
    blocks = linalg.LinearOperatorBlockDiag([diagonal[0], dense], is_non_singular=True)
    others = linalg.LinearOperatorBlockDiag(diagonal)
    return {
        "adjoint": turned.adjoint(),
        "inverse": turned.inverse(),
        "inverse of levels": levels.inverse(),
        "adjoint of levels": levels.adjoint(),
        "product": self_adjoint @ self_adjoint,
        "another product": self_adjoint @ turned,
        "product of levels": levels @ levels,
        "levels by one": levels @ turned,
        "solved": self_adjoint.solve(self_adjoint),
        "blocks": blocks @ others,
        "blocks solved": blocks.solve(others),
        "blocks by one": blocks @ turned,
    }


def _told(tf: Any) -> dict[str, Any]:
    with tf.Graph().as_default(), open_session(tf) as session:
        made = _made(tf)
        dense = session.run({key: operator.to_dense() for key, operator in made.items()})
        return {
            key: [
                type(operator).__name__,
                operator.is_self_adjoint,
                operator.is_positive_definite,
                operator.is_square,
                dense[key],
            ]
            for key, operator in made.items()
        }


def test_products_and_inverses_are_of_tensorflows_kinds() -> None:
    ours, theirs = _told(dataflow), _told(oracle)
    for key, wanted in theirs.items():
        assert ours[key][:-1] == wanted[:-1], key
        np.testing.assert_allclose(ours[key][-1], wanted[-1], rtol=1e-5, atol=1e-5, err_msg=key)


def test_blocks_that_do_not_meet_are_multiplied_as_a_whole() -> None:
    """TensorFlow multiplies block by block, whatever their sizes."""
    linalg = dataflow.linalg
    with dataflow.Graph().as_default(), dataflow.Session() as session:
        sizes = [[1, 3], [3, 1]]
        blocks = [
            linalg.LinearOperatorBlockDiag(
                [linalg.LinearOperatorFullMatrix(np.full((n, n), n + 0.5)) for n in each]
            )
            for each in sizes
        ]
        product = blocks[0] @ blocks[1]
        found, left, right = session.run([each.to_dense() for each in (product, *blocks)])
    np.testing.assert_allclose(found, left @ right)


def _spectra(tf: Any) -> list[Any]:
    with tf.Graph().as_default(), open_session(tf) as session:
        real = tf.linalg.LinearOperatorCirculant(
            tf.constant(_SPECTRUM - 2.0), input_output_dtype=tf.float64
        )
        turned = tf.linalg.LinearOperatorCirculant2D(
            tf.constant(_SPECTRUM.reshape(2, 2, 2) * 1j), input_output_dtype=tf.complex128
        )
        values: list[Any] = session.run([real.eigvals(), real.cond(), turned.cond()])
        return values


def test_eigenvalues_are_the_spectrum() -> None:
    for mine, wanted in zip(_spectra(dataflow), _spectra(oracle), strict=True):
        np.testing.assert_allclose(mine, wanted, strict=True)


def test_operators_know_their_arguments() -> None:
    with oracle.Graph().as_default():
        theirs = build(oracle, "float64")
    with dataflow.Graph().as_default():
        ours = build(dataflow, "float64")
        given = dataflow.linalg.LinearOperatorIdentity(3, [2], is_square=True).parameters
    for key, operator in theirs.items():
        if type(operator).__name__ == type(ours[key]).__name__:
            assert list(ours[key].parameters) == list(operator.parameters), key
    assert (given["num_rows"], given["batch_shape"], given["is_square"]) == (3, [2], True)
    assert "self" not in given
