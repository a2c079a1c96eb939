"""What a device does for its lanes: runs the steps that sessions ask for, takes what peers send."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from dataflow.actors.cores.device import DeviceCore
from dataflow.actors.plan.builder import late_feed_key
from dataflow.actors.plan.plan import Plan
from dataflow.actors.run.trace import Record, to_timings
from dataflow.actors.step.dead import DEAD
from dataflow.actors.step.values import guard_feed
from dataflow.actors.threads.ready_queue import start_together
from dataflow.actors.transfers.lanes.lane import Lane
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

Work = Callable[[], Any]


class DeviceLanes:
    """Serves the messages that arrive on lanes, each on the thread that has read it."""

    def __init__(
        self,
        device: DeviceCore,
        admit: Callable[[RunStep], Plan],
        submit: Callable[[Work], None],
        taken: Callable[[Lane, Sequence[int]], None],
    ) -> None:
        """Makes the server of a device.

        Args:
          device: The device.
          admit: Gives the plan of a step that may start; raises OpError.
          submit: Has another thread do something.
          taken: Told of marked values that a peer has taken.
        """
        self._device = device
        self._admit = admit
        self._submit = submit
        self._taken = taken
        self._steps: dict[Lane, set[int]] = {}
        """The steps that run, by the lane that asked for them."""
        self._silent: set[int] = set()
        """Those of them whose success nobody wants to be told of."""

    def serve(self, lane: Lane, message: Message) -> deque[Work]:
        """Does what a message asks for; does not raise.

        Returns:
          The work that it has woken, for the same thread. Values that came with the message shall
          end with their last use in that, so nobody is to hold the message any more.
        """
        kind = type(message)
        woken: deque[Work] = deque()
        if kind is SendTensor:
            with _Delivering(woken):
                self._put(lane, message)  # type: ignore[arg-type]
        elif kind is RunStep:
            self._run(lane, message)  # type: ignore[arg-type]
        elif kind is AbortStep:
            with _Delivering(woken):
                self._abort(lane, message)  # type: ignore[arg-type]
        elif kind is FeedStep:
            with _Delivering(woken):
                self._feed(message)  # type: ignore[arg-type]
        elif kind is TensorsTaken:
            self._taken(lane, message.marks)  # type: ignore[union-attr]
        else:
            _LOGGER.warning("%s is refused: it sent a %s.", lane.whom, kind.__name__)
            lane.shut()
        return woken

    def closed(self, lane: Lane) -> None:
        """Stops the steps that were asked for on a lane: nobody waits for them any more."""
        steps = self._steps.pop(lane, None) or ()
        for step in tuple(steps):
            error = CancelledError(None, None, f"{lane.whom}, which ran the step, is gone.")
            self._device.abort(step, error)

    def _put(self, lane: Lane, message: SendTensor) -> None:
        taken = None
        if message.mark:
            taken = partial(self._tell, lane, TensorsTaken((message.mark,)))
        put = self._device.rendezvous.put
        put(message.step, message.key, message.value, message.dead, taken)

    @staticmethod
    def _tell(lane: Lane, message: TensorsTaken) -> None:
        try:
            lane.send(message)
        except UnavailableError:
            # The sender is gone, and waits no more.
            return

    def _abort(self, lane: Lane, message: AbortStep) -> None:
        """Stops a step. Who stops one hears of its end, also if it was silent and has ended."""
        self._silent.discard(message.step)
        has_ended = message.step not in self._steps.get(lane, ())
        self._device.abort(message.step, message.error.to_exception())
        if has_ended:
            self._answer(lane, StepFailed(message.step, message.error))

    def _feed(self, message: FeedStep) -> None:
        # It may have overtaken the start of its step, and then waits for it.
        key = late_feed_key(message.index)
        self._device.rendezvous.put(message.step, key, guard_feed(message.value))

    def _run(self, lane: Lane, message: RunStep) -> None:
        step = message.step
        steps = self._steps.setdefault(lane, set())
        steps.add(step)
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
        self._start(lane, message, plan)
        if not lane.is_open:
            self.closed(lane)

    def _start(self, lane: Lane, message: RunStep, plan: Plan) -> None:
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

        home = _Home(self._submit)
        if plan.layout.receives and trace is None and not message.piecewise:
            # There is nothing to queue.
            self._device.start(plan, step, message.feeds, done, arrivals=home)
            return
        on_fetch = fetched_one if message.piecewise else None
        start = partial(
            self._device.start, plan, step, message.feeds, done, trace, on_fetch, home=home
        )
        start_together(home, [start])

    def _end(self, lane: Lane, answer: StepDone | StepFailed) -> None:
        steps = self._steps.get(lane)
        if steps is not None:
            steps.discard(answer.step)
        if answer.step in self._silent:
            self._silent.discard(answer.step)
            if type(answer) is StepDone:
                return
        self._answer(lane, answer)

    @staticmethod
    def _answer(lane: Lane, answer: StepDone | StepFailed | FetchReady) -> None:
        try:
            lane.send(answer)
        except UnavailableError:
            # Whoever asked is gone.
            return
        except OpError as error:
            lane.send(StepFailed(answer.step, ErrorReport.from_exception(error)))


class _Home:
    """Takes the work of a step that something outside of it has woken.

    On a thread that delivers a message the work is done as soon as the message is delivered;
    elsewhere, where another step is being run, a thread of the lanes does it.
    """

    __slots__ = ("_submit",)

    def __init__(self, submit: Callable[[Work], None]) -> None:
        self._submit = submit

    def put(self, work: Work) -> None:
        """Has the work done soon."""
        woken = _thread.woken
        if woken is not None:
            woken.append(work)
        else:
            self._submit(work)


class _Thread(threading.local):
    """What this thread is at."""

    woken: deque[Work] | None = None
    """What the message that it delivers has woken; None if it delivers none."""


_thread: Final = _Thread()


class _Delivering:
    """The context in which a thread delivers a message."""

    __slots__ = ("_woken",)

    def __init__(self, woken: deque[Work]) -> None:
        self._woken = woken

    def __enter__(self) -> None:
        _thread.woken = self._woken

    def __exit__(self, *_: object) -> None:
        _thread.woken = None
