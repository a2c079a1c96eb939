"""Functions refuse what they were not made for, and then write nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dataflow.kernels.native.compiled import compiled
from dataflow.kernels.native.program import Check, Instruction, Operand, Program
from tests.kernels.native.programs import Step, numbers, program_of, run, whole

STEPS: list[Step] = [("multiply", 0, 1), ("add", 2, 1)]
SHAPE = (4, 10)
ROW = Operand("f", (1,), True)


def refuses(first: Any, second: Any, other: Operand) -> bool:
    program, held = program_of([whole("f", 2), other], STEPS, [3], 2)
    return run(program, held, [first, second], SHAPE) is None


def unaligned() -> Any:
    found = np.frombuffer(b"-" + numbers(SHAPE).tobytes(), np.float32, offset=1).reshape(SHAPE)
    assert not found.flags.aligned
    return found


@pytest.mark.parametrize(
    "value",
    [
        numbers((4, 11)),
        numbers((5, 10)),
        numbers((4, 1)),
        numbers((10,)),
        numbers((1, 4, 10)),
        numbers((4, 10), dtype=np.float64),
        numbers((4, 10)).astype(np.int32),
        numbers((10, 4)).T,
        numbers((4, 20))[:, ::2],
        numbers((4, 10))[::-1],
        numbers((4, 10))[:, ::-1],
        unaligned(),
        np.float32(1),
        np.array(1, np.float32),
        1.0,
        None,
        [1.0],
        np.array(["a"], object),
    ],
    ids=lambda value: f"{type(value).__name__}{np.shape(value)}",
)
def test_what_is_not_as_the_first_operand(value: Any) -> None:
    assert refuses(numbers(SHAPE), value, whole("f", 2))


@pytest.mark.parametrize(
    "value",
    [
        numbers((4,)),
        numbers((11,)),
        numbers((1, 10)),
        numbers((20,))[::2],
        numbers((10,))[::-1],
        numbers((10,), dtype=np.float64),
        np.float32(1),
    ],
    ids=lambda value: f"{type(value).__name__}{np.shape(value)}",
)
def test_what_is_no_row(value: Any) -> None:
    assert refuses(numbers(SHAPE), value, ROW)


@pytest.mark.parametrize("value", [np.float64(1), np.array(1, np.float32), 1.0, np.int32(1), None])
def test_what_is_no_number(value: Any) -> None:
    number = Operand("f", (), False)
    assert refuses(numbers(SHAPE), value, number)
    assert not refuses(numbers(SHAPE), np.float32(1), number)


def test_rows_at_several_distances() -> None:
    program, held = program_of([whole("f", 3)], [("square", 0)], [1], 3)
    assert run(program, held, [numbers((6, 5, 10))[::2]], (3, 5, 10)) is None


def test_what_fits() -> None:
    assert not refuses(numbers(SHAPE), numbers(SHAPE), whole("f", 2))
    assert not refuses(numbers(SHAPE), numbers((10,)), ROW)
    assert not refuses(numbers((8, 10))[::2], numbers(SHAPE), whole("f", 2))


def test_a_repeated_axis_must_have_one_place() -> None:
    column = Operand("f", (0, -1), True)
    assert not refuses(numbers(SHAPE), numbers((4, 1)), column)
    assert refuses(numbers(SHAPE), numbers(SHAPE), column)
    assert refuses(numbers(SHAPE), numbers((1, 1)), column)


def accepts(check: Check, value: Any, shape: tuple[int, ...] = SHAPE) -> bool:
    steps = (Instruction("square", (0,), "f"),)
    program = Program(len(shape), (whole("f", len(shape)),), steps, (1,), (check,))
    made = np.full(shape, 7, np.float32)
    given = numbers(shape)
    is_done = bool(compiled(program, [])(made, given, value))
    assert made.tobytes() == (np.square(given) if is_done else np.full(shape, 7, "f")).tobytes()
    return is_done


@pytest.mark.parametrize("dtype", ["i", "l"])
def test_shapes(dtype: str) -> None:
    check = Check(dtype, is_shape=True)
    kind = {"i": np.int32, "l": np.int64}[dtype]
    other = {"i": np.int64, "l": np.int32}[dtype]
    for fitting in ([4, 10], [-1, 10], [4, -1]):
        assert accepts(check, np.array(fitting, kind)), fitting
    assert accepts(check, np.array([4, 0, 10, 0], kind)[::2])
    for wrong in ([10, 4], [40], [4, 10, 1], [-1, -1], [5, -1], [-1, 9], [4, 10.0]):
        assert not accepts(check, np.array(wrong, kind) if 10.0 not in wrong else wrong)
    assert not accepts(check, np.array([4, 10], other))
    assert not accepts(check, np.array([[4, 10]], kind))
    assert not accepts(check, kind(4))


def test_axes() -> None:
    check = Check("i", is_shape=False)
    assert accepts(check, np.array([], np.int32))
    assert not accepts(check, np.array([0], np.int32))
    assert not accepts(check, np.array([], np.int64))
    assert not accepts(check, np.zeros((0, 1), np.int32))
    assert not accepts(check, np.int32(0))
