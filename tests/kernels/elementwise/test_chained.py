"""Chains of operations in one call: numpy's bits, NaNs included, or nothing done."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dataflow.kernels.elementwise.chained import GIVEN, LONGEST, Chained, Operation
from tests.kernels.onednn_paths import switched_off

SIZE = 70_001
random = np.random.default_rng(5)


def numbers(*shape: int) -> Any:
    """Of all sizes and both signs, with zeros and infinities."""
    found = np.asarray(random.normal(size=shape) * 10.0 ** random.integers(-30, 30, shape), "f")
    found.reshape(-1)[:: max(1, found.size // 7)] = np.inf
    found.reshape(-1)[1 :: max(1, found.size // 5)] = 0
    return found


BINARY = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide}
EXTREMES = {"maximum": np.maximum, "minimum": np.minimum}
UNARY = {
    "square": np.square,
    "absolute": np.absolute,
    "sqrt": np.sqrt,
    "reciprocal": np.reciprocal,
}


@pytest.mark.parametrize("name", [*BINARY, *EXTREMES])
@pytest.mark.parametrize("extent", ["number", "array", "row", "column"])
def test_operands_of_all_extents(name: str, extent: str) -> None:
    source = numbers(300, 200)
    operand = {
        "number": numbers(),
        "array": numbers(300, 200),
        "row": numbers(200),
        "column": numbers(300, 1),
    }[extent]
    chained = Chained([Operation("multiply", 0.5), Operation(name, GIVEN)])
    out = np.empty_like(source)
    assert chained(out, source, operand)
    with np.errstate(all="ignore"):
        expected = (BINARY | EXTREMES)[name](source * np.float32(0.5), operand)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("name", UNARY)
def test_operations_of_one_operand(name: str) -> None:
    source = numbers(SIZE)
    out = np.empty_like(source)
    assert Chained([Operation("add", 1.5), Operation(name)])(out, source)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(out, UNARY[name](source + np.float32(1.5)))


def test_the_longest_chain() -> None:
    names = [("multiply", "add", "maximum", "subtract")[i % 4] for i in range(LONGEST)]
    factors = [np.float32(f) for f in random.uniform(0.5, 1.5, LONGEST)]
    source, out = random.normal(size=SIZE).astype("f"), np.empty(SIZE, "f")
    chained = Chained([Operation(n, float(f)) for n, f in zip(names, factors, strict=True)])
    assert chained(out, source)
    expected = source
    for name, factor in zip(names, factors, strict=True):
        expected = (BINARY | EXTREMES)[name](expected, factor)
    np.testing.assert_array_equal(out, expected)


def test_rows_and_columns_are_not_repeated_in_one_call() -> None:
    source = numbers(300, 200)
    chained = Chained([Operation("add", GIVEN), Operation("multiply", GIVEN)])
    assert not chained(np.empty_like(source), source, numbers(200), numbers(300, 1))


@pytest.mark.parametrize("name", EXTREMES)
def test_a_nan_fails_and_leaves_the_source(name: str) -> None:
    clean = np.abs(random.normal(size=SIZE)).astype("f")
    chained = Chained([Operation("multiply", 2.0), Operation(name, 0.5)])
    source = clean.copy()
    source[SIZE - 3] = np.nan
    kept = source.copy()
    assert not chained(np.empty_like(source), source)
    assert not chained(source, source)
    np.testing.assert_array_equal(source, kept)
    # Of those without one it knows nothing more.
    source = clean.copy()
    assert chained(source, source)
    np.testing.assert_array_equal(source, EXTREMES[name](clean * np.float32(2), np.float32(0.5)))


def test_a_nan_that_is_made_on_the_way_fails_too() -> None:
    source = np.ones(SIZE, "f")
    source[12] = -1
    chained = Chained([Operation("add", 0.0), Operation("sqrt"), Operation("maximum", 0.5)])
    assert not chained(np.empty_like(source), source)


def test_a_nan_in_the_operand_of_an_extreme_fails() -> None:
    source, operand = np.ones(SIZE, "f"), np.ones(SIZE, "f")
    operand[-1] = np.nan
    chained = Chained([Operation("add", 0.0), Operation("maximum", GIVEN)])
    assert not chained(np.empty_like(source), source, operand)


def test_after_many_nans_it_is_not_tried_again() -> None:
    source = np.full(SIZE, np.nan, "f")
    chained = Chained([Operation("multiply", 2.0), Operation("maximum", 0.5)])
    for _ in range(10):
        assert not chained(np.empty_like(source), source)
    assert not chained(np.empty_like(source), np.ones_like(source))
    assert not chained(np.empty(9, "f"), np.ones(9, "f"))


def test_without_extremes_nans_are_handed_on() -> None:
    source = numbers(SIZE)
    source[7] = np.nan
    out = np.empty_like(source)
    assert Chained([Operation("multiply", 2.0), Operation("add", 0.5)])(out, source)
    np.testing.assert_array_equal(out, source * np.float32(2) + np.float32(0.5))


def test_without_onednn() -> None:
    source = np.ones(SIZE, "f")
    with switched_off():
        assert not Chained([Operation("multiply", 2.0)])(np.empty_like(source), source)
