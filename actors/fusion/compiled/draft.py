"""Makes a program of nodes, and says what it takes and gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dataflow.actors.fusion.compiled.passing import check_of
from dataflow.actors.fusion.compiled.steps import (
    constant_of,
    instructions_of,
    is_put_in_order,
    operand_of,
)
from dataflow.actors.nodes.binding import Adapter
from dataflow.actors.nodes.plan_node import PlanNode
from dataflow.kernels.elementwise.formula_program import Numbers
from dataflow.kernels.memory.orders import Order
from dataflow.kernels.native.program import Check, Held, Instruction, Operand, Program

_Read = tuple[int, Adapter | None]
"""A slot, and how it is read."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A program, and the values that it works on."""

    program: Program
    given: tuple[_Read, ...]
    """Its operands, and what it checks."""
    held: tuple[np.generic, ...]
    """The numbers that it holds."""
    outputs: tuple[int, ...]
    """Slots of what others read,"""
    results: tuple[int, ...]
    """and the number of the program's result for each."""
    copied: frozenset[_Read]
    """Operands that lie in another order than the results, and are copied to that first."""
    order: Order | None
    """The order of axes to which operands are turned first, and from which results are turned back.
    """


def draft(nodes: Sequence[PlanNode], outputs: Sequence[int]) -> Draft | None:
    """The program of nodes in the order to run them; None if they make none.

    Args:
      nodes: Elementwise nodes whose results have one shape, and such that pass these on.
      outputs: Slots of what others read.
    """
    found = _Given.of(nodes)
    if found is None:
        return None
    slots = list(found.operands)
    made: dict[int, int] = {}
    numbers = Numbers()
    instructions: list[Instruction] = []
    letters = {place: operand.dtype for place, operand in enumerate(found.operands.values())}
    for node in nodes:
        if check_of(node) is not None:
            if node.inputs[0] not in made:
                return None
            made[node.outputs[0]] = made[node.inputs[0]]
            continue
        inputs: list[int | Held] = []
        for position, read in enumerate(zip(node.inputs, node.adapters, strict=True)):
            constant = constant_of(node, position)
            if read[0] in made:
                inputs.append(made[read[0]])
            else:
                inputs.append(slots.index(read) if constant is None else numbers.hold(constant))
        types = [letters[i] if isinstance(i, int) else i.dtype for i in inputs]
        first = len(slots) + len(instructions)
        steps = instructions_of(node, inputs, types, first, numbers)
        if steps is None:
            return None
        letters.update((first + number, step.dtype) for number, step in enumerate(steps))
        instructions += steps
        made[node.outputs[0]] = first + len(steps) - 1
    places = tuple(dict.fromkeys(made[slot] for slot in outputs))
    program = Program(
        len(nodes[0].seen[-1].shape),
        tuple(found.operands.values()),
        tuple(instructions),
        places,
        tuple(found.checks.values()),
    )
    results = tuple(places.index(made[slot]) for slot in outputs)
    given = (*slots, *found.checks)
    order, held = nodes[0].seen[-1].order, tuple(numbers.values)
    return Draft(program, given, held, tuple(outputs), results, frozenset(found.copied), order)


@dataclass(slots=True)
class _Given:
    """What nodes take from outside."""

    operands: dict[_Read, Operand]
    checks: dict[_Read, Check]
    copied: set[_Read]

    @classmethod
    def of(cls, nodes: Sequence[PlanNode]) -> _Given | None:
        """Finds it; None if one thing is wanted in two ways, or along an axis all is repeated."""
        made = {node.outputs[0] for node in nodes}
        found = cls({}, {}, set())
        for node in nodes:
            check = check_of(node)
            if check is not None:
                if found.checks.setdefault((node.inputs[1], None), check) != check:
                    return None
                continue
            for position, read in enumerate(zip(node.inputs, node.adapters, strict=True)):
                if read[0] in made or constant_of(node, position) is not None:
                    continue
                operand = operand_of(node, position)
                if operand is None or found.operands.setdefault(read, operand) != operand:
                    return None
                if is_put_in_order(node, position):
                    found.copied.add(read)
        extents = [o.extent for o in found.operands.values() if o.is_array]
        axes = frozenset(range(len(nodes[0].seen[-1].shape)))
        return found if frozenset().union(*extents) == axes else None
