"""Straight-line code for a segment: a generated function that calls bound kernels in turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter as clock
from types import CodeType
from typing import TYPE_CHECKING, Any, Final

from dataflow.actors.binding import CallKind
from dataflow.actors.step import Step

if TYPE_CHECKING:
    from dataflow.actors.plan import PlanNode

CHUNK: Final = 400
"""Nodes in one function: the compiler's time grows faster than the length of a function."""

__all__ = ["CHUNK", "Code", "Interpreter", "clock", "generate", "store"]

Code = Callable[[Step, list[Any]], None]
"""Runs some nodes: takes the step and its slots."""


def generate(
    nodes: Sequence[PlanNode],
    kept: frozenset[int],
    dropped: Mapping[int, Sequence[int]],
    stops: frozenset[int],
) -> tuple[Code, CodeType, tuple[PlanNode, ...]]:
    """Makes the function that runs these nodes.

    The source is made of our own indices only, never of text from a graph.

    Args:
      nodes: The nodes in the order to run them.
      kept: Slots that others than these nodes use; other values are local to the function.
      dropped: For a node position the slots whose last use it is.
      stops: Node positions after which the step is checked for cancellation.

    Returns:
      The function, its code object, and the node of each of its lines, the first line being 2.
    """
    made = {slot for node in nodes for slot in node.outputs if slot >= 0}
    local = made - kept
    names: dict[str, Any] = {}
    lines = ["def run(step, s):"]
    lined: list[PlanNode] = []
    for node in nodes:
        if node.kind is not CallKind.NOTHING:
            lines.append(
                _line(node, local, dropped.get(node.index, ()), names, node.index in stops)
            )
            lined.append(node)
    if not lined:
        lines.append(" pass")
    module = compile("\n".join(lines), "<dataflow segment>", "exec")
    exec(module, names)
    run: Code = names.pop("run")
    return run, run.__code__, tuple(lined)


def _line(
    node: PlanNode,
    local: set[int],
    dropped: Sequence[int],
    names: dict[str, Any],
    stop: bool,
) -> str:
    """The one line that runs a node: assignment, call, and what is dropped after it."""

    def place(slot: int) -> str:
        return f"v{slot}" if slot in local else f"s[{slot}]"

    arguments = ["step"] if node.kind is CallKind.STEP else []
    for position, (slot, adapter) in enumerate(zip(node.inputs, node.adapters, strict=True)):
        text = place(slot)
        if adapter is not None:
            name = f"a{node.index}_{position}"
            names[name] = adapter
            text = f"{name}({text})"
        arguments.append(text)
    names[f"k{node.index}"] = node.call
    line = f" {_targets(node.outputs, place)}k{node.index}({', '.join(arguments)})"
    locals_ = [f"v{slot}" for slot in dropped if slot in local]
    if locals_:
        line += f"; del {', '.join(locals_)}"
    for slot in dropped:
        if slot not in local:
            line += f"; s[{slot}] = None"
    if stop:
        line += "; step.check()"
    return line


def _targets(outputs: Sequence[int], place: Callable[[int], str]) -> str:
    if all(slot < 0 for slot in outputs):
        return ""
    return ", ".join(place(slot) if slot >= 0 else "_" for slot in outputs) + " = "


class Interpreter:
    """Runs nodes one by one and measures each.

    It costs nothing to make and more to run than generated code: for first runs, which tell what
    the nodes cost, and for traced ones.
    """

    __slots__ = ("_dropped", "_nodes")

    def __init__(self, nodes: Sequence[PlanNode], dropped: Mapping[int, Sequence[int]]) -> None:
        self._nodes = [node for node in nodes if node.kind is not CallKind.NOTHING]
        self._dropped = dropped

    def run(self, step: Step, s: list[Any]) -> None:
        """Runs the nodes on the slots `s`."""
        trace = step.trace
        for node in self._nodes:
            if step.error is not None:
                step.check()
            start = clock()
            arguments = [
                s[slot] if adapter is None else adapter(s[slot])
                for slot, adapter in zip(node.inputs, node.adapters, strict=True)
            ]
            if node.kind is CallKind.STEP:
                result = node.call(step, *arguments)
            else:
                result = node.call(*arguments)
            store(node, result, s)
            end = clock()
            node.measure(end - start)
            if trace is not None:
                trace.append((node, start, end, result))
            for slot in self._dropped.get(node.index, ()):
                s[slot] = None
            del arguments, result


def store(node: PlanNode, result: Any, s: list[Any]) -> None:
    """Puts the outputs of a node into their slots."""
    outputs = node.outputs
    if len(outputs) == 1:
        if outputs[0] >= 0:
            s[outputs[0]] = result
    elif outputs:
        for slot, value in zip(outputs, result, strict=True):
            if slot >= 0:
                s[slot] = value
