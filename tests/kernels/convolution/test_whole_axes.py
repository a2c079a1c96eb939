"""Which axes become channels; what the convolutions give then is test_onednn_convolutions'."""

from __future__ import annotations

import numpy as np
import pytest

from dataflow.kernels.convolution import convolution
from dataflow.kernels.convolution.whole_axes import folded, is_one_place, lengthwise
from dataflow.kernels.convolution.windows import Window, make_window


def _windows(sizes: list[int], taps: list[int], padding: bytes = b"VALID") -> list[Window]:
    return [make_window(n, k, 1, 1, padding) for n, k in zip(sizes, taps, strict=True)]


@pytest.mark.parametrize(
    ("sizes", "taps", "padding", "left", "depth"),
    [
        ([9, 6], [3, 6], b"VALID", [9, 1], 12),
        ([9, 6], [9, 6], b"VALID", [1, 1], 108),
        ([9, 6], [9, 5], b"VALID", [9, 6], 2),
        ([9, 6], [3, 6], b"SAME", [9, 6], 2),
        ([5, 9, 6], [2, 9, 6], b"VALID", [5, 1, 1], 108),
        ([9, 1], [3, 1], b"VALID", [9, 1], 2),
        ([9, 6], [9, 3], b"VALID", [9, 6], 2),
    ],
)
def test_last_axes_that_are_covered(
    sizes: list[int], taps: list[int], padding: bytes, left: list[int], depth: int
) -> None:
    windows, channels, found = folded(_windows(sizes, taps, padding), 2, 2)
    assert [w.input for w in windows] == left
    assert channels == found == depth
    assert is_one_place(windows) is (left == [1] * len(left))


def test_not_between_groups_or_taps_that_stand_apart() -> None:
    windows = _windows([9, 6], [3, 6])
    assert folded(windows, 4, 2) == (tuple(windows), 4, 2)
    apart = Window(input=3, size=3, stride=4, dilation=2, before=0, after=0, output=0)
    assert folded([apart], 2, 2).windows == (apart,)


@pytest.mark.parametrize(
    ("sizes", "taps", "order"),
    [
        ([9, 1], [3, 1], [1, 9]),
        ([1, 9, 1], [1, 3, 1], [1, 1, 9]),
        ([1, 9], [1, 3], [1, 9]),
        ([9, 4, 1], [3, 3, 1], [9, 4, 1]),
        ([9, 1], [3, 3], [9, 1]),
        ([1, 1], [1, 1], [1, 1]),
    ],
)
def test_an_only_axis_becomes_the_last(sizes: list[int], taps: list[int], order: list[int]) -> None:
    windows = _windows(sizes, taps, b"SAME")
    moved = lengthwise(windows)
    assert [w.input for w in moved] == order
    assert sorted(moved, key=str) == sorted(windows, key=str)


@pytest.mark.parametrize(("rows", "channels"), [(3, 40), (40, 40), (41, 40), (70, 4)])
def test_gradients_of_filters_as_large_as_images(rows: int, channels: int) -> None:
    """Both ways of adding up the rows' products."""
    random = np.random.default_rng(0)
    x, dy = (
        random.standard_normal(s).astype(np.float32) for s in ((rows, 2, 1, channels), (rows, 5))
    )
    found = convolution.filter_gradient(
        np, x, dy.reshape(rows, 1, 1, 5), _windows([2, 1], [2, 1]), channels
    )
    want = x.reshape(rows, -1).T.astype(np.float64) @ dy
    np.testing.assert_allclose(found.reshape(want.shape), want, rtol=1e-4, atol=1e-4)
