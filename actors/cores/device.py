"""DeviceCore: the plans, the state and the steps in flight of one device."""

from __future__ import annotations

import dataclasses
import itertools
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from dataflow.actors.code.failure import dead_fetch, unknown_step
from dataflow.actors.devices.device_type import DeviceType
from dataflow.actors.devices.stateful_kernels import StatefulKernels
from dataflow.actors.plan.builder import late_feed_key
from dataflow.actors.plan.functions import OwnKernels
from dataflow.actors.plan.make import make_plan
from dataflow.actors.plan.plan import Plan
from dataflow.actors.plan.segments import ALONE
from dataflow.actors.run.executor import Executor
from dataflow.actors.run.prepared_function import PreparedFunction
from dataflow.actors.step.dead import DEAD
from dataflow.actors.step.join import DoneCallback
from dataflow.actors.step.numbers import new_range
from dataflow.actors.step.rendezvous import RendezvousTable
from dataflow.actors.step.step import Step
from dataflow.actors.step.values import guard_feed, held_elsewhere, own_fetch, own_fetches
from dataflow.actors.threads.freed_memory import keep_freed_memory
from dataflow.actors.threads.home import Home
from dataflow.actors.threads.library_threads import limit_new_libraries
from dataflow.actors.threads.pool import ThreadPool
from dataflow.actors.wire.messages import DevicePart, PlanOptions
from dataflow.errors import (
    AbortedError,
    CancelledError,
    ErrorReport,
    FailedPreconditionError,
    InvalidArgumentError,
    OpError,
)
from dataflow.kernels.contract.functions import KeptKernels
from dataflow.kernels.contract.python_functions import PythonFunctions
from dataflow.kernels.contract.resources import ResourceManager
from dataflow.kernels.contract.session_tensors import SessionTensors
from dataflow.kernels.threads.parallel import Helpers
from dataflow.passes.graphs.python_calls import tokens_of

if TYPE_CHECKING:
    from dataflow.actors.transfers.transport import Transport
    from dataflow.passes.graphs.node_graph import NodeGraph


Told = Callable[[OpError], None]


class DeviceCore:
    """One device. Knows nothing of processes: a shell brings it requests and carries its values."""

    def __init__(
        self,
        name: str,
        index: int,
        device_type: DeviceType,
        pool: ThreadPool | None,
        transports: Callable[[str], Transport],
        helpers: Helpers | None = None,
        history: str = "",
        fetches_leave: bool = False,
    ) -> None:
        """Makes a device without plans.

        Args:
          name: Full name, "/job:worker/replica:0/task:0/device:CPU:0".
          index: Number among the devices of its type on this machine.
          device_type: Its type.
          pool: Threads for costly segments; None runs all on the calling thread.
          transports: Gives the way to another device, by full name.
          helpers: Threads that help a kernel; None has each run on one thread.
          history: What errors of variables that hold nothing say of why.
          fetches_leave: Fetched values are copied on their way out of this process, so that they
            need not be here.
        """
        keep_freed_memory()
        self.name = name
        self._history = history
        self._fetches_leave = fetches_leave
        self.index = index
        self.device_type = device_type
        self.resources = ResourceManager()
        """State that all sessions share but those that are isolated."""
        self._isolated: dict[int, ResourceManager] = {}
        self._session_tensors: dict[int, SessionTensors] = {}
        self._python_functions: dict[int, PythonFunctions] = {}
        self.stateful_kernels = StatefulKernels()
        self.rendezvous = RendezvousTable()
        self.executor = Executor(name, device_type, index, pool, helpers)
        self._transports = transports
        self._plans: dict[int, Plan] = {}
        # One that was started again takes no plan of its predecessor's for its own.
        self._plan_ids = itertools.count(new_range())
        self._function_plans: dict[tuple[int, bytes], Plan] = {}
        self._steps: dict[int, Step] = {}
        self._closed = False
        self._lock = threading.RLock()

    def isolate(self, session: int) -> None:
        """Gives a session a state of its own, which ends with it."""
        with self._lock:
            self._isolated.setdefault(session, ResourceManager())

    def resources_of(self, session: int) -> ResourceManager:
        """The state that a session's kernels see."""
        return self._isolated.get(session, self.resources)

    def session_tensors(self, session: int) -> SessionTensors:
        """Tensors that a session keeps here between steps; they end with it."""
        with self._lock:
            return self._session_tensors.setdefault(session, SessionTensors())

    def python_functions(self, session: int) -> PythonFunctions:
        """Functions of the program that a session's nodes may call; they end with it."""
        with self._lock:
            return self._python_functions.setdefault(session, PythonFunctions())

    def transport(self, peer: str) -> Transport:
        """The way to another device, by full name."""
        return self._transports(peer)

    def register(self, graph: NodeGraph, session: int, options: PlanOptions) -> DevicePart:
        """Builds a plan for a partition of this device.

        Raises:
          OpError: A node cannot be bound; names it.
        """
        piecewise = options.piecewise
        plan = make_plan(graph, self, session, self.executor.threads, options)
        # Some kernels import a library when they are bound.
        limit_new_libraries()
        with self._lock:
            plan_id = next(self._plan_ids)
            self._plans[plan_id] = plan
        fetches = plan.late_fetches if piecewise else tuple(plan.fetches)
        feeds = plan.late_feeds if piecewise else plan.feeds
        waits = bool(plan.layout.receives)
        calls = tokens_of(graph)
        return DevicePart(self.name, plan_id, feeds, fetches, plan.only_sends, waits, calls)

    def plan(self, plan_id: int) -> Plan:
        """A registered plan.

        Raises:
          AbortedError: There is none of that id: it was freed, or the device was restarted.
        """
        try:
            return self._plans[plan_id]
        except KeyError:
            raise AbortedError(
                None,
                None,
                f"Graph handle is not found: {plan_id} on {self.name}. The plan was freed, or the "
                "task was started again since.",
            ) from None

    def takes_from(self, plan_id: int, peer: str) -> bool:
        """Whether a plan takes values of another device; False if it was freed."""
        plan = self._plans.get(plan_id)
        return plan is not None and peer in plan.senders

    def deregister(self, plan_id: int) -> None:
        """Frees a plan; a step that runs it goes on."""
        with self._lock:
            self._plans.pop(plan_id, None)

    def call_function(
        self,
        session: int,
        key: bytes,
        make: Callable[[], NodeGraph],
        options: PlanOptions,
        step: Step,
        arguments: Sequence[Any],
        done: DoneCallback,
    ) -> None:
        """Starts a function's plan within a step; see `DeviceView`."""
        plan = self._function_plans.get((session, key))
        if plan is None:
            whole = dataclasses.replace(options, piecewise=False)
            plan = make_plan(make(), self, session, self.executor.threads, whole)
            with self._lock:
                plan = self._function_plans.setdefault((session, key), plan)
        fetches = plan.fetches.values()
        slots = plan.template.copy()
        for index, (slot, adapter) in zip(plan.feeds, plan.feed_places, strict=True):
            value = arguments[index]
            slots[slot] = value if adapter is None else adapter(value)

        def finished(error: BaseException | None, values: Sequence[Any]) -> None:
            done(error, [values[slot] for slot in fetches] if error is None else ())

        self.executor.start(plan, step, slots, finished)

    def prepare_function(
        self,
        session: int,
        make: Callable[[], NodeGraph],
        options: PlanOptions,
        kernels: KeptKernels,
    ) -> PreparedFunction:
        """Makes a function ready to be run outside of steps; see `DeviceView`."""
        whole = dataclasses.replace(options, piecewise=False)
        plan = make_plan(make(), OwnKernels(self, kernels), session, ALONE, whole)
        return PreparedFunction(plan, self.executor)

    def run(
        self, plan: Plan, step_id: int, feeds: Sequence[Any], told: Told | None = None
    ) -> list[Any]:
        """Runs a straight-line plan on this thread.

        Args:
          plan: A plan of this device that `is_straight`.
          step_id: A new id.
          feeds: Values in the order of `plan.feeds`.
          told: See `start`.

        Returns:
          The values fetched on this device, in the order of `plan.fetches`.

        Raises:
          OpError: The first error.
        """
        step = self._steps[step_id] = Step(step_id, plan.session, self.rendezvous)
        step.told = told
        self._stop_if_told(step)
        slots: list[Any] = []
        try:
            slots = self._fill(plan, feeds)
            self.executor.run(plan, plan.layout, step, slots)
            fetched = self._collect(plan, slots)
        except FailedPreconditionError as error:
            raise self._with_history(error) from error.__cause__
        finally:
            del self._steps[step_id]
            # An exception holds this frame; it shall not hold the step's values.
            slots.clear()
            if step.used_rendezvous:
                self.rendezvous.finish(step_id)
        return fetched

    def start(
        self,
        plan: Plan,
        step_id: int,
        feeds: Sequence[Any],
        done: DoneCallback,
        trace: list[Any] | None = None,
        on_fetch: Callable[[int, Any], None] | None = None,
        home: Home | None = None,
        arrivals: Home | None = None,
        told: Told | None = None,
    ) -> None:
        """Starts a step; what is ready and cheap runs before this returns.

        Args:
          plan: A plan of this device.
          step_id: A new id, the same on all devices of the step.
          feeds: Values in the order of `plan.feeds`.
          done: Called once, when nothing of the step runs here any more.
          trace: Collects a record for each node that runs.
          on_fetch: Takes the fetches of a piecewise plan, by index.
          home: Where work goes that was woken from outside the step.
          arrivals: Where the code of the plan goes when the last value of another device has come,
            if nothing comes before it but that; None if it goes where all else does.
          told: Called if the step fails or is stopped, at once, though kernels of it may run on.
        """
        step = Step(step_id, plan.session, self.rendezvous)
        step.trace, step.home, step.told = trace, home, told
        if on_fetch is not None:
            owner = on_fetch

            def own(index: int, value: Any) -> None:
                owner(index, own_fetch(value, index in plan.retained))

            step.on_fetch = owner if self._fetches_leave else own
        with self._lock:
            self._steps[step_id] = step

        self._stop_if_told(step)

        def finished(error: BaseException | None, slots: Sequence[Any]) -> None:
            fetched: Sequence[Any] = ()
            if error is None:
                try:
                    fetched = self._collect(plan, slots)
                except Exception as failure:
                    error = failure
            elif isinstance(error, FailedPreconditionError):
                error = self._with_history(error)
            step.told = None
            self._steps.pop(step_id, None)
            self.rendezvous.finish(step_id)
            done(error, fetched)

        try:
            slots = self._fill(plan, feeds)
        except Exception as error:
            finished(error, ())
            return
        layout = plan.layout
        if arrivals is not None and trace is None and on_fetch is None and layout.receives:
            self.executor.start_receiving(plan, layout, step, slots, finished, arrivals)
        else:
            self.executor.start(plan, step, slots, finished)

    def feed(self, step_id: int, index: int, value: Any) -> None:
        """Gives a feed to a step that runs piecewise.

        Raises:
          AbortedError: No such step is running here.
        """
        if step_id not in self._steps:
            raise unknown_step(step_id, self.name)
        self.rendezvous.put(step_id, late_feed_key(index), guard_feed(value))

    def abort(self, step_id: int, error: OpError) -> None:
        """Stops a step, also one that is to begin: waiting kernels fail, running ones finish, no
        more are started."""
        step = self._steps.get(step_id)
        if step is None:
            self.rendezvous.abort(step_id, error)
            # It may have begun meanwhile.
            step = self._steps.get(step_id)
        if step is not None:
            step.cancel(error)

    def _stop_if_told(self, step: Step) -> None:
        """Stops a step that was not seen yet when it was aborted, or all were."""
        error = self.rendezvous.why_stopped(step.step_id)
        if self._closed or error is not None:
            step.cancel(error or _closing())

    def forget(self, step_id: int) -> None:
        """Takes note that a step is over of which no one will say so."""
        self._steps.pop(step_id, None)
        self.rendezvous.finish(step_id)

    def is_writing(self, step_id: int) -> bool:
        """True if the step changes what outlives it; one that was stopped will not begin to."""
        step = self._steps.get(step_id)
        return step is not None and bool(step.writers)

    def close_session(self, session: int) -> None:
        """Cancels a session's steps, and frees its plans and kernels."""
        error = _closing()
        for step in [s for s in tuple(self._steps.values()) if s.session == session]:
            step.cancel(error)
        with self._lock:
            for plan_id in [i for i, p in self._plans.items() if p.session == session]:
                del self._plans[plan_id]
            for function in [k for k in self._function_plans if k[0] == session]:
                del self._function_plans[function]
            self._isolated.pop(session, None)
            self._session_tensors.pop(session, None)
            self._python_functions.pop(session, None)
        self.stateful_kernels.forget_session(session)
        self.rendezvous.forget_session(session)

    def close(self) -> None:
        """Cancels everything and frees all state; steps that start later are cancelled, too."""
        self._closed = True
        error = _closing()
        for step in tuple(self._steps.values()):
            step.cancel(error)
        with self._lock:
            self._plans.clear()
            self._function_plans.clear()
            self._isolated.clear()
            self._session_tensors.clear()
            self._python_functions.clear()
        self.stateful_kernels.clear()
        self.resources.clear()

    @property
    def plan_count(self) -> int:
        """Number of registered plans."""
        return len(self._plans)

    @property
    def isolated_count(self) -> int:
        """Number of sessions that have a state of their own."""
        return len(self._isolated)

    @property
    def steps_in_flight(self) -> int:
        """Number of steps that run here."""
        return len(self._steps)

    def _with_history(self, error: FailedPreconditionError) -> OpError:
        """The error, with the reason why a variable holds nothing if that is what it is about."""
        if not self._history or "uninitialized" not in error.message:
            return error
        report = ErrorReport.from_exception(error)
        message = f"{report.message}\n\t {self._history}"
        return dataclasses.replace(report, message=message).to_exception()

    def _fill(self, plan: Plan, feeds: Sequence[Any]) -> list[Any]:
        """The slots of a step: the plan's constants, and the feeds where the device wants them."""
        slots, places = plan.template.copy(), plan.feed_places
        if len(feeds) != len(places):
            raise InvalidArgumentError(
                None,
                None,
                f"{len(feeds)} values were fed to a plan of {self.name} that takes {len(places)}: "
                "session and device are of different versions.",
            )
        for (slot, adapter), value in zip(places, feeds, strict=True):
            value = guard_feed(value)
            slots[slot] = value if adapter is None else adapter(value)
        return slots

    def _collect(self, plan: Plan, slots: Sequence[Any]) -> list[Any]:
        synchronize = self.device_type.synchronize
        if synchronize is not None:
            synchronize(self.index)
        fetches = plan.fetches
        for index, slot in plan.uncertain:
            if slots[slot] is DEAD:
                raise dead_fetch(index, slot, plan.nodes)
        if plan.last_reads:
            slots = slots if isinstance(slots, list) else list(slots)
            for slot, read in plan.last_reads:
                slots[slot] = read(slots[slot])
        if self._fetches_leave:
            return [slots[slot] for slot in fetches.values()]
        if not fetches:
            return []
        if len(fetches) == 1:
            ((index, slot),) = fetches.items()
            is_retained = index in plan.retained and held_elsewhere(slots, slot)
            return [own_fetch(slots[slot], is_retained)]
        retained = [i in plan.retained and held_elsewhere(slots, s) for i, s in fetches.items()]
        return own_fetches([slots[slot] for slot in fetches.values()], retained)


def _closing() -> CancelledError:
    return CancelledError(None, None, "Session was closed.")
