"""Rows for stacks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from dataflow.values import dtypes
from tests.ops.case import NUMBERS
from tests.ops.nodes import imported, old_nodes
from tests.ops.program import Inputs, Program, Step, fails, fails_alike, refused_alike, run

EVERY = (*NUMBERS, "bool", "string")
Action = Callable[[Inputs, Any], Any]


def _push(value: Any, **attrs: Any) -> Action:
    return lambda v, stack: v.tf.raw_ops.StackPushV2(
        handle=stack, elem=v.array(value) if isinstance(value, (int, list)) else value, **attrs
    )


def _pop(v: Inputs, stack: Any) -> Any:
    return v.tf.raw_ops.StackPopV2(handle=stack, elem_type=v.element)


def _close(v: Inputs, stack: Any) -> Any:
    return v.tf.raw_ops.StackCloseV2(handle=stack)


def _use(v: Inputs, actions: Sequence[Action], limit: Any = -1, **attrs: Any) -> list[Any]:
    """Does one thing to a stack after the other, and gives what they give."""
    stack = v.tf.raw_ops.StackV2(max_size=v.hidden(limit, np.int32), elem_type=v.element, **attrs)
    results: list[Any] = []
    for action in actions:
        with v.tf.control_dependencies(results[-1:]):
            results.append(action(v, stack))
    return results


def _types(tf: Any, v: Inputs) -> Iterator[Step]:
    """Last in, first out; each step starts with an empty stack."""
    one, other = _push(v.fed(v.any(2, 3))), _push(v.fed(v.any()), swap_memory=True)
    actions = [one, other, _pop, other, _pop, _pop, _close, _close]
    used = _use(v, actions, limit=2, stack_name="mine")
    for _ in range(2):
        yield run(*used)


def _misused(tf: Any, v: Inputs) -> Iterator[Step]:
    for actions, limit in (
        ([_pop], -1),
        ([_push(1), _pop, _pop], -1),
        ([_push(1), _push(2), _pop], 1),
        ([_push(1), _pop], 0),
        ([_push(1), _pop], [1, 2]),
        ([_push(np.int32(1)), _pop], -1),
        ([_close, _push(1), _pop], -1),
        ([_push(1), _close, _pop], -1),
    ):
        yield fails_alike(_use(v, actions, limit)[-1])
    for shape in ([3], [2, 3]):
        handle = tf.placeholder(tf.resource, shape)
        yield refused_alike(lambda handle=handle: _close(v, handle))


def _old(tf: Any, v: Inputs) -> Iterator[Step]:
    nodes = old_nodes()
    kind = dtypes.as_dtype(v.name)
    nodes.add("Stack", "stack", elem_type=kind)
    nodes.add("Placeholder", "value", dtype=kind)
    nodes.add("StackPush", "push", ["stack", "value"], T=kind)
    nodes.add("StackPop", "pop", ["stack", "^push"], elem_type=kind)
    nodes.add("StackClose", "close", ["stack", "^pop"])
    nodes.add("StackPop", "again", ["stack", "^pop"], elem_type=kind)
    made = imported(tf, nodes, value=v.fed(v.any(2, 3)))
    for _ in range(2):
        yield run(made["pop"].outputs[0], made["push"].outputs[0], made["close"])
    yield fails("InvalidArgumentError", "is empty", made["again"].outputs[0])


PROGRAMS = [
    Program("StackV2 StackPushV2 StackPopV2 StackCloseV2", _types, EVERY),
    Program("StackV2 StackPushV2 StackPopV2 StackCloseV2", _misused, ("float32",)),
    Program("Stack StackPush StackPop StackClose", _old, EVERY),
]
