"""Ops of functions as older graphs name them."""

from __future__ import annotations

from dataflow.ops.datasets.shapes import dataset
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op
from dataflow.schema.shape_functions import scalar

define_op(
    "ExperimentalMapAndBatchDataset",
    inputs=(
        "input_dataset: variant, other_arguments: Targuments, batch_size: int64, "
        "num_parallel_calls: int64, drop_remainder: bool"
    ),
    outputs="handle: variant",
    attrs=[
        "f: func",
        "Targuments: list(type) >= 0",
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "preserve_cardinality: bool = false",
    ],
    shape=dataset(scalars=(-3, -2, -1)),
    gradient=NOT_DIFFERENTIABLE,
    doc="Batches of what a function makes of each element.",
)
define_op(
    "ExperimentalTakeWhileDataset",
    inputs="input_dataset: variant, other_arguments: Targuments",
    outputs="handle: variant",
    attrs=[
        "predicate: func",
        "Targuments: list(type) >= 0",
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
    ],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The elements before the first one for which a function gives False.",
)
define_op(
    "ExperimentalScanDataset",
    inputs="input_dataset: variant, initial_state: Tstate, other_arguments: Targuments",
    outputs="handle: variant",
    attrs=[
        "f: func",
        "Tstate: list(type) >= 1",
        "Targuments: list(type) >= 0",
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "preserve_cardinality: bool = false",
    ],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="What a function makes of each element and of a state that it makes anew.",
)
define_op(
    "ExperimentalParallelInterleaveDataset",
    inputs=(
        "input_dataset: variant, other_arguments: Targuments, cycle_length: int64, "
        "block_length: int64, sloppy: bool, buffer_output_elements: int64, "
        "prefetch_input_elements: int64"
    ),
    outputs="handle: variant",
    attrs=[
        "f: func",
        "Targuments: list(type) >= 0",
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
    ],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="Like InterleaveDataset, with threads that make elements ahead.",
)
define_op(
    "ExperimentalGroupByWindowDataset",
    inputs=(
        "input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments, "
        "reduce_func_other_arguments: Treduce_func_other_arguments, "
        "window_size_func_other_arguments: Twindow_size_func_other_arguments"
    ),
    outputs="handle: variant",
    attrs=[
        "key_func: func",
        "reduce_func: func",
        "window_size_func: func",
        "Tkey_func_other_arguments: list(type) >= 0",
        "Treduce_func_other_arguments: list(type) >= 0",
        "Twindow_size_func_other_arguments: list(type) >= 0",
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
    ],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="What a function makes of windows of elements with the same key.",
)
define_op(
    "ExperimentalGroupByReducerDataset",
    inputs=(
        "input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments, "
        "init_func_other_arguments: Tinit_func_other_arguments, "
        "reduce_func_other_arguments: Treduce_func_other_arguments, "
        "finalize_func_other_arguments: Tfinalize_func_other_arguments"
    ),
    outputs="handle: variant",
    attrs=[
        "key_func: func",
        "init_func: func",
        "reduce_func: func",
        "finalize_func: func",
        "Tkey_func_other_arguments: list(type) >= 0",
        "Tinit_func_other_arguments: list(type) >= 0",
        "Treduce_func_other_arguments: list(type) >= 0",
        "Tfinalize_func_other_arguments: list(type) >= 0",
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
    ],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="What functions make of all elements with the same key.",
    stateful=True,
)
