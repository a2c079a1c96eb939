"""Ops that make datasets with the elements of others, chosen, repeated, ordered or kept."""

from __future__ import annotations

from dataflow.ops.datasets.shapes import dataset
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op
from dataflow.schema.shape_functions import scalar

define_op(
    "TakeDataset",
    inputs="input_dataset: variant, count: int64",
    outputs="handle: variant",
    attrs=[
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "metadata: string = ''",
    ],
    shape=dataset(scalars=(1,)),
    gradient=NOT_DIFFERENTIABLE,
    doc="The first elements.",
)
define_op(
    "SkipDataset",
    inputs="input_dataset: variant, count: int64",
    outputs="handle: variant",
    attrs=[
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "metadata: string = ''",
    ],
    shape=dataset(scalars=(1,)),
    gradient=NOT_DIFFERENTIABLE,
    doc="The elements behind the first ones.",
)
define_op(
    "RepeatDataset",
    inputs="input_dataset: variant, count: int64",
    outputs="handle: variant",
    attrs=[
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "metadata: string = ''",
    ],
    shape=dataset(scalars=(1,)),
    gradient=NOT_DIFFERENTIABLE,
    doc="All elements, so many times.",
)
define_op(
    "ShardDataset",
    inputs="input_dataset: variant, num_shards: int64, index: int64",
    outputs="handle: variant",
    attrs=[
        "require_non_empty: bool = false",
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "metadata: string = ''",
    ],
    shape=dataset(scalars=(1, 2)),
    gradient=NOT_DIFFERENTIABLE,
    doc="Each n-th element.",
)
define_op(
    "ConcatenateDataset",
    inputs="input_dataset: variant, another_dataset: variant",
    outputs="handle: variant",
    attrs=[
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "metadata: string = ''",
    ],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The elements of one dataset, then those of another.",
)
define_op(
    "ZipDataset",
    inputs="input_datasets: N * variant",
    outputs="handle: variant",
    attrs=[
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "N: int >= 1",
        "metadata: string = ''",
    ],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The elements of datasets side by side.",
)
define_op(
    "ShuffleDataset",
    inputs="input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64",
    outputs="handle: variant",
    attrs=[
        "reshuffle_each_iteration: bool = true",
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "metadata: string = ''",
    ],
    shape=dataset(scalars=(1, 2, 3)),
    gradient=NOT_DIFFERENTIABLE,
    doc="The elements in a random order.",
)
define_op(
    "ShuffleAndRepeatDataset",
    inputs=("input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64, count: int64"),
    outputs="handle: variant",
    attrs=[
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "reshuffle_each_iteration: bool = true",
        "metadata: string = ''",
    ],
    shape=dataset(scalars=(1, 2, 3, 4)),
    gradient=NOT_DIFFERENTIABLE,
    doc="The elements so many times, in random orders.",
)
define_op(
    "CacheDataset",
    inputs="input_dataset: variant, filename: string",
    outputs="handle: variant",
    attrs=[
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "metadata: string = ''",
    ],
    shape=dataset(scalars=(1,)),
    gradient=NOT_DIFFERENTIABLE,
    doc="The elements, kept when they come for the first time.",
)
define_op(
    "PrefetchDataset",
    inputs="input_dataset: variant, buffer_size: int64",
    outputs="handle: variant",
    attrs=[
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "slack_period: int = 0",
        "legacy_autotune: bool = true",
        "buffer_size_min: int = 0",
        "metadata: string = ''",
    ],
    shape=dataset(scalars=(1,)),
    gradient=NOT_DIFFERENTIABLE,
    doc="The elements, some of which are made ahead.",
)
define_op(
    "UniqueDataset",
    inputs="input_dataset: variant",
    outputs="handle: variant",
    attrs=[
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "metadata: string = ''",
    ],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="Each element when it comes for the first time.",
)
define_op(
    "IgnoreErrorsDataset",
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
    "DirectedInterleaveDataset",
    inputs="selector_input_dataset: variant, data_input_datasets: N * variant",
    outputs="handle: variant",
    attrs=[
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "N: int >= 1",
        "stop_on_empty_dataset: bool = false",
    ],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="Elements of the datasets whose numbers another one gives.",
)
define_op(
    "AssertCardinalityDataset",
    inputs="input_dataset: variant, cardinality: int64",
    outputs="handle: variant",
    attrs=["output_types: list(type) >= 1", "output_shapes: list(shape) >= 1"],
    shape=dataset(scalars=(1,)),
    gradient=NOT_DIFFERENTIABLE,
    doc="The elements, of which there must be so many.",
)
define_op(
    "RewriteDataset",
    inputs="input_dataset: variant, rewrite_name: string",
    outputs="handle: variant",
    attrs=["output_types: list(type) >= 1", "output_shapes: list(shape) >= 1"],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The elements; the pipeline would be rewritten.",
)
define_op(
    "OptionsDataset",
    inputs="input_dataset: variant",
    outputs="handle: variant",
    attrs=[
        "serialized_options: string",
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "metadata: string = ''",
    ],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The elements; options are noted.",
)
define_op(
    "ModelDataset",
    inputs="input_dataset: variant",
    outputs="handle: variant",
    attrs=[
        "algorithm: int = 0",
        "cpu_budget: int = 0",
        "ram_budget: int = 0",
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
    ],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The elements; resources would be modelled.",
)
define_op(
    "OptimizeDataset",
    inputs="input_dataset: variant, optimizations: string",
    outputs="handle: variant",
    attrs=[
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "optimization_configs: list(string) = []",
    ],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The elements; the pipeline would be rewritten.",
)
define_op(
    "OptimizeDatasetV2",
    inputs=(
        "input_dataset: variant, optimizations_enabled: string, "
        "optimizations_disabled: string, optimizations_default: string"
    ),
    outputs="handle: variant",
    attrs=[
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "optimization_configs: list(string) = []",
    ],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The elements; the pipeline would be rewritten.",
)
define_op(
    "FinalizeDataset",
    inputs="input_dataset: variant",
    outputs="handle: variant",
    attrs=[
        "has_captured_ref: bool = false",
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
    ],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The elements; the pipeline would be rewritten.",
)
define_op(
    "MaxIntraOpParallelismDataset",
    inputs="input_dataset: variant, max_intra_op_parallelism: int64",
    outputs="handle: variant",
    attrs=["output_types: list(type) >= 1", "output_shapes: list(shape) >= 1"],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The elements; kernels would use so many threads.",
)
define_op(
    "PrivateThreadPoolDataset",
    inputs="input_dataset: variant, num_threads: int64",
    outputs="handle: variant",
    attrs=["output_types: list(type) >= 1", "output_shapes: list(shape) >= 1"],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The elements; kernels would use threads of their own.",
)
define_op(
    "NonSerializableDataset",
    inputs="input_dataset: variant",
    outputs="handle: variant",
    attrs=["output_types: list(type) >= 1", "output_shapes: list(shape) >= 1"],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The elements.",
)
define_op(
    "SleepDataset",
    inputs="input_dataset: variant, sleep_microseconds: int64",
    outputs="handle: variant",
    attrs=["output_types: list(type) >= 1", "output_shapes: list(shape) >= 1"],
    shape=dataset(scalars=(0, 1)),
    gradient=NOT_DIFFERENTIABLE,
    doc="The elements, each after a rest.",
)
