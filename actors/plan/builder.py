"""Binds a partition: each node gets its kernel, each value a slot."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dataflow.actors.control_flow.loop_extraction import is_extracted_loop
from dataflow.actors.nodes.binding import Adapter, Binding, CallKind
from dataflow.actors.nodes.plan_node import PlanNode
from dataflow.actors.plan.bind_node import bind_node, pass_on
from dataflow.actors.plan.bound_graph import BoundGraph
from dataflow.actors.plan.calls import bind_call, is_call
from dataflow.actors.plan.costs import estimate
from dataflow.actors.plan.edges import bind_edge, is_edge, leaves_process
from dataflow.actors.plan.functions import FunctionFinder
from dataflow.actors.plan.last_reads import (
    VARIABLES,
    LastRead,
    last_read,
    updated_variables,
    variable_of,
)
from dataflow.actors.plan.loop_calls import bind_loop
from dataflow.actors.plan.sources import Source, value_adapter
from dataflow.actors.step.dead import DEAD
from dataflow.actors.step.values import guard_feed
from dataflow.errors import InvalidArgumentError, OpError
from dataflow.passes.graphs.order import is_back_edge
from dataflow.values.node_order import NEXT_ITERATION_OPS

if TYPE_CHECKING:
    from dataflow.actors.plan.device_view import DeviceView
    from dataflow.actors.plan.plan import Plan
    from dataflow.actors.step.step import Step
    from dataflow.actors.wire.messages import PlanOptions
    from dataflow.passes.graphs.node_graph import Edge, Node, NodeGraph


class Builder:
    """Binds a partition."""

    def __init__(
        self,
        graph: NodeGraph,
        device: DeviceView,
        session: int,
        options: PlanOptions,
        loops: Mapping[int, Plan],
        flow: bool,
    ) -> None:
        """Prepares to build.

        Args:
          graph: The partition.
          device: Its device.
          session: The session whose stateful kernels the nodes share.
          options: How its plan is to be made.
          loops: The plan of each loop that is a node, by the node's id.
          flow: The partition has control flow, so that nodes may be skipped or run many times:
            each fetch is a node of its own, and constants that wait for something are too.
        """
        self._graph = graph
        self._device = device
        self._session = session
        self._options = options
        self._loops = loops
        self._flow = flow
        self._template: list[Any] = []
        self._nodes: list[PlanNode] = []
        self._predecessors: list[tuple[int, ...]] = []
        self._feeds: dict[int, tuple[int, Adapter | None]] = {}
        self._fetches: dict[int, int] = {}
        self._late_feeds: list[int] = []
        self._late_fetches: list[int] = []
        self._retained: set[int] = set()
        self._uncertain: set[int] = set()
        self._finders: dict[int, Callable[[], Any]] = {}
        """What finds the cell of each variable, by the node's id."""
        self._updated: frozenset[int] | None = None
        self._last_reads: dict[int, LastRead] = {}
        self._constants: dict[int, Any] = {}
        self._origins: list[tuple[Node, PlanNode]] = []
        self._given: dict[int, int] = {}
        self._late_constants: dict[int, int] = {}
        self._slots: dict[tuple[int, int], int] = {}
        """Slot of each value, by node id and output."""
        self._positions: dict[int, int] = {}
        """Position in the plan of each node, by id; constants and feeds that wait for nothing
        have none."""
        self._in_host: dict[int, tuple[bool, ...]] = {}
        self._bytes: dict[int, float] = {}
        self._functions = FunctionFinder(graph, device, session, options)
        self._indices = itertools.count()

    def build(self) -> BoundGraph:
        """Binds all nodes.

        Raises:
          OpError: A node has no kernel, or its kernel refuses it; names the node.
        """
        self._add_all()
        return BoundGraph(
            self._template,
            self._nodes,
            self._predecessors,
            self._feeds,
            dict(sorted(self._fetches.items())),
            tuple(self._late_feeds),
            tuple(self._late_fetches),
            frozenset(self._retained),
            frozenset(self._uncertain),
            self._constants,
            self._origins,
            self._given,
            self._late_constants,
            tuple(self._last_reads.items()),
        )

    def _add_all(self) -> None:
        for node in topological_order(self._graph):
            self._add_named(node)

    def _add_named(self, node: Node) -> None:
        """Adds a node; an error names it."""
        try:
            self._add(node)
        except OpError as error:
            if error.node_def is None and "{{node" not in error.message:
                error._message += f"\n\t [[{{{{node {node.name}}}}}]]"
            raise

    def _add(self, node: Node) -> None:
        if node.op == "_Arg" and not self._options.piecewise:
            self._add_feed(node)
            return
        data = node.data_edges()
        sources = [self._source(e.src, e.src_output) for e in data]
        inputs = tuple(self._slot(e.src, e.src_output) for e in data)
        before = self._before(node.in_edges)
        if node.op == "_Retval":
            self._add_fetch(node, sources[0], inputs[0], before)
        elif node.op == "Const":
            self._add_constant(node, before)
        else:
            self._add_call(node, self._bind(node, sources), sources, inputs, before)

    def _bind(self, node: Node, sources: Sequence[Source]) -> Binding:
        if node.op == "_Arg":
            self._late_feeds.append(node.attrs["index"])
            return _bind_late_feed(node, self._device)
        if is_edge(node):
            return bind_edge(node, sources, self._device)
        if is_extracted_loop(node):
            return bind_loop(node, sources, self._device, self._loops[node.id])
        if is_call(node):
            return bind_call(node, sources, self._device, self._session, self._graph, self._options)
        return bind_node(node, sources, self._device, self._session, self._functions)

    def _add_call(
        self,
        node: Node,
        binding: Binding,
        sources: Sequence[Source],
        inputs: tuple[int, ...],
        before: set[int],
    ) -> None:
        if node.op in VARIABLES:
            self._finders[node.id] = binding.call
        names = tuple(f"{s.node.name}:{s.output}" if s.output else s.node.name for s in sources)
        added = self._made(node, binding, inputs, names)
        if sources and any(dtype._is_ref_dtype for dtype in node.input_types):
            takes = zip(inputs, node.data_edges(), strict=True)
            added.changes = tuple(
                slot for slot, edge in takes if node.input_types[edge.dst_input]._is_ref_dtype
            )
        used = {edge.src_output for edge in node.out_edges if edge.src_output >= 0}
        self._in_host[node.id] = binding.host_outputs
        added.outputs = tuple(
            self._slot(node, i) if i in used else -1 for i in range(len(binding.host_outputs))
        )
        known = [self._bytes.get(source.node.id, 0.0) for source in sources]
        estimated, self._bytes[node.id] = estimate(node, known)
        if binding.cost is None:
            added.cost = estimated
        self._append(node, added, before)
        if is_edge(node) and leaves_process(node, self._device):
            maker = self._positions.get(sources[0].node.id)
            if maker is not None:
                self._nodes[maker].leaves = True

    def _made(
        self,
        node: Node,
        binding: Binding,
        inputs: tuple[int, ...],
        sources: tuple[str, ...] = (),
    ) -> PlanNode:
        return PlanNode(next(self._indices), node.name, node.op, binding, inputs, sources)

    def _order(self, node: Node, inputs: tuple[int, ...] = ()) -> PlanNode:
        """A node that needs no code."""
        return self._made(node, Binding(pass_on, CallKind.NOTHING), inputs)

    def _before(self, edges: Iterable[Edge]) -> set[int]:
        """Positions of the nodes that edges come from."""
        return {self._positions[e.src.id] for e in edges if e.src.id in self._positions}

    def _append(self, node: Node, added: PlanNode, before: set[int]) -> None:
        self._origins.append((node, added))
        self._positions[node.id] = len(self._nodes)
        self._predecessors.append(tuple(sorted(before)))
        self._nodes.append(added)

    def _add_feed(self, node: Node) -> None:
        slot = self._given[node.id] = self._slot(node, 0)
        in_host, to_device = _value_memory(node, "T", self._device)
        self._in_host[node.id] = (in_host,)
        self._feeds[node.attrs["index"]] = slot, to_device

    def _add_constant(self, node: Node, before: set[int]) -> None:
        value = guard_feed(node.attrs["value"])
        in_host, to_device = _value_memory(node, "dtype", self._device)
        self._in_host[node.id] = (in_host,)
        self._bytes[node.id] = float(value.nbytes)
        slot = self._slot(node, 0)
        self._template[slot] = value if to_device is None else to_device(value)
        self._constants[slot] = self._template[slot]
        if not before and not (self._flow and node.in_edges):
            self._given[node.id] = slot
        else:
            self._late_constants[node.id] = slot
            # The constant is there already, but who uses it also waits for its control inputs.
            self._append(node, self._order(node), before)

    def _add_fetch(self, node: Node, source: Source, slot: int, before: set[int]) -> None:
        index = node.attrs["index"]
        producer = source.node
        # With control flow a value may have come a long way from its producer.
        if self._flow or any(_holds_on(edge.dst) for edge in producer.out_edges):
            self._retained.add(index)
        adapter = value_adapter(source, True, self._device)
        if self._options.piecewise:
            self._late_fetches.append(index)
            binding = Binding(_late_fetch(index), CallKind.STEP, (adapter,))
        elif adapter is None and not self._flow:
            self._fetches[index] = slot
            return
        else:
            binding = Binding(pass_on, CallKind.PLAIN, (adapter,))
        added = self._made(node, binding, (slot,), (producer.name,))
        if not self._options.piecewise:
            self._fetches[index] = self._slot(node, 0)
            added.outputs = (self._fetches[index],)
            if self._flow:
                self._template[added.outputs[0]] = DEAD
            if adapter is not None and not source.output:
                self._read_last(self._fetches[index], producer, adapter)
        self._append(node, added, before)

    def _read_last(self, slot: int, producer: Node, adapter: Adapter) -> None:
        """Fetches what a variable holds at the end if the step changes it."""
        variable = variable_of(producer)
        find = None if variable is None else self._finders.get(variable.id)
        if variable is None or find is None:
            return
        if self._updated is None:
            self._updated = updated_variables(self._graph)
        if variable.id in self._updated:
            self._last_reads[slot] = last_read(find, adapter)

    def _source(self, node: Node, output: int) -> Source:
        known = self._in_host.get(node.id)
        if known is None:
            # The way back to the start of a loop: the node has not been bound yet.
            assert node.op in NEXT_ITERATION_OPS
            known = (_value_memory(node, "T", self._device)[0],)
        return Source(node, output, known[output])

    def _slot(self, node: Node, output: int) -> int:
        """The slot of a value; new if nobody has asked for it before."""
        slot = self._slots.get((node.id, output))
        if slot is None:
            slot = self._slots[node.id, output] = len(self._template)
            self._template.append(None)
        return slot


def topological_order(graph: NodeGraph) -> list[Node]:
    """The nodes in an order in which they can run, close to that in which they were made.

    Sends go first, so that other devices wait no longer than they must. Loops are cut at the way
    back from NextIteration to Merge.

    Raises:
      InvalidArgumentError: The graph has a cycle that is no loop.
    """
    if graph.is_sorted and not any(node.op == "_Send" for node in graph.nodes()):
        return list(graph.nodes())
    waiting: dict[int, int] = {}
    ready: list[tuple[bool, int, Node]] = []
    source = graph.source
    nodes = list(graph.nodes())
    for node in nodes:
        waiting[node.id] = sum(
            edge.src is not source and not is_back_edge(edge.src, node) for edge in node.in_edges
        )
        if not waiting[node.id]:
            ready.append((node.op != "_Send", node.id, node))
    heapq.heapify(ready)
    order: list[Node] = []
    while ready:
        node = heapq.heappop(ready)[2]
        order.append(node)
        for edge in node.out_edges:
            if edge.dst.id in waiting and not is_back_edge(node, edge.dst):
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
