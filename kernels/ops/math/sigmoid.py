"""Kernel of the logistic function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.precision import reuse, widened
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.elementwise.components import Component, composed


@kernel("Sigmoid", elementwise=True, takes_out=True)
def sigmoid(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """1 / (1 + exp(-x)); where the exponential overflows the result is 0, as it should be."""

    def run(x: Any, out: Any = None) -> Any:
        value = xp.negative(x, out=out)
        out = reuse(value)
        value = xp.exp(value, out=out)
        value = xp.add(value, 1, out=out)
        return xp.reciprocal(value, out=out)

    dtype = node.input_dtypes[0]
    return composed(
        widened(run, dtype),
        dtype,
        Component(np.negative, (0,)),
        Component(np.exp, (1,)),
        Component(np.add, (2, 1.0)),
        Component(np.reciprocal, (3,)),
    )
