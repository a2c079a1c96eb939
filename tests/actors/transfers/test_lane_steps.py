"""Steps on lanes, also on those made of calls, against devices that this file plays."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager, suppress
from queue import Empty, SimpleQueue
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from ray.exceptions import ActorDiedError

from dataflow import errors
from dataflow.actors.ray.links.device_lane import DeviceLane
from dataflow.actors.ray.session import lane_step
from dataflow.actors.ray.session.lane_step import LaneStep
from dataflow.actors.step.join import STEP_PATIENCE
from dataflow.actors.transfers.lanes.callers import LaneCallers
from dataflow.actors.transfers.lanes.lane import Lane
from dataflow.actors.wire.codec import encode
from dataflow.actors.wire.messages import (
    AbortStep,
    DevicePart,
    FetchReady,
    Message,
    NodeTiming,
    RunStep,
    StepDone,
    StepFailed,
)
from dataflow.errors import ErrorReport
from tests.actors.transfers.lines import near_lines

LANES, CALLS = "lanes", "calls"
Device = Callable[[Any, Message], None]
"""Serves a message that a session has sent."""

LONG = 20.0
"""Seconds that are waited for who does not answer, where no step should wait."""
STEP = 7
FAILED = ErrorReport(3, "on purpose", "node")


def part(number: int, feeds: Sequence[int], fetches: Sequence[int], **more: Any) -> DevicePart:
    return DevicePart(f"device {number}", number, tuple(feeds), tuple(fetches), **more)


class Called:
    """A device that is called: its answers return with the calls that ask, in turn."""

    def __init__(self, whom: str) -> None:
        self.whom = whom
        self.calls: SimpleQueue[Future[bytes]] = SimpleQueue()
        self.messages: SimpleQueue[Message | None] = SimpleQueue()

    def send(self, message: Message) -> Any:
        encode(message)
        call: Future[bytes] = Future()
        self.calls.put(call)
        self.messages.put(message)
        return SimpleNamespace(future=lambda: call)

    def tell(self, message: Message) -> None:
        self.messages.put(message)


class CalledEnd:
    """What a device has of it; what nobody asks for any more goes nowhere."""

    def __init__(self, called: Called) -> None:
        self._called = called

    def send(self, message: Message) -> None:
        with suppress(Empty):
            self._called.calls.get_nowait().set_result(encode(message))

    def shut(self) -> None:
        self._called.calls.get_nowait().set_exception(ActorDiedError())


Found = tuple[LaneCallers, list[DeviceLane], list[Message]]
Devices = Callable[..., AbstractContextManager[Found]]
"""Lanes to devices, and what arrives at them."""


@contextmanager
def connected(*played: Device) -> Iterator[Found]:
    found: dict[Lane, DeviceLane] = {}
    callers = LaneCallers(
        lambda lane, message: found[lane].take(message),
        lambda lane: found[lane].closed(),
        lambda: None,
    )
    arrived: list[Message] = []
    ends = []

    def serve(lane: Lane, device: Device) -> None:
        try:
            while True:
                for message in lane.read():
                    arrived.append(message)
                    device(lane, message)
                time.sleep(1e-3)
        except EOFError:
            lane.close()

    threads = []
    for number, device in enumerate(played):
        own, other = near_lines()
        lane = callers.add(own, f"device {number}")
        found[lane] = DeviceLane(lane)
        ends.append(Lane(other, "session", lambda _: None, owns=False))
        threads.append(threading.Thread(target=serve, args=(ends[-1], device)))
        threads[-1].start()
    try:
        yield callers, list(found.values()), arrived
    finally:
        callers.close()
        for thread in threads:
            thread.join(30)


@contextmanager
def called(*played: Device) -> Iterator[Found]:
    callers = LaneCallers(lambda *_: None, lambda *_: None, lambda: None)
    arrived: list[Message] = []
    actors = [Called(f"device {number}") for number in range(len(played))]

    def serve(actor: Called, device: Device) -> None:
        while (message := actor.messages.get()) is not None:
            arrived.append(message)
            device(CalledEnd(actor), message)

    pairs = zip(actors, played, strict=True)
    threads = [threading.Thread(target=serve, args=pair) for pair in pairs]
    for thread in threads:
        thread.start()
    try:
        lanes: list[Any] = [DeviceLane.of_calls(a, callers.submit, lasts=True) for a in actors]
        yield callers, lanes, arrived
    finally:
        for actor, thread in zip(actors, threads, strict=True):
            actor.messages.put(None)
            thread.join(30)
            assert not thread.is_alive()


@pytest.fixture(params=[LANES, pytest.param(CALLS, marks=pytest.mark.ray)])
def devices(request: pytest.FixtureRequest) -> Devices:
    if request.param == LANES:
        return connected
    # Without Ray nothing is called.
    request.getfixturevalue("ray_cluster")
    return called


of_lanes = pytest.mark.parametrize("devices", [LANES], indirect=True)
"""A test of what calls do not have: answers that nobody has asked for, and silence."""


def doubles(lane: Any, message: Message) -> None:
    """A device that gives back twice what it is fed."""
    if isinstance(message, RunStep):
        timings = (NodeTiming("n", "Op", 1.0, 2.0),) if message.trace else ()
        values = tuple(2 * value for value in message.feeds)
        if not message.silent:
            lane.send(StepDone(message.step, values, timings))


def fails(lane: Any, message: Message) -> None:
    if isinstance(message, RunStep):
        lane.send(StepFailed(message.step, FAILED))


def waits(lane: Any, message: Message) -> None:
    """A device that goes on until it is stopped."""
    if isinstance(message, AbortStep):
        lane.send(StepFailed(message.step, message.error))


def lingers(lane: Any, message: Message) -> None:
    """A device that takes a while to stop."""
    time.sleep(0.2)
    waits(lane, message)


def ignores(_lane: Any, _message: Message) -> None:
    """A device that does not answer."""


def tells(*answers: Message) -> Device:
    """A device that sends these, and stops when it is told to."""

    def device(lane: Any, message: Message) -> None:
        if isinstance(message, RunStep):
            for answer in answers:
                lane.send(answer)
        else:
            waits(lane, message)

    return device


def leaves(lane: Any, message: Message) -> None:
    if isinstance(message, RunStep):
        lane.shut()


def test_feeds_and_fetches_find_their_places(devices: Devices) -> None:
    parts = [part(0, (2, 0), (1, 3)), part(1, (1,), (0,)), part(2, (), ())]
    feeds = [np.float32(1), np.arange(3), np.arange(20_000.0)]
    with devices(doubles, doubles, doubles) as (callers, lanes, arrived):
        step = LaneStep(STEP, frozenset(), lanes, parts, 4, callers)
        found = step.run(feeds, STEP, None)
    assert found[2] is None and found[3] == 2 and type(found[3]) is np.float32
    np.testing.assert_array_equal(found[0], [0, 2, 4])
    np.testing.assert_array_equal(found[1], np.arange(0, 40_000.0, 2))
    assert found[0].flags.writeable and found[1].flags.writeable
    asked = [m for m in arrived if isinstance(m, RunStep)]
    told = sorted((m.plan, m.step, m.low_water) for m in asked)
    assert told == [(plan, STEP, STEP) for plan in range(3)]


def test_fetched_strings_are_bytes(devices: Devices) -> None:
    with devices(tells(StepDone(STEP, (np.array(b"text", object),)))) as (callers, lanes, _):
        step = LaneStep(STEP, frozenset(), lanes, [part(0, (), (0,))], 1, callers)
        (found,) = step.run([], STEP, None)
    assert found == b"text" and type(found) is bytes


def test_traces_are_those_of_all_devices(devices: Devices) -> None:
    parts = [part(0, (0,), (0,)), part(1, (0,), (), only_sends=True)]
    with devices(doubles, tells(StepDone(STEP, (), (NodeTiming("m", "Op", 3.0, 4.0),)))) as found:
        callers, lanes, _ = found
        step = LaneStep(STEP, frozenset(), lanes, parts, 1, callers, traced=True)
        assert step.run([np.float32(2)], STEP, None) == [4]
    assert {device: [t.name for t in timings] for device, timings in step.timings} == {
        "device 0": ["n"],
        "device 1": ["m"],
    }


@pytest.mark.parametrize(
    "second",
    [waits, lingers, ignores, leaves],
    ids=["stops", "lingers", "does not stop", "leaves"],
)
def test_the_first_error_stops_the_others(
    devices: Devices, second: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    if second is not ignores:
        monkeypatch.setattr(lane_step, "STEP_PATIENCE", LONG)
    parts = [part(0, (), (0,)), part(1, (), (1,))]
    with devices(second, fails) as (callers, lanes, arrived):
        step = LaneStep(STEP, frozenset(), lanes, parts, 2, callers)
        start = time.monotonic()
        with pytest.raises((errors.InvalidArgumentError, errors.UnavailableError)) as raised:
            step.run([], STEP, None)
        taken = time.monotonic() - start
    if second is not leaves:
        assert isinstance(raised.value, errors.InvalidArgumentError)
        stopped = [m for m in arrived if isinstance(m, AbortStep)]
        assert stopped and all(m.error.message == "on purpose" for m in stopped)
    # Who does not answer is waited for as long as there is patience.
    assert taken >= STEP_PATIENCE if second is ignores else taken < LONG
    assert taken > 0.2 or second is not lingers


def test_a_silent_device_that_fails_is_heard(devices: Devices) -> None:
    parts = [part(0, (), (0,)), part(1, (), (), only_sends=True)]
    with devices(waits, fails) as (callers, lanes, arrived):
        step = LaneStep(STEP, frozenset(), lanes, parts, 1, callers)
        with pytest.raises(errors.InvalidArgumentError, match="on purpose"):
            step.run([], STEP, None)
        assert not any(lane._askers for lane in lanes)
    asked = sorted((m.plan, m.silent) for m in arrived if isinstance(m, RunStep))
    # A call that is never answered would hold a thread of the device.
    assert asked == [(0, False), (1, devices is connected)]


@of_lanes
def test_a_silent_device_is_not_waited_for(devices: Devices) -> None:
    parts = [part(0, (0,), (0,)), part(1, (), (), only_sends=True)]
    with devices(doubles, ignores) as (callers, lanes, _):
        step = LaneStep(STEP, frozenset(), lanes, parts, 1, callers)
        assert step.run([np.float32(3)], STEP, None) == [6]
        assert not any(lane._askers for lane in lanes)


@of_lanes
def test_a_silent_device_leaves_when_the_others_have_answered(devices: Devices) -> None:
    answered, left = threading.Event(), threading.Event()

    def answers(lane: Any, message: Message) -> None:
        doubles(lane, message)
        answered.set()

    def goes(lane: Any, message: Message) -> None:
        assert answered.wait(LONG)
        leaves(lane, message)
        left.set()

    parts = [part(0, (0,), (0,)), part(1, (), (), only_sends=True)]
    with devices(answers, goes) as (callers, lanes, _):
        # Both are found by one look at the lanes.
        callers.submit(lambda: None if left.wait(LONG) else pytest.fail("it does not leave"))
        step = LaneStep(STEP, frozenset(), lanes, parts, 1, callers)
        assert step.run([np.float32(3)], STEP, LONG) == [6]
        assert step.is_over and step.error is None


def test_a_lane_that_closes_under_a_question_is_lost_once() -> None:
    class Closing:
        whom, is_open = "device 0", True

        def send(self, _message: Message) -> None:
            device.closed()
            raise self.gone()

        def gone(self) -> errors.OpError:
            return errors.UnavailableError(None, None, "closed")

    class Asker:
        def __init__(self) -> None:
            self.lost_for: list[str] = []

        def take(self, _part: DevicePart, _message: Any) -> None:
            raise AssertionError

        def lost(self, _part: DevicePart, error: errors.OpError) -> None:
            self.lost_for.append(error.message)

    asker, closing = Asker(), Closing()
    device = DeviceLane(closing)  # type: ignore[arg-type]
    device.ask(asker, part(0, (), ()), RunStep(0, STEP, (), STEP))
    assert asker.lost_for == ["closed"]


@pytest.mark.parametrize(
    "answers",
    [
        (StepDone(STEP, (np.float32(1), np.float32(2))),),
        (StepDone(STEP, ()),),
        (FetchReady(STEP, 0, np.float32(1)),),
    ],
    ids=["too many", "too few", "one by one"],
)
def test_what_was_not_fetched_is_an_error(
    devices: Devices, answers: Sequence[Message], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lane_step, "STEP_PATIENCE", LONG)
    with devices(tells(*answers)) as (callers, lanes, _):
        step = LaneStep(STEP, frozenset(), lanes, [part(0, (), (0,))], 1, callers)
        start = time.monotonic()
        with pytest.raises(errors.InternalError, match="device 0 sent what was not fetched"):
            step.run([], STEP, None)
        assert time.monotonic() - start < LONG
        # It was waited until the device had stopped.
        assert not lanes[0]._askers


@of_lanes
def test_answers_to_other_steps_are_dropped(devices: Devices) -> None:
    answers = (StepDone(STEP - 1, (np.float32(9),)), StepDone(STEP, (np.float32(1),)))
    with devices(tells(*answers)) as (callers, lanes, _):
        step = LaneStep(STEP, frozenset(), lanes, [part(0, (), (0,))], 1, callers)
        assert step.run([], STEP, None) == [1]


def test_the_time_is_over(devices: Devices) -> None:
    with devices(waits) as (callers, lanes, arrived):
        step = LaneStep(STEP, frozenset(), lanes, [part(0, (), (0,))], 1, callers)
        with pytest.raises(errors.DeadlineExceededError, match="Timed out"):
            step.run([], STEP, 0.05)
    assert [type(m) for m in arrived] == [RunStep, AbortStep]


def test_a_value_that_cannot_be_sent(devices: Devices) -> None:
    with devices(waits) as (callers, lanes, _):
        step = LaneStep(STEP, frozenset(), lanes, [part(0, (0,), (0,))], 1, callers)
        with pytest.raises(errors.InvalidArgumentError, match="type object"):
            step.run([object()], STEP, None)


def test_another_thread_fails_it(devices: Devices) -> None:
    with devices(waits) as (callers, lanes, _):
        step = LaneStep(STEP, frozenset(), lanes, [part(0, (), (0,))], 1, callers)
        error = errors.UnavailableError(None, None, "a death")
        thread = threading.Timer(0.05, step.fail, (error,))
        thread.start()
        with pytest.raises(errors.UnavailableError, match="a death"):
            step.run([], STEP, None)
        thread.join()
