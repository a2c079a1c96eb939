"""Updates of parts of a variable, by row index or by index vectors."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.ops.basic.shape_parts import size_at
from dataflow.ops.basic.single import single
from dataflow.ops.state.reference import is_ref
from dataflow.ops.state.resource import held_shape
from dataflow.schema.opdef import MISSING_GRADIENT, NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import merge, with_rank_at_least
from dataflow.values.shapes import TensorShape

_NUMBERS = (
    "{float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
    "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}"
)
_ORDERED = "{half, bfloat16, float32, float64, int32, int64}"


def _tail(shape: TensorShape, start: int) -> TensorShape:
    """The dimensions from `start` on; none beyond the rank."""
    dims = shape.dims_tuple
    return shape if dims is None else TensorShape.of(dims[start:])


def _check_rows(variable: TensorShape, c: InferenceContext) -> TensorShape:
    """Checks the inputs of an update by row; a scalar is for all rows."""
    if c.input(2).rank != 0:
        merge(c.input(2), c.input(1).concatenate(_tail(variable, 1)))
    return variable


def _ref_rows(c: InferenceContext) -> TensorShape:
    return _check_rows(c.input(0), c)


def _resource_rows(c: InferenceContext) -> list[TensorShape]:
    _check_rows(held_shape(c), c)
    return []


def _check_nd(variable: TensorShape, c: InferenceContext) -> TensorShape:
    """Checks the inputs of an update by index vectors."""
    indices, updates = with_rank_at_least(c.input(1), 1), with_rank_at_least(c.input(2), 1)
    if variable.num_elements() == 0 and (indices.num_elements() or updates.num_elements()):
        raise ValueError("Indices and updates specified for empty input")
    depth = size_at(indices, -1)
    if indices.rank is None or updates.rank is None or depth is None:
        return variable
    outer = indices.rank - 1
    index_dims, update_dims = indices.dims_tuple or (), updates.dims_tuple or ()
    _merge_parts(
        f"Dimensions [0,{outer}) of indices[shape={_text(indices)}]",
        TensorShape.of(index_dims[:outer]),
        f"dimensions [0,{outer}) of updates[shape={_text(updates)}]",
        TensorShape.of(update_dims[:outer]),
    )
    _merge_parts(
        f"Dimensions [{depth},{variable.rank}) of input[shape={_text(variable)}]",
        _tail(variable, depth),
        f"dimensions [{outer},{updates.rank}) of updates[shape={_text(updates)}]",
        TensorShape.of(update_dims[outer:]),
    )
    return variable


def _merge_parts(one: str, x: TensorShape, other: str, y: TensorShape) -> None:
    try:
        merge(x, y)
    except ValueError as error:
        raise ValueError(f"{one} = {_text(x)} must match {other} = {_text(y)}: {error}") from None


def _text(shape: TensorShape) -> str:
    dims = shape.dims_tuple
    return "?" if dims is None else "[" + ",".join("?" if d is None else str(d) for d in dims) + "]"


def _ref_nd(c: InferenceContext) -> TensorShape:
    return _check_nd(c.input(0), c)


def _resource_nd(c: InferenceContext) -> list[TensorShape]:
    held = c.input_handle(0)
    _check_nd(held[0][1] if held else TensorShape.of(None), c)
    return []


_VERBS = {
    "Update": "Puts",
    "Add": "Adds",
    "Sub": "Subtracts",
    "Mul": "Multiplies by",
    "Div": "Divides by",
    "Min": "Takes the smaller of the old values and",
    "Max": "Takes the larger of the old values and",
}

for _kind, _verb in _VERBS.items():
    _any = _kind == "Update"
    define_op(
        f"Scatter{_kind}",
        inputs="ref: Ref(T), indices: Tindices, updates: T",
        outputs="output_ref: Ref(T)",
        attrs=[
            f"T: {'type' if _any else _ORDERED if _kind in ('Min', 'Max') else _NUMBERS}",
            "Tindices: {int32, int64}",
            f"use_locking: bool = {'true' if _any else 'false'}",
        ],
        shape=_ref_rows,
        gradient=MISSING_GRADIENT if _kind in ("Update", "Min", "Max") else NOT_DIFFERENTIABLE,
        doc=f"{_verb} rows, by index, of a variable.",
    )
    define_op(
        f"ResourceScatter{_kind}",
        inputs="resource: resource, indices: Tindices, updates: dtype",
        attrs=[f"dtype: {'type' if _any else _NUMBERS}", "Tindices: {int32, int64}"],
        shape=_resource_rows,
        gradient=NOT_DIFFERENTIABLE,
        doc=f"{_verb} rows, by index, of the variable behind a handle.",
        stateful=True,
    )

for _kind in ("Update", "Add", "Sub", "Min", "Max"):
    _any = _kind == "Update"
    define_op(
        f"ScatterNd{_kind}",
        inputs="ref: Ref(T), indices: Tindices, updates: T",
        outputs="output_ref: Ref(T)",
        attrs=[
            f"T: {'type' if _any else _NUMBERS}",
            "Tindices: {int32, int64}",
            f"use_locking: bool = {'true' if _any else 'false'}",
            "bad_indices_policy: string = ''",
        ],
        shape=_ref_nd,
        gradient=MISSING_GRADIENT if _kind in ("Min", "Max") else NOT_DIFFERENTIABLE,
        doc=f"{_VERBS[_kind]} slices, by index vectors, of a variable.",
    )
    define_op(
        f"ResourceScatterNd{_kind}",
        inputs="ref: resource, indices: Tindices, updates: T",
        attrs=[
            "T: type",
            "Tindices: {int32, int64}",
            "use_locking: bool = true",
            "bad_indices_policy: string = ''",
        ],
        shape=_resource_nd,
        gradient=NOT_DIFFERENTIABLE,
        doc=f"{_VERBS[_kind]} slices, by index vectors, of the variable behind a handle.",
        stateful=True,
    )


def _update_rows(
    kind: str, ref: Any, indices: Any, updates: Any, use_locking: bool, name: str | None
) -> Any:
    if is_ref(ref):
        return single(f"Scatter{kind}", ref, indices, updates, use_locking=use_locking, name=name)
    values = convert_to_tensor(updates, ref.dtype)
    return ref._lazy_read(
        apply_op(f"ResourceScatter{kind}", ref.handle, indices, values, name=name)
    )


def _update_slices(
    kind: str, ref: Any, indices: Any, updates: Any, use_locking: bool, name: str | None
) -> Any:
    if is_ref(ref):
        return single(f"ScatterNd{kind}", ref, indices, updates, use_locking=use_locking, name=name)
    values = convert_to_tensor(updates, ref.dtype)
    return ref._lazy_read(
        apply_op(f"ResourceScatterNd{kind}", ref.handle, indices, values, name=name)
    )


def scatter_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None
) -> Any:
    """Puts rows into a variable: `ref[indices[i], ...] = updates[i, ...]`.

    Args:
      ref: A variable of shape `[n, ...]`.
      indices: Row numbers, an integer tensor of any shape; of equal ones the last counts.
      updates: Rows: of shape `indices.shape + ref.shape[1:]`, or a scalar for all of them.
      use_locking: Whether the update excludes others.
      name: Name of the operation.

    Returns:
      Something that has the variable's new value once the update is done.

    Raises:
      ValueError: The shapes are known not to fit.
    """
    return _update_rows("Update", ref, indices, updates, use_locking, name)


def scatter_add(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Adds to rows of a variable, each time an index comes; see `scatter_update`."""
    return _update_rows("Add", ref, indices, updates, use_locking, name)


def scatter_sub(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Subtracts from rows of a variable, each time an index comes; see `scatter_update`."""
    return _update_rows("Sub", ref, indices, updates, use_locking, name)


def scatter_mul(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Multiplies rows of a variable, each time an index comes; see `scatter_update`."""
    return _update_rows("Mul", ref, indices, updates, use_locking, name)


def scatter_div(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Divides rows of a variable, each time an index comes; see `scatter_update`."""
    return _update_rows("Div", ref, indices, updates, use_locking, name)


def scatter_min(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Lowers rows of a variable to at most the updates; see `scatter_update`."""
    return _update_rows("Min", ref, indices, updates, use_locking, name)


def scatter_max(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Raises rows of a variable to at least the updates; see `scatter_update`."""
    return _update_rows("Max", ref, indices, updates, use_locking, name)


def scatter_nd_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None
) -> Any:
    """Puts slices into a variable: `ref[indices[i, :]] = updates[i, ...]`.

    Args:
      ref: A variable of rank p.
      indices: Index vectors along the last dimension, of length k <= p: an integer tensor of shape
        `[..., k]`.
      updates: Slices: of shape `indices.shape[:-1] + ref.shape[k:]`.
      use_locking: Whether the update excludes others.
      name: Name of the operation.

    Returns:
      Something that has the variable's new value once the update is done.

    Raises:
      ValueError: The shapes are known not to fit.
    """
    return _update_slices("Update", ref, indices, updates, use_locking, name)


def scatter_nd_add(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Adds to slices of a variable, each time an index comes; see `scatter_nd_update`."""
    return _update_slices("Add", ref, indices, updates, use_locking, name)


def scatter_nd_sub(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Subtracts from slices of a variable, each time an index comes; see `scatter_nd_update`."""
    return _update_slices("Sub", ref, indices, updates, use_locking, name)


def batch_scatter_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None
) -> Any:
    """Puts rows into each of the tensors a variable is a batch of.

    `ref[b, indices[b, i], ...] = updates[b, i, ...]`, b standing for all but the last dimension of
    the indices.

    Args:
      ref: A variable.
      indices: Row numbers: an integer tensor of known rank.
      updates: Rows: of shape `indices.shape + ref.shape[indices.rank:]`.
      use_locking: Whether the update excludes others.
      name: Name scope of the operations made.

    Raises:
      ValueError: The rank of `indices` is not known.
    """
    with name_scope(name):
        indices = convert_to_tensor(indices, name="indices")
        sizes: Any = array_shape.shape(indices)
        rank = indices.shape.rank
        if rank is None:
            raise ValueError("batch_gather does not allow indices with unknown shape.")
        rows = array_shape.expand_dims(indices, axis=-1)
        parts: list[Any] = []
        for axis in range(rank - 1):
            size = sizes[axis]
            column: list[Any] = [1] * (rank + 1)
            column[axis] = size
            numbers: Any = array_shape.reshape(single("Range", 0, size, 1), column)
            if numbers.dtype.base_dtype != rows.dtype:
                numbers = single("Cast", numbers, DstT=rows.dtype)
            parts.append(numbers * array_fill.ones_like(rows))
        vectors = array_concat.concat([*parts, rows], axis=-1)
        return scatter_nd_update(ref, vectors, updates, use_locking=use_locking)
