"""The kernel of the gradient of bias vectors, whose sums for parts of the rows add up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.registry import KernelNode, override
from dataflow.kernels.ops.nn import bias as generic
from dataflow.kernels.products.additive import Additive


class _SumOfRows(Additive):
    """The sum along all axes but the last."""

    __slots__ = ("_run",)

    def __init__(self, run: Callable[[Any], Any]) -> None:
        self._run = run

    def __call__(self, grad: Any) -> Any:
        return self._run(grad)

    @property
    def axes(self) -> tuple[int, ...]:
        return (0,)


@override(generic.bias_add_grad, device="CPU")
def bias_add_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    run = generic.bias_add_grad(node, xp)
    return run if node.attr("data_format") == b"NCHW" else _SumOfRows(run)
