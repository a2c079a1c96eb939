"""Elementwise operations on float32 arrays, several in one pass over memory, by oneDNN.

Each operation rounds as numpy's does: results are the same to the bit, but for the bits of a NaN.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

import numpy as np

from dataflow.kernels.onednn.addresses import address_of
from dataflow.kernels.onednn.library import BINARY, Library, OneDnnError, Single
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


class Operand(Enum):
    """What an operation combines what it gets with."""

    NONE = auto()
    NUMBER = auto()
    """The same for all elements."""
    ARRAY = auto()
    """One for each element."""


@dataclass(frozen=True, slots=True)
class Link:
    """One operation on what the one before it has made."""

    operation: str
    """A name of `BINARIES` or `UNARIES`."""
    operand: Operand = Operand.NONE


BINARIES: Final = {"add": 0x1FFF0, "multiply": 0x1FFF1, "divide": 0x1FFF4, "subtract": 0x1FFF5}
"""oneDNN's numbers by name. Its maximum and minimum lose NaNs, so they are not here."""
UNARIES: Final = {
    "square": (0x23, 0.0, 0.0),
    "absolute": (0x24, 0.0, 0.0),
    "sqrt": (0x25, 0.0, 0.0),
    "reciprocal": (0x30, 1.0, -1.0),
}
"""oneDNN's number and its two parameters by name."""


@functools.lru_cache(maxsize=_KEPT)
def chain(library: Library, size: int, links: tuple[Link, ...]) -> Primitive | None:
    """What runs operations on arrays of so many elements; None if oneDNN has no fast code for it.

    Its `run` takes the addresses of the source, of each operand in order, and of the result, which
    may be any of the arrays.

    Args:
      library: The library.
      size: How many elements.
      links: The operations, of which the first has an operand.
    """
    try:
        return _compiled(library, size, links) if _is_exact(library) else None
    except OneDnnError:
        return None


def _compiled(library: Library, size: int, links: tuple[Link, ...]) -> Primitive:
    array, number = Layout(library, (size,), (1,)), Layout(library, (1,), (1,))
    layouts = {Operand.NONE: None, Operand.NUMBER: number, Operand.ARRAY: array}
    second = layouts[links[0].operand]
    roles = [(SOURCE, array), (SECOND_SOURCE, second)]
    after = []
    for place, link in enumerate(links[1:], 1):
        operand = layouts[link.operand]
        if operand is None:
            after.append(
                PostOperation(UNARIES[link.operation][0], None, *UNARIES[link.operation][1:])
            )
        else:
            after.append(PostOperation(BINARIES[link.operation], operand))
            roles.append((POST_OPERATION * place | SECOND_SOURCE, operand))
    roles.append((RESULT, array))
    with Single(library):
        first = BINARIES[links[0].operation]
        described = Description(library, BINARY, first, array, second, array, after=after)
        return Primitive(described, roles)


@functools.cache
def _is_exact(library: Library) -> bool:
    """Tries all operations, some of them in place, on numbers of all kinds."""
    with np.errstate(all="ignore"):
        x = np.geomspace(1e-44, 3e38, 83, dtype=np.float32)
        x = np.concatenate([x, -x, np.array([0, -0.0, np.inf, -np.inf, np.nan], np.float32)])
        other, number = np.roll(x, 29), np.array([1.7], np.float32)
        found = other.copy()
        links = [Link("multiply", Operand.NUMBER)]
        expected = x * number
        for name in BINARIES:
            links.append(Link(name, Operand.ARRAY))
            expected = getattr(np, name)(expected, other)
        for name in ("reciprocal", "absolute", "sqrt", "square"):
            links.append(Link(name))
            expected = getattr(np, name)(expected)
    try:
        primitive = _compiled(library, x.size, tuple(links))
        operands = (other, other, other)
        addresses = [address_of(array) for array in (x, number, *operands, found, found)]
        primitive.run(*addresses)
    except OneDnnError:
        return False
    return bool(np.array_equal(found, expected, equal_nan=True))
