"""Ops that make datasets of tensors and of numbers."""

from __future__ import annotations

from dataflow.ops.datasets.shapes import dataset
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op
from dataflow.schema.shape_functions import scalar

define_op(
    "TensorDataset",
    inputs="components: Toutput_types",
    outputs="handle: variant",
    attrs=[
        "Toutput_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "metadata: string = ''",
    ],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="A dataset of one element.",
    stateful=True,
)
define_op(
    "TensorSliceDataset",
    inputs="components: Toutput_types",
    outputs="handle: variant",
    attrs=[
        "Toutput_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "is_files: bool = false",
        "metadata: string = ''",
        "replicate_on_split: bool = false",
    ],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="A dataset of the slices of tensors along their first dimension.",
    stateful=True,
)
define_op(
    "SparseTensorSliceDataset",
    inputs="indices: int64, values: Tvalues, dense_shape: int64",
    outputs="handle: variant",
    attrs=["Tvalues: type"],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="A dataset of the slices of a sparse tensor along its first dimension.",
    stateful=True,
)
define_op(
    "ListDataset",
    inputs="tensors: Tinput_types",
    outputs="handle: variant",
    attrs=[
        "Tinput_types: list(type) >= 1",
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "metadata: string = ''",
    ],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="A dataset of elements whose components stand one behind the other.",
    stateful=True,
)
define_op(
    "RangeDataset",
    inputs="start: int64, stop: int64, step: int64",
    outputs="handle: variant",
    attrs=[
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "metadata: string = ''",
        "replicate_on_split: bool = false",
    ],
    shape=dataset(scalars=(0, 1, 2)),
    gradient=NOT_DIFFERENTIABLE,
    doc="A dataset of numbers at equal distances.",
    stateful=True,
)
define_op(
    "RandomDataset",
    inputs="seed: int64, seed2: int64",
    outputs="handle: variant",
    attrs=[
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "metadata: string = ''",
    ],
    shape=dataset(scalars=(0, 1)),
    gradient=NOT_DIFFERENTIABLE,
    doc="A dataset of random numbers, without end.",
    stateful=True,
)
define_op(
    "GeneratorDataset",
    inputs=(
        "init_func_other_args: Tinit_func_args, next_func_other_args: Tnext_func_args, "
        "finalize_func_other_args: Tfinalize_func_args"
    ),
    outputs="handle: variant",
    attrs=[
        "init_func: func",
        "next_func: func",
        "finalize_func: func",
        "Tinit_func_args: list(type) >= 0",
        "Tnext_func_args: list(type) >= 0",
        "Tfinalize_func_args: list(type) >= 0",
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "metadata: string = ''",
    ],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="A dataset of what a function gives again and again, until it is out of range.",
    stateful=True,
)
