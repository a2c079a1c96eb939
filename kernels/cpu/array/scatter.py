"""Kernels that write updates into entries of a tensor, and refuse indices out of range."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, override
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.cpu.array.gather import out_of_range
from dataflow.kernels.ops.array import scatter as generic
from dataflow.kernels.ops.array.gather import first_bad_row, skips_bad_indices
from dataflow.kernels.reductions.combined_rows import combine_rows
from dataflow.kernels.reductions.groups import reduce_groups

_MANY = 64
"""Updates beyond this number are summed by sorting first: `ufunc.at` goes row by row."""


@override(generic.scatter_nd, device="CPU")
def scatter_nd(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return generic.scatter_nd(node, xp, _ways)


@override(generic.tensor_scatter, device="CPU")
def tensor_scatter(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return generic.tensor_scatter(node, xp, _ways)


def _ways(node: KernelNode, xp: Any) -> generic.Ways:
    return (out_of_range if skips_bad_indices(node) else _refuse), _change


def _refuse(indices: np.ndarray, shape: tuple[int, ...]) -> None:
    outside = out_of_range(indices, shape)
    if outside is not None:
        row = first_bad_row(indices, outside)
        raise invalid(f"indices{row} does not index into shape {shape_text(shape)}")


def _change(function: Any, flat: Any, rows: Any, values: Any) -> None:
    if combine_rows(function, flat, rows, values):
        return
    if len(rows) > _MANY and flat.ndim > 1 and flat.dtype != object:
        _apply_sorted(function, flat, rows, values)
    else:
        generic.change_each(function, flat, rows, values)


def _apply_sorted(function: Any, flat: Any, rows: Any, values: Any) -> None:
    """Reduces the updates of each row, in their order, and applies each result once."""
    order = np.argsort(rows, kind="stable")
    ordered = rows[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    targets = ordered[starts]
    if len(targets) == len(rows):
        flat[rows] = function(flat[rows], values)
        return
    inner = np.add if function is np.subtract else function
    flat[targets] = function(flat[targets], reduce_groups(inner, values[order], starts))
