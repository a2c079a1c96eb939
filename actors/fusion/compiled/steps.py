"""What nodes do, in functions that programs may have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from dataflow.actors.nodes.plan_node import NOT_CONSTANT, PlanNode
from dataflow.kernels.elementwise import formula_program
from dataflow.kernels.elementwise.formula import steps_told
from dataflow.kernels.elementwise.formula_program import Numbers
from dataflow.kernels.elementwise.steps import Step
from dataflow.kernels.native.program import LETTERS, REPEATED, Held, Instruction, Operand

_BY_OP: Final = {"Cast": (Step("cast", (0,)),), "ZerosLike": (Step("zeros", (0,)),)}
_BROADCAST: Final = frozenset({"BiasAdd", "BiasAddV1"})
"""Ops, besides those that say so, whose operands may be repeated for the rows of others."""
_LEADING: Final = frozenset({"Select"})
"""Ops whose first input may have one truth value for each row of the others."""


def steps_of(node: PlanNode) -> tuple[Step, ...]:
    """What a node does; nothing if it does not tell."""
    if node.op in _BY_OP:
        return _BY_OP[node.op]
    call: Any = node.call
    if type(call) is np.ufunc:
        return (Step(call.__name__, tuple(range(len(node.inputs)))),)
    return steps_told(call)


def instructions_of(
    node: PlanNode,
    inputs: Sequence[int | Held],
    types: Sequence[str],
    first: int,
    numbers: Numbers,
) -> list[Instruction] | None:
    """What a node does as instructions; see the function of that name for steps."""
    wanted = LETTERS.get(node.seen[-1].dtype)
    return formula_program.instructions_of(steps_of(node), inputs, types, first, numbers, wanted)


def constant_of(node: PlanNode, place: int) -> np.generic | None:
    """An input that is always the same number."""
    value: Any = node.constants[place] if node.constants else NOT_CONSTANT
    if value is NOT_CONSTANT or node.adapters[place] is not None:
        return None
    if type(value) is not np.ndarray and not isinstance(value, np.generic):
        return None
    found: Any = value
    return found[()] if not found.shape and found.dtype in LETTERS else None


def operand_of(node: PlanNode, place: int) -> Operand | None:
    """An input as an operand; None if it cannot be one."""
    seen, result = node.seen[place], node.seen[-1]
    letter = LETTERS.get(seen.dtype)
    first = len(result.shape) - len(seen.shape)
    if letter is None or first < 0:
        return None
    if result.order is not None and seen.shape:
        # All of them are turned, so that they lie in C order.
        is_whole = seen.shape == result.shape and seen.order == result.order
        return Operand(letter, tuple(range(len(seen.shape))), True) if is_whole else None
    if not seen.in_order and not is_put_in_order(node, place):
        return None
    if node.op in _LEADING and place == 0 and len(seen.shape) == 1:
        first = 0
    elif not node.broadcasts and node.op not in _BROADCAST and seen.shape not in ((), result.shape):
        return None
    axes = []
    for axis, length in enumerate(seen.shape, first):
        if length not in (1, result.shape[axis]):
            return None
        axes.append(axis if length == result.shape[axis] else REPEATED)
    return Operand(letter, tuple(axes), seen.is_array)


def is_put_in_order(node: PlanNode, place: int) -> bool:
    """Whether an input lies in another order than the result: it is copied first.

    A pass over arrays of two orders takes two to ten times as long as that.
    """
    seen, result = node.seen[place], node.seen[-1]
    return result.order is None and seen.order is not None and seen.shape == result.shape


def can_be_written(node: PlanNode) -> bool:
    """Whether a program may have the node."""
    inputs = [operand_of(node, place) for place in range(len(node.inputs))]
    letters = [one.dtype for one in inputs if one is not None]
    if len(letters) < len(inputs):
        return False
    places = list(range(len(inputs)))
    return instructions_of(node, places, letters, len(inputs), Numbers()) is not None
