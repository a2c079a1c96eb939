"""Two ways run in turns; the faster one stays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dataflow.kernels.threads.contest import Contest

CHALLENGER: Any = object()
CHAMPION: Any = object()


def decided(times: Callable[[Any, int], float]) -> tuple[Any, list[Any]]:
    """The winner, and the turns, where runs take so long."""
    contest, turns = Contest(CHALLENGER, CHAMPION, 0.95), []
    for _ in range(50):
        way = contest.next
        turns.append(way)
        winner = contest.note(way, times(way, turns.count(way)))
        if winner is not None:
            return winner, turns
    raise AssertionError("It does not end.")


@pytest.mark.parametrize(
    ("share", "winner"), [(0.5, CHALLENGER), (0.94, CHALLENGER), (0.97, CHAMPION)]
)
def test_the_challenger_must_be_worth_it(share: float, winner: Any) -> None:
    found, turns = decided(lambda way, run: share if way is CHALLENGER else 1.0)
    assert found is winner
    assert turns == [CHALLENGER, CHAMPION] * 6


def test_first_runs_and_slow_ones_do_not_count() -> None:
    """A way warms up; something else may want the cores for a while."""

    def times(way: Any, run: int) -> float:
        if way is CHALLENGER:
            return 0.5 if run in (3, 5) else 9.0
        return 0.01 if run == 1 else 1.0

    assert decided(times)[0] is CHALLENGER


@pytest.mark.parametrize(("lucky", "winner"), [(CHALLENGER, CHAMPION), (CHAMPION, CHALLENGER)])
def test_a_first_run_does_not_count(lucky: Any, winner: Any) -> None:
    def times(way: Any, run: int) -> float:
        if run == 1 and way is lucky:
            return 0.01
        return 1.0 if way is winner else 2.0

    assert decided(times)[0] is winner


def test_other_ways_do_not_count() -> None:
    contest = Contest(CHALLENGER, CHAMPION, 0.95)
    for _ in range(50):
        assert contest.note(object(), 0.0) is None  # type: ignore[arg-type]
    assert contest.next is CHALLENGER
