"""Programs give numpy's bits: lengths about a vector and a block, repeated operands, parts."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from dataflow.kernels.native.builtin import compiler
from dataflow.kernels.native.compiled import compiled
from dataflow.kernels.native.text import Text
from dataflow.kernels.native.writer import Writer
from tests.kernels.native.beside import counted_beside
from tests.kernels.native.programs import (
    Step,
    assert_same_bits,
    by_numpy,
    numbers,
    operand,
    program_of,
    run,
    whole,
)
from tests.pairwise import pairwise

LENGTHS = (0, 1, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 100, 129)
PLAIN: list[Step] = [
    ("multiply", 0, 1),
    ("add", 2, 0.5),
    ("maximum", 3, 1),
    ("less", 4, 0.25),
    ("where", 5, 4, 0),
]
FORMULAS: list[Step] = [
    ("negative", 0),
    ("exp", 2),
    ("add", 3, 1.0),
    ("reciprocal", 4),
    ("tanh", 1),
    ("multiply", 5, 6),
    ("log1p", 4),
    ("subtract", 7, 8),
]


def check(steps: Sequence[Step], results: Sequence[int], values: Sequence[Any]) -> None:
    shape = np.broadcast_shapes(*(np.shape(value) for value in values))
    program, held = program_of([operand(v, len(shape)) for v in values], steps, results, len(shape))
    assert_same_bits(run(program, held, values, shape), by_numpy(values, steps, results))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_of_all_lengths(dtype: Any) -> None:
    operands = [whole("f" if dtype == np.float32 else "d", 1)] * 2
    program, held = program_of(operands, PLAIN, [4, 5, 6], 1)
    for length in LENGTHS:
        values = [numbers((length,), seed, dtype) for seed in (0, 1)]
        found = run(program, held, values, (length,))
        assert_same_bits(found, by_numpy(values, PLAIN, [4, 5, 6]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_blocks_between_calls(dtype: Any) -> None:
    operands = [whole("f" if dtype == np.float32 else "d", 2)] * 2
    results = [5, 9, 4]
    program, held = program_of(operands, FORMULAS, results, 2)
    for shape in ((1, 0), (1, 1), (3, 341), (1, 1023), (1, 1024), (1, 1025), (5, 700)):
        values = [numbers(shape, seed, dtype) for seed in (0, 1)]
        found = run(program, held, values, shape)
        assert_same_bits(found, by_numpy(values, FORMULAS, results))


@pytest.mark.parametrize("length", [1, 15, 16, 63, 64, 65, 300])
@pytest.mark.parametrize("kept", [1, 6, 12, 30])
def test_many_instructions(kept: int, length: int) -> None:
    """Several vectors go through them at a time, fewer if they have to keep more values."""
    steps: list[Step] = [("add", 0, float(number)) for number in range(kept)]
    end = kept
    for number in range(60):
        steps.append(("multiply", end, 1.01))
        steps.append(("add", end + 1, 1 + number % kept))
        end += 2
    program, held = program_of([whole("f", 1)], steps, [end], 1)
    value = numbers((length,))
    assert_same_bits(run(program, held, [value], (length,)), by_numpy([value], steps, [end]))


SHAPES: list[list[tuple[int, ...]]] = [
    [(4, 33), (33,)],
    [(4, 33), (4, 1)],
    [(4, 33), (1, 33)],
    [(4, 33), (1, 1)],
    [(4, 33), ()],
    [(33,), (1,)],
    [(3, 4, 20), (4, 20)],
    [(3, 4, 20), (3, 4, 1)],
    [(3, 4, 20), (3, 1, 1)],
    [(3, 4, 20), (3, 1, 20)],
    [(3, 4, 20), (1, 4, 1)],
    [(2, 3, 4, 17), (2, 1, 1, 17)],
    [(2, 3, 4, 17), (1, 3, 1, 1)],
    [(2, 3, 4, 2, 5), (2, 1, 1, 2, 1)],
    [(17, 1), (17, 1)],
]


@pytest.mark.parametrize("steps", [PLAIN, FORMULAS], ids=["plain", "calls"])
@pytest.mark.parametrize("shapes", SHAPES)
def test_operands_that_are_repeated(shapes: list[tuple[int, ...]], steps: list[Step]) -> None:
    results = [len(steps) + 1, 2, 3]
    first, second = (numbers(shape, seed) for seed, shape in enumerate(shapes))
    if shapes[1] == ():
        second = np.asarray(second)
    rank = first.ndim
    program, held = program_of([whole("f", rank), operand(second, rank)], steps, results, rank)
    found = run(program, held, [first, second], first.shape)
    assert_same_bits(found, by_numpy([first, second], steps, results))


def test_several_repeated_operands_at_once() -> None:
    steps: list[Step] = [("add", 0, 1), ("multiply", 4, 2), ("subtract", 5, 3), ("add", 6, 0)]
    shapes = [(2, 3, 4, 9), (9,), (2, 1, 4, 1), (3, 1, 9)]
    check(steps, [7], [numbers(shape, seed) for seed, shape in enumerate(shapes)])


def test_numbers_that_are_no_arrays() -> None:
    steps: list[Step] = [("multiply", 0, 1), ("add", 2, 1)]
    check(steps, [3], [numbers((40,)), np.float32(2.5)])
    check(steps, [3], [numbers((40,)).astype(np.int32), np.int32(3)])
    check([("logical_and", 0, 1), ("logical_or", 2, 0)], [3], [numbers((40,)) > 0, np.True_])


@pytest.mark.parametrize("steps", [PLAIN, FORMULAS], ids=["plain", "calls"])
def test_rows_that_lie_apart(steps: list[Step]) -> None:
    large = numbers((6, 5, 100))
    results = [len(steps) + 1]
    for values in (
        [large[:, 0, :], large[:, 1, :]],
        [large[:, :, 20:60], large[:, :, 60:]],
        [np.broadcast_to(large[0, :1], (5, 100)), large[1]],
    ):
        check(steps, results, values)


@pairwise(
    {
        "steps": [PLAIN, FORMULAS],
        "other": ["whole", "row", "column"],
        "shape": [(1, 1), (1, 5000), (3, 100), (64, 400), (301, 7)],
    }
)
def test_parts(shape: tuple[int, int], other: str, steps: list[Step]) -> None:
    kinds = {"whole": shape, "row": (1, shape[1]), "column": (shape[0], 1)}
    values = [numbers(shape), numbers(kinds[other], 1)]
    axes = {"whole": (0, 1), "row": (-1, 1), "column": (0, -1)}[other]
    operands = [whole("f", 2), whole("f", 2)._replace(axes=axes)]
    program, held = program_of(operands, steps, [len(steps) + 1], 2)
    function = compiled(program, held)
    wanted = by_numpy(values, steps, program.results)
    for parts in (1, 2, 3, 7):
        made = np.full(shape, 7, np.float32)
        for part in range(parts):
            assert part == 0 or made.size < 1000 or (made == 7).any()
            before = made.copy()
            assert function(made, *values, part, part + 1, parts)
            done = (made != before).reshape(-1).nonzero()[0]
            assert not done.size or (before.reshape(-1)[done] == 7).all()
        assert_same_bits([made], wanted)


def test_functions_hold_their_own_numbers() -> None:
    program, _ = program_of([whole("f", 1)], [("add", 0, 1.0), ("multiply", 1, 2.0)], [2], 1)
    functions = [compiled(program, [np.float32(n), np.float32(2)]) for n in range(50)]
    value = numbers((20,))
    for number, function in enumerate(functions):
        made = np.empty(20, np.float32)
        assert function(made, value)
        assert_same_bits([made], [(value + np.float32(number)) * np.float32(2)])


def test_threads_call_one_function() -> None:
    """Long calls let other threads run."""
    program, held = program_of([whole("f", 1)] * 2, FORMULAS, [9], 1)
    function = compiled(program, held)
    values = [[numbers((60_000,), seed + 2 * index) for seed in (0, 1)] for index in range(4)]
    wanted = [by_numpy(one, FORMULAS, [9]) for one in values]
    wrong: list[int] = []

    def work(index: int) -> None:
        for _ in range(20):
            made = np.empty(60_000, np.float32)
            if not function(made, *values[index]) or made.tobytes() != wanted[index][0].tobytes():
                wrong.append(index)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("width", [4, 8, 16])
def test_vectors_of_other_processors(width: int) -> None:
    """What is written for shorter vectors comes to the same bits."""
    found = compiler()
    assert found is not None
    program, held = program_of([whole("f", 1)] * 2, [*PLAIN, *FORMULAS[:0]], [6], 1)
    code = found.compile(Writer(program, width).write())
    function = code.function(b"".join(one.tobytes().ljust(8, b"\0") for one in held))
    values = [numbers((77,), seed) for seed in (0, 1)]
    made = np.empty(77, np.float32)
    assert function(made, *values)
    assert_same_bits([made], by_numpy(values, PLAIN, [6]))


def test_other_threads_run_meanwhile() -> None:
    program, held = program_of([whole("f", 1)], [("tanh", 0), ("exp", 1)], [2], 1)
    function = compiled(program, held)
    value = numbers((20_000_000,))
    made = np.empty_like(value)
    assert counted_beside(lambda: function(made, value))


def test_code_lives_as_long_as_a_function() -> None:
    found = compiler()
    assert found is not None
    program, _ = program_of([whole("f", 1)], [("square", 0), ("add", 1, 0)], [2], 1)
    code = found.compile(Writer(program, 8).write())
    functions = [code.function(b""), code.function(b"")]
    alive = weakref.ref(code)
    del code
    functions.pop()
    gc.collect()
    assert alive() is not None
    functions.pop()
    gc.collect()
    assert alive() is None


def test_two_zeros() -> None:
    values = [np.array([0.0, -0.0, 0.0, -0.0], "f"), np.array([-0.0, 0.0, 0.0, -0.0], "f")]
    steps: list[Step] = [("maximum", 0, 1), ("minimum", 0, 1), ("maximum", 0, 0.0), ("sign", 0)]
    check(steps, [2, 3, 4, 5], values)


def test_names_are_new() -> None:
    text = Text()
    assert len({text.name() for _ in range(100)}) == 100
