"""Nodes of gradients that mostly do nothing: sums over no axes, changes to the same shape."""

from __future__ import annotations

from typing import Final

from dataflow.actors.nodes.plan_node import PlanNode
from dataflow.kernels.native.program import LETTERS, Check

_LETTERS: Final = frozenset("il")


def passes_on(node: PlanNode) -> bool:
    """Whether its output was its first input when it was measured; the second one decides."""
    return check_of(node) is not None


def check_of(node: PlanNode) -> Check | None:
    """What its second input must be for it to pass on the first; None if it is not such a node."""
    if node.op not in ("Reshape", "Sum") or len(node.seen) != 3 or any(node.adapters):
        return None
    given, decides, result = node.seen
    letter = LETTERS.get(decides.dtype)
    if given.shape != result.shape or not decides.is_array or letter not in _LETTERS:
        return None
    if node.op == "Reshape":
        return Check(letter, is_shape=True) if decides.shape == (len(result.shape),) else None
    return Check(letter, is_shape=False) if decides.shape == (0,) else None
