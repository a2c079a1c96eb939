"""The threads that read lanes: of a device, and of a session's callers."""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from dataflow.actors.transfers.lanes import outgoing
from dataflow.actors.transfers.lanes.callers import LaneCallers, Waiter
from dataflow.actors.transfers.lanes.lane import Lane
from dataflow.actors.transfers.lanes.service import LaneService, Thunk
from dataflow.actors.wire.messages import Message, SendTensor, StepDone
from dataflow.errors import UnavailableError
from tests.actors.transfers.descriptors import open_descriptors
from tests.actors.transfers.lines import near_lines
from tests.ray.actors import eventually
from tests.ray.lanes import segments

LARGE = np.ones(7000, np.float32)


class Answers:
    """A session's lanes to one or more devices; a device answers each tensor with its value."""

    def __init__(self, lanes: int = 1) -> None:
        self.gate = threading.Event()
        self.gate.set()
        self.served: list[Lane] = []
        self.closed: list[Lane] = []
        self.lost: list[Lane] = []
        self.waits: dict[int, tuple[Waiter, list[Any]]] = {}
        self.services = [LaneService(self.serve, self.closed.append) for _ in range(lanes)]
        self.callers = LaneCallers(self.take, self.end, lambda: None)
        self.lanes = []
        for service in self.services:
            first, second = near_lines()
            self.served.append(service.accept(first, "session"))
            self.lanes.append(self.callers.add(second, "device"))

    def serve(self, lane: Lane, message: Message) -> deque[Thunk]:
        assert isinstance(message, SendTensor)
        if message.key == "wait":
            self.gate.wait(30)
        value = LARGE if message.key == "large" else message.value
        with suppress(UnavailableError):
            lane.send(StepDone(message.step, (value,)))
        return deque()

    def take(self, lane: Lane, message: Message) -> None:
        assert isinstance(message, StepDone)
        waiter, values = self.waits.pop(message.step)
        values.append(message.fetches[0])
        waiter.end()

    def end(self, lane: Lane) -> None:
        self.lost.append(lane)
        for waiter, _ in list(self.waits.values()):
            waiter.look()

    def ask(self, step: int, value: Any, key: str = "", lane: int = 0, seconds: float = 30) -> Any:
        """The device's answer; None if there is none in time, or the lane ends."""
        waiter, values = self.waits[step] = Waiter(self.callers), []
        self.lanes[lane].send(SendTensor(step, key, value))
        deadline = time.monotonic() + seconds
        while not waiter.is_over and time.monotonic() < deadline:
            if self.lanes[lane] in self.lost:
                break
            waiter.must_look = False
            self.callers.wait(waiter, deadline - time.monotonic())
        return values[0] if values else None

    def close(self) -> None:
        self.callers.close()
        for service in self.services:
            service.close()


@pytest.fixture
def answers() -> Iterator[Answers]:
    yield from closing(1)


@pytest.fixture
def two() -> Iterator[Answers]:
    yield from closing(2)


def closing(lanes: int) -> Iterator[Answers]:
    before, threads = open_descriptors(), set(threading.enumerate())
    made = Answers(lanes)
    yield made
    made.gate.set()
    made.close()
    assert eventually(lambda: not set(threading.enumerate()) - threads)
    made.__dict__.clear()
    del made
    assert eventually(lambda: open_descriptors() <= before)


def in_threads(count: int, work: Callable[[int], None]) -> list[BaseException]:
    """Runs `work(number)` on so many threads; returns what they raise."""
    failures: list[BaseException] = []

    def run(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    return failures


def test_each_caller_gets_its_own_answer(two: Answers) -> None:
    def work(number: int) -> None:
        for count in range(40):
            step = number * 100 + count
            size = 20_000 if count % 7 == 0 else 3
            found = two.ask(step, np.full(size, step, np.float32), lane=count % 2)
            assert found.shape == (size,) and (found == step).all()

    assert in_threads(8, work) == []


def test_what_waits_holds_up_nobody(answers: Answers) -> None:
    answers.gate.clear()
    found: list[Any] = []

    def wait(number: int) -> None:
        found.append(answers.ask(number, np.float32(number), "wait"))

    waiting = [threading.Thread(target=wait, args=(number,)) for number in range(6)]
    for thread in waiting:
        thread.start()
    assert eventually(lambda: len(answers.waits) == 6)
    for step in range(100, 150):
        assert answers.ask(step, np.float32(step)) == step
    assert found == []
    answers.gate.set()
    for thread in waiting:
        thread.join(30)
    assert sorted(found) == [0, 1, 2, 3, 4, 5]


def test_a_leader_that_gives_up_hands_on(answers: Answers) -> None:
    """The one that reads for all leaves first; the others' answers still arrive."""
    answers.gate.clear()
    found: list[Any] = []
    first = threading.Thread(
        target=lambda: found.append(answers.ask(0, np.float32(0), "wait", seconds=0.3))
    )
    first.start()
    assert eventually(lambda: answers.callers._leading)
    others = [
        threading.Thread(target=lambda n=n: found.append(answers.ask(n, np.float32(n), "wait")))
        for n in (1, 2, 3)
    ]
    for thread in others:
        thread.start()
    first.join(30)
    assert found == [None]
    answers.gate.set()
    for thread in others:
        thread.join(30)
    assert sorted(found[1:]) == [1, 2, 3]


def test_the_end_of_a_lane_ends_the_waits(answers: Answers) -> None:
    answers.gate.clear()
    started = time.monotonic()
    timer = threading.Timer(0.1, answers.served[0].shut)
    timer.start()
    assert in_threads(4, lambda n: answers.ask(n, np.float32(n), "wait")) == []
    assert time.monotonic() - started < 25
    assert answers.lost == answers.lanes
    assert eventually(lambda: answers.closed == answers.served)
    timer.join()


def test_a_lane_that_is_ended_is_free_though_nobody_waits(two: Answers) -> None:
    before = segments()
    array = two.ask(1, np.ones(20_000, np.float32))
    assert (array == 1).all() and segments().keys() - before.keys()
    del array
    two.callers.end(two.lanes[:1])
    assert two.lost == two.lanes[:1] and two.lanes[0].fileno() == -1
    assert eventually(lambda: two.closed == two.served[:1])
    assert segments().keys() <= before.keys()
    # A second time, of one that is gone, waits for nothing.
    begin = time.monotonic()
    two.callers.end(two.lanes[:1])
    assert time.monotonic() - begin < 0.5
    assert two.ask(2, np.float32(2), lane=1) == 2


def test_the_thread_that_leads_may_end_a_lane(two: Answers) -> None:
    def end() -> None:
        begin = time.monotonic()
        two.callers.end(two.lanes[:1])
        took.append(time.monotonic() - begin)

    took: list[float] = []
    two.callers.submit(end)
    assert two.ask(1, np.float32(1), lane=1) == 1
    assert eventually(lambda: bool(took)) and took[0] < 0.5
    assert two.ask(2, np.float32(2), lane=1) == 2
    assert two.lost == two.lanes[:1]


def test_a_lane_is_ended_by_whoever_leads(two: Answers) -> None:
    two.gate.clear()
    found: list[Any] = []
    waiting = threading.Thread(
        target=lambda: found.append(two.ask(0, np.float32(0), "wait", lane=1))
    )
    waiting.start()
    assert eventually(lambda: two.callers._leading)
    two.callers.end(two.lanes[:1])
    assert two.lost == two.lanes[:1]
    two.gate.set()
    waiting.join(30)
    assert found == [0]


def test_a_malformed_frame_ends_its_lane_alone(
    two: Answers, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "dataflow"):
        two.lanes[0]._socket.sendall(b"x" * 100)
        assert eventually(lambda: two.closed == [two.served[0]])
    assert "The connection from session is refused: Malformed frame" in caplog.text
    assert two.ask(1, np.float32(1), lane=1) == 1


def test_a_full_socket_blocks_neither_end(answers: Answers) -> None:
    """Both ends have more to send than sockets take; a reader that waited to write would hang."""
    value = np.ones(7000, np.float32)

    def work(number: int) -> None:
        waits = []
        for count in range(200):
            step = number * 1000 + count
            waits.append(Waiter(answers.callers))
            answers.waits[step] = (waits[-1], [])
            answers.lanes[0].send(SendTensor(step, "", value))
        for waiter in waits:
            while not waiter.is_over:
                answers.callers.wait(waiter, 1.0)

    assert in_threads(4, work) == []


def test_who_reads_no_answers_is_not_served_for_ever(
    answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it asks for stays where it is, and is served once it has read."""
    monkeypatch.setattr(outgoing, "_MOST_WAITING", 20)
    total = 250
    waits = []
    for step in range(total):
        waits.append(Waiter(answers.callers))
        answers.waits[step] = (waits[-1], [])
        answers.lanes[0].send(SendTensor(step, "large", np.zeros(200)))
    assert eventually(lambda: len(answers.served[0]._outgoing) > 20)
    queued = settled(lambda: len(answers.served[0]._outgoing))
    assert 20 < queued < 200
    assert answers.services[0]._paused
    for waiter in waits:
        while not waiter.is_over:
            answers.callers.wait(waiter, 1.0)
    assert answers.waits == {}
    assert answers.ask(total, np.float32(3)) == 3
    assert answers.services[0]._paused == {}


def test_who_dies_without_reading_is_seen_to_be_gone(
    answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outgoing, "_MOST_WAITING", 20)
    for step in range(250):
        answers.waits[step] = (Waiter(answers.callers), [])
        answers.lanes[0].send(SendTensor(step, "large", np.zeros(200)))
    assert eventually(lambda: answers.services[0]._paused)
    answers.lanes[0]._socket.shutdown(socket.SHUT_RDWR)
    assert eventually(lambda: answers.closed == answers.served)


def settled(number: Callable[[], int]) -> int:
    """The number once it changes no more."""
    before = -1
    while before != number():
        before = number()
        time.sleep(0.2)
    return before


def test_a_failing_reader_ends_its_lane_and_no_other(
    two: Answers, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A fault nobody thought of: a lane that is neither read nor closed would hold its peer."""

    def fail() -> list[Message]:
        raise LookupError("a fault")

    with caplog.at_level(logging.WARNING, "dataflow"), monkeypatch.context() as patch:
        patch.setattr(two.served[0], "read", fail)
        assert two.ask(1, np.float32(1)) is None
        assert eventually(lambda: two.closed == [two.served[0]])
    assert "refused: LookupError: a fault" in caplog.text
    assert two.ask(2, np.float32(2), lane=1) == 2
    with monkeypatch.context() as patch:
        patch.setattr(two.lanes[1], "read", fail)
        assert two.ask(3, np.float32(3), lane=1) is None
    assert two.lost == two.lanes


def test_without_threads_no_lane_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    service = LaneService(lambda *_: None, lambda _: None)
    first, second = near_lines()
    with pytest.raises(UnavailableError, match="can't start new thread"):
        service.accept(first, "session")
    service.close()
    for line in (first, second):
        line.sock.close()


def test_submitted_work_runs_on_another_thread(answers: Answers) -> None:
    ran: list[int] = []
    for _ in range(5):
        answers.services[0].submit(lambda: ran.append(threading.get_ident()))
    assert eventually(lambda: len(ran) == 5)
    assert threading.get_ident() not in ran


def test_threads_are_as_many_as_wait(answers: Answers) -> None:
    answers.gate.clear()
    for step in range(10):
        answers.waits[step] = (Waiter(answers.callers), [])
        answers.lanes[0].send(SendTensor(step, "wait", np.float32(0)))
    service = answers.services[0]
    assert eventually(lambda: service._threads >= 11)
    # Where they arrive together, a message wakes the thread that serves it and one that looks.
    assert not eventually(lambda: service._threads > 21, 0.05)
    answers.gate.set()
    assert eventually(lambda: len(service._idle) == service._threads)
