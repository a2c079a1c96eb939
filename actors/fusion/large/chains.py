"""Which elementwise nodes of a cluster follow each other so that one call can do them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from dataflow.actors.fusion.large.shapes import Extent, find_grid
from dataflow.actors.nodes.plan_node import NOT_CONSTANT, PlanNode
from dataflow.kernels.elementwise.chained import GIVEN, LONGEST, Operation
from dataflow.kernels.elementwise.chains import EXTREMES

_SHORT: Final = 64
"""Elements of a row below which repeating a number for each row is slow."""

_FLOAT32: Final = np.dtype(np.float32)
_BEGIN: Final = Operation("multiply", 1.0)

Place = tuple[PlanNode, int]
"""An input of a node."""


@dataclass(frozen=True, slots=True)
class _Input:
    """Stands for an input in what a node does."""

    place: int


Operations = Sequence[tuple[str, Any]]
"""Names of operations; None for their operands if they have none, numbers, or inputs."""

_NEGATIVE: Final = (("multiply", -1.0),)
_COMMUTATIVE: Final[Mapping[Any, str]] = {np.add: "add", np.multiply: "multiply"}
_EXTREMES: Final[Mapping[Any, str]] = {np.maximum: "maximum", np.minimum: "minimum"}
"""Of two equal numbers, as zeros of both signs are, the second one is the result."""
_UNARY: Final[Mapping[Any, Operations]] = {
    np.square: (("square", None),),
    np.sqrt: (("sqrt", None),),
    np.absolute: (("absolute", None),),
    np.reciprocal: (("reciprocal", None),),
    np.negative: _NEGATIVE,
}


@dataclass(frozen=True, slots=True)
class Chain:
    """Nodes of which each is the only one that reads what the one before it has made."""

    nodes: tuple[PlanNode, ...]
    operations: tuple[Operation, ...]
    source: Place
    operands: tuple[Place, ...]
    """What is given to the operations that take something, in order."""
    repeated: frozenset[Extent]
    """How operands are repeated that are neither whole nor numbers."""

    def followed_by(self, other: Chain) -> Chain:
        """Both, the source of the other one left out."""
        return Chain(
            self.nodes + other.nodes,
            self.operations + other.operations,
            self.source,
            self.operands + other.operands,
            self.repeated | other.repeated,
        )

    @property
    def begun(self) -> Chain:
        """With an operation in front that changes nothing if the first one has no operand."""
        if self.operations[0].operand is not None:
            return self
        return replace(self, operations=(_BEGIN, *self.operations))

    @property
    def pays(self) -> bool:
        """Whether it takes less time than its nodes."""
        # With a number numpy takes longer for an extreme than with an array.
        (first, *others) = self.operations
        return bool(others) or (first.name in EXTREMES and first.operand is not GIVEN)

    @property
    def fits(self) -> bool:
        """Whether one call can do it, with one more operation."""
        return len(self.operations) < LONGEST and len(self.repeated) <= 1


def in_chains(nodes: Sequence[PlanNode], outputs: Collection[int]) -> list[Chain | PlanNode]:
    """Puts chains in the place of the nodes in them.

    Args:
      nodes: The nodes of a cluster in an order in which they can run.
      outputs: Slots that others read.

    Returns:
      Chains that pay and the other nodes, in an order in which they can run.
    """
    reads = Counter(slot for node in nodes for slot in node.inputs)
    found: dict[int, Chain] = {}
    for node in nodes:
        longest: Chain | None = None
        for through, slot in enumerate(node.inputs):
            chain = _chain_of(node, through)
            if chain is None:
                continue
            before = None if slot in outputs else found.get(slot)
            if before is not None and reads[slot] == _uses(chain, slot):
                joined = before.followed_by(chain)
                chain = joined if joined.fits else chain
            if longest is None or len(chain.nodes) > len(longest.nodes):
                longest = chain
        if longest is not None:
            for earlier in longest.nodes[:-1]:
                found.pop(earlier.outputs[0], None)
            found[node.outputs[0]] = longest
    units: list[Chain | PlanNode] = []
    found = {slot: chain for slot, chain in found.items() if chain.pays}
    inside = {id(node) for chain in found.values() for node in chain.nodes}
    for node in nodes:
        last = found.get(node.outputs[0])
        if last is not None:
            units.append(last.begun)
        elif id(node) not in inside:
            units.append(node)
    return units


def _uses(chain: Chain, slot: int) -> int:
    """How often a lone node reads a slot, if it does so only as the source; else 0."""
    (node,) = chain.nodes
    if any(node.inputs[index] == slot for _, index in chain.operands):
        return 0
    return node.inputs.count(slot)


def _chain_of(node: PlanNode, through: int) -> Chain | None:
    """What a node does with one of its inputs; None if no operation does that."""
    seen = node.seen
    if any(one.dtype != _FLOAT32 for one in seen):
        return None
    shapes, result = [one.shape for one in seen[:-1]], seen[-1].shape
    if shapes[through] != result or not seen[through].is_array:
        return None
    formula = _of_function(node, through)
    grid = find_grid(shapes, [shape == result for shape in shapes]) if formula else None
    if formula is None or grid is None or 1 < grid.length < _SHORT:
        return None
    operations: list[Operation] = []
    operands: list[Place] = []
    for name, operand in formula:
        if isinstance(operand, _Input):
            constant = node.constants[operand.place] if node.constants else NOT_CONSTANT
            if isinstance(constant, np.generic):
                operand = float(constant)
            else:
                operands.append((node, operand.place))
                operand = GIVEN
        operations.append(Operation(name, operand))
    extents = {grid.extents[index] for _, index in operands}
    repeated = frozenset(extents & {Extent.ROW, Extent.COLUMN})
    return Chain((node,), tuple(operations), (node, through), tuple(operands), repeated)


def _of_function(node: PlanNode, through: int) -> Operations | None:
    """The operations of a function of numpy's; None if it is none, or there are none."""
    function = node.call
    if type(function) is not np.ufunc:
        return None
    if function in _UNARY:
        return _UNARY[function]
    if function is np.multiply and node.inputs[0] == node.inputs[1]:
        return (("square", None),)
    other = _Input(1 - through)
    if function in _EXTREMES and (not through or _is_no_zero(node, 0)):
        return ((_EXTREMES[function], other),)
    if function in _COMMUTATIVE:
        return ((_COMMUTATIVE[function], other),)
    if function is np.subtract:
        return (("subtract", other),) if not through else (*_NEGATIVE, ("add", other))
    if function is np.true_divide and not through:
        return (("divide", other),)
    return None


def _is_no_zero(node: PlanNode, place: int) -> bool:
    """Whether an input is a constant number other than 0."""
    constant = node.constants[place] if node.constants else NOT_CONSTANT
    return isinstance(constant, np.generic) and bool(constant)
