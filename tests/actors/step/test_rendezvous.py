"""The rendezvous: any interleaving of puts and receives, early values, abort, late values."""

from __future__ import annotations

import threading
from collections import defaultdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataflow.actors.step.numbers import STEP_BITS
from dataflow.actors.step.rendezvous import Rendezvous, RendezvousTable, rendezvous_key
from dataflow.actors.step.step import Step
from dataflow.errors import AbortedError, OpError

KEYS = ["a", "b", "c"]


class Receiver:
    """Remembers what it was called with."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, bool, OpError | None]] = []

    def __call__(self, value: Any, dead: bool, error: OpError | None) -> None:
        self.calls.append((value, dead, error))


def test_key_has_tensorflows_form() -> None:
    key = rendezvous_key("/job:w/task:0/device:CPU:0", -2, "/job:w/task:1/device:CPU:0", "edge_1_x")
    assert key == (
        "/job:w/task:0/device:CPU:0;fffffffffffffffe;/job:w/task:1/device:CPU:0;edge_1_x;0:0"
    )


@given(st.lists(st.tuples(st.booleans(), st.sampled_from(KEYS))))
def test_each_key_is_a_queue(actions: list[tuple[bool, str]]) -> None:
    rendezvous = Rendezvous()
    sent: dict[str, list[int]] = defaultdict(list)
    receivers: dict[str, list[Receiver]] = defaultdict(list)
    for number, (is_put, key) in enumerate(actions):
        if is_put:
            sent[key].append(number)
            rendezvous.put(key, number, dead=number % 3 == 0)
        else:
            receivers[key].append(Receiver())
            rendezvous.recv(key, receivers[key][-1])
    for key in KEYS:
        got = [call for receiver in receivers[key] for call in receiver.calls]
        count = min(len(sent[key]), len(receivers[key]))
        assert got == [(number, number % 3 == 0, None) for number in sent[key][:count]]
        assert all(len(r.calls) == (i < count) for i, r in enumerate(receivers[key]))
    rendezvous.abort(AbortedError(None, None, "stop"))
    for waiting in receivers.values():
        assert all(len(receiver.calls) == 1 for receiver in waiting)
    assert len(rendezvous) == 0


def test_abort_reaches_waiting_and_later_receivers() -> None:
    rendezvous, error = Rendezvous(), AbortedError(None, None, "stop")
    waiting, later = Receiver(), Receiver()
    rendezvous.put("kept", 1)
    rendezvous.recv("a", waiting)
    rendezvous.abort(error)
    rendezvous.abort(AbortedError(None, None, "second"))
    rendezvous.put("a", 2)
    rendezvous.recv("kept", later)
    assert waiting.calls == later.calls == [(None, False, error)]


def test_many_threads_lose_nothing() -> None:
    rendezvous = Rendezvous()
    count = 500
    received: list[int] = []
    over = threading.Semaphore(0)

    def receive(value: Any, dead: bool, error: OpError | None) -> None:
        received.append(value)
        over.release()

    def put(start: int) -> None:
        for number in range(start, start + count):
            rendezvous.put(f"{number % 7}", number)

    def recv(start: int) -> None:
        for number in range(start, start + count):
            rendezvous.recv(f"{number % 7}", receive)

    threads = [
        threading.Thread(target=target, args=(start,))
        for start in (0, count)
        for target in (put, recv)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for _ in range(2 * count):
        assert over.acquire(timeout=60)
    assert sorted(received) == list(range(2 * count))


def test_early_values_are_there_when_the_step_opens() -> None:
    table, receiver = RendezvousTable(), Receiver()
    table.put(5, "a", 1)
    table.open(5).recv("a", receiver)
    assert receiver.calls == [(1, False, None)]
    assert table.open(5) is table.open(5)


def test_late_values_are_dropped() -> None:
    table = RendezvousTable()
    table.open(5)
    table.finish(5)
    table.put(5, "a", 1)
    assert len(table) == 0


def test_early_abort_fails_the_step_that_opens_later() -> None:
    table, receiver, error = RendezvousTable(), Receiver(), AbortedError(None, None, "stop")
    table.put(5, "a", 1)
    table.abort(5, error)
    table.put(5, "a", 2)
    assert len(table) == 0
    table.open(5).recv("a", receiver)
    assert receiver.calls == [(None, False, error)]


def test_early_steps_are_bounded() -> None:
    table, receiver = RendezvousTable(), Receiver()
    for step in range(table.MAX_EARLY_STEPS + 1):
        table.put(step, "a", step)
    assert len(table) == table.MAX_EARLY_STEPS
    table.open(0).recv("a", receiver)
    ((_, _, error),) = receiver.calls
    assert isinstance(error, AbortedError)
    table.open(1).recv("a", receiver)
    assert receiver.calls[1] == (1, False, None)


def test_low_water_reaps_older_steps_of_its_session() -> None:
    table = RendezvousTable()
    mine, other = 1 << STEP_BITS, 2 << STEP_BITS
    for step in (mine + 1, mine + 2, mine + 3, other + 1):
        table.put(step, "a", step)
    table.reap(mine + 3)
    table.put(mine + 2, "a", 0)
    assert len(table) == 2
    table.reap(mine + 1)
    table.forget_session(2)
    assert len(table) == 1
    table.forget_session(1)
    assert len(table) == 0


def test_step_cancel_reaches_kernels_and_receivers() -> None:
    table, receiver, error = RendezvousTable(), Receiver(), AbortedError(None, None, "stop")
    step = Step(1, 0, table)
    called: list[str] = []
    step.on_cancel(lambda: called.append("kept"))
    step.on_cancel(lambda: called.append("withdrawn"))()
    step.rendezvous.recv("a", receiver)
    event = step.cancelled
    assert not event.is_set()
    assert step.cancel(error)
    assert not step.cancel(AbortedError(None, None, "second"))
    assert step.error is error
    assert event.is_set()
    assert step.cancelled.is_set()
    assert called == ["kept"]
    assert receiver.calls == [(None, False, error)]
    step.on_cancel(lambda: called.append("late"))()
    assert called == ["kept", "late"]


@pytest.mark.parametrize("opened_first", [True, False])
def test_step_cancelled_before_its_rendezvous_is_used(opened_first: bool) -> None:
    table, receiver = RendezvousTable(), Receiver()
    step = Step(1, 0, table)
    if opened_first:
        table.open(1)
    error = AbortedError(None, None, "stop")
    step.cancel(error)
    step.rendezvous.recv("a", receiver)
    assert receiver.calls == [(None, False, error)]
