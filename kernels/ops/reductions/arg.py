"""Kernels that find the place of an extreme element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.element_types import REAL
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.precision import NARROW
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.narrow.conversion import widen
from dataflow.kernels.narrow.functions import is_numpy
from dataflow.values import dtypes

_ORDERED = (*REAL, dtypes.bool)
_FEW: Final = 1 << 14
"""Elements up to which looking at all of them takes less time than taking some out."""

Find = Callable[[Any, int], Any]
"""`f(x, axis)`: the places along an axis."""


@kernel("ArgMax", "ArgMin", dtypes={"T": _ORDERED}, host_inputs=("dimension",))
def arg(node: KernelNode, xp: Any) -> Callable[..., Any]:
    search = searching(node, xp)
    dtype = node.attr("output_type").as_numpy_dtype
    return arg_by(lambda x, axis: search(x, axis).astype(dtype))


def searching(node: KernelNode, xp: Any) -> Find:
    """What finds the places. NaNs are passed over, of which numpy takes the first one; where there
    is nothing else, the place is 0."""
    name, worst = ("argmax", -np.inf) if node.op == "ArgMax" else ("argmin", np.inf)
    search = getattr(xp, name)
    dtype = node.input_dtypes[0].base_dtype

    def find(x: Any, axis: int) -> Any:
        if dtype in NARROW:
            # numpy compares 16-bit floats one by one; float32 holds each of them.
            x = widen(x)
        places = search(x, axis=axis)
        if not dtype.is_floating:
            return places
        if is_numpy(xp):
            found = x if x.size <= _FEW else _taken(x, places, axis)
            if not np.isnan(found).any():
                return places
        return search(xp.where(xp.isnan(x), x.dtype.type(worst), x), axis=axis)

    return find


def _taken(x: Any, places: Any, axis: int) -> Any:
    return np.take_along_axis(x, np.expand_dims(places, axis), axis)


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
