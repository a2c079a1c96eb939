"""Piecewise steps: feeds and fetches one by one, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from dataflow import errors
from tests.actors import trial_ops
from tests.actors.harness import GraphBuilder, Session, Sessions, cpu, signature
from tests.ray.actors import eventually


def _graph() -> GraphBuilder:
    graph = GraphBuilder()
    for name, device in (("a", 0), ("b", 1), ("c", 0)):
        graph.placeholder(name, cpu(device))
    graph.add("TrialNegate", "na", ["a"], cpu(0))
    graph.add("TrialAdd", "ab", ["na", "b"], cpu(1))
    graph.add(
        "TrialNote",
        "abc",
        [
            "ab",
        ],
        cpu(0),
    )
    graph.add("TrialAdd", "end", ["abc", "c"], cpu(0))
    return graph


def _setup(session: Session) -> str:
    wanted = signature(["na", "ab", "end"], ["a", "b", "c"])
    return session.runtime.partial_run_setup(session.handle, wanted)


def _run(session: Session, run: str, feeds: dict[str, float], fetches: list[str]) -> list[float]:
    fed = [(f"{name}:0", np.asarray(value, np.float32)) for name, value in feeds.items()]
    wanted = [f"{name}:0" for name in fetches]
    return session.runtime.partial_run(session.handle, run, fed, wanted)


@pytest.mark.parametrize("threads", [1, 3])
def test_feeds_and_fetches_one_by_one(sessions: Sessions, threads: int) -> None:
    session = sessions.open(_graph(), cpus=2, threads=threads)
    for _ in range(4):
        run = _setup(session)
        assert _run(session, run, {"a": 1}, ["na"]) == [-1]
        assert trial_ops.calls == []
        assert _run(session, run, {"b": 5}, []) == []
        assert _run(session, run, {"c": 10}, ["end", "ab"]) == [14, 4]
        assert trial_ops.calls == ["abc"]
        trial_ops.calls.clear()
        assert all(d.steps_in_flight == 0 for d in session.devices)
        assert all(d.plan_count == 0 for d in session.devices)
        with pytest.raises(errors.InvalidArgumentError, match="Must run 'setup' before"):
            _run(session, run, {}, ["na"])


def test_several_piecewise_steps_at_once(sessions: Sessions) -> None:
    session = sessions.open(_graph(), cpus=2)
    first, second = _setup(session), _setup(session)
    assert _run(session, first, {"a": 1}, ["na"]) == [-1]
    assert _run(session, second, {"a": 2}, ["na"]) == [-2]
    assert _run(session, second, {"b": 3, "c": 0}, ["end", "ab"]) == [1, 1]
    assert _run(session, first, {"b": 3, "c": 0}, ["end", "ab"]) == [2, 2]


@pytest.mark.parametrize(
    ("feeds", "fetches", "message"),
    [
        ({"na": 1}, [], "The feed na:0 was not specified in partial_run_setup."),
        ({"a": 1}, [], "The feed a:0 has already been fed."),
        ({}, ["b"], "The fetch b:0 was not specified in partial_run_setup."),
        ({}, ["na"], "The fetch na:0 has already been fetched."),
        ({}, ["ab"], "Fetch ab:0 can't be computed from the feeds that have been fed so far."),
    ],
)
def test_refusals(
    sessions: Sessions, feeds: dict[str, float], fetches: list[str], message: str
) -> None:
    session = sessions.open(_graph(), cpus=2)
    run = _setup(session)
    _run(session, run, {"a": 1}, ["na"])
    with pytest.raises(errors.InvalidArgumentError) as caught:
        _run(session, run, feeds, fetches)
    assert caught.value.message == message
    # The step is not harmed.
    assert _run(session, run, {"b": 1, "c": 0}, ["end"]) == [0]
    assert _run(session, run, {}, ["ab"]) == [0]


def test_an_error_ends_the_step(sessions: Sessions) -> None:
    graph = _graph()
    graph.add("TrialFail", "broken", ["ab"], cpu(0), kind=b"value", message=b"it broke")
    session = sessions.open(graph, cpus=2)
    wanted = signature(["broken", "na"], ["a", "b"])
    run = session.runtime.partial_run_setup(session.handle, wanted)
    assert _run(session, run, {"a": 1}, ["na"]) == [-1]
    with pytest.raises(errors.InvalidArgumentError, match=r"\{\{node broken\}\}"):
        _run(session, run, {"b": 1}, ["broken"])
    with pytest.raises(errors.InvalidArgumentError, match="Must run 'setup' before"):
        _run(session, run, {}, ["broken"])
    assert all(d.steps_in_flight == 0 for d in session.devices)


def test_close_ends_unfinished_steps(sessions: Sessions) -> None:
    session = sessions.open(_graph(), cpus=2)
    run = _setup(session)
    _run(session, run, {"a": 1}, ["na"])
    devices = session.devices
    session.close()
    # A thread may be at a node.
    assert eventually(lambda: all(d.steps_in_flight == 0 for d in devices))
    with pytest.raises(errors.CancelledError):
        _run(session, run, {"b": 1}, [])
