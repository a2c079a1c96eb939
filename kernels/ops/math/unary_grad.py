"""Kernels of the gradients that are ops of their own: functions of a result and its gradient."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, Final

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.elementwise.formula import Formula, computed

_FORMULAS: Final[Mapping[str, Formula]] = {
    "SqrtGrad": lambda xp, y, dy: dy * 0.5 / y,
    "RsqrtGrad": lambda xp, y, dy: dy * (y * -0.5) * xp.square(y),
    "ReciprocalGrad": lambda xp, y, dy: -dy * xp.square(y),
    "InvGrad": lambda xp, y, dy: -dy * xp.square(y),
}
_OF_CONJUGATES: Final[Mapping[str, Formula]] = {
    "TanhGrad": lambda xp, y, dy: dy * (1 - xp.square(y)),
    "SigmoidGrad": lambda xp, y, dy: dy * y * (1 - y),
}
"""Where y is complex, the caller has conjugated it."""


@kernel(*_FORMULAS, elementwise=True, takes_out=True)
def gradient(node: KernelNode, xp: Any) -> Callable[..., Any]:
    run = computed(node, xp, _FORMULAS[node.op])
    if node.input_dtypes[0].is_complex:
        return _of_equal_sizes(node, lambda y, dy, out=None: run(xp.conj(y), dy, out=out))
    return _of_equal_sizes(node, run)


@kernel(*_OF_CONJUGATES, elementwise=True, takes_out=True)
def gradient_of_conjugate(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return _of_equal_sizes(node, computed(node, xp, _OF_CONJUGATES[node.op]))


def _of_equal_sizes(node: KernelNode, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, for operands that do not broadcast."""

    @functools.wraps(function)
    def run(y: Any, dy: Any, **out: Any) -> Any:
        if y.shape != dy.shape:
            raise invalid(
                "The two arguments to a cwise op must have same number of elements, got "
                f"{y.size} and {dy.size}",
            )
        return function(y, dy, **out)

    return run
