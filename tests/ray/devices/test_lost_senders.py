"""A device whose sender is cut off: nobody can tell it that what it waits for is lost."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import numpy as np
import pytest

from dataflow import errors
from dataflow.actors.ray.actors.device import DeviceShell
from dataflow.actors.transfers.lanes.lane import Lane
from dataflow.actors.transfers.lanes.line import Line
from dataflow.actors.wire.messages import AbortStep, RunStep, StepFailed, TensorsTaken
from dataflow.errors import ErrorReport
from tests.ray.actors import eventually
from tests.ray.devices.test_places import Asker
from tests.ray.devices.test_shell import DEVICE, PEER, STEP, push, register
from tests.ray.devices.test_shell import shell as shell  # a fixture

OTHER = "/job:worker/replica:0/task:2/device:CPU:0"


class Lanes:
    """Lanes to a device, and a step that waits there for a value of `PEER`."""

    def __init__(self, shell: DeviceShell) -> None:
        self._shell = shell
        self._plan = register(shell)
        self.asker = Asker()
        self._ends: list[socket.socket] = []

    def open(self, whom: str) -> socket.socket:
        here, there = socket.socketpair()
        self._shell.enter(Line(there), whom)
        self._ends.append(here)
        return here

    def start(self, step: int) -> None:
        message = RunStep(self._plan, step, (np.float32(1),))
        self._shell._steps.serve(self.asker, message)

    def close(self) -> None:
        for end in self._ends:
            end.close()
        self._shell._service.close()


@pytest.fixture
def lanes(shell: DeviceShell) -> Iterator[Lanes]:
    before = set(threading.enumerate())
    made = Lanes(shell)
    yield made
    made.close()
    assert eventually(lambda: not _threads_of_lanes() - before)


def _threads_of_lanes() -> set[threading.Thread]:
    return {t for t in threading.enumerate() if t.name.startswith("dataflow-lane")}


def test_a_step_fails_whose_sender_is_cut_off(shell: DeviceShell, lanes: Lanes) -> None:
    sender = lanes.open(PEER)
    lanes.start(STEP)
    assert lanes.asker.answers == []
    sender.close()
    assert eventually(lambda: len(lanes.asker.answers) == 1)
    (answer,) = lanes.asker.answers
    assert isinstance(answer, StepFailed) and answer.step == STEP
    assert answer.error.code == errors.UNAVAILABLE
    assert answer.error.message == (
        f"The connection from {PEER} to {DEVICE} is broken. Run the step once more: that opens a "
        "new one."
    )


def test_others_that_are_cut_off_stop_no_step(shell: DeviceShell, lanes: Lanes) -> None:
    other, old = lanes.open(OTHER), lanes.open(PEER)
    # The task was started again; the process that it had before ends late.
    lanes.open(PEER)
    lanes.start(STEP)
    other.close()
    old.close()
    assert eventually(lambda: len(shell._service._lanes) == 1)
    push(shell, STEP, np.float32(2))
    assert eventually(lambda: len(lanes.asker.answers) == 1)
    (answer,) = lanes.asker.answers
    assert answer.fetches == (3.0,)


def test_a_session_hears_that_what_a_silent_step_sent_is_lost(
    shell: DeviceShell, lanes: Lanes
) -> None:
    session = Lane(Line(lanes.open("A session")), DEVICE, lambda _: None, owns=True)
    device = Lane(Line(lanes.open(PEER)), DEVICE, lambda _: None, owns=True)
    shell._steps.lost(STEP, errors.UnavailableError(None, None, "cut"))
    (answer,) = session.read()
    assert answer == StepFailed(STEP, ErrorReport(errors.UNAVAILABLE, "cut"))
    # A peer would refuse it.
    shell._steps._incoming[PEER].send(TensorsTaken((3,)))
    assert device.read() == [TensorsTaken((3,))]


def test_a_step_that_runs_is_stopped_when_what_it_sent_is_lost(
    shell: DeviceShell, lanes: Lanes
) -> None:
    lanes.open("A session")
    lanes.start(STEP)
    shell._steps.lost(STEP, errors.UnavailableError(None, None, "cut"))
    assert eventually(lambda: len(lanes.asker.answers) == 1)
    assert lanes.asker.answers[0].error.message == "cut"


def test_a_freed_plan_takes_from_nobody(shell: DeviceShell, lanes: Lanes) -> None:
    sender = lanes.open(PEER)
    lanes.start(STEP)
    shell._device.deregister(lanes._plan)
    sender.close()
    assert eventually(lambda: not shell._service._lanes)
    assert lanes.asker.answers == []
    shell._steps.take(lanes.asker, AbortStep(STEP, ErrorReport(errors.ABORTED, "over")))
    assert eventually(lambda: len(lanes.asker.answers) == 1)
