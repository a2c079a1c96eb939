"""Kernels of sums of many tensors."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.element_types import NUMBERS
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.precision import reuse
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.elementwise.formula import steps_of, tells


@kernel(
    "AddN",
    "AccumulateNV2",
    elementwise=True,
    takes_out=True,
    dtypes={"T": NUMBERS},
)
def add_n(node: KernelNode, xp: Any) -> Callable[..., Any]:
    add = xp.add

    def run(first: Any, *others: Any, out: Any = None) -> Any:
        shape = first.shape
        for position, other in enumerate(others, 1):
            if other.shape != shape:
                raise invalid(
                    f"Inputs to operation {node.name} of type {node.op} must have the same size "
                    f"and shape.  Input 0: {shape_text(shape)} != input {position}: "
                    f"{shape_text(other.shape)}",
                )
        if not others:
            return first
        total = add(first, others[0], out=out)
        for other in others[1:]:
            total = add(total, other, out=reuse(total))
        return total

    return tells(run, steps_of(_sum, len(node.input_dtypes)))


def _sum(xp: Any, *operands: Any) -> Any:
    return functools.reduce(operator.add, operands)
