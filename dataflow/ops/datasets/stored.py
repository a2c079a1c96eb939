"""Ops that write datasets to folders and read them again."""

from __future__ import annotations

from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op
from dataflow.schema.shape_functions import no_outputs, scalar

_SAVED = "input_dataset: variant, path: string, shard_func_other_args: Tshard_func_args"
_SHARDS = (
    "compression: string = ''",
    "shard_func: func",
    "use_shard_func: bool = true",
    "Tshard_func_args: list(type) >= 0",
)
_ELEMENTS = ("output_types: list(type) >= 1", "output_shapes: list(shape) >= 1")

define_op(
    "SaveDataset",
    inputs=_SAVED,
    attrs=list(_SHARDS),
    shape=no_outputs,
    gradient=NOT_DIFFERENTIABLE,
    doc="Writes the elements to a folder.",
    stateful=True,
)
define_op(
    "SaveDatasetV2",
    inputs=_SAVED,
    outputs="handle: variant",
    attrs=[*_SHARDS, *_ELEMENTS],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The elements, which are written to a folder as they come.",
    stateful=True,
)
define_op(
    "LoadDataset",
    inputs="path: string, reader_func_other_args: Treader_func_args",
    outputs="handle: variant",
    attrs=[
        *_ELEMENTS,
        "compression: string = ''",
        "reader_func: func",
        "Treader_func_args: list(type) >= 0",
    ],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The elements of a folder, as a function makes them of those of its shards.",
    stateful=True,
)
define_op(
    "SnapshotDatasetV2",
    inputs="input_dataset: variant, path: string, reader_func_other_args: Treader_func_args, "
    "shard_func_other_args: Tshard_func_args",
    outputs="handle: variant",
    attrs=[
        *_ELEMENTS,
        "compression: string = ''",
        "reader_prefix: string = ''",
        "writer_prefix: string = ''",
        "hash_valid: bool = false",
        "hash: int = 0",
        "reader_func: func",
        "shard_func: func",
        "Treader_func_args: list(type) >= 0",
        "Tshard_func_args: list(type) >= 0",
        "metadata: string = ''",
    ],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The elements, which are written to a folder once and read from there from then on.",
)
