"""What a device does about steps, for messages that lanes bring and those that calls bring."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, Protocol

from dataflow.actors.cores.device import DeviceCore
from dataflow.actors.plan.builder import late_feed_key
from dataflow.actors.plan.plan import Plan
from dataflow.actors.run.trace import Record, to_timings
from dataflow.actors.step.dead import DEAD
from dataflow.actors.step.values import guard_feed
from dataflow.actors.threads.ready_queue import start_together
from dataflow.actors.transfers.lanes.service import Thunk
from dataflow.actors.wire.messages import (
    AbortStep,
    FeedStep,
    FetchReady,
    Message,
    RunStep,
    SendTensor,
    StepDone,
    StepFailed,
    TensorsTaken,
)
from dataflow.errors import (
    CancelledError,
    ErrorReport,
    OpError,
    ResourceExhaustedError,
    UnavailableError,
)

_LOGGER = logging.getLogger("dataflow")

Submit = Callable[[Thunk], None]
"""Has another thread do something."""


class AnyLane(Protocol):
    """Where messages come from and answers go: a `Lane`, or a call that stands for one."""

    @property
    def whom(self) -> str:
        """Who is at the other end, for messages."""

    @property
    def is_open(self) -> bool:
        """False if nobody waits for answers any more."""

    def send(self, message: Message, /) -> None:
        """Answers; raises UnavailableError if nobody waits for it any more."""

    def shut(self) -> None:
        """Takes nothing more from there."""


class DeviceSteps:
    """Serves the messages of sessions and of other devices. Called on many threads."""

    def __init__(
        self,
        device: DeviceCore,
        max_steps: int,
        submit: Submit,
        taken: Callable[[AnyLane, Sequence[int]], None],
        check_lease: Callable[[str], None],
    ) -> None:
        """Makes the server of a device.

        Args:
          device: The device.
          max_steps: Steps that may run at once; each may hold a thread.
          submit: Has another thread do something.
          taken: Told of marked values that a peer has taken.
          check_lease: Raises UnavailableError if the device, by its name, may have been replaced.
        """
        self._device = device
        self._max_steps = max_steps
        self._submit = submit
        self._taken = taken
        self._check_lease = check_lease
        self._steps: dict[int, AnyLane] = {}
        """The steps that run, and who asked for them."""
        self._silent: set[int] = set()
        """Those of them whose success nobody wants to be told of."""

    def serve(self, lane: AnyLane, message: Message) -> deque[Thunk]:
        """Does what a message asks for; does not raise.

        Returns:
          The work that it has woken, for the same thread. Values that came with the message shall
          end with their last use in that, so nobody is to hold the message any more.
        """
        woken: deque[Thunk] = deque()
        if type(message) is RunStep:
            self.run(lane, message, self._submit)
        else:
            _thread.woken = woken
            try:
                self.take(lane, message)
            finally:
                _thread.woken = None
        return woken

    def take(self, lane: AnyLane, message: Message) -> None:
        """Takes a message that belongs to a step, but for its start; does not raise."""
        kind = type(message)
        if kind is SendTensor:
            self._put(lane, message)  # type: ignore[arg-type]
        elif kind is AbortStep:
            self._abort(lane, message)  # type: ignore[arg-type]
        elif kind is FeedStep:
            self._feed(message)  # type: ignore[arg-type]
        elif kind is TensorsTaken:
            self._taken(lane, message.marks)  # type: ignore[union-attr]
        else:
            _LOGGER.warning("%s is refused: it sent a %s.", lane.whom, kind.__name__)
            lane.shut()

    def run(self, lane: AnyLane, message: RunStep, submit: Submit) -> None:
        """Starts a step, and runs it as far as it needs nothing from elsewhere; does not raise.

        Args:
          lane: Where its answers go.
          message: What to run.
          submit: Has a thread do work that something outside of the step has woken in it.
        """
        step = message.step
        self._steps[step] = lane
        if message.silent:
            self._silent.add(step)
        try:
            plan = self._admit(message)
            if plan.is_straight and not message.trace and not message.piecewise:
                fetched = self._device.run(plan, step, message.feeds)
                self._end(lane, StepDone(step, tuple(fetched)))
                return
        except Exception as error:
            self._end(lane, StepFailed(step, ErrorReport.from_exception(error)))
            return
        self._start(lane, message, plan, submit)
        if not lane.is_open:
            self.closed(lane)

    def closed(self, lane: AnyLane) -> None:
        """Stops the steps that were asked for on a lane: nobody waits for them any more."""
        for step in [step for step, asker in tuple(self._steps.items()) if asker is lane]:
            error = CancelledError(None, None, f"{lane.whom}, which ran the step, is gone.")
            self._device.abort(step, error)

    def _put(self, lane: AnyLane, message: SendTensor) -> None:
        taken = None
        if message.mark:
            taken = partial(self._answer, lane, TensorsTaken((message.mark,)))
        put = self._device.rendezvous.put
        put(message.step, message.key, message.value, message.dead, taken)

    def _abort(self, lane: AnyLane, message: AbortStep) -> None:
        """Stops a step. Who stops one hears of its end, also if it was silent and has ended."""
        self._silent.discard(message.step)
        has_ended = self._steps.get(message.step) is not lane
        self._device.abort(message.step, message.error.to_exception())
        if has_ended:
            self._answer(lane, StepFailed(message.step, message.error))

    def _feed(self, message: FeedStep) -> None:
        # It may have overtaken the start of its step, and then waits for it.
        key = late_feed_key(message.index)
        self._device.rendezvous.put(message.step, key, guard_feed(message.value))

    def _admit(self, message: RunStep) -> Plan:
        """The plan of a step that may start."""
        device = self._device
        self._check_lease(device.name)
        device.rendezvous.reap(message.low_water)
        if device.steps_in_flight >= self._max_steps:
            raise ResourceExhaustedError(
                None,
                None,
                f"{device.steps_in_flight} steps are running on {device.name} and no more are "
                "started: run fewer at once, or see what they wait for.",
            )
        return device.plan(message.plan)

    def _start(self, lane: AnyLane, message: RunStep, plan: Plan, submit: Submit) -> None:
        step = message.step
        trace: list[Record] | None = [] if message.trace else None

        def done(error: BaseException | None, fetched: Sequence[Any]) -> None:
            timings = to_timings(trace) if trace is not None else ()
            if error is not None:
                report = ErrorReport.from_exception(error)
                self._end(lane, StepFailed(step, report, timings))
            else:
                values = () if message.piecewise else tuple(fetched)
                self._end(lane, StepDone(step, values, timings))

        def fetched_one(index: int, value: Any) -> None:
            dead = value is DEAD
            self._answer(lane, FetchReady(step, index, None if dead else value, dead))

        home = _Home(submit)
        if plan.layout.receives and trace is None and not message.piecewise:
            # There is nothing to queue.
            self._device.start(plan, step, message.feeds, done, arrivals=home)
            return
        on_fetch = fetched_one if message.piecewise else None
        start = partial(
            self._device.start, plan, step, message.feeds, done, trace, on_fetch, home=home
        )
        start_together(home, [start])

    def _end(self, lane: AnyLane, answer: StepDone | StepFailed) -> None:
        self._steps.pop(answer.step, None)
        if answer.step in self._silent:
            self._silent.discard(answer.step)
            if type(answer) is StepDone:
                return
        self._answer(lane, answer)

    @staticmethod
    def _answer(lane: AnyLane, answer: StepDone | StepFailed | FetchReady | TensorsTaken) -> None:
        try:
            lane.send(answer)
        except UnavailableError:
            # Whoever asked is gone.
            return
        except OpError as error:
            if not isinstance(answer, TensorsTaken):
                lane.send(StepFailed(answer.step, ErrorReport.from_exception(error)))


class _Home:
    """Takes the work of a step that something outside of it has woken.

    On a thread that delivers a message the work is done as soon as the message is delivered;
    elsewhere, where another step is being run, another thread does it.
    """

    __slots__ = ("_submit",)

    def __init__(self, submit: Submit) -> None:
        self._submit = submit

    def put(self, work: Thunk) -> None:
        """Has the work done soon."""
        woken = _thread.woken
        if woken is not None:
            woken.append(work)
        else:
            self._submit(work)


class _Thread(threading.local):
    """What this thread is at."""

    woken: deque[Thunk] | None = None
    """What the message that it delivers has woken; None if it delivers none."""


_thread: Final = _Thread()
