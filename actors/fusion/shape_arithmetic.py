"""Finds what is computed from shapes alone, and computes it once for each shape.

Gradients ask at every step how operands were broadcast, which axes to add up, how many elements a
mean was taken of. With a batch of unknown size that is as many nodes as the arithmetic itself; the
answers differ only where shapes do.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

import numpy as np

from dataflow.actors.code.one_by_one import OneByOne
from dataflow.actors.fusion.groups import connected, put_together
from dataflow.actors.fusion.merged_nodes import Arrangement, MergedNode, inputs_of
from dataflow.actors.nodes.binding import CallKind
from dataflow.actors.nodes.plan_node import NOT_CONSTANT, Condition, Lines, PlanNode
from dataflow.actors.step.step import Step

_SOURCES: Final = frozenset({"Shape", "ShapeN", "Size", "Rank"})
"""Ops that look at nothing of their inputs but the shapes."""
_ARITHMETIC: Final = frozenset(
    {
        "Add",
        "AddV2",
        "BroadcastArgs",
        "BroadcastGradientArgs",
        "Cast",
        "ConcatOffset",
        "ConcatV2",
        "Div",
        "Equal",
        "ExpandDims",
        "FloorDiv",
        "FloorMod",
        "GatherV2",
        "Greater",
        "GreaterEqual",
        "InvertPermutation",
        "Less",
        "LessEqual",
        "LogicalAnd",
        "LogicalNot",
        "LogicalOr",
        "Max",
        "Maximum",
        "Min",
        "Minimum",
        "Mul",
        "Neg",
        "NotEqual",
        "Pack",
        "Prod",
        "Range",
        "RealDiv",
        "Reciprocal",
        "Reshape",
        "ReverseV2",
        "Rsqrt",
        "Select",
        "SelectV2",
        "Slice",
        "Split",
        "SplitV",
        "Sqrt",
        "Square",
        "Squeeze",
        "StridedSlice",
        "Sub",
        "Sum",
        "TruncateDiv",
        "Unpack",
    }
)
"""Ops that give the same for the same inputs, which they need as values."""
_COST: Final = 0.5e-6
"""Seconds of looking values up."""
_KEPT: Final = 64
"""Combinations of shapes that are remembered."""
_LARGEST: Final = 1 << 10
"""Elements of all values together, up to which they are."""

Key = tuple[tuple[int, ...] | bytes, ...]


class ShapeNode(MergedNode):
    """Nodes that compute with shapes as one node of their plan."""

    __slots__ = ("_known", "_one_by_one", "_whole")

    def __init__(self, nodes: Sequence[PlanNode], outputs: Sequence[int], lines: Lines) -> None:
        constants = {
            slot: value
            for node in nodes
            for slot, value in zip(node.inputs, node.constants, strict=False)
            if value is not NOT_CONSTANT
        }
        inputs = tuple(slot for slot in inputs_of(nodes) if slot not in constants)
        super().__init__(nodes, self.run, inputs, outputs)
        self.cost, self.has_declared_cost = _COST, True
        needed = {slot for node in nodes if node.op not in _SOURCES for slot in node.inputs}
        self._whole = tuple(place for place, slot in enumerate(inputs) if slot in needed)
        """Places of the inputs of which more than the shape is needed, answers themselves."""
        self._one_by_one = OneByOne(nodes, inputs, outputs, lines, constants)
        self._known: dict[Key, Any] = {}

    def run(self, step: Step, *values: Any) -> Any:
        """What the nodes make of values of these shapes."""
        try:
            key: Key = tuple([value.shape for value in values])
        except AttributeError:
            return self._one_by_one(step, values)
        if self._whole:
            key += tuple([values[place].tobytes() for place in self._whole])
        known = self._known.get(key)
        return self._compute(step, values, key) if known is None else known

    def _compute(self, step: Step, values: Sequence[Any], key: Key) -> Any:
        made = self._one_by_one(step, values)
        results = made if isinstance(made, list) else [made]
        arrays = [result for result in results if isinstance(result, np.ndarray)]
        if sum(array.size for array in arrays) <= _LARGEST:
            for array in arrays:
                array.flags.writeable = False
            if len(self._known) >= _KEPT:
                self._known.clear()
            self._known[key] = made
        return made


def remember_shapes(arranged: Arrangement) -> Arrangement:
    """Puts one node in the place of connected ones that compute with shapes."""
    known: set[int] = set()
    keys: list[tuple[Condition, ...] | None] = []
    for node in arranged.nodes:
        is_known = _depends_on_shapes(node, known)
        keys.append(node.guard if is_known else None)
        if is_known:
            known.update(node.outputs)
    found = connected(arranged.may_be_one(keys), arranged.predecessors)
    groups = [group for group in found if len(group) > 1]
    return put_together(arranged, groups, ShapeNode)


def _depends_on_shapes(node: PlanNode, known: Collection[int]) -> bool:
    """True if a node looks at nothing but shapes, constants, and what is made of these."""
    if node.kind is not CallKind.PLAIN or any(node.adapters):
        return False
    if node.op in _SOURCES:
        return bool(node.inputs) and not node.constants
    if node.op not in _ARITHMETIC:
        return False
    constants = node.constants or (NOT_CONSTANT,) * len(node.inputs)
    return all(
        slot in known or constant is not NOT_CONSTANT
        for slot, constant in zip(node.inputs, constants, strict=True)
    )
