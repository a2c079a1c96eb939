"""Maxima of images with -inf, NaN and ties, and their gradients: TensorFlow's bit by bit.

What comes of a NaN depends on whether TensorFlow was told to use oneDNN. Its own kernels take the
first element of a window unless a later one is greater, and so do these; values are checked with
that rule, and with TensorFlow where both of its ways agree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow
from dataflow.kernels.convolution.windows import Window, make_window
from dataflow.kernels.pooling import pooling
from tests.kernels.onednn_paths import switched_off
from tests.kernels.threads.test_parallel import helpers
from tests.oracle import open_session
from tests.pairwise import pairwise

WAYS = {"with oneDNN": nullcontext, "without": switched_off, "several threads": lambda: helpers(3)}
WINDOWS = {"halves": (2, 2, b"SAME"), "overlapping": (3, 1, b"SAME"), "valid": (3, 2, b"VALID")}
_DRAWN: dict[str, list[float]] = {
    "-inf": [-np.inf],
    "ties": [-1, 0, 1],
    "-inf and more": [-np.inf, -np.inf, -np.inf, np.inf, 1],
    "NaN": [np.nan],
    "NaN and more": [np.nan, np.nan, -np.inf, 0, 1],
}


def _drawn(kind: str, shape: Sequence[int], dtype: Any = np.float32) -> np.ndarray:
    return np.random.default_rng(0).choice(_DRAWN[kind], shape).astype(dtype)


def _expected(x: np.ndarray, windows: Sequence[Window]) -> tuple[np.ndarray, ...]:
    """The maxima, the flat places of what they are taken of, and the gradient of their sum."""
    least = np.finfo(x.dtype).min
    images, _, width, channels = x.shape
    shape = (images, *(w.output for w in windows), channels)
    best, places, slope = np.zeros(shape, x.dtype), np.zeros(shape, np.int64), np.zeros_like(x)
    for n, r, c, d in np.ndindex(shape):
        found: tuple[int, int] | None = None
        for i, j in np.ndindex(*(w.size for w in windows)):
            at = tuple(
                p * w.stride - w.before + t for p, t, w in zip((r, c), (i, j), windows, strict=True)
            )
            if not all(0 <= a < w.input for a, w in zip(at, windows, strict=True)):
                continue
            if found is None or x[(n, *at, d)] > x[(n, *found, d)]:
                found = (at[0], at[1])
        assert found is not None
        best[n, r, c, d] = np.fmax(
            least, np.fmax.reduce(_seen(x[n, ..., d], windows, (r, c)), initial=least)
        )
        places[n, r, c, d] = (found[0] * width + found[1]) * channels + d
        slope[(n, *found, d)] += 1
    return best, places, slope


def _seen(image: np.ndarray, windows: Sequence[Window], place: tuple[int, int]) -> np.ndarray:
    starts = [p * w.stride - w.before for p, w in zip(place, windows, strict=True)]
    rows, columns = (slice(max(0, s), s + w.size) for s, w in zip(starts, windows, strict=True))
    return image[rows, columns].reshape(-1)


@pairwise({"kind": _DRAWN, "window": WINDOWS, "channels": [2, 16], "way": WAYS})
def test_the_first_unless_a_later_one_is_greater(
    kind: str, window: str, channels: int, way: str
) -> None:
    size, stride, padding = WINDOWS[window]
    x = _drawn(kind, (3, 5, 6, channels))
    windows = tuple(make_window(n, size, stride, 1, padding) for n in x.shape[1:3])
    best, places, slope = _expected(x, windows)
    ones = np.ones(best.shape, np.float32)
    with WAYS[way](), np.errstate(all="ignore"):
        np.testing.assert_array_equal(pooling.max_pool(np, x, windows), best)
        np.testing.assert_array_equal(pooling.max_pool_gradient(np, x, ones, windows), slope)
        told, where = pooling.max_pool_and_places(x, windows)
        np.testing.assert_array_equal(told, best)
        placed = pooling.max_pool_gradient(np, x, ones, windows, where)
        np.testing.assert_array_equal(placed, slope)
        _, taps = pooling.arg_max(np, x, windows)
    np.testing.assert_array_equal(pooling.flat_positions(np, taps, windows, channels), places)


def _attrs(rank: int) -> dict[str, Any]:
    return {"ksize": [1, *(2,) * rank, 1], "strides": [1, *(2,) * rank, 1], "padding": "SAME"}


def _plain(tf: Any, x: Any) -> list[Any]:
    y = tf.raw_ops.MaxPool(input=x, **_attrs(2))
    return [y, *tf.gradients(y, x)]


def _sized(tf: Any, x: Any) -> list[Any]:
    sizes = tf.constant([1, 2, 2, 1])
    y = tf.raw_ops.MaxPoolV2(input=x, ksize=sizes, strides=sizes, padding="SAME")
    return [y, *tf.gradients(y, x)]


def _explicit(tf: Any, x: Any) -> list[Any]:
    pads = [0, 0, 1, 1, 0, 1, 0, 0]
    attrs = {**_attrs(2), "padding": "EXPLICIT", "explicit_paddings": pads}
    y = tf.raw_ops.MaxPool(input=x, **attrs)
    return [y, *tf.gradients(y, x)]


def _with_places(tf: Any, x: Any) -> list[Any]:
    y, places = tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    return [y, places, *tf.gradients(y, x)]


def _of_channels(tf: Any, x: Any) -> list[Any]:
    return [tf.nn.max_pool(x, [1, 1, 1, 2], [1, 1, 1, 2], "VALID")]


FORMS: dict[str, Callable[[Any, Any], list[Any]]] = {
    "plain": _plain,
    "sized": _sized,
    "explicit": _explicit,
    "with places": _with_places,
    "of channels": _of_channels,
}


@pairwise(
    {
        "form": FORMS,
        "kind": ["-inf", "ties", "-inf and more"],
        "dtype": [np.float32, np.float64, np.float16],
    }
)
def test_as_in_tensorflow(form: str, kind: str, dtype: Any) -> None:
    x = _drawn(kind, (2, 6, 8, 16), dtype)
    for want, have in zip(*_both(form, x), strict=True):
        np.testing.assert_array_equal(have, want)


@pytest.mark.parametrize("dtype", [np.float64, np.float16])
@pytest.mark.parametrize("kind", ["NaN", "NaN and more"])
@pytest.mark.parametrize("form", FORMS)
def test_no_numbers_as_in_tensorflow(form: str, kind: str, dtype: Any) -> None:
    """What TensorFlow's own kernels find, which oneDNN has no part in here."""
    x = _drawn(kind, (2, 6, 8, 16), dtype)
    for want, have in zip(*_both(form, x), strict=True):
        np.testing.assert_array_equal(have, want)


@pairwise({"kind": _DRAWN, "window": WINDOWS, "channels": [2, 16], "way": WAYS})
def test_volumes_to_the_first_of_equal_ones(
    kind: str, window: str, channels: int, way: str
) -> None:
    """As TensorFlow's oneDNN does, which not every processor makes it use."""
    size, stride, padding = WINDOWS[window]
    x = _drawn(kind, (2, 3, 5, 4, channels))
    windows = tuple(make_window(n, size, stride, 1, padding) for n in x.shape[1:4])
    finite, slope = np.fmax(x, np.finfo(x.dtype).min), np.zeros_like(x)
    shape = (len(x), *(w.output for w in windows), channels)
    best = np.zeros(shape, x.dtype)
    for n, *place, d in np.ndindex(shape):
        starts = [p * w.stride - w.before for p, w in zip(place, windows, strict=True)]
        seen = tuple(slice(max(0, s), s + size) for s in starts)
        part = finite[(n, *seen, d)]
        first = np.unravel_index(part.argmax(), part.shape)
        best[(n, *place, d)] = part[first]
        slope[(n, *(s.start + int(at) for s, at in zip(seen, first, strict=True)), d)] += 1
    attrs = {"ksize": [1, *(size,) * 3, 1], "strides": [1, *(stride,) * 3, 1], "padding": padding}
    with WAYS[way](), dataflow.Graph().as_default() as graph:
        fed = dataflow.placeholder(x.dtype, x.shape)
        y = dataflow.raw_ops.MaxPool3D(input=fed, **attrs)
        alone = dataflow.raw_ops.MaxPool3DGrad(
            orig_input=fed, orig_output=best, grad=np.ones(shape, x.dtype), **attrs
        )
        with open_session(dataflow, graph) as session:
            found = session.run([y, *dataflow.gradients(y, fed)], {fed: x})
            told = session.run(alone, {fed: x})
    for have, want in zip([*found, told], [best, slope, slope], strict=True):
        np.testing.assert_array_equal(have, want)


def _both(form: str, x: np.ndarray) -> tuple[list[Any], list[Any]]:
    """TensorFlow's results and ours.

    Processors that count in float16 have its oneDNN take the plain form, where -inf stays one. Its
    own kernel, which other processors take, is asked through a size that oneDNN does not read.
    """
    ours = FORMS[form]
    theirs = _sized if (form, x.dtype) == ("plain", np.float16) else ours
    results = []
    for library, build in ((oracle, theirs), (dataflow, ours)):
        with library.Graph().as_default() as graph, open_session(library, graph) as session:
            fed = library.placeholder(x.dtype, [None] * x.ndim)
            fetches = build(library, fed)
            for _ in range(3):
                found = session.run(fetches, {fed: x})
            results.append(found)
    return results[0], results[1]
