"""MasterCore: the graph of each session, and the passes that make step plans of it."""

from __future__ import annotations

import itertools
import sys
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import dataflow.ops  # noqa: F401  (the op schemas must be there before a graph is imported)
from dataflow.actors.evaluate import evaluate_node, supports
from dataflow.actors.messages import DevicePart, GraphRegistered, StepPlan
from dataflow.device_info import DeviceInfo
from dataflow.errors import CancelledError, OpError
from dataflow.kernels import registry
from dataflow.passes.cse import cse
from dataflow.passes.fold import fold
from dataflow.passes.import_graph import extend
from dataflow.passes.node_graph import NodeGraph
from dataflow.passes.place import place
from dataflow.passes.prune import prune
from dataflow.passes.split import split_by_worker
from dataflow.proto.config_pb2 import ConfigProto, OptimizerOptions
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.runtime import StepSignature

MAX_PLANS: Final = 1024
"""Plans a session keeps; beyond, the least recently prepared is freed."""


class WorkerPort(Protocol):
    """A worker as the master reaches it."""

    def register(self, graph: NodeGraph, session: int, piecewise: bool = False) -> GraphRegistered:
        """Builds the plans of the part of the graph that is this worker's."""

    def deregister(self, handle: int) -> None:
        """Frees the plans of a graph."""

    def close_session(self, session: int) -> None:
        """Cancels a session's steps and frees its plans."""


@dataclass(slots=True)
class _Prepared:
    """A step plan with what the workers hold for it."""

    plan: StepPlan
    handles: dict[str, int]
    """By task the worker's handle."""
    graphs: list[NodeGraph]
    uses: int = 0


@dataclass(slots=True)
class _Session:
    """What the master keeps of a session."""

    config: ConfigProto
    graph: NodeGraph = field(default_factory=NodeGraph)
    placed: dict[str, str] = field(default_factory=dict)
    """Device of each stateful node: it stays where its state is."""
    plans: OrderedDict[tuple[Any, ...], _Prepared] = field(default_factory=OrderedDict)
    lock: threading.RLock = field(default_factory=threading.RLock)
    closed: bool = False


class MasterCore:
    """Compiles and registers step plans. Never part of a step itself."""

    def __init__(self, workers: Mapping[str, WorkerPort], devices: Sequence[DeviceInfo]) -> None:
        """Makes a master without sessions.

        Args:
          workers: The workers by task, "/job:worker/replica:0/task:0".
          devices: The devices of all workers.
        """
        self._workers = dict(workers)
        self._devices = tuple(devices)
        self._sessions: dict[int, _Session] = {}
        self._numbers = itertools.count(1)
        self._handles = itertools.count(1)

    @property
    def devices(self) -> tuple[DeviceInfo, ...]:
        """The devices of all workers."""
        return self._devices

    def create_session(self, config: ConfigProto) -> int:
        """Opens a session and returns its number."""
        number = next(self._numbers)
        self._sessions[number] = _Session(config)
        if config.log_device_placement:
            lines = "".join(f"{d.name} -> {d.device_type} device\n" for d in self._devices)
            sys.stdout.write(f"Device mapping:\n{lines}")
        return number

    def extend_session(self, session: int, graph_def: GraphDef) -> None:
        """Adds nodes to a session's graph, and places them.

        Raises:
          InvalidArgumentError: The GraphDef is malformed, or a node cannot be placed; the graph
            stays as it was.
        """
        state = self._session(session)
        with state.lock:
            extend(state.graph, graph_def)

    def prepare(
        self, session: int, signature: StepSignature, piecewise: bool = False
    ) -> StepPlan:
        """The step plan of a signature, made and registered if there is none; counts one use.

        Raises:
          OpError: The graph cannot be pruned, placed or bound for it.
        """
        state = self._session(session)
        key = (signature.feeds, signature.fetches, frozenset(signature.targets), piecewise)
        with state.lock:
            prepared = state.plans.get(key)
            if prepared is None:
                prepared = state.plans[key] = self._prepare(session, state, signature, piecewise)
                if len(state.plans) > MAX_PLANS:
                    self._free(state.plans.popitem(last=False)[1])
            state.plans.move_to_end(key)
            prepared.uses += 1
            return prepared.plan

    def release(self, session: int, handle: int) -> None:
        """Takes back one use of a step plan; frees it after the last one."""
        state = self._sessions.get(session)
        if state is None:
            return
        with state.lock:
            for key, prepared in state.plans.items():
                if prepared.plan.handle == handle:
                    prepared.uses -= 1
                    if prepared.uses <= 0:
                        del state.plans[key]
                        self._free(prepared)
                    return

    def close_session(self, session: int) -> None:
        """Cancels a session's steps and frees all it has; a second call does nothing."""
        state = self._sessions.pop(session, None)
        if state is not None:
            state.closed = True
            for worker in self._workers.values():
                worker.close_session(session)

    def _session(self, number: int) -> _Session:
        state = self._sessions.get(number)
        if state is None:
            raise CancelledError(None, None, "Session has been closed.")
        return state

    def _prepare(
        self, session: int, state: _Session, signature: StepSignature, piecewise: bool
    ) -> _Prepared:
        raise NotImplementedError

    def _free(self, prepared: _Prepared) -> None:
        for task, handle in prepared.handles.items():
            self._workers[task].deregister(handle)
