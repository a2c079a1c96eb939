"""How far a sender in a loop runs ahead: so far and no farther, and never for ever."""

from __future__ import annotations

import threading

from dataflow import errors
from dataflow.actors.step.rendezvous import RendezvousTable
from dataflow.actors.step.step import Step
from dataflow.actors.transfers.lanes import backlog
from dataflow.actors.transfers.lanes.backlog import MARKS, VALUES, Backlog
from tests.ray.actors import eventually


class Loop:
    """A sender in a loop, on a thread of its own."""

    def __init__(self, size: int = 4, step_id: int = 1) -> None:
        self.step = Step(step_id, 0, RendezvousTable())
        self.backlog = Backlog()
        self.marks: list[int] = []
        """The marks of what was sent."""
        self._size = size
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while self.step.error is None and len(self.marks) < 100_000:
            self.marks.append(self.backlog.enter(self.step, "edge", self._size))

    def waits_after(self, count: int) -> bool:
        """Whether the sender comes so far, and no farther."""
        if not eventually(lambda: len(self.marks) >= count):
            return False
        self._thread.join(0.05)
        return len(self.marks) == count

    def take(self, count: int) -> None:
        """Takes the oldest marked values."""
        for _ in range(count):
            mark = next(mark for mark in self.marks if mark)
            self.marks[self.marks.index(mark)] = 0
            self.backlog.taken((mark,))

    def stop(self) -> None:
        self.step.cancel(errors.CancelledError(None, None, "stopped"))
        self._thread.join(10)
        assert not self._thread.is_alive()


def test_a_sender_waits_for_its_receiver() -> None:
    loop = Loop()
    assert loop.waits_after(VALUES * (MARKS + 1))
    loop.take(1)
    assert loop.waits_after(VALUES * (MARKS + 2))
    loop.take(2)
    assert loop.waits_after(VALUES * (MARKS + 4))
    loop.stop()


def test_large_values_count_for_more() -> None:
    loop = Loop(backlog.BYTES)
    assert loop.waits_after(MARKS + 1)
    loop.take(2)
    assert loop.waits_after(MARKS + 3)
    loop.stop()


def test_a_stopped_step_waits_no_longer() -> None:
    loop = Loop()
    assert loop.waits_after(VALUES * (MARKS + 1))
    loop.stop()


def test_edges_and_steps_do_not_share_a_backlog() -> None:
    shared = Backlog()
    steps = [Step(number, 0, RendezvousTable()) for number in (1, 2)]
    for _ in range(VALUES * MARKS):
        for step in steps:
            for edge in "ab":
                shared.enter(step, edge, 4)
    assert len(shared) == 4 * MARKS
    shared.taken(range(1, 100))
    assert len(shared) == 0


def test_unknown_marks_do_nothing() -> None:
    shared = Backlog()
    shared.taken((7, 7, -1))
    assert len(shared) == 0


def test_edges_of_steps_long_past_are_forgotten() -> None:
    shared = Backlog()
    for number in range(backlog._EDGES + 50):
        step = Step(number, 0, RendezvousTable())
        for _ in range(VALUES):
            shared.enter(step, "edge", 4)
    assert len(shared) <= backlog._EDGES


def test_the_receiver_says_when_a_value_is_taken() -> None:
    table = RendezvousTable()
    taken: list[str] = []
    table.put(1, "early", 1.0, taken=lambda: taken.append("early"))
    assert taken == []
    table.open(1).recv("early", lambda *_: taken.append("received"))
    assert taken == ["early", "received"]
    table.open(1).recv("late", lambda *_: taken.append("received"))
    table.put(1, "late", 2.0, taken=lambda: taken.append("late"))
    assert taken[2:] == ["late", "received"]
