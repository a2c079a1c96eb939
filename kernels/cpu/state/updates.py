"""Kernels that update a variable by a dense gradient: compiled for float32, and block by block."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final

from dataflow.kernels.contract.registry import KernelNode, override
from dataflow.kernels.elementwise.stand_ins import NoFormula
from dataflow.kernels.ops.state import updates as generic
from dataflow.kernels.optimizers.rule import Chosen, Noted, Rule, Update
from dataflow.kernels.optimizers.rules import DENSE_RULES
from dataflow.kernels.optimizers.update_formula import Formula
from dataflow.kernels.optimizers.update_program import LEAST, UpdateProgram
from dataflow.kernels.optimizers.update_steps import UpdateSteps
from dataflow.kernels.optimizers.variable_updates import stored
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


def _change_of(rule: Rule) -> generic.MakeChange:
    variables, arguments_count = len(rule.variables.split()), len(rule.arguments.split())
    at = generic.gradient_place(rule)

    @functools.cache
    def compiled_for(choices: tuple[tuple[str, Any], ...]) -> _Compiled:
        # By the values of the attrs alone: a node dies before the process.
        chosen = Chosen(dict(choices))
        return _Compiled(
            lambda: Formula(lambda xp: rule.bind(chosen, xp), variables, arguments_count, at), at
        )

    def make(node: KernelNode, xp: Any) -> generic.Change:
        noted = Noted(node)
        update = rule.bind(noted, xp)
        may_have_formula = node.attr("T") == dtypes.float32
        compiled = compiled_for(tuple(sorted(noted.asked.items())))

        def change(targets: Sequence[Any], arguments: list[Any], are_scalars: bool) -> Any:
            grad = arguments[at]
            if not (may_have_formula and are_scalars and grad.ndim):
                _apply(update, targets, arguments, at)
                return [stored(target) for target in targets]
            passes = compiled.program if grad.size >= LEAST else None
            if passes is None or not passes.run(targets, grad, arguments):
                _apply(compiled.steps or update, targets, arguments, at)
            return targets

        return change

    return make


def _apply(update: Update, targets: Sequence[Any], arguments: list[Any], at: int) -> None:
    """Runs an update on the whole arrays, or on one block of them after the other."""
    size = targets[0].size
    if size <= _BLOCK:
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
    override(generic.BINDS[_name], device="CPU")(generic.bind_by(_rule, _change_of(_rule)))
