"""Plans whose steps stay on their caller's thread."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from dataflow.actors.plan.plan import Plan
from tests.actors import trial_ops
from tests.actors.harness import GraphBuilder, Sessions


def _plan_of_calls(sessions: Sessions, count: int) -> Plan:
    """The plan of calls that follow each other, once they were measured."""
    graph = GraphBuilder()
    names = ["x", *(f"call{i}" for i in range(count))]
    graph.placeholder("x")
    for before, name in pairwise(names):
        graph.add("TrialCall", name, [before])
        trial_ops.functions[name] = lambda value: value + 1
    session = sessions.open(graph)
    step: Any = session.step(names[-1:], ["x"])
    for i in range(5):
        assert step([np.float32(i)]) == [i + count]
    plan: Plan
    (plan,) = session.devices[0]._plans.values()
    return plan


def test_a_long_step_of_short_nodes_is_quick(sessions: Sessions) -> None:
    plan = _plan_of_calls(sessions, 4)
    layout = plan.layout
    assert 0 < layout.longest < 1
    layout.longest = 0.1
    plan.note_time(layout, 1.0)
    assert plan.is_quick
    plan.note_time(layout, 3.0)
    assert not plan.is_quick


def test_one_long_node_is_not(sessions: Sessions) -> None:
    plan = _plan_of_calls(sessions, 1)
    assert plan.layout.longest == 1
    plan.note_time(plan.layout, 0.3)
    assert not plan.is_quick
    plan.note_time(plan.layout, 0.01)
    assert plan.is_quick


def test_nodes_that_are_interpreted_do_not_look(sessions: Sessions) -> None:
    plan = _plan_of_calls(sessions, 4)
    plan.note_time(plan.traced_layout(), 0.3)
    assert not plan.is_quick
