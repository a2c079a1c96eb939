"""Runs a plan with control flow in a step: node by node, in whatever iteration a node is ready."""

from __future__ import annotations

import threading
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from threading import get_ident
from time import perf_counter as clock
from typing import TYPE_CHECKING, Any, Final, Protocol

from dataflow.actors.code.failure import (
    cancel_step,
    dead_fetch,
    describe_node_failure,
    error_of_step,
)
from dataflow.actors.nodes.binding import CallKind
from dataflow.actors.plan.tagged_layout import (
    BLOCKING,
    CALL,
    FAST,
    FETCH,
    RECV,
    WAITING,
    TaggedNode,
)
from dataflow.actors.run.tagged_frames import Iteration, Propagator
from dataflow.actors.run.tagged_nodes import adapted, compute, hand_on, note_time, pass_by
from dataflow.actors.step.dead import DEAD
from dataflow.actors.step.step import StepStopped
from dataflow.actors.threads.ready_queue import (
    drive_later,
    fire,
    goes_on_with,
    others_wait,
    work_is_over,
)
from dataflow.errors import InternalError, InvalidArgumentError
from dataflow.values.interrupts import is_interrupt

if TYPE_CHECKING:
    from dataflow.actors.plan.plan import Plan
    from dataflow.actors.step.join import DoneCallback
    from dataflow.actors.step.step import Step
    from dataflow.actors.threads.home import Home
    from dataflow.actors.threads.pool import ThreadPool

_BATCH: Final = 256
"""Nodes that run before a look whether the step was cancelled, or something has arrived."""


class Surroundings(Protocol):
    """Where the nodes of a run are run: what it needs to know of the executor."""

    @property
    def device(self) -> str:
        """Full name of the device."""

    @property
    def pool(self) -> ThreadPool | None:
        """Where costly nodes run; None runs everything on the calling thread."""

    def call(self, step: Step, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls a function in the surroundings of the device's kernels, for a step."""


class _Turn:
    """The work of running what is ready, as long as something is."""

    __slots__ = ()
    is_costly = False
    starts_waiting = False


class _Call:
    """The work of running a costly node, possibly on another thread."""

    __slots__ = ("arguments", "it", "node")
    is_costly = True
    starts_waiting = False

    def __init__(self, node: TaggedNode, it: Iteration, arguments: Sequence[Any]) -> None:
        self.node = node
        self.it = it
        self.arguments = arguments


_TURN: Final = _Turn()
_DEAD_NODE: Final = object()
"""The result of a Recv that was dead itself, whatever it has received."""


class TaggedRun:
    """A plan with control flow in a step.

    One thread at a time has the baton: it alone knows where the loops stand, and runs cheap nodes.
    Costly nodes run without it, blocking ones not on a thread at all; their results are put down
    for whoever has the baton next.
    """

    __slots__ = (
        "_arrived",
        "_away",
        "_baton",
        "_concurrent",
        "_costly",
        "_done",
        "_driver",
        "_error",
        "_executor",
        "_flow",
        "_is_over",
        "_last",
        "_layout",
        "_plan",
        "_start",
        "home",
        "slots",
        "step",
        "step_id",
    )

    def __init__(
        self, executor: Surroundings, plan: Plan, step: Step, slots: list[Any], done: DoneCallback
    ) -> None:
        layout = plan.tagged_layout
        assert layout is not None
        self.step = step
        self.step_id = step.step_id
        self.home: Home | None = step.home
        self.slots = slots
        self._executor = executor
        self._layout = layout
        self._plan = plan
        self._start = clock()
        self._done = done
        self._concurrent = executor.pool is not None and plan.concurrent
        self._flow = Propagator(layout.root)
        self._last = set(layout.last)
        """Nodes that the step has still to come to, of those that nothing waits for."""
        self._costly: list[_Call] = []
        """Costly nodes that are ready."""
        self._arrived: deque[tuple[TaggedNode, Iteration, Any, BaseException | None]] = deque()
        """Results that nobody has looked at."""
        self._away = 0
        """Nodes whose results are still to arrive."""
        self._baton = threading.Lock()
        self._driver = 0
        """The thread that has the baton."""
        self._error: BaseException | None = None
        self._is_over = False

    def begin(self) -> None:
        """Starts with the nodes that wait for nothing."""
        flow, layout = self._flow, self._layout
        for slot, output in layout.givens:
            flow.give(output, self.slots[slot])
        for node in layout.roots:
            flow.start(node)
        fire(self, (_TURN,), self._executor.pool)

    def execute(self, work: _Turn | _Call) -> None:
        """Runs a costly node, then all that is ready."""
        if isinstance(work, _Call):
            self._run_costly(work)
            goes_on_with(_TURN)
        # Who has the baton looks again, after giving it back, whether something has arrived.
        while self._baton.acquire(blocking=False):
            self._driver = get_ident()
            try:
                over = self._executor.call(self.step, self._take_turn)
            except BaseException as error:
                if is_interrupt(error):
                    raise
                # Another thread's end, between two nodes.
                self._stop(error)
                continue
            finally:
                self._driver = 0
                self._baton.release()
            if over:
                self._complete()
            elif not self._arrived and not self._flow.ready:
                return
            elif others_wait():
                # Another device of the step on this thread may have waited long enough.
                drive_later(self, _TURN, self._executor.pool)
                return

    def _take_turn(self) -> bool:
        """Runs what is ready, or some of it; returns True if that was the last of the step."""
        ready = self._flow.ready
        while True:
            while self._arrived:
                self._away -= 1
                self._take_result(*self._arrived.popleft())
            if self._error is not None or self.step.error is not None:
                ready.clear()
                self._away -= len(self._costly)
                self._costly.clear()
            if ready:
                self._run_batch()
            elif not self._costly and not self._arrived:
                over = not self._away and not self._is_over
                self._is_over = self._is_over or over
                return over
            if self._costly:
                costly, self._costly = self._costly, []
                if not ready:
                    # One of them may stay on this thread.
                    work_is_over()
                fire(self, costly, self._executor.pool)
            if ready and others_wait():
                return False

    def _run_batch(self) -> None:
        """Runs some nodes."""
        flow = self._flow
        ready = flow.ready
        fast = FAST if self.step.trace is None else -1
        node, it, dead = ready[0]
        try:
            for _ in range(_BATCH):
                if not ready:
                    return
                node, it, dead = ready.popleft()
                if node.kind != fast or dead:
                    self._run_node(node, it, dead)
                    if node.is_costly:
                        return
                    continue
                start, stop = node.start, node.stop
                values = it.values
                result = node.call(*values[start:stop])
                values[start:stop] = node.blank
                counts = it.counts
                change = -1
                for other, place, where in node.plain:
                    values[where] = result
                    if place >= 0:
                        count = counts[place] = counts[place] - 1
                        if not count:
                            ready.append((other, it, False))
                        elif count & WAITING:
                            continue
                        else:
                            ready.append((other, it, True))
                    else:
                        ready.append((other, it, False))
                    change += 1
                del result
                if change:
                    it.outstanding += change
                    if not it.outstanding:
                        flow.settle(it)
        except BaseException as error:
            if is_interrupt(error):
                raise
            if error.__traceback__ is not None:
                # This function's frame holds values; whoever keeps the exception shall not.
                error.__traceback__ = error.__traceback__.tb_next
            self._fail(error, node, it.values[node.start : node.stop])

    def _run_node(self, node: TaggedNode, it: Iteration, dead: bool) -> None:
        """Runs a node that may be of any kind; what it raises is the node's failure."""
        flow, kind = self._flow, node.kind
        if node.is_last:
            self._last.discard(node)
        values = it.values[node.start : node.stop]
        if dead and not node.is_trigger:
            it.values[node.start : node.stop] = node.blank
            if kind == RECV:
                self._start_waiting(node, it, (), dead=True)
            else:
                pass_by(node, it, flow, self.step)
                flow.finish(it)
            return
        if node.adapters is not None:
            values = adapted(node, values)
        if kind in (RECV, BLOCKING):
            self._start_waiting(node, it, values)
            return
        if node.is_costly and self._concurrent:
            self._away += 1
            self._costly.append(_Call(node, it, values))
            it.values[node.start : node.stop] = node.blank
            return
        started = clock()
        result = None
        if kind == FETCH:
            self._fetch(node, values[0])
        else:
            result = compute(node, it, values, self.step)
        if kind in (CALL, FAST):
            note_time(node, clock() - started)
        if self.step.trace is not None:
            self.step.trace.append((node.plan_node, started, clock(), result))
        it.values[node.start : node.stop] = node.blank
        del values
        hand_on(node, it, result, flow)
        flow.finish(it)

    def _fetch(self, node: TaggedNode, value: Any) -> None:
        """Keeps a fetched value, or hands it out if it is awaited."""
        if not node.plan_node.outputs:
            node.call(self.step, value)
            return
        (slot,) = node.plan_node.outputs
        if self.slots[slot] is not DEAD:
            index = self._layout.fetches[slot]
            raise InternalError(None, None, f"Retval[{index}] has already been set.")
        self.slots[slot] = value

    def _start_waiting(
        self, node: TaggedNode, it: Iteration, values: Sequence[Any], dead: bool = False
    ) -> None:
        """Calls a blocking kernel; its result arrives when the kernel calls back."""
        called = False
        lock = threading.Lock()
        started = clock()

        def done(result: Any = None, *, error: BaseException | None = None) -> None:
            nonlocal called
            with lock:
                repeated, called = called, True
            if repeated:
                return
            if self.step.trace is not None and error is None:
                self.step.trace.append((node.plan_node, started, clock(), result))
            self._arrive(node, it, _DEAD_NODE if dead and error is None else result, error)

        self._away += 1
        try:
            if node.kind == RECV:
                node.call(self.step, done, it.tag)
            else:
                node.call(self.step, done, *values)
        except Exception as error:
            done(error=error)

    def _run_costly(self, work: _Call) -> None:
        """Runs a costly node without the baton."""
        node = work.node
        result, failure = None, None
        started = clock()
        try:
            self.step.check()
            result = self._executor.call(self.step, self._call_kernel, work)
        except BaseException as error:
            if is_interrupt(error):
                raise
            failure = error
        else:
            note_time(node, clock() - started)
            if self.step.trace is not None:
                self.step.trace.append((node.plan_node, started, clock(), result))
        if failure is not None:
            work.it.values[node.start : node.stop] = work.arguments
        work.arguments = ()
        self._arrive(node, work.it, result, failure)
        # The failure knows this function's frame, which shall not know it.
        result = failure = None

    def _call_kernel(self, work: _Call) -> Any:
        if work.node.plan_node.kind is CallKind.STEP:
            return work.node.call(self.step, *work.arguments)
        return work.node.call(*work.arguments)

    def _arrive(
        self, node: TaggedNode, it: Iteration, result: Any, error: BaseException | None
    ) -> None:
        """Puts a result down for the thread that has the baton, or wakes one to take it."""
        self._arrived.append((node, it, result, error))
        if self._driver != get_ident():
            fire(self, (_TURN,), self._executor.pool)

    def _take_result(
        self, node: TaggedNode, it: Iteration, result: Any, error: BaseException | None
    ) -> None:
        if error is not None:
            self._fail(error, node, it.values[node.start : node.stop])
        elif self._error is None and self.step.error is None:
            it.values[node.start : node.stop] = node.blank
            if result is _DEAD_NODE:
                self._flow.kill(node, it)
            else:
                try:
                    hand_on(node, it, result, self._flow)
                except Exception as wrong:
                    self._fail(wrong, node, ())
            self._flow.finish(it)

    def _fail(self, error: BaseException, node: TaggedNode, values: Sequence[Any]) -> None:
        """Stores the first error and stops the rest of the step on this device."""
        if error is self.step.error:
            error = StepStopped()
        elif isinstance(error, Exception) and not isinstance(error, StepStopped):
            raised = error
            error = describe_node_failure(
                raised, node.plan_node, [v for v in values if v is not None], self._executor.device
            )
            traceback.clear_frames(raised.__traceback__)
        self._stop(error)

    def _stop(self, error: BaseException) -> None:
        if self._error is None:
            self._error = error_of_step(error, self.step)
            cancel_step(self.step, self._error)

    def _complete(self) -> None:
        error = self._error or self.step.error
        if error is None:
            error = self._find_missing()
        if error is None:
            self._plan.note_time(self._plan.layout, clock() - self._start)
        self._flow.drop()
        self._last.clear()
        done, slots = self._done, self.slots
        # What holds on to this run (a kernel's callback) shall not hold on to the values.
        self.slots = []
        done(error, slots)

    def _find_missing(self) -> InvalidArgumentError | None:
        """The error of a step that has come to an end without having done all."""
        for slot, index in sorted(self._layout.fetches.items(), key=lambda item: item[1]):
            if self.slots[slot] is DEAD:
                return dead_fetch(index, slot, self._plan.nodes)
        if not self._last:
            return None
        stuck = min(self._last, key=lambda node: node.plan_node.index).plan_node
        return InvalidArgumentError(
            None,
            None,
            f"The step ended before node '{stuck.name}' ({stuck.op}) could run: an input of it, or "
            "of a node before it, never came. A loop must give each of its nodes all inputs in "
            "each iteration; make values from outside loop invariants.",
        )
