"""Windows of strided slices against numpy's own indexing, over random shapes and indices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataflow.values.strided_slices import Masks, window

_BOUND = st.integers(-6, 6)
_STEP = st.integers(-3, 3).filter(bool)
_PARTS = st.one_of(
    st.builds(slice, st.none() | _BOUND, st.none() | _BOUND, st.none() | _STEP),
    st.sampled_from([None, 0, -1, 1]),
)


@st.composite
def indexed_arrays(draw: st.DrawFn) -> tuple[np.ndarray, tuple[Any, ...]]:
    """An array and an index of it, which may hold one ellipsis."""
    shape = draw(st.lists(st.integers(0, 5), max_size=4))
    parts = draw(st.lists(_PARTS, max_size=5))
    used = [part for part in parts if part is not None]
    while len(used) > len(shape):
        parts.remove(used.pop())
    if draw(st.booleans()):
        parts.insert(draw(st.integers(0, len(parts))), Ellipsis)
    return np.arange(int(np.prod(shape))).reshape(shape), tuple(parts)


def _spec(index: tuple[Any, ...]) -> tuple[list[int], list[int], list[int], Masks]:
    """The bounds and masks that stand for a Python index."""
    bounds: list[tuple[int, int, int]] = []
    masks = dict.fromkeys(("begin", "end", "ellipsis", "new_axis", "shrink_axis"), 0)
    for i, part in enumerate(index):
        if isinstance(part, slice):
            masks["begin"] |= (part.start is None) << i
            masks["end"] |= (part.stop is None) << i
            bounds.append((part.start or 0, part.stop or 0, part.step or 1))
        elif isinstance(part, int):
            masks["shrink_axis"] |= 1 << i
            bounds.append((part, part + 1, 1))
        else:
            masks["ellipsis" if part is Ellipsis else "new_axis"] |= 1 << i
            bounds.append((0, 0, 1))
    begin, end, strides = (
        (list(column) for column in zip(*bounds, strict=True)) if bounds else ([], [], [])
    )
    return begin, end, strides, Masks(**masks)


@given(indexed_arrays())
def test_window_is_what_numpy_takes(case: tuple[np.ndarray, tuple[Any, ...]]) -> None:
    array, index = case
    begin, end, strides, masks = _spec(index)
    try:
        expected = array[index]
    except IndexError:
        with pytest.raises(ValueError, match="out of bounds"):
            window(array.shape, begin, end, strides, masks)
        return
    found = window(array.shape, begin, end, strides, masks)
    np.testing.assert_array_equal(array[found.index], expected)
    assert isinstance(array[found.index], np.ndarray)
    assert found.shape == np.shape(expected)


@given(indexed_arrays(), st.integers(0, 15))
def test_partly_known_shape_is_never_wrong(
    case: tuple[np.ndarray, tuple[Any, ...]], hidden: int
) -> None:
    array, index = case
    begin, end, strides, masks = _spec(index)
    try:
        expected = np.shape(array[index])
    except IndexError:
        return
    dims = [None if hidden >> i & 1 else n for i, n in enumerate(array.shape)]
    for bounds in ((begin, end), (None, None)):
        shape = window(dims, *bounds, strides, masks).shape
        assert len(shape) == len(expected)
        assert all(have in (None, want) for have, want in zip(shape, expected, strict=True))
