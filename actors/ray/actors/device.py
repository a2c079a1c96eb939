"""The inside of a device actor: a DeviceCore, its threads and its way to other devices."""

from __future__ import annotations

import dataclasses
import os
import random
import sys
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from dataflow.actors.cores.device import DeviceCore
from dataflow.actors.devices.registry import find_device_type
from dataflow.actors.ray.actors.device_calls import DeviceCalls
from dataflow.actors.ray.actors.device_steps import DeviceSteps
from dataflow.actors.ray.links.calls import Handlers, RemoteActor, device_name, expect, parse_graph
from dataflow.actors.ray.links.lanes import (
    encryption_for,
    machine_address,
    node_id,
    open_lane,
    uses_lanes,
)
from dataflow.actors.threads.library_threads import limit_library_threads
from dataflow.actors.threads.pool import SessionThreads
from dataflow.actors.transfers.lanes.door import NONE, Door
from dataflow.actors.transfers.lanes.lane import Lane
from dataflow.actors.transfers.lanes.line import Line
from dataflow.actors.transfers.lanes.peers import LanePeers
from dataflow.actors.transfers.lanes.service import LaneService, Thunk
from dataflow.actors.transfers.object_store import ObjectStoreTransport, Outbox, Push
from dataflow.actors.transfers.transport import Transport
from dataflow.actors.wire.codec import decode
from dataflow.actors.wire.messages import (
    AbortStep,
    AskLane,
    AskUsage,
    CloseSession,
    DeregisterPlan,
    Describe,
    DeviceUsage,
    GraphRegistered,
    LaneOffer,
    Message,
    NextFetch,
    OpenDevice,
    Opened,
    RegisterGraph,
    ResetContainers,
    RunStep,
)
from dataflow.errors import ErrorReport, OpError
from dataflow.kernels.threads.cores import available_cores
from dataflow.passes.graphs.import_graph import import_graph
from dataflow.passes.placement.split import task_of
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.values.device_info import DeviceInfo
from dataflow.values.devices import parse
from dataflow.values.python.functions import PythonFunction

_SWITCH_INTERVAL: Final = 0.0005
"""Seconds after which a thread that computes lets another one run: the one that sends, mostly."""


class DeviceShell:
    """Serves the requests of sessions, workers and other devices."""

    def __init__(self, setup: bytes, max_at_work: int, check_lease: Callable[[str], None]) -> None:
        """Opens the device.

        Args:
          setup: An encoded OpenDevice.
          max_at_work: Threads that may work for steps at once; steps beyond that wait for one.
          check_lease: Raises UnavailableError if the device, by its name, may have been replaced.
        """
        opening = expect(decode(setup), OpenDevice)
        config = ConfigProto.FromString(opening.config)
        self._cluster = opening.cluster
        parts = parse(opening.device)
        device_type = parts.device_type or "CPU"
        if device_type == "CPU":
            # Ray lets actors without a GPU see all of them: cupy shall not even be imported.
            os.environ["CUDA_VISIBLE_DEVICES"] = ""
        sys.setswitchinterval(_SWITCH_INTERVAL)
        there = min(available_cores(), opening.cores or available_cores())
        cores = max(1, there // opening.sharers)
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
        self._encryption = encryption_for(config)
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
            incarnation=random.SystemRandom().getrandbits(63),
            memory_limit=found.memory_limit(0),
        )
        self._steps = DeviceSteps(
            self._device,
            threads,
            max_at_work,
            self._service.submit,
            self._peers.taken,
            check_lease,
        )
        self.calls = DeviceCalls(opening.device, self._steps, max_at_work, self._service.submit)
        """What others send by calls."""
        self.handlers: Handlers = {
            Describe: lambda _: Opened((self._info,)),
            AskUsage: self._usage,
            AskLane: self._offer_lane,
            RegisterGraph: self._register,
            DeregisterPlan: self._deregister,
            CloseSession: self._close_session,
            ResetContainers: self._reset,
            RunStep: self.calls.run,
            NextFetch: self.calls.next_fetch,
        }
        """What sessions, workers and other devices ask for; called on many threads."""

    def _usage(self, _: AskUsage) -> DeviceUsage:
        device = self._device
        return DeviceUsage(
            plans=device.plan_count,
            steps=device.steps_in_flight,
            piecewise=len(self.calls),
            rendezvous=len(device.rendezvous),
            kernels=len(device.stateful_kernels),
            isolated=device.isolated_count,
        )

    def _offer_lane(self, message: AskLane) -> LaneOffer:
        if not self._uses_lanes:
            return NONE
        if self._door is None:
            # Requests for lanes are served one after the other.
            name, address = self._info.name, machine_address()
            self._door = Door(name, node_id(), address, self.enter, self._encryption)
        offer = self._door.offer(message.node)
        return dataclasses.replace(offer, incarnation=self._info.incarnation)

    def keep_functions(self, session: int, functions: Sequence[PythonFunction]) -> None:
        """Takes functions of the program that a session's nodes call."""
        self._device.python_functions(session).keep(functions)

    def _open_lane(self, peer: str) -> tuple[Lane | None, int]:
        add, encryption = self._service.add, self._encryption
        return open_lane(self._peer(peer), self._info.name, add, encryption)

    def _push_to(self, peer: str) -> Transport:
        return ObjectStoreTransport(self._outbox, peer)

    def enter(self, line: Line, whom: str) -> None:
        """Serves a lane that another has opened, on threads of its own.

        Args:
          line: The connection, whose ends have proved themselves.
          whom: Who is at the other end; a device by its full name.
        """
        self._steps.opened(self._service.accept(line, whom))

    def _serve_lane(self, lane: Lane, message: Message) -> deque[Thunk]:
        return self._steps.serve(lane, message)

    def _lane_closed(self, lane: Lane) -> None:
        self._steps.closed(lane)
        self._peers.lost(lane)

    def _register(self, message: RegisterGraph) -> GraphRegistered:
        graph = import_graph(parse_graph(message.graph), partition=True)
        if message.isolated:
            self._device.isolate(message.session)
        self._outbox.forget_peers()
        self._peers.meet(message.peers)
        part = self._device.register(graph, message.session, message.options)
        return GraphRegistered(part.plan, (part,))

    def _deregister(self, message: DeregisterPlan) -> None:
        self._device.deregister(message.plan)

    def _close_session(self, message: CloseSession) -> None:
        self._device.close_session(message.session)
        self.calls.forget_session(message.session)

    def _reset(self, message: ResetContainers) -> None:
        self._device.resources.clear(message.containers)

    def _find_push(self, peer: str) -> Push:
        return partial(self._peer(peer).call, "push")

    def _peer(self, device: str) -> RemoteActor:
        return RemoteActor(device_name(self._cluster, device), device)

    def _sending_failed(self, step: int, peer: str, error: OpError) -> None:
        """Stops a step; where it goes on, the session stops it when it hears of this.

        The peer that waits for the value is told, too, if it can be reached by calls.
        """
        self._steps.lost(step, error)
        try:
            report = ErrorReport.from_exception(error)
            self._peer(peer).tell(AbortStep(step, report))
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
