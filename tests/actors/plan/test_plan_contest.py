"""Layouts of a plan run in turns; the faster one stays."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dataflow.actors.plan.plan import Plan
from tests.actors import trial_ops
from tests.actors.harness import GraphBuilder, Sessions


def comes_to(
    sessions: Sessions, function: Callable[[Any], Any], is_right: Any, behind: str = "TrialView"
) -> bool:
    """Whether the plan of two independent calls becomes right; a busy machine, on which threads do
    not meet when they could, has it wrong at times."""
    return any(is_right(plan_of_two(sessions, function, behind)) for _ in range(5))


def plan_of_two(
    sessions: Sessions, function: Callable[[Any], Any], behind: str = "TrialView"
) -> Plan:
    """The plan of two independent calls, each with an op behind, after enough steps to decide."""
    graph = GraphBuilder()
    graph.placeholder("x")
    for i in range(2):
        graph.add("TrialCall", f"call{i}", ["x"])
        graph.add(behind, f"behind{i}", [f"call{i}"])
    graph.add("TrialAdd", "sum", ["behind0", "behind1"])
    trial_ops.functions.update(call0=function, call1=function)
    session = sessions.open(graph, threads=2)
    step = session.step(["sum"], ["x"])
    found = [step([np.float32(i)])[0] for i in range(20)]
    more = 2 * (behind == "TrialBig")
    assert found == [2 * i + more for i in range(20)]
    (plan,) = session.devices[0]._plans.values()
    assert not plan.measuring
    return plan


def test_calls_that_overlap_stay_apart(sessions: Sessions) -> None:
    def sleep(value: Any) -> Any:
        time.sleep(0.02)
        return value

    assert comes_to(sessions, sleep, lambda plan: len(plan.layout.segments) > 1)


def competing() -> Callable[[Any], Any]:
    """Calls that have one lock, as Python has: who finds it taken loses more than was to be won."""
    lock = threading.Lock()

    def compete(value: Any) -> Any:
        alone = lock.acquire(blocking=False)
        if not alone:
            lock.acquire()
        # Calls that a busy machine keeps from meeting are as slow as one after the other.
        time.sleep(0.02 if alone else 0.1)
        lock.release()
        return value

    return compete


@pytest.mark.parametrize("behind", ["TrialView", "TrialCheap"])
def test_calls_that_wait_for_each_other_are_put_together(sessions: Sessions, behind: str) -> None:
    """Also where a kernel declares that it costs next to nothing, as those of shapes do."""
    assert comes_to(
        sessions,
        competing(),
        lambda plan: plan.is_straight and len(plan.layout.segments) == 1,
        behind,
    )


def test_what_a_kernel_says_that_it_costs_much_holds(sessions: Sessions) -> None:
    plan = plan_of_two(sessions, competing(), "TrialBig")
    assert len(plan.layout.segments) > 1


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
