"""The inside of a device actor: a DeviceCore, its threads and its way to other devices."""

from __future__ import annotations

import os
import random
import sys
import threading
from collections import deque
from collections.abc import Sequence
from functools import partial
from queue import SimpleQueue
from typing import Any, Final

from dataflow.actors.code.failure import unknown_step
from dataflow.actors.cores.device import DeviceCore
from dataflow.actors.devices.registry import find_device_type
from dataflow.actors.plan.plan import Plan
from dataflow.actors.ray.actors.device_lanes import DeviceLanes
from dataflow.actors.ray.links.calls import RemoteActor, answer, device_name, expect, parse_graph
from dataflow.actors.ray.links.lanes import machine_address, node_id, open_lane, uses_lanes
from dataflow.actors.run.trace import Record, to_timings
from dataflow.actors.step.dead import DEAD
from dataflow.actors.step.numbers import STEP_BITS
from dataflow.actors.threads.home import Inbox
from dataflow.actors.threads.library_threads import limit_library_threads
from dataflow.actors.threads.pool import SessionThreads
from dataflow.actors.threads.ready_queue import start_together
from dataflow.actors.transfers.lanes.door import NONE, Door
from dataflow.actors.transfers.lanes.lane import Lane
from dataflow.actors.transfers.lanes.peers import LanePeers
from dataflow.actors.transfers.lanes.service import LaneService, Work
from dataflow.actors.transfers.object_store import ObjectStoreTransport, Outbox, Push
from dataflow.actors.transfers.transport import Transport
from dataflow.actors.wire.codec import decode, encode
from dataflow.actors.wire.messages import (
    AbortStep,
    AskLane,
    CloseSession,
    DeregisterPlan,
    DeviceUsage,
    Done,
    FeedStep,
    FetchReady,
    GraphRegistered,
    Message,
    NextFetch,
    OpenDevice,
    Opened,
    RegisterGraph,
    ResetContainers,
    RunStep,
    SendTensors,
    StepDone,
    StepFailed,
    TensorValue,
)
from dataflow.errors import ErrorReport, OpError, ResourceExhaustedError
from dataflow.kernels.threads.cores import available_cores
from dataflow.passes.graphs.import_graph import import_graph
from dataflow.passes.placement.split import task_of
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.values.device_info import DeviceInfo
from dataflow.values.devices import parse

_SWITCH_INTERVAL: Final = 0.0005
"""Seconds after which a thread that computes lets another one run: the one that sends, mostly."""


class DeviceShell:
    """Serves the requests of sessions, workers and other devices. Called on many threads."""

    def __init__(self, setup: bytes, max_steps: int) -> None:
        """Opens the device.

        Args:
          setup: An encoded OpenDevice.
          max_steps: Steps that may run at once; each holds a thread.
        """
        opening = expect(decode(setup), OpenDevice)
        config = ConfigProto.FromString(opening.config)
        self._max_steps = max_steps
        self._cluster = opening.cluster
        parts = parse(opening.device)
        device_type = parts.device_type or "CPU"
        if device_type == "CPU":
            # Ray lets actors without a GPU see all of them: cupy shall not even be imported.
            os.environ["CUDA_VISIBLE_DEVICES"] = ""
        sys.setswitchinterval(_SWITCH_INTERVAL)
        cores = max(1, available_cores() // opening.sharers)
        threads = SessionThreads(
            config.inter_op_parallelism_threads or cores,
            config.intra_op_parallelism_threads or cores,
            own=True,
        )
        self._outbox = Outbox(self._find_push, self._sending_failed)
        found = find_device_type(device_type)
        # After the kernels: the libraries that they load are bounded, too.
        limit_library_threads(1)
        self._uses_lanes = uses_lanes(config)
        self._service = LaneService(self._serve_lane, self._lane_closed)
        self._peers = LanePeers(self._open_lane, self._push_to, self._sending_failed)
        self._door: Door | None = None
        # Ray shows an actor its own GPU only.
        self._device = DeviceCore(
            opening.device,
            0,
            found,
            threads.pool,
            self._peers.transport if self._uses_lanes else self._push_to,
            threads.helpers,
            history=_history(opening),
            fetches_leave=True,
        )
        self._info = DeviceInfo(
            name=opening.device,
            device_type=device_type,
            priority=found.priority,
            incarnation=random.getrandbits(63),
            memory_limit=found.memory_limit(0),
        )
        self._piecewise: dict[int, SimpleQueue[Message]] = {}
        self._lanes = DeviceLanes(
            self._device, self._admit, self._service.submit, self._peers.taken
        )

    def lane(self, data: bytes) -> bytes:
        """AskLane -> LaneOffer."""
        return answer(self._offer_lane, AskLane, data)

    def describe(self) -> bytes:
        """Opened."""
        return encode(Opened((self._info,)))

    def usage(self) -> bytes:
        """DeviceUsage."""
        device = self._device
        return encode(
            DeviceUsage(
                plans=device.plan_count,
                steps=device.steps_in_flight,
                piecewise=len(self._piecewise),
                rendezvous=len(device.rendezvous),
                kernels=len(device.stateful_kernels),
                isolated=device.isolated_count,
            )
        )

    def register(self, data: bytes) -> bytes:
        """RegisterGraph -> GraphRegistered."""
        return answer(self._register, RegisterGraph, data)

    def deregister(self, data: bytes) -> bytes:
        """DeregisterPlan -> Done."""
        return answer(self._deregister, DeregisterPlan, data)

    def close_session(self, data: bytes) -> bytes:
        """CloseSession -> Done."""
        return answer(self._close_session, CloseSession, data)

    def reset(self, data: bytes) -> bytes:
        """ResetContainers -> Done."""
        return answer(self._reset, ResetContainers, data)

    def run(self, data: bytes) -> bytes:
        """RunStep -> StepDone or StepFailed."""
        return answer(self._run, RunStep, data)

    def start(self, data: bytes) -> bytes:
        """RunStep -> Done, the step going on."""
        return answer(self._start, RunStep, data)

    def next_fetch(self, data: bytes) -> bytes:
        """NextFetch -> FetchReady, StepDone or StepFailed."""
        return answer(self._next_fetch, NextFetch, data)

    def feed(self, data: bytes) -> bytes:
        """FeedStep -> Done."""
        return answer(self._feed, FeedStep, data)

    def abort(self, data: bytes) -> None:
        """AbortStep."""
        message = expect(decode(data), AbortStep)
        self._device.abort(message.step, message.error.to_exception())

    def push(self, data: bytes, large: Sequence[bytes]) -> None:
        """SendTensors; nobody sees what this raises."""
        message = expect(decode(data), SendTensors)
        put = self._device.rendezvous.put
        for tensor in message.tensors:
            put(tensor.step, tensor.key, tensor.value, tensor.dead)
        for tensor, value in zip(message.large, large, strict=True):
            put(tensor.step, tensor.key, expect(decode(value), TensorValue).value, tensor.dead)

    def _offer_lane(self, message: AskLane) -> Message:
        if not self._uses_lanes:
            return NONE
        if self._door is None:
            # Requests for lanes are served one after the other.
            self._door = Door(node_id(), machine_address(), self._service.accept)
        return self._door.offer(message.node)

    def _open_lane(self, peer: str) -> Lane | None:
        return open_lane(self._peer(peer), self._info.name, self._service.add)

    def _push_to(self, peer: str) -> Transport:
        return ObjectStoreTransport(self._outbox, peer)

    def _serve_lane(self, lane: Lane, message: Message) -> deque[Work]:
        return self._lanes.serve(lane, message)

    def _lane_closed(self, lane: Lane) -> None:
        self._lanes.closed(lane)
        self._peers.lost(lane)

    def _register(self, message: RegisterGraph) -> Message:
        graph = import_graph(parse_graph(message.graph), partition=True)
        if message.isolated:
            self._device.isolate(message.session)
        self._outbox.forget_peers()
        part = self._device.register(graph, message.session, message.options)
        return GraphRegistered(part.plan, (part,))

    def _deregister(self, message: DeregisterPlan) -> Message:
        self._device.deregister(message.plan)
        return Done()

    def _close_session(self, message: CloseSession) -> Message:
        self._device.close_session(message.session)
        for step in [s for s in tuple(self._piecewise) if s >> STEP_BITS == message.session]:
            self._piecewise.pop(step, None)
        return Done()

    def _reset(self, message: ResetContainers) -> Message:
        self._device.resources.clear(message.containers)
        return Done()

    def _run(self, message: RunStep) -> Message:
        plan = self._admit(message)
        if plan.is_straight and not message.trace:
            return StepDone(
                message.step, tuple(self._device.run(plan, message.step, message.feeds))
            )
        inbox: Inbox = SimpleQueue()
        trace: list[Record] | None = [] if message.trace else None
        ended: list[Message] = []

        def done(error: BaseException | None, fetched: Sequence[Any]) -> None:
            timings = to_timings(trace) if trace is not None else ()
            if error is None:
                ended.append(StepDone(message.step, tuple(fetched), timings))
            else:
                report = ErrorReport.from_exception(error)
                ended.append(StepFailed(message.step, report, timings))
            inbox.put(None)

        start = partial(
            self._device.start, plan, message.step, message.feeds, done, trace, home=inbox
        )
        start_together(inbox, [start])
        while (work := inbox.get()) is not None:
            work()
        return ended[0]

    def _start(self, message: RunStep) -> Message:
        plan = self._admit(message)
        events: SimpleQueue[Message] = SimpleQueue()
        inbox: Inbox = SimpleQueue()

        def fetched(index: int, value: Any) -> None:
            dead = value is DEAD
            events.put(FetchReady(message.step, index, None if dead else value, dead))

        def done(error: BaseException | None, _: Sequence[Any]) -> None:
            if error is None:
                events.put(StepDone(message.step, ()))
            else:
                events.put(StepFailed(message.step, ErrorReport.from_exception(error)))
            inbox.put(None)

        started = threading.Event()

        def start() -> None:
            try:
                self._device.start(plan, message.step, (), done, on_fetch=fetched, home=inbox)
            finally:
                started.set()

        def serve() -> None:
            start_together(inbox, [start])
            while (work := inbox.get()) is not None:
                work()

        self._piecewise[message.step] = events
        name = f"dataflow-step-{message.step}"
        threading.Thread(target=serve, name=name, daemon=True).start()
        # Feeds may follow at once.
        started.wait()
        return Done()

    def _next_fetch(self, message: NextFetch) -> Message:
        events = self._piecewise.get(message.step)
        if events is None:
            raise unknown_step(message.step, self._info.name)
        event = events.get()
        if not isinstance(event, FetchReady):
            self._piecewise.pop(message.step, None)
        return event

    def _feed(self, message: FeedStep) -> Message:
        self._device.feed(message.step, message.index, message.value)
        return Done()

    def _admit(self, message: RunStep) -> Plan:
        """The plan of a step that may start."""
        device = self._device
        device.rendezvous.reap(message.low_water)
        if device.steps_in_flight >= self._max_steps:
            raise ResourceExhaustedError(
                None,
                None,
                f"{device.steps_in_flight} steps are running on {device.name} and no more are "
                "started: run fewer at once, or see what they wait for.",
            )
        return device.plan(message.plan)

    def _find_push(self, peer: str) -> Push:
        return partial(self._peer(peer).call, "push")

    def _peer(self, device: str) -> RemoteActor:
        return RemoteActor(device_name(self._cluster, device), device)

    def _sending_failed(self, step: int, peer: str, error: OpError) -> None:
        """Stops a step here; where it goes on, the session stops it when it hears of this.

        If the step has ended here, the peer that waits for the value is told.
        """
        self._device.abort(step, error)
        try:
            report = ErrorReport.from_exception(error)
            self._peer(peer).send("abort", AbortStep(step, report))
        except OpError:
            # The session watches the peer, and fails the step itself.
            return


def _history(opening: OpenDevice) -> str:
    """Why variables of a new device hold nothing, if there were some before."""
    if not opening.restarts:
        return ""
    task = task_of(opening.device)
    return (
        f"task {task} was restarted after it died; its variables hold nothing until restored "
        f"(restart {opening.restarts})."
    )
