"""Runs a plan: the ready queue of its segments, first error wins, cancellation, no thread waits."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from time import perf_counter as clock
from typing import Any

from dataflow.actors.code.failure import (
    cancel_step,
    describe_failure,
    describe_node_failure,
    error_of_step,
)
from dataflow.actors.code.interpreter import holds, store
from dataflow.actors.devices.device_type import DeviceType
from dataflow.actors.plan.layout import Layout, Segment
from dataflow.actors.plan.plan import QUICK, Plan
from dataflow.actors.plan.segments import Threads
from dataflow.actors.run.arrivals import Arrivals
from dataflow.actors.run.tagged_run import TaggedRun
from dataflow.actors.step.join import DoneCallback
from dataflow.actors.step.step import Step, StepStopped
from dataflow.actors.threads.home import Home
from dataflow.actors.threads.pool import ThreadPool
from dataflow.actors.threads.ready_queue import QUIET, fire, work_is_over
from dataflow.errors import CancelledError, InternalError, OpError
from dataflow.kernels.threads import parallel, stopping
from dataflow.values.interrupts import is_interrupt


class Executor:
    """Runs the plans of one device; many steps may run at the same time."""

    def __init__(
        self,
        device: str,
        device_type: DeviceType,
        index: int,
        pool: ThreadPool | None,
        helpers: parallel.Helpers | None = None,
    ) -> None:
        self.device = device
        self.pool = pool
        """Where costly segments run; None runs everything on the calling thread."""
        self._helpers = helpers
        self.threads = Threads(
            1 if pool is None else 1 + pool.size, 1 if helpers is None else helpers.limit
        )
        """How many plans may use."""
        self._activate = device_type.activate
        self._index = index

    def call(self, step: Step, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls a function in the surroundings of the device's kernels, for a step."""
        if self._activate is not None:
            with stopping.Working(step, self._activate(self._index)):
                return function(*arguments)
        thread, working = parallel.current, stopping.current
        outer, thread.helpers = thread.helpers, self._helpers
        outer_step, working.step = working.step, step
        try:
            return function(*arguments)
        finally:
            thread.helpers, working.step = outer, outer_step

    def run(self, plan: Plan, layout: Layout, step: Step, slots: list[Any]) -> None:
        """Runs the straight-line code of a plan on this thread.

        Args:
          plan: The plan.
          layout: Its layout, which has a `main`.
          step: The step.
          slots: The plan's template with the feeds, and what is received, filled in; holds the
            fetches afterwards.

        Raises:
          OpError: The first error, or that of the step's cancellation.
        """
        assert layout.main is not None
        start = clock()
        try:
            QUIET.copy().run(self.call, step, layout.main.run, step, slots)
        except BaseException as error:
            described = describe_failure(error, layout.lines, self.device)
            if isinstance(described, StepStopped):
                described = step.error or CancelledError(None, None, "Step was cancelled.")
            if isinstance(described, OpError) and described is not error:
                step.cancel(described)
                cause = described.__cause__
                raise described from cause
            raise
        seconds = clock() - start
        if plan.measuring or seconds > QUICK or not plan.is_quick:
            plan.note_time(layout, seconds)

    def start_receiving(
        self,
        plan: Plan,
        layout: Layout,
        step: Step,
        slots: list[Any],
        done: DoneCallback,
        home: Home,
    ) -> None:
        """Starts a plan whose layout has a `main`, which goes home when the last value has come.

        For the arguments see `run` and `start`.
        """
        run = partial(self.run, plan, layout, step)
        Arrivals(self.device, step, slots, run, done, home).begin(layout)

    def start(self, plan: Plan, step: Step, slots: list[Any], done: DoneCallback) -> None:
        """Starts a plan; runs what is ready and cheap on this thread before it returns.

        Args:
          plan: The plan.
          step: The step.
          slots: The plan's template with the feeds filled in.
          done: Called when no segment runs any more, possibly before this returns.
        """
        if plan.tagged:
            TaggedRun(self, plan, step, slots, done).begin()
            return
        layout = plan.layout if step.trace is None else plan.traced_layout()
        run = _Run(self, plan, layout, step, slots, done)
        if not layout.segments:
            done(None, slots)
            return
        run.begin()


class _Run:
    """A plan in a step: the state of its ready queue."""

    __slots__ = (
        "_done",
        "_error",
        "_executor",
        "_layout",
        "_lock",
        "_outstanding",
        "_plan",
        "_start",
        "_uses",
        "_waiting",
        "home",
        "slots",
        "step",
        "step_id",
    )

    def __init__(
        self,
        executor: Executor,
        plan: Plan,
        layout: Layout,
        step: Step,
        slots: list[Any],
        done: DoneCallback,
    ) -> None:
        self.step = step
        self.step_id = step.step_id
        self.home = step.home
        self.slots = slots
        self._executor = executor
        self._plan = plan
        self._layout = layout
        self._done = done
        self._waiting = list(layout.in_degrees)
        """For each segment how many it still waits for."""
        self._uses = dict(layout.uses)
        """For each slot that several segments read, how many still have to."""
        self._outstanding = len(layout.roots)
        """Segments that run, or stand in a queue, or wait for others."""
        self._error: BaseException | None = None
        self._lock = threading.Lock()
        self._start = clock()

    def begin(self) -> None:
        """Fires the segments that wait for nothing."""
        fire(self, self._layout.roots, self._executor.pool)

    def execute(self, segment: Segment) -> None:
        """Runs a segment, then fires those it made ready."""
        step = self.step
        if self._error is None and step.error is None:
            try:
                if segment.node is not None:
                    self._start_blocking(segment)
                    return
                self._executor.call(step, segment.run, step, self.slots)
            except BaseException as error:
                if is_interrupt(error):
                    raise
                self._fail(describe_failure(error, self._layout.lines, self._executor.device))
        work_is_over()
        self._finish(segment)

    def _start_blocking(self, segment: Segment) -> None:
        """Calls a blocking kernel; the segment is finished when the kernel calls back."""
        node = segment.node
        assert node is not None
        if node.guard and not holds(node, self.slots):
            self._finish(segment)
            return
        called = False

        def done(result: Any = None, *, error: BaseException | None = None) -> None:
            nonlocal called
            with self._lock:
                repeated, called = called, True
            if repeated:
                return
            if error is None:
                try:
                    store(node, result, self.slots)
                    if self.step.trace is not None:
                        now = clock()
                        self.step.trace.append((node, started, now, result))
                except Exception as wrong:
                    error = wrong
            if error is not None:
                self._fail_node(error, segment)
            self._finish(segment)

        started = clock()
        try:
            arguments = [
                self.slots[slot] if adapter is None else adapter(self.slots[slot])
                for slot, adapter in zip(node.inputs, node.adapters, strict=True)
            ]
            node.call(self.step, done, *arguments)
        except Exception as error:
            done(error=error)

    def _fail_node(self, error: BaseException, segment: Segment) -> None:
        if error is self.step.error:
            self._fail(StepStopped())
            return
        node = segment.node
        assert node is not None
        values = [self.slots[slot] for slot in node.inputs]
        self._fail(describe_node_failure(error, node, values, self._executor.device))

    def _fail(self, error: BaseException) -> None:
        """Stores the first error and stops the rest of the step on this device."""
        error = error_of_step(error, self.step)
        with self._lock:
            if self._error is not None:
                return
            self._error = error
        cancel_step(self.step, error)

    def _finish(self, segment: Segment) -> None:
        ready: list[Segment] = []
        segments = self._layout.segments
        with self._lock:
            stopped = self._error is not None or self.step.error is not None
            if not stopped:
                for slot in segment.shared:
                    self._uses[slot] -= 1
                    if not self._uses[slot]:
                        self.slots[slot] = None
                for index in segment.successors:
                    self._waiting[index] -= 1
                    if not self._waiting[index]:
                        ready.append(segments[index])
            self._outstanding += len(ready) - 1
            over = not self._outstanding
        if over:
            self._complete()
        elif ready:
            fire(self, ready, self._executor.pool)

    def _complete(self) -> None:
        error = self._error or self.step.error
        if error is None and any(self._waiting[s.index] for s in self._layout.segments):
            error = InternalError(None, None, "The step ended before all of its nodes had run.")
        if error is None:
            self._plan.note_time(self._layout, clock() - self._start)
        done, slots = self._done, self.slots
        # What holds on to this run (a kernel's callback) shall not hold on to the values.
        self.slots = []
        done(error, slots)
