"""Sessions on Ray open and close without a word."""

from __future__ import annotations

import pytest

from tests.ray.cycles import cycles

pytestmark = pytest.mark.ray(own=True)


@pytest.mark.parametrize(
    ("count", "own"), [pytest.param(2, False, marks=pytest.mark.long), (1, True)]
)
def test_a_few_cycles_are_silent(count: int, own: bool) -> None:
    told = cycles(count, own, limit=250)
    assert told.noise == ""
