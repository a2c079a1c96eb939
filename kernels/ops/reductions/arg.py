"""Kernels that find the place of an extreme element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.element_types import REAL
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.values import dtypes

_ORDERED = (*REAL, dtypes.bool)

Find = Callable[[Any, int], Any]
"""`f(x, axis)`: the places along an axis."""


@kernel("ArgMax", "ArgMin", dtypes={"T": _ORDERED}, host_inputs=("dimension",))
def arg(node: KernelNode, xp: Any) -> Callable[..., Any]:
    search = xp.argmax if node.op == "ArgMax" else xp.argmin
    dtype = node.attr("output_type").as_numpy_dtype
    return arg_by(lambda x, axis: search(x, axis=axis).astype(dtype))


def arg_by(find: Find) -> Callable[..., Any]:
    """The callable, by a function of arrays that are not empty along the axis."""

    def run(x: Any, dimension: Any) -> Any:
        if dimension.ndim:
            raise invalid(
                f"dim must be a scalar, but received tensor of shape: {shape_text(dimension.shape)}"
            )
        axis, rank = int(dimension), x.ndim
        if not -rank <= axis < rank:
            raise invalid(f"Expected dimension in the range [{-rank}, {rank}), but got {axis}")
        if not x.shape[axis]:
            raise invalid(f"Reduction axis {axis} is empty in shape {shape_text(x.shape)}")
        return find(x, axis)

    return run
