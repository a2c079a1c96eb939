"""Kernels that update a variable and its slots by a dense gradient."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from dataflow import dtypes
from dataflow.kernels.generic.state_resource import check_held
from dataflow.kernels.optimizer_checks import (
    GRADIENTS,
    check_initialized,
    check_same_shape,
    check_scalars,
    check_slots,
)
from dataflow.kernels.optimizer_rule import Rule, Update
from dataflow.kernels.optimizer_rules import DENSE_RULES
from dataflow.kernels.parallel import split
from dataflow.kernels.registry import KernelNode, kernel
from dataflow.kernels.update_formula import Formula, NoFormula
from dataflow.kernels.update_program import LEAST, UpdateProgram
from dataflow.kernels.variable_updates import stored, update_together, writable

_BLOCK: Final = 1 << 15
"""Elements that an update works on at a time, so that what it computes stays in the cache."""
_GRAIN: Final = 2
"""Blocks that are worth a thread."""


def _bind(rule: Rule) -> Callable[[KernelNode, Any], Callable[..., Any]]:
    count = len(rule.variables.split())
    names = rule.arguments.split()
    at = next(i for i, name in enumerate(names) if name in GRADIENTS)
    scalars = [i for i in range(len(names)) if i != at]

    def bind(node: KernelNode, xp: Any) -> Callable[..., Any]:
        update = rule.bind(node, xp)
        is_ref = not node.op.startswith("Resource")
        dtype = node.attr("T")

        @functools.cache
        def program() -> UpdateProgram | None:
            try:
                formula = Formula(lambda stand_in: rule.bind(node, stand_in), count, len(names), at)
                return UpdateProgram(formula)
            except NoFormula:
                return None

        def run(*inputs: Any) -> Any:
            cells, arguments = inputs[:count], list(inputs[count:])
            if rule.limits or not all(isinstance(arguments[i], np.generic) for i in scalars):
                given = dict(zip(names, arguments, strict=True))
                check_scalars(xp, rule, given, may_be_zero=False)

            def change(values: list[Any], owned: list[bool]) -> list[Any]:
                if not is_ref:
                    check_initialized(rule, cells, values)
                    for cell, value in zip(cells, values, strict=True):
                        check_held(cell, value, dtype)
                check_slots(rule, values)
                check_same_shape(np.shape(values[0]), names[at], np.shape(arguments[at]))
                targets = [writable(xp, v, o) for v, o in zip(values, owned, strict=True)]
                is_large = targets[0].size >= LEAST and xp is np and dtype == dtypes.float32
                passes = program() if is_large else None
                if passes is None or not passes.run(targets, arguments[at], arguments):
                    _apply(xp, update, targets, arguments, at)
                return [stored(target) for target in targets]

            update_together(cells, change)
            return cells[0] if is_ref else None

        return run

    return bind


def _apply(xp: Any, update: Update, targets: Sequence[Any], arguments: list[Any], at: int) -> None:
    """Runs an update on the whole arrays, or on one block of them after the other."""
    size = targets[0].size
    if xp is not np or size <= _BLOCK:
        update(*targets, *arguments)
        return
    flat = [target.reshape(-1) for target in targets]
    grad = arguments[at].reshape(-1)

    def run(first: int, last: int) -> None:
        own = list(arguments)
        for start in range(first * _BLOCK, min(size, last * _BLOCK), _BLOCK):
            block = slice(start, start + _BLOCK)
            own[at] = grad[block]
            update(*[target[block] for target in flat], *own)

    split(-(-size // _BLOCK), _GRAIN, run)


for _name, _rule in DENSE_RULES.items():
    _ops = [f"ResourceApply{_name}"]
    if _name not in ("KerasMomentum", "AdamWithAmsgrad"):
        _ops.append(f"Apply{_name}")
    kernel(*_ops, dtypes={"T": _rule.types})(_bind(_rule))
