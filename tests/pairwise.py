"""Products of parameters: any two values meet in each run, all of them in `make test-long`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, product
from typing import Any, TypeAlias

import pytest

Row: TypeAlias = tuple[int, ...]
"""A place in each column."""
Pair: TypeAlias = tuple[int, int, int, int]
"""A column and a place there, and another one."""


def pairwise(
    values: Mapping[str, Iterable[Any]], indirect: Sequence[str] = ()
) -> pytest.MarkDecorator:
    """Parametrizes a test with the product of these values; "shape, axis" names two at once.

    What depends on one value or on how two of them meet, which is nearly all that depends on them,
    fails among the tests of each run. Two values meet twice there where that leaves out enough, in
    different company: beside an empty array much is right that is wrong otherwise. The rest is
    marked `long`.
    """
    names = [key.split(", ") for key in values]
    columns = [[*each] for each in values.values()]
    kept = {*covering([len(column) for column in columns], 2)}
    params = []
    for row in product(*map(enumerate, columns)):
        given = [
            single
            for keys, (_, value) in zip(names, row, strict=True)
            for single in (value if len(keys) > 1 else [value])
        ]
        is_kept = tuple(place for place, _ in row) in kept
        params.append(pytest.param(*given, marks=() if is_kept else pytest.mark.long))
    joined = [name for keys in names for name in keys]
    return pytest.mark.parametrize(joined, params, indirect=[*indirect])


def covering(sizes: Sequence[int], times: int) -> list[Row]:
    """Rows of places, one for each size: any two places of two columns are in so many rows, but
    in no more than half of those that there are."""
    columns = [range(size) for size in sizes]
    missing = {
        (one, a, other, b): min(times, max(1, math.prod(sizes) // sizes[one] // sizes[other] // 2))
        for one, other in combinations(range(len(sizes)), 2)
        for a, b in product(columns[one], columns[other])
    }
    chosen: dict[Row, None] = {} if len(sizes) > 1 else dict.fromkeys(product(*columns))
    for one, a, other, b in missing:
        while missing[one, a, other, b] > 0:
            held = {one: range(a, a + 1), other: range(b, b + 1)}
            rows = product(*(held.get(column, each) for column, each in enumerate(columns)))
            row = max((r for r in rows if r not in chosen), key=partial(_use, missing))
            chosen[row] = None
            for pair in _pairs(row):
                missing[pair] -= 1
    return [*chosen]


def _use(missing: dict[Pair, int], row: Row) -> int:
    """How many pairs that are still asked for a row has."""
    return sum(missing[pair] > 0 for pair in _pairs(row))


def _pairs(row: Row) -> Iterator[Pair]:
    for (one, a), (other, b) in combinations(enumerate(row), 2):
        yield one, a, other, b
