"""About how long a program takes."""

from __future__ import annotations

from typing import Final, NamedTuple

from dataflow.kernels.native.functions import FORMULAS, is_formula
from dataflow.kernels.native.program import DTYPES, Program

_DIVISION: Final = 0.15e-9
_INSTRUCTION: Final = 0.02e-9
"""Seconds that divisions and roots, and other instructions than formulas take for a number."""
_CACHE: Final = 1 << 21
_NEAR: Final = 0.0125e-9
_FAR: Final = 0.04e-9
"""Seconds for a byte that is read or written, where all bytes lie in a processor's own cache, and
where they are more than that."""
_DIVIDING: Final = frozenset({"divide", "reciprocal", "sqrt"})


class Price(NamedTuple):
    """What a program takes for each number of its results."""

    seconds: float
    """Of its instructions."""
    moved: int
    """Bytes read and written."""

    def of(self, size: int) -> float:
        """About how many seconds it takes for results of a size."""
        moved = self.moved * size
        return self.seconds * size + moved * (_NEAR if moved < _CACHE else _FAR)


def price_of(program: Program) -> Price:
    """What a program takes."""
    seconds = 0.0
    for one in program.instructions:
        if is_formula(one.function, one.dtype):
            seconds += FORMULAS[one.function].seconds
        else:
            seconds += _DIVISION if one.function in _DIVIDING else _INSTRUCTION
    moved = [o.dtype for o in program.operands if o.extent]
    moved += map(program.dtype_of, program.results)
    return Price(seconds, sum(DTYPES[letter].itemsize for letter in moved))
