"""Kernels that write updates into entries of a tensor by index."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.element_types import ANY, NUMBERS, PLAIN, REAL
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.ops.array.gather import out_of_range, skips_bad_indices
from dataflow.kernels.reductions.repeated_rows import assign
from dataflow.values import dtypes

Outside = Callable[[Any, tuple[int, ...]], Any]
"""`f(indices, shape)`: which rows of indices are to be passed over; None if none is."""
Change = Callable[[Any, Any, Any, Any], None]
"""`f(function, flat, rows, values)` applies a function to rows, in place, one after the other."""
Ways = tuple[Outside, Change]
MakeWays = Callable[[KernelNode, Any], Ways]
"""`make(node, xp)`."""


def _ways(node: KernelNode, xp: Any) -> Ways:
    skips_bad_indices(node)  # Here it does so in any case.
    return partial(out_of_range, xp), change_each


def change_each(function: Any, flat: Any, rows: Any, values: Any) -> None:
    """Changes row by row."""
    function.at(flat, rows, values)


@kernel("ScatterNd", dtypes={"T": ANY}, host_inputs=("shape",), grows=True)
def scatter_nd(node: KernelNode, xp: Any, make_ways: MakeWays = _ways) -> Callable[..., Any]:
    dtype = node.output_dtypes[0]
    ways = make_ways(node, xp)

    def run(indices: Any, updates: Any, shape: Any) -> Any:
        if shape.ndim != 1:
            raise invalid("Shape must be a vector")
        sizes = tuple(shape.tolist())
        for n in sizes:
            if n < 0:
                raise invalid(f"Dimension {n} must be >= 0")
        _check_shapes(indices, updates, sizes)
        if dtype == dtypes.string:
            whole: Any = np.full(sizes, b"", object)
        else:
            whole = xp.zeros(sizes, dtype.as_numpy_dtype)
        return _apply(xp, xp.add, whole, indices, updates, ways)

    return run


def _check_shapes(indices: Any, updates: Any, sizes: tuple[int, ...]) -> None:
    for name, array in (("Indices", indices), ("Updates", updates)):
        if not array.ndim:
            raise invalid(
                f"{name} shape must have rank at least one. Found:{shape_text(array.shape)}"
            )
    if not math.prod(sizes) and indices.size and updates.size:
        raise invalid(
            "Indices and updates specified for empty output.  indices shape: "
            f"{shape_text(indices.shape)}"
        )
    if _lacks_entries(math.prod(sizes), indices, updates):
        raise invalid(_EMPTY)
    batch, depth = indices.ndim - 1, indices.shape[-1]
    if updates.shape[:batch] != indices.shape[:batch]:
        raise invalid(
            f"Dimensions [0,{batch}) of indices[shape={shape_text(indices.shape)}] must match "
            f"dimensions [0,{batch}) of updates[shape={shape_text(updates.shape)}]"
        )
    if depth > len(sizes) or updates.shape[batch:] != sizes[depth:]:
        raise invalid(
            f"Dimensions [{depth},{len(sizes)}) of input[shape={shape_text(sizes)}] must match "
            f"dimensions [{batch},{updates.ndim}) of updates[shape={shape_text(updates.shape)}]"
        )


def _lacks_entries(size: int, indices: Any, updates: Any) -> bool:
    """Whether the result, the indices or the updates are empty, but not both of the latter."""
    return bool(indices.size or updates.size) and not (size and indices.size and updates.size)


_EMPTY: Final = "Indices and updates specified for empty output shape"


def _check_tensor(indices: Any, updates: Any, sizes: tuple[int, ...]) -> None:
    batch, depth = indices.ndim - 1, indices.shape[-1]
    if updates.shape[:batch] != indices.shape[:batch]:
        raise invalid(
            "Outer dimensions of indices and update must match. Indices shape: "
            f"{shape_text(indices.shape)}, updates shape:{shape_text(updates.shape)}"
        )
    if depth > len(sizes) or updates.shape[batch:] != sizes[depth:]:
        raise invalid(
            "Inner dimensions of output shape must match inner dimensions of updates shape. "
            f"Output: {shape_text(sizes)} updates: {shape_text(updates.shape)}"
        )


def _apply(xp: Any, function: Any, whole: Any, indices: Any, updates: Any, ways: Ways) -> Any:
    """Applies a function to entries of a new array and updates, one after the other."""
    find_outside, change = ways
    outside = find_outside(indices, whole.shape)
    if outside is not None:
        indices, updates = indices[~outside], updates[~outside]
    depth = indices.shape[-1]
    count = math.prod(indices.shape[:-1])
    inner = math.prod(whole.shape[depth:])
    if depth == 1:
        rows = indices.reshape(count)
    else:
        columns = indices.reshape(count, depth)
        rows = columns[:, 0].astype(np.int64) if depth else xp.zeros(count, np.int64)
        for place in range(1, depth):
            rows *= whole.shape[place]
            rows += columns[:, place]
    if not whole.size or not count:
        return whole
    if inner == 1:
        # Single numbers: numpy has a faster way for vectors.
        flat, values = whole.reshape(-1), updates.reshape(count)
    else:
        flat, values = whole.reshape(-1, inner), updates.reshape(count, inner)
    if function is None:
        assign(xp, flat, rows, values)
    else:
        change(function, flat, rows, values)
    return flat.reshape(whole.shape)


_FUNCTIONS: Final = {
    "ScatterNdNonAliasingAdd": "add",
    "TensorScatterAdd": "add",
    "TensorScatterSub": "subtract",
    "TensorScatterMin": "minimum",
    "TensorScatterMax": "maximum",
}


@kernel("TensorScatterUpdate", dtypes={"T": ANY})
@kernel("ScatterNdNonAliasingAdd", dtypes={"T": PLAIN})
@kernel("TensorScatterAdd", "TensorScatterSub", dtypes={"T": NUMBERS})
@kernel("TensorScatterMin", "TensorScatterMax", dtypes={"T": REAL})
def tensor_scatter(node: KernelNode, xp: Any, make_ways: MakeWays = _ways) -> Callable[..., Any]:
    function = None if node.op == "TensorScatterUpdate" else getattr(xp, _FUNCTIONS[node.op])
    ways = make_ways(node, xp)

    def run(tensor: Any, indices: Any, updates: Any) -> Any:
        if not indices.ndim:
            raise invalid(
                f"Indices shape must have rank at least one. Found:{shape_text(indices.shape)}"
            )
        if _lacks_entries(tensor.size, indices, updates):
            raise invalid(_EMPTY)
        _check_tensor(indices, updates, tensor.shape)
        whole = xp.array(tensor, copy=True, order="C")
        return _apply(xp, function, whole, indices, updates, ways)

    return run
