"""Kernels of sets in the last dimension, on the host: their outputs' sizes depend on values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.reductions.sorted_distinct import sorted_codes, sorted_distinct
from dataflow.kernels.sparse.coordinates import check_bounds, check_order, outside

_RESULTS = ("result_indices", "result_values", "result_shape")
_SECOND = ("set2_indices", "set2_values", "set2_shape")
_OPERATIONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "a-b": lambda a, b: np.setdiff1d(a, b, assume_unique=True),
    "b-a": lambda a, b: np.setdiff1d(b, a, assume_unique=True),
    "intersection": lambda a, b: np.intersect1d(a, b, assume_unique=True),
    "union": lambda a, b: sorted_distinct(np.concatenate([a, b])),
}
"""What is kept of sorted keys, each of which is there once."""


@dataclass(frozen=True, slots=True)
class _Sets:
    """Elements, and for each the number of the set it is in."""

    values: Any
    owners: Any
    groups: tuple[int, ...]
    """The shape of what the sets are the last dimension of."""


@kernel("DenseToDenseSetOperation", host_inputs=("set1", "set2"), host_outputs=_RESULTS)
def dense_to_dense(node: KernelNode, xp: Any) -> Callable[..., Any]:
    combine = _combination(node)

    def run(first: Any, second: Any) -> Any:
        return combine(_dense(first), _dense(second))

    return run


@kernel("DenseToSparseSetOperation", host_inputs=("set1", *_SECOND), host_outputs=_RESULTS)
def dense_to_sparse(node: KernelNode, xp: Any) -> Callable[..., Any]:
    combine, checks = _combination(node), bool(node.attr("validate_indices"))

    def run(first: Any, *second: Any) -> Any:
        return combine(_dense(first), _sparse(second, checks))

    return run


@kernel(
    "SparseToSparseSetOperation",
    host_inputs=("set1_indices", "set1_values", "set1_shape", *_SECOND),
    host_outputs=_RESULTS,
)
def sparse_to_sparse(node: KernelNode, xp: Any) -> Callable[..., Any]:
    combine, checks = _combination(node), bool(node.attr("validate_indices"))

    def run(*parts: Any) -> Any:
        return combine(_sparse(parts[:3], checks), _sparse(parts[3:], checks))

    return run


@kernel("SetSize", host_inputs=("set_indices", "set_values", "set_shape"), host_outputs=("size",))
def set_size(node: KernelNode, xp: Any) -> Callable[..., Any]:
    checks = bool(node.attr("validate_indices"))

    def run(*parts: Any) -> Any:
        sets = _sparse(parts, checks)
        distinct, codes = sorted_codes(sets.values)
        keys = sorted_distinct(sets.owners * max(distinct.size, 1) + codes)
        counts = np.bincount(keys // max(distinct.size, 1), minlength=int(np.prod(sets.groups)))
        return counts.astype(np.int32).reshape(sets.groups)

    return run


def _combination(node: KernelNode) -> Callable[[_Sets, _Sets], Any]:
    name = node.attr("set_operation").decode(errors="backslashreplace")
    keep = _OPERATIONS.get(name.lower())
    if keep is None:
        raise invalid(f"Invalid set_operation {name}.")
    dtype = node.output_dtypes[1].as_numpy_dtype

    def combine(first: _Sets, second: _Sets) -> Any:
        if first.groups != second.groups:
            raise invalid(
                f"Mismatched shapes {shape_text(first.groups)} vs {shape_text(second.groups)}"
            )
        # A number for each pair of a set and an element, in the order of both.
        both = np.concatenate([first.values, second.values])
        distinct, codes = sorted_codes(both)
        count = max(distinct.size, 1)
        keys = np.concatenate([first.owners, second.owners]) * count + codes
        size = first.values.size
        kept = keep(sorted_distinct(keys[:size]), sorted_distinct(keys[size:]))
        kept.sort()
        owners, codes = np.divmod(kept, count)
        sizes = np.bincount(owners, minlength=int(np.prod(first.groups)))
        places = np.arange(kept.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        indices = np.stack([*np.unravel_index(owners, first.groups), places], axis=1)
        shape = np.array([*first.groups, sizes.max(initial=0)], np.int64)
        return indices.astype(np.int64), distinct[codes].astype(dtype), shape

    return combine


def _dense(values: Any) -> _Sets:
    if values.ndim < 2:
        raise invalid(f"Shape {shape_text(values.shape)} has rank {values.ndim} < 2")
    groups = values.shape[:-1]
    owners = np.repeat(np.arange(int(np.prod(groups))), values.shape[-1])
    return _Sets(values.reshape(-1), owners, groups)


def _sparse(parts: tuple[Any, ...], checks: bool) -> _Sets:
    """The sets of a sparse tensor, given as indices, values and shape."""
    indices, values, shape = parts
    if indices.ndim != 2:
        raise invalid(f"indices must be a matrix, but got: {shape_text(indices.shape)}")
    if values.ndim != 1 or len(indices) != values.size:
        raise invalid(
            "indices and values rows (indexing dimension) must match. "
            f"(indices = {len(indices)}, values = {values.size})"
        )
    if shape.size < 2:
        raise invalid(f"Invalid rank {shape.size}.")
    if indices.shape[1] != shape.size:
        raise invalid("Order length must be SparseTensor rank.")
    if (shape < 0).any():
        raise invalid(f"Shape {shape_text(shape)} has a negative dimension.")
    groups = tuple(shape[:-1].tolist())
    # Where a set is must be known; where in it its elements are only matters if it is checked.
    if checks:
        check_order(indices, shape, outside(indices, shape))
    else:
        check_bounds(indices, shape, outside(indices[:, :-1], shape[:-1]))
    owners = (
        np.ravel_multi_index(tuple(indices[:, :-1].T), groups) if len(indices) else indices[:, 0]
    )
    return _Sets(values, owners, groups)
