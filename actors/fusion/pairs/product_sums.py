"""Adds up products of few rows by products of many, in straight code and in loops.

In straight code the products are operands of a sum. In a loop, one is added to a variable in each
iteration: there the variable holds a sum that is to come, until the loop is left.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from typing import Any, Final

from dataflow.actors.code.one_by_one import OneByOne
from dataflow.actors.fusion.merged_nodes import (
    Arrangement,
    MergedNode,
    Rewritten,
    inputs_of,
    is_plain,
)
from dataflow.actors.nodes.binding import ENDS, Adapter, CallKind
from dataflow.actors.nodes.loop_node import slots_read
from dataflow.actors.nodes.plan_node import Lines, PlanNode
from dataflow.actors.step.step import Step
from dataflow.kernels.products.matrix_product import MatrixProduct
from dataflow.kernels.products.row_sums import RowSum

_ADDS: Final = frozenset({"Add", "AddV2"})


class ProductSum(Rewritten):
    """Products of matrices, added up along their rows, and the sum of them as one node."""

    __slots__ = ("_call", "_others", "_pairs")

    def __init__(self, products: Sequence[PlanNode], total: PlanNode, lines: Lines) -> None:
        """Puts nodes together.

        Args:
          products: The products.
          total: What adds them up, and maybe more.
          lines: Where the lines of code that runs them one by one are written down.
        """
        nodes = (*products, total)
        slots = inputs_of(nodes)
        super().__init__(nodes, slots, total.outputs, lines, timed=nodes)
        self._call: Any = products[0].call
        self._pairs = [[slots.index(slot) for slot in product.inputs] for product in products]
        made = {product.outputs[0] for product in products}
        self._others = [
            (slots.index(slot), adapter)
            for slot, adapter in zip(total.inputs, total.adapters, strict=True)
            if slot not in made
        ]

    def together(self, *values: Any) -> Any:
        """The sum."""
        rows = RowSum(self._call)
        for left, right in self._pairs:
            if not rows.take(values[left], values[right]):
                return None
        found = rows.result()
        for place, adapter in self._others:
            other = values[place] if adapter is None else adapter(values[place])
            if other.shape != found.shape:
                return None
            found += other
        return found


class GatheredProduct(MergedNode):
    """A product of matrices, added up along their rows, that a loop adds to a variable."""

    __slots__ = ("_call", "_one_by_one")

    def __init__(self, product: PlanNode, total: PlanNode, held: int, lines: Lines) -> None:
        """Puts nodes together.

        Args:
          product: The product.
          total: What adds it to the variable.
          held: The variable's slot.
          lines: Where the lines of code that runs them one by one are written down.
        """
        nodes = (product, total)
        inputs = (held, *product.inputs)
        super().__init__(nodes, self.run, inputs, total.outputs, timed=nodes)
        self._call: Any = product.call
        self._one_by_one = OneByOne(nodes, inputs, total.outputs, lines)

    def run(self, step: Step, held: Any, left: Any, right: Any) -> Any:
        """The next value of the variable: a RowSum, or an array if the operands do not fit."""
        rows = held if isinstance(held, RowSum) else RowSum(self._call, held)
        if rows.take(left, right):
            return rows
        return self._one_by_one(step, (rows.result(), left, right))


def join_products(arranged: Arrangement) -> Arrangement:
    """Puts one node in the place of products along rows and of what adds them up."""
    nodes = arranged.nodes
    readers = Counter(slot for node in nodes for slot in slots_read(node))
    products = {
        node.outputs[0]: position
        for position, node in enumerate(nodes)
        if _is_along_rows(node)
        and arranged.handed_on(position) is not None
        and readers[node.outputs[0]] == 1
    }
    if not products:
        return arranged
    made = _gathered(nodes, products, readers, arranged.lines)
    for position, node in enumerate(nodes):
        if node.op == "AddN" and node.kind is CallKind.PLAIN:
            group = [i for slot in node.inputs for i in _added(node, slot, nodes, products)]
            if len(group) > 1:
                joined = ProductSum([nodes[i] for i in group], node, arranged.lines)
                made.append((joined, (*group, position)))
    # Nothing has to wait for a product but who reads it: values do not change.
    later = {i for _, group in made for i in group} & set(products.values())
    before = [tuple(i for i in earlier if i not in later) for earlier in arranged.predecessors]
    return replace(arranged, predecessors=before).put_in_place(made) if made else arranged


def _is_along_rows(node: PlanNode) -> bool:
    """Whether it is a product of which the terms of a sum lie along the rows of both matrices."""
    return is_plain(node) and isinstance(node.call, MatrixProduct) and node.call.axes == (0, 0)


def _added(
    total: PlanNode, slot: int, nodes: Sequence[PlanNode], products: Mapping[int, int]
) -> list[int]:
    """The position of the product that a sum reads from a slot as it is; or none."""
    position = products.get(slot)
    if position is None or total.adapters[total.inputs.index(slot)]:
        return []
    return [position] if nodes[position].guard == total.guard else []


def _gathered(
    nodes: Sequence[PlanNode],
    products: Mapping[int, int],
    readers: Mapping[int, int],
    lines: Lines,
) -> list[tuple[PlanNode, Sequence[int]]]:
    """For a loop whose variables gather products: new nodes, and the positions of the old ones."""
    ends = {node.kind: position for position, node in enumerate(nodes) if node.kind in ENDS}
    if len(ends) < len(ENDS):
        return []
    repeat, leave = nodes[ends[CallKind.REPEAT]], nodes[ends[CallKind.LEAVE]]
    adders = {
        node.outputs[0]: position
        for position, node in enumerate(nodes)
        if node.op in _ADDS and node.kind is CallKind.PLAIN
    }
    made: list[tuple[PlanNode, Sequence[int]]] = []
    gathering = set()
    for held, following, adapter in zip(
        repeat.outputs, repeat.inputs, repeat.adapters, strict=True
    ):
        position = adders.get(following)
        if position is None or adapter or readers[following] != 1:
            continue
        total = nodes[position]
        if readers[held] != 1 + leave.inputs.count(held) or held not in total.inputs:
            continue
        place = total.inputs.index(held)
        group = _added(total, total.inputs[1 - place], nodes, products)
        if group and not total.adapters[place]:
            made.append((GatheredProduct(nodes[group[0]], total, held, lines), (*group, position)))
            gathering.add(held)
    if made:
        made.append((_with_results(leave, gathering), (ends[CallKind.LEAVE],)))
    return made


def _with_results(leave: PlanNode, gathering: Set[int]) -> PlanNode:
    """The end of a loop that hands out the sums of what variables have gathered."""
    changed = copy.copy(leave)
    changed.adapters = tuple(
        partial(_result, adapter) if slot in gathering else adapter
        for slot, adapter in zip(leave.inputs, leave.adapters, strict=True)
    )
    return changed


def _result(adapter: Adapter | None, held: Any) -> Any:
    """The value of a variable that may have gathered products, as it is read."""
    value = held.result() if isinstance(held, RowSum) else held
    return value if adapter is None else adapter(value)
