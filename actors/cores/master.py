"""MasterCore: the graph of each session, and the passes that make step plans of it."""

from __future__ import annotations

import itertools
import sys
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, Protocol

from dataflow.actors.plan.evaluate import evaluate_node, supports
from dataflow.actors.threads.fan_out import FanOut, one_by_one
from dataflow.actors.wire.messages import KEPT_BYTES, GraphRegistered, PlanOptions, StepPlan
from dataflow.errors import CancelledError, InternalError
from dataflow.kernels.contract import registry
from dataflow.passes.collectives import join_collectives
from dataflow.passes.control_flow.call_graph import keep_called_functions
from dataflow.passes.control_flow.check import check_control_flow
from dataflow.passes.control_flow.control_loop import add_control_loops
from dataflow.passes.control_flow.function_fit import check_executor, check_fit
from dataflow.passes.control_flow.lower import lower
from dataflow.passes.graphs.export_graph import to_graph_def
from dataflow.passes.graphs.import_graph import extend
from dataflow.passes.graphs.node_graph import Node, NodeGraph
from dataflow.passes.optimize import (
    is_switched_on,
    loosely_shaped,
    merge_early,
    note_feed_shapes,
    optimize,
)
from dataflow.passes.placement.place import PlaceOptions, place
from dataflow.passes.placement.split import SplitLevel, split_by_device, split_by_worker, task_of
from dataflow.passes.prune import prune
from dataflow.passes.watches import watch
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.rewriter_config_pb2 import RewriterConfig
from dataflow.records.dumps import dump_graph
from dataflow.runtime.signature import StepSignature
from dataflow.values.device_info import DeviceInfo

MAX_PLANS: Final = 1024
"""Plans a session keeps; beyond, the least recently prepared is freed."""


class WorkerPort(Protocol):
    """A worker as the master reaches it."""

    def register(self, graph: NodeGraph, session: int, options: PlanOptions) -> GraphRegistered:
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
    uses: int = 0
    stale: bool = False
    """A task that it needs was started again, and knows nothing of it."""


@dataclass(slots=True)
class _Session:
    """What the master keeps of a session."""

    config: ConfigProto
    devices: tuple[DeviceInfo, ...]
    graph: NodeGraph = field(default_factory=NodeGraph)
    stateful: dict[str, str] = field(default_factory=dict)
    """Device of each stateful node that has been placed: it stays where its state is."""
    loosely_shaped: set[str] = field(default_factory=set)
    """Names of the variables that may hold values of other shapes than they declare."""
    plans: OrderedDict[tuple[Any, ...], _Prepared] = field(default_factory=OrderedDict)
    lock: threading.RLock = field(default_factory=threading.RLock)
    closed: bool = False


class MasterCore:
    """Compiles and registers step plans. Never part of a step itself."""

    def __init__(
        self,
        workers: Mapping[str, WorkerPort],
        devices: Sequence[DeviceInfo] = (),
        numbers: Iterator[int] | None = None,
        fan_out: FanOut = one_by_one,
        split_level: SplitLevel = SplitLevel.IN_PROCESS,
    ) -> None:
        """Makes a master without sessions.

        Args:
          workers: The workers by task, "/job:worker/replica:0/task:0".
          devices: The devices of all workers, for sessions that name none.
          numbers: Numbers for sessions, each different from those of other masters of the devices.
          fan_out: How several workers are called.
          split_level: How the workers split by device.
        """
        self._workers = dict(workers)
        self._devices = tuple(devices)
        self._sessions: dict[int, _Session] = {}
        self._numbers = itertools.count(1) if numbers is None else numbers
        self._fan_out = fan_out
        self._split_level = split_level
        self._handles = itertools.count(1)

    @property
    def devices(self) -> tuple[DeviceInfo, ...]:
        """The devices of all workers."""
        return self._devices

    def create_session(
        self, config: ConfigProto, devices: Sequence[DeviceInfo] | None = None, number: int = 0
    ) -> int:
        """Opens a session and returns its number.

        Args:
          config: Its options.
          devices: The devices it may use, first one that unplaced nodes prefer; by default all.
          number: The number of a session that a former master had; 0 for a new one.
        """
        number = number or next(self._numbers)
        seen = self._devices if devices is None else tuple(devices)
        self._sessions[number] = _Session(config, seen)
        if config.log_device_placement:
            lines = "".join(f"{d.name} -> {d.device_type} device\n" for d in seen)
            sys.stdout.write(f"Device mapping:\n{lines}")
        return number

    def extend_session(
        self,
        session: int,
        graph_def: GraphDef,
        attrs: Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        """Adds nodes to a session's graph, and places them.

        Args:
          session: The session.
          graph_def: The nodes.
          attrs: The nodes' attrs, decoded, if the GraphDef has none: those of a graph of this
            process, which need no checks.

        Raises:
          InvalidArgumentError: The GraphDef is malformed, or a node cannot be placed; the graph
            stays as it was.
        """
        state = self._session(session)
        with state.lock:
            devices = [device.name for device in state.devices]
            added = extend(state.graph, graph_def, attrs=attrs)
            added = lower(state.graph, added, devices=devices)
            state.loosely_shaped |= loosely_shaped(added)
            if state.config.graph_options.place_pruned_graph:
                return
            try:
                self._place(state, state.graph)
            except BaseException:
                for node in reversed(added):
                    state.graph.remove_node(node)
                raise

    def renew(self, session: int, tasks: Sequence[str], devices: Sequence[DeviceInfo]) -> None:
        """Takes notice of tasks that were started again: what they have a part in is made anew
        when it is prepared the next time. Nodes stay on the devices they were placed on.

        Args:
          session: The session.
          tasks: The tasks.
          devices: Their devices, as they are now.
        """
        state = self._session(session)
        by_name = {device.name: device for device in devices}
        with state.lock:
            state.devices = tuple(by_name.get(d.name, d) for d in state.devices)
            for prepared in state.plans.values():
                if not prepared.stale and not prepared.handles.keys().isdisjoint(tasks):
                    prepared.stale = True
                    for task in tasks:
                        prepared.handles.pop(task, None)
                    self._free(prepared)

    def prepare(
        self,
        session: int,
        signature: StepSignature,
        piecewise: bool = False,
        renewed: bool = False,
    ) -> StepPlan:
        """The step plan of a signature, made and registered if there is none; counts one use.

        Args:
          session: The session.
          signature: What the step is asked for.
          piecewise: The step is fed and fetched piece by piece.
          renewed: The use was counted before.

        Raises:
          OpError: The graph cannot be pruned, placed or bound for it.
        """
        state = self._session(session)
        key = _key(signature, piecewise)
        with state.lock:
            prepared = state.plans.get(key)
            if prepared is None or prepared.stale:
                uses = 0 if prepared is None else prepared.uses
                prepared = state.plans[key] = self._prepare(session, state, signature, piecewise)
                prepared.uses = uses
                if len(state.plans) > MAX_PLANS:
                    self._free(state.plans.popitem(last=False)[1])
            state.plans.move_to_end(key)
            if not renewed or not prepared.uses:
                prepared.uses += 1
            return prepared.plan

    def release(self, session: int, signature: StepSignature, piecewise: bool = False) -> None:
        """Takes back one use of a step plan; frees it after the last one."""
        state = self._sessions.get(session)
        if state is None:
            return
        key = _key(signature, piecewise)
        with state.lock:
            prepared = state.plans.get(key)
            if prepared is None:
                return
            prepared.uses -= 1
            if prepared.uses <= 0:
                del state.plans[key]
                self._free(prepared)

    def partition_graphs(self, session: int, signature: StepSignature) -> list[GraphDef]:
        """The partitions of a step as its devices run them."""
        state = self._session(session)
        with state.lock:
            graph = self._compile(state, signature)
            return [
                to_graph_def(part)
                for by_task in split_by_worker(graph, state.devices).values()
                for part in split_by_device(by_task, state.devices, self._split_level).values()
            ]

    def close_session(self, session: int) -> None:
        """Cancels a session's steps and frees all it has; a second call does nothing."""
        state = self._sessions.pop(session, None)
        if state is not None:
            state.closed = True
            tasks = dict.fromkeys(task_of(device.name) for device in state.devices)
            self._fan_out([partial(self._worker(t).close_session, session) for t in tasks])

    def _session(self, number: int) -> _Session:
        state = self._sessions.get(number)
        if state is None:
            raise CancelledError(None, None, "Session has been closed.")
        return state

    def _prepare(
        self, session: int, state: _Session, signature: StepSignature, piecewise: bool
    ) -> _Prepared:
        graph = self._compile(state, signature)
        needs = _needs(graph, len(signature.fetches)) if piecewise else ()
        partitions = split_by_worker(graph, state.devices)
        rewrites = state.config.graph_options.rewrite_options
        options = PlanOptions(
            piecewise,
            rewrites.loop_optimization != RewriterConfig.OFF,
            rewrites.remapping != RewriterConfig.OFF and is_switched_on(state.config.graph_options),
            state.config.graph_options.optimizer_options.max_folded_constant_in_bytes or KEPT_BYTES,
        )
        registered: dict[str, GraphRegistered] = {}

        def register_one(task: str, part: NodeGraph) -> None:
            registered[task] = self._worker(task).register(part, session, options)

        try:
            self._fan_out([partial(register_one, *item) for item in partitions.items()])
        except BaseException:
            for task, done in registered.items():
                self._workers[task].deregister(done.handle)
            raise
        parts = tuple(part for task in partitions for part in registered[task].parts)
        if signature.watches:
            self._dump_graphs(session, signature)
        plan = StepPlan(session, next(self._handles), parts, needs)
        return _Prepared(plan, {task: registered[task].handle for task in partitions})

    def _dump_graphs(self, session: int, signature: StepSignature) -> None:
        """Writes what the devices run beside the dumps of their tensors."""
        for graph_def in self.partition_graphs(session, replace(signature, watches=())):
            device = next((node.device for node in graph_def.node if node.device), "")
            data = graph_def.SerializeToString()
            for folder in dict.fromkeys(folder for _, folder in signature.watches):
                dump_graph(folder, device, data)

    def _compile(self, state: _Session, signature: StepSignature) -> NodeGraph:
        """The placed graph of a step."""
        check_executor(state.config.experimental.executor_type)
        graph = prune(state.graph, signature, merge_early(state.config.graph_options))
        check_fit(graph)
        keep_called_functions(graph)
        check_control_flow(graph)
        if state.config.graph_options.place_pruned_graph:
            self._place(state, graph)
        graph = join_collectives(graph)
        if signature.feeds_fit:
            note_feed_shapes(graph, state.graph, signature.feeds)
        targets = frozenset(signature.targets)
        graph = optimize(
            graph, state.config.graph_options, evaluate_node, targets, state.loosely_shaped
        )
        return add_control_loops(watch(graph, signature.watches))

    def _place(self, state: _Session, graph: NodeGraph) -> None:
        """Places the nodes that are not placed yet."""
        options = PlaceOptions(
            allow_soft_placement=state.config.allow_soft_placement,
            default_device=state.devices[0].name if state.devices else "",
        )
        new = [node for node in graph.nodes() if not node.assigned_device]
        chosen = place(graph, state.devices, supports, registry.describe, options, state.stateful)
        graph.assign(chosen)
        for node in new:
            if node.op_def.is_stateful and node.op not in ("_Arg", "_Retval"):
                state.stateful[node.name] = node.assigned_device
        if state.config.log_device_placement:
            lines = [f"{n.name}: ({n.op}): {n.assigned_device}\n" for n in new]
            sys.stdout.write("".join(lines))

    def _worker(self, task: str) -> WorkerPort:
        worker = self._workers.get(task)
        if worker is None:
            raise InternalError(None, None, f"Nodes are placed on {task}, which has no worker.")
        return worker

    def _free(self, prepared: _Prepared) -> None:
        """Frees what the workers hold for a plan."""
        while prepared.handles:
            task, handle = prepared.handles.popitem()
            self._workers[task].deregister(handle)


def _key(signature: StepSignature, piecewise: bool) -> tuple[Any, ...]:
    """What two signatures have in common if they can share a plan."""
    targets = frozenset(signature.targets)
    what = signature.feeds, signature.fetches, targets, signature.watches
    return *what, signature.feeds_fit, piecewise


def _needs(graph: NodeGraph, num_fetches: int) -> tuple[tuple[int, ...], ...]:
    """For each fetch of a pruned graph the indices of the feeds that it depends on."""
    needs: list[tuple[int, ...]] = [()] * num_fetches
    for node in graph.nodes():
        if node.op == "_Retval":
            needs[node.attrs["index"]] = tuple(sorted(_feeds_before(node)))
    return tuple(needs)


def _feeds_before(node: Node) -> set[int]:
    seen = {node}
    stack = [node]
    while stack:
        for edge in stack.pop().in_edges:
            if edge.src not in seen:
                seen.add(edge.src)
                stack.append(edge.src)
    return {found.attrs["index"] for found in seen if found.op == "_Arg"}
