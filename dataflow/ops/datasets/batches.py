"""Ops that make datasets whose elements are several of another one, and back."""

from __future__ import annotations

from dataflow.ops.datasets.shapes import dataset
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op
from dataflow.schema.shape_functions import scalar

define_op(
    "BatchDataset",
    inputs="input_dataset: variant, batch_size: int64",
    outputs="handle: variant",
    attrs=[
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "metadata: string = ''",
    ],
    shape=dataset(scalars=(1,)),
    gradient=NOT_DIFFERENTIABLE,
    doc="Elements stacked along a new first dimension.",
)
define_op(
    "BatchDatasetV2",
    inputs="input_dataset: variant, batch_size: int64, drop_remainder: bool",
    outputs="handle: variant",
    attrs=[
        "parallel_copy: bool = false",
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "metadata: string = ''",
    ],
    shape=dataset(scalars=(1, 2)),
    gradient=NOT_DIFFERENTIABLE,
    doc="Elements stacked along a new first dimension.",
)
define_op(
    "PaddedBatchDataset",
    inputs=(
        "input_dataset: variant, batch_size: int64, padded_shapes: N * int64, "
        "padding_values: Toutput_types"
    ),
    outputs="handle: variant",
    attrs=[
        "Toutput_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "N: int >= 1",
        "metadata: string = ''",
    ],
    shape=dataset(scalars=(1,)),
    gradient=NOT_DIFFERENTIABLE,
    doc="Elements padded to one shape and stacked.",
)
define_op(
    "PaddedBatchDatasetV2",
    inputs=(
        "input_dataset: variant, batch_size: int64, padded_shapes: N * int64, "
        "padding_values: Toutput_types, drop_remainder: bool"
    ),
    outputs="handle: variant",
    attrs=[
        "parallel_copy: bool = false",
        "Toutput_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "N: int >= 1",
        "metadata: string = ''",
    ],
    shape=dataset(scalars=(1, -1)),
    gradient=NOT_DIFFERENTIABLE,
    doc="Elements padded to one shape and stacked.",
)
define_op(
    "DenseToSparseBatchDataset",
    inputs="input_dataset: variant, batch_size: int64, row_shape: int64",
    outputs="handle: variant",
    attrs=["output_types: list(type) >= 1", "output_shapes: list(shape) >= 1"],
    shape=dataset(scalars=(1,), vectors=(2,)),
    gradient=NOT_DIFFERENTIABLE,
    doc="Elements of any size as the rows of sparse tensors.",
)
define_op(
    "UnbatchDataset",
    inputs="input_dataset: variant",
    outputs="handle: variant",
    attrs=[
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "metadata: string = ''",
    ],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The slices of elements along their first dimension.",
)
define_op(
    "WindowDataset",
    inputs=(
        "input_dataset: variant, size: int64, shift: int64, stride: int64, drop_remainder: bool"
    ),
    outputs="handle: variant",
    attrs=[
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "metadata: string = ''",
    ],
    shape=dataset(scalars=(1, 2, 3, 4)),
    gradient=NOT_DIFFERENTIABLE,
    doc="Elements in a row as datasets.",
)
define_op(
    "SlidingWindowDataset",
    inputs=(
        "input_dataset: variant, window_size: int64, window_shift: int64, window_stride: int64"
    ),
    outputs="handle: variant",
    attrs=[
        "drop_remainder: bool = true",
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
    ],
    shape=dataset(scalars=(1, 2, 3)),
    gradient=NOT_DIFFERENTIABLE,
    doc="Elements in a row as batches.",
)
