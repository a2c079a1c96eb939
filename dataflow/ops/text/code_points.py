"""Ops of strings as code points: vectors of all of them, and where each string's begin."""

from __future__ import annotations

from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank
from dataflow.values.shapes import TensorShape

_VECTOR = TensorShape.of((None,))
_ERRORS = "errors: {'strict', 'replace', 'ignore'} = 'replace'"
_SPLITS = "Tsplits: {int32, int64} = int64"
_ATTRS = [
    "input_encoding: string",
    _ERRORS,
    "replacement_char: int = 65533",
    "replace_control_characters: bool = false",
    _SPLITS,
]


def _decoded_shapes(c: InferenceContext) -> list[TensorShape]:
    count = c.input(0).num_elements()
    splits = TensorShape.of((None if count is None else count + 1,))
    return [splits, *[_VECTOR] * (c.num_outputs - 1)]


def _encoded_shape(c: InferenceContext) -> TensorShape:
    with_rank(c.input(0), 1)
    (count,) = with_rank(c.input(1), 1).dims_tuple or (None,)
    return TensorShape.of((None if count is None else count - 1,))


define_op(
    "UnicodeDecode",
    inputs="input: string",
    outputs="row_splits: Tsplits, char_values: int32",
    attrs=_ATTRS,
    shape=_decoded_shapes,
    gradient=MISSING_GRADIENT,
    doc="The code points of strings, behind each other.",
)

define_op(
    "UnicodeDecodeWithOffsets",
    inputs="input: string",
    outputs="row_splits: Tsplits, char_values: int32, char_to_byte_starts: int64",
    attrs=_ATTRS,
    shape=_decoded_shapes,
    gradient=MISSING_GRADIENT,
    doc="The code points of strings, and at which byte of its string each begins.",
)

define_op(
    "UnicodeEncode",
    inputs="input_values: int32, input_splits: Tsplits",
    outputs="output: string",
    attrs=[
        "errors: {'ignore', 'replace', 'strict'} = 'replace'",
        "output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}",
        "replacement_char: int = 65533",
        _SPLITS,
    ],
    shape=_encoded_shape,
    gradient=MISSING_GRADIENT,
    doc="Strings of code points that stand behind each other.",
)
