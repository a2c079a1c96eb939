"""tf.contrib.distributions.bijectors: inverses, and Jacobians against finite differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

import dataflow as tf
from dataflow.contrib import distributions as ds

bijectors = ds.bijectors
VECTOR = np.array([0.3, -0.7, 1.2])
POSITIVE = np.array([0.3, 0.7, 1.2])
LOWER = np.array([[1.0, 0.0], [0.5, 2.0]])
TRIL = np.array([[1.0, 0, 0], [0.5, -2, 0], [-1, 0.3, 0.7]])
FACTOR = np.array([[1.0], [0.5], [0.2]])


def gumbel(x: np.ndarray) -> np.ndarray:
    return stats.gumbel_r.cdf(x, 0.5, 2)  # type: ignore[no-any-return]


def weibull(x: np.ndarray) -> np.ndarray:
    return stats.weibull_min.cdf(x, 3, scale=2)  # type: ignore[no-any-return]


def kumaraswamy(x: np.ndarray) -> np.ndarray:
    return (1 - (1 - x) ** (1 / 3)) ** (1 / 2)  # type: ignore[no-any-return]


CASES: list[
    tuple[Callable[[], Any], np.ndarray, Callable[[np.ndarray], np.ndarray] | None, int]
] = [
    (lambda: bijectors.Identity(), VECTOR, lambda x: x, 1),
    (lambda: bijectors.Exp(), VECTOR, np.exp, 1),
    (lambda: bijectors.PowerTransform(0.5), POSITIVE, lambda x: (1 + x / 2) ** 2, 1),
    (lambda: bijectors.Sigmoid(), VECTOR, lambda x: 1 / (1 + np.exp(-x)), 1),
    (lambda: bijectors.Softplus(), VECTOR, lambda x: np.log1p(np.exp(x)), 1),
    (lambda: bijectors.Softplus(2.0), VECTOR, lambda x: 2 * np.log1p(np.exp(x / 2)), 1),
    (lambda: bijectors.Softsign(), VECTOR, lambda x: x / (1 + abs(x)), 1),
    (lambda: bijectors.Square(), POSITIVE, np.square, 1),
    (lambda: bijectors.AffineScalar(np.float64(1), np.float64(-3)), VECTOR, lambda x: 1 - 3 * x, 1),
    (lambda: bijectors.Affine(VECTOR, 2.0 + 0 * VECTOR[0]), VECTOR, lambda x: 2 * x + VECTOR, 1),
    (lambda: bijectors.Affine(VECTOR), VECTOR, lambda x: x + VECTOR, 1),
    (lambda: bijectors.Affine(None, scale_diag=VECTOR), VECTOR, lambda x: x * VECTOR, 1),
    (
        lambda: bijectors.Affine(VECTOR, np.float64(0.5), POSITIVE, TRIL),
        VECTOR,
        lambda x: (TRIL + np.diag(POSITIVE + 0.5)) @ x + VECTOR,
        1,
    ),
    (
        lambda: bijectors.Affine(None, None, POSITIVE, None, FACTOR, np.array([2.0])),
        VECTOR,
        lambda x: (np.diag(POSITIVE) + 2 * FACTOR @ FACTOR.T) @ x,
        1,
    ),
    (lambda: bijectors.Permute([2, 0, 1]), VECTOR, lambda x: x[[2, 0, 1]], 1),
    (lambda: bijectors.Reshape([3, 1], [3]), VECTOR, lambda x: x[:, None], 1),
    (lambda: bijectors.FillTriangular(), VECTOR, None, 1),
    (lambda: bijectors.SoftmaxCentered(), VECTOR, None, 1),
    (lambda: bijectors.CholeskyOuterProduct(), LOWER, lambda x: x @ x.T, 2),
    (lambda: bijectors.Invert(bijectors.Exp()), POSITIVE, np.log, 1),
    (
        lambda: bijectors.Chain([bijectors.Exp(), bijectors.Affine(VECTOR, scale_tril=TRIL)]),
        VECTOR,
        lambda x: np.exp(TRIL @ x + VECTOR),
        1,
    ),
    (
        lambda: bijectors.Chain([bijectors.CholeskyOuterProduct(), bijectors.FillTriangular()]),
        POSITIVE,
        None,
        1,
    ),
    (lambda: bijectors.Gumbel(np.float64(0.5), np.float64(2)), VECTOR, gumbel, 1),
    (lambda: bijectors.Weibull(np.float64(2), np.float64(3)), POSITIVE, weibull, 1),
    (lambda: bijectors.Kumaraswamy(np.float64(2), np.float64(3)), POSITIVE / 2, kumaraswamy, 1),
    (
        lambda: bijectors.SinhArcsinh(np.float64(0.3), np.float64(0.8)),
        1e4 * VECTOR,
        lambda x: np.sinh((np.arcsinh(x) + 0.3) * 0.8),
        1,
    ),
    (lambda: bijectors.Ordered(), np.cumsum(POSITIVE), None, 1),
    (
        lambda: bijectors.TransformDiagonal(bijectors.Exp()),
        LOWER,
        lambda x: x * (1 - np.eye(2)) + np.diag(np.exp(np.diag(x))),
        2,
    ),
    (lambda: bijectors.ScaleTriL(bijectors.Exp(), np.float64(0.1)), VECTOR, None, 1),
    (
        lambda: bijectors.AffineLinearOperator(
            VECTOR, tf.linalg.LinearOperatorLowerTriangular(TRIL)
        ),
        VECTOR,
        lambda x: TRIL @ x + VECTOR,
        1,
    ),
    (lambda: bijectors.AffineLinearOperator(VECTOR), VECTOR, lambda x: x + VECTOR, 1),
    (
        lambda: bijectors.RealNVP(1, lambda x, n: (2.0 * x, x * np.arange(1.0, 1.0 + n))),
        VECTOR,
        lambda x: np.append(x[0], x[1:] * np.exp(x[0] * np.array([1, 2])) + 2 * x[0]),
        1,
    ),
    (lambda: bijectors.RealNVP(2, lambda x, _: (None, None)), VECTOR, lambda x: x, 1),
    (
        lambda: bijectors.Inline(
            forward_fn=tf.exp,
            inverse_fn=tf.log,
            inverse_log_det_jacobian_fn=lambda y: -tf.log(y),
            forward_min_event_ndims=0,
        ),
        VECTOR,
        np.exp,
        1,
    ),
]


def _free(value: np.ndarray, like: int) -> np.ndarray:
    """The numbers that are free: of triangles and symmetric matrices the lower half, of vectors
    that sum to 1 all but the last."""
    if value.ndim == 2 and value.shape[0] == value.shape[1]:
        return value[np.tril_indices(value.shape[0])]
    return value.ravel()[:like]


@pytest.mark.parametrize(("make", "x", "function", "axes"), CASES)
def test_there_and_back(make: Any, x: np.ndarray, function: Any, axes: int) -> None:
    count = _free(x, x.size).size
    step = 1e-6
    with tf.Graph().as_default(), tf.Session() as session:
        made = make()
        given = tf.placeholder(tf.float64, x.shape)
        forward = made.forward(given)
        assert made.inverse(forward) is given
        y = session.run(forward, {given: x})
        assert made.forward_event_shape(x.shape).as_list() == list(y.shape)
        assert made.inverse_event_shape(y.shape).as_list() == list(x.shape)
        shapes = [
            made.forward_event_shape_tensor(x.shape),
            made.inverse_event_shape_tensor(y.shape),
        ]
        for found, want in zip(session.run(shapes), (y.shape, x.shape), strict=True):
            np.testing.assert_array_equal(found, want)
        fixed = tf.constant(y)
        back, ildj, fldj = session.run(
            [
                make().inverse(fixed),
                make().inverse_log_det_jacobian(fixed, y.ndim),
                made.forward_log_det_jacobian(x, axes),
            ]
        )
        columns = []
        for place in zip(
            *(np.tril_indices(x.shape[0]) if axes == 2 else np.indices(x.shape)), strict=True
        ):
            moved = x.copy()
            moved[place] += step
            columns.append(
                (_free(session.run(forward, {given: moved}), count) - _free(y, count)) / step
            )
    if function is not None:
        np.testing.assert_allclose(y, function(x))
    np.testing.assert_allclose(back, x)
    want = np.log(abs(np.linalg.det(np.stack(columns, -1))))
    np.testing.assert_allclose(fldj, want, atol=1e-4)
    np.testing.assert_allclose(ildj, -want, atol=1e-4)


def test_sums_over_batches() -> None:
    x = np.arange(6.0).reshape(2, 3) + 0.5
    with tf.Graph().as_default(), tf.Session() as session:
        exp = bijectors.Exp()
        axes = tf.placeholder(tf.int32, [])
        got = [session.run(exp.forward_log_det_jacobian(x, n)) for n in (0, 1, 2)]
        np.testing.assert_allclose(got[0], x)
        np.testing.assert_allclose(got[1], x.sum(-1))
        np.testing.assert_allclose(got[2], x.sum())
        late = session.run(exp.forward_log_det_jacobian(x, axes), {axes: 1})
        np.testing.assert_allclose(late, x.sum(-1))
        scaled = bijectors.AffineScalar(scale=np.float64(2.0))
        np.testing.assert_allclose(
            session.run(scaled.forward_log_det_jacobian(x, 1)), [3 * np.log(2)] * 2
        )
    with pytest.raises(ValueError, match="must be larger than min_event_ndims"):
        bijectors.SoftmaxCentered().forward_log_det_jacobian(np.zeros(3), 0)
    with pytest.raises(NotImplementedError, match="non-injective"):
        bijectors.Invert(bijectors.AbsoluteValue())


def test_transformed() -> None:
    loc, y = np.array([1.0, -1.0]), np.array([0.5, 2.0])
    with tf.Graph().as_default(), tf.Session() as session:
        folded = ds.TransformedDistribution(
            ds.Normal(loc, 1.0 + 0 * loc), bijectors.AbsoluteValue()
        )
        vectors = ds.TransformedDistribution(
            ds.Normal(np.float64(0.0), np.float64(1.0)),
            bijectors.Affine(VECTOR, scale_tril=TRIL),
            event_shape=[3],
        )
        batch = ds.TransformedDistribution(
            ds.Normal(loc, 1.0 + 0 * loc), bijectors.Exp(), event_shape=[3]
        )
        drawn = batch.sample(4, seed=1)
        assert drawn.shape.as_list() == [4, 2, 3]
        assert session.run(vectors.sample([2, 5])).shape == (2, 5, 3)
        many, logs = session.run([drawn, batch.log_prob(drawn)])
        got = session.run([folded.prob(y), folded.log_prob(y), vectors.log_prob(POSITIVE)])
        entropy = session.run(vectors.entropy())
        with pytest.raises(NotImplementedError, match="overriding event_shape"):
            vectors.cdf(POSITIVE)
    want = stats.norm(loc).pdf(y) + stats.norm(loc).pdf(-y)
    np.testing.assert_allclose(got[0], want)
    np.testing.assert_allclose(got[1], np.log(want))
    theirs = stats.multivariate_normal(VECTOR, TRIL @ TRIL.T)
    np.testing.assert_allclose(got[2], theirs.logpdf(POSITIVE))
    np.testing.assert_allclose(entropy, theirs.entropy())
    inner = stats.lognorm(1.0, scale=np.exp(loc)[:, None]).logpdf(many).sum(-1)
    np.testing.assert_allclose(logs, inner)
    with pytest.raises(ValueError, match="base distribution not scalar"):
        ds.TransformedDistribution(ds.Normal(loc, 1.0 + 0 * loc), batch_shape=[2])


def test_static_shapes_of_vectors() -> None:
    with tf.Graph().as_default():
        ordered = bijectors.Ordered()
        assert ordered.forward_event_shape(tf.TensorShape([2, 3])).as_list() == [3]
        assert ordered.inverse_event_shape(tf.TensorShape([2, 3])).as_list() == [3]
        assert not bijectors.FillTriangular().is_constant_jacobian
        text = r"Input `event_shape` does not match `event_shape_in` \(\[2 3\] vs \[3 1\]\)\."
        with pytest.raises(ValueError, match=text):
            bijectors.Reshape([3, 1], [3]).inverse_event_shape(tf.TensorShape([2, 3]))
