"""Convolutions and pooling of any geometry: against a loop over windows, and as adjoint maps."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataflow.errors import InvalidArgumentError
from dataflow.kernels.convolution import convolution, depthwise
from dataflow.kernels.convolution.windows import Window, make_window, outputs
from dataflow.kernels.pooling import pooling


@dataclass(frozen=True, slots=True)
class Geometry:
    """Shapes of one convolution."""

    windows: tuple[Window, ...]
    batch: int
    groups: int
    depth: int
    """Input channels of a group."""
    width: int
    """Output channels of a group."""

    @property
    def x_shape(self) -> tuple[int, ...]:
        return (self.batch, *(w.input for w in self.windows), self.groups * self.depth)

    @property
    def filter_shape(self) -> tuple[int, ...]:
        return (*(w.size for w in self.windows), self.depth, self.groups * self.width)


@st.composite
def windows(draw: st.DrawFn) -> Window:
    size, dilation = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    extent = (size - 1) * dilation + 1
    padding = draw(st.sampled_from([b"SAME", b"VALID", b"EXPLICIT"]))
    explicit = (draw(st.integers(0, 3)), draw(st.integers(0, 3)))
    least = max(1, extent) if padding == b"VALID" else 1
    if padding == b"EXPLICIT":
        least = max(1, extent - sum(explicit))
    input_size = draw(st.integers(least, least + 6))
    return make_window(input_size, size, draw(st.integers(1, 3)), dilation, padding, explicit)


@st.composite
def geometries(draw: st.DrawFn) -> Geometry:
    return Geometry(
        windows=tuple(draw(st.lists(windows(), min_size=1, max_size=3))),
        batch=draw(st.integers(1, 3)),
        groups=draw(st.integers(1, 2)),
        depth=draw(st.integers(1, 18)),
        width=draw(st.integers(1, 3)),
    )


def _random(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape)


def _places(spans: Sequence[Window]) -> itertools.product[tuple[int, ...]]:
    return itertools.product(*(range(w.output) for w in spans))


def _seen(x: np.ndarray, spans: Sequence[Window], place: Sequence[int]) -> np.ndarray:
    """What the windows see at a place, with zeros outside: (batch, *taps, channels)."""
    result = np.zeros((x.shape[0], *(w.size for w in spans), x.shape[-1]), x.dtype)
    for taps in np.ndindex(*(w.size for w in spans)):
        at = tuple(
            p * w.stride - w.before + t * w.dilation
            for p, w, t in zip(place, spans, taps, strict=True)
        )
        if all(0 <= a < w.input for a, w in zip(at, spans, strict=True)):
            result[(slice(None), *taps)] = x[(slice(None), *at)]
    return result


def _by_loop(x: np.ndarray, filters: np.ndarray, geometry: Geometry) -> np.ndarray:
    spans, depth, width = geometry.windows, geometry.depth, geometry.width
    result = np.zeros((x.shape[0], *outputs(spans), filters.shape[-1]))
    for place in _places(spans):
        seen = _seen(x, spans, place)
        for group in range(geometry.groups):
            part = slice(group * width, (group + 1) * width)
            mine = seen[..., group * depth : (group + 1) * depth].reshape(x.shape[0], -1)
            kernel = filters[..., part].reshape(-1, width)
            result[(slice(None), *place, part)] = mine @ kernel
    return result


@given(geometries())
def test_convolution_is_what_a_loop_over_windows_gives(geometry: Geometry) -> None:
    x, filters = _random(*geometry.x_shape), _random(*geometry.filter_shape, seed=1)
    result = convolution.convolve(np, x, filters, geometry.windows)
    np.testing.assert_allclose(result, _by_loop(x, filters, geometry), atol=1e-9)


@given(geometries())
def test_gradients_are_the_adjoint_maps(geometry: Geometry) -> None:
    """<dy, conv(x, w)> = <dx, x> = <dw, w>, for a map that is linear in x and in w."""
    x, filters = _random(*geometry.x_shape), _random(*geometry.filter_shape, seed=1)
    y = convolution.convolve(np, x, filters, geometry.windows)
    dy = _random(*y.shape, seed=2)
    dx = convolution.input_gradient(np, filters, dy, geometry.windows, x.shape[-1])
    dw = convolution.filter_gradient(np, x, dy, geometry.windows, geometry.depth)
    assert dx.shape == x.shape
    assert dw.shape == filters.shape
    product = np.vdot(dy, y)
    scale = 1e-9 * (1 + np.abs(dy).sum() * np.abs(y).max(initial=0))
    assert np.vdot(dx, x) == pytest.approx(product, abs=scale)
    assert np.vdot(dw, filters) == pytest.approx(product, abs=scale)


@given(geometries(), st.integers(1, 3))
def test_depthwise_is_a_convolution_of_single_channels(geometry: Geometry, factor: int) -> None:
    channels = geometry.width
    x = _random(*geometry.x_shape[:-1], channels)
    filters = _random(*geometry.filter_shape[:-2], channels, factor, seed=1)
    y = depthwise.convolve(np, x, filters, geometry.windows)
    for channel in range(channels):
        alone = convolution.convolve(
            np,
            x[..., channel : channel + 1],
            filters[..., channel : channel + 1, :],
            geometry.windows,
        )
        mine = y[..., channel * factor : (channel + 1) * factor]
        np.testing.assert_allclose(mine, alone, atol=1e-9)
    dy = _random(*y.shape, seed=2)
    dx = depthwise.input_gradient(np, filters, dy, geometry.windows, channels)
    dw = depthwise.filter_gradient(np, x, dy, geometry.windows, factor)
    product = np.vdot(dy, y)
    scale = 1e-9 * (1 + np.abs(dy).sum() * np.abs(y).max(initial=0))
    assert np.vdot(dx, x) == pytest.approx(product, abs=scale)
    assert np.vdot(dw, filters) == pytest.approx(product, abs=scale)


@given(geometries())
def test_pooling_is_what_a_loop_over_windows_gives(geometry: Geometry) -> None:
    x = _random(*geometry.x_shape)
    spans = geometry.windows
    present = np.ones_like(x)
    greatest = pooling.max_pool(np, x, spans)
    mean = None if any(_only_padding(w) for w in spans) else pooling.avg_pool(np, x, spans)
    for place in _places(spans):
        at = (slice(None), *place)
        inside = _seen(present, spans, place).astype(bool)
        axes = tuple(range(1, x.ndim - 1))
        seen = _seen(x, spans, place)
        if inside.any():
            np.testing.assert_allclose(
                greatest[at], np.where(inside, seen, -math.inf).max(axis=axes)
            )
        if mean is not None:
            expected = seen.sum(axis=axes) / inside.sum(axis=axes)
            np.testing.assert_allclose(mean[at], expected, atol=1e-12)


@given(geometries())
def test_pooling_gradients_are_the_adjoint_maps(geometry: Geometry) -> None:
    """The mean is linear; the maximum is, for a small enough change."""
    spans, x = geometry.windows, _random(*geometry.x_shape)
    if any(_only_padding(w) for w in spans):
        return
    mean = pooling.avg_pool(np, x, spans)
    dy = _random(*mean.shape, seed=2)
    dx = pooling.avg_pool_gradient(np, dy, spans)
    assert np.vdot(dx, x) == pytest.approx(np.vdot(dy, mean), abs=1e-8)
    greatest = pooling.max_pool(np, x, spans)
    dx = pooling.max_pool_gradient(np, x, dy, spans)
    assert np.vdot(dx, x) == pytest.approx(np.vdot(dy, greatest), abs=1e-8)
    direction = _random(*x.shape, seed=3)
    at_maxima = pooling.gather_at_max(np, x, greatest, direction, spans)
    assert np.vdot(dx, direction) == pytest.approx(np.vdot(dy, at_maxima), abs=1e-8)


def _only_padding(window: Window) -> bool:
    """True if some place of the window sees nothing but padding."""
    covered = np.zeros(window.output, bool)
    for tap in range(window.size):
        covered[pooling.in_range(window, tap)[0]] = True
    return not covered.all()


@given(windows())
def test_taps_in_range_see_what_they_would_of_the_padded_axis(window: Window) -> None:
    padded = np.zeros(window.padded, int)
    padded[window.interior] = np.arange(1, window.input + 1)
    for tap in range(window.size):
        everywhere = padded[window.tap(tap)]
        places, seen = pooling.in_range(window, tap)
        inside = np.zeros(window.output, int)
        inside[places] = np.arange(1, window.input + 1)[seen]
        np.testing.assert_array_equal(inside, everywhere)


def test_ties_go_to_the_first_element_of_a_window() -> None:
    x = np.zeros((1, 2, 2, 1))
    spans = (make_window(2, 2, 2, 1, b"VALID"),) * 2
    gradient = pooling.max_pool_gradient(np, x, np.ones((1, 1, 1, 1)), spans)
    np.testing.assert_array_equal(gradient.reshape(-1), [1, 0, 0, 0])
    best, index = pooling.arg_max(np, x, spans)
    assert best.item() == 0
    assert index.item() == 0


def test_an_infinite_gradient_stays_where_it_belongs() -> None:
    x = np.arange(4.0).reshape(1, 2, 2, 1)
    spans = (make_window(2, 2, 2, 1, b"VALID"),) * 2
    gradient = pooling.max_pool_gradient(np, x, np.full((1, 1, 1, 1), np.inf), spans)
    np.testing.assert_array_equal(gradient.reshape(-1), [0, 0, 0, np.inf])


def test_window_larger_than_the_input_by_more_than_a_stride() -> None:
    with pytest.raises(InvalidArgumentError, match="Computed output size would be negative: -2"):
        make_window(2, 5, 1, 1, b"VALID")
