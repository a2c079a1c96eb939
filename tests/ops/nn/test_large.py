"""Arrays that the kernels take apart into chunks, tap by tap or not: values as in TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.differentiation.both import oracle, tf

Program = Callable[[Any, Any, Any], Any]
Shape = tuple[int, ...]

_SUMS = {"rtol": 1e-3, "atol": 1e-3}
"""Sums of thousands of products of numbers around 1, which each library orders differently."""


def _both(program: Program, x: Shape, filters: Shape) -> tuple[list[Any], list[Any]]:
    """Value and gradients of a program of images and filters, in TensorFlow and here."""
    random = np.random.default_rng(0)
    arrays = [random.standard_normal(shape).astype(np.float32) for shape in (x, filters)]
    results = []
    for library in (oracle, tf):
        with library.Graph().as_default(), library.Session() as session:
            inputs = [library.placeholder(library.float32, a.shape) for a in arrays]
            y = program(library, *inputs)
            weights = np.random.default_rng(1).standard_normal(y.shape.as_list()).astype("f")
            grads = library.gradients(y, inputs, grad_ys=library.constant(weights))
            fetches = [y, *(g for g in grads if g is not None)]
            results.append(session.run(fetches, dict(zip(inputs, arrays, strict=True))))
    return results[0], results[1]


def _assert_same(program: Program, x: Shape, filters: Shape) -> None:
    theirs, ours = _both(program, x, filters)
    assert len(theirs) == len(ours)
    for want, have in zip(theirs, ours, strict=True):
        np.testing.assert_allclose(have, want, **_SUMS)


def _convolve(stride: int, padding: str, **more: Any) -> Program:
    def program(tf: Any, x: Any, filters: Any) -> Any:
        return tf.nn.conv2d(x, filters, stride, padding, **more)

    return program


CONVOLUTIONS: dict[str, tuple[Program, Shape, Shape]] = {
    "several chunks": (_convolve(1, "SAME"), (21, 14, 14, 32), (5, 5, 32, 16)),
    "several chunks, moving": (_convolve(2, "SAME"), (21, 15, 14, 32), (5, 5, 32, 16)),
    "several chunks, valid": (_convolve(1, "VALID"), (21, 14, 14, 32), (5, 5, 32, 16)),
    "one image a chunk": (_convolve(1, "SAME"), (3, 40, 40, 48), (3, 3, 48, 8)),
    "thin": (_convolve(1, "SAME"), (67, 28, 28, 1), (5, 5, 1, 8)),
    "thin, three channels": (_convolve(2, "VALID"), (40, 33, 33, 3), (3, 3, 3, 8)),
    "pointwise": (_convolve(1, "SAME"), (9, 14, 14, 32), (1, 1, 32, 16)),
    "pointwise, moving": (_convolve(2, "SAME"), (9, 15, 15, 32), (1, 1, 32, 16)),
    "groups": (_convolve(1, "SAME"), (11, 14, 14, 32), (3, 3, 8, 16)),
    "rates": (_convolve(1, "SAME", dilations=[2, 3]), (11, 14, 14, 32), (3, 3, 32, 8)),
    "channels first": (_convolve(1, "SAME", data_format="NCHW"), (21, 32, 14, 14), (3, 3, 32, 8)),
    "explicit": (
        _convolve(1, [[0, 0], [3, 0], [0, 4], [0, 0]]),  # type: ignore[arg-type]
        (21, 14, 14, 32),
        (3, 3, 32, 16),
    ),
    "depthwise": (
        lambda tf, x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME"),
        (5, 28, 28, 16),
        (3, 3, 16, 1),
    ),
    "depthwise, several": (
        lambda tf, x, w: tf.nn.depthwise_conv2d(x, w, [1, 2, 2, 1], "VALID"),
        (5, 29, 29, 16),
        (3, 3, 16, 3),
    ),
    "transposed": (
        lambda tf, x, w: tf.nn.conv2d_transpose(x, w, [21, 28, 28, 16], 2),
        (21, 14, 14, 32),
        (5, 5, 16, 32),
    ),
    "volumes": (
        lambda tf, x, w: tf.nn.conv3d(x, w, [1, 1, 2, 1, 1], "SAME"),
        (5, 8, 12, 12, 24),
        (3, 3, 3, 24, 8),
    ),
}


@pytest.mark.parametrize("case", CONVOLUTIONS.values(), ids=CONVOLUTIONS.keys())
def test_convolution(case: tuple[Program, Shape, Shape]) -> None:
    _assert_same(*case)


_POOLINGS: dict[str, Callable[[Any, Any], Any]] = {
    "max": lambda tf, x: tf.nn.max_pool(x, 2, 2, "SAME"),
    "max, overlapping": lambda tf, x: tf.nn.max_pool(x, 3, 2, "SAME"),
    "mean": lambda tf, x: tf.nn.avg_pool(x, 2, 2, "VALID"),
    "mean, overlapping": lambda tf, x: tf.nn.avg_pool(x, 3, 1, "SAME"),
    "relu and mean": lambda tf, x: tf.nn.avg_pool(tf.nn.relu(x), 7, 7, "VALID"),
    "normalization": lambda tf, x: tf.nn.fused_batch_norm(
        x, tf.ones([16]), tf.zeros([16]), epsilon=1e-3
    )[0],
    "local response": lambda tf, x: tf.nn.lrn(x),
}


@pytest.mark.parametrize("function", _POOLINGS.values(), ids=_POOLINGS.keys())
def test_pooling_and_normalization(function: Callable[[Any, Any], Any]) -> None:
    _assert_same(lambda tf, x, _: function(tf, x), (37, 28, 28, 16), (1,))


def test_means_far_from_zero_keep_their_digits() -> None:
    """The variance of what lies around 1,000, in float32."""
    random = np.random.default_rng(0)
    x = (1000 + random.standard_normal((64, 28, 28, 4))).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        y, mean, variance = session.run(
            tf.nn.fused_batch_norm(tf.constant(x), tf.ones([4]), tf.zeros([4]))
        )
    exact = x.astype(np.float64)
    np.testing.assert_allclose(mean, exact.mean(axis=(0, 1, 2)), rtol=1e-6)
    np.testing.assert_allclose(variance, exact.var(axis=(0, 1, 2), ddof=1), rtol=1e-3)
    np.testing.assert_allclose(y.mean(axis=(0, 1, 2)), np.zeros(4), atol=1e-3)
