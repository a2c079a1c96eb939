"""Matrices of checkpoints whose rows and columns belong to words of other vocabularies."""

from __future__ import annotations

from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank
from dataflow.values.shapes import TensorShape


def _places(c: InferenceContext) -> list[TensorShape]:
    for i in range(2):
        with_rank(c.input(i), 0)
    count = c.attr("num_new_vocab")
    if count < 0:
        raise ValueError(f"Dimension {count} must be >= 0")
    return [TensorShape.of((count,)), TensorShape.of(())]


def _matrix(c: InferenceContext) -> TensorShape:
    for i, rank in ((1, 0), (2, 1), (3, 1)):
        with_rank(c.input(i), rank)
    rows = c.attr("num_rows")
    TensorShape.of((rows,)).merge_with(c.input(2))
    return TensorShape.of((rows, c.attr("num_cols")))


define_op(
    "GenerateVocabRemapping",
    inputs="new_vocab_file: string, old_vocab_file: string",
    outputs="remapping: int64, num_present: int32",
    attrs=[
        "new_vocab_offset: int >= 0",
        "num_new_vocab: int >= 0",
        "old_vocab_size: int >= -1 = -1",
    ],
    shape=_places,
    gradient=NOT_DIFFERENTIABLE,
    doc="The places of a vocabulary's words in another one, -1 for those that it lacks.",
)

define_op(
    "LoadAndRemapMatrix",
    inputs=(
        "ckpt_path: string, old_tensor_name: string, row_remapping: int64, col_remapping: int64, "
        "initializing_values: float32"
    ),
    outputs="output_matrix: float32",
    attrs=["num_rows: int >= 0", "num_cols: int >= 1", "max_rows_in_memory: int = -1"],
    shape=_matrix,
    gradient=NOT_DIFFERENTIABLE,
    doc="A matrix of rows and columns of one in a checkpoint, and of given values.",
    stateful=True,
)
