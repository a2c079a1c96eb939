"""While as Enter, Merge, Switch, NextIteration and Exit: the dataflow form of loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from dataflow.passes.control_flow.function_body import FunctionBody
from dataflow.passes.control_flow.inline import Inlined, Site, Tensor, tensor_type
from dataflow.passes.control_flow.lower_branches import Expand, Operands
from dataflow.passes.graphs.node_graph import Node
from dataflow.values import dtypes

_FALSE: Final = np.zeros((), np.bool_)
_FALSE.flags.writeable = False


Part = Callable[[Site, Sequence[Tensor], Node], Inlined]
"""Puts a part of a loop, its condition or body, into the graph: where, of what, and after what."""
Waits = Callable[[Node, Sequence[Node]], None]
"""`waits(node, others)` makes a node wait for others."""


def lower_loop(
    node: Node,
    operands: Operands,
    site: Site,
    expand: Expand,
    body: FunctionBody,
    loose: bool,
    waits: Waits,
) -> Inlined:
    """Puts the condition and the body of a While node into a graph.

    What the body hands on unchanged enters the loop once, as an invariant.

    Args:
      node: The While node.
      operands: The initial values, and what the loop waits for.
      site: Where to.
      expand: Puts a function into the graph.
      body: The function that is the loop's body.
      loose: Effects of the condition, other than those of the body, need not take place. So it is
        in TensorFlow for loops that are marked to be lowered.
      waits: Makes a node wait for others.
    """
    parallel = max(1, node.attrs["parallel_iterations"])
    loop = Loop(node.name, parallel, operands, site, invariants(body.arguments, body.results))

    def part(attr: str) -> Part:
        return lambda place, given, start: expand(node.attrs[attr], place, given, start)

    return loop.lower(part("cond"), part("body"), loose, waits)


def invariants(arguments: Sequence[Node], results: Sequence[Node]) -> list[bool]:
    """For each argument of a loop's body whether it is what the result at the same place gives.

    What waits for something on the way is not: each iteration gives it when that is done.
    """
    found = []
    for argument, result in zip(arguments, results, strict=False):
        (edge,) = result.data_edges()
        while edge.src.op == "Identity" and not edge.src.control_edges():
            (edge,) = edge.src.data_edges()
        found.append(edge.src is argument)
    return found


class Loop:
    """The nodes of one loop."""

    def __init__(
        self, frame: str, parallel: int, operands: Operands, site: Site, unchanged: Sequence[bool]
    ) -> None:
        """Takes what all of them have in common.

        Args:
          frame: Name of the loop's frame.
          parallel: How many iterations may run at once.
          operands: The initial values, and what the loop waits for.
          site: Where the nodes go.
          unchanged: For each value whether all iterations have the same.
        """
        self._frame = frame
        self._parallel = parallel
        self._operands = operands
        self._site = site
        self._unchanged = list(unchanged)
        self._initial = list(operands.inputs)
        if all(unchanged):
            # Something has to go round, for the condition to be asked again.
            before = operands.controls or [
                site.identity(f"gate_{index}", tensor)
                for index, tensor in enumerate(operands.inputs)
            ]
            token = site.add("token", "Const", (), before, dtype=dtypes.bool, value=_FALSE)
            self._initial.append((token, 0))
            self._unchanged.append(False)

    def lower(self, condition: Part, body: Part, loose: bool, waits: Waits) -> Inlined:
        """Makes the loop; see `lower_loop`."""
        site, count = self._site, len(self._operands.inputs)
        entered = [self._enter(index) for index in range(len(self._initial))]
        merges = {
            index: site.add(f"merge_{index}", "Merge", [(enter, 0)], N=2, T=_type(enter))
            for index, enter in enumerate(entered)
            if not self._unchanged[index]
        }
        now: list[Tensor] = [(merges.get(i, enter), 0) for i, enter in enumerate(entered)]
        first = next(iter(merges.values()))
        asked = condition(site.within("cond"), now[:count], first)
        answer = asked.outputs[0]
        if tensor_type(answer) is not dtypes.bool:
            truth = site.add("truth", "ToBool", [answer], T=tensor_type(answer))
            answer = (truth, 0)
        again = site.add("again", "LoopCond", [answer])
        asked_effects = [] if loose else asked.effects
        waits(again, asked_effects)
        switches = {
            index: site.add(
                f"switch_{index}",
                "Switch",
                [(merge, 0), (again, 0)],
                device=merge.device,
                T=_type(merge),
            )
            for index, merge in merges.items()
        }
        start = site.identity("start", (next(iter(switches.values())), 1))
        inside: list[Tensor] = [
            # An invariant is there in each iteration, also in the last one that is not taken.
            (switches[index], 1)
            if index in switches
            else (site.identity(f"invariant_{index}", (entered[index], 0), [start]), 0)
            for index in range(count)
        ]
        done = body(site.within("body"), inside, start)
        results = [*done.outputs, *((switches[i], 1) for i in switches if i >= count)]
        for index, merge in merges.items():
            back = site.add(
                f"next_{index}",
                "NextIteration",
                [results[index]],
                done.effects,
                merge.device,
                T=_type(merge),
            )
            site.graph.link(back, 0, merge, 1)
        exits = {
            index: site.add(
                f"exit_{index}", "Exit", [(switch, 0)], device=switch.device, T=_type(switch)
            )
            for index, switch in switches.items()
        }
        outputs = [
            (exits[index], 0) if index in exits else self._initial[index] for index in range(count)
        ]
        effects = []
        if not outputs or done.effects or asked_effects:
            effects.append(next(iter(exits.values())))
        return Inlined(outputs, effects, [*asked.nodes, *done.nodes])

    def _enter(self, index: int) -> Node:
        tensor = self._initial[index]
        return self._site.add(
            f"enter_{index}",
            "Enter",
            [tensor],
            self._operands.controls,
            tensor[0].device,
            T=tensor_type(tensor),
            frame_name=self._frame.encode(),
            is_constant=self._unchanged[index],
            parallel_iterations=self._parallel,
        )


def _type(node: Node) -> dtypes.DType:
    return tensor_type((node, 0))
