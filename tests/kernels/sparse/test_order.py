"""Coordinates in order are told from others, also of arrays too large to count."""

from __future__ import annotations

import numpy as np
import pytest

from dataflow.errors import InvalidArgumentError
from dataflow.kernels.sparse.coordinates import _MANY, check_order, outside, row_major


def _refusal(rows: list[tuple[int, ...]], shape: tuple[int, ...]) -> str:
    indices, sizes = np.array(rows, np.int64).reshape(len(rows), len(shape)), np.array(shape)
    try:
        check_order(indices, sizes, outside(indices, sizes))
    except InvalidArgumentError as error:
        return error.message
    return ""


def _expected(rows: list[tuple[int, ...]], shape: tuple[int, ...]) -> str:
    for place, row in enumerate(rows):
        if any(not 0 <= at < size for at, size in zip(row, shape, strict=True)):
            return f"indices[{place}] = [{','.join(map(str, row))}] is out of bounds"
        if place and row <= rows[place - 1]:
            word = "repeated" if row == rows[place - 1] else "out of order"
            return f"indices[{place}] = [{','.join(map(str, row))}] is {word}"
    return ""


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_the_first_fault_is_named(rank: int) -> None:
    random = np.random.default_rng(rank)
    seen = set()
    for count in (0, 1, 2, 3, 6):
        for trial in range(40):
            shape = tuple(random.integers(2, 5, rank).tolist())
            draws = random.integers(-(trial % 2), 5 - trial % 3, (count, rank)).tolist()
            rows = [tuple(row) for row in (draws if trial % 4 else sorted(draws))]
            expected = _expected(rows, shape)
            assert _refusal(rows, shape).startswith(expected)
            assert bool(_refusal(rows, shape)) == bool(expected)
            seen.add(expected.rpartition(" ")[2])
    assert seen == {"", "bounds", "order", "repeated"}


def test_of_shapes_without_a_count_too() -> None:
    shape = (2**40, 2**40, 2**40)
    assert not _refusal([(1, 0, 0), (1, 2**39, 0), (1, 2**39, 5)], shape)
    assert "indices[1] = [0,1,0] is out of order" in _refusal([(2**30, 0, 0), (0, 1, 0)], shape)


@pytest.mark.parametrize("count", [0, 1, _MANY - 1, _MANY, 3000])
@pytest.mark.parametrize("limits", [(7,), (20, 30), (3, 2**40, 5), (2**33, 2**33), (1, 1, 1)])
def test_the_order_of_rows(limits: tuple[int, ...], count: int) -> None:
    """Equal ones stay as they come; some are negative."""
    random = np.random.default_rng(count)
    draws = [random.integers(-size // 2, size, count) for size in limits]
    indices = np.stack(draws, axis=1)
    halves = np.concatenate([indices[row_major(indices)]] * 2)
    for given in (indices, halves):
        rows = [tuple(row) for row in given.tolist()]
        assert row_major(given).tolist() == sorted(range(len(rows)), key=rows.__getitem__)


def test_extreme_numbers() -> None:
    indices = np.tile(np.array([[2**63 - 1, 0], [-(2**63), 5], [0, 1]]), (_MANY, 1))
    found = indices[row_major(indices)]
    assert found[:: 2 * _MANY].tolist() == [[-(2**63), 5], [2**63 - 1, 0]]
    assert found[_MANY].tolist() == [0, 1]


def test_numbers_far_from_zero() -> None:
    """Of which the places in an array would be beyond the largest integer, some of them."""
    beside = 2**63 // 5
    indices = np.array([[beside + i % 7 - 3, i % 5] for i in range(3 * _MANY)])
    rows = [tuple(row) for row in indices.tolist()]
    assert row_major(indices).tolist() == sorted(range(len(rows)), key=rows.__getitem__)
