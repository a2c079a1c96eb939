"""Kernels that update rows of a variable and of its slots by a sparse gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.resources import update_together
from dataflow.kernels.ops.state.resource import check_held
from dataflow.kernels.optimizers.checks import (
    check_initialized,
    check_rows,
    check_scalars,
    check_slots,
)
from dataflow.kernels.optimizers.rule import Rule, Update
from dataflow.kernels.optimizers.sparse_rules import SPARSE_RULES
from dataflow.kernels.optimizers.variable_updates import rounds, writable

Bind = Callable[[KernelNode, Any], Callable[..., Any]]
MakeUpdate = Callable[[KernelNode, Any], Update]
"""Takes the node and the array module."""
ChangeRows = Callable[[list[Any], Any, list[Any]], bool]
"""Takes variables, which rows of them, and the other arguments; False if it has done nothing."""


def bind_by(
    rule: Rule,
    make_update: MakeUpdate,
    make_change: Callable[[KernelNode], ChangeRows | None] = lambda node: None,
) -> Bind:
    """The bind function of a rule.

    Args:
      rule: The rule.
      make_update: Makes what updates rows none of which comes twice, of arrays made of them.
      make_change: Makes what changes rows where they are, if there is such a thing.
    """
    count = len(rule.variables.split())
    names = rule.arguments.split()
    grad_at = names.index("grad")
    indices_at = names.index("indices")
    other_names = [name for name in names if name != "indices"]
    scalars = [i for i, name in enumerate(other_names) if name != "grad"]

    def bind(node: KernelNode, xp: Any) -> Callable[..., Any]:
        update, change_rows = make_update(node, xp), make_change(node)
        is_ref = not node.op.startswith("Resource")
        dtype = node.attr("T")
        may_be_zero = "Ftrl" in node.op and node.attr("multiply_linear_by_lr")

        def run(*inputs: Any) -> Any:
            cells, arguments = inputs[:count], list(inputs[count:])
            # Indices of 32 bits are in host memory, whatever the device.
            indices = xp.asarray(arguments.pop(indices_at))
            grad = arguments[grad_at]
            if rule.limits or not all(isinstance(arguments[i], np.generic) for i in scalars):
                given = dict(zip(other_names, arguments, strict=True))
                check_scalars(xp, rule, given, may_be_zero)

            def change(values: list[Any], owned: list[bool]) -> list[Any]:
                if not is_ref:
                    check_initialized(rule, cells, values)
                    for cell, value in zip(cells, values, strict=True):
                        check_held(cell, value, dtype)
                check_slots(rule, values)
                check_rows(xp, rule, np.shape(values[0]), grad, indices)
                if not len(indices):
                    return values
                targets = [writable(xp, v, o) for v, o in zip(values, owned, strict=True)]
                if change_rows is not None and change_rows(targets, indices, arguments):
                    return targets
                for places in rounds(xp, indices, len(targets[0])):
                    rows = indices[places]
                    parts = [target.take(rows, 0) for target in targets]
                    arguments[grad_at] = grad[places]
                    update(*parts, *arguments)
                    for target, part in zip(targets, parts, strict=True):
                        target[rows] = part
                return targets

            update_together(cells, change)
            return cells[0] if is_ref else None

        return run

    return bind


BINDS: Final = {name: bind_by(rule, rule.bind) for name, rule in SPARSE_RULES.items()}
"""The bind function of each rule, by its name."""

for _name, _rule in SPARSE_RULES.items():
    _ops = [f"ResourceSparseApply{_name}"]
    if _name != "KerasMomentum":
        _ops.append(f"SparseApply{_name}")
    kernel(*_ops, dtypes={"T": _rule.types})(BINDS[_name])
