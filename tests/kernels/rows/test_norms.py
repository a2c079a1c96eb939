"""Batch normalization by oneDNN against formulas in float64, with it and without."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.kernels.reductions.channels import channel_moments
from dataflow.kernels.rows import norms
from tests.kernels.onednn_paths import switched_off
from tests.kernels.threads.test_parallel import helpers
from tests.pairwise import pairwise

_EPSILON = 1e-3
SHAPES = [(1, 3), (2, 16), (700, 16), (301, 20), (5000, 33), (9000, 64)]
WAYS = {"with it": nullcontext, "several threads": lambda: helpers(3)}


def _arrays(shape: tuple[int, int]) -> list[np.ndarray]:
    """Rows, the gradient of the result, scale, offset, mean and variance."""
    random = np.random.default_rng(0)
    channels = shape[1]
    rows, slope = random.normal(3, 2, shape), random.normal(0, 1, shape)
    vectors = [random.normal(1, 0.5, channels) for _ in range(3)]
    return [a.astype(np.float32) for a in (rows, slope, *vectors, random.random(channels) + 0.5)]


def _reference(shape: tuple[int, int], is_training: bool) -> list[np.ndarray]:
    """Result, and the gradients of rows, scale and offset."""
    rows, slope, scale, offset, mean, variance = (a.astype(np.float64) for a in _arrays(shape))
    if is_training:
        mean, variance = rows.mean(0), rows.var(0)
    inverse = 1 / np.sqrt(variance + _EPSILON)
    normal = (rows - mean) * inverse
    of_scale, of_offset = (slope * normal).sum(0), slope.sum(0)
    dx = slope
    if is_training:
        dx = slope - of_offset / len(rows) - normal * of_scale / len(rows)
    return [normal * scale + offset, dx * scale * inverse, of_scale, of_offset]


@pairwise({"shape": SHAPES, "is_training": [True, False], "way": WAYS})
def test_values(shape: tuple[int, int], is_training: bool, way: str) -> None:
    rows, slope, scale, offset, mean, variance = _arrays(shape)
    moments = (mean, variance)
    with WAYS[way]():
        if is_training:
            moments = channel_moments(rows)
            np.testing.assert_allclose(moments[0], rows.mean(0, np.float64), rtol=1e-5)
            np.testing.assert_allclose(moments[1], rows.var(0, np.float64), rtol=1e-4, atol=1e-6)
        y = norms.normalize(rows, scale, offset, moments, _EPSILON)
        back = norms.gradient(slope, rows, scale, moments, _EPSILON, is_training)
    assert back is not None
    for have, want in zip((y, *back), _reference(shape, is_training), strict=True):
        assert have.dtype == np.float32
        np.testing.assert_allclose(have, want, rtol=2e-4, atol=2e-4 * np.abs(want).max() + 1e-5)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("shape", "at_once"),
    [
        ((1, 16), True),
        ((700, 7), False),
        ((700, 8), True),
        ((32768, 8), True),
        ((32769, 8), False),
        ((32768, 16), True),
        ((8193, 64), False),
        ((4095, 128), True),
    ],
)
def test_rows_by_their_own_moments(
    monkeypatch: pytest.MonkeyPatch, shape: tuple[int, int], at_once: bool, way: str
) -> None:
    """In one call, or in two passes of which the second is for itself."""
    rows, _, scale, offset, *_ = _arrays(shape)
    passes = []
    normalize = norms.normalize
    monkeypatch.setattr(norms, "normalize", lambda *given: passes.append(0) or normalize(*given))
    with WAYS[way]():
        found = norms.normalize_by_own(rows, scale, offset, _EPSILON)
    assert found is not None
    y, (mean, variance) = found
    assert bool(passes) != at_once
    np.testing.assert_allclose(y, _reference(shape, True)[0], rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(mean, rows.mean(0, np.float64), rtol=1e-5)
    np.testing.assert_allclose(variance, rows.var(0, np.float64), rtol=2e-4, atol=1e-6)
    assert y.dtype == mean.dtype == variance.dtype == np.float32


def test_the_rest_stays_with_numpy() -> None:
    rows, slope, scale, offset, mean, variance = _arrays((50, 16))
    moments = (mean, variance)
    wide = rows.astype(np.float64)
    assert norms.normalize(wide, scale, offset, moments, _EPSILON) is None
    assert norms.gradient(slope, wide, scale, moments, _EPSILON, True) is None
    with switched_off():
        assert norms.normalize(rows, scale, offset, moments, _EPSILON) is None


def _train(layout: str, factor: float, is_training: bool) -> list[np.ndarray]:
    """All outputs and gradients of the op over images."""
    random = np.random.default_rng(0)
    x = random.normal(3, 2, (6, 9, 7, 24)).astype(np.float32)
    x = x if layout == "NHWC" else np.ascontiguousarray(x.transpose(0, 3, 1, 2))
    with tf.Graph().as_default(), tf.Session() as session:
        images = tf.constant(x)
        vectors = [tf.constant(random.random(24).astype(np.float32) + 0.5) for _ in range(4)]
        outputs: Any = tf.raw_ops.FusedBatchNormV3(
            x=images,
            scale=vectors[0],
            offset=vectors[1],
            mean=vectors[2],
            variance=vectors[3],
            exponential_avg_factor=factor,
            data_format=layout,
            is_training=is_training,
        )
        weights = np.random.default_rng(1).standard_normal(x.shape).astype(np.float32)
        slopes = tf.gradients(outputs[0], [images, *vectors[:2]], grad_ys=tf.constant(weights))
        return session.run([*outputs[:5], *slopes])


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
@pytest.mark.parametrize(("factor", "is_training"), [(1.0, True), (0.3, True), (1.0, False)])
def test_the_op_is_the_same_without_it(layout: str, factor: float, is_training: bool) -> None:
    have = _train(layout, factor, is_training)
    with switched_off():
        want = _train(layout, factor, is_training)
    for ours, other in zip(have, want, strict=True):
        np.testing.assert_allclose(ours, other, rtol=1e-4, atol=1e-4)


def test_a_nan_spoils_its_channel_alone() -> None:
    rows, _, scale, offset, _, _ = _arrays((700, 16))
    rows[7, 3] = np.nan
    found = norms.normalize(rows, scale, offset, channel_moments(rows), _EPSILON)
    assert found is not None
    spoilt = np.isnan(found)
    assert spoilt[:, 3].all()
    assert not np.delete(spoilt, 3, 1).any()
