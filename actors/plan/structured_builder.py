"""Binds a partition whose loops and branches are known: guards and loop nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from dataflow.actors.control_flow.guards import Guard
from dataflow.actors.control_flow.structure import SWITCHES, Block, Loop, Structure
from dataflow.actors.nodes.binding import Adapter, Binding, CallKind
from dataflow.actors.nodes.loop_node import LoopNode, slots_read
from dataflow.actors.nodes.plan_node import Condition, PlanNode
from dataflow.actors.nodes.predicates import branch_number
from dataflow.actors.plan.bind_node import pass_on
from dataflow.actors.plan.builder import Builder
from dataflow.actors.plan.calls import is_call
from dataflow.actors.plan.device_view import DeviceView
from dataflow.actors.plan.edges import bind_edge
from dataflow.actors.plan.sources import Source, passes_cells, referred, value_adapter
from dataflow.actors.step.dead import DEAD
from dataflow.kernels.contract import registry
from dataflow.values.node_order import MERGE_OPS

if TYPE_CHECKING:
    from dataflow.actors.wire.messages import PlanOptions
    from dataflow.passes.graphs.node_graph import Edge, Node, NodeGraph

_SENDS: Final = frozenset({"_Send", "_HostSend"})
_PASSING: Final = SWITCHES | {"LoopCond", "Identity", "RefIdentity"}


class StructuredBuilder(Builder):
    """Binds a partition whose nodes run under guards, loops as nodes of their own.

    What only passes values on needs no code: its output has the slot of its input.
    """

    def __init__(
        self,
        graph: NodeGraph,
        device: DeviceView,
        session: int,
        options: PlanOptions,
        structure: Structure,
    ) -> None:
        super().__init__(graph, device, session, options, loops={}, flow=True)
        self._structure = structure
        self._retains = any(
            node.op_def.is_stateful and node.op not in ("_Arg", "_Retval") for node in graph.nodes()
        )
        self._numbers = {
            (predicate.node.id, predicate.output): number
            for number, predicate in enumerate(structure.predicates)
        }
        self._conditions: dict[int, Condition] = {}
        """By predicate number; of branch 0."""
        self._filled_at: dict[int, int] = {}
        """Position in the block that is being filled of the node that fills a predicate's slot."""

    def _add_all(self) -> None:
        self._add_block(self._structure.block)

    def _add_block(self, block: Block) -> None:
        for item in block.items:
            if isinstance(item, Loop):
                if item.guard is not None:
                    self._add_loop(item)
            elif self._structure.guards[item.id] is not None:
                self._add_named(item)
                self._add_conditions(item)
            elif item.op in _SENDS:
                self._add_send(item, None)
            elif item.op == "_Retval":
                self._fetches[item.attrs["index"]] = self._uncertain_slot(item)

    def _add(self, node: Node) -> None:
        guard = self._structure.guards[node.id]
        assert guard is not None
        if node.op in MERGE_OPS:
            self._add_merge(node)
        elif node.op == "ControlTrigger":
            self._append(node, self._order(node), self._before(node.in_edges))
        elif node.op in _SENDS and guard:
            self._add_send(node, guard)
        elif node.op in _PASSING and (
            node.op != "Identity" or referred(self._source_of(node.data_edges()[0])) is None
        ):
            self._add_passing(node, guard)
        else:
            super()._add(node)

    def _append(self, node: Node, added: PlanNode, before: set[int]) -> None:
        if not added.guard:
            added.guard = self._guard(self._structure.guards[node.id] or ())
        super()._append(node, added, before | self._fillers(test.slot for test in added.guard))

    def _fillers(self, slots: Iterable[int]) -> set[int]:
        """Positions of the nodes that fill those of the slots that are predicates of this block."""
        return {self._filled_at[slot] for slot in slots if slot in self._filled_at}

    def _guard(self, guard: Guard) -> tuple[Condition, ...]:
        return tuple(self._conditions[number]._replace(branch=branch) for number, branch in guard)

    def _source_of(self, edge: Edge) -> Source:
        return self._source(edge.src, edge.src_output)

    def _uncertain_slot(self, node: Node) -> int:
        slot = self._slot(node, 0)
        self._template[slot] = DEAD
        self._uncertain.add(slot)
        return slot

    def _move(
        self,
        node: Node,
        guard: Guard,
        sources: Sequence[int],
        adapters: Sequence[Adapter | None],
        targets: Sequence[int],
        kind: CallKind = CallKind.MOVE,
    ) -> PlanNode:
        binding = Binding(pass_on, kind, tuple(adapters))
        moved = self._made(node, binding, tuple(sources))
        moved.outputs = tuple(targets)
        moved.guard = self._guard(guard)
        return moved

    def _add_passing(self, node: Node, guard: Guard) -> None:
        """Adds a node whose outputs are its input."""
        edge = node.data_edges()[0]
        in_host = self._source_of(edge).in_host
        slot = self._passed(node, edge, guard, in_host)
        for output in range(len(node.output_types)):
            self._slots[node.id, output] = slot
        self._in_host[node.id] = (in_host,) * len(node.output_types)
        self._bytes[node.id] = self._bytes.get(edge.src.id, 0.0)
        before = self._before(node.in_edges)
        if node.id in self._positions:
            before.add(self._positions[node.id])
        self._append(node, self._order(node, (slot,)), before)

    def _passed(self, node: Node, edge: Edge, guard: Guard, in_host: bool) -> int:
        """The slot of what a node passes on: where a variable comes, it is read here, but for
        what is the same in all iterations of a loop."""
        slot = self._slot(edge.src, edge.src_output)
        adapter = self._value_adapter(node, edge, in_host)
        if adapter is None or (passes_cells(node) and referred(self._source_of(edge)) is not None):
            return slot
        read = self._new_slot()
        moved = self._move(node, guard, [slot], [adapter], [read])
        self._append(node, moved, self._before(node.in_edges))
        return read

    def _new_slot(self) -> int:
        self._template.append(None)
        return len(self._template) - 1

    def _add_merge(self, node: Node) -> None:
        """Adds a move for each branch that may arrive."""
        controls = self._before(node.control_edges())
        wanted = self._value_in_host(node)
        self._in_host[node.id] = (wanted, True)
        target = self._slot(node, 0)
        counted = any(edge.src_output == 1 for edge in node.out_edges)
        moves: set[int] = set()
        for edge in node.data_edges():
            alive = self._structure.edge_guard(edge)
            if alive is None:
                continue
            sources, targets = [self._slot(edge.src, edge.src_output)], [target]
            adapters = [self._value_adapter(node, edge, wanted)]
            if counted:
                sources.append(self._new_slot())
                self._template[sources[1]] = np.int32(edge.dst_input)
                targets.append(self._slot(node, 1))
                adapters.append(None)
            moved = self._move(node, alive, sources, adapters, targets)
            moves.add(len(self._nodes))
            self._append(node, moved, controls | self._before([edge]))
            size = self._bytes.get(edge.src.id, 0.0)
            self._bytes[node.id] = max(size, self._bytes.get(node.id, 0.0))
        self._append(node, self._order(node), moves | controls)

    def _value_adapter(self, node: Node, edge: Edge, in_host: bool) -> Adapter | None:
        """What makes of a source the value that a node keeps there."""
        if node.input_types[edge.dst_input]._is_ref_dtype:
            return None
        return value_adapter(self._source_of(edge), in_host, self._device)

    def _next_adapter(self, merge: Node, edge: Edge) -> Adapter | None:
        """What makes a loop variable's next value of a source: a variable is read, but for loops
        over the variable itself."""
        if merge.output_types[0]._is_ref_dtype:
            return None
        return value_adapter(self._source_of(edge), self._in_host[merge.id][0], self._device)

    def _value_in_host(self, node: Node) -> bool:
        device_type = self._device.device_type
        return device_type.is_host or device_type.keeps_in_host_memory(node.attrs["T"])

    def _add_send(self, node: Node, guard: Guard | None) -> None:
        """Adds a Send that runs always: what was not filled it sends as dead."""
        (edge,) = node.data_edges()
        before = self._before(node.in_edges)
        slot = self._uncertain_slot(node)
        if guard is None:
            binding = bind_edge(node, [Source(edge.src, edge.src_output, True)], self._device)
        else:
            binding = bind_edge(node, [self._source_of(edge)], self._device)
            from_slot = self._slot(edge.src, edge.src_output)
            moved = self._move(node, guard, [from_slot], binding.adapters, [slot])
            before = {len(self._nodes)}
            self._append(node, moved, self._before(node.in_edges))
        call = partial(_send_if_filled, binding.call)
        sending = Binding(call, CallKind.STEP, (None,))
        added = self._made(node, sending, (slot,))
        super()._append(node, added, before)

    def _add_fetch(self, node: Node, source: Source, slot: int, before: set[int]) -> None:
        guard = self._structure.guards[node.id]
        if guard or value_adapter(source, True, self._device) is not None:
            super()._add_fetch(node, source, slot, before)
            if guard:
                self._uncertain.add(self._slot(node, 0))
        else:
            self._fetches[node.attrs["index"]] = slot
        if self._retains:
            self._retained.add(node.attrs["index"])
        else:
            self._retained.discard(node.attrs["index"])

    def _add_conditions(self, node: Node) -> None:
        """Makes of a node's outputs the predicates that nodes behind it ask for."""
        for output in range(len(node.output_types)):
            number = self._numbers.get((node.id, output))
            if number is not None:
                self._add_condition(node, output, number)

    def _add_condition(self, node: Node, output: int, number: int) -> None:
        predicate = self._structure.predicates[number]
        slot = self._slot(node, output)
        position = self._positions.get(node.id)
        adapter = value_adapter(self._source(node, output), True, self._device)
        asker = self._order(predicate.switch, (slot,))
        if predicate.by_index or adapter is not None:
            call = partial(branch_number, ways=predicate.ways) if predicate.by_index else pass_on
            made = self._new_slot()
            binding = Binding(call, CallKind.PLAIN, (adapter,))
            chosen = self._made(predicate.switch, binding, (slot,))
            chosen.outputs = (made,)
            known = self._positions.get(node.id)
            self._append(node, chosen, set() if known is None else {known})
            slot, position = made, self._positions.pop(node.id)
            if known is not None:
                self._positions[node.id] = known
        if position is not None:
            self._filled_at[slot] = position
        self._conditions[number] = Condition(slot, 0, predicate.ways, predicate.by_index, asker)

    def _add_loop(self, loop: Loop) -> None:
        """Adds a loop as one node."""
        assert loop.guard is not None
        variables = dict.fromkeys(variable.enter for variable in loop.variables)
        before: set[int] = set()
        for enter in (*variables, *loop.constants):
            (edge,) = enter.data_edges()
            in_host = self._source_of(edge).in_host
            if enter in variables:
                in_host = self._value_in_host(enter)
            before |= self._before(enter.in_edges)
            self._slots[enter.id, 0] = self._passed(enter, edge, loop.guard, in_host)
            self._in_host[enter.id] = (in_host,)
            if enter.id in self._positions:
                before.add(self._positions.pop(enter.id))
        outer = self._nodes, self._predecessors, self._filled_at
        self._nodes, self._predecessors, self._filled_at = [], [], {}
        for variable in loop.variables:
            self._in_host[variable.merge.id] = (self._value_in_host(variable.merge), True)
            self._slot(variable.merge, 0)
            self._add_conditions(variable.merge)
        for enter in loop.constants:
            self._add_conditions(enter)
        self._add_block(loop.body)
        self._add_ends(loop)
        nodes, predecessors = self._nodes, self._predecessors
        self._nodes, self._predecessors, self._filled_at = outer
        added = LoopNode(
            next(self._indices),
            loop.name,
            [self._slot(variable.merge, 0) for variable in loop.variables],
            [self._slot(variable.enter, 0) for variable in loop.variables],
            nodes,
            predecessors,
        )
        added.guard = self._guard(loop.guard)
        before |= self._fillers(slots_read(added))
        position = len(self._nodes)
        self._nodes.append(added)
        self._predecessors.append(tuple(sorted(before)))
        for node in loop.exits:
            self._positions[node.id] = position
            self._add_conditions(node)

    def _add_ends(self, loop: Loop) -> None:
        """Adds what gives the variables their next values, and what hands out the results."""
        condition = loop.condition
        stays = self._conditions[condition]
        sides: list[set[int]] = [set(), set()]
        for position, node in enumerate(self._nodes):
            branch = next((t.branch for t in node.guard if t.slot == stays.slot), None)
            for side in (0, 1):
                if branch in (None, side):
                    sides[side].add(position)
        edges = [variable.next.data_edges()[0] for variable in loop.variables]
        merges = [variable.merge for variable in loop.variables]
        repeat = self._move(
            loop.variables[0].next,
            ((condition, 1),),
            [self._slot(edge.src, edge.src_output) for edge in edges],
            [self._next_adapter(merge, edge) for edge, merge in zip(edges, merges, strict=True)],
            [self._slot(merge, 0) for merge in merges],
            CallKind.REPEAT,
        )
        edges = [node.data_edges()[0] for node in loop.exits]
        for edge in edges:
            in_host = self._source_of(edge).in_host
            self._in_host[edge.dst.id] = (in_host,)
        leave = self._move(
            loop.exits[0] if loop.exits else loop.variables[0].merge,
            ((condition, 0),),
            [self._slot(edge.src, edge.src_output) for edge in edges],
            [self._value_adapter(e.dst, e, self._source_of(e).in_host) for e in edges],
            [self._slot(edge.dst, 0) for edge in edges],
            CallKind.LEAVE,
        )
        for end, side in ((repeat, 1), (leave, 0)):
            self._nodes.append(end)
            self._predecessors.append(tuple(sorted(sides[side])))


def _send_if_filled(send: Any, step: Any, value: Any) -> None:
    if value is DEAD:
        send(step, None, dead=True)
    else:
        send(step, value)


def may_wait(node: Node, device: DeviceView) -> bool:
    """True if the node may wait for others when it runs on that device."""
    if node.op in ("_Recv", "_HostRecv") or is_call(node):
        return True
    entry = registry.find(node.op, device.device_type.name, node.attrs)
    return entry is not None and entry.blocking
