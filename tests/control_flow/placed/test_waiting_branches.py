"""Kernels that wait for others, on the branches of conditionals."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from dataflow import errors
from dataflow.values import dtypes
from tests.actors import trial_ops
from tests.actors.harness import GraphBuilder, Session, Sessions
from tests.control_flow.conftest import ControlFlowPath


@pytest.fixture(autouse=True)
def _trial_ops() -> Iterator[None]:
    with trial_ops.registered():
        yield
    trial_ops.parked.clear()


@pytest.fixture
def session(control_flow_path: ControlFlowPath) -> Iterator[Session]:
    """A session with a graph that parks its value where `p` is true, and else negates it."""
    graph = GraphBuilder()
    graph.placeholder("x")
    graph.placeholder("p", dtype=dtypes.bool)
    graph.add("Switch", "switch", ["x", "p"])
    graph.add("TrialPark", "park", ["switch:1"])
    graph.add("TrialNegate", "off", ["switch:0"])
    graph.add("TrialAdd", "on", ["park", "switch:1"])
    graph.add("Merge", "merge", ["off", "on"], N=2)
    graph.add("TrialNegate", "end", ["merge"])
    opened = Sessions()
    options = control_flow_path.config().graph_options
    yield opened.open(graph, graph_options=options)
    opened.close()


def _start(session: Session, fetch: str) -> tuple[threading.Thread, list[Any]]:
    """A run that has come to where it waits."""
    results: list[Any] = []

    def run() -> None:
        try:
            results.extend(session.run([fetch], {"x": np.float32(3), "p": True}))
        except errors.OpError as error:
            results.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    end = time.monotonic() + 60
    while "park" not in trial_ops.parked:
        assert time.monotonic() < end
    return thread, results


def test_only_the_branch_that_is_taken_waits(
    session: Session, control_flow_path: ControlFlowPath
) -> None:
    for _ in range(4):
        assert session.run(["end"], {"x": np.float32(3), "p": False}) == [3]
        assert not trial_ops.parked
        thread, results = _start(session, "end")
        trial_ops.parked.pop("park")(np.float32(5))
        thread.join(60)
        assert results == [-8]
    (plan,) = session.devices[0]._plans.values()
    assert plan.tagged == (control_flow_path.name == "general")


def test_an_error_of_what_waited_names_it(session: Session) -> None:
    for _ in range(3):
        thread, results = _start(session, "end")
        trial_ops.parked.pop("park")(error=errors.UnavailableError(None, None, "gone"))
        thread.join(60)
        (error,) = results
        assert isinstance(error, errors.UnavailableError)
        assert "gone" in error.message and "{{node park}}" in error.message
        assert session.run(["end"], {"x": np.float32(3), "p": False}) == [3]


def test_a_dead_fetch_behind_it_is_refused(session: Session) -> None:
    for _ in range(3):
        with pytest.raises(errors.InvalidArgumentError, match=r"Retval\[0\] does not have value"):
            session.run(["on"], {"x": np.float32(3), "p": False})
