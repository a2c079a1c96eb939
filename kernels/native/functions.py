"""The functions that are written as formulas, where the processor multiplies and adds at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from dataflow.kernels.native import angles, bessel, exponentials, gamma, zeta
from dataflow.kernels.native.arithmetic import Lanes
from dataflow.kernels.native.builtin import compiler
from dataflow.kernels.native.vector import Vector


class _Formula(NamedTuple):
    """How a function is written, and for which types."""

    letters: frozenset[str]
    write: Callable[..., Vector]
    seconds: float = 0.3e-9
    """What it takes for a number."""


FORMULAS: Final[Mapping[str, _Formula]] = {
    **{
        name: _Formula(frozenset("fd"), getattr(exponentials, name))
        for name in (
            *("exp", "expm1", "log", "log1p", "tanh", "sinh", "cosh"),
            *("arcsinh", "arccosh", "arctanh"),
        )
    },
    **{
        name: _Formula(frozenset("f"), getattr(angles, name))
        for name in ("arcsin", "arccos", "arctan", "arctan2")
    },
    **{
        name: _Formula(frozenset("f"), getattr(room, name), seconds)
        for room, names, seconds in (
            (gamma, ("gammaln", "digamma"), 4e-9),
            (bessel, ("i0", "i1", "i0e", "i1e"), 2.5e-9),
            (zeta, ("zeta", "polygamma"), 14e-9),
        )
        for name in names
    },
}
"""By the names of numpy's functions, or of scipy's."""


@cache
def _can_fuse() -> bool:
    found = compiler()
    return found is not None and found.fuses


def is_formula(function: str, letter: str) -> bool:
    """Whether a function of a type, by its letter, is written as a formula here."""
    known = FORMULAS.get(function)
    return known is not None and letter in known.letters and _can_fuse()


def apply(lanes: Lanes, function: str, operands: Sequence[tuple[str, str]], dtype: str) -> str:
    """Writes a function, a formula or an instruction.

    Args:
      lanes: What it is written with.
      function: Its name.
      operands: Letter and name of each.
      dtype: What it makes.

    Returns:
      The name of what it makes.
    """
    if not is_formula(function, dtype):
        return lanes.apply(function, operands, dtype)
    given = [Vector(lanes, letter, name) for letter, name in operands]
    return FORMULAS[function].write(*given).name
