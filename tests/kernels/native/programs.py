"""What tests of programs share: how to write one, to run it, and to have numpy do the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dataflow.kernels.native.compiled import compiled
from dataflow.kernels.native.program import DTYPES, LETTERS, Held, Instruction, Operand, Program
from tests.kernels.alone import alone

Step = tuple[Any, ...]
"""The name of a function of numpy's, then its operands: places, or numbers."""


def operand(value: Any, rank: int) -> Operand:
    """A value as it is aligned with results of so many axes."""
    axes = range(rank - np.ndim(value), rank)
    kept = (a if length > 1 else -1 for a, length in zip(axes, np.shape(value), strict=True))
    return Operand(LETTERS[value.dtype], tuple(kept), isinstance(value, np.ndarray))


def whole(dtype: str, rank: int) -> Operand:
    """An operand that extends along all axes."""
    return Operand(dtype, tuple(range(rank)), True)


def program_of(
    operands: Sequence[Operand], steps: Sequence[Step], results: Sequence[int], rank: int
) -> tuple[Program, list[Any]]:
    """A program, all of whose steps make what their first operand is, or truth values."""
    letters = [one.dtype for one in operands]
    held: list[Any] = []
    made = []
    for name, *given in steps:
        like = next(letters[place] for place in given if isinstance(place, int))
        places: list[int | Held] = []
        for one in given:
            if isinstance(one, int):
                places.append(one)
            else:
                places.append(Held(like, len(held)))
                held.append(DTYPES[like].type(one))
        is_truth = "less" in name or "greater" in name or "equal" in name
        letters.append("b" if is_truth else letters[given[1]] if name == "where" else like)
        made.append(Instruction(name, tuple(places), letters[-1]))
    return Program(rank, tuple(operands), tuple(made), tuple(results)), held


def by_numpy(values: Sequence[Any], steps: Sequence[Step], results: Sequence[int]) -> list[Any]:
    """What the steps come to."""
    found = list(values)
    with np.errstate(all="ignore"):
        for name, *given in steps:
            like = next(found[place] for place in given if isinstance(place, int)).dtype.type
            operands = [found[one] if isinstance(one, int) else like(one) for one in given]
            found.append(getattr(alone, name)(*operands))
    shape = np.broadcast_shapes(*(np.shape(value) for value in values))
    return [np.broadcast_to(found[place], shape) for place in results]


def run(
    program: Program, held: Sequence[Any], values: Sequence[Any], shape: tuple[int, ...]
) -> list[Any] | None:
    """What a program gives; None if it refuses the values."""
    made = [np.full(shape, 7, DTYPES[program.dtype_of(place)]) for place in program.results]
    is_done = compiled(program, held)(*made, *values)
    if not is_done:
        assert all((array == array.dtype.type(7)).all() for array in made)
    return made if is_done else None


def numbers(shape: tuple[int, ...], seed: int = 0, dtype: Any = np.float32) -> Any:
    """Normal numbers of a deviation of 2."""
    return (np.random.default_rng(seed).normal(size=shape) * 2).astype(dtype)


def assert_same_bits(found: Sequence[Any] | None, wanted: Sequence[Any]) -> None:
    assert found is not None
    for one, other in zip(found, wanted, strict=True):
        assert one.dtype == other.dtype
        assert one.tobytes() == np.ascontiguousarray(other).tobytes()
