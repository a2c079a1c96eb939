"""What a StridedSlice's bounds and masks mean for a shape: the size and window of each dimension.

The rules are those of TensorFlow's `ValidateStridedSliceOp`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

_NEW_AXIS = -1
_SHRINK_AXIS = -2


@dataclass(frozen=True, slots=True)
class Masks:
    """The mask attrs of a StridedSlice: bit i is about entry i of the bounds."""

    begin: int
    end: int
    ellipsis: int
    new_axis: int
    shrink_axis: int

    @staticmethod
    def read(attr: Callable[[str], Any]) -> Masks:
        """The masks of a node, whose attrs `attr` reads."""
        return Masks(
            attr("begin_mask"),
            attr("end_mask"),
            attr("ellipsis_mask"),
            attr("new_axis_mask"),
            attr("shrink_axis_mask"),
        )


@dataclass(frozen=True, slots=True)
class Window:
    """What a StridedSlice takes of a tensor."""

    index: tuple[Any, ...]
    """Index that takes it out of an array; it always leaves an array, never a scalar."""
    sizes: tuple[int | None, ...]
    """Sizes along the input's dimensions, before dimensions are dropped or added."""
    shape: tuple[int | None, ...]
    """The result's shape."""


@dataclass(slots=True)
class _Dense:
    """The bounds spelled out: one entry for each dimension of the input."""

    begin: list[int]
    end: list[int]
    strides: list[int]
    begin_mask: int
    end_mask: int
    shrink_mask: int
    gather: list[int]
    """For each dimension of the result the input dimension it is, or a new or dropped one."""


def window(
    dims: Sequence[int | None],
    begin: Sequence[int] | None,
    end: Sequence[int] | None,
    strides: Sequence[int],
    masks: Masks,
) -> Window:
    """Resolves bounds against a shape.

    Args:
      dims: The input's sizes, None where not known.
      begin: First positions, or None where not known.
      end: Positions to stop before, or None where not known.
      strides: Steps.
      masks: The mask attrs.

    Raises:
      ValueError: The bounds do not fit the shape.
    """
    if masks.ellipsis & (masks.ellipsis - 1):
        raise ValueError("Multiple ellipses in slice spec not allowed")
    dense = _spell_out(len(dims), begin, end, strides, masks)
    known = begin is not None and end is not None
    sizes: list[int | None] = []
    index: list[Any] = []
    for axis, dim in enumerate(dims):
        size, part = _resolve(dense, axis, dim, known)
        sizes.append(size)
        index.append(part)
    shape: list[int | None] = []
    parts: list[Any] = []
    dropped = iter([axis for axis in range(len(dims)) if dense.shrink_mask >> axis & 1])
    for place in dense.gather:
        if place == _NEW_AXIS:
            shape.append(1)
            parts.append(None)
        elif place == _SHRINK_AXIS:
            parts.append(index[next(dropped)])
        else:
            shape.append(sizes[place])
            parts.append(index[place])
    return Window((*parts, Ellipsis), tuple(sizes), tuple(shape))


def _spell_out(
    rank: int,
    begin: Sequence[int] | None,
    end: Sequence[int] | None,
    strides: Sequence[int],
    masks: Masks,
) -> _Dense:
    count = len(strides)
    ellipsis_mask = masks.ellipsis
    seen = False
    added_after = 0
    for i in range(count):
        if seen and masks.new_axis >> i & 1:
            added_after += 1
        if ellipsis_mask >> i & 1:
            seen = True
    if not seen:
        ellipsis_mask |= 1 << count
        count += 1
    dense = _Dense([0] * rank, [0] * rank, [1] * rank, 0, 0, 0, [])
    axis = 0
    for i in range(count):
        if ellipsis_mask >> i & 1:
            stop = min(rank - (count - i) + 1 + added_after, rank)
            while axis < stop:
                dense.begin_mask |= 1 << axis
                dense.end_mask |= 1 << axis
                dense.gather.append(axis)
                axis += 1
        elif masks.new_axis >> i & 1:
            dense.gather.append(_NEW_AXIS)
        else:
            if not rank:
                raise ValueError("Attempting to slice scalar input.")
            if axis == rank:
                raise ValueError(
                    f"Index out of range using input dim {axis}; input has only {rank} dims"
                )
            if begin is not None:
                dense.begin[axis] = begin[i]
            if end is not None:
                dense.end[axis] = end[i]
            dense.strides[axis] = strides[i]
            dense.begin_mask |= (masks.begin >> i & 1) << axis
            dense.end_mask |= (masks.end >> i & 1) << axis
            if masks.shrink_axis >> i & 1:
                dense.gather.append(_SHRINK_AXIS)
                dense.shrink_mask |= 1 << axis
            else:
                dense.gather.append(axis)
            axis += 1
    return dense


def _resolve(dense: _Dense, axis: int, dim: int | None, known: bool) -> tuple[int | None, Any]:
    """Size and index of what is taken along one dimension."""
    stride = dense.strides[axis]
    if stride == 0:
        raise ValueError(f"strides[{axis}] must be non-zero")
    shrink = bool(dense.shrink_mask >> axis & 1)
    if dim is None:
        return (1 if shrink else None), None
    if shrink and stride <= 0:
        raise ValueError("only stride 1 allowed on non-range indexing.")
    if shrink:
        if not known:
            return 1, None
        place = dense.begin[axis] + dim if dense.begin[axis] < 0 else dense.begin[axis]
        if not 0 <= place < dim:
            raise ValueError(f"slice index {place} of dimension {axis} out of bounds.")
        return 1, place
    low_masked, high_masked = dense.begin_mask >> axis & 1, dense.end_mask >> axis & 1
    if not known:
        return (-(-dim // abs(stride)) if low_masked and high_masked else None), None
    low, high = (0, dim) if stride > 0 else (-1, dim - 1)
    first = (
        (low if stride > 0 else high) if low_masked else _clamped(dense.begin[axis], dim, low, high)
    )
    last = (
        (high if stride > 0 else low) if high_masked else _clamped(dense.end[axis], dim, low, high)
    )
    size = max(0, -(-(last - first) // stride))
    return size, slice(first, None if last < 0 else last, stride) if size else slice(0, 0)


def _clamped(position: int, dim: int, low: int, high: int) -> int:
    return min(max(position + dim if position < 0 else position, low), high)
