"""Pooling by oneDNN: values in float64, ties, and what is no number; with it and without."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np
import pytest

from dataflow.kernels.convolution.windows import Window, make_window
from dataflow.kernels.pooling import pooling, pools
from tests.kernels.onednn_paths import switched_off
from tests.kernels.threads.test_parallel import helpers


@dataclass(frozen=True)
class Shapes:
    """Images and the windows over them."""

    images: tuple[int, ...]
    size: int
    stride: int
    padding: bytes = b"SAME"
    explicit: tuple[int, int] = (0, 0)

    @property
    def windows(self) -> tuple[Window, ...]:
        return tuple(
            make_window(n, self.size, self.stride, 1, self.padding, self.explicit)
            for n in self.images[1:-1]
        )


SHAPES = {
    "halves": Shapes((9, 12, 14, 16), 2, 2),
    "odd sizes": Shapes((5, 13, 11, 17), 2, 2),
    "overlapping": Shapes((5, 13, 11, 16), 3, 2),
    "at each place": Shapes((3, 9, 8, 24), 3, 1),
    "valid": Shapes((3, 9, 8, 24), 3, 2, b"VALID"),
    "gaps": Shapes((3, 11, 11, 8), 2, 3),
    "one channel": Shapes((5, 12, 12, 1), 2, 2),
    "padding alone": Shapes((2, 4, 4, 8), 2, 2, b"EXPLICIT", (2, 1)),
    "many images": Shapes((70, 28, 28, 32), 2, 2),
    "one axis": Shapes((5, 40, 16), 3, 2),
    "three axes": Shapes((3, 6, 7, 8, 16), 2, 2),
}
WAYS = {"with it": nullcontext, "without it": switched_off, "several threads": lambda: helpers(3)}


def _arrays(shapes: Shapes) -> tuple[np.ndarray, np.ndarray]:
    """Images of few different numbers, so that there are ties, and a gradient."""
    random = np.random.default_rng(0)
    x = random.integers(-4, 5, shapes.images).astype(np.float32)
    places = (shapes.images[0], *(w.output for w in shapes.windows), shapes.images[-1])
    return x, random.standard_normal(places).astype(np.float32)


def _seen(shapes: Shapes) -> tuple[list[tuple[int, ...]], np.ndarray]:
    """Places that the windows take, and for each and each tap the flat number of the pixel seen."""
    windows = shapes.windows
    places = list(np.ndindex(*(w.output for w in windows)))
    numbers = np.full((len(places), shapes.size ** len(windows)), -1)
    sizes = shapes.images[1:-1]
    for row, place in enumerate(places):
        for column, tap in enumerate(np.ndindex(*(w.size for w in windows))):
            at = [p * w.stride - w.before + t for p, t, w in zip(place, tap, windows, strict=True)]
            if all(0 <= i < n for i, n in zip(at, sizes, strict=True)):
                numbers[row, column] = np.ravel_multi_index(at, sizes)
    return places, numbers


def _reference(shapes: Shapes) -> list[np.ndarray]:
    """Maximum and its gradient, mean and its gradient, in float64."""
    x, grad = _arrays(shapes)
    count, channels = x.shape[0], x.shape[-1]
    flat = x.reshape(count, -1, channels).astype(np.float64)
    share = grad.reshape(count, -1, channels).astype(np.float64)
    _, numbers = _seen(shapes)
    best, mean = np.zeros(share.shape), np.zeros(share.shape)
    of_best, of_mean = np.zeros(flat.shape), np.zeros(flat.shape)
    for place, seen in enumerate(numbers):
        pixels = seen[seen >= 0]
        if not len(pixels):
            best[:, place], mean[:, place] = np.finfo(np.float32).min, np.nan
            continue
        window = flat[:, pixels]
        best[:, place], mean[:, place] = window.max(1), window.mean(1)
        first = pixels[window.argmax(1)]
        for image in range(count):
            np.add.at(of_best[image], (first[image], range(channels)), share[image, place])
        of_mean[:, pixels] += share[:, place, None] / len(pixels)
    return [v.reshape(grad.shape) for v in (best, mean)] + [
        v.reshape(x.shape) for v in (of_best, of_mean)
    ]


def _ours(shapes: Shapes) -> list[np.ndarray]:
    x, grad = _arrays(shapes)
    windows = shapes.windows
    with np.errstate(all="ignore"):
        return [
            pooling.max_pool(np, x, windows),
            pooling.avg_pool(np, x, windows),
            pooling.max_pool_gradient(np, x, grad, windows),
            pooling.avg_pool_gradient(np, grad, windows),
        ]


def _assert_close(have: Sequence[np.ndarray], want: Sequence[np.ndarray]) -> None:
    for ours, theirs in zip(have, want, strict=True):
        assert ours.dtype == np.float32
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", [name for name in SHAPES if name != "padding alone"])
def test_values(name: str, way: str) -> None:
    with WAYS[way]():
        _assert_close(_ours(SHAPES[name]), _reference(SHAPES[name]))


@pytest.mark.parametrize("way", WAYS)
def test_windows_that_see_padding_alone(way: str) -> None:
    shapes = SHAPES["padding alone"]
    want = _reference(shapes)
    with WAYS[way]():
        have = _ours(shapes)
    _assert_close([have[0], have[2]], [want[0], want[2]])


def test_onednn_does_them() -> None:
    for name in ("halves", "odd sizes", "overlapping", "valid", "many images", "three axes"):
        x, grad = _arrays(SHAPES[name])
        windows = SHAPES[name].windows
        assert pools.max_pool(x, windows) is not None
        assert pools.max_pool_gradient(x, grad, windows, _never) is not None
        assert pools.avg_pool(x, windows) is not None
        assert pools.avg_pool_gradient(grad, windows) is not None


def _never(*_: np.ndarray) -> None:
    raise AssertionError("These images are numbers.")


def test_arrays_that_do_not_lie_in_order() -> None:
    shapes = SHAPES["overlapping"]
    x, grad = _arrays(shapes)
    turned = np.ascontiguousarray(x.transpose(0, 3, 1, 2)).transpose(0, 2, 3, 1)
    strided = np.repeat(grad, 2, axis=1)[:, ::2]
    windows = shapes.windows
    have = [
        pooling.max_pool(np, turned, windows),
        pooling.avg_pool(np, turned, windows),
        pooling.max_pool_gradient(np, turned, strided, windows),
        pooling.avg_pool_gradient(np, strided, windows),
    ]
    _assert_close(have, _reference(shapes))


def test_other_types_stay_with_numpy() -> None:
    x, grad = (array.astype(np.float64) for array in _arrays(SHAPES["halves"]))
    windows = SHAPES["halves"].windows
    assert pools.max_pool(x, windows) is None
    assert pools.max_pool_gradient(x, grad, windows, _never) is None
    assert pools.avg_pool(x, windows) is None
    assert pools.avg_pool_gradient(grad, windows) is None
    assert pooling.max_pool(np, x, windows).dtype == np.float64
