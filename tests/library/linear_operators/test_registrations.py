"""Functions that programs register for their own classes of linear operators."""

from __future__ import annotations

import pytest

import dataflow as tf
from dataflow.library.linear_operators import registrations


class Scale(tf.linalg.LinearOperatorScaledIdentity):
    """An operator of a program's own."""


class Twice(Scale):
    """One more."""


def test_they_go_before_what_classes_do() -> None:
    with tf.Graph().as_default():
        a, b = Twice(2, 3.0, is_self_adjoint=None, is_positive_definite=True), Scale(2, 4.0)
        plain = tf.linalg.LinearOperatorIdentity(2)
        registrations.RegisterCholesky(Scale)(lambda one: ("cholesky", one))
        registrations.RegisterInverse(Scale)(lambda one: ("inverse", one))
        registrations.RegisterMatmul(Scale, Scale)(lambda one, other: ("far", one, other))
        registrations.RegisterMatmul(Twice, Scale)(lambda one, other: ("near", one, other))
        registrations.RegisterSolve(Scale, tf.linalg.LinearOperator)(lambda *both: both)
        assert a.cholesky() == ("cholesky", a)
        assert a.inverse() == ("inverse", a)
        assert a.matmul(b) == ("near", a, b)
        assert b.matmul(a) == ("far", b, a)
        assert b.solve(plain) == (b, plain)
        assert isinstance(plain.matmul(b), Scale)
        with pytest.raises(TypeError, match="inverse_fn must be callable, received: 3"):
            registrations.RegisterInverse(Twice)(3)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match=r"Matmul\(Scale, Scale\) has already been registered"):
            registrations.RegisterMatmul(Scale, Scale)(lambda one, other: None)
