"""The kernel of powers of integers, refusing negative ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, override
from dataflow.kernels.ops.math import power as generic


@override(generic.integer_power, device="CPU")
def integer_power(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(x: Any, y: Any) -> Any:
        if (y < 0).any():
            raise invalid("Integers to negative integer powers are not allowed")
        return xp.power(x, y)

    return run
