"""Kernels that update rows of variables by sparse gradients: compiled for float32."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.registry import KernelNode, override
from dataflow.kernels.ops.state import sparse_updates as generic
from dataflow.kernels.optimizers.rule import Noted, Rule
from dataflow.kernels.optimizers.sparse_rules import SPARSE_RULES
from dataflow.kernels.optimizers.update_program import programs_of
from dataflow.values import dtypes


def _change_of(rule: Rule) -> Callable[[KernelNode], generic.ChangeRows | None]:
    names = [name for name in rule.arguments.split() if name != "indices"]
    at = names.index("grad")
    program_for = programs_of(rule, names)

    def make(node: KernelNode) -> generic.ChangeRows | None:
        if node.attr("T") != dtypes.float32:
            return None
        noted = Noted(node)
        rule.bind(noted, np)
        choices = tuple(sorted(noted.asked.items()))

        def change(targets: list[Any], indices: Any, arguments: list[Any]) -> bool:
            grad = arguments[at]
            if not all(isinstance(one, np.generic) for one in arguments if one is not grad):
                return False
            program = program_for(choices)
            return program is not None and program.run_rows(targets, grad, indices, arguments)

        return change

    return make


for _name, _rule in SPARSE_RULES.items():
    override(generic.BINDS[_name], device="CPU")(
        generic.bind_by(_rule, _rule.bind, _change_of(_rule))
    )
