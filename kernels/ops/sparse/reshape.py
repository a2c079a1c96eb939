"""The kernel of coordinates in another shape."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.sparse.coordinates import flat, sizes_of, unflat


@kernel(
    "SparseReshape",
    host_inputs=("input_indices", "input_shape", "new_shape"),
    host_outputs=("output_indices", "output_shape"),
)
def sparse_reshape(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(indices: Any, shape: Any, new_shape: Any) -> Any:
        if indices.ndim != 2:
            raise invalid("Input must be a matrix.")
        if shape.ndim != 1:
            raise invalid("Input shape must be a vector.")
        if indices.shape[1] != shape.size:
            raise invalid("Input tensor rank must match input shape length.")
        if new_shape.ndim != 1:
            raise invalid(
                f"Target shape should be a vector but received shape {shape_text(new_shape.shape)}"
            )
        old = sizes_of(shape)
        new = _whole_shape(old, new_shape.tolist())
        if old == new:
            return indices, np.array(new, np.int64)
        return unflat(flat(indices, old), new), np.array(new, np.int64)

    return run


def _whole_shape(old: tuple[int, ...], asked: list[int]) -> tuple[int, ...]:
    """The new shape, the size that was left out put in."""
    open_places = [place for place, size in enumerate(asked) if size == -1]
    if len(open_places) > 1:
        raise invalid(
            f"only one output dimension may be -1, not both {open_places[0]} and {open_places[1]}"
        )
    for place, size in enumerate(asked):
        if size < -1:
            raise invalid(f"size {place} must be non-negative, not {size}")
    count = math.prod(old)
    if open_places:
        asked[open_places[0]] = 1
        others = math.prod(asked)
        if not others:
            raise invalid(
                "reshape cannot infer the missing input size for an empty tensor unless all "
                "specified input sizes are non-zero"
            )
        if count % others:
            raise invalid(
                f"Input to reshape is a SparseTensor with {count} dense values, but the requested "
                f"shape requires a multiple of {others}. input_shape={shape_text(old)} "
                f"output_shape={shape_text(asked)}"
            )
        asked[open_places[0]] = count // others
    if math.prod(asked) != count:
        raise invalid(
            f"Input to reshape is a tensor with {count} dense values, but the requested shape has "
            f"{math.prod(asked)}. input_shape={shape_text(old)} output_shape={shape_text(asked)}"
        )
    return tuple(asked)
