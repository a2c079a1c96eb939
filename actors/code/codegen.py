"""Code for segments and loops: generated functions that call bound kernels in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any, Final

import numpy as np

from dataflow.actors.code.branches import Branches
from dataflow.actors.code.chunks import body_in_chunks, cut_in_chunks, own_slots, shared_slots
from dataflow.actors.code.leaving import call_of
from dataflow.actors.nodes.binding import ENDS, MOVES, CallKind
from dataflow.actors.nodes.loop_node import LoopNode, slots_read
from dataflow.actors.nodes.plan_node import NOT_CONSTANT, Lines, PlanNode
from dataflow.actors.nodes.predicates import truth
from dataflow.actors.step.step import Step

_STOP_AFTER: Final = 1e-3
"""Seconds of nodes after which there is a look whether the step was cancelled."""
_OPERATORS: Final[Mapping[Any, str]] = {
    np.add: "{0} + {1}",
    np.subtract: "{0} - {1}",
    np.multiply: "{0} * {1}",
    np.true_divide: "{0} / {1}",
    np.less: "{0} < {1}",
    np.less_equal: "{0} <= {1}",
    np.greater: "{0} > {1}",
    np.greater_equal: "{0} >= {1}",
    np.equal: "{0} == {1}",
    np.not_equal: "{0} != {1}",
    np.logical_and: "{0} & {1}",
    np.logical_or: "{0} | {1}",
    np.logical_not: "~{0}",
    np.negative: "-{0}",
    np.absolute: "abs({0})",
    np.square: "{0} * {0}",
}
"""Operators do what these functions do, for scalars in a twentieth of the time. The logical ones
are bound to bools only."""

Code = Callable[[Step, list[Any]], None]
"""Runs some nodes: takes the step and its slots."""


def generate(
    nodes: Sequence[PlanNode], kept: Set[int], dropped: Mapping[int, Sequence[int]], lines: Lines
) -> tuple[Code, ...]:
    """Makes the functions that run these nodes, one after the other.

    The source is made of our own indices only, never of text from a graph.

    Args:
      nodes: The nodes in the order to run them.
      kept: Slots that others than these nodes use; other values are local to the functions.
      dropped: For a node index the slots whose last use it is.
      lines: Where the functions' lines are written down: who reports an error looks for them there.
    """
    return _generate(cut_in_chunks(nodes), kept, dropped, lines)


def _generate(
    parts: Sequence[Sequence[PlanNode]],
    kept: Set[int],
    dropped: Mapping[int, Sequence[int]],
    lines: Lines,
) -> tuple[Code, ...]:
    codes = []
    for part, shared in zip(parts, shared_slots(parts, kept), strict=True):
        function = _Function(part, shared, dropped)
        function.write(part, 1)
        codes.append(function.finish(lines))
    return tuple(codes)


def generate_resumption(loop: LoopNode, lines: Lines) -> Code:
    """Makes the function that takes up a loop where it stands, its variables in their slots."""
    function = _Function([loop], frozenset(loop.outputs), {})
    function.write_loop(loop, 1, resumed=True)
    return function.finish(lines)


class _Function:
    """Writes one function."""

    def __init__(
        self,
        nodes: Sequence[PlanNode],
        kept: frozenset[int],
        dropped: Mapping[int, Sequence[int]],
    ) -> None:
        self._local = own_slots(nodes) - kept
        self._dropped = dict(dropped)
        self._names: dict[str, Any] = {"T": np.True_, "truth": truth}
        self._lines = ["def run(step, s):"]
        self._lined: list[PlanNode] = []
        self._called: Lines = {}

    def finish(self, lines: Lines) -> Code:
        """Compiles what was written, and adds its lines and those of what it calls."""
        if not self._lined:
            self._lines.append(" pass")
        module = compile("\n".join(self._lines), "<dataflow segment>", "exec")
        exec(module, self._names)
        run: Code = self._names.pop("run")
        lines.update(self._called)
        lines[run.__code__] = tuple(self._lined)
        return run

    def write(self, nodes: Sequence[PlanNode], depth: int, in_loop: bool = False) -> None:
        """Writes the lines of nodes, those of branches under their conditions."""
        filled_under = {slot: node.guard for node in nodes if node.guard for slot in node.outputs}
        branches = Branches(depth, self._place)
        spent = 0.0
        for node in nodes:
            if node.kind is CallKind.NOTHING:
                continue
            for line in branches.enter(node.guard):
                self._line(line.depth, line.text, line.node or node)
            if isinstance(node, LoopNode):
                self.write_loop(node, branches.depth)
            else:
                self._line(branches.depth, self._text(node), node)
            slots = self._dropped.get(node.index, ())
            if slots:
                self._append(self._drop(slots))
            spent += node.cost
            if spent >= _STOP_AFTER:
                self._append("step.check()")
                spent = 0.0
            if node.kind is CallKind.LEAVE:
                self._append("break")
            elif node.kind is CallKind.REPEAT:
                self._append("step.error is None or step.check(); continue")
            elif node.guard and not in_loop:
                for slot in slots:
                    branches.drop_later(slot, filled_under.get(slot, ()))
        for line in branches.finish():
            self._line(line.depth, line.text, nodes[-1])

    def write_loop(self, loop: LoopNode, depth: int, resumed: bool = False) -> None:
        """Writes a loop; a resumed one finds its variables in their slots."""
        parts = body_in_chunks(loop)
        # A local variable is faster to read than a slot.
        held = [slot for slot in loop.used if slot not in self._local and not parts]
        if held:
            self._line(depth, "; ".join(f"v{slot} = s[{slot}]" for slot in held), loop)
            self._local.update(held)
        if not resumed:
            targets = ", ".join(map(self._place, loop.variables))
            self._line(depth, f"{targets} = {', '.join(map(self._place, loop.starts))}", loop)
            given_away = [s for s in self._dropped.get(loop.index, ()) if s not in loop.used]
            if given_away:
                self._append(self._drop(given_away))
        elif variables := [slot for slot in loop.variables if slot in self._local]:
            self._line(depth, "; ".join(f"v{slot} = s[{slot}]" for slot in variables), loop)
        self._line(depth, "while True:", loop)
        self._dropped.update(loop.dropped)
        if not parts:
            self.write(loop.nodes, depth + 1, in_loop=True)
        else:
            self._write_calls(loop, parts, depth + 1)
        self._line(depth, self._drop(loop.left_over), loop)
        if held:
            self._local.difference_update(held)
            self._append(f"del {', '.join(f'v{slot}' for slot in held)}")

    def _write_calls(self, loop: LoopNode, parts: Sequence[Sequence[PlanNode]], depth: int) -> None:
        """Writes a long loop, whose body other functions run."""
        ends = [node for node in loop.nodes if node.kind in ENDS]
        needed = {slot for node in ends for slot in slots_read(node)}
        for code in _generate(parts, needed, loop.dropped, self._called):
            name = f"f{len(self._names)}"
            self._names[name] = code
            self._line(depth, f"{name}(step, s)", loop)
        self.write(ends, depth, in_loop=True)

    def _line(self, depth: int, text: str, node: PlanNode) -> None:
        self._lines.append(" " * depth + text)
        self._lined.append(node)

    def _append(self, text: str) -> None:
        self._lines[-1] += f"; {text}"

    def _drop(self, slots: Iterable[int]) -> str:
        return f"{' = '.join(map(self._place, slots))} = None"

    def _place(self, slot: int) -> str:
        return f"v{slot}" if slot in self._local else f"s[{slot}]"

    def _text(self, node: PlanNode) -> str:
        """What runs a node: assignment and call."""
        is_function = type(node.call) is np.ufunc
        arguments = ["step"] if node.kind is CallKind.STEP else []
        for position, (slot, adapter) in enumerate(zip(node.inputs, node.adapters, strict=True)):
            text = self._place(slot)
            if adapter is not None:
                name = f"a{node.index}_{position}"
                self._names[name] = adapter
                text = f"{name}({text})"
            elif node.constants and node.constants[position] is not NOT_CONSTANT:
                text = self._constant(slot, node.constants[position], is_function, node.made_array)
            arguments.append(text)
        targets = _targets(node.outputs, self._place)
        if node.kind in MOVES:
            return f"{targets}{', '.join(arguments)}" if targets else "pass"
        if is_function and not node.made_array and node.call in _OPERATORS:
            return targets + _OPERATORS[node.call].format(*arguments)
        self._names[f"k{node.index}"] = call_of(node)
        return f"{targets}k{node.index}({', '.join(arguments)})"

    def _constant(self, slot: int, value: Any, for_function: bool, meets_array: bool) -> str:
        """Names a constant: with arrays, functions take scalars that are arrays sooner."""
        if for_function and meets_array and isinstance(value, np.generic):
            self._names[f"z{slot}"] = np.asarray(value)
            return f"z{slot}"
        self._names[f"c{slot}"] = value
        return f"c{slot}"


def _targets(outputs: Sequence[int], place: Callable[[int], str]) -> str:
    if all(slot < 0 for slot in outputs):
        return ""
    return ", ".join(place(slot) if slot >= 0 else "_" for slot in outputs) + " = "
