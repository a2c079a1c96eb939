"""Local response normalization and its gradient against TensorFlow's and formulas in float64."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.kernels.reductions.channel_windows import WindowSums, neighbour_sums
from dataflow.kernels.rows import responses
from tests.differentiation.both import oracle
from tests.kernels.onednn_paths import switched_off
from tests.pairwise import pairwise

Attributes = tuple[int, float, float, float]
"""Radius, bias, factor and exponent."""
BETAS = [0.5, 0.75, 1.0, 0.6, 0.0, -0.5]
SHAPES = [
    (1, 1, 1, 1),
    (2, 3, 3, 2),
    (3, 5, 7, 16),
    (2, 5, 5, 17),
    (2, 4, 4, 64),
    (2, 3, 5, 100),
    (1, 2, 2, 300),
]
LARGE = [(16, 56, 57, 16), (7, 61, 47, 33), (8, 40, 41, 64), (9, 31, 13, 192)]


WAYS = ["with oneDNN", "without"]


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    """oneDNN is there, then not."""
    with switched_off() if request.param == "without" else nullcontext():
        yield


def _arrays(shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Images, and the gradient of the result."""
    random = np.random.default_rng(0)
    x, grad = (random.standard_normal(shape).astype(np.float32) for _ in range(2))
    return x, grad


def _both(library: Any, x: Any, grad: Any, attributes: Attributes) -> list[np.ndarray]:
    """The result and the gradient of a library, which may be ours."""
    radius, bias, alpha, beta = attributes
    with library.Graph().as_default(), library.Session() as session:
        images = library.placeholder(library.float32, x.shape)
        y = library.nn.lrn(images, radius, bias, alpha, beta)
        loss = library.reduce_sum(y * library.constant(grad))
        found: list[np.ndarray] = session.run([y, library.gradients(loss, images)[0]], {images: x})
    return found


def _exact(x: np.ndarray, grad: np.ndarray, attributes: Attributes) -> list[np.ndarray]:
    """The same in float64, by products with a band of ones."""
    radius, bias, alpha, beta = attributes
    x, grad = x.astype(np.float64), grad.astype(np.float64)
    places = np.arange(x.shape[-1])
    is_near = (abs(places[:, None] - places) <= radius).astype(np.float64)
    norm = bias + alpha * (x * x) @ is_near
    back = grad * norm**-beta - 2 * alpha * beta * x * ((grad * x * norm ** (-beta - 1)) @ is_near)
    return [x * norm**-beta, back]


def _assert_near(found: list[np.ndarray], want: list[np.ndarray], rtol: float = 3e-6) -> None:
    for have, exact in zip(found, want, strict=True):
        assert have.dtype == np.float32
        np.testing.assert_allclose(have, exact, rtol=rtol, atol=rtol * abs(exact).max())


@pairwise({"way": WAYS, "radius": [0, 1, 2, 5, 11, 500], "shape": SHAPES, "beta": BETAS}, ["way"])
@pytest.mark.usefixtures("way")
def test_values(shape: tuple[int, ...], radius: int, beta: float) -> None:
    attributes = (radius, 1.5, 0.3, beta)
    x, grad = _arrays(shape)
    _assert_near(_both(tf, x, grad, attributes), _exact(x, grad, attributes))


@pytest.mark.parametrize("beta", [0.5, 0.75, 1.0, 0.6])
@pytest.mark.parametrize("shape", [(3, 5, 7, 16), (2, 4, 4, 64), (2, 3, 5, 100)])
def test_tensorflow_computes_the_same(shape: tuple[int, ...], beta: float) -> None:
    attributes = (4, 1.0, 0.2, beta)
    x, grad = _arrays(shape)
    _assert_near(_both(tf, x, grad, attributes), _both(oracle, x, grad, attributes), 1e-5)


@pairwise({"way": WAYS, "shape": LARGE, "beta": [0.5, 0.75]}, ["way"])
@pytest.mark.usefixtures("way")
def test_several_blocks(shape: tuple[int, ...], beta: float) -> None:
    attributes = (5, 1.0, 1.0, beta)
    x, grad = _arrays(shape)
    found = _both(tf, x, grad, attributes)
    _assert_near(found, _exact(x, grad, attributes))
    again = _both(tf, x, grad, attributes)
    for one, other in zip(found, again, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.usefixtures("way")
def test_threads_do_not_change_a_bit() -> None:
    x, grad = _arrays((16, 30, 31, 32))
    results = []
    for count in (1, 3):
        config = tf.ConfigProto(
            intra_op_parallelism_threads=count, inter_op_parallelism_threads=count
        )
        with tf.Graph().as_default(), tf.Session(config=config) as session:
            images = tf.placeholder(tf.float32, x.shape)
            y = tf.nn.lrn(images, 5)
            step = [y, tf.gradients(y, images, grad_ys=tf.constant(grad))[0]]
            results.append(session.run(step, {images: x}))
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)


@pairwise({"way": WAYS, "channels": [8, 16, 40, 64, 130], "beta": BETAS}, ["way"])
@pytest.mark.usefixtures("way")
def test_what_is_not_finite_stays_in_its_windows(channels: int, beta: float) -> None:
    radius, bias, alpha = 3, 1.0, 0.5
    x, grad = _arrays((3, 4, 5, channels))
    x[0, 0, 0, 0], x[0, 1, 0, channels // 2], x[0, 2, 1, channels - 1] = np.nan, np.inf, -np.inf
    x[1, 0, 0, 4], x[1, 1, 1, 2:5] = 1e30, (np.nan, np.inf, -np.inf)
    grad[2, 0, 0, 5], grad[2, 1, 1, 1], grad[2, 2, 2, channels - 2] = np.inf, np.nan, -np.inf
    with np.errstate(all="ignore"):
        norm = bias + alpha * neighbour_sums(np, x * x, radius)
        y = x * norm**-beta
        slopes = neighbour_sums(np, grad * y / norm, radius)
        back = grad * norm**-beta - 2 * alpha * beta * x * slopes
    found = _both(tf, x, grad, (radius, bias, alpha, beta))
    for have, want in zip(found, (y, back), strict=True):
        np.testing.assert_array_equal(np.isnan(have), np.isnan(want))
        np.testing.assert_allclose(have, want, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("shape", [(0, 3, 3, 8), (2, 3, 3, 0), (2, 0, 3, 64)])
def test_empty(shape: tuple[int, ...]) -> None:
    x, grad = _arrays(shape)
    for found in _both(tf, x, grad, (5, 1.0, 1.0, 0.5)):
        assert found.shape == shape


def test_a_factor_of_zero_and_no_bias() -> None:
    x, grad = _arrays((2, 3, 3, 16))
    for attributes in ((2, 2.0, 0.0, 0.5), (2, 0.0, 1.0, 0.75), (2, 0.0, 1.0, 1.0)):
        _assert_near(_both(tf, x, grad, attributes), _exact(x, grad, attributes), 2e-5)


def test_images_whose_rows_are_not_side_by_side() -> None:
    x, grad = _arrays((32, 4, 5, 6))
    turned, slope = (a.transpose(1, 2, 3, 0) for a in (x, grad))
    for have, want in zip(
        _both(tf, turned, slope, (5, 1.0, 1.0, 0.5)),
        _both(tf, turned.copy(), slope.copy(), (5, 1.0, 1.0, 0.5)),
        strict=True,
    ):
        np.testing.assert_array_equal(have, want)


@pairwise(
    {"count": [1, 3, 5000], "channels": [1, 2, 16, 47, 120], "radius": [-2, 0, 1, 2, 3, 7, 50]}
)
def test_sums_of_windows(count: int, channels: int, radius: int) -> None:
    x = np.random.default_rng(0).standard_normal((count, channels)).astype(np.float32)
    x[-1, -1] = -np.inf
    with np.errstate(all="ignore"):
        want = np.float32(0.7) * neighbour_sums(np, x, radius)
        whole, sums = WindowSums(channels, radius, 0.7, "test")(
            count, lambda target: np.copyto(target, x)
        )
    np.testing.assert_allclose(sums, want, rtol=1e-5, atol=1e-5)
    assert whole.flags.c_contiguous
    assert np.shares_memory(whole, sums)


def test_library_takes_what_it_is_faster_with() -> None:
    x = np.ones((10, 32), np.float32)
    out = np.empty_like(x)

    def takes(x: np.ndarray, radius: int, beta: float) -> bool:
        return responses.normalize(x, np.empty_like(x), (radius, 1.0, 1.0, beta), np.negative)

    assert responses.normalize(x, out, (50, 1.0, 1.0, 1.0), np.negative)
    np.testing.assert_allclose(out, 1 / 33, rtol=1e-6)
    assert takes(x, 5, 0.5)
    assert not takes(x, 0, 0.5)
    assert not takes(x, 5, 0.75)
    assert not takes(np.ones((10, 8), np.float32), 5, 0.5)
    assert not takes(np.ones((10, 128), np.float32), 5, 0.5)
    with switched_off():
        assert not takes(x, 5, 0.5)
