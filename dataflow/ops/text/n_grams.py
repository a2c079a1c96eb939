"""n-grams of the strings in each row."""

from __future__ import annotations

from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank
from dataflow.values.shapes import TensorShape


def _shapes(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(0), 1)
    return [TensorShape.of((None,)), with_rank(c.input(1), 1)]


define_op(
    "StringNGrams",
    inputs="data: string, data_splits: Tsplits",
    outputs="ngrams: string, ngrams_splits: Tsplits",
    attrs=[
        "separator: string",
        "ngram_widths: list(int) >= 0",
        "left_pad: string",
        "right_pad: string",
        "pad_width: int",
        "preserve_short_sequences: bool",
        "Tsplits: {int32, int64} = int64",
    ],
    shape=_shapes,
    gradient=NOT_DIFFERENTIABLE,
    doc="Strings that follow each other in a row, joined.",
)
