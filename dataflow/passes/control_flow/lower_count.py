"""For as a loop of the primitives that counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from dataflow.passes.control_flow.function_body import FunctionBody
from dataflow.passes.control_flow.inline import Inlined, Site, Tensor
from dataflow.passes.control_flow.lower_branches import Expand, Operands
from dataflow.passes.control_flow.lower_loop import Loop, Waits, invariants
from dataflow.passes.graphs.node_graph import Node
from dataflow.values import dtypes

_LIMITS: Final = 3
"""Inputs of For before those that go round: where it starts, where it ends, and the step."""
_LESS: Final = np.full((), -1, np.int64)
_LESS.flags.writeable = False


def lower_count(
    node: Node, operands: Operands, site: Site, expand: Expand, body: FunctionBody, waits: Waits
) -> Inlined:
    """Puts the body of a For node into a graph, which is called with each number of a range.

    Round go how many numbers are left, the number, the step and the node's own values.

    Args:
      node: The For node.
      operands: The range, the initial values, and what the loop waits for.
      site: Where to.
      expand: Puts a function into the graph.
      body: The function that is the loop's body.
      waits: Makes a node wait for others.
    """
    start, _, delta = operands.inputs[:_LIMITS]
    given = operands.inputs[_LIMITS:]
    left = site.add("steps", "_ForSteps", operands.inputs[:_LIMITS], operands.controls)
    own = invariants(body.arguments[1:], body.results)
    around = Operands([(left, 0), start, delta, *given], operands.controls)
    loop = Loop(node.name, 1, around, site, [False, False, True, *own])

    def condition(place: Site, now: Sequence[Tensor], first: Node) -> Inlined:
        return Inlined([now[0]], [], [])

    def step(place: Site, now: Sequence[Tensor], first: Node) -> Inlined:
        count, number, between, *values = now
        less = place.add("less", "Const", (), [first], dtype=dtypes.int64, value=_LESS)
        down = place.add("left", "AddV2", [count, (less, 0)], T=dtypes.int64)
        following = place.add("number", "AddV2", [number, between], T=dtypes.int32)
        done = expand(node.attrs["body"], place, [number, *values], first)
        outputs = [(down, 0), (following, 0), between, *done.outputs]
        return Inlined(outputs, done.effects, done.nodes)

    made = loop.lower(condition, step, False, waits)
    ended = made.effects or [made.outputs[0][0]]
    return Inlined(made.outputs[_LIMITS:], made.effects if given else ended, made.nodes)
