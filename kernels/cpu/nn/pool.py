"""Kernels of maximum pooling and its gradient, the one telling the other where the maxima were."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from dataflow.kernels.contract.registry import KernelNode, override
from dataflow.kernels.ops.nn import pool as generic
from dataflow.kernels.pooling import pooling
from dataflow.kernels.pooling.places import TellingPool, ToldGradient


@override(generic.max_pool, "MaxPool", "MaxPool3D", device="CPU")
def max_pool(node: KernelNode, xp: Any) -> Callable[..., Any]:
    run, geometry = generic.max_pool(node, xp), generic.geometry_by(node)(())
    rank = generic.rank_of(node)
    if geometry.depth != 1:
        return run
    moves = geometry.sliding

    def tell(x: Any) -> tuple[Any, Any]:
        generic.check_rank("tensor_in", x, rank)
        x = moves.channels_last(xp, x)
        result, places = pooling.max_pool_and_places(x, geometry.windows(x.shape))
        return moves.as_given(xp, result), places

    return TellingPool(run, tell, geometry)


@override(generic.max_pool_grad, "MaxPoolGrad", "MaxPool3DGrad", device="CPU")
def max_pool_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    geometry = generic.geometry_by(node)(())
    return ToldGradient(partial(generic.max_gradient_by(node, xp), geometry), geometry)
