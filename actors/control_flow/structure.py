"""Finds the structure of a partition's control flow: which loops and branches there are.

What is found runs as `while` and `if`; a partition that keeps to no such structure runs on the
general executor, which decides node by node at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from dataflow.actors.control_flow.guards import Guard, conjunction, exact_cover, implies
from dataflow.actors.control_flow.levels import Level, UnstructuredError, find_levels
from dataflow.passes.graphs.order import is_back_edge
from dataflow.passes.graphs.system_ops import ENTERS, EXITS, TRANSFERS
from dataflow.values.garbage import uncollected
from dataflow.values.node_order import MERGE_OPS, NEXT_ITERATION_OPS

if TYPE_CHECKING:
    from dataflow.passes.graphs.node_graph import Edge, Node, NodeGraph

SWITCHES: Final = frozenset({"Switch", "RefSwitch", "_SwitchN"})
AT_THE_BORDER: Final = TRANSFERS | {"_Arg", "_Retval"}
"""What a loop's values cannot go through on their way."""
_PASSING: Final = frozenset({"Identity", "Switch", "_SwitchN", "LoopCond", "Enter"})
_MAX_GUARD: Final = 500


@dataclass(frozen=True, slots=True)
class Predicate:
    """A value that decides which of several branches is alive."""

    node: Node
    """Produces the value."""
    output: int
    ways: int
    """Number of branches."""
    by_index: bool
    """The value is the number of the branch (or none, for the last), not a truth value."""
    switch: Node
    """A Switch that asks for it, which an error names."""


class LoopVariable(NamedTuple):
    """A value that changes from one iteration of a loop to the next."""

    enter: Node
    merge: Node
    next: Node
    """The NextIteration."""


@dataclass(slots=True, eq=False)
class Block:
    """Nodes and loops in an order in which they can run."""

    items: list[Node | Loop] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Loop:
    """A loop: each iteration runs what is always alive, then one of the sides of its condition."""

    name: str
    guard: Guard | None
    """When the loop runs at all; None if never."""
    condition: int
    """Number of the predicate: the loop goes on while it is true."""
    variables: list[LoopVariable]
    constants: list[Node]
    """The Enters of values that stay."""
    exits: list[Node]
    body: Block
    """What runs in an iteration, without Enters, Exits, and the variables' Merges and
    NextIterations."""


@dataclass(slots=True, eq=False)
class Structure:
    """The loops and branches of a partition."""

    block: Block
    predicates: list[Predicate]
    guards: dict[int, Guard | None]
    """By node id when the node runs, within an iteration of its loop; None if never."""
    output_guards: dict[tuple[int, int], Guard | None]
    """By node id and output when a branch of a Switch is alive."""

    def edge_guard(self, edge: Edge) -> Guard | None:
        """When what the edge brings is alive."""
        place = edge.src.id, edge.src_output
        return self.output_guards[place] if place in self.output_guards else self.guards[place[0]]


@uncollected
def find_structure(
    graph: NodeGraph, blocking: Callable[[Node], bool], piecewise: bool = False
) -> Structure:
    """Finds the loops and branches of a partition, in time linear in its size.

    Args:
      graph: The partition.
      blocking: True for nodes that wait for others: these may be in no loop.
      piecewise: Feeds arrive, and fetches leave, while the step runs.

    Raises:
      UnstructuredError: There is more than loops and branches.
    """
    if piecewise:
        raise UnstructuredError("the step is run piece by piece")
    return _Finder(blocking).find(graph)


class _Finder:
    """Walks over the levels, inner loops before what follows them."""

    def __init__(self, blocking: Callable[[Node], bool]) -> None:
        self._blocking = blocking
        self._predicates: list[Predicate] = []
        self._numbers: dict[tuple[int, int], int] = {}
        """Predicate numbers by the value that decides."""
        self._origins: dict[tuple[int, int], tuple[Node, int]] = {}
        self._guards: dict[int, Guard | None] = {}
        self._output_guards: dict[tuple[int, int], Guard | None] = {}
        self._assumed: dict[int, int] = {}
        """The branches that predicates took outside of the loop, since it runs."""
        self._early: set[int] = set()
        """Nodes in loops that also run where the loop does not."""
        self._result: Structure

    def find(self, graph: NodeGraph) -> Structure:
        """Finds the structure."""
        level = find_levels(graph)
        self._result = Structure(Block(), self._predicates, self._guards, self._output_guards)
        self._walk(level, self._result.block)
        return self._result

    def _walk(self, level: Level, block: Block) -> None:
        for item in level.items:
            if isinstance(item, Level):
                block.items.append(self._loop(item))
            else:
                self._guards[item.id] = guard = self._guard_of(item)
                if guard is not None and len(guard) > _MAX_GUARD:
                    raise UnstructuredError(f"the branches around '{item.name}' nest too deeply")
                block.items.append(item)

    def _guard_of(self, node: Node) -> Guard | None:
        """When a node runs."""
        if node.op in MERGE_OPS:
            return self._merge(node)
        if node.op == "ControlTrigger":
            return ()
        guard = self._all_of(node.in_edges)
        if self._early and node.in_edges and all(e.src.id in self._early for e in node.in_edges):
            if node.op_def.is_stateful:
                raise UnstructuredError(f"'{node.name}' runs where its loop does not")
            self._early.add(node.id)
        if node.op in SWITCHES:
            self._switch(node, guard)
        elif node.op == "_Retval":
            return guard
        elif node.op in ("_Send", "_HostSend"):
            if guard != self._result.edge_guard(node.data_edges()[0]):
                raise UnstructuredError(f"'{node.name}' sends a value that waits for a branch")
        elif guard != () and node.op in TRANSFERS:
            raise UnstructuredError(f"'{node.name}' in a branch waits for another device")
        elif node.attrs.get("_may_be_dead"):
            raise UnstructuredError(f"'{node.name}' may receive a dead value")
        return guard

    def _all_of(self, edges: Iterable[Edge]) -> Guard | None:
        guard: Guard | None = ()
        for edge in edges:
            guard = conjunction(guard, self._result.edge_guard(edge))
        return guard

    def _switch(self, node: Node, guard: Guard | None) -> None:
        edge = node.data_edges()[1]
        origin, output = self._origin(edge.src, edge.src_output)
        by_index = node.op == "_SwitchN"
        ways = len(node.output_types)
        number = self._numbers.setdefault((origin.id, output), len(self._predicates))
        if number == len(self._predicates):
            self._predicates.append(Predicate(origin, output, ways, by_index, node))
        known = self._predicates[number]
        if (known.ways, known.by_index) != (ways, by_index):
            raise UnstructuredError(f"'{node.name}' and '{known.switch.name}' share a predicate")
        for branch in range(ways):
            taken = self._assumed.get(number)
            if taken is None:
                alive = conjunction(guard, ((number, branch),))
            else:
                alive = guard if taken == branch else None
            if alive != guard:
                self._output_guards[node.id, branch] = alive

    def _origin(self, node: Node, output: int) -> tuple[Node, int]:
        """Follows a value to the node that computed it, through those that pass it on."""
        passed: list[tuple[int, int]] = []
        while (known := self._origins.get((node.id, output))) is None:
            if not _passes_on(node):
                known = node, output
                break
            passed.append((node.id, output))
            edge = node.data_edges()[0]
            node, output = edge.src, edge.src_output
        for place in passed:
            self._origins[place] = known
        return known

    def _merge(self, node: Node) -> Guard | None:
        """When a Merge of branches is alive: what its control inputs do does not matter."""
        found = [self._result.edge_guard(edge) for edge in node.data_edges()]
        guards = [guard for guard in found if guard is not None]
        if not guards:
            return None
        cover = exact_cover(guards, lambda number: self._predicates[number].ways)
        if cover is None:
            raise UnstructuredError(f"the inputs of '{node.name}' are not the sides of branches")
        return cover

    def _loop(self, level: Level) -> Loop:
        name = level.frame[-1]
        nodes = list(level.nodes())
        enters = [node for node in nodes if node.op in ENTERS]
        variables = _variables(name, nodes)
        guard = self._entrance(name, enters)
        for enter in enters:
            self._guards[enter.id] = ()
        for variable in variables:
            self._guards[variable.merge.id] = ()
        plumbing = {*enters, *(v.merge for v in variables)}
        level.items = [item for item in level.items if item not in plumbing]
        block = Block()
        outside = self._assumed
        self._assumed = {**outside, **dict(guard or ())}
        self._walk(level, block)
        self._assumed = outside
        condition = self._condition(name, nodes)
        self._check(name, nodes, condition)
        block.items = [
            item
            for item in block.items
            if isinstance(item, Loop) or item.op not in EXITS | NEXT_ITERATION_OPS
        ]
        exits = [node for node in nodes if node.op in EXITS]
        for node in exits:
            self._guards[node.id] = guard
        constants = [node for node in enters if node.attrs["is_constant"]]
        return Loop(name, guard, condition, variables, constants, exits, block)

    def _entrance(self, name: str, enters: Sequence[Node]) -> Guard | None:
        """When the loop runs.

        Values that stay may also arrive where it does not: they start nothing by themselves.
        """
        guards = {self._all_of(e.in_edges) for e in enters if not e.attrs["is_constant"]}
        if len(guards) != 1:
            raise UnstructuredError(f"loop '{name}' is entered under different conditions")
        (guard,) = guards
        for enter in enters:
            alive = self._all_of(enter.in_edges)
            if guard is not None and (alive is None or not implies(guard, alive)):
                raise UnstructuredError(f"loop '{name}' is entered under different conditions")
            if alive != guard:
                self._early.add(enter.id)
        return guard

    def _condition(self, name: str, nodes: Iterable[Node]) -> int:
        found = [node for node in nodes if node.op == "LoopCond"]
        if len(found) != 1 or self._guards[found[0].id] != ():
            raise UnstructuredError(f"loop '{name}' has not one condition")
        origin, output = self._origin(found[0], 0)
        number = self._numbers.get((origin.id, output))
        if number is None or self._predicates[number].by_index:
            raise UnstructuredError(f"nothing in loop '{name}' depends on its condition")
        return number

    def _check(self, name: str, nodes: Iterable[Node], condition: int) -> None:
        """Refuses what a `while` would run other than the general executor."""
        for node in nodes:
            guard = self._guards[node.id]
            if node.op in NEXT_ITERATION_OPS and guard != ((condition, 1),):
                raise UnstructuredError(f"'{node.name}' does not run in each iteration")
            if node.op in EXITS and guard != ((condition, 0),):
                raise UnstructuredError(f"'{node.name}' does not run when the loop is over")
            if node.op in AT_THE_BORDER or self._blocking(node):
                raise UnstructuredError(f"'{node.name}' in loop '{name}' waits for others")


def _passes_on(node: Node) -> bool:
    """True if the node's output is its first input, read once and for all."""
    if node.op == "Enter" and not node.attrs["is_constant"]:
        return False
    return node.op in _PASSING and not node.data_edges()[0].dtype._is_ref_dtype


def _variables(name: str, nodes: Iterable[Node]) -> list[LoopVariable]:
    """The loop's variables: each an Enter and a NextIteration that meet in a Merge."""
    variables = []
    merges = set()
    for merge in nodes:
        edges = merge.data_edges() if merge.op in MERGE_OPS else []
        back = [edge.src for edge in edges if is_back_edge(edge.src, merge)]
        if not back:
            continue
        first = [edge.src for edge in edges if edge.src.op in ENTERS]
        if (
            len(back) != 1
            or len(first) != 1
            or len(merge.in_edges) != 2
            or first[0].attrs["is_constant"]
            or any(edge.src_output > 0 for edge in merge.out_edges)
        ):
            raise UnstructuredError(f"'{merge.name}' is not the start of a loop variable")
        merges.add(merge)
        variables.append(LoopVariable(first[0], merge, back[0]))
    for enter in nodes:
        if enter.op not in ENTERS or enter.attrs["is_constant"]:
            continue
        if any(edge.dst not in merges or edge.is_control for edge in enter.out_edges):
            raise UnstructuredError(f"'{enter.name}' is used by more than a loop variable")
    used = {variable.next for variable in variables}
    for node in nodes:
        if node.op in NEXT_ITERATION_OPS and (
            node not in used or any(edge.dst not in merges for edge in node.out_edges)
        ):
            raise UnstructuredError(f"'{node.name}' does not lead back to a loop variable")
    if not variables:
        raise UnstructuredError(f"loop '{name}' has no variables")
    return variables
