"""Steps that are stopped before they have begun, or while they begin: nothing of them goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dataflow.actors.step.join import StepJoin
from dataflow.actors.wire.messages import DevicePart
from dataflow.errors import DeadlineExceededError, OpError


class Played:
    """A device that notes what it is told, and does something else while it starts a step."""

    def __init__(self) -> None:
        self.told: list[Any] = []
        self.meanwhile: Callable[[], None] = lambda: None
        self.done: Callable[..., None] = lambda *_: None

    def start(self, part: DevicePart, step_id: int, feeds: Any, done: Any, failed: Any) -> None:
        self.meanwhile()
        self.told.append("start")
        self.done = done

    def abort(self, step_id: int, error: OpError) -> None:
        self.told.append(type(error))


@pytest.fixture
def device() -> Played:
    return Played()


@pytest.fixture
def join(device: Played) -> StepJoin:
    return StepJoin(5, [(device, DevicePart("device", 1, (), ()))], 0)


def test_a_step_whose_time_is_over_before_it_begins(join: StepJoin, device: Played) -> None:
    join.time_out()
    join.start([])
    assert device.told == [DeadlineExceededError]
    assert join.is_over


def test_a_step_whose_time_is_over_while_it_begins(join: StepJoin, device: Played) -> None:
    """The device does not know of it when it is told to stop it, and is told again."""
    device.meanwhile = join.time_out
    join.start([])
    assert device.told == [DeadlineExceededError, "start", DeadlineExceededError]
    assert not join.is_over
    device.done(None, ())
    assert join.is_over
