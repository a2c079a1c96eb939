"""Partial runs on Ray: a step whose devices are fed and fetched piece by piece."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import partial
from typing import Any

from dataflow.actors.ray.links.device_lane import Answer, DeviceLane
from dataflow.actors.ray.session.lane_step import wait_until_over
from dataflow.actors.ray.session.session import RaySession
from dataflow.actors.step.dead import DEAD
from dataflow.actors.step.join import DoneCallback, Failed
from dataflow.actors.step.partial import FetchCallback, PartialRun
from dataflow.actors.step.values import own_fetch
from dataflow.actors.transfers.lanes.callers import Waiter
from dataflow.actors.wire.messages import (
    DevicePart,
    FeedStep,
    FetchReady,
    RunStep,
    StepFailed,
    StepPlan,
)
from dataflow.errors import OpError
from dataflow.passes.placement.split import task_of
from dataflow.runtime.signature import StepSignature
from dataflow.values.interrupts import held_back


class RayPartialRun:
    """A step that is fed and fetched piece by piece, and the thread that waits for its answers."""

    def __init__(self, session: RaySession, signature: StepSignature, plan: StepPlan) -> None:
        self._session = session
        self._signature = signature
        self._plan = plan
        self.tasks = frozenset(task_of(part.device) for part in plan.parts)
        self.step_id = 0
        self._waiter = Waiter(session.callers)
        self._run: PartialRun | None = None

    def start(self) -> None:
        """Starts the step; it waits for its feeds."""
        session, names = self._session, [part.device for part in self._plan.parts]
        _, low_water = session.begin(self.tasks, self._named)
        devices = [_Device(lane, low_water) for lane in session.lanes_to(names)]
        run = self._run = PartialRun(
            self.step_id,
            self._signature,
            self._plan,
            dict(zip(names, devices, strict=True)),
            on_change=self._changed,
        )
        name = f"dataflow-fetch-{self.step_id}"
        threading.Thread(
            target=self._take_answers, args=(run, devices), name=name, daemon=True
        ).start()

    def run(self, feeds: Sequence[tuple[str, Any]], fetches: Sequence[str]) -> list[Any]:
        """Feeds some and fetches some; see `PartialRun`."""
        assert self._run is not None
        return self._run.run(feeds, fetches)

    @property
    def is_over(self) -> bool:
        """True if all was fed and fetched, or the step failed."""
        return self._run is None or self._run.is_over

    def fail(self, error: BaseException) -> None:
        """Makes this the step's error unless it has one, and stops it on all devices."""
        if self._run is not None:
            self._run.fail(error)

    def _named(self, step_id: int) -> RayPartialRun:
        self.step_id = step_id
        return self

    def _changed(self) -> None:
        if self._run is not None and self._run.join.is_over:
            self._waiter.end()
        else:
            self._waiter.look()

    def _take_answers(self, run: PartialRun, devices: Sequence[_Device]) -> None:
        lanes = [device.lane for device in devices]
        wait_until_over(run.join, self._waiter, lanes, None, run.join.time_out)
        for device in devices:
            device.forget()


class _Device:
    """A device in the step."""

    def __init__(self, lane: DeviceLane, low_water: int) -> None:
        self.lane = lane
        self._low_water = low_water
        self._done: DoneCallback | None = None
        self._on_fetch: FetchCallback | None = None

    def start_piecewise(
        self,
        part: DevicePart,
        step_id: int,
        done: DoneCallback,
        on_fetch: FetchCallback,
        failed: Failed,
    ) -> None:
        """Starts the device's plan, its feeds to come."""
        self._done, self._on_fetch = done, on_fetch
        message = RunStep(part.plan, step_id, (), self._low_water, piecewise=True)
        self.lane.ask(self, part, message)

    def feed(self, step_id: int, index: int, value: Any) -> None:
        """Gives the step one of its feeds."""
        held_back(partial(self.lane.tell, FeedStep(step_id, index, value)))

    def abort(self, step_id: int, error: OpError) -> None:
        """Has the device stop the step."""
        self.lane.abort(step_id, error)

    def forget(self) -> None:
        """Calls nobody any more, so that what was fetched is freed at once: no circle holds it."""
        self._done = self._on_fetch = None

    def take(self, part: DevicePart, message: Answer) -> None:
        """Takes an answer of the device."""
        if not isinstance(message, FetchReady):
            self._end(message.error.to_exception() if isinstance(message, StepFailed) else None)
        elif self._on_fetch is not None:
            self._on_fetch(message.index, DEAD if message.dead else own_fetch(message.value))

    def lost(self, part: DevicePart, error: OpError) -> None:
        """Takes note that the device will not answer."""
        self._end(error)

    def _end(self, error: OpError | None) -> None:
        done = self._done
        self.forget()
        if done is not None:
            done(error, ())
