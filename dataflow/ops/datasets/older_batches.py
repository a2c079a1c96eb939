"""Ops of batches as older graphs name them."""

from __future__ import annotations

from dataflow.ops.datasets.shapes import dataset
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op
from dataflow.schema.shape_functions import scalar

define_op(
    "ExperimentalDenseToSparseBatchDataset",
    inputs="input_dataset: variant, batch_size: int64, row_shape: int64",
    outputs="handle: variant",
    attrs=["output_types: list(type) >= 1", "output_shapes: list(shape) >= 1"],
    shape=dataset(scalars=(1,), vectors=(2,)),
    gradient=NOT_DIFFERENTIABLE,
    doc="Elements of any size as the rows of sparse tensors.",
)
define_op(
    "ExperimentalUnbatchDataset",
    inputs="input_dataset: variant",
    outputs="handle: variant",
    attrs=["output_types: list(type) >= 1", "output_shapes: list(shape) >= 1"],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The slices of elements along their first dimension.",
)
define_op(
    "ExperimentalSlidingWindowDataset",
    inputs=(
        "input_dataset: variant, window_size: int64, window_shift: int64, window_stride: int64"
    ),
    outputs="handle: variant",
    attrs=["output_types: list(type) >= 1", "output_shapes: list(shape) >= 1"],
    shape=dataset(scalars=(1, 2, 3)),
    gradient=NOT_DIFFERENTIABLE,
    doc="Elements in a row as batches.",
)
