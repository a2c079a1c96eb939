"""Kernels that update a variable and its slots by a dense gradient."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.registry import Bind, KernelNode, kernel
from dataflow.kernels.contract.resources import update_together
from dataflow.kernels.ops.state.resource import check_held
from dataflow.kernels.optimizers.checks import (
    GRADIENTS,
    check_initialized,
    check_same_shape,
    check_scalars,
    check_slots,
)
from dataflow.kernels.optimizers.rule import Rule
from dataflow.kernels.optimizers.rules import DENSE_RULES
from dataflow.kernels.optimizers.variable_updates import stored, writable

Change = Callable[[Sequence[Any], list[Any], bool], Sequence[Any]]
"""`f(targets, arguments, are_scalars)` changes arrays in place: what the variables hold then."""
MakeChange = Callable[[KernelNode, Any], Change]
"""`make(node, xp)`."""


def _whole(rule: Rule) -> MakeChange:
    """Changes whole arrays."""

    def make(node: KernelNode, xp: Any) -> Change:
        update = rule.bind(node, xp)

        def change(targets: Sequence[Any], arguments: list[Any], are_scalars: bool) -> Any:
            update(*targets, *arguments)
            return [stored(target) for target in targets]

        return change

    return make


def gradient_place(rule: Rule) -> int:
    """The place of the gradient among a rule's arguments."""
    return next(i for i, name in enumerate(rule.arguments.split()) if name in GRADIENTS)


def bind_by(rule: Rule, make_change: MakeChange) -> Bind:
    """The bind function of a rule."""
    count = len(rule.variables.split())
    names = rule.arguments.split()
    at = gradient_place(rule)
    scalars = [i for i in range(len(names)) if i != at]

    def bind(node: KernelNode, xp: Any) -> Callable[..., Any]:
        change_targets = make_change(node, xp)
        is_ref = not node.op.startswith("Resource")
        dtype = node.attr("T")

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

            def change(values: list[Any], owned: list[bool]) -> Sequence[Any]:
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
                return change_targets(targets, arguments, are_scalars)

            update_together(cells, change)
            return cells[0] if is_ref else None

        return run

    return bind


BINDS: Final = {name: bind_by(rule, _whole(rule)) for name, rule in DENSE_RULES.items()}
"""The bind function of each rule, by its name."""

for _name, _rule in DENSE_RULES.items():
    _ops = [f"ResourceApply{_name}"]
    if _name not in ("KerasMomentum", "AdamWithAmsgrad"):
        _ops.append(f"Apply{_name}")
    kernel(*_ops, dtypes={"T": _rule.types})(BINDS[_name])
