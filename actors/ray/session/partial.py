"""Partial runs on Ray: a step whose devices are fed and fetched piece by piece."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from dataflow.actors.ray.session.lane_pieces import PiecewiseLane, PiecewiseWait
from dataflow.actors.ray.session.session import RaySession
from dataflow.actors.step.partial import PartialRun
from dataflow.actors.wire.messages import StepPlan
from dataflow.passes.placement.split import task_of
from dataflow.runtime.protocol import StepSignature


class RayPartialRun:
    """A step that is fed and fetched piece by piece."""

    def __init__(self, session: RaySession, signature: StepSignature, plan: StepPlan) -> None:
        self._session = session
        self._signature = signature
        self._plan = plan
        self.tasks = frozenset(task_of(part.device) for part in plan.parts)
        self.step_id = 0
        self._run: PartialRun | None = None

    def start(self) -> None:
        """Starts the step; it waits for its feeds."""
        session, names = self._session, [part.device for part in self._plan.parts]
        _, low_water = session.begin(self.tasks, self._named)
        devices = [PiecewiseLane(lane, low_water) for lane in session.lanes_to(names)]
        wait = PiecewiseWait(session.callers, devices)
        by_name = dict(zip(names, devices, strict=True))
        run = self._run = PartialRun(
            self.step_id, self._signature, self._plan, by_name, on_change=wait.changed
        )
        name = f"dataflow-fetch-{self.step_id}"
        threading.Thread(target=wait.take_answers, args=(run.join,), name=name, daemon=True).start()

    def run(self, feeds: Sequence[tuple[str, Any]], fetches: Sequence[str]) -> list[Any]:
        """Feeds some and fetches some; see `PartialRun`."""
        assert self._run is not None
        return self._run.run(feeds, fetches)

    def _named(self, step_id: int) -> RayPartialRun:
        self.step_id = step_id
        return self

    @property
    def is_over(self) -> bool:
        """True if all was fed and fetched, or the step failed."""
        return self._run is None or self._run.is_over

    def fail(self, error: BaseException) -> None:
        """Makes this the step's error unless it has one, and stops it on all devices."""
        if self._run is not None:
            self._run.fail(error)
