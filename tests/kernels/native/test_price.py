"""What a program is said to take: by its instructions, and by the bytes that it moves."""

from __future__ import annotations

import numpy as np
import pytest

from dataflow.kernels.native.price import price_of
from dataflow.kernels.native.program import Instruction, Operand, Program


def _program(*functions: str, letter: str = "f", operands: int = 1) -> Program:
    given = (Operand(letter, (0,), True),) * operands
    steps = tuple(
        Instruction(name, (operands + at - 1 if at else 0,), letter)
        for at, name in enumerate(functions)
    )
    return Program(1, given, steps, (operands + len(steps) - 1,))


@pytest.mark.parametrize(
    ("program", "moved"),
    [
        (_program("negative"), 8),
        (_program("negative", letter="d"), 16),
        (_program("negative", operands=3), 16),
        (Program(1, (Operand("f", (), True),), (Instruction("negative", (0,), "f"),), (1,)), 4),
    ],
)
def test_bytes_that_are_moved(program: Program, moved: int) -> None:
    """Of arrays; a number stays in its register."""
    assert price_of(program).moved == moved


def test_longer_programs_take_longer() -> None:
    takes = [
        price_of(_program(*names)).of(1000)
        for names in (["negative"], ["negative", "absolute"], ["sqrt"], ["exp"], ["exp", "tanh"])
    ]
    assert takes == sorted(takes) and len(set(takes)) == len(takes)


def test_bytes_beyond_the_cache_take_longer() -> None:
    price = price_of(_program("negative"))
    sizes = np.array([1 << 10, 1 << 17, 1 << 19, 1 << 23])
    each = [price.of(int(size)) / size for size in sizes]
    np.testing.assert_allclose(each[0], each[1])
    np.testing.assert_allclose(each[2], each[3])
    assert each[2] > 1.5 * each[1]
