"""Elementwise operations on float32 arrays, several in one pass over memory, by oneDNN.

Each operation rounds as numpy's does: results are the same to the bit, but for the bits of a NaN.
Extremes lose NaNs, and then raise the processor's flag of invalid operations.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Final

import numpy as np

from dataflow.kernels.onednn.addresses import address_of
from dataflow.kernels.onednn.invalid_flag import flag
from dataflow.kernels.onednn.library import BINARY, Library, OneDnnError, Threads
from dataflow.kernels.onednn.primitive import (
    POST_OPERATION,
    RESULT,
    SECOND_SOURCE,
    SOURCE,
    Description,
    Layout,
    PostOperation,
    Primitive,
)

_KEPT: Final = 1024
"""Primitives that are kept."""


class OperandKind(Enum):
    """What an operation combines what it gets with."""

    NONE = auto()
    NUMBER = auto()
    """The same for all elements."""
    ARRAY = auto()
    """One for each element."""
    ROW = auto()
    """One for each place in a row."""
    COLUMN = auto()
    """One for each row."""


@dataclass(frozen=True, slots=True)
class Link:
    """One operation on what the one before it has made."""

    operation: str
    """A name of `BINARIES` or `UNARIES`."""
    operand: OperandKind = OperandKind.NONE


BINARIES: Final = {"add": 0x1FFF0, "multiply": 0x1FFF1, "divide": 0x1FFF4, "subtract": 0x1FFF5}
EXTREMES: Final = {"maximum": 0x1FFF2, "minimum": 0x1FFF3}
"""oneDNN's numbers by name."""
UNARIES: Final = {
    "square": (0x23, 0.0, 0.0),
    "absolute": (0x24, 0.0, 0.0),
    "sqrt": (0x25, 0.0, 0.0),
    "reciprocal": (0x30, 1.0, -1.0),
}
"""oneDNN's number and its two parameters by name."""


@functools.lru_cache(maxsize=_KEPT)
def chain(library: Library, shape: tuple[int, ...], links: tuple[Link, ...]) -> Primitive | None:
    """What runs operations on arrays of a shape; None if oneDNN has no fast code for it.

    Its `run` takes the addresses of the source, of each operand in order, and of the result, which
    may be any of the arrays.

    Args:
      library: The library.
      shape: (elements,), or (rows, length) if an operand is a row or a column. No chain has both.
      links: The operations, of which the first has an operand.
    """
    try:
        return _compiled(library, shape, links) if _is_exact(library) else None
    except OneDnnError:
        return None


def _compiled(library: Library, shape: tuple[int, ...], links: tuple[Link, ...]) -> Primitive:
    layouts = _layouts(library, shape, any(link.operand is OperandKind.COLUMN for link in links))
    array, second = layouts[OperandKind.ARRAY], layouts[links[0].operand]
    roles = [(SOURCE, array), (SECOND_SOURCE, second)]
    after = []
    for place, link in enumerate(links[1:], 1):
        if link.operand is OperandKind.NONE:
            after.append(
                PostOperation(UNARIES[link.operation][0], None, *UNARIES[link.operation][1:])
            )
        else:
            operand = layouts[link.operand]
            after.append(PostOperation(_number(link), operand))
            roles.append((POST_OPERATION * place | SECOND_SOURCE, operand))
    roles.append((RESULT, array))
    with Threads(library, 1):
        first = _number(links[0])
        described = Description(library, BINARY, first, array, second, array, after=after)
        return Primitive(described, roles)


def _number(link: Link) -> int:
    """oneDNN's number of an operation with two operands."""
    found = BINARIES.get(link.operation)
    return EXTREMES[link.operation] if found is None else found


def _layouts(
    library: Library, shape: tuple[int, ...], has_columns: bool
) -> dict[OperandKind, Layout]:
    """How operands lie in memory, on the axes for which oneDNN repeats them in its fast code."""
    if len(shape) == 1:
        (size,) = shape
        number, array = Layout(library, (1,), (1,)), Layout(library, (size,), (1,))
        return {OperandKind.NUMBER: number, OperandKind.ARRAY: array}
    rows, length = shape
    if has_columns:
        return {
            OperandKind.NUMBER: Layout(library, (1, 1, 1), (1, 1, 1)),
            OperandKind.ARRAY: Layout(library, (1, rows, length), (rows * length, length, 1)),
            OperandKind.COLUMN: Layout(library, (1, rows, 1), (rows, 1, 1)),
        }
    return {
        OperandKind.NUMBER: Layout(library, (1, 1), (1, 1)),
        OperandKind.ARRAY: Layout(library, (rows, length), (length, 1)),
        OperandKind.ROW: Layout(library, (1, length), (length, 1)),
    }


@functools.cache
def _is_exact(library: Library) -> bool:
    """Tries all operations but extremes, some of them in place, on numbers of all kinds."""
    with np.errstate(all="ignore"):
        x = _all_kinds()
        other, number = np.roll(x, 29), np.array([1.7], np.float32)
        found = other.copy()
        links = [Link("multiply", OperandKind.NUMBER)]
        expected = x * number
        for name in BINARIES:
            links.append(Link(name, OperandKind.ARRAY))
            expected = getattr(np, name)(expected, other)
        for name in ("reciprocal", "absolute", "sqrt", "square"):
            links.append(Link(name))
            expected = getattr(np, name)(expected)
    try:
        primitive = _compiled(library, x.shape, tuple(links))
        operands = (*(other,) * (len(BINARIES) - 1), found)
        addresses = [address_of(array) for array in (x, number, *operands, found)]
        primitive.run(*addresses)
    except OneDnnError:
        return False
    return bool(np.array_equal(found, expected, equal_nan=True))


@functools.cache
def extremes_tell_of_nans(library: Library) -> bool:
    """Whether the flag of invalid operations goes up if an operand is no number, and only then.

    Where it does not, results must be numpy's, zeros too: of two equal ones the second.
    """
    known = flag()
    if known is None:
        return False
    lower, is_up = known
    kinds = _all_kinds()
    numbers = np.append(kinds[~np.isnan(kinds)], np.array([0, -0.0], np.float32))
    for name in EXTREMES:
        for place in (None, 0, 1):
            operands = [numbers.copy(), np.roll(numbers, 29)]
            operands[1][-2:] = -0.0, 0
            if place is not None:
                operands[place][7] = np.nan
            found = np.empty_like(numbers)
            try:
                primitive = _compiled(library, numbers.shape, (Link(name, OperandKind.ARRAY),))
                addresses = [address_of(array) for array in (*operands, found)]
                lower()
                primitive.run(*addresses)
                is_told = bool(is_up())
            except OneDnnError:
                return False
            is_exact = is_told or found.tobytes() == getattr(np, name)(*operands).tobytes()
            if is_told != (place is not None) or not is_exact:
                return False
    return True


def _all_kinds() -> Any:
    """Numbers of all sizes and both signs, and a NaN."""
    x = np.geomspace(1e-44, 3e38, 83, dtype=np.float32)
    return np.concatenate([x, -x, np.array([0, -0.0, np.inf, -np.inf, np.nan], np.float32)])
