"""Bijectors with nets or layers inside, those by conditions, and what checks in the step find."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import distributions as ds

bijectors = ds.bijectors


@pytest.fixture(autouse=True)
def own_graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def jacobian(session: Any, y: Any, x: Any, value: np.ndarray) -> np.ndarray:
    rows = [tf.gradients(y[0, at], x)[0][0] for at in range(value.shape[1])]
    return np.array(session.run(rows, {x: value}))


@pytest.mark.parametrize("options", [{}, {"shift_only": True}, {"log_scale_clip_gradient": True}])
@pytest.mark.parametrize("unrolled", [False, True])
def test_masked_autoregressive_flow(options: Any, unrolled: bool) -> None:
    """The inverse of an element hangs on those before it alone, and by it volumes change."""
    tf.set_random_seed(3)
    net = bijectors.masked_autoregressive_default_template([12, 12], **options)
    flow = bijectors.MaskedAutoregressiveFlow(net, unroll_loop=unrolled)
    y = tf.placeholder(tf.float32, [1, 4])
    value = np.float32([[0.3, -0.7, 1.2, 0.1]])
    x = flow.inverse(y)
    back = flow.forward(tf.identity(x))
    change = flow.inverse_log_det_jacobian(y, 1)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found, inverse = session.run([change, back], {y: value})
        matrix = jacobian(session, x, y, value)
    np.testing.assert_allclose(inverse, value, atol=1e-5)
    np.testing.assert_array_equal(np.triu(matrix, 1), np.zeros([4, 4]))
    np.testing.assert_allclose(found, np.linalg.slogdet(matrix)[1], atol=1e-5)
    assert len(tf.trainable_variables()) == 6


def test_masked_layers() -> None:
    """Outputs see the inputs of their block and those before it, or of those before it alone."""
    x = tf.ones([1, 4])
    ones = tf.ones_initializer()
    layers = [
        bijectors.masked_dense(x, 4, 2, exclusive, kernel_initializer=ones, name=f"m{exclusive}")
        for exclusive in (False, True)
    ]
    names = {each.op.name for each in tf.trainable_variables()}
    assert names == {f"m{at}/{of}" for at in (False, True) for of in ("kernel", "bias")}
    kernel = next(each for each in tf.trainable_variables() if each.op.name == "mTrue/kernel")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(layers)[0], [[2, 2, 4, 4]])
        np.testing.assert_array_equal(session.run(layers)[1], [[0, 0, 2, 2]])
        constrained = session.run(kernel.constraint(tf.ones([4, 4])))
    np.testing.assert_array_equal(constrained, [[0, 0, 1, 1]] * 2 + [[0] * 4] * 2)
    with pytest.raises(NotImplementedError, match="Rightmost dimension must be known"):
        bijectors.masked_dense(tf.placeholder(tf.float32, [None, None]), 4, 2)


def test_real_nvp_net_trains() -> None:
    """Its density is a distribution's: the parts of the template are shared and have gradients."""
    tf.set_random_seed(1)
    flow = bijectors.RealNVP(2, bijectors.real_nvp_default_template([8]))
    nvp = ds.TransformedDistribution(ds.MultivariateNormalDiag(loc=tf.zeros([3])), flow)
    x = nvp.sample(5, seed=1)
    y = tf.identity(x)
    log_probs = nvp.log_prob(x), nvp.log_prob(y)
    gradients = tf.gradients(-log_probs[1], tf.trainable_variables())
    assert len(gradients) == 4
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found, values = session.run([log_probs, gradients])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-5)
    assert all(np.abs(each).sum() > 0 for each in values)
    for number, shape, error, text in (
        (0, [1, 2], ValueError, "num_masked must be a positive integer"),
        (2, [1, 2], ValueError, "must be smaller than the event size"),
        (1, [1, None], NotImplementedError, "Rightmost dimension must be known"),
    ):
        with pytest.raises(error, match=text):
            bijectors.RealNVP(number, lambda *_: (None, None)).forward(
                tf.placeholder(tf.float32, shape)
            )


@pytest.mark.parametrize("training", [True, False])
def test_batch_normalization(training: bool) -> None:
    """The inverse normalizes by the batch or by averages, and the function undoes the latter."""
    y = np.random.default_rng(1).normal(3, 2, size=[40, 2]).astype(np.float32)
    layer = tf.layers.BatchNormalization(
        moving_mean_initializer=tf.constant_initializer([1.0, 2.0]),
        moving_variance_initializer=tf.constant_initializer([4.0, 9.0]),
        gamma_initializer=tf.constant_initializer(0.5),
    )
    norm = bijectors.BatchNormalization(layer, training=training)
    given = tf.constant(y)
    nodes = [
        norm.inverse(given),
        norm.inverse_log_det_jacobian(given, 1),
        norm.forward(tf.zeros([1, 2])),
        norm.forward_log_det_jacobian(tf.zeros([1, 2]), 1),
    ]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        x, ildj, back, fldj = session.run(nodes)
    averages = np.array([1, 2]), np.array([4, 9])
    mean, variance = (y.mean(0), y.var(0)) if training else averages
    np.testing.assert_allclose(x, 0.5 * (y - mean) / np.sqrt(variance + 1e-3), atol=1e-5)
    np.testing.assert_allclose(back, averages[0][None])
    expected = [np.sum(np.log(0.5) - 0.5 * np.log(v + 1e-3)) for v in (variance, averages[1])]
    np.testing.assert_allclose([ildj, fldj], [expected[0], -expected[1]], rtol=1e-5)
    fresh = bijectors.BatchNormalization()
    fresh.inverse(given)
    assert fresh.batchnorm.gamma_constraint is not None
    for wrong, text in (
        (1, "must be an instance of BatchNormalization layer"),
        (tf.layers.BatchNormalization(renorm=True), "does not support renormalization"),
        (tf.layers.BatchNormalization(virtual_batch_size=2), "virtual batch sizes"),
    ):
        with pytest.raises(ValueError, match=text):
            bijectors.BatchNormalization(wrong)


class Shifted(bijectors.ConditionalBijector):
    """Adds what it is told."""

    def __init__(self) -> None:
        super().__init__(forward_min_event_ndims=0, name="shifted")

    def _forward(self, x: Any, by: Any) -> Any:
        return x + by

    def _inverse(self, y: Any, by: Any) -> Any:
        return y - by

    def _inverse_log_det_jacobian(self, y: Any, by: Any) -> Any:
        return 0.0 * y + by


def test_conditions() -> None:
    """Conditions reach bijector and distribution, and what is kept beside tensors is theirs."""
    shifted = Shifted()
    x = tf.constant(1.0)
    nodes = [
        shifted.forward(x, by=1.0),
        shifted.forward(x, by=2.0),
        shifted.inverse(x, by=3.0),
        shifted.forward_log_det_jacobian(x, 0, by=4.0),
    ]
    with tf.Session() as session:
        assert session.run(nodes) == [2.0, 3.0, -2.0, -4.0]
    normal = ds.Normal(0.0, 1.0)
    moved = ds.ConditionalTransformedDistribution(normal, shifted)
    by = {"bijector_kwargs": {"by": 0.5}}
    drawn = [moved.sample(3, seed=1, **by), normal.sample(3, seed=1)]
    pairs = [
        (moved.log_prob(2.0, **by), normal.log_prob(1.5) + 0.5),
        (moved.prob(2.0, **by), normal.prob(1.5) * np.exp(0.5)),
        (moved.cdf(2.0, **by), normal.cdf(1.5)),
        (moved.log_cdf(2.0, **by), normal.log_cdf(1.5)),
        (moved.survival_function(2.0, **by), normal.survival_function(1.5)),
        (moved.log_survival_function(2.0, **by), normal.log_survival_function(1.5)),
    ]
    with tf.Session() as session:
        values = session.run(drawn)
        assert values[0].shape == (3,)
        for found, expected in session.run(pairs):
            np.testing.assert_allclose(found, expected, rtol=1e-6)
    chained = ds.ConditionalTransformedDistribution(moved, bijectors.Exp())
    found = chained.log_prob(np.float32(np.e), distribution_kwargs=by)
    with tf.Session() as session:
        wanted = session.run(normal.log_prob(0.5)) + 0.5 - 1
        np.testing.assert_allclose(session.run(found), wanted, rtol=1e-5)


def test_inverses_of_triangles() -> None:
    x = np.array([[0.7, 0, 0], [0.1, -1, 0], [0.3, 0.25, 0.5]])
    inverts = bijectors.MatrixInverseTriL(validate_args=True)
    with tf.Session() as session:
        found = session.run(inverts.forward(x))
        change = session.run(inverts.forward_log_det_jacobian(x, 2))
        np.testing.assert_allclose(found, np.linalg.inv(x))
        np.testing.assert_allclose(change, -6 * np.log(abs(np.diag(x))).sum())
        for wrong, text in (
            (np.zeros([2, 3]), "Input must be a square matrix"),
            (np.ones([2, 2]), "Input must be lower triangular"),
            (np.array([[0.0, 0], [1, 1]]), "must have all diagonal entries nonzero"),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError) as raised:
                session.run(inverts.forward(tf.placeholder_with_default(wrong, [None, None])))
            assert text in raised.value.message


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: bijectors.Gumbel(0.0, -1.0, True).forward(1.0), "scale was not positive"),
        (lambda: bijectors.Gumbel(validate_args=True).inverse(2.0), "less than or equal to 1"),
        (lambda: bijectors.Weibull(validate_args=True).inverse(-1.0), "must be greater than 0"),
        (lambda: bijectors.Weibull(validate_args=True).forward(-1.0), "must be at least 0"),
        (lambda: bijectors.Weibull(1.0, -1.0, True).forward(1.0), "concentration was not positive"),
        (lambda: bijectors.Kumaraswamy(1.0, 1.0, True).forward(2.0), "no larger than `1`"),
        (lambda: bijectors.Kumaraswamy(-1.0, 1.0, True).forward(0.5), "must be positive"),
        (
            lambda: bijectors.SinhArcsinh(0.0, -1.0, True).forward(0.5),
            "tailweight was not positive",
        ),
        (lambda: bijectors.Ordered(True).forward([2.0, 1.0]), "must be strictly increasing"),
    ],
)
def test_checks_in_the_step(make: Any, text: str) -> None:
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError) as raised:
        session.run(make())
    assert text in raised.value.message
