"""Functions that are formulas, beside numpy's of numbers with more digits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.special

from dataflow.kernels.native.builtin import compiler
from dataflow.kernels.native.functions import FORMULAS, is_formula
from dataflow.kernels.native.program import DTYPES, Instruction, Program
from dataflow.kernels.native.writer import Writer
from tests.kernels.native.programs import whole

CASES = [(name, letter) for name, one in FORMULAS.items() for letter in sorted(one.letters)]
WIDER = {"f": np.float64, "d": np.longdouble}
MOST = 2.5
"""Units in the last place."""
EDGES = (
    *(0.0, 1.0, 0.5, 2.0, math.inf, math.nan, 1e-30, 1e-42, 5e-324, 1e-310, 3.4e38, 1.7e308),
    *(17.3, 18.0, 20.0, 37.0, 87.4, 88.72, 88.73, 89.3, 89.42, 103.2, 103.98, 104.5, 16777216.0),
    *(708.4, 709.7, 709.8, 710.4, 710.5, 745.0, 746.0, 2.0**28, 2.0**29, 2.0**56, 2.0**57, 1e19),
    *(2.4570246, 2.7476826, 3.0, 34.0, 35.0, 170.6, 999999.0, 1000001.0),
    *(1 - 2.0**-24, 1 + 2.0**-23, 1 - 2.0**-53, 1 + 2.0**-52, math.sqrt(0.5), math.sqrt(2)),
    *(math.log(2) / 2, math.log(2), 2.0**-25, 2.0**-26, 2.0**-54, 2.0**-126, 2.0**-1022),
)


def run(name: str, letter: str, width: int, *given: Any) -> Any:
    found = compiler()
    assert found is not None and is_formula(name, letter)
    operands = (whole(letter, 1),) * len(given)
    step = Instruction(name, tuple(range(len(given))), letter)
    program = Program(1, operands, (step,), (len(given),))
    made = np.full_like(given[0], 7)
    assert found.compile(Writer(program, width).write()).function(b"")(made, *given)
    return made


def numbers(letter: str, seed: int) -> Any:
    random = np.random.default_rng(seed)
    integers = {"f": np.uint32, "d": np.uint64}[letter]
    any_bits = random.integers(0, np.iinfo(integers).max, 20_000, integers).view(DTYPES[letter])
    parts = [
        random.uniform(-1, 1, 20_000),
        random.normal(size=20_000) * 10,
        random.uniform(-120, 120, 20_000),
        np.exp(random.uniform(-20, 20, 20_000)),
        [*EDGES, *(-one for one in EDGES)],
    ]
    with np.errstate(all="ignore"):
        found = np.concatenate([np.asarray(one).astype(DTYPES[letter]) for one in parts])
    return random.permutation(np.concatenate([found, any_bits]))


def arguments(name: str, letter: str) -> list[Any]:
    if name in ("zeta", "polygamma"):
        # The formulas hold for these.
        random = np.random.default_rng(5)
        spread = random.normal(size=(2, 20_000)) * [[1.5], [2.0]]
        orders, places = np.exp(spread).astype("f")
        return [np.minimum(np.ceil(orders), 9) if name == "polygamma" else 1 + orders, places]
    return [numbers(letter, seed) for seed in range(2 if name == "arctan2" else 1)]


def exactly(name: str, *given: Any) -> Any:
    if hasattr(np, name) and name != "i0":
        return getattr(np, name)(*given)
    if name == "gammaln":
        # Of minus infinity it is what it is of large integers before it.
        return scipy.special.gammaln(np.where(given[0] == -np.inf, np.inf, given[0]))
    if name == "digamma":
        return scipy.special.digamma(np.where(given[0] == 0, np.nan, given[0]))
    if name == "polygamma":
        return scipy.special.polygamma(given[0].astype(int), given[1])
    return getattr(scipy.special, name)(*given)


@pytest.mark.parametrize(("name", "letter"), CASES)
def test_as_of_more_digits(name: str, letter: str) -> None:
    given = arguments(name, letter)
    found = run(name, letter, 8, *given)
    with np.errstate(all="ignore"):
        exact = exactly(name, *[one.astype(WIDER[letter]) for one in given])
        wanted = exact.astype(found.dtype)
        steps = np.abs(found - exact) / np.spacing(np.abs(wanted)).astype(WIDER[letter])
    np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
    np.testing.assert_array_equal(found[np.isinf(wanted)], wanted[np.isinf(wanted)])
    is_finite = np.isfinite(wanted)
    assert np.isfinite(found[is_finite]).all()
    assert steps[is_finite].max() < MOST
    is_number = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(found)[is_number], np.signbit(wanted)[is_number])


@pytest.mark.parametrize("sides", [(0.0, 0.0), (math.inf, math.inf), (0.0, 1.0), (math.nan, 1.0)])
def test_angles_of_edges(sides: tuple[float, float]) -> None:
    first, second = (np.array([one, one, -one, -one] * 3, "f") for one in sides)
    y, x = first, np.abs(second) * np.array([1, -1] * 6, "f")
    for one, other in ((y, x), (x, y)):
        found = run("arctan2", "f", 8, one, other)
        np.testing.assert_allclose(found, np.arctan2(one, other), rtol=2e-7)
        is_number = ~np.isnan(found)
        wanted = np.signbit(np.arctan2(one, other))
        np.testing.assert_array_equal(np.signbit(found)[is_number], wanted[is_number])


@pytest.mark.parametrize(("name", "letter"), CASES)
def test_equal_bits_in_vectors_of_each_length(name: str, letter: str) -> None:
    given = [one[:1003] for one in arguments(name, letter)]
    found = [run(name, letter, width, *given) for width in (1, 4, 8, 16)]
    for other in found[1:]:
        np.testing.assert_array_equal(found[0], other)


def test_what_is_no_formula() -> None:
    assert not is_formula("exp", "i")
    assert not is_formula("exp", "")
    assert not is_formula("arctan", "d")
    assert not is_formula("square", "f")
