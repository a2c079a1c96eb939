"""The kernels of the convolutions that can be layers together with what follows them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.registry import KernelNode, override
from dataflow.kernels.convolution.layer import Layered
from dataflow.kernels.convolution.sliding import sliding
from dataflow.kernels.convolution.windows import Window
from dataflow.kernels.ops.nn import conv as generic
from dataflow.kernels.ops.nn import depthwise
from dataflow.values import dtypes


def _is_fit(node: KernelNode, rank: int) -> bool:
    return not sliding(node, rank).channels_first and node.output_dtypes[0] == dtypes.float32


@override(generic.convolve, device="CPU")
def convolve(node: KernelNode, xp: Any) -> Callable[..., Any]:
    run = generic.convolve(node, xp)
    if not _is_fit(node, generic.rank_of(node)):
        return run
    fit = generic.checked_by(node, xp)

    def checked(x: Any, filters: Any) -> tuple[Any, Any, tuple[Window, ...]]:
        x, windows = fit(x, filters)
        return x, filters, windows

    return Layered(run, checked)


@override(depthwise.convolve, device="CPU")
def convolve_depthwise(node: KernelNode, xp: Any) -> Callable[..., Any]:
    run = depthwise.convolve(node, xp)
    if not _is_fit(node, 2):
        return run
    fit = depthwise.checked_by(node, xp)

    def checked(x: Any, filters: Any) -> tuple[Any, Any, tuple[Window, ...]]:
        x, windows = fit(x, filters)
        return x, filters.reshape(*filters.shape[:-2], 1, -1), windows

    return Layered(run, checked)
