"""Computes the sum of what a kernel gives for several inputs at once, from the joined inputs.

Where variables are used again in each step of a sequence, as those of an unrolled recurrent net,
their gradients are sums of many small products: one product of long matrices writes and reads its
result once, and is worth several threads.

It rounds otherwise than the products one by one. So it is done from the first run on, which also
tells whether it pays; if not, the nodes stay apart from then on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any, Final

import numpy as np

from dataflow.actors.fusion.merged_nodes import Arrangement, Rewritten, inputs_of, is_plain
from dataflow.actors.nodes.loop_node import LoopNode
from dataflow.actors.nodes.plan_node import Lines, PlanNode
from dataflow.kernels.memory import aligned
from dataflow.kernels.products.additive import Additive

_LEAST: Final = 3
"""Terms: of two the sum is cheap."""
_SHORT: Final = 8192
"""Numbers that a term may be computed from in any case: calls take longer than copying them."""
_LONG: Final = 2
"""Times as many numbers as the result has is what a longer term may be computed from."""


class JoinedSum(Rewritten):
    """Nodes of a kernel whose results are summed up, and the sum, as one node."""

    __slots__ = ("_axes", "_call", "_operands", "_others", "_total", "pays")

    def __init__(self, terms: Sequence[PlanNode], total: PlanNode, lines: Lines) -> None:
        """Puts nodes together.

        Args:
          terms: The nodes whose inputs are joined.
          total: What sums up their results, and maybe others.
          lines: Where the lines of code that runs them one by one are written down.
        """
        nodes = (*terms, total)
        slots = inputs_of(nodes)
        super().__init__(nodes, slots, total.outputs, lines, timed=nodes)
        place = {slot: i for i, slot in enumerate(slots)}
        call: Any = terms[0].call
        self._call = call
        self._axes: tuple[int, ...] = call.axes
        self._operands = [
            [place[term.inputs[which]] for term in terms] for which in range(len(self._axes))
        ]
        """For each input of the kernel the places of its parts among the inputs,"""
        self._others = [place[slot] for slot in total.inputs if slot in place]
        """and those of what is added to the result."""
        self._total = total.call
        self.pays: bool | None = None
        """Whether joining pays, by the shapes of the first run; None before."""

    def together(self, *values: Any) -> Any:
        """The sum."""
        parts = [[values[i] for i in places] for places in self._operands]
        if self.pays is False or not self._fit(parts):
            return None
        found = self._call(*map(_join, parts, self._axes))
        if self.pays is None:
            self.pays = _pays(parts, found)
            if not self.pays:
                return None
        others = [values[i] for i in self._others]
        return self._total(found, *others) if others else found

    def _fit(self, parts: Sequence[Sequence[Any]]) -> bool:
        """Whether the inputs of each term fit to each other and to those of the others."""
        lengths: list[list[int]] = []
        for arrays, axis in zip(parts, self._axes, strict=True):
            across = _across(arrays[0].shape, axis)
            if any(x.ndim <= axis or _across(x.shape, axis) != across for x in arrays):
                return False
            lengths.append([x.shape[axis] for x in arrays])
        return all(other == lengths[0] for other in lengths)


def join_sums(arranged: Arrangement, apart: Set[int] = frozenset()) -> Arrangement:
    """Puts one node in the place of each sum of results of one kernel, and of their nodes.

    Args:
      arranged: The nodes.
      apart: Indices of sums that are left as they are.
    """
    sums = [
        (position, node)
        for position, node in enumerate(arranged.nodes)
        if node.op == "AddN" and is_plain(node) and node.index not in apart
    ]
    if not sums:
        return arranged
    followers = arranged.followers()
    made: list[tuple[PlanNode, Sequence[int]]] = []
    for position, node in sums:
        terms = _terms(arranged, position, followers)
        if terms:
            joined = JoinedSum([arranged.nodes[i] for i in terms], node, arranged.lines)
            made.append((joined, (*terms, position)))
    return arranged.put_in_place(made)


def that_do_not_pay(nodes: Sequence[PlanNode]) -> set[int]:
    """The indices of joined sums, those of loops too, that the first run has found not to pay."""
    found: set[int] = set()
    for node in nodes:
        if isinstance(node, LoopNode):
            found |= that_do_not_pay(node.nodes)
        elif isinstance(node, JoinedSum) and node.pays is False:
            found.add(node.index)
    return found


def _terms(
    arranged: Arrangement, position: int, followers: Mapping[int, Sequence[int]]
) -> Sequence[int]:
    """The positions of the most nodes of one kernel whose results go nowhere but to a sum."""
    total = arranged.nodes[position]
    found: dict[Any, list[int]] = {}
    for i in arranged.predecessors[position]:
        node = arranged.nodes[i]
        call: Any = node.call
        # Where nothing else follows, no way leads out of the group but from the sum.
        if isinstance(call, Additive) and is_plain(node) and len(followers[i]) == 1:
            (slot,) = node.outputs
            goes_on = slot in arranged.kept or total.inputs.count(slot) != 1
            if not goes_on and node.guard == total.guard:
                found.setdefault((node.op, call.axes), []).append(i)
    most = max(found.values(), key=len, default=[])
    return most if len(most) >= _LEAST else ()


def _pays(parts: Sequence[Sequence[Any]], result: Any) -> bool:
    """Whether the inputs of each term are cheap to copy beside a result that is not written."""
    most = max(_SHORT, _LONG * result.size)
    return all(sum(array.size for array in term) <= most for term in zip(*parts, strict=True))


def _join(arrays: Sequence[Any], axis: int) -> Any:
    first = arrays[0]
    shape = list(first.shape)
    shape[axis] = sum(x.shape[axis] for x in arrays)
    return np.concatenate(arrays, axis, out=aligned.scratch(tuple(shape), first.dtype))


def _across(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return shape[:axis] + shape[axis + 1 :]
