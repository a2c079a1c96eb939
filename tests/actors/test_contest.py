"""Layouts of a plan run in turns; the faster one stays."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dataflow.actors.contest import Contest
from dataflow.actors.plan import Plan
from tests.actors import trial_ops
from tests.actors.harness import GraphBuilder, Sessions

APART: Any = object()
TOGETHER: Any = object()


def decided(times: Callable[[Any, int], float]) -> tuple[Any, list[Any]]:
    """The winner, and the turns, where runs take so long."""
    contest, turns = Contest(APART, TOGETHER), []
    for _ in range(50):
        layout = contest.next
        turns.append(layout)
        winner = contest.note(layout, times(layout, turns.count(layout)))
        if winner is not None:
            return winner, turns
    raise AssertionError("It does not end.")


@pytest.mark.parametrize(("share", "winner"), [(0.5, APART), (0.94, APART), (0.97, TOGETHER)])
def test_several_segments_must_be_worth_it(share: float, winner: Any) -> None:
    found, turns = decided(lambda layout, run: share if layout is APART else 1.0)
    assert found is winner
    assert turns == [APART, TOGETHER] * 6


def test_first_runs_and_slow_ones_do_not_count() -> None:
    """A layout warms up; something else may want the cores for a while."""

    def times(layout: Any, run: int) -> float:
        if layout is APART:
            return 0.5 if run in (3, 5) else 9.0
        return 0.01 if run == 1 else 1.0

    assert decided(times)[0] is APART


@pytest.mark.parametrize(("lucky", "winner"), [(APART, TOGETHER), (TOGETHER, APART)])
def test_a_first_run_does_not_count(lucky: Any, winner: Any) -> None:
    def times(layout: Any, run: int) -> float:
        if run == 1 and layout is lucky:
            return 0.01
        return 1.0 if layout is winner else 2.0

    assert decided(times)[0] is winner


def test_other_layouts_do_not_count() -> None:
    contest = Contest(APART, TOGETHER)
    for _ in range(50):
        assert contest.note(object(), 0.0) is None  # type: ignore[arg-type]
    assert contest.next is APART


def plan_of_two(sessions: Sessions, function: Callable[[Any], Any]) -> tuple[Plan, list[Any]]:
    """The plan of two independent calls after enough steps to decide, and what each step gave."""
    graph = GraphBuilder()
    graph.placeholder("x")
    for i in range(2):
        graph.add("TrialCall", f"call{i}", ["x"])
    graph.add("TrialAdd", "sum", ["call0", "call1"])
    trial_ops.functions.update(call0=function, call1=function)
    session = sessions.open(graph, threads=2)
    step = session.step(["sum"], ["x"])
    found = [step([np.float32(i)])[0] for i in range(30)]
    (plan,) = session.devices[0]._plans.values()
    return plan, found


def test_calls_that_overlap_stay_apart(sessions: Sessions) -> None:
    def sleep(value: Any) -> Any:
        time.sleep(0.02)  # Much longer than a busy machine lets threads wait.
        return value

    plan, found = plan_of_two(sessions, sleep)
    assert found == [2 * i for i in range(30)]
    assert not plan.measuring
    assert len(plan.layout.segments) > 1


def test_calls_that_wait_for_each_other_are_put_together(sessions: Sessions) -> None:
    """They have one lock, as Python has: it costs them more to take turns."""
    lock = threading.Lock()
    last: list[int] = [0]

    def compete(value: Any) -> Any:
        for _ in range(4):
            with lock:
                # It costs most where another thread had it before.
                time.sleep(0.002 if last[0] != threading.get_ident() else 0.0005)
                last[0] = threading.get_ident()
        return value

    plan, found = plan_of_two(sessions, compete)
    assert found == [2 * i for i in range(30)]
    assert not plan.measuring
    assert plan.is_straight
    assert len(plan.layout.segments) == 1


def test_no_contest_where_a_segment_waits(sessions: Sessions) -> None:
    graph = GraphBuilder()
    graph.placeholder("x")
    graph.add("TrialPark", "park", ["x"])
    graph.add("TrialCall", "call", ["x"])
    graph.add("TrialAdd", "sum", ["park", "call"])

    def wake() -> None:
        while "park" not in trial_ops.parked:
            time.sleep(0.0005)
        trial_ops.parked.pop("park")()

    def call(value: Any) -> Any:
        threading.Thread(target=wake).start()
        return value

    trial_ops.functions.update(call=call)
    session = sessions.open(graph, threads=2)
    step = session.step(["sum"], ["x"])
    assert [step([np.float32(i)])[0] for i in range(4)] == [0, 2, 4, 6]
    (plan,) = session.devices[0]._plans.values()
    assert any(segment.node is not None for segment in plan.layout.segments)
    assert not plan.measuring
