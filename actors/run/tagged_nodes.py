"""What a node does in a step with loops, by its kind: its work, and what becomes of the result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from dataflow.actors.nodes.binding import CallKind
from dataflow.actors.plan.segments import COSTLY
from dataflow.actors.plan.tagged_layout import (
    CONSTANT,
    ENTER,
    EXIT,
    FAST,
    FETCH,
    MERGE,
    NEXT_ITERATION,
    ORDER,
    SEND,
    SWITCH,
    TaggedNode,
)
from dataflow.actors.run.tagged_frames import Iteration, Propagator
from dataflow.actors.step.dead import DEAD

if TYPE_CHECKING:
    from dataflow.actors.step.step import Step

_INDICES: Final = tuple(np.int32(i) for i in range(64))
"""What Merges give as their second output."""


def adapted(node: TaggedNode, values: Sequence[Any]) -> list[Any]:
    """The inputs of a node as its kernel wants them; of a Merge, the one that has come."""
    adapters = node.adapters
    assert adapters is not None
    if node.kind == MERGE:
        value, index = values
        adapters, values = (adapters[index], None), (value, index)
    return [
        value if adapter is None else adapter(value)
        for value, adapter in zip(values, adapters, strict=True)
    ]


def compute(node: TaggedNode, it: Iteration, values: Sequence[Any], step: Step) -> Any:
    """What a node returns that is alive, and neither blocks nor is a fetch."""
    kind = node.kind
    if kind in (ENTER, EXIT, NEXT_ITERATION):
        return values[0]
    if kind == SWITCH:
        given = node.call(*values)
        if len(node.outputs) == 1:
            return DEAD if given is None else given
        return tuple(DEAD if v is None else v for v in given)
    if kind == MERGE:
        index = values[1]
        return values[0], _INDICES[index] if index < len(_INDICES) else np.int32(index)
    if kind == ORDER:
        return ()
    if kind == CONSTANT:
        return node.constant
    if kind == SEND:
        return node.call(step, *values, it.tag, False)
    if node.plan_node.kind is CallKind.STEP:
        return node.call(step, *values)
    return node.call(*values)


def pass_by(node: TaggedNode, it: Iteration, flow: Propagator, step: Step) -> None:
    """What happens in place of a node's work when one of its inputs is dead."""
    kind = node.kind
    if kind == ENTER:
        flow.enter(node, it, DEAD)
    elif kind == EXIT:
        flow.leave(node, it, DEAD)
    elif kind != NEXT_ITERATION:
        if kind == SEND:
            node.call(step, None, it.tag, True)
        elif kind == FETCH and not node.plan_node.outputs:
            node.call(step, DEAD)
        flow.kill(node, it)


def hand_on(node: TaggedNode, it: Iteration, result: Any, flow: Propagator) -> None:
    """Brings what a live node returned to its consumers."""
    kind, outputs = node.kind, node.outputs
    if kind == ENTER:
        flow.enter(node, it, result)
        return
    if kind == EXIT:
        flow.leave(node, it, result)
        return
    if kind == NEXT_ITERATION:
        flow.advance(node, it, result)
        return
    if len(outputs) == 1:
        result = (result,)
    if outputs:
        for output, value in zip(outputs, result, strict=True):
            if value is DEAD:
                flow.send_dead(output, it)
            else:
                flow.send(output, it, value)
    if node.controls or node.control_merges:
        flow.send_order(node, it, False)


def note_time(node: TaggedNode, seconds: float) -> None:
    """Decides from what a node took how it is run from now on."""
    plan_node = node.plan_node
    if node.watch:
        plan_node.measure(seconds)
        node.watch -= 1
    elif not plan_node.has_declared_cost:
        plan_node.cost += 0.1 * (seconds - plan_node.cost)
    node.is_costly = plan_node.cost >= COSTLY
    if not node.watch and not node.is_costly and node.may_be_fast:
        node.kind = FAST
