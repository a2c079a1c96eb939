"""The runtime of target "": master, worker and devices in the calling process, without Ray."""

from __future__ import annotations

import itertools
import random
import weakref
from collections.abc import Mapping, Sequence
from functools import partial
from queue import SimpleQueue
from time import monotonic, sleep
from typing import Any, Final

from dataflow.actors.cores.device import DeviceCore
from dataflow.actors.cores.master import MasterCore
from dataflow.actors.cores.worker import WorkerCore
from dataflow.actors.devices.device_type import DeviceType
from dataflow.actors.devices.registry import device_types, find_device_type
from dataflow.actors.plan.plan import Plan
from dataflow.actors.run.trace import Record, add_step_stats, to_timings
from dataflow.actors.step.away import AwayStep
from dataflow.actors.step.join import DoneCallback, Failed, StepJoin
from dataflow.actors.step.numbers import STEP_BITS
from dataflow.actors.step.partial import FetchCallback, PartialRun
from dataflow.actors.threads.errands import Errands
from dataflow.actors.threads.freed_memory import keep_freed_memory
from dataflow.actors.threads.home import Home, Inbox
from dataflow.actors.threads.library_threads import limit_library_threads, release_library_threads
from dataflow.actors.threads.pool import SessionThreads
from dataflow.actors.threads.ready_queue import start_together
from dataflow.actors.transfers.local import LocalTransport
from dataflow.actors.wire.messages import DevicePart, StepPlan
from dataflow.errors import CancelledError, InvalidArgumentError, OpError
from dataflow.kernels.threads.cores import available_cores
from dataflow.passes.placement.split import split_by_device
from dataflow.proto.config_pb2 import ConfigProto, RunMetadata, RunOptions
from dataflow.proto.device_attributes_pb2 import DeviceAttributes
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.runtime.signature import StepSignature
from dataflow.values.device_info import DeviceInfo
from dataflow.values.devices import full_name
from dataflow.values.garbage import uncollected
from dataflow.values.interrupts import sheltered

_TASK: Final = "/job:localhost/replica:0/task:0"
_runtimes: weakref.WeakSet[DirectRuntime] = weakref.WeakSet()
_handles = itertools.count(1)
_PATIENCE: Final = 5.0
"""Seconds that an interrupted caller waits for kernels that run on other threads."""
_LOOK_AGAIN: Final = 0.0005


class DirectRuntime:
    """Sessions of this process. Each has devices of its own, so that no two share variables."""

    TAKES_ATTRS = True

    def __init__(self, config: ConfigProto) -> None:
        # Before there is a thread: its heap would be its own.
        keep_freed_memory()
        self._sessions: dict[str, _DirectSession] = {}
        _runtimes.add(self)

    def create_session(self, config: ConfigProto) -> str:
        """Opens a session on devices of its own and returns its handle."""
        return sheltered(partial(self._create_session, config), self.close_session)

    def _create_session(self, config: ConfigProto) -> str:
        handle = f"direct_{next(_handles)}"
        self._sessions[handle] = _DirectSession(config)
        return handle

    @uncollected
    def extend_session(
        self,
        handle: str,
        graph_def: GraphDef,
        attrs: Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        """Adds nodes to a session's graph; `attrs` are theirs if the GraphDef has none."""
        session = self._session(handle)
        session.master.extend_session(session.number, graph_def, attrs)

    @uncollected
    def make_callable(self, handle: str, signature: StepSignature) -> DirectStep:
        """Prepares a step; the same signature shares its plans."""
        session = self._session(handle)
        return DirectStep(session, signature, session.master.prepare(session.number, signature))

    def release_callable(self, handle: str, signature: StepSignature) -> None:
        """Frees the plans of a signature once every `make_callable` of it was released."""
        session = self._sessions.get(handle)
        if session is not None:
            session.master.release(session.number, signature)

    def partial_run_setup(self, handle: str, signature: StepSignature) -> str:
        """Starts a step that is fed and fetched piecewise; returns its handle."""
        session = self._session(handle)
        plan = session.master.prepare(session.number, signature, piecewise=True)
        # Who feeds it may have to leave what that wakes.
        home = session.errands
        devices = {name: _LocalDevice(device, home) for name, device in session.devices.items()}
        step_id = next(session.step_ids)
        run = PartialRun(step_id, signature, plan, devices, start_together)
        name = f"partial_run_{step_id}"
        session.partial_runs[name] = (run, signature)
        return name

    def partial_run(
        self, handle: str, run: str, feeds: Sequence[tuple[str, Any]], fetches: Sequence[str]
    ) -> list[Any]:
        """Feeds some and fetches some of a piecewise step."""
        found, _ = self._session(handle).partial_runs.get(run, (None, None))
        if found is None:
            raise InvalidArgumentError(
                None, None, "Must run 'setup' before performing partial runs!"
            )
        try:
            return found.run(feeds, fetches)
        finally:
            if found.is_over:
                sheltered(partial(self.partial_run_stop, handle, run))

    def partial_run_stop(self, handle: str, run: str) -> None:
        """Stops a piecewise step if it is not over; a second call does nothing."""
        session = self._sessions.get(handle)
        if session is None:
            return
        found, signature = session.partial_runs.pop(run, (None, None))
        if found is not None and signature is not None:
            if not found.join.is_over:
                error = CancelledError(None, None, "The partial run was stopped.")
                found.fail(error)
                session.abandon(found.join.step_id, error)
            session.master.release(session.number, signature, piecewise=True)

    def list_devices(self, handle: str) -> list[DeviceAttributes]:
        """The session's devices."""
        return [
            DeviceAttributes(
                name=device.name,
                device_type=device.device_type,
                memory_limit=device.memory_limit,
                incarnation=device.incarnation,
            )
            for device in self._session(handle).master.devices
        ]

    def reset(self, containers: Sequence[str]) -> None:
        """Closes all direct sessions of this process, and with them all they hold."""
        for runtime in list(_runtimes):
            for handle in list(runtime._sessions):
                runtime.close_session(handle)

    def close_session(self, handle: str) -> None:
        """Cancels the session's steps and frees its plans, state and threads."""
        session = self._sessions.pop(handle, None)
        if session is not None:
            session.close()

    def _session(self, handle: str) -> _DirectSession:
        session = self._sessions.get(handle)
        if session is None:
            raise CancelledError(None, None, "Session has been closed.")
        return session


class _DirectSession:
    """A session with its devices, and the worker and master that serve it alone."""

    def __init__(self, config: ConfigProto) -> None:
        self.timeout = config.operation_timeout_in_ms / 1000 or None
        self.closed = False
        found = _found_devices(config)
        self.errands = Errands()
        """Run the steps whose callers may have to leave them."""
        self.threads = _open_threads(config)
        limit_library_threads(1)
        self.devices: dict[str, DeviceCore] = {}
        self.partial_runs: dict[str, tuple[PartialRun, StepSignature]] = {}
        self._transports: dict[str, LocalTransport] = {}
        infos = [self._add_device(*device) for device in found]
        worker = WorkerCore(self.devices, lambda graph: split_by_device(graph, infos))
        self.master = MasterCore({_TASK: worker}, infos)
        self.number = self.master.create_session(config)
        self.step_ids = itertools.count((self.number << STEP_BITS) + 1)

    def close(self) -> None:
        """Cancels the steps and frees everything."""
        self.closed = True
        self.partial_runs.clear()
        self.master.close_session(self.number)
        for device in self.devices.values():
            device.close()
        self.errands.close()
        self.threads.close()
        release_library_threads(1)

    def abandon(self, step_id: int, error: OpError) -> None:
        """Stops a step that an interrupt has left as it was, whatever that is.

        Waits until nothing of it runs on other threads, if that takes no more than a while.
        """
        for device in self.devices.values():
            device.abort(step_id, error)
        end = monotonic() + _PATIENCE
        while self.threads.work_for(step_id) and monotonic() < end:
            sleep(_LOOK_AGAIN)
        for device in self.devices.values():
            device.forget(step_id)

    def _add_device(self, device_type: DeviceType, number: int, index: int) -> DeviceInfo:
        name = full_name("localhost", 0, 0, device_type.name, number)
        # The device gets no reference to the session: it shall go when the session goes.
        device = DeviceCore(
            name,
            index,
            device_type,
            self.threads.pool,
            self._transports.__getitem__,
            self.threads.helpers,
        )
        self.devices[name] = device
        self._transports[name] = LocalTransport(device.rendezvous)
        return DeviceInfo(
            name=name,
            device_type=device_type.name,
            priority=device_type.priority,
            incarnation=random.SystemRandom().getrandbits(63),
            memory_limit=device_type.memory_limit(index),
        )


def _open_threads(config: ConfigProto) -> SessionThreads:
    """The threads of a session: as many as there are cores where the options name no number."""
    inter_op = config.inter_op_parallelism_threads
    if config.session_inter_op_thread_pool:
        inter_op = config.session_inter_op_thread_pool[0].num_threads
    cores = available_cores()
    intra_op = config.intra_op_parallelism_threads
    return SessionThreads(inter_op or cores, intra_op or cores, config.use_per_session_threads)


def _found_devices(config: ConfigProto) -> list[tuple[DeviceType, int, int]]:
    """Type, number in the session and number on the machine of each device of a session."""
    devices: list[tuple[DeviceType, int, int]] = []
    for device_type in device_types():
        wanted = config.device_count.get(device_type.name, -1)
        if device_type.name == "CPU":
            # CPU devices share the cores: there are as many as one asks for.
            indices = list(range(max(wanted, 1)))
        else:
            indices = _visible(device_type, config)
            indices = indices if wanted < 0 else indices[:wanted]
        if indices:
            find_device_type(device_type.name)
        devices += [(device_type, number, index) for number, index in enumerate(indices)]
    return devices


def _visible(device_type: DeviceType, config: ConfigProto) -> list[int]:
    found = list(range(device_type.count()))
    listed = config.gpu_options.visible_device_list
    if device_type.name == "GPU" and listed:
        return [index for index in map(int, listed.split(",")) if index in found]
    return found


class _LocalDevice:
    """A device of this process as a step drives it."""

    __slots__ = ("_device", "_home", "_plan", "trace")

    def __init__(
        self,
        device: DeviceCore,
        home: Home,
        traced: bool = False,
        plan: Plan | None = None,
    ) -> None:
        self._device = device
        self._home = home
        self._plan = plan
        self.trace: list[Record] | None = [] if traced else None

    def start(
        self,
        part: DevicePart,
        step_id: int,
        feeds: Sequence[Any],
        done: DoneCallback,
        failed: Failed,
    ) -> None:
        """Starts the device's plan."""
        plan = self._plan or self._device.plan(part.plan)
        self._device.start(plan, step_id, feeds, done, self.trace, home=self._home, told=failed)

    def start_piecewise(
        self,
        part: DevicePart,
        step_id: int,
        done: DoneCallback,
        on_fetch: FetchCallback,
        failed: Failed,
    ) -> None:
        """Starts the device's plan, its feeds to come."""
        plan = self._device.plan(part.plan)
        self._device.start(plan, step_id, (), done, on_fetch=on_fetch, home=self._home, told=failed)

    def feed(self, step_id: int, index: int, value: Any) -> None:
        """Gives the step one of its feeds."""
        self._device.feed(step_id, index, value)

    def abort(self, step_id: int, error: OpError) -> None:
        """Stops the step."""
        self._device.abort(step_id, error)


class DirectStep:
    """A prepared step of a direct session."""

    __slots__ = ("_lone", "_parts", "_plans", "_session", "_signature")

    def __init__(self, session: _DirectSession, signature: StepSignature, plan: StepPlan) -> None:
        self._session = session
        self._signature = signature
        self._parts = tuple((session.devices[part.device], part) for part in plan.parts)
        # It goes on with the plans that it has, though they be given up for others.
        self._plans = tuple(device.plan(part.plan) for device, part in self._parts)
        self._lone = None
        if len(self._parts) == 1 and session.timeout is None:
            ((device, part),) = self._parts
            in_order = part.feeds == tuple(range(len(signature.feeds)))
            self._lone = (device, self._plans[0], None if in_order else part.feeds)

    def __call__(
        self,
        feeds: Sequence[Any],
        options: RunOptions | None = None,
        metadata: RunMetadata | None = None,
    ) -> list[Any]:
        """Runs a step; see `StepCallable`."""
        session = self._session
        if session.closed:
            raise CancelledError(None, None, "Session has been closed.")
        lone = self._lone
        step_id = next(session.step_ids)
        try:
            if lone is not None and options is None:
                device, plan, indices = lone
                if plan.is_straight and plan.is_quick:
                    given = feeds if indices is None else [feeds[i] for i in indices]
                    return device.run(plan, step_id, given)
            return self._run(step_id, feeds, options or _NO_OPTIONS, metadata)
        except BaseException as interruption:
            if not isinstance(interruption, OpError):
                name = type(interruption).__name__
                error = CancelledError(None, None, f"Step was cancelled by {name}.")
                sheltered(partial(session.abandon, step_id, error))
            raise

    def _run(
        self,
        step_id: int,
        feeds: Sequence[Any],
        options: RunOptions,
        metadata: RunMetadata | None,
    ) -> list[Any]:
        """Runs a step on any number of devices and with any options."""
        session = self._session
        traced = metadata is not None and options.trace_level != RunOptions.NO_TRACE
        inbox: Inbox = SimpleQueue()
        parts = [
            (_LocalDevice(device, inbox, traced, plan), part)
            for (device, part), plan in zip(self._parts, self._plans, strict=True)
        ]
        num_fetches = len(self._signature.fetches)
        timeout = max(options.timeout_in_ms, 0) / 1000 or session.timeout
        try:
            if timeout is not None or not all(plan.is_quick for plan in self._plans):
                # This thread would be busy with kernels when the time is over or the step fails.
                step = AwayStep(step_id, parts, num_fetches, inbox)
                return step.run(session.errands, feeds, start_together, timeout, self._left)
            join = StepJoin(step_id, parts, num_fetches, inbox)
            try:
                join.start(feeds, start_together)
                return join.wait(goes_on=partial(session.threads.work_for, step_id))
            except OpError as error:
                if not join.is_over:
                    sheltered(partial(session.abandon, step_id, error))
                raise
        finally:
            if metadata is not None:
                self._fill(metadata, options, parts)

    def _left(self, step_id: int) -> bool:
        """Has others take the place of threads that a step which was stopped still holds.

        Returns:
          False if it still writes to a variable, so that it cannot be left.
        """
        if any(device.is_writing(step_id) for device, _ in self._parts):
            return False
        sheltered(partial(self._session.threads.leave_behind, step_id))
        return True

    def _fill(
        self,
        metadata: RunMetadata,
        options: RunOptions,
        parts: Sequence[tuple[_LocalDevice, DevicePart]],
    ) -> None:
        """Writes down what the options ask for, also of a step that failed."""
        for device, part in parts:
            if device.trace is not None:
                add_step_stats(metadata.step_stats, part.device, to_timings(device.trace))
        if options.output_partition_graphs:
            session = self._session
            graphs = session.master.partition_graphs(session.number, self._signature)
            metadata.partition_graphs.extend(graphs)


_NO_OPTIONS: Final = RunOptions()
