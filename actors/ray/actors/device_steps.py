"""What a device does about steps, for messages that lanes bring and those that calls bring."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, Protocol

from dataflow.actors.cores.device import DeviceCore, Told
from dataflow.actors.plan.builder import late_feed_key
from dataflow.actors.plan.plan import Plan
from dataflow.actors.run.trace import Record, to_timings
from dataflow.actors.step.dead import DEAD
from dataflow.actors.step.join import KERNEL_PATIENCE
from dataflow.actors.step.values import guard_feed
from dataflow.actors.threads.deadlines import Deadlines
from dataflow.actors.threads.places import Places
from dataflow.actors.threads.pool import SessionThreads
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
from dataflow.errors import CancelledError, ErrorReport, OpError, UnavailableError

_LOGGER = logging.getLogger("dataflow")

Submit = Callable[[Thunk], None]
"""Has another thread do something."""


_GLANCE: Final = 0.002
"""Seconds between looks whether a step that was stopped still writes."""


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
        threads: SessionThreads,
        max_at_work: int,
        submit: Submit,
        taken: Callable[[AnyLane, Sequence[int]], None],
        check_lease: Callable[[str], None],
    ) -> None:
        """Makes the server of a device.

        Args:
          device: The device.
          threads: Its threads.
          max_at_work: Threads of `submit` that may work for steps at once; the others see to it
            that messages are read. Steps for which there is none wait, in order.
          submit: Has another thread do something.
          taken: Told of marked values that a peer has taken.
          check_lease: Raises UnavailableError if the device, by its name, may have been replaced.
        """
        self._device = device
        self._threads = threads
        self._places = Places(max_at_work, submit)
        self._submit = submit
        self._taken = taken
        self._check_lease = check_lease
        self._deadlines = Deadlines()
        self._steps: dict[int, tuple[AnyLane, int]] = {}
        """The steps that run or wait to: who asked for them, and of which plan."""
        self._incoming: dict[str, AnyLane] = {}
        """The lanes that others have opened last, by who they are."""
        self._not_begun: set[int] = set()
        """Those of them that wait for a thread."""
        self._has_waited: set[int] = set()
        """Those of them that waited for one, or do."""
        self._stopped: dict[int, int] = {}
        """Those that were stopped and have not ended: their deadlines."""
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
        if message.silent:
            self._silent.add(step)
        self._not_begun.add(step)
        self._steps[step] = lane, message.plan
        self._device.rendezvous.reap(message.low_water)
        if self._places.are_taken:
            # However many wait, what others send for them is kept.
            self._has_waited.add(step)
            self._device.rendezvous.open(step)
        self._places.run(step, partial(self._begin, lane, message, submit))

    def _begin(self, lane: AnyLane, message: RunStep, submit: Submit) -> None:
        """Starts a step for which there is a thread, unless it was stopped meanwhile."""
        step = message.step
        try:
            self._not_begun.remove(step)
        except KeyError:
            return
        told = partial(self._was_stopped, lane, step)
        try:
            self._check_lease(self._device.name)
            plan = self._device.plan(message.plan)
            if plan.is_straight and not message.trace and not message.piecewise:
                fetched = self._device.run(plan, step, message.feeds, told)
                self._end(lane, StepDone(step, tuple(fetched)))
                return
        except Exception as error:
            self._end(lane, StepFailed(step, ErrorReport.from_exception(error)))
            return
        self._start(lane, message, plan, submit, told)
        if not lane.is_open:
            self.closed(lane)

    def opened(self, lane: AnyLane) -> None:
        """Takes note of a lane that another has opened."""
        self._incoming[lane.whom] = lane
        if not lane.is_open:
            self.closed(lane)

    def closed(self, lane: AnyLane) -> None:
        """Stops the steps that were asked for on a lane: nobody waits for them any more.

        So are those that take values of who was there, which may be lost: a sender whose network is
        cut can tell nobody.
        """
        is_last = self._incoming.get(lane.whom) is lane
        if is_last:
            del self._incoming[lane.whom]
        error: OpError
        for step, (asker, plan) in tuple(self._steps.items()):
            if asker is lane:
                error = CancelledError(None, None, f"{lane.whom}, which ran the step, is gone.")
            elif is_last and self._device.takes_from(plan, lane.whom):
                why = (
                    f"The connection from {lane.whom} to {self._device.name} is broken. Run the "
                    "step once more: that opens a new one."
                )
                error = UnavailableError(None, None, why)
            else:
                continue
            self._stop(asker, step, error)

    def lost(self, step: int, error: OpError) -> None:
        """Stops a step of which a value that was sent may be lost.

        Where the step has ended here, sessions are told: one that needs no word of its success
        still waits. It is dropped by those that know nothing of the step.
        """
        self._device.abort(step, error)
        if step in self._steps:
            return
        failed = StepFailed(step, ErrorReport.from_exception(error))
        for whom, lane in tuple(self._incoming.items()):
            # Devices have full names.
            if not whom.startswith("/job:"):
                self._answer(lane, failed)

    def _put(self, lane: AnyLane, message: SendTensor) -> None:
        taken = None
        if message.mark:
            taken = partial(self._answer, lane, TensorsTaken((message.mark,)))
        put = self._device.rendezvous.put
        put(message.step, message.key, message.value, message.dead, taken)

    def _abort(self, lane: AnyLane, message: AbortStep) -> None:
        """Stops a step. Who stops one hears of its end, also if it was silent and has ended, or
        another thread has just read the message that starts it: then it does not begin."""
        step, error = message.step, message.error.to_exception()
        for _ in range(2):
            self._silent.discard(step)
            if self._steps.get(step, (None, 0))[0] is lane:
                self._stop(lane, step, error)
                return
            # What is not seen here, and begins after this, stops there.
            self._device.abort(step, error)
        self._answer(lane, StepFailed(step, message.error))

    def _stop(self, lane: AnyLane, step: int, error: OpError) -> None:
        try:
            self._not_begun.remove(step)
        except KeyError:
            self._device.abort(step, error)
        else:
            self._end(lane, StepFailed(step, ErrorReport.from_exception(error)))

    def _was_stopped(self, lane: AnyLane, step: int, error: OpError) -> None:
        """Sees to it that a step which has failed counts as ended soon."""
        leave = partial(self._leave, lane, step, error)
        self._stopped[step] = self._deadlines.add(KERNEL_PATIENCE, leave)

    def _leave(self, lane: AnyLane, step: int, error: OpError) -> None:
        """Leaves a step to its threads, which are in kernels that do not look."""
        while self._device.is_writing(step):
            time.sleep(_GLANCE)
        self._stopped.pop(step, None)
        if step in self._steps:
            self._places.leave_behind(step)
            self._threads.leave_behind(step)
            self._end(lane, StepFailed(step, ErrorReport.from_exception(error)))

    def _feed(self, message: FeedStep) -> None:
        # It may have overtaken the start of its step, and then waits for it.
        key = late_feed_key(message.index)
        self._device.rendezvous.put(message.step, key, guard_feed(message.value))

    def _start(
        self, lane: AnyLane, message: RunStep, plan: Plan, submit: Submit, told: Told
    ) -> None:
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

        home = _Home(step, self._places, submit)
        if plan.layout.receives and trace is None and not message.piecewise:
            # There is nothing to queue.
            self._device.start(plan, step, message.feeds, done, arrivals=home, told=told)
            return
        on_fetch = fetched_one if message.piecewise else None
        start = partial(
            self._device.start,
            plan,
            step,
            message.feeds,
            done,
            trace,
            on_fetch,
            home=home,
            told=told,
        )
        start_together(home, [start])

    def _end(self, lane: AnyLane, answer: StepDone | StepFailed) -> None:
        if self._steps.pop(answer.step, None) is None:
            # It was left before its end.
            return
        if answer.step in self._has_waited:
            self._has_waited.discard(answer.step)
            self._device.rendezvous.finish(answer.step)
        deadline = self._stopped.pop(answer.step, 0)
        if deadline:
            self._deadlines.cancel(deadline)
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
    elsewhere, where another step is being run, another thread does it. Either one needs a place.
    """

    __slots__ = ("_places", "_step", "_submit")

    def __init__(self, step: int, places: Places, submit: Submit) -> None:
        self._step = step
        self._places = places
        self._submit = submit

    def put(self, work: Thunk) -> None:
        """Has the work done soon."""
        work = partial(self._places.run, self._step, work)
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
