"""Kernels of sparse tensors element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.element_types import NUMBERS
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.sparse.coordinates import check_parts, check_within, outside, sizes_of
from dataflow.kernels.sparse.groups import merged, starts_of_runs

_SPARSE = ("sp_indices", "sp_values", "sp_shape")


@kernel("SparseSoftmax", host_inputs=_SPARSE, host_outputs=("output",))
def sparse_softmax(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(indices: Any, values: Any, shape: Any) -> Any:
        _check_ranks(indices, values, shape)
        if shape.size < 2:
            shown = " ".join(map(str, shape.tolist()))
            raise invalid(f"Input should have rank >= 2, but received shape: {shown}")
        sizes_of(shape)
        if len(indices) != values.size:
            raise invalid(
                "indices and values rows (indexing dimension) must match. (indices = "
                f"{len(indices)}, values = {values.size})"
            )
        if indices.shape[1] != shape.size:
            raise invalid("Order length must be SparseTensor rank.")
        starts = starts_of_runs(indices[:, :-1])
        if not starts.size:
            return values.copy()
        counts = np.diff(starts, append=len(values))
        powers = np.exp(values - np.repeat(np.maximum.reduceat(values, starts), counts))
        return powers / np.repeat(np.add.reduceat(powers, starts), counts)

    return run


def _check_ranks(indices: Any, values: Any, shape: Any) -> None:
    if indices.ndim != 2:
        raise invalid(
            f"Input sp_indices should be a matrix but received shape: {shape_text(indices.shape)}"
        )
    if values.ndim != 1 or shape.ndim != 1:
        raise invalid(
            "Inputs sp_values and sp_shape should be vectors but received shapes: "
            f"{shape_text(values.shape)} and {shape_text(shape.shape)}"
        )


@kernel(
    "SparseSparseMaximum",
    "SparseSparseMinimum",
    dtypes={"T": NUMBERS},
    host_inputs=tuple(f"{n}_{part}" for n in "ab" for part in ("indices", "values", "shape")),
    host_outputs=("output_indices", "output_values"),
)
def sparse_extreme(node: KernelNode, xp: Any) -> Callable[..., Any]:
    function = np.maximum if node.op == "SparseSparseMaximum" else np.minimum

    def run(*parts: Any) -> Any:
        a, b = parts[:3], parts[3:]
        for each in (a, b):
            check_parts(*each)
        if a[2].size != b[2].size:
            shown = [" ".join(map(str, each[2].tolist())) for each in (a, b)]
            raise invalid(f"Operands do not have the same ranks; got shapes: {' and '.join(shown)}")
        for place, (mine, other) in enumerate(zip(a[2].tolist(), b[2].tolist(), strict=True)):
            if mine != other:
                raise invalid(
                    f"Operands' shapes do not match: got {mine} and {other} for dimension {place}"
                )
        for indices, _, shape in (a, b):
            check_within(indices, shape)
        if not a[1].size + b[1].size:
            return a[0], a[1]
        found, first, second = merged(a[0], b[0])
        return found, function(_or_zero(a[1], first), _or_zero(b[1], second))

    return run


def _or_zero(values: Any, places: Any) -> Any:
    """The values at places, 0 where the place is negative."""
    padded = np.append(values, np.zeros(1, values.dtype))
    return padded[places]


@kernel(
    "SparseDenseCwiseAdd",
    "SparseDenseCwiseMul",
    "SparseDenseCwiseDiv",
    dtypes={"T": NUMBERS},
    host_inputs=(*_SPARSE, "dense"),
    host_outputs=("output",),
)
def sparse_dense(node: KernelNode, xp: Any) -> Callable[..., Any]:
    function: Any = {"Add": np.add, "Mul": np.multiply, "Div": np.true_divide}[node.op[-3:]]
    is_quotient = node.op.endswith("Div")
    if is_quotient and node.attr("T").is_integer:
        function = _whole_quotient

    def run(indices: Any, values: Any, shape: Any, dense: Any) -> Any:
        _check_ranks(indices, values, shape)
        if values.size != len(indices):
            raise invalid(
                "The first dimension of values and indices should match. "
                f"({values.size} vs. {len(indices)})"
            )
        if shape.size != indices.shape[1]:
            raise invalid(
                "Number of dimensions must match second dimension of indices. Got "
                f"{shape.size} dimensions, indices shape: {shape_text(indices.shape)}"
            )
        dense = np.asarray(dense)
        sizes = sizes_of(shape)
        broadcast = (1,) * (len(sizes) - dense.ndim) + dense.shape
        if len(broadcast) != len(sizes) or any(
            n not in (1, m) for n, m in zip(broadcast, sizes, strict=True)
        ):
            raise invalid(
                "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible "
                f"shapes: {shape_text(sizes)} vs. {shape_text(dense.shape)}"
            )
        if outside(indices, shape).any():
            raise invalid(
                "Provided indices are out-of-bounds w.r.t. dense side with broadcasted shape"
            )
        places = tuple(
            np.zeros(len(indices), np.int64) if n == 1 else indices[:, axis]
            for axis, n in enumerate(broadcast)
        )
        picked = dense.reshape(broadcast)[places]
        if is_quotient and function is _whole_quotient and (dense == 0).any():
            raise invalid(
                "SparseDenseCwiseDiv cannot divide by zero,but input dense tensor contains zero "
            )
        with np.errstate(all="ignore"):
            return function(values, picked)

    return run


def _whole_quotient(values: Any, divisors: Any) -> Any:
    """The quotient of integers, cut towards 0."""
    down = values // divisors
    is_cut = (values % divisors != 0) & ((values < 0) != (divisors < 0))
    return down + is_cut.astype(values.dtype)
