"""Names of files: of the shards of a checkpoint."""

from __future__ import annotations

from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import UNKNOWN, merge, scalar
from dataflow.values.shapes import TensorShape


def _joined(c: InferenceContext) -> TensorShape:
    shapes = [c.input(i) for i in range(c.num_inputs)]
    if all(shape.rank == 0 for shape in shapes):
        return TensorShape.of(())
    whole = UNKNOWN
    for shape in shapes:
        # One of unknown rank may be a scalar, and says nothing of the others.
        if shape.rank:
            whole = merge(whole, shape)
    return whole


define_op(
    "ShardedFilename",
    inputs="basename: string, shard: int32, num_shards: int32",
    outputs="filename: string",
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The name of a shard: basename-00001-of-00004.",
)

define_op(
    "ShardedFilespec",
    inputs="basename: string, num_shards: int32",
    outputs="filename: string",
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The pattern of all shards: basename-?????-of-00004.",
)

define_op(
    "StringJoin",
    inputs="inputs: N * string",
    outputs="output: string",
    attrs=["N: int >= 0", "separator: string = ''"],
    shape=_joined,
    gradient=NOT_DIFFERENTIABLE,
    doc="Strings one after the other, with a separator between them; scalars are broadcast.",
)
