"""Sums of products of few rows: the values of the products added up one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dataflow.kernels.products.row_sums import RowSum


def pair(seed: int, rows: int, n: int = 5, m: int = 7) -> tuple[Any, Any]:
    draw = np.random.default_rng(seed)
    return draw.normal(size=(rows, n)), draw.normal(size=(rows, m))


def added(pairs: Any) -> Any:
    """The sum of the outer products of all rows."""
    return sum(np.outer(x, y) for a, b in pairs for x, y in zip(a, b, strict=True))


class Counted:
    """A product along rows that tells of how many rows each call was."""

    def __init__(self) -> None:
        self.rows: list[int] = []

    def __call__(self, left: Any, right: Any) -> Any:
        self.rows.append(len(left))
        return left.T @ right


@pytest.mark.parametrize(
    ("rows", "calls"),
    [
        ([3], [3]),
        ([1, 64, 2], [67]),
        ([64] * 15 + [63], [1023]),
        ([64] * 16, [1024]),
        ([64] * 16 + [1], [1024, 1]),
        ([64] * 15 + [63, 2, 5], [1025, 5]),
    ],
)
@pytest.mark.parametrize("begins_with", [None, 3.0])
def test_values(rows: list[int], calls: list[int], begins_with: float | None) -> None:
    pairs = [pair(i, count) for i, count in enumerate(rows)]
    total = None if begins_with is None else np.full((5, 7), begins_with)
    product = Counted()
    found = RowSum(product, total)
    assert all(found.take(*one) for one in pairs)
    expected = added(pairs) + (begins_with or 0)
    for _ in range(2):
        np.testing.assert_allclose(found.result(), expected, rtol=1e-12, atol=1e-10)
    assert product.rows == calls
    if total is not None:
        assert (total == begins_with).all()


def test_what_is_taken_after_a_result_is_added_to_it() -> None:
    first, second = pair(0, 4), pair(1, 2)
    sums = RowSum(Counted())
    assert sums.take(*first)
    before = sums.result().copy()
    assert sums.take(*second)
    np.testing.assert_allclose(sums.result(), added([first, second]), rtol=1e-12)
    np.testing.assert_allclose(before, added([first]), rtol=1e-12)


def test_no_rows() -> None:
    sums = RowSum(Counted())
    assert sums.take(*pair(0, 0))
    np.testing.assert_array_equal(sums.result(), np.zeros((5, 7)))


@pytest.mark.parametrize(
    "other",
    [
        pair(1, 65),
        pair(1, 3, n=4),
        pair(1, 3, m=1),
        (pair(1, 3)[0], pair(1, 4)[1]),
        (pair(1, 3)[0][0], pair(1, 3)[1]),
        (pair(1, 3)[0], pair(1, 3)[1][0]),
    ],
)
@pytest.mark.parametrize("total", [None, np.ones((5, 7))])
def test_what_does_not_fit_changes_nothing(other: tuple[Any, Any], total: Any) -> None:
    sums = RowSum(Counted(), total)
    first = pair(0, 3)
    assert sums.take(*first)
    assert not sums.take(*other)
    expected = added([first]) + (0 if total is None else total)
    np.testing.assert_allclose(sums.result(), expected, rtol=1e-12)


def test_a_total_of_another_shape_takes_nothing() -> None:
    for shape in ((), (7,), (1, 7), (7, 5)):
        total = np.zeros(shape)
        sums = RowSum(Counted(), total)
        assert not sums.take(*pair(0, 3))
        assert sums.result() is total
