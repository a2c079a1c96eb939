"""Programs as functions of arrays, each kind compiled once."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from dataflow.kernels.native.arithmetic import can_write
from dataflow.kernels.native.builtin import Builtin, Code, compiler
from dataflow.kernels.native.functions import is_formula
from dataflow.kernels.native.guards import are_right
from dataflow.kernels.native.program import Program
from dataflow.kernels.native.writer import Writer
from dataflow.kernels.threads.parallel import split

_KEPT: Final = 1024
"""Programs that are remembered."""
_PART: Final = 100e-6
"""Seconds of a part that is worth a thread."""
WORTH: Final = 2 * _PART
"""Seconds from which on work can be split."""


@functools.cache
def is_there() -> bool:
    """Whether programs can be compiled here."""
    return are_right() and compiler() is not None


def can_run(function: str, operands: str, dtype: str) -> bool:
    """Whether a program may have a function of operands of such types, that makes such a type."""
    if is_formula(function, dtype):
        return set(operands) == {dtype}
    return can_write(function, operands, dtype)


def compiled(program: Program, held: Sequence[np.generic]) -> Builtin:
    """The function `f(*results, *operands, *checks)` of a program.

    It fills the results, arrays in C order, and says True; or says False and does nothing, if
    something that it is given is not what the program was made for. Of three further arguments the
    last says how many parts the work has, and the others from which to which it is to be done.

    Args:
      program: What it does.
      held: The numbers that it holds.
    """
    return _code_of(program).function(b"".join(one.tobytes().ljust(8, b"\0") for one in held))


@functools.lru_cache(maxsize=_KEPT)
def _code_of(program: Program) -> Code:
    found = compiler()
    assert found is not None
    return found.compile(Writer(program, found.width).write())


def run_in_parts(function: Builtin, seconds: float, *given: Any) -> bool:
    """Calls the function of a program, by several threads if it takes so long that this pays."""
    parts = int(seconds / _PART) if seconds >= WORTH else 1
    if parts < 2:
        return bool(function(*given))
    refused: list[bool] = []

    def run(start: int, stop: int) -> None:
        if not function(*given, start, stop, parts):
            refused.append(True)

    split(parts, 1, run)
    return not refused
