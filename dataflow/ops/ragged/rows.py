"""Rows of different lengths: ranges, gathered rows, empty ones that are filled."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.ops.basic.range import range as number_range
from dataflow.ops.basic.shape_parts import size_at, subshape, vector
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import MISSING_GRADIENT, NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import (
    SCALAR,
    UNKNOWN,
    merge,
    with_rank,
    with_rank_at_least,
    with_rank_at_most,
)
from dataflow.values.shapes import TensorShape


def _range_shapes(c: InferenceContext) -> list[TensorShape]:
    known = UNKNOWN
    for place in range(3):
        shape = with_rank_at_most(c.input(place), 1)
        if shape.rank == 1:
            known = merge(known, shape)
    size = size_at(known, 0)
    if known.rank is None and all(c.input(place).rank == 0 for place in range(3)):
        size = 1
    return [vector(None if size is None else size + 1), vector(None)]


def _gather_shapes(c: InferenceContext) -> list[TensorShape]:
    count: int = c.attr("PARAMS_RAGGED_RANK")
    wanted: int = c.attr("OUTPUT_RAGGED_RANK")
    indices = c.input(count + 1)
    for place in range(count):
        with_rank(c.input(place), 1)
    if indices.rank is not None and indices.rank + count - 1 != wanted:
        raise ValueError(
            "Expected OUTPUT_RAGGED_RANK=indices.rank + params_nested_splits.size - 1; but "
            f"OUTPUT_RAGGED_RANK={wanted}, indices.rank={indices.rank}, "
            f"params_nested_splits.size={count}"
        )
    values = with_rank_at_least(c.input(count), 1)
    if values.rank is not None:
        values = vector(None).concatenate(subshape(values, 1))
    return [*[vector(None)] * wanted, values]


def _gather_gradient(op: Operation, *grads: Any) -> list[Any]:
    """What comes to gathered values is added up where they were taken from."""
    count: int = op.get_attr("PARAMS_RAGGED_RANK")
    splits, values, indices = op.inputs[:count], op.inputs[count], op.inputs[count + 1]
    sizes: Any = array_shape.shape(values)
    owners = apply_op(
        "RaggedGather",
        list(splits),
        number_range(sizes[0]),
        indices,
        OUTPUT_RAGGED_RANK=op.get_attr("OUTPUT_RAGGED_RANK"),
    )[-1]
    of_values = single("UnsortedSegmentSum", grads[-1], owners, sizes[0])
    return [*[None] * count, of_values, None]


def _fill_shapes(c: InferenceContext) -> list[TensorShape]:
    rows = with_rank(c.input(0), 1)
    values = with_rank(c.input(1), 1)
    with_rank(c.input(2), 0)
    with_rank(c.input(3), 0)
    merge(rows, values)
    count = c.constant(2)
    size = None if count is None or count.ndim else int(count)
    return [vector(None), vector(None), vector(size), vector(size_at(merge(rows, values), 0))]


def _fill_gradient(op: Operation, _: Any, grad: Any, *__: Any) -> list[Any]:
    of_values, of_default = apply_op("RaggedFillEmptyRowsGrad", op.outputs[3], grad)
    return [None, of_values, None, of_default]


def _fill_gradient_shapes(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(1), 1)
    return [with_rank(c.input(0), 1), SCALAR]


define_op(
    "RaggedRange",
    inputs="starts: T, limits: T, deltas: T",
    outputs="rt_nested_splits: Tsplits, rt_dense_values: T",
    attrs=[
        "T: {bfloat16, float32, float64, int32, int64} = int32",
        "Tsplits: {int32, int64} = int64",
    ],
    shape=_range_shapes,
    gradient=NOT_DIFFERENTIABLE,
    doc="A range of numbers in each row.",
)

define_op(
    "RaggedGather",
    inputs=(
        "params_nested_splits: PARAMS_RAGGED_RANK * Tsplits, params_dense_values: Tvalues, "
        "indices: Tindices"
    ),
    outputs=("output_nested_splits: OUTPUT_RAGGED_RANK * Tsplits, output_dense_values: Tvalues"),
    attrs=[
        "Tvalues: type",
        "Tindices: {int32, int64}",
        "Tsplits: {int32, int64} = int64",
        "PARAMS_RAGGED_RANK: int >= 1",
        "OUTPUT_RAGGED_RANK: int >= 0",
    ],
    shape=_gather_shapes,
    gradient=_gather_gradient,
    doc="Rows of different lengths, picked by number.",
)

define_op(
    "RaggedFillEmptyRows",
    inputs="value_rowids: int64, values: T, nrows: int64, default_value: T",
    outputs=(
        "output_value_rowids: int64, output_values: T, empty_row_indicator: bool, "
        "reverse_index_map: int64"
    ),
    attrs=["T: type"],
    shape=_fill_shapes,
    gradient=_fill_gradient,
    doc="A default put in each row without values, and where the others went.",
)

define_op(
    "RaggedFillEmptyRowsGrad",
    inputs="reverse_index_map: int64, grad_values: T",
    outputs="d_values: T, d_default_value: T",
    attrs=["T: type"],
    shape=_fill_gradient_shapes,
    gradient=MISSING_GRADIENT,
    doc="The gradients of the values and of the default.",
)


def ragged_fill_empty_rows(
    value_rowids: Any, values: Any, nrows: Any, default_value: Any, name: str | None = None
) -> Any:
    """Puts a default in each row that has no values.

    Args:
      value_rowids: int64, shape `[n]`: the rows of the values.
      values: Shape `[n]`.
      nrows: int64, a scalar: how many rows there are.
      default_value: A scalar.
      name: Name of the operation.

    Returns:
      Rows and values, which rows were empty, and where each value went.

    Raises:
      InvalidArgumentError: At run time: there is no such row.
    """
    return apply_op("RaggedFillEmptyRows", value_rowids, values, nrows, default_value, name=name)


def ragged_fill_empty_rows_grad(
    reverse_index_map: Any, grad_values: Any, name: str | None = None
) -> Any:
    """The gradients of the values and of the default of `ragged_fill_empty_rows`.

    Args:
      reverse_index_map: int64, shape `[n]`: where each value went.
      grad_values: What came to the filled values.
      name: Name of the operation.
    """
    return apply_op("RaggedFillEmptyRowsGrad", reverse_index_map, grad_values, name=name)
