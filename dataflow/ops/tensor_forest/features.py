"""Ops that forests need for their features: numbers for strings, sums at places of a variable."""

from __future__ import annotations

from dataflow.schema.opdef import MISSING_GRADIENT, define_op
from dataflow.schema.shape_functions import no_outputs, unchanged

define_op(
    "ReinterpretStringToFloat",
    inputs="input_data: string",
    outputs="output_data: float",
    shape=unchanged,
    gradient=MISSING_GRADIENT,
    doc="A number for each string: the hash that libstdc++ has of it.",
)

define_op(
    "ScatterAddNdim",
    inputs="input: Ref(float), indices: int32, deltas: float",
    shape=no_outputs,
    gradient=MISSING_GRADIENT,
    doc="Adds rows of numbers at places of a variable.",
)
