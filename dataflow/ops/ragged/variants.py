"""Rows of different lengths in variants: how datasets and loops keep them in one tensor."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.graph.operation import Operation
from dataflow.ops.basic.shape_parts import vector
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import SCALAR, UNKNOWN, with_rank, with_rank_at_least
from dataflow.values.shapes import TensorShape


def _written_shape(c: InferenceContext) -> TensorShape:
    count: int = c.attr("RAGGED_RANK")
    for place in range(count):
        with_rank(c.input(place), 1)
    if not c.attr("batched_input"):
        return SCALAR
    values = with_rank_at_least(c.input(count), 1)
    first = (c.input(0) if count else values).dims_tuple
    size = first[0] if first else None
    return vector(size if not count or size is None else size - 1)


def _read_shapes(c: InferenceContext) -> list[TensorShape]:
    inner: int = c.attr("input_ragged_rank")
    count: int = c.attr("output_ragged_rank")
    outer = c.input(0).rank
    if inner >= 0 and outer is not None and outer + inner != count:
        raise ValueError(
            "output_ragged_rank must be equal to input_ragged_rank + encoded_ragged.rank; "
            f"output_ragged_rank: {count}, input_ragged_rank: {inner}, encoded_ragged.rank: "
            f"{outer}."
        )
    return [*[vector(None)] * count, UNKNOWN]


def _written_gradient(op: Operation, grad: Any) -> list[Any]:
    *splits, values = op.inputs
    of_values = single(
        "RaggedTensorToVariantGradient",
        grad,
        splits[0] if splits else 0,
        array_shape.shape(values),
        Tvalues=values.dtype,
    )
    return [*[None] * len(splits), of_values]


def _read_gradient(op: Operation, *grads: Any) -> list[Any]:
    rank = op.inputs[0].shape.rank
    if rank is not None and rank > 1:
        raise ValueError(
            "Unable to compute gradient: RaggedTensorToVariant can currently only generate 0D or "
            "1D output."
        )
    is_batch = bool(rank) if rank is not None else op.get_attr("output_ragged_rank") > 0
    splits = list(op.outputs[:-1])
    return [single("RaggedTensorToVariant", splits, grads[-1], batched_input=is_batch)]


_SPLITS = "Tsplits: {int32, int64} = int64"
define_op(
    "RaggedTensorToVariant",
    inputs="rt_nested_splits: RAGGED_RANK * Tsplits, rt_dense_values: Tvalues",
    outputs="encoded_ragged: variant",
    attrs=["RAGGED_RANK: int >= 0", "Tvalues: type", _SPLITS, "batched_input: bool"],
    shape=_written_shape,
    gradient=_written_gradient,
    doc="Row splits and values as a variant, or as one for each row.",
)

define_op(
    "RaggedTensorFromVariant",
    inputs="encoded_ragged: variant",
    outputs="output_nested_splits: output_ragged_rank * Tsplits, output_dense_values: Tvalues",
    attrs=[
        "input_ragged_rank: int >= -1",
        "output_ragged_rank: int >= 0",
        "Tvalues: type",
        _SPLITS,
    ],
    shape=_read_shapes,
    gradient=_read_gradient,
    doc="The row splits and values that variants hold, put together.",
)

define_op(
    "RaggedTensorToVariantGradient",
    inputs="encoded_ragged_grad: variant, row_splits: Tsplits, dense_values_shape: int32",
    outputs="dense_values_grad: Tvalues",
    attrs=["Tvalues: type", _SPLITS],
    shape=lambda c: c.constant_as_shape(2),
    gradient=MISSING_GRADIENT,
    doc="The gradient of values that were kept in variants.",
)
