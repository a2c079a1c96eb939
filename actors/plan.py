"""A partition of one device as a Plan: its nodes bound to kernels, its values in slots."""

from __future__ import annotations

import heapq
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from dataflow.actors.binding import (
    Adapter,
    Binding,
    CallKind,
    DeviceView,
    Source,
    bind_node,
    value_adapter,
)
from dataflow.actors.costs import estimate
from dataflow.actors.edges import bind_edge, is_edge
from dataflow.actors.layout import Layout
from dataflow.actors.segments import cut
from dataflow.actors.values import guard_feed
from dataflow.errors import InvalidArgumentError, OpError

if TYPE_CHECKING:
    from dataflow.actors.step import Step
    from dataflow.passes.node_graph import Node, NodeGraph

_MEASURED_RUNS: Final = 2
"""Runs that measure each node, before code is generated."""


class PlanNode:
    """A node of a plan."""

    __slots__ = (
        "adapters",
        "call",
        "cost",
        "has_declared_cost",
        "index",
        "inputs",
        "kind",
        "measured",
        "name",
        "op",
        "outputs",
        "sources",
    )

    def __init__(
        self,
        index: int,
        name: str,
        op: str,
        binding: Binding,
        inputs: tuple[int, ...],
        sources: tuple[str, ...] = (),
    ) -> None:
        self.index = index
        self.name = name
        self.op = op
        self.call = binding.call
        self.kind = binding.kind
        self.adapters = binding.adapters
        self.inputs = inputs
        """Slots of the input values."""
        self.outputs: tuple[int, ...] = ()
        """Slot of each output, -1 for one that nobody reads."""
        self.sources = sources
        """Names of the input tensors, for traces."""
        self.has_declared_cost = binding.cost is not None
        self.cost = binding.cost or 0.0
        """Seconds: declared by the kernel, or estimated until it is measured."""
        self.measured = False

    def measure(self, seconds: float) -> None:
        """Takes note of how long a run took; the first one also pays for warming up."""
        if self.has_declared_cost:
            return
        self.cost = min(self.cost, seconds) if self.measured else seconds
        self.measured = True


class Plan:
    """What one device runs in a step of one signature."""

    def __init__(
        self,
        graph: NodeGraph,
        device: DeviceView,
        session: int,
        concurrent: bool,
        piecewise: bool = False,
    ) -> None:
        """Binds the nodes of a partition and cuts them into segments.

        Args:
          graph: The partition; all its nodes are assigned to the device.
          device: The device.
          session: Session whose stateful kernels the plan shares.
          concurrent: There are threads to run costly segments at the same time.
          piecewise: Feeds arrive one by one while the step runs, and fetches are handed out one
            by one.

        Raises:
          OpError: A node has no kernel, or its kernel refuses it; names the node.
        """
        self.session = session
        self.template: list[Any] = []
        """The slots at the start of a step: constants in their places."""
        self.feeds: dict[int, int] = {}
        """Slot of each feed, by its index in the signature."""
        self.feed_adapters: dict[int, Adapter] = {}
        self.fetches: dict[int, int] = {}
        """Slot of each fetch, by its index in the signature."""
        self.late_feeds: tuple[int, ...] = ()
        """Indices of the feeds that arrive while the step runs."""
        self.late_fetches: tuple[int, ...] = ()
        """Indices of the fetches that are handed out while the step runs."""
        self.retained: set[int] = set()
        """Fetches that something else may hold on to, by index: they are copied for the user."""
        self.nodes: list[PlanNode] = []
        self._lock = threading.Lock()
        self._runs = 0
        # Work that is only handed to a device does not overlap any better on more threads.
        self._concurrent = concurrent and not device.device_type.asynchronous
        builder = _Builder(self, graph, device, piecewise)
        self._predecessors = builder.build()
        # In the order of the signature, so that a lone device's fetches need no sorting.
        self.fetches = dict(sorted(self.fetches.items()))
        self._fetched = frozenset(self.fetches.values())
        self.layout = self._lay_out(compiled=False)
        self.is_straight = _is_straight(self.layout)
        """True if the plan is one segment of straight-line code."""
        self._by_node = self.layout

    @property
    def measuring(self) -> bool:
        """True while runs measure the nodes; then `note_run` wants to know of each."""
        return self._runs < _MEASURED_RUNS

    def traced_layout(self) -> Layout:
        """The layout that runs nodes one by one, for traces."""
        return self._by_node

    def note_run(self) -> None:
        """Counts a run; once the nodes are measured, cuts the plan anew and generates its code."""
        with self._lock:
            self._runs += 1
            if self._runs == _MEASURED_RUNS:
                layout = self._lay_out(compiled=True)
                # A thread that reads the two one after the other must not take a plan for a
                # straight one that is not.
                self.is_straight = self.is_straight and _is_straight(layout)
                self.layout = layout
                self.is_straight = _is_straight(layout)

    def _lay_out(self, compiled: bool) -> Layout:
        blocking = [node.kind is CallKind.BLOCKING for node in self.nodes]
        costs = [node.cost for node in self.nodes]
        groups = cut(self._predecessors, blocking, costs, self._concurrent)
        return Layout(self.nodes, groups, self._fetched, compiled)


def _is_straight(layout: Layout) -> bool:
    return len(layout.segments) == 1 and layout.segments[0].node is None


class _Builder:
    """Fills a plan from its partition."""

    def __init__(self, plan: Plan, graph: NodeGraph, device: DeviceView, piecewise: bool) -> None:
        self._plan = plan
        self._graph = graph
        self._device = device
        self._piecewise = piecewise
        self._slots: dict[tuple[int, int], int] = {}
        """Slot of each value, by node id and output."""
        self._positions: dict[int, int] = {}
        """Position in the plan of each node, by id; constants and feeds that wait for nothing
        have none."""
        self._in_host: dict[int, tuple[bool, ...]] = {}
        self._bytes: dict[int, float] = {}
        self._predecessors: list[tuple[int, ...]] = []

    def build(self) -> list[tuple[int, ...]]:
        """Adds all nodes; returns for each the positions of the nodes it follows."""
        for node in topological_order(self._graph):
            try:
                self._add(node)
            except OpError as error:
                if error.node_def is None and "{{node" not in error.message:
                    error._message += f"\n\t [[{{{{node {node.name}}}}}]]"
                raise
        return self._predecessors

    def _add(self, node: Node) -> None:
        if node.op == "_Arg" and not self._piecewise:
            self._add_feed(node)
            return
        data = node.data_edges()
        sources = [self._source(e.src, e.src_output) for e in data]
        inputs = tuple(self._slots[e.src.id, e.src_output] for e in data)
        before = {self._positions[e.src.id] for e in node.in_edges if e.src.id in self._positions}
        if node.op == "_Retval":
            self._add_fetch(node, sources[0], inputs[0], before)
        elif node.op == "Const":
            self._add_constant(node, before)
        else:
            self._add_call(node, self._bind(node, sources), sources, inputs, before)

    def _bind(self, node: Node, sources: Sequence[Source]) -> Binding:
        if node.op == "_Arg":
            self._plan.late_feeds += (node.attrs["index"],)
            return _bind_late_feed(node, self._device)
        if is_edge(node):
            return bind_edge(node, sources, self._device)
        return bind_node(node, sources, self._device, self._plan.session)

    def _add_call(
        self,
        node: Node,
        binding: Binding,
        sources: Sequence[Source],
        inputs: tuple[int, ...],
        before: set[int],
    ) -> None:
        names = tuple(f"{s.node.name}:{s.output}" if s.output else s.node.name for s in sources)
        added = PlanNode(len(self._plan.nodes), node.name, node.op, binding, inputs, names)
        used = {edge.src_output for edge in node.out_edges if edge.src_output >= 0}
        self._in_host[node.id] = binding.host_outputs
        added.outputs = tuple(
            self._new_slot(node, i) if i in used else -1 for i in range(len(binding.host_outputs))
        )
        known = [self._bytes.get(source.node.id, 0.0) for source in sources]
        estimated, self._bytes[node.id] = estimate(node, known)
        if binding.cost is None:
            added.cost = estimated
        self._append(node, added, before)

    def _append(self, node: Node, added: PlanNode, before: set[int]) -> None:
        self._positions[node.id] = added.index
        self._predecessors.append(tuple(sorted(before)))
        self._plan.nodes.append(added)

    def _add_feed(self, node: Node) -> None:
        index = node.attrs["index"]
        self._plan.feeds[index] = self._new_slot(node, 0)
        in_host, to_device = _value_memory(node, "T", self._device)
        self._in_host[node.id] = (in_host,)
        if to_device is not None:
            self._plan.feed_adapters[index] = to_device

    def _add_constant(self, node: Node, before: set[int]) -> None:
        value = guard_feed(node.attrs["value"])
        in_host, to_device = _value_memory(node, "dtype", self._device)
        self._in_host[node.id] = (in_host,)
        self._bytes[node.id] = float(value.nbytes)
        slot = self._new_slot(node, 0)
        self._plan.template[slot] = value if to_device is None else to_device(value)
        if before:
            # The constant is there already, but who uses it also waits for its control inputs.
            order = Binding(_pass, CallKind.NOTHING)
            self._append(
                node, PlanNode(len(self._plan.nodes), node.name, node.op, order, ()), before
            )

    def _add_fetch(self, node: Node, source: Source, slot: int, before: set[int]) -> None:
        index = node.attrs["index"]
        producer = source.node
        if any(_holds_on(edge.dst) for edge in producer.out_edges):
            self._plan.retained.add(index)
        adapter = value_adapter(source, True, self._device)
        if self._piecewise:
            self._plan.late_fetches += (index,)
            binding = Binding(_late_fetch(index), CallKind.STEP, (adapter,))
        elif adapter is None:
            self._plan.fetches[index] = slot
            return
        else:
            binding = Binding(_pass, CallKind.PLAIN, (adapter,))
        added = PlanNode(
            len(self._plan.nodes), node.name, node.op, binding, (slot,), (producer.name,)
        )
        if not self._piecewise:
            self._plan.fetches[index] = self._new_slot(node, 0)
            added.outputs = (self._plan.fetches[index],)
        self._append(node, added, before)

    def _source(self, node: Node, output: int) -> Source:
        return Source(node, output, self._in_host[node.id][output])

    def _new_slot(self, node: Node, output: int) -> int:
        slot = self._slots[node.id, output] = len(self._plan.template)
        self._plan.template.append(None)
        return slot


def topological_order(graph: NodeGraph) -> list[Node]:
    """The nodes in an order in which they can run, close to that in which they were made.

    Sends go first, so that other devices wait no longer than they must.

    Raises:
      InvalidArgumentError: The graph has a cycle.
    """
    waiting: dict[int, int] = {}
    ready: list[tuple[bool, int, Node]] = []
    source = graph.source
    nodes = list(graph.nodes())
    for node in nodes:
        waiting[node.id] = sum(edge.src is not source for edge in node.in_edges)
        if not waiting[node.id]:
            ready.append((node.op != "_Send", node.id, node))
    heapq.heapify(ready)
    order: list[Node] = []
    while ready:
        node = heapq.heappop(ready)[2]
        order.append(node)
        for edge in node.out_edges:
            if edge.dst.id in waiting:
                waiting[edge.dst.id] -= 1
                if not waiting[edge.dst.id]:
                    heapq.heappush(ready, (edge.dst.op != "_Send", edge.dst.id, edge.dst))
    if len(order) < len(nodes):
        stuck = min((n for n in nodes if waiting[n.id]), key=lambda n: n.id)
        raise InvalidArgumentError(
            None,
            None,
            f"The graph couldn't be sorted in topological order: node {stuck.name} "
            "is on a cycle or behind one.",
        )
    return order


def _holds_on(node: Node) -> bool:
    """True if a node may keep its inputs beyond the step or hand them to another device."""
    return node.op_def.is_stateful


def _pass(value: Any) -> Any:
    return value


def _value_memory(node: Node, dtype_attr: str, device: DeviceView) -> tuple[bool, Adapter | None]:
    """Whether a value is kept in host memory, and else how it gets from there to the device."""
    to_device, index = device.device_type.to_device, device.index
    if to_device is None or device.device_type.keeps_in_host_memory(node.attrs[dtype_attr]):
        return True, None
    return False, lambda value: to_device(value, index)


def _bind_late_feed(node: Node, device: DeviceView) -> Binding:
    key = late_feed_key(node.attrs["index"])
    in_host, to_device = _value_memory(node, "T", device)

    def receive(step: Step, done: Callable[..., None]) -> None:
        def arrived(value: Any, dead: bool, error: OpError | None) -> None:
            if error is not None:
                done(error=error)
            else:
                done(to_device(value) if to_device is not None else value)

        step.rendezvous.recv(key, arrived)

    return Binding(receive, CallKind.BLOCKING, (), (in_host,))


def late_feed_key(index: int) -> str:
    """Rendezvous key under which a feed of a piecewise step arrives."""
    return f"_arg;{index}"


def _late_fetch(index: int) -> Callable[[Step, Any], None]:
    def hand_out(step: Step, value: Any) -> None:
        assert step.on_fetch is not None
        step.on_fetch(index, value)

    return hand_out
