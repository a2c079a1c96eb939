"""Deadlines of steps: called when their time is over, and only then."""

from __future__ import annotations

import threading
from functools import partial
from time import monotonic

from dataflow.actors.threads.deadlines import Deadlines


def _watchers() -> list[threading.Thread]:
    return [t for t in threading.enumerate() if t.name == "dataflow-deadlines"]


def test_it_calls_the_earliest_first_whatever_the_order_they_came_in() -> None:
    """Unless both are over before it looks, as on a busy machine."""
    assert any(_calls() == ["early", "late"] for _ in range(5))


def _calls() -> list[str]:
    deadlines = Deadlines()
    called: list[str] = []
    both = threading.Barrier(2)
    start = monotonic()

    def late() -> None:
        called.append("late")
        both.wait(60)

    deadlines.add(3600, lambda: called.append("never"))
    deadlines.add(0.2, late)
    deadlines.add(0.05, lambda: called.append("early"))
    both.wait(60)
    assert monotonic() - start >= 0.2
    deadlines.stop()
    return called


def test_one_that_is_withdrawn_is_not_called() -> None:
    deadlines = Deadlines()
    passed = threading.Event()
    is_in_time = False
    # A busy machine may not let it be in time.
    while not is_in_time:
        called: list[str] = []
        start = monotonic()
        withdrawn = deadlines.add(0.05, partial(called.append, "withdrawn"))
        deadlines.cancel(withdrawn)
        is_in_time = monotonic() - start < 0.05
    deadlines.cancel(withdrawn)
    deadlines.add(0.1, passed.set)
    assert passed.wait(60)
    assert called == []
    deadlines.stop()


def test_a_slow_function_does_not_delay_the_next() -> None:
    deadlines = Deadlines()
    release, passed = threading.Event(), threading.Event()
    deadlines.add(0.01, lambda: release.wait(60) and None)
    deadlines.add(0.03, passed.set)
    assert passed.wait(60)
    release.set()
    deadlines.stop()
