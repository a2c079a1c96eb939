"""Straight code behind receives: where it runs, and that nothing else holds what has come."""

from __future__ import annotations

from collections import deque
from types import SimpleNamespace
from typing import Any

import numpy as np

from dataflow.actors.run.arrivals import Arrivals
from dataflow.actors.step.rendezvous import RendezvousTable
from dataflow.actors.step.step import Step
from dataflow.errors import AbortedError


class Later:
    """Takes note of work that goes home."""

    def __init__(self) -> None:
        self.works: deque[Any] = deque()

    def put(self, work: Any, /) -> None:
        self.works.append(work)


class Wait:
    """A wait for two values, and what became of it."""

    def __init__(self, *early: Any) -> None:
        """Begins; the early values are there already."""
        self.ran: list[list[Any]] = []
        self.ended: list[tuple[Any, list[Any]]] = []
        self.takes: list[Any] = []
        self.home = Later()
        self.step = Step(1, 0, RendezvousTable())
        come = list(early)

        def call(_step: Step, take: Any) -> None:
            if come:
                take(come.pop(0))
            else:
                self.takes.append(take)

        receives = [
            SimpleNamespace(
                outputs=(slot,), call=call, name="r", op="_Recv", index=slot, sources=()
            )
            for slot in range(2)
        ]
        run = lambda slots: self.ran.append(list(slots))  # noqa: E731
        done = lambda error, slots: self.ended.append((error, list(slots)))  # noqa: E731
        wait = Arrivals("/cpu:0", self.step, [None, None], run, done, self.home)
        wait.begin(SimpleNamespace(receives=receives))  # type: ignore[arg-type]


def test_what_has_come_early_runs_at_once() -> None:
    wait = Wait(3, 4)
    assert wait.ran == [[3, 4]]
    assert wait.ended == [(None, [3, 4])]
    assert not wait.home.works


def test_who_brings_the_last_value_does_not_run_it() -> None:
    wait = Wait(3)
    value = np.zeros(3)
    (take,) = wait.takes
    take(value)
    assert wait.ran == wait.ended == []
    (work,) = wait.home.works
    work()
    assert wait.ran[0][1] is value
    assert wait.ended[0][0] is None


def test_a_failure_waits_for_the_others() -> None:
    wait = Wait()
    first, second = wait.takes
    error = AbortedError(None, None, "on purpose")
    first(error=error)
    assert not wait.home.works
    second(5)
    wait.home.works.popleft()()
    assert wait.ran == []
    ((ended, _),) = wait.ended
    assert isinstance(ended, AbortedError) and "on purpose" in ended.message
