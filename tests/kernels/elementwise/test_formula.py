"""A kernel made of a formula has the bits of the formula on arrays, wherever it writes."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dataflow.kernels.elementwise import formula_program
from dataflow.kernels.elementwise.formula import computed, repeated, steps_of, steps_told
from dataflow.kernels.elementwise.formula_program import _BEFORE, _CALL, _COMPILING, _LEAST, _NUMBER
from dataflow.kernels.elementwise.stand_ins import NoFormula
from dataflow.kernels.elementwise.steps import Step
from dataflow.kernels.narrow.functions import functions
from dataflow.values import dtypes
from tests.kernels.alone import alone
from tests.pairwise import pairwise

ODD = (0.0, -0.0, 1e-40, -3e-8, 0.5, -1.0, 6.0, 88.9, -104.0, 3e38, np.inf, -np.inf, np.nan)

FORMULAS: dict[str, tuple[int, Callable[..., Any]]] = {
    "a row": (1, lambda xp, x: xp.reciprocal(xp.exp(-x) + 1)),
    "what is read again": (1, lambda xp, x: x / xp.square(xp.abs(x) + 1)),
    "two rows": (1, lambda xp, x: xp.log1p(xp.exp(-xp.abs(x))) + xp.maximum(x, 0)),
    "two rows that live long": (
        2,
        lambda xp, x, y: (x + y) * (x - y) / ((x * y) + (x / 3)) - (x + 1) * (y + 2),
    ),
    "truth values": (2, lambda xp, g, x: g * ((x > 0) & (x < 6))),
    "a choice": (2, lambda xp, g, y: xp.where(y < 0, g * (y + 1.75), g * 1.05)),
    "a choice with an input": (2, lambda xp, g, x: xp.where(x > 0, g, g * 0.2)),
    "a choice in between": (2, lambda xp, x, y: xp.where(y <= x, x + 1, y * 2) - xp.sqrt(x)),
    "a choice of inputs": (2, lambda xp, x, y: xp.where(x >= y, x, y)),
    "numbers first": (1, lambda xp, x: 2 - 1 / (3 + 0.5 * x)),
    "both extremes": (1, lambda xp, x: xp.minimum(xp.maximum(x, 0), 6)),
    "a number that is a place too": (2, lambda xp, x, y: (x * y + 1) * (x + 2) - 1),
    "what is needed later": (2, lambda xp, x, y: (t := xp.exp(x * y)) + (t + 1) * (y - t)),
    "itself twice": (1, lambda xp, x: (x + x) * (x + x)),
}


def node(dtype: Any, inputs: int) -> Any:
    return SimpleNamespace(input_dtypes=[dtype] * inputs)


def numbers(count: int, shape: tuple[int, ...], dtype: Any) -> list[Any]:
    random = np.random.default_rng(3)
    found = []
    for place in range(count):
        values = random.normal(size=shape) * 5
        values.flat[: len(ODD)] = np.roll(ODD, place * 5)[: values.size]
        with np.errstate(over="ignore"):
            found.append(values.astype(dtype))
    return found


def same(found: Any, wanted: Any) -> None:
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)
    known = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(found)[known], np.signbit(wanted)[known])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pairwise(
    {"name": FORMULAS, "dtype": [dtypes.float32, dtypes.float64], "shape": [(), (5, 7), (130, 90)]}
)
def test_bits_of_the_formula(name: str, dtype: Any, shape: tuple[int, ...]) -> None:
    inputs, formula = FORMULAS[name]
    given = [x[()] for x in numbers(inputs, shape, dtype.as_numpy_dtype)]
    before = [x.copy() for x in given]
    wanted = formula(alone, *given)
    run = computed(node(dtype, inputs), np, formula)
    same(run(*given), wanted)
    if shape:
        out = np.full_like(wanted, np.nan)
        assert run(*given, out=out) is out
        same(out, wanted)
        turned = [np.asfortranarray(x) for x in given]
        same(run(*turned), wanted)
    for one, other in zip(given, before, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", FORMULAS)
def test_half_is_rounded_once(name: str) -> None:
    inputs, formula = FORMULAS[name]
    given = numbers(inputs, (40, 50), np.float16)
    run = computed(node(dtypes.half, inputs), functions, formula)
    wanted = formula(alone, *[x.astype(np.float32) for x in given]).astype(np.float16)
    same(run(*given), wanted)


def test_the_steps() -> None:
    def formula(xp: Any, y: Any, dy: Any, scale: float) -> Any:
        return dy * (scale - xp.square(y)) * (y > 0)

    assert steps_of(formula, 2, (0.25,)) == (
        Step("square", (0,)),
        Step("subtract", ((0.25).hex(), 2)),
        Step("multiply", (1, 3)),
        Step("greater", (0, (0.0).hex())),
        Step("multiply", (4, 5)),
    )
    assert steps_told(computed(node(dtypes.float32, 2), np, formula, 0.25)) == steps_of(
        formula, 2, (0.25,)
    )
    assert not steps_told(np.add)


def test_places_and_numbers_are_two_things() -> None:
    x, y = numbers(2, (3, 5), np.float32)
    for formula in (lambda xp, x, y: x + y, lambda xp, x, y: x + 1, lambda xp, x, y: x + 0):
        same(computed(node(dtypes.float32, 2), np, formula)(x, y), formula(np, x, y))


def test_a_sum_of_many() -> None:
    steps = steps_of(lambda xp, *terms: functools.reduce(operator.add, terms), 5000)
    assert steps[:2] == (Step("add", (0, 1)), Step("add", (5000, 2)))
    assert steps[-1] == Step("add", (9997, 4999))


@pytest.mark.parametrize(
    "formula",
    [
        lambda xp, x: x if x > 0 else -x,
        lambda xp, x: xp.sinh(x),
        lambda xp, x: x + "one",
    ],
)
def test_what_is_no_formula(formula: Callable[..., Any]) -> None:
    with pytest.raises(NoFormula):
        steps_of(formula, 1)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("size", [_LEAST - 1, _LEAST, 300_001])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", FORMULAS)
def test_a_formula_that_is_called_often(name: str, dtype: Any, size: int) -> None:
    inputs, formula = FORMULAS[name]
    run = computed(node(dtypes.as_dtype(dtype), inputs), np, formula)
    given = numbers(inputs, (size,), dtype)
    wanted = formula(alone, *given)
    for _ in range(_BEFORE + 2):
        same(run(*given), wanted)
        same(run(*[one[::-1] for one in given]), wanted[::-1])
        over = np.empty_like(given[0])
        assert run(*given, out=over) is over
        same(over, wanted)


def test_a_short_formula_is_compiled_when_it_is_called_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ways: list[str] = []
    program = formula_program._program
    monkeypatch.setattr(
        formula_program, "_program", lambda *given: ways.append("program") or program(*given)
    )
    x = np.linspace(-9, 9, _LEAST, dtype=np.float32)
    run = computed(node(dtypes.float32, 1), np, lambda xp, x: xp.minimum(xp.maximum(x, 0), 6))
    for _ in range(_BEFORE):
        run(x[:-1])
        run(x)
    assert not ways
    run(x)
    assert ways


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("size", [1, 0, 40])
@pytest.mark.parametrize("name", ["two rows", "what is needed later"])
def test_a_loop_of_small_vectors_is_compiled(
    name: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs: list[Any] = []
    program = formula_program._program
    monkeypatch.setattr(
        formula_program,
        "_program",
        lambda *given: programs.append(program(*given)) or programs[-1],
    )
    inputs, formula = FORMULAS[name]
    run = repeated.__wrapped__(formula, inputs, np.float64)
    given = numbers(inputs, (size,), np.float64)
    wanted = formula(alone, *given)
    step = len(steps_of(formula, inputs)) * (_CALL + _NUMBER * size)
    for _ in range(int(_COMPILING / step) - 1):
        found = np.full(size, 7.0)
        run(*given, out=found)
        same(found, wanted)
    assert not programs
    padded = [np.concatenate([[0.0], one, [0.0]]) for one in given]
    for _ in range(3):
        found = np.full(size + 2, 7.0)
        run(*[one[1:-1] for one in padded], out=found[1:-1])
        same(found, np.concatenate([[7.0], wanted, [7.0]]))
    assert len(programs) == 1
