"""Programs whose results are rows of larger arrays: one after the other, any of them again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dataflow.kernels.native.compiled import compiled
from dataflow.kernels.native.program import DTYPES, Instruction, Operand, Program
from tests.kernels.alone import alone
from tests.pairwise import pairwise

ROWS = 50


def program_of(
    row_index: str, *functions: tuple[str, tuple[int, ...]], dtype: str = "f"
) -> Program:
    """A program of a table, whose rows are named, of rows that are not, and of a number."""
    both = Operand(dtype, (0, 1), True)
    number = Operand(dtype, (), False)
    instructions = tuple(Instruction(name, operands, dtype) for name, operands in functions)
    last = 2 + len(instructions)
    return Program(2, (both, both, number), instructions, (last,), (), row_index, (0,))


def given(width: int, count: int, dtype: Any, index: Any) -> tuple[np.ndarray, ...]:
    random = np.random.default_rng(width + count)
    table, rows = (random.normal(size=(n, width)).astype(dtype) for n in (ROWS, count))
    return table, rows, random.integers(0, ROWS, count).astype(index)


@pairwise(
    {
        "count": [1, 7, 130],
        "width": [0, 1, 3, 8, 16, 17, 1024, 1030],
        "dtype": ["f", "d"],
        "row_index": ["i", "l"],
    }
)
def test_rows_one_after_the_other(width: int, count: int, dtype: str, row_index: str) -> None:
    function = compiled(
        program_of(row_index, ("multiply", (1, 2)), ("tanh", (3,)), ("add", (0, 4)), dtype=dtype),
        (),
    )
    table, rows, places = given(width, count, DTYPES[dtype], DTYPES[row_index])
    number = DTYPES[dtype].type(0.5)
    expected = table.copy()
    for row, place in zip(rows, places, strict=True):
        expected[place] += alone.tanh(row * number)
    assert function(table, table, rows, number, places)
    assert table.tobytes() == expected.tobytes()


@pytest.mark.parametrize("step", [2, 3])
def test_rows_and_indices_with_gaps(step: int) -> None:
    function = compiled(program_of("i", ("add", (0, 1)), ("multiply", (3, 2))), ())
    table, rows, places = given(5, 12, np.float32, np.int32)
    spread_rows = np.zeros((12 * step, 5), np.float32)
    spread_places = np.full(12 * step, -1, np.int32)
    spread_rows[::step], spread_places[::step] = rows, places
    expected = table.copy()
    for row, place in zip(rows, places, strict=True):
        expected[place] = (expected[place] + row) * np.float32(0.25)
    assert function(table, table, spread_rows[::step], np.float32(0.25), spread_places[::step])
    np.testing.assert_array_equal(table, expected)


WRONG = {
    "fewer indices": lambda table, rows, places: (table, rows, places[:-1]),
    "more indices": lambda table, rows, places: (table, rows, np.append(places, places[:1])),
    "other indices": lambda table, rows, places: (table, rows, places.astype(np.int64)),
    "a number": lambda table, rows, places: (table, rows, places[0]),
    "a table of indices": lambda table, rows, places: (table, rows, places[:, None]),
    "backwards": lambda table, rows, places: (table, rows, places[::-1]),
    "narrower rows": lambda table, rows, places: (table, rows[:, :-1].copy(), places),
    "other rows": lambda table, rows, places: (table, rows.astype(np.float64), places),
    "a wider table": lambda table, rows, places: (np.hstack([table, table]), rows, places),
    "a vector": lambda table, rows, places: (table[0], rows, places),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_does_not_fit_is_left_alone(kind: str) -> None:
    function = compiled(program_of("i", ("add", (0, 1)), ("multiply", (3, 2))), ())
    table, rows, places = WRONG[kind](*given(5, 12, np.float32, np.int32))
    before = table.copy()
    assert not function(table, table, rows, np.float32(2), places)
    np.testing.assert_array_equal(table, before)
