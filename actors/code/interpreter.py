"""Runs nodes one by one, loops and branches too, and measures each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter as clock
from typing import Any, Final

import numpy as np

from dataflow.actors.code.codegen import Code, generate_resumption
from dataflow.actors.nodes.binding import MOVES, CallKind
from dataflow.actors.nodes.loop_node import LoopNode
from dataflow.actors.nodes.plan_node import Lines, PlanNode
from dataflow.actors.nodes.predicates import truth
from dataflow.actors.step.step import Step
from dataflow.kernels.threads.parallel import current

_MEASURED_ITERATIONS: Final = 32
"""Iterations of a loop after which generated code takes over."""


class Interpreter:
    """Runs the nodes of a segment.

    It costs nothing to make and more to run than generated code: for first runs, which tell what
    the nodes cost, and for traced ones.
    """

    __slots__ = ("_dropped", "_lines", "_nodes", "_resumptions")

    def __init__(
        self,
        nodes: Sequence[PlanNode],
        dropped: Mapping[int, Sequence[int]],
        lines: Lines,
    ) -> None:
        """Prepares to run.

        Args:
          nodes: The nodes in the order to run them.
          dropped: For a node index the slots whose last use it is.
          lines: Where the lines of code made for long loops are written down.
        """
        self._nodes = nodes
        self._dropped = dropped
        self._lines = lines
        self._resumptions: dict[LoopNode, Code] = {}
        """Code that takes a loop up where it stands, made when it turns out to be long."""

    def run(self, step: Step, slots: list[Any]) -> None:
        """Runs the nodes on the slots."""
        interpret(self._nodes, self._dropped, step, slots, self._resumption)

    def _resumption(self, loop: LoopNode) -> Code:
        code = self._resumptions.get(loop)
        if code is None:
            code = self._resumptions[loop] = generate_resumption(loop, self._lines)
        return code


def interpret(
    nodes: Sequence[PlanNode],
    dropped: Mapping[int, Sequence[int]],
    step: Step,
    s: list[Any],
    resumption: Callable[[LoopNode], Code],
) -> bool:
    """Runs nodes on the slots `s`; `resumption` gives the code that takes a loop up.

    Returns:
      True if they are those of a loop, and another iteration follows.
    """
    trace = step.trace
    for node in nodes:
        if node.guard and not holds(node, s):
            continue
        kind = node.kind
        if kind is CallKind.NOTHING:
            if trace is not None and node.inputs:
                now = clock()
                trace.append((node, now, now, s[node.inputs[0]]))
            continue
        if step.error is not None:
            step.check()
        divisible, saved = current.divisible, current.saved
        start = clock()
        if isinstance(node, LoopNode):
            _run_loop(node, dropped.get(node.index, ()), step, s, resumption)
            end = clock()
        else:
            arguments = _arguments(node, s)
            result = _call(node, step, arguments)
            store(node, result, s)
            end = clock()
            if node.wants_to_see:
                node.note(arguments, result)
            del arguments
            if trace is not None:
                trace.append((node, start, end, result))
            del result
        node.measure(end - start, current.divisible - divisible, current.saved - saved)
        for slot in dropped.get(node.index, ()):
            s[slot] = None
        if kind is CallKind.REPEAT:
            return True
        if kind is CallKind.LEAVE:
            return False
    return False


def _arguments(node: PlanNode, s: list[Any]) -> list[Any]:
    return [
        s[slot] if adapter is None else adapter(s[slot])
        for slot, adapter in zip(node.inputs, node.adapters, strict=True)
    ]


def _call(node: PlanNode, step: Step, arguments: list[Any]) -> Any:
    if node.kind in MOVES:
        return arguments if len(arguments) != 1 else arguments[0]
    if node.kind is CallKind.STEP:
        return node.call(step, *arguments)
    return node.call(*arguments)


def holds(node: PlanNode, s: list[Any]) -> bool:
    """True if the guard of a node holds."""
    for test in node.guard:
        value = s[test.slot]
        if test.is_number:
            if value != test.branch:
                return False
            continue
        node = test.switch
        if (value is np.True_ or truth(value)) != test.branch:
            return False
    return True


RUNNING: Final = frozenset({interpret.__code__, holds.__code__})
"""The code in whose frames `s` are the slots and `node` is what runs."""


def _run_loop(
    loop: LoopNode,
    dropped: Sequence[int],
    step: Step,
    s: list[Any],
    resumption: Callable[[LoopNode], Code],
) -> None:
    firsts = [s[slot] for slot in loop.starts]
    for slot, value in zip(loop.variables, firsts, strict=True):
        s[slot] = value
    del firsts, value
    for slot in dropped:
        if slot not in loop.used:
            s[slot] = None
    iterations = 0
    while interpret(loop.nodes, loop.dropped, step, s, resumption):
        iterations += 1
        if iterations == _MEASURED_ITERATIONS and step.trace is None:
            resumption(loop)(step, s)
            break
    for slot in loop.left_over:
        s[slot] = None


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
