"""Runs that measure a plan, of which one makes its code."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from dataflow.actors.plan import plan as plans
from tests.actors import trial_ops
from tests.actors.harness import GraphBuilder, Sessions

PATIENCE = 60.0
"""Seconds after which a run that has to wait for another is given up."""


def test_other_runs_do_not_wait_for_the_code(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = GraphBuilder()
    graph.placeholder("x")
    graph.add("TrialCall", "call", ["x"])
    trial_ops.functions["call"] = lambda value: value + 1
    step: Any = sessions.open(graph).step(["call"], ["x"])
    begun, may_end = threading.Event(), threading.Event()
    merge = plans.compile_clusters

    def compile_slowly(*arguments: Any) -> Any:
        begun.set()
        assert may_end.wait(PATIENCE)
        return merge(*arguments)

    monkeypatch.setattr(plans, "compile_clusters", compile_slowly)

    def run_until_it_compiles() -> None:
        while not begun.is_set():
            step([np.float32(0)])

    first = threading.Thread(target=run_until_it_compiles)
    first.start()
    assert begun.wait(PATIENCE)
    found: list[Any] = []
    second = threading.Thread(target=lambda: found.append(step([np.float32(4)])))
    second.start()
    second.join(PATIENCE)
    is_stuck = second.is_alive()
    may_end.set()
    for thread in (first, second):
        thread.join(PATIENCE)
    assert not is_stuck and found == [[5]]
