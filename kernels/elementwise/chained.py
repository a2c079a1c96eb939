"""Several elementwise operations on float32 arrays as one call of oneDNN."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from dataflow.kernels.elementwise.chains import (
    EXTREMES,
    Link,
    OperandKind,
    chain,
    extremes_tell_of_nans,
)
from dataflow.kernels.memory.workspace import workspace
from dataflow.kernels.onednn import library as onednn
from dataflow.kernels.onednn.addresses import address_of
from dataflow.kernels.onednn.invalid_flag import flag
from dataflow.kernels.onednn.primitive import Primitive

LONGEST: Final = 32
"""Operations of a call: oneDNN takes no more."""
GIVEN: Final = object()
"""Stands for an operand that each call has its own of."""
_MOST_NANS: Final = 8
"""Calls with a NaN after which no other is tried: their work is done twice."""
_KEPT: Final = 64
"""Kinds of calls that are remembered."""


class Operation(NamedTuple):
    """What is done with what the operation before it has made."""

    name: str
    """A name of `chains.BINARIES`, `EXTREMES` or `UNARIES`."""
    operand: Any = None
    """The second operand, if there is one: a number, or `GIVEN`."""


class Chained:
    """Runs operations one after the other on each element."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        """Prepares to run them.

        Args:
          operations: At most `LONGEST`, the first with an operand.
        """
        self.has_extremes: Final = any(operation.name in EXTREMES for operation in operations)
        """Whether it fails if there is a NaN."""
        operands = [o.operand for o in operations if o.operand is not None]
        self._operations = tuple(operations)
        self._given = [place for place, operand in enumerate(operands, 1) if operand is GIVEN]
        self._constants = [np.array(0 if o is GIVEN else o, np.float32) for o in operands]
        self._addresses = [0, *map(address_of, self._constants), 0]
        """Of the source, the operands and the result."""
        self._flag = flag() if self.has_extremes else None
        self._nans = 0
        self._primitives: dict[Any, Primitive | None] = {}

    def __call__(self, out: Any, source: Any, *operands: Any) -> bool:
        """Writes to an array what becomes of another one.

        Args:
          out: float32, contiguous; one axis, or (rows, length).
          source: float32, contiguous, of this shape. It may be `out`; then it is no operand.
          *operands: float32, contiguous, of this shape, of no axes, (length,) or (rows, 1).

        Returns:
          False if it must be done otherwise: oneDNN has no fast code for it, or there was a NaN on
          the way to an extreme. The source is what it was.
        """
        key = (out.shape, *[operand.shape for operand in operands])
        try:
            primitive = self._primitives[key]
        except KeyError:
            primitive = self._find(*key)
        if primitive is None:
            return False
        addresses = self._addresses.copy()
        addresses[0], addresses[-1] = address_of(source), address_of(out)
        for place, operand in zip(self._given, operands, strict=True):
            addresses[place] = address_of(operand)
        if self._flag is None:
            primitive.run(*addresses)
            return True
        before = None
        if addresses[0] == addresses[-1]:
            before = workspace(np, "chained", out.shape, np.float32)
            before[...] = source
        lower, is_up = self._flag
        lower()
        primitive.run(*addresses)
        if not is_up():
            return True
        if before is not None:
            source[...] = before
        self._nans += 1
        if self._nans == _MOST_NANS:
            self._primitives = dict.fromkeys(self._primitives)
        return False

    def _find(self, shape: tuple[int, ...], *operands: tuple[int, ...]) -> Primitive | None:
        """The code for shapes of the result and of what is given."""
        if len(self._primitives) >= _KEPT:
            self._primitives.clear()
        self._primitives[(shape, *operands)] = found = self._compiled(shape, operands)
        return found

    def _compiled(
        self, shape: tuple[int, ...], operands: Sequence[tuple[int, ...]]
    ) -> Primitive | None:
        library = onednn.find()
        if library is None or self._nans >= _MOST_NANS:
            return None
        if self.has_extremes and not extremes_tell_of_nans(library):
            return None
        given = iter(operands)
        links = []
        for name, operand in self._operations:
            kind = OperandKind.NONE if operand is None else OperandKind.NUMBER
            links.append(Link(name, _kind(next(given), shape) if operand is GIVEN else kind))
        if {OperandKind.ROW, OperandKind.COLUMN} <= {link.operand for link in links}:
            return None
        return chain(library, shape, tuple(links))


def _kind(operand: tuple[int, ...], shape: tuple[int, ...]) -> OperandKind:
    """How an operand of a shape is repeated for a result of another one."""
    if operand == shape:
        return OperandKind.ARRAY
    if not operand:
        return OperandKind.NUMBER
    return OperandKind.ROW if len(operand) == 1 else OperandKind.COLUMN
