"""Kernels that update parts of a variable, by row index or by index vectors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.element_types import INTEGERS, NUMBERS, REAL
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import Bind, KernelNode, kernel
from dataflow.kernels.contract.resources import Variable
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.ops.state.resource import check_held, check_indices, first_bad_vector
from dataflow.kernels.optimizers.variable_updates import writable
from dataflow.kernels.reductions.repeated_rows import assign, turns_of
from dataflow.values import dtypes

_FUNCTIONS: Final = {
    "Add": "add",
    "Sub": "subtract",
    "Mul": "multiply",
    "Div": "divide",
    "Min": "minimum",
    "Max": "maximum",
}


Combine = Callable[..., Any] | None
"""What makes one of the old rows and the updates; None takes the updates."""
Scatter = Callable[[Any, Combine, Any, Any, Any], None]
"""`f(xp, combine, rows, indices, updates)`: what `scatter_in_rounds` does."""


def _combination(kind: str, xp: Any, dtype: Any) -> Combine:
    if kind == "Update":
        return None
    if kind == "Div" and dtype in INTEGERS:
        return _divided
    if kind == "Sub" and dtype is dtypes.bool:
        return xp.not_equal  # type: ignore[no-any-return]
    return getattr(xp, _FUNCTIONS[kind])  # type: ignore[no-any-return]


def _divided(old: Any, by: Any) -> Any:
    """Integer division as C++ does it: towards zero."""
    quotient = old // by
    if old.dtype.kind == "u":
        return quotient
    return quotient + ((quotient < 0) & (quotient * by != old)).astype(old.dtype)


def scatter_in_rounds(xp: Any, combine: Combine, rows: Any, indices: Any, updates: Any) -> None:
    """Combines updates into rows, in place and in order, for indices that are in bounds.

    Args:
      xp: The array module.
      combine: What is done.
      rows: Array of shape [n, ...].
      indices: Row numbers, of shape [m].
      updates: Of shape [m, ...].
    """
    if not len(indices):
        return
    if combine is None:
        assign(xp, rows, indices, updates)
    else:
        combine_in_rounds(combine, rows, indices, updates, turns_of(xp, indices))


def combine_in_rounds(
    combine: Callable[..., Any], rows: Any, indices: Any, updates: Any, turns: Any
) -> None:
    """Combines the first update of each row, then the second of each, and so on."""
    rounds = int(turns.max()) + 1
    for turn in range(rounds):
        now = turns == turn if rounds > 1 else slice(None)
        chosen = indices[now]
        rows[chosen] = combine(rows[chosen], updates[now])


def _row_update(
    xp: Any, kind: str, dtype: Any, is_ref: bool, scatter: Scatter
) -> Callable[[Variable, Any, Any], None]:
    """Updates rows of a variable."""
    combine = _combination(kind, xp, dtype)
    divides = kind == "Div" and dtype in INTEGERS

    def run(cell: Variable, indices: Any, updates: Any) -> None:
        def change(old: Any, owned: bool) -> Any:
            if not is_ref:
                check_held(cell, old, dtype)
            _check_rows(xp, np.shape(old), indices, np.shape(updates), is_ref)
            if divides and not xp.all(updates):
                raise invalid("Integer division by zero")
            if not np.size(indices):
                return old
            target = writable(xp, old, owned)
            places = xp.asarray(indices).reshape(-1)
            shape = (len(places), *target.shape[1:])
            is_whole = np.size(updates) == math.prod(shape)
            values = updates.reshape(shape) if is_whole else xp.broadcast_to(updates, shape)
            scatter(xp, combine, target, places, values)
            return target

        cell.update(change)

    return run


def _check_rows(
    xp: Any, shape: tuple[int, ...], indices: Any, updates: tuple[int, ...], is_ref: bool
) -> None:
    if is_ref and not shape:
        raise invalid(f"params must be at least 1-D, got shape {shape_text(shape)}")
    if not shape or (updates and updates != np.shape(indices) + shape[1:]):
        raise invalid(
            "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got "
            f"updates.shape {shape_text(updates)}, indices.shape {shape_text(np.shape(indices))}, "
            f"params.shape {shape_text(shape)}",
        )
    check_indices(xp, indices, shape[0])


def _slice_update(
    node: KernelNode, xp: Any, kind: str, is_ref: bool, scatter: Scatter
) -> Callable[[Variable, Any, Any], None]:
    """Updates slices of a variable."""
    dtype = node.attr("T")
    combine = _combination(kind, xp, dtype)
    ignores = node.attr("bad_indices_policy") == b"IGNORE"

    def run(cell: Variable, indices: Any, updates: Any) -> None:
        def change(old: Any, owned: bool) -> Any:
            if not is_ref:
                check_held(cell, old, dtype)
            shape = np.shape(old)
            _check_slices(shape, indices, updates)
            if not np.size(indices):
                return old
            depth = indices.shape[-1]
            vectors = indices.reshape(-1, depth)
            values = updates.reshape(len(vectors), *shape[depth:])
            bad = first_bad_vector(xp, indices, shape[:depth])
            if bad is not None and not ignores:
                raise invalid(
                    f"indices{bad[0]} = {bad[1]} does not index into shape {shape_text(shape)}",
                )
            if bad is not None:
                limits = xp.asarray(shape[:depth], dtype=indices.dtype)
                good = xp.all((vectors >= 0) & (vectors < limits), axis=-1)
                vectors, values = vectors[good], values[good]
            target = writable(xp, old, owned)
            strides = xp.asarray([math.prod(shape[i + 1 : depth]) for i in range(depth)])
            rows = target.reshape(-1, *shape[depth:])
            scatter(xp, combine, rows, vectors.astype(np.int64) @ strides, values)
            return target

        cell.update(change)

    return run


def _check_slices(shape: tuple[int, ...], indices: Any, updates: Any) -> None:
    if not np.ndim(indices):
        raise invalid("Indices must have at least rank 1, but are a scalar.")
    if not shape:
        raise invalid("Output must be at least 1-D, got shape: []")
    if (np.size(indices) or np.size(updates)) and not (math.prod(shape) and np.size(indices)):
        raise invalid(
            "Indices and updates specified for empty output.  "
            f"indices shape: {shape_text(indices.shape)}",
        )
    outer, depth, given = indices.ndim - 1, indices.shape[-1], np.shape(updates)
    text = shape_text(given)
    if given[:outer] != indices.shape[:outer]:
        have = next(
            (i for i in range(outer) if given[i : i + 1] != indices.shape[i : i + 1]), outer
        )
        size = given[have] if have < len(given) else "none"
        raise invalid(
            f"Dimensions [0,{outer}) of indices[shape={shape_text(indices.shape)}] = "
            f"{indices.shape[have]} must match dimensions [0,{outer}) of updates[shape={text}] = "
            f"{size}",
        )
    if depth > len(shape) or given[outer:] != shape[depth:]:
        raise invalid(
            f"Dimensions [{depth},{len(shape)}) of input[shape={shape_text(shape)}] must match "
            f"dimensions [{depth},{len(given)}) of updates[shape={text}]",
        )


def _giving_the_cell(run: Callable[[Variable, Any, Any], None]) -> Callable[..., Variable]:
    def update(cell: Variable, indices: Any, updates: Any) -> Variable:
        run(cell, indices, updates)
        return cell

    return update


def bind_by(prefix: str, scatter: Scatter) -> Bind:
    """The bind function of the ops whose types begin so."""
    is_ref = not prefix.startswith("Resource")
    by_vector = prefix.endswith("Nd")

    def bind(node: KernelNode, xp: Any) -> Callable[..., Any]:
        kind = node.op.removeprefix(prefix)
        if by_vector:
            run = _slice_update(node, xp, kind, is_ref, scatter)
        else:
            run = _row_update(xp, kind, node.attr(_PREFIXES[prefix]), is_ref, scatter)
        return _giving_the_cell(run) if is_ref else run

    return bind


_PREFIXES: Final = {
    "Scatter": "T",
    "ResourceScatter": "dtype",
    "ScatterNd": "T",
    "ResourceScatterNd": "T",
}
"""The attr that has the type of the elements."""
BINDS: Final = {prefix: bind_by(prefix, scatter_in_rounds) for prefix in _PREFIXES}


def _register(prefix: str, kinds: Sequence[str], allowed: Any) -> None:
    restricted = {} if allowed is None else {_PREFIXES[prefix]: allowed}
    kernel(*(prefix + kind for kind in kinds), dtypes=restricted)(BINDS[prefix])


for _prefix in _PREFIXES:
    _register(_prefix, ["Update"], None)
    _register(_prefix, ["Min", "Max"], REAL)
    if _prefix.endswith("Nd"):
        _register(_prefix, ["Add", "Sub"], (*NUMBERS, dtypes.bool))
    else:
        _register(_prefix, ["Add", "Sub", "Mul", "Div"], NUMBERS)
