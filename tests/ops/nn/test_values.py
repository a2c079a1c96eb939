"""Values of tf.nn that TensorFlow cannot be asked for in a row of cases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dataflow.kernels.contract.tensor_text import summarize
from tests.differentiation.both import oracle, tf
from tests.ops import conformance
from tests.ops.case import Case
from tests.ops.cases.nn import conv, depthwise

FLOAT32_ONLY = [
    case
    for case in (*conv.CASES, *depthwise.CASES)
    if case.gradients and "float64" not in case.dtypes
]


@pytest.mark.parametrize("case", FLOAT32_ONLY, ids=lambda case: case.id)
def test_gradient_is_the_derivative(case: Case) -> None:
    """Of groups, rates and formats that TensorFlow differentiates in float32 only."""
    analytic = conformance.loss_gradients(tf, case, ["float64"])["float64"]
    for ours, slope in zip(analytic, conformance.numeric_gradients(case), strict=True):
        np.testing.assert_allclose(ours, slope, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("function", ["max_pool3d", "avg_pool3d"])
def test_volume_pooling_gradient_is_the_derivative(function: str) -> None:
    """In float32, the only type TensorFlow pools volumes in: with steps that are large."""
    x = (np.random.default_rng(0).permutation(2 * 27) / 8).reshape(1, 3, 3, 3, 2).astype("f")
    with tf.Graph().as_default(), tf.Session() as session:
        source = tf.placeholder(tf.float32, x.shape)
        pooled = getattr(tf.nn, function)(source, 2, 2, "SAME")
        weights = np.arange(1, 17, dtype=np.float32).reshape(1, 2, 2, 2, 2)
        loss = tf.reduce_sum(pooled * weights)
        (gradient,) = tf.gradients(loss, source)
        analytic = session.run(gradient, {source: x})
        for index in np.ndindex(*x.shape):
            step = np.zeros_like(x)
            step[index] = 1 / 32
            above, below = (session.run(loss, {source: x + s}) for s in (step, -step))
            assert analytic[index] == pytest.approx((above - below) * 16, abs=1e-3)


def test_empty_batch_has_an_empty_gradient() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 4, 4, 2])
        for y in (
            tf.nn.max_pool(x, 2, 2, "SAME"),
            tf.nn.avg_pool(x, 2, 2, "SAME"),
            tf.nn.conv2d(x, tf.ones([3, 3, 2, 5]), 1, "SAME"),
            tf.nn.depthwise_conv2d(x, tf.ones([3, 3, 2, 2]), [1, 1, 1, 1], "SAME"),
        ):
            (gradient,) = tf.gradients(y, x)
            assert session.run(gradient, {x: np.zeros((0, 4, 4, 2))}).shape == (0, 4, 4, 2)


def test_filter_gradient_of_an_empty_batch_is_zero() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 4, 4, 2])
        filters = tf.ones([3, 3, 2, 5])
        (gradient,) = tf.gradients(tf.nn.conv2d(x, filters, 1, "SAME"), filters)
        value = session.run(gradient, {x: np.zeros((0, 4, 4, 2))})
    np.testing.assert_array_equal(value, np.zeros((3, 3, 2, 5)))


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_seeded_dropout_is_tensorflows(dtype: str) -> None:
    values = []
    for library in (oracle, tf):
        with library.Graph().as_default(), library.Session() as session:
            library.set_random_seed(7)
            x = library.constant(np.arange(1, 61).reshape(4, 15), dtype)
            dropped = library.nn.dropout(x, rate=0.3, seed=11)
            shared = library.nn.dropout(x, rate=0.3, noise_shape=[4, 1])
            values.append(session.run([dropped, shared]))
    for theirs, ours in zip(*values, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-3)


def test_dropout_keeps_the_expected_sum() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        dropped = tf.nn.dropout(tf.ones([400, 400]), rate=0.25)
        first, second = session.run(dropped), session.run(dropped)
    assert set(np.unique(first)) == {np.float32(0), np.float32(1 / 0.75)}
    # Three standard deviations of the mean of 160,000 draws.
    assert first.mean() == pytest.approx(1, abs=3 * np.sqrt(1 / 3 / first.size))
    assert not np.array_equal(first, second)


def test_dropout_passes_the_gradient_of_what_it_keeps() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.ones([50])
        y = tf.nn.dropout(x, rate=0.5)
        (gradient,) = tf.gradients(y, x)
        value, slope = session.run([y, gradient])
    np.testing.assert_array_equal(value, slope)


def test_dropout_of_nothing_takes_a_seed_all_the_same() -> None:
    """What follows in the graph draws the same numbers whatever the rate."""
    drawn = []
    for library in (oracle, tf):
        with library.Graph().as_default(), library.Session() as session:
            library.set_random_seed(5)
            library.nn.dropout(library.ones([3]), rate=0.0)
            drawn.append(session.run(library.random_uniform([4])))
    np.testing.assert_array_equal(*drawn)


@pytest.mark.parametrize(
    ("value", "fraction"),
    [([0, 1, 0, 2], 0.5), ([[1.0]], 0.0), (0.0, 1.0), (np.zeros((2, 2), bool), 1.0)],
)
def test_zero_fraction(value: Any, fraction: float) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        result = tf.nn.zero_fraction(value)
        assert result.op.name == "zero_fraction/fraction"
        assert session.run(result) == np.float32(fraction)


def test_zero_fraction_of_nothing_is_not_a_number() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        assert np.isnan(session.run(tf.nn.zero_fraction(np.zeros((0, 3)))))


def test_top_k_unsorted_gives_the_same_elements() -> None:
    x = np.random.default_rng(0).standard_normal((3, 300))
    with tf.Graph().as_default(), tf.Session() as session:
        values, indices = session.run(tf.nn.top_k(x, 7, sorted=False))
    np.testing.assert_array_equal(np.sort(values), np.sort(x)[:, -7:])
    np.testing.assert_array_equal(np.take_along_axis(x, indices, -1), values)


def _message(library: Any, condition: Any, data: list[Any], summarize: int) -> str:
    with library.Graph().as_default(), library.Session() as session:
        tensors = [library.placeholder_with_default(library.constant(d), None) for d in data]
        holds = library.placeholder_with_default(library.constant(condition), None)
        op = library.raw_ops.Assert(condition=holds, data=tensors, summarize=summarize)
        with pytest.raises(library.errors.InvalidArgumentError) as caught:
            session.run(op)
    lines = str(caught.value).splitlines()
    return next(line for line in lines if "assertion failed" in line or "In[0]" in line)


_ARRAYS: list[Any] = [
    np.array([1.5, 2, 3, 4, 5, 1e10, 1e-10, 0.1, 1 / 3], np.float32),
    np.array([0.1, 1 / 3, 1e300]),
    np.arange(12).reshape(2, 2, 3),
    np.arange(3).reshape(3, 1),
    np.array([[True, False]]),
    "a\n",
    ["abc", "d"],
    np.float16(1.25),
    np.uint8(200),
    np.zeros((2, 0)),
    np.array([np.nan, np.inf, -np.inf, -0.0, 123456789.0], np.float32),
    np.array([1 + 2j]),
    7,
]


@pytest.mark.parametrize("limit", [-1, 1, 3, 5])
def test_assertion_prints_as_tensorflow(limit: int) -> None:
    ours, theirs = (_message(library, False, _ARRAYS, limit) for library in (tf, oracle))
    assert ours == theirs


def test_assertion_wants_one_condition() -> None:
    for library in (tf, oracle):
        text = _message(library, [True, False], [1], 3)
        assert text == "In[0] should be a scalar: [2]"


def test_assertion_that_holds_is_silent() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(tf.raw_ops.Assert(condition=True, data=[1])) is None


def test_summary_of_a_large_array_reads_only_what_it_shows() -> None:
    assert summarize(np.broadcast_to(np.int64(1), (10**9, 2)), 3) == "[1 1][1...]..."


def test_cross_entropy_wants_labels_of_the_logits_shape() -> None:
    """Where building does not know the shapes, the step compares them."""
    with tf.Graph().as_default(), tf.Session() as session:
        labels = tf.placeholder(tf.int32, [None, None])
        logits = tf.placeholder(tf.float32, [None, None, 3])
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"\] \[2 3\] \[y \(.*\] \[3 2\]"):
            session.run(loss, {labels: np.zeros((2, 3)), logits: np.zeros((3, 2, 3))})


def test_sizes_of_an_atrous_transpose_may_be_tensors() -> None:
    """As Keras' backend tells them, in a tuple; TensorFlow 1.15 takes them, 2.21 does not."""
    rng = np.random.default_rng(0)
    images = rng.standard_normal((2, 6, 5, 3)).astype("f")
    filters = rng.standard_normal((3, 3, 2, 3)).astype("f")
    with oracle.Graph().as_default(), oracle.Session() as session:
        want = session.run(
            oracle.nn.atrous_conv2d_transpose(images, filters, (2, 6, 5, 2), 2, "SAME")
        )
    with tf.Graph().as_default(), tf.Session() as session:
        fed = tf.placeholder(tf.float32, [None, None, None, 3])
        rows, height, width = tf.unstack(tf.shape(fed)[:3])
        sizes = (rows, height, width, tf.constant(2))
        result = tf.nn.atrous_conv2d_transpose(fed, filters, sizes, 2, "SAME")
        np.testing.assert_allclose(session.run(result, {fed: images}), want, rtol=1e-5, atol=1e-5)
