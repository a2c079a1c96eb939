"""Convolutions by oneDNN: every geometry against sums in float64, with it and without."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from dataflow.kernels.convolution import calls as convolution_calls
from dataflow.kernels.convolution import convolution, convolutions, depthwise
from dataflow.kernels.convolution.filter_parts import parts_for
from dataflow.kernels.convolution.kept import Bound, Kept
from dataflow.kernels.convolution.layer import LOSING, Layer
from dataflow.kernels.convolution.plans import Geometry
from dataflow.kernels.convolution.windows import Window, make_window, pad
from dataflow.kernels.onednn.library import find
from dataflow.kernels.threads.parallel import Assisted
from tests.kernels.helped import Busy, loaded
from tests.kernels.onednn_paths import switched_off
from tests.kernels.threads.test_parallel import helpers


@dataclass(frozen=True)
class Shapes:
    """A convolution: images, filters and how they move."""

    images: tuple[int, ...]
    filters: tuple[int, ...]
    stride: int = 1
    padding: bytes = b"SAME"
    dilation: int = 1
    explicit: tuple[int, int] = (0, 0)

    @property
    def windows(self) -> tuple[Window, ...]:
        return tuple(
            make_window(size, taps, self.stride, self.dilation, self.padding, self.explicit)
            for size, taps in zip(self.images[1:-1], self.filters[:-2], strict=True)
        )


SHAPES = {
    "one channel": Shapes((9, 13, 12, 1), (5, 5, 1, 32)),
    "three channels, strided": Shapes((5, 21, 23, 3), (7, 7, 3, 16), 2),
    "odd numbers of channels": Shapes((3, 9, 8, 13), (3, 3, 13, 7)),
    "large": Shapes((21, 14, 14, 32), (5, 5, 32, 24)),
    "valid": Shapes((4, 9, 10, 16), (3, 2, 16, 16), padding=b"VALID"),
    "explicit": Shapes((4, 9, 10, 16), (3, 3, 16, 8), padding=b"EXPLICIT", explicit=(2, 1)),
    "more padding than filter": Shapes((2, 4, 4, 8), (2, 2, 8, 8), 1, b"EXPLICIT", 1, (3, 3)),
    "a row that is left over": Shapes((2, 10, 10, 16), (3, 3, 16, 8), 2, b"VALID"),
    "dilated": Shapes((3, 17, 19, 16), (3, 3, 16, 8), dilation=2),
    "pointwise": Shapes((6, 9, 9, 32), (1, 1, 32, 48)),
    "pointwise, fewer channels": Shapes((6, 9, 9, 48), (1, 1, 48, 32)),
    "pointwise, strided": Shapes((6, 9, 9, 32), (1, 1, 32, 48), 2),
    "filter larger than the image": Shapes((2, 3, 3, 16), (5, 5, 16, 8)),
    "stride larger than the filter": Shapes((2, 11, 11, 16), (2, 2, 16, 8), 3),
    "groups": Shapes((5, 9, 9, 32), (3, 3, 8, 48)),
    "groups of many channels": Shapes((8, 10, 10, 64), (3, 3, 32, 128)),
    "a group a channel": Shapes((5, 9, 9, 24), (3, 3, 1, 24)),
    "a group a channel, twice as wide": Shapes((5, 9, 9, 24), (3, 3, 1, 48), 2),
    "one axis": Shapes((5, 40, 16), (5, 16, 16)),
    "three axes": Shapes((2, 6, 7, 8, 16), (3, 3, 3, 16, 16)),
    "as wide as the image": Shapes((6, 20, 12, 3), (5, 12, 3, 16), padding=b"VALID"),
    "as wide as the image, strided": Shapes((3, 9, 7, 1), (4, 7, 1, 24), 2, b"VALID"),
    "as large as a part of a volume": Shapes((3, 6, 4, 5, 2), (2, 4, 5, 2, 8), padding=b"VALID"),
    "along the first axis": Shapes((5, 40, 1, 16), (5, 1, 16, 24), 2),
    "along the first axis, large": Shapes((2, 200, 1, 64), (5, 1, 64, 128)),
    "along an axis of a volume": Shapes((2, 1, 30, 1, 16), (1, 3, 1, 16, 8), padding=b"VALID"),
    "single image": Shapes((1, 30, 30, 16), (3, 3, 16, 16)),
    "bands": Shapes((1, 41, 40, 32), (3, 3, 32, 64)),
    "bands, strided": Shapes((2, 61, 40, 32), (5, 5, 32, 48), 2),
    "bands, dilated": Shapes((1, 45, 40, 32), (3, 3, 32, 64), dilation=3),
    "bands, valid": Shapes((3, 30, 40, 32), (4, 3, 32, 64), padding=b"VALID"),
    "bands of a volume": Shapes((1, 12, 20, 20, 16), (3, 3, 3, 16, 32)),
    "bands that read filters in other orders": Shapes((1, 9, 14, 256), (5, 5, 256, 48)),
    "four large images": Shapes((4, 41, 40, 32), (3, 3, 32, 64)),
    "bands of padding": Shapes((1, 9, 9, 32), (3, 3, 32, 64), 1, b"EXPLICIT", 1, (20, 20)),
}


def _arrays(shapes: Shapes) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Images, filters, and a gradient of the result."""
    random = np.random.default_rng(0)
    spatial = tuple(w.output for w in shapes.windows)
    sizes = (shapes.images, shapes.filters, (shapes.images[0], *spatial, shapes.filters[-1]))
    x, f, dy = (random.standard_normal(s).astype(np.float32) for s in sizes)
    return x, f, dy


def _seen(
    shapes: Shapes, padded: np.ndarray
) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...], np.ndarray]]:
    """Each tap, where it sees, and what."""
    windows = shapes.windows
    for tap in np.ndindex(*shapes.filters[:-2]):
        index = (slice(None), *(w.tap(t) for w, t in zip(windows, tap, strict=True)))
        yield tap, index, padded[index]


def _groups(shapes: Shapes) -> Iterator[tuple[slice, slice]]:
    """Input and output channels that belong together."""
    depth, width = shapes.filters[-2:]
    count = shapes.images[-1] // depth
    for group in range(count):
        part = width // count
        yield slice(group * depth, (group + 1) * depth), slice(group * part, (group + 1) * part)


@functools.cache
def _reference(shapes: Shapes) -> list[np.ndarray]:
    """Result, gradient of the images and gradient of the filters, summed up in float64."""
    x, f, dy = (array.astype(np.float64) for array in _arrays(shapes))
    padded = pad(np, x, shapes.windows, 0)
    y, dx, df = np.zeros(dy.shape), np.zeros(padded.shape), np.zeros(f.shape)
    for tap, index, seen in _seen(shapes, padded):
        for ins, outs in _groups(shapes):
            y[..., outs] += seen[..., ins] @ f[tap][:, outs]
            dx[(*index, ins)] += dy[..., outs] @ f[tap][:, outs].T
            df[tap][:, outs] = np.tensordot(seen[..., ins], dy[..., outs], [range(x.ndim - 1)] * 2)
    inside = (slice(None), *(w.interior for w in shapes.windows))
    return [y, dx[inside], df]


def _ours(shapes: Shapes) -> list[np.ndarray]:
    x, f, dy = _arrays(shapes)
    windows = shapes.windows
    return [
        convolution.convolve(np, x, f, windows),
        convolution.input_gradient(np, f, dy, windows, x.shape[-1]),
        convolution.filter_gradient(np, x, dy, windows, f.shape[-2]),
    ]


def _assert_close(have: Sequence[np.ndarray], want: Sequence[np.ndarray]) -> None:
    for ours, theirs in zip(have, want, strict=True):
        assert ours.dtype == np.float32
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5 * np.abs(theirs).max())


@pytest.mark.parametrize("way", ["with it", "on several threads", "without it"])
@pytest.mark.parametrize("name", SHAPES)
def test_values(name: str, way: str) -> None:
    ways = {"with it": nullcontext, "without it": switched_off}
    with helpers(3) if way == "on several threads" else ways[way]():
        _assert_close(_ours(SHAPES[name]), _reference(SHAPES[name]))


@pytest.mark.parametrize("name", SHAPES)
def test_onednn_does_them(name: str) -> None:
    shapes = SHAPES[name]
    x, f, dy = _arrays(shapes)
    assert convolutions.convolve(x, f, shapes.windows) is not None
    assert convolutions.filter_gradient(x, dy, shapes.windows, f.shape[-2]) is not None
    found = convolutions.input_gradient(f, dy, shapes.windows, x.shape[-1])
    assert found is not None


@pytest.mark.parametrize(
    ("shapes", "is_slow"),
    [
        (Shapes((2, 20, 20, 32), (3, 3, 32, 24)), True),
        (Shapes((2, 20, 19, 32), (3, 3, 32, 24)), False),
        (Shapes((2, 20, 20, 31), (3, 3, 31, 24)), False),
        (Shapes((2, 20, 20, 64), (3, 3, 32, 24)), False),
        (Shapes((2, 9, 1, 32), (3, 1, 32, 24)), True),
        (Shapes((2, 9, 6, 8), (3, 6, 8, 24), padding=b"VALID"), True),
    ],
)
@pytest.mark.parametrize("has_avx512", [False, True])
def test_gradients_of_filters_that_are_slow_with_avx2_are_products(
    shapes: Shapes, is_slow: bool, has_avx512: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    gradient = convolutions.filter_gradient

    def noted(*arguments: Any) -> Any:
        asked.append(arguments)
        return gradient(*arguments)

    monkeypatch.setattr(convolutions, "filter_gradient", noted)
    monkeypatch.setattr(find(), "has_avx512", has_avx512)
    _assert_close(_ours(shapes), _reference(shapes))
    assert bool(asked) is (has_avx512 or not is_slow)


@pytest.mark.parametrize("multiplier", [1, 2])
def test_depthwise(multiplier: int) -> None:
    shapes = Shapes((6, 9, 11, 20), (3, 3, 1, 20 * multiplier), 1)
    x, f, dy = _arrays(shapes)
    filters = f.reshape(3, 3, 20, multiplier)
    want = _reference(shapes)
    for context in (nullcontext, switched_off):
        with context():
            have = [
                depthwise.convolve(np, x, filters, shapes.windows),
                depthwise.input_gradient(np, filters, dy, shapes.windows, 20),
                depthwise.filter_gradient(np, x, dy, shapes.windows, multiplier),
            ]
        assert have[2].shape == filters.shape
        _assert_close([*have[:2], have[2].reshape(f.shape)], want)


ACTIVATIONS = {
    "": lambda y: y,
    "Relu": lambda y: np.maximum(y, 0),
    "Relu6": lambda y: np.clip(y, 0, 6),
    "Elu": lambda y: np.where(y > 0, y, np.expm1(np.minimum(y, 0))),
    "Sigmoid": lambda y: 1 / (1 + np.exp(-y)),
    "Tanh": np.tanh,
    "Swish": lambda y: y / (1 + np.exp(-y)),
}


def in_place(function: Callable[[Any], Any]) -> Callable[..., None]:
    """A function of an array as one that takes `out=`."""

    def run(array: np.ndarray, out: np.ndarray) -> None:
        out[...] = function(array)

    return run


WITH_AVX512 = {"a group a channel, twice as wide"}


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", SHAPES)
def test_layers(name: str, threads: int) -> None:
    """What follows a convolution in one call, against float64; filters are kept or are not."""
    shapes = SHAPES[name]
    x, f, residual = _arrays(shapes)
    bias = np.linspace(-3, 3, f.shape[-1]).astype(np.float32)
    want = _reference(shapes)[0] + bias
    with helpers(threads) if threads > 1 else nullcontext():
        for activation, function in ACTIVATIONS.items():
            for kept in (None, Kept(Bound(1 << 30), constant=True)):
                finish = None if activation not in LOSING else in_place(function)
                layer = Layer(lambda x, f: (x, f, shapes.windows), activation, finish, kept)
                for _ in range(2):
                    for sums, operands in ((want, [bias]), (want + residual, [bias, residual])):
                        found = layer.run([x, f, *operands])
                        if found is None:
                            # Without AVX-512 oneDNN has no code for it, and the nodes run alone.
                            assert name in WITH_AVX512 and not loaded().has_avx512
                            continue
                        assert found.dtype == np.float32
                        # No function here is steeper than 1.1.
                        atol = 1.1e-5 * np.abs(sums).max()
                        np.testing.assert_allclose(found, function(sums), rtol=1e-4, atol=atol)


def test_relu_in_registers_drops_nan() -> None:
    shapes = SHAPES["odd numbers of channels"]
    x, f, _ = _arrays(shapes)
    bias = np.linspace(-3, 3, f.shape[-1]).astype(np.float32)
    x[1, 2, 2, 0] = np.nan
    runs = {
        name: Layer(lambda x, f: (x, f, shapes.windows), name, None, None).run([x, f, bias])
        for name in ACTIVATIONS
    }
    is_nan = np.isnan(runs[""])
    assert is_nan.any() and not is_nan.all()
    for name, found in runs.items():
        if name in LOSING:
            assert (found[is_nan] == 0).all(), name
        else:
            np.testing.assert_array_equal(np.isnan(found), is_nan, name)


def test_what_is_no_layer() -> None:
    shapes = SHAPES["large"]
    x, f, residual = _arrays(shapes)
    layer = Layer(lambda x, f: (x, f, shapes.windows), "Relu", None, None)
    bias = np.ones(f.shape[-1], np.float32)
    assert layer.run([x, f, bias]) is not None
    for operands in (
        [bias[:1]],
        [bias.reshape(1, 1, 1, 1, -1)],
        [residual[:1]],
        [bias, bias],
        [bias.astype(np.float64)],
    ):
        assert layer.run([x, f, *operands]) is None
    assert layer.run([x[:0], f, bias]) is None
    whole = Shapes((3, 5, 6, 8), (5, 6, 8, 4), padding=b"VALID")
    x, f, _ = _arrays(whole)
    product = Layer(lambda x, f: (x, f, whole.windows), "Relu", None, None)
    assert product.run([x, f, bias[:4]]) is None
    pixels = Shapes((3, 1, 1, 8), (1, 1, 8, 4))
    x, f, _ = _arrays(pixels)
    assert (
        Layer(lambda x, f: (x, f, pixels.windows), "Relu", None, None).run([x, f, bias[:4]])
        is not None
    )
    with switched_off():
        again = Layer(lambda x, f: (x, f, shapes.windows), "Relu", None, None)
        assert again.run([x, f, bias]) is None


def test_gradients_of_filters_are_sums_of_two_four_or_eight_calls(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of three calls two threads would end one after the other; 8 images are enough for three."""
    steps: list[int] = []
    of = convolutions.Calls.of

    def noted(function: str, geometry: Geometry, images: int, step: int) -> Any:
        steps.append(step)
        return of(function, geometry, images, step)

    monkeypatch.setattr(convolutions.Calls, "of", noted)
    windows = Shapes((8, 28, 28, 8), (3, 3, 8, 64)).windows
    images, slopes = np.ones((8, 28, 28, 8), np.float32), np.ones((8, 28, 28, 64), np.float32)
    assert convolutions.filter_gradient(images, slopes, windows, 8) is not None
    assert steps == [4]


@pytest.mark.parametrize(
    ("size", "depth", "width", "taps", "stride", "batch", "parts"),
    [
        (7, 256, 256, 3, 1, 2, 4),
        (7, 64, 512, 3, 1, 2, 8),
        (8, 64, 64, 3, 1, 8, 2),
        (8, 40, 128, 5, 2, 8, 2),
        (7, 1024, 256, 1, 1, 4, 4),
        (28, 16, 64, 3, 1, 4, 2),
        (14, 64, 96, 3, 1, 8, 0),
        (14, 8, 128, 3, 1, 32, 0),
        (28, 128, 128, 1, 1, 8, 0),
        (14, 64, 32, 3, 1, 8, 0),
        (7, 32, 64, 3, 1, 2, 2),
    ],
)
def test_gradients_of_filters_by_channels(
    size: int, depth: int, width: int, taps: int, stride: int, batch: int, parts: int
) -> None:
    """Where much is computed for each number; whoever helps, the bits are those of one thread."""
    shapes = Shapes((batch, size, size, depth), (taps, taps, depth, width), stride)
    x, _, dy = _arrays(shapes)
    geometry = Geometry(shapes.windows, depth, depth, width)
    found = parts_for(geometry, batch)
    assert (found.count if found is not None else 0) == parts
    alone = convolutions.filter_gradient(x, dy, shapes.windows, depth)
    for threads in (2, 3):
        with helpers(threads):
            together = convolutions.filter_gradient(x, dy, shapes.windows, depth)
        np.testing.assert_array_equal(together, alone)
    _assert_close([alone], _reference(shapes)[2:])
    if found is not None:
        _assert_close([found.run(x, dy)], _reference(shapes)[2:])


@pytest.mark.parametrize(
    ("name", "calls"),
    [
        ("bands", 3),
        ("bands, strided", 4),
        ("bands of a volume", 8),
        ("bands of padding", 1),
        ("four large images", 4),
    ],
)
def test_few_large_images_are_several_calls(
    name: str, calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: list[int] = []
    split = convolution_calls.split

    def noted(count: int, grain: int, run: Any) -> None:
        counts.append(count)
        split(count, grain, run)

    monkeypatch.setattr(convolution_calls, "split", noted)
    x, f, _ = _arrays(SHAPES[name])
    for threads, wanted in ((4, calls), (1, 1)):
        counts.clear()
        with Assisted(Busy(threads) if threads > 1 else None):
            assert convolutions.convolve(x, f, SHAPES[name].windows) is not None
        assert counts == [wanted]


def test_arrays_that_do_not_lie_in_order() -> None:
    shapes = SHAPES["large"]
    x, f, dy = _arrays(shapes)
    images = np.ascontiguousarray(x.transpose(0, 3, 1, 2)).transpose(0, 2, 3, 1)
    slopes = np.repeat(dy, 2, axis=2)[:, :, ::2]
    filters = np.frombuffer(b"." + f.tobytes(), np.uint8)[1:].view(np.float32).reshape(f.shape)
    assert not filters.flags.aligned
    windows = shapes.windows
    have = [
        convolution.convolve(np, images, filters, windows),
        convolution.input_gradient(np, filters, slopes, windows, x.shape[-1]),
        convolution.filter_gradient(np, images, slopes, windows, f.shape[-2]),
    ]
    _assert_close(have, _reference(shapes))


@pytest.mark.parametrize("batch", [1, 2, 3, 8, 9, 31, 33])
def test_any_number_of_images(batch: int) -> None:
    shapes = Shapes((batch, 14, 14, 16), (3, 3, 16, 48))
    _assert_close(_ours(shapes), _reference(shapes))


def test_the_same_bits_whoever_helps() -> None:
    runs = []
    for threads in (2, 2, 4):
        with helpers(threads):
            runs.append(_ours(SHAPES["large"]))
    for run in runs[1:]:
        for ours, first in zip(run, runs[0], strict=True):
            np.testing.assert_array_equal(ours, first)


def test_many_threads_at_once() -> None:
    want = [_ours(SHAPES[name]) for name in SHAPES]

    def work(index: int) -> bool:
        which = index % len(want)
        have = _ours(list(SHAPES.values())[which])
        return all(np.array_equal(a, b) for a, b in zip(have, want[which], strict=True))

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(work, range(120)))


def test_nan_stays_where_it_is_seen() -> None:
    x = np.ones((2, 8, 8, 16), np.float32)
    x[0, 4, 4, 3] = np.nan
    f = np.ones((3, 3, 16, 8), np.float32)
    windows = (make_window(8, 3, 1, 1, b"SAME"),) * 2
    y = convolution.convolve(np, x, f, windows)
    places = np.zeros(y.shape, bool)
    places[0, 3:6, 3:6] = True
    np.testing.assert_array_equal(np.isnan(y), places)


def test_other_types_stay_with_numpy() -> None:
    x, f, dy = (array.astype(np.float64) for array in _arrays(SHAPES["valid"]))
    windows = SHAPES["valid"].windows
    assert convolutions.convolve(x, f, windows) is None
    assert convolutions.input_gradient(f, dy, windows, 16) is None
    assert convolutions.filter_gradient(x, dy, windows, 16) is None
    assert convolution.convolve(np, x, f, windows).dtype == np.float64
