"""Computes of a product of matrices only the rows and columns that a slice takes.

The gradient of what a recurrent net joins, its input and its state, is one product, of which the
state's part is read alone where the input needs no gradient.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dataflow.actors.fusion.merged_nodes import Arrangement, Rewritten, adapted, inputs_of
from dataflow.actors.nodes.binding import CallKind
from dataflow.actors.nodes.loop_node import made_by, slots_read
from dataflow.actors.nodes.plan_node import Lines, PlanNode
from dataflow.kernels.contract.parameters import is_fixed
from dataflow.kernels.products.matrix_product import MatrixProduct


class PartialProduct(Rewritten):
    """A product of two matrices and the slice of it as one node."""

    __slots__ = ("_adapters", "_call", "_outer", "_places", "_seen")

    def __init__(self, product: PlanNode, part: PlanNode, lines: Lines) -> None:
        """Puts nodes together.

        Args:
          product: The product.
          part: The slice.
          lines: Where the lines of code that runs them one by one are written down.
        """
        nodes = (product, part)
        slots = inputs_of(nodes)
        super().__init__(nodes, slots, part.outputs, lines, timed=nodes)
        call: Any = product.call
        self._call = call
        self._outer = tuple([1 - axis for axis in call.axes])
        """The axis of each matrix that the terms of a sum do not lie along."""
        self._adapters = product.adapters
        self._places = [slots.index(slot) for slot in (*product.inputs, *part.inputs[1:])]
        self._seen: tuple[Any, Any, Any, Sequence[Any] | None] = (None, None, None, None)
        """A slice that cannot change, the shapes it was taken with, and the parts found then."""

    def together(self, *values: Any) -> Any:
        """The slice of the product."""
        *operands, begin, size = [values[place] for place in self._places]
        parts = self._parts(adapted(operands, self._adapters), begin, size)
        return None if parts is None else self._call(*parts)

    def _parts(self, matrices: Sequence[Any], begin: Any, size: Any) -> Sequence[Any] | None:
        """The parts of the matrices that the slice is the product of; None if it is none."""
        shapes = tuple([x.shape for x in matrices])
        seen_begin, seen_size, seen_shapes, places = self._seen
        if begin is not seen_begin or size is not seen_size or shapes != seen_shapes:
            places = self._places_of(shapes, begin, size)
            if is_fixed(begin) and is_fixed(size):
                self._seen = begin, size, shapes, places
        if places is None:
            return None
        return [x[place] for x, place in zip(matrices, places, strict=True)]

    def _places_of(
        self, shapes: Sequence[tuple[int, ...]], begin: Any, size: Any
    ) -> Sequence[Any] | None:
        """Where the parts are."""
        if begin.shape != (2,) or size.shape != (2,) or any(len(shape) != 2 for shape in shapes):
            return None
        places: list[tuple[slice, ...]] = []
        bounds = zip(begin.tolist(), size.tolist(), strict=True)
        for shape, axis, (first, count) in zip(shapes, self._outer, bounds, strict=True):
            length = shape[axis]
            end = length if count == -1 else first + count
            if not 0 <= first <= end <= length:
                return None
            places.append((slice(None),) * axis + (slice(first, end),))
        return places


def take_parts(arranged: Arrangement) -> Arrangement:
    """Puts one node in the place of each product that only a slice is taken of, and the slice."""
    slices = [i for i, node in enumerate(arranged.nodes) if node.op == "Slice" and _gives_one(node)]
    if not slices:
        return arranged
    followers = arranged.followers()
    readers, makers = _uses(arranged.nodes)
    may_block = any(node.kind is CallKind.BLOCKING for node in arranged.nodes)
    made: list[tuple[PlanNode, Sequence[int]]] = []
    for position in slices:
        group = _group(arranged, position, followers, readers, makers, may_block)
        if group:
            product, part = arranged.nodes[group[0]], arranged.nodes[position]
            made.append((PartialProduct(product, part, arranged.lines), (*group, position)))
    return arranged.put_in_place(made)


def _group(
    arranged: Arrangement,
    position: int,
    followers: Mapping[int, Sequence[int]],
    readers: Mapping[int, Sequence[int]],
    makers: Mapping[int, Sequence[int]],
    may_block: bool,
) -> Sequence[int]:
    """The positions of the product that a slice is all that is read of, and of what is between.

    That is what only passes values on or waits for others.
    """
    nodes = arranged.nodes
    part = nodes[position]
    (slot, *_) = part.inputs
    if any(part.adapters) or slot in arranged.kept:
        return ()
    # A variable of a loop, for one, is made in several places.
    product, *others = makers.get(slot, (position,))
    if others or not _is_product(nodes[product]) or nodes[product].guard != part.guard:
        return ()
    if readers[slot] != [position]:
        return ()
    group = [product]
    for member in group:
        for follower in followers.get(member, ()):
            if follower < position and nodes[follower].kind is CallKind.NOTHING:
                group += () if follower in group else (follower,)
            elif follower < position or (follower > position and may_block):
                # What comes later may wait for the slice as well, unless that waits for it.
                return ()
    return group


def _uses(
    nodes: Sequence[PlanNode],
) -> tuple[Mapping[int, Sequence[int]], Mapping[int, Sequence[int]]]:
    """For each slot the positions of the nodes that read it, and of those that fill it."""
    readers: dict[int, list[int]] = {}
    makers: dict[int, list[int]] = {}
    for position, node in enumerate(nodes):
        for slot in set(slots_read(node)):
            readers.setdefault(slot, []).append(position)
        for slot in made_by([node]):
            makers.setdefault(slot, []).append(position)
    return readers, makers


def _is_product(node: PlanNode) -> bool:
    return isinstance(node.call, MatrixProduct) and _gives_one(node)


def _gives_one(node: PlanNode) -> bool:
    return node.kind is CallKind.PLAIN and len(node.outputs) == 1
