"""Ops of choices as older graphs name them."""

from __future__ import annotations

from dataflow.ops.datasets.shapes import dataset
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op
from dataflow.schema.shape_functions import scalar

define_op(
    "ExperimentalUniqueDataset",
    inputs="input_dataset: variant",
    outputs="handle: variant",
    attrs=["output_types: list(type) >= 1", "output_shapes: list(shape) >= 1"],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="Each element when it comes for the first time.",
)
define_op(
    "ExperimentalIgnoreErrorsDataset",
    inputs="input_dataset: variant",
    outputs="handle: variant",
    attrs=[
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "log_warning: bool = false",
    ],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The elements in whose place there is no error.",
)
define_op(
    "ExperimentalDirectedInterleaveDataset",
    inputs="selector_input_dataset: variant, data_input_datasets: N * variant",
    outputs="handle: variant",
    attrs=["output_types: list(type) >= 1", "output_shapes: list(shape) >= 1", "N: int >= 1"],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="Elements of the datasets whose numbers another one gives.",
)
define_op(
    "ExperimentalMaxIntraOpParallelismDataset",
    inputs="input_dataset: variant, max_intra_op_parallelism: int64",
    outputs="handle: variant",
    attrs=["output_types: list(type) >= 1", "output_shapes: list(shape) >= 1"],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The elements; kernels would use so many threads.",
)
define_op(
    "ExperimentalPrivateThreadPoolDataset",
    inputs="input_dataset: variant, num_threads: int64",
    outputs="handle: variant",
    attrs=["output_types: list(type) >= 1", "output_shapes: list(shape) >= 1"],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The elements; kernels would use threads of their own.",
)
define_op(
    "ExperimentalNonSerializableDataset",
    inputs="input_dataset: variant",
    outputs="handle: variant",
    attrs=["output_types: list(type) >= 1", "output_shapes: list(shape) >= 1"],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The elements.",
)
define_op(
    "ExperimentalSleepDataset",
    inputs="input_dataset: variant, sleep_microseconds: int64",
    outputs="handle: variant",
    attrs=["output_types: list(type) >= 1", "output_shapes: list(shape) >= 1"],
    shape=dataset(scalars=(0, 1)),
    gradient=NOT_DIFFERENTIABLE,
    doc="The elements, each after a rest.",
)
