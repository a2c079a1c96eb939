"""Of a product of parameters each run tries rows in which any two values meet."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from tests.pairwise import covering, pairwise


def _places(mark: pytest.MarkDecorator) -> tuple[list[Any], list[Any]]:
    """The parameters of each run, and all of them."""
    _, params = mark.args
    return [p.values for p in params if not p.marks], [p.values for p in params]


@pytest.mark.parametrize("sizes", [(6, 7, 6, 2), (3, 3, 3), (1, 4, 2), (5, 1), (2, 2, 2, 2, 2)])
def test_any_two_places_share_a_row(sizes: tuple[int, ...]) -> None:
    rows = covering(sizes, 1)
    assert len({*rows}) == len(rows)
    for one, other in combinations(range(len(sizes)), 2):
        assert len({(row[one], row[other]) for row in rows}) == sizes[one] * sizes[other]


def test_the_rest_is_long() -> None:
    kept, whole = _places(
        pairwise({"a": "uvwx", "b, c": [*zip("klmn", "1234", strict=True)], "d": range(4)})
    )
    assert len(whole) == 64 and len({*kept}) == len(kept) < 40
    for pick in ((0, 3), (0, 1), (1, 3)):
        met = [tuple(row[place] for place in pick) for row in kept]
        assert {*met} == {tuple(row[place] for place in pick) for row in whole}
        # In different company.
        assert all(met.count(pair) > 1 for pair in met)
