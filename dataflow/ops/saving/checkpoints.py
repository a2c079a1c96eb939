"""Checkpoints: SaveV2, RestoreV2 and MergeV2Checkpoints, and what reads V1 files."""

from __future__ import annotations

from dataflow.checkpoints.slices import parse
from dataflow.errors import InvalidArgumentError
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import UNKNOWN, with_rank
from dataflow.values.shapes import TensorShape


def _saved(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(0), 0)
    for i in (1, 2):
        shape = with_rank(c.input(i), 1)
        TensorShape.of((c.num_inputs - 3,)).merge_with(shape)
    return []


def _named(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(0), 0)
    TensorShape.of((c.num_inputs - 2,)).merge_with(with_rank(c.input(1), 1))
    return []


def _restored(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(0), 0)
    names = with_rank(c.input(1), 1).merge_with(with_rank(c.input(2), 1))
    TensorShape.of((c.num_outputs,)).merge_with(names)
    specs = c.constant(2)
    if specs is None:
        return [UNKNOWN] * c.num_outputs
    return [_part_shape(spec) for spec in specs.flat]


def _merged(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(0), 1)
    with_rank(c.input(1), 0)
    return []


def _one_restored(c: InferenceContext) -> TensorShape:
    for i in range(c.num_inputs):
        with_rank(c.input(i), 0)
    spec = c.constant(2) if c.num_inputs == 3 else None
    return UNKNOWN if spec is None else _part_shape(spec.item())


def _part_shape(spec: bytes) -> TensorShape:
    if not spec:
        return UNKNOWN
    try:
        shape, part = parse(spec.decode())
    except InvalidArgumentError as error:
        # Who infers shapes says of which node it is.
        raise ValueError(error.message) from None
    return TensorShape.of(tuple(end - start for start, end in part.bounds(shape)))


define_op(
    "SaveV2",
    inputs="prefix: string, tensor_names: string, shape_and_slices: string, tensors: dtypes",
    attrs=["dtypes: list(type) >= 1"],
    shape=_saved,
    gradient=NOT_DIFFERENTIABLE,
    doc="Writes tensors as a V2 checkpoint.",
    stateful=True,
)

define_op(
    "Save",
    inputs="filename: string, tensor_names: string, data: T",
    attrs=["T: list(type) >= 1"],
    shape=_named,
    gradient=NOT_DIFFERENTIABLE,
    doc="Writes tensors as the one file of a V1 checkpoint.",
    stateful=True,
)

define_op(
    "SaveSlices",
    inputs="filename: string, tensor_names: string, shapes_and_slices: string, data: T",
    attrs=["T: list(type) >= 1"],
    shape=_saved,
    gradient=NOT_DIFFERENTIABLE,
    doc="Writes tensors, or slices of tensors, as the one file of a V1 checkpoint.",
    stateful=True,
)

define_op(
    "RestoreV2",
    inputs="prefix: string, tensor_names: string, shape_and_slices: string",
    outputs="tensors: dtypes",
    attrs=["dtypes: list(type) >= 1"],
    shape=_restored,
    gradient=NOT_DIFFERENTIABLE,
    doc="Reads tensors from a checkpoint.",
    stateful=True,
)

define_op(
    "MergeV2Checkpoints",
    inputs="checkpoint_prefixes: string, destination_prefix: string",
    attrs=["delete_old_dirs: bool = true", "allow_missing_files: bool = false"],
    shape=_merged,
    gradient=NOT_DIFFERENTIABLE,
    doc="Makes one V2 checkpoint of several.",
    stateful=True,
)

define_op(
    "Restore",
    inputs="file_pattern: string, tensor_name: string",
    outputs="tensor: dt",
    attrs=["dt: type", "preferred_shard: int = -1"],
    shape=_one_restored,
    gradient=NOT_DIFFERENTIABLE,
    doc="Reads a tensor from a checkpoint; found in old graphs.",
    stateful=True,
)

define_op(
    "RestoreSlice",
    inputs="file_pattern: string, tensor_name: string, shape_and_slice: string",
    outputs="tensor: dt",
    attrs=["dt: type", "preferred_shard: int = -1"],
    shape=_one_restored,
    gradient=NOT_DIFFERENTIABLE,
    doc="Reads a part of a tensor from a checkpoint; found in old graphs.",
    stateful=True,
)
