"""Has the gradient of an activation take its part before that of pooling spreads what is left.

An element that a maximum was taken of has the maximum's value, so that both pass the activation or
neither does: the few maxima are asked in place of all that was pooled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from dataflow.actors.fusion.merged_nodes import Arrangement, Rewritten, is_plain
from dataflow.actors.nodes.plan_node import Lines, PlanNode
from dataflow.kernels.pooling.places import PlacedGradient

_MASKS: Final = ("ReluGrad", "Relu6Grad")
"""Ops of a gradient and of features, that hand on the one where the other says so."""


class MaskedGradient(Rewritten):
    """The gradient of pooling and that of the activation in front of it, as one node."""

    __slots__ = ("_at", "_mask")

    def __init__(self, pooling: PlanNode, mask: PlanNode, lines: Lines) -> None:
        nodes = (pooling, mask)
        super().__init__(nodes, pooling.inputs, mask.outputs, lines, timed=(pooling,))
        self._at: Any = pooling.call
        self._mask: Any = mask.call

    def together(self, x: Any, y: Any, grad: Any, places: Any) -> Any:
        """The gradient of what the activation was given."""
        if places is None or not places.size or y.shape != grad.shape:
            return None
        return self._at(x, y, self._mask(grad, y), places)


def mask_before_pooling(arranged: Arrangement) -> Arrangement:
    """Puts one node in the place of each gradient of pooling and of the activation it goes to."""
    nodes, followers = arranged.nodes, arranged.followers()
    made: list[tuple[PlanNode, Sequence[int]]] = []
    for position, node in enumerate(nodes):
        after = followers.get(position, ())
        # Where nothing else follows, no way leads out of the pair and back.
        if isinstance(node.call, PlacedGradient) and len(after) == 1:
            mask = nodes[after[0]]
            if _goes_to(node, mask) and arranged.handed_on(position) is not None:
                made.append((MaskedGradient(node, mask, arranged.lines), (position, *after)))
    return arranged.put_in_place(made)


def _goes_to(node: PlanNode, mask: PlanNode) -> bool:
    """Whether the mask is that of what was pooled, and of what becomes of it nothing else."""
    return (
        mask.op in _MASKS
        and is_plain(mask)
        and mask.guard == node.guard
        and mask.inputs == (node.outputs[0], node.inputs[0])
        and not any(node.adapters)
    )
