"""How the operands of an elementwise cluster are cut into blocks: rows of one length each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum
from typing import Any, Final, NamedTuple

import numpy as np

from dataflow.kernels.reductions.parts import Parts

BLOCK: Final = 1 << 17
"""Elements of a block: large enough for the calls not to count, small enough for the cache."""
LARGEST: Final = 4 * BLOCK
"""Elements of a block, if calls for fewer would be too short, or the results have larger parts."""
_LONG_ROW: Final = 1 << 9
"""Elements of a row from which on starting it costs little; what is repeated for each row of many
more leaves the first cache."""
_SHARE: Final = 4
"""An operand is repeated beforehand where that makes at most one number for so many of a result."""

Shape = tuple[int, ...]


class Extent(Enum):
    """Along which of two axes an operand extends."""

    WHOLE = "whole"
    """Both: it has the shape of the result."""
    ROW = "row"
    """It has trailing dimensions only, and is repeated for each row."""
    COLUMN = "column"
    """It has leading dimensions only: one number for each row."""
    NUMBER = "number"
    """It is one number."""


class Grid(NamedTuple):
    """Two axes that operands of certain shapes can be seen to have."""

    shape: Shape
    """The shape of the result."""
    rows: int
    length: int
    """Elements of a row; 1 if no operand is a row or column: then each element is one."""
    extents: tuple[Extent, ...]
    """For each operand."""
    repeat: int
    """How often an operand that is a row stands in a row of this length."""
    leading: int
    """How many dimensions are those of the rows."""

    def block(self, parts: Sequence[Parts], elements: int) -> int | None:
        """Rows of a block.

        Args:
          parts: How the results are reduced. Each block must be one or more whole parts.
          elements: How many a block should have, at most.

        Returns:
          None if there are no such blocks.
        """
        size = self.rows * self.length
        unit = math.lcm(self.length, *[part.unit for part in parts])
        exact = {part.unit for part in parts if part.is_exact}
        block = exact.pop() if exact else max(1, elements // unit) * unit
        if exact or min(block, size) > LARGEST or (block < size and block % unit):
            return None
        return min(block, size) // self.length

    @property
    def two_axes(self) -> Shape:
        """The shape of what has both axes."""
        return (self.rows,) if self.length == 1 else (self.rows, self.length)

    def form(self, shape: Shape, extent: Extent) -> Shape | None:
        """The shape that an operand gets on the two axes; None if that takes more (`repeated`)."""
        if extent is Extent.WHOLE:
            return self.two_axes
        if extent is Extent.NUMBER:
            return None
        form = (self.rows, 1) if extent is Extent.COLUMN else (self.length,)
        return form if math.prod(shape) == math.prod(form) else None

    def repeated(self, array: Any, extent: Extent) -> Any:
        """A number as an array, or a row or column as long as those of the results."""
        if extent is Extent.NUMBER:
            return np.asarray(array).reshape(())
        leading, trailing = self.shape[: self.leading], self.shape[self.leading :]
        if extent is Extent.COLUMN:
            return np.broadcast_to(array, leading + (1,) * len(trailing)).reshape(self.rows, 1)
        row = np.broadcast_to(array, (1,) * len(leading) + trailing).reshape(-1)
        return np.tile(row, self.repeat)


def find_blocks(
    shapes: Sequence[Shape],
    wholes: Sequence[bool],
    parts: Sequence[Parts],
    elements: int = BLOCK,
) -> tuple[Grid, int] | None:
    """The axes for operands of these shapes, and the rows of a block; None if there are none.

    Args:
      shapes: The operands' shapes.
      wholes: Which of them must have the shape of the result; at least one.
      parts: How the results are reduced.
      elements: How many a block should have, at most.
    """
    for joins in (True, False):
        grid = find_grid(shapes, wholes, joins)
        block = grid.block(parts, elements) if grid is not None else None
        if grid is not None and block is not None:
            return grid, block
    return None


def find_grid(shapes: Sequence[Shape], wholes: Sequence[bool], joins: bool = True) -> Grid | None:
    """The axes for operands of these shapes, or None if two do not do.

    Args:
      shapes: The operands' shapes.
      wholes: Which of them must have the shape of the result; at least one.
      joins: Takes several short rows as one.
    """
    whole = next(shape for shape, is_whole in zip(shapes, wholes, strict=True) if is_whole)
    size = math.prod(whole)
    if not size:
        return None
    for shape, is_whole in zip(shapes, wholes, strict=True):
        if is_whole and shape != whole:
            return None
    others = [_padded(shape, len(whole)) for shape in shapes]
    if any(shape is None for shape in others):
        return None
    best: Grid | None = None
    least = size // _SHARE + 1
    for leading in range(len(whole) + 1):
        found = [_extent(shape, whole, leading, w) for shape, w in zip(others, wholes, strict=True)]
        extents = tuple(extent for extent in found if extent is not None)
        made = sum(_made(s, whole, leading, e) for s, e in zip(others, found, strict=True))
        if len(extents) < len(found) or made >= least:
            continue
        grid = _with_leading(whole, extents, leading, joins)
        if grid is not None:
            best, least = grid, made
    return best


def fits(shape: Shape, whole: Shape) -> bool:
    """Whether an operand of a shape can be seen on two axes of a result of another one.

    One that is repeated along axes between two that it has cannot, unless repeating it beforehand
    is cheap.
    """
    return find_grid((whole, shape), (True, False)) is not None


def _with_leading(
    whole: Shape, extents: tuple[Extent, ...], leading: int, joins: bool
) -> Grid | None:
    rows, length, repeat = math.prod(whole[:leading]), math.prod(whole[leading:]), 1
    if Extent.ROW not in extents and Extent.COLUMN not in extents:
        return Grid(whole, rows * length, 1, extents, 1, leading)
    if joins and Extent.COLUMN not in extents:
        # Several rows are taken as one, and what is repeated for each is repeated in it.
        while not rows % 2 and length * 2 <= _LONG_ROW:
            rows, length, repeat = rows // 2, length * 2, repeat * 2
    if length > BLOCK:
        return None
    return Grid(whole, rows, length, extents, repeat, leading)


def _padded(shape: Shape, rank: int) -> Shape | None:
    """The shape with leading dimensions of 1; None if it has more dimensions than the result."""
    return (1,) * (rank - len(shape)) + shape if len(shape) <= rank else None


def _extent(shape: Shape | None, whole: Shape, leading: int, is_whole: bool) -> Extent | None:
    if is_whole or shape == whole:
        return Extent.WHOLE
    assert shape is not None
    if math.prod(shape) == 1:
        return Extent.NUMBER
    if not all(own in (1, size) for own, size in zip(shape, whole, strict=True)):
        return None
    if math.prod(shape[:leading]) == 1:
        return Extent.ROW
    if math.prod(shape[leading:]) == 1:
        return Extent.COLUMN
    return None


def _made(shape: Shape | None, whole: Shape, leading: int, extent: Extent | None) -> int:
    """How many numbers an operand becomes by being repeated beforehand; 0 if it is not."""
    if shape is None or extent not in (Extent.ROW, Extent.COLUMN):
        return 0
    wanted = math.prod(whole[leading:] if extent is Extent.ROW else whole[:leading])
    return 0 if math.prod(shape) == wanted else wanted
