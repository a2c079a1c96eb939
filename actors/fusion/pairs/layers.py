"""Puts one node in the place of a convolution and what follows it: a bias, a sum, an activation.

Zeros that are put around its images beforehand are padding of its own.

Whether nodes go together is seen from the plan alone, before it has run: all of its runs have the
same bits. Values that do not fit are computed by the nodes one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from dataflow.actors.fusion.merged_nodes import Arrangement, Rewritten, adapted, is_plain
from dataflow.actors.nodes.binding import Adapter, CallKind
from dataflow.actors.nodes.loop_node import slots_read
from dataflow.actors.nodes.plan_node import NOT_CONSTANT, Lines, PlanNode
from dataflow.kernels.convolution.kept import Bound, Kept
from dataflow.kernels.convolution.layer import LOSING, Border, Layer, Layered, is_readable
from dataflow.kernels.convolution.plans import ACTIVATIONS

_SUMS: Final = ("BiasAdd", "BiasAddV1", "Add", "AddV2")
_READS: Final = frozenset({"ReadVariableOp", "Variable", "VariableV2"})


class Operand(NamedTuple):
    """What is added to the results of a convolution."""

    slot: int
    adapter: Adapter | None
    """How its value is read."""
    constant: Any
    """The value, or NOT_CONSTANT."""


class LayerNode(Rewritten):
    """A convolution with what follows it, and a border before it, as one node."""

    __slots__ = ("_adapters", "_layer", "_taken")

    def __init__(
        self,
        nodes: Sequence[PlanNode],
        operands: Sequence[Operand],
        activation: Sequence[PlanNode],
        kept: Kept | None,
        pad: PlanNode | None,
        lines: Lines,
    ) -> None:
        """Puts nodes together.

        Args:
          nodes: All of them, from the convolution on.
          operands: What is added, in turn.
          activation: The last ones; a Sigmoid and a Mul for a swish.
          kept: Keeps the filters in other layouts, if they are known to change in no other way.
          pad: Puts a border around the images before; None if nothing does.
          lines: Where the lines of code are written down.
        """
        inputs = (*nodes[0].inputs, *(operand.slot for operand in operands))
        self._taken = len(inputs)
        """Inputs that the layer takes; the last one, if there is one more, is the border's size."""
        adapters = (*nodes[0].adapters, *(operand.adapter for operand in operands))
        of_first = nodes[0].constants or (NOT_CONSTANT,) * len(nodes[0].inputs)
        constants = (*of_first, *(operand.constant for operand in operands))
        convolution: Any = nodes[0].call
        border: Border = ()
        if pad is not None:
            border = _border(pad)
            inputs = (pad.inputs[0], *inputs[1:], pad.inputs[1])
            nodes = (pad, *nodes)
        super().__init__(nodes, inputs, nodes[-1].outputs, lines)
        name = "Swish" if len(activation) == 2 else activation[0].op if activation else ""
        finish = activation[0].call if name in LOSING else None
        varying = [i for i in range(self._taken) if adapters[i] or not is_readable(constants[i])]
        self._layer = Layer(convolution.checked, name, finish, kept, border, varying)
        self._adapters = adapters if any(adapters) else None

    def together(self, *values: Any) -> Any:
        """Runs the layer on images, filters and what is added."""
        given: Sequence[Any] = values[: self._taken]
        return self._layer.run(given if self._adapters is None else adapted(given, self._adapters))


def merge_layers(arranged: Arrangement, kept_bytes: int) -> Arrangement:
    """Puts one node in the place of each convolution and what follows it.

    Args:
      arranged: The nodes.
      kept_bytes: How much memory filters in other layouts may take.
    """
    nodes, followers = arranged.nodes, arranged.followers()
    positions = {slot: i for i, node in enumerate(nodes) for slot in node.outputs}
    makers = {slot: nodes[i] for slot, i in positions.items()}
    bound = Bound(kept_bytes)
    made: list[tuple[PlanNode, Sequence[int]]] = []
    taken: set[int] = set()
    for position, node in enumerate(nodes):
        if not isinstance(node.call, Layered) or node.kind is not CallKind.PLAIN:
            continue
        chain, operands = _sums(arranged, position, followers, taken)
        activation = _activation(arranged, chain[-1], followers) if operands else []
        before = _pad_before(arranged, position, positions, followers)
        group = [*before, *chain, *activation]
        if len(group) > 1 or _is_known(node, makers):
            taken.update(group)
            kept = Kept(bound, _constant(node, 1)) if _is_known(node, makers) else None
            members = [nodes[i] for i in (*chain, *activation)]
            acting = [nodes[i] for i in activation]
            pad = nodes[before[0]] if before else None
            made.append((LayerNode(members, operands, acting, kept, pad, arranged.lines), group))
    return arranged.put_in_place(made)


def _pad_before(
    arranged: Arrangement,
    position: int,
    positions: Mapping[int, int],
    followers: Mapping[int, Sequence[int]],
) -> list[int]:
    """The node that does nothing but put zeros around the images of a convolution, or none."""
    node = arranged.nodes[position]
    before = positions.get(node.inputs[0])
    if before is None or tuple(followers.get(before, ())) != (position,):
        return []
    pad = arranged.nodes[before]
    if pad.op != "Pad" or not is_plain(pad) or pad.guard != node.guard:
        return []
    is_inner = arranged.handed_on(before) is not None and node.adapters[0] is None
    is_once = slots_read(node).count(node.inputs[0]) == 1
    return [before] if is_inner and is_once and _constant(pad, 1) and _border(pad) else []


def _border(pad: PlanNode) -> Border:
    """The border that a node with constant sizes puts around images; empty if it is none."""
    sizes = np.asarray(pad.constants[1])
    if sizes.ndim != 2 or sizes.shape[1:] != (2,) or len(sizes) < 3 or (sizes < 0).any():
        return ()
    first, *spatial, last = [(int(a), int(b)) for a, b in sizes]
    return () if any((*first, *last)) else spatial


def _sums(
    arranged: Arrangement,
    start: int,
    followers: Mapping[int, Sequence[int]],
    taken: set[int],
) -> tuple[list[int], list[Operand]]:
    """A convolution with one or two sums behind it, and what is added."""
    nodes = arranged.nodes
    chain = [start]
    operands: list[Operand] = []
    while len(chain) < 3:
        slot = arranged.handed_on(chain[-1])
        after = followers.get(chain[-1], ())
        # Where nothing else follows, no way leads out of the chain and back.
        if slot is None or len(after) != 1 or after[0] in taken:
            break
        (position,) = after
        node = nodes[position]
        is_sum = node.op in _SUMS and node.kind is CallKind.PLAIN
        if not is_sum or node.guard != nodes[start].guard or slots_read(node).count(slot) != 1:
            break
        place = 1 - node.inputs.index(slot)
        chain.append(position)
        constant = node.constants[place] if node.constants else NOT_CONSTANT
        operands.append(Operand(node.inputs[place], node.adapters[place], constant))
    return chain, operands


def _activation(
    arranged: Arrangement, last: int, followers: Mapping[int, Sequence[int]]
) -> list[int]:
    """The nodes of an activation behind a node, or none."""
    nodes = arranged.nodes
    slot, after = arranged.handed_on(last), sorted(followers.get(last, ()))
    if slot is None or not all(
        is_plain(nodes[i]) and nodes[i].guard == nodes[last].guard for i in after
    ):
        return []
    ops = [nodes[i].op for i in after]
    if len(after) == 1 and ops[0] in ACTIVATIONS and slots_read(nodes[after[0]]) == (slot,):
        return list(after)
    if ops != ["Sigmoid", "Mul"] or tuple(followers.get(after[0], ())) != (after[1],):
        return []
    gate = arranged.handed_on(after[0])
    is_swish = gate is not None and sorted(nodes[after[1]].inputs) == sorted((slot, gate))
    return after if is_swish and slots_read(nodes[after[0]]) == (slot,) else []


def _constant(node: PlanNode, place: int) -> bool:
    return bool(node.constants) and node.constants[place] is not NOT_CONSTANT


def _is_known(node: PlanNode, makers: Mapping[int, PlanNode]) -> bool:
    """Whether its filters are constant, or a variable's: no array that the user may write to."""
    if _constant(node, 1):
        return True
    maker = makers.get(node.inputs[1])
    while maker is not None and maker.op == "Identity":
        maker = makers.get(maker.inputs[0])
    return maker is not None and maker.op in _READS
