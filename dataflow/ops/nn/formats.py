"""Axes and sizes of one data format as those of another one."""

from __future__ import annotations

from typing import Final

from dataflow.schema.opdef import MISSING_GRADIENT, define_op
from dataflow.schema.shape_functions import unchanged

_ATTRS: Final = (
    "T: {int32, int64} = int32",
    "src_format: string = 'NHWC'",
    "dst_format: string = 'NCHW'",
)


define_op(
    "DataFormatDimMap",
    inputs="x: T",
    outputs="y: T",
    attrs=list(_ATTRS),
    shape=unchanged,
    gradient=MISSING_GRADIENT,
    doc="Where axes of one data format stand in the other.",
)
define_op(
    "DataFormatVecPermute",
    inputs="x: T",
    outputs="y: T",
    attrs=list(_ATTRS),
    shape=unchanged,
    gradient=MISSING_GRADIENT,
    doc="One value, or two, for each axis in the order of the other data format.",
)
