"""Kernels that update a variable and its slots by a dense gradient."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.resources import update_together
from dataflow.kernels.ops.state.resource import check_held
from dataflow.kernels.optimizers.checks import (
    GRADIENTS,
    check_initialized,
    check_same_shape,
    check_scalars,
    check_slots,
)
from dataflow.kernels.optimizers.rule import Chosen, Noted, Rule, Update
from dataflow.kernels.optimizers.rules import DENSE_RULES
from dataflow.kernels.optimizers.update_formula import Formula, NoFormula
from dataflow.kernels.optimizers.update_program import LEAST, UpdateProgram
from dataflow.kernels.optimizers.update_steps import UpdateSteps
from dataflow.kernels.optimizers.variable_updates import stored, writable
from dataflow.kernels.threads.parallel import split
from dataflow.values import dtypes

_BLOCK: Final = 1 << 15
"""Elements that an update works on at a time, so that what it computes stays in the cache."""
_GRAIN: Final = 2
"""Blocks that are worth a thread."""


class _Compiled:
    """A rule for float32 variables, for all nodes with the same attrs.

    Most variables of a step get the same hyperparameters: what these make is computed once.
    """

    def __init__(self, formula: Callable[[], Formula], grad: int) -> None:
        """Compiles nothing yet.

        Args:
          formula: Makes the rule's formula; raises NoFormula.
          grad: The place of the gradient among the arguments.
        """
        self._formula: Final = formula
        self._grad: Final = grad

    @functools.cached_property
    def program(self) -> UpdateProgram | None:
        """For large variables."""
        try:
            return UpdateProgram(self._formula())
        except NoFormula:
            return None

    @functools.cached_property
    def steps(self) -> UpdateSteps | None:
        """For others."""
        try:
            return UpdateSteps(self._formula(), self._grad)
        except NoFormula:
            return None


def _bind(rule: Rule) -> Callable[[KernelNode, Any], Callable[..., Any]]:
    count = len(rule.variables.split())
    names = rule.arguments.split()
    at = next(i for i, name in enumerate(names) if name in GRADIENTS)
    scalars = [i for i in range(len(names)) if i != at]

    @functools.cache
    def compiled_for(choices: tuple[tuple[str, Any], ...]) -> _Compiled:
        # By the values of the attrs alone: a node dies before the process.
        chosen = Chosen(dict(choices))
        return _Compiled(
            lambda: Formula(lambda xp: rule.bind(chosen, xp), count, len(names), at), at
        )

    def bind(node: KernelNode, xp: Any) -> Callable[..., Any]:
        noted = Noted(node)
        update = rule.bind(noted, xp)
        is_ref = not node.op.startswith("Resource")
        dtype = node.attr("T")
        may_have_formula = xp is np and dtype == dtypes.float32
        compiled = compiled_for(tuple(sorted(noted.asked.items())))

        def check(cells: Sequence[Any], values: Sequence[Any], grad: Any) -> None:
            if not is_ref:
                check_initialized(rule, cells, values)
                for cell, value in zip(cells, values, strict=True):
                    check_held(cell, value, dtype)
            check_slots(rule, values)
            check_same_shape(np.shape(values[0]), names[at], np.shape(grad))

        def run(*inputs: Any) -> Any:
            cells, arguments = inputs[:count], list(inputs[count:])
            grad = arguments[at]
            are_scalars = True
            for i in scalars:
                are_scalars = are_scalars and isinstance(arguments[i], np.generic)
            if rule.limits or not are_scalars:
                given = dict(zip(names, arguments, strict=True))
                check_scalars(xp, rule, given, may_be_zero=False)
            has_formula = may_have_formula and are_scalars and grad.ndim

            def change(values: list[Any], owned: list[bool]) -> list[Any]:
                targets = values
                for cell, value, is_owned in zip(cells, values, owned, strict=True):
                    # Whatever is not as it nearly always is gets looked at more closely.
                    if not (
                        is_owned
                        and value.shape == grad.shape
                        and cell.dtype is dtype
                        and value.flags.c_contiguous
                    ):
                        check(cells, values, grad)
                        pairs = zip(values, owned, strict=True)
                        targets = [writable(xp, value, owned) for value, owned in pairs]
                        break
                if not has_formula:
                    _apply(xp, update, targets, arguments, at)
                    return [stored(target) for target in targets]
                passes = compiled.program if grad.size >= LEAST else None
                if passes is None or not passes.run(targets, grad, arguments):
                    _apply(xp, compiled.steps or update, targets, arguments, at)
                return targets

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
