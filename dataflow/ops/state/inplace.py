"""Rows of a tensor added to, or replaced, in a tensor of the same shape."""

from __future__ import annotations

from dataflow.schema.opdef import MISSING_GRADIENT, define_op
from dataflow.schema.shape_functions import unchanged

for _name, _what in (
    ("InplaceUpdate", "replaced"),
    ("InplaceAdd", "added to"),
    ("InplaceSub", "subtracted from"),
):
    define_op(
        _name,
        inputs="x: T, i: int32, v: T",
        outputs="y: T",
        attrs=["T: type"],
        shape=unchanged,
        gradient=MISSING_GRADIENT,
        doc=f"The tensor with some of its rows {_what}; indices are taken modulo their number.",
    )
