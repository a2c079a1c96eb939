"""The kernel of the convolutions whose results can be finished while they are in the cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dataflow.kernels.contract.registry import KernelNode, override
from dataflow.kernels.convolution import convolution
from dataflow.kernels.convolution.sliding import sliding
from dataflow.kernels.ops.nn import conv as generic
from dataflow.kernels.products.epilogue import Finish, Finishing
from dataflow.values import dtypes


@override(generic.convolve, device="CPU")
def convolve(node: KernelNode, xp: Any) -> Callable[..., Any]:
    run = generic.convolve(node, xp)
    if sliding(node, generic.rank_of(node)).channels_first or (
        node.output_dtypes[0] != dtypes.float32
    ):
        return run
    checked = generic.checked_by(node, xp)

    def finished(inputs: Sequence[Any], bias: Any, finish: Finish | None) -> Any:
        x, windows = checked(*inputs)
        return convolution.finished_convolution(x, inputs[1], windows, bias, finish)

    return Finishing(run, finished)
