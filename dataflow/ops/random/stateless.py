"""Ops on random numbers that their inputs decide on alone."""

from __future__ import annotations

from dataflow.ops.random.stateful import multinomial_shape
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import merge
from dataflow.values.shapes import TensorShape


def _shape(c: InferenceContext) -> TensorShape:
    merge(c.input(2), TensorShape([2]))
    return multinomial_shape(c)


define_op(
    "StatelessMultinomial",
    inputs="logits: T, num_samples: int32, seed: Tseed",
    outputs="output: output_dtype",
    attrs=[
        "T: realnumbertype",
        "Tseed: {int32, int64} = int64",
        "output_dtype: {int32, int64} = int64",
    ],
    shape=_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="Draws classes with probabilities softmax(logits), for each row; two seeds decide on them.",
)
