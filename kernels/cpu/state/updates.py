"""Kernels that update a variable by a dense gradient: compiled for float32, and block by block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from dataflow.kernels.contract.registry import KernelNode, override
from dataflow.kernels.ops.state import updates as generic
from dataflow.kernels.optimizers.rule import Noted, Rule, Update
from dataflow.kernels.optimizers.rules import DENSE_RULES
from dataflow.kernels.optimizers.update_program import LEAST, programs_of
from dataflow.kernels.optimizers.variable_updates import stored
from dataflow.kernels.threads.parallel import split
from dataflow.values import dtypes

_BLOCK: Final = 1 << 15
"""Elements that an update works on at a time, so that what it computes stays in the cache."""
_GRAIN: Final = 2
"""Blocks that are worth a thread."""


def _change_of(rule: Rule) -> generic.MakeChange:
    at = generic.gradient_place(rule)
    program_for = programs_of(rule, rule.arguments.split())

    def make(node: KernelNode, xp: Any) -> generic.Change:
        noted = Noted(node)
        update = rule.bind(noted, xp)
        may_have_formula = node.attr("T") == dtypes.float32
        choices = tuple(sorted(noted.asked.items()))

        def change(targets: Sequence[Any], arguments: list[Any], are_scalars: bool) -> Any:
            grad = arguments[at]
            is_large = may_have_formula and are_scalars and grad.size >= LEAST
            program = program_for(choices) if is_large else None
            if program is None or not program.run(targets, grad, arguments):
                _apply(update, targets, arguments, at)
            return [stored(target) for target in targets]

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
