"""The op that applies a function to each row of tensors."""

from __future__ import annotations

from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.values.shapes import TensorShape


def _stacked(c: InferenceContext) -> list[TensorShape]:
    shapes: list[TensorShape] = list(c.attr("output_shapes"))
    if len(shapes) != c.num_outputs:
        raise ValueError(
            "`output_shapes` must be the same length as `output_types` "
            f"({len(shapes)} vs. {c.num_outputs})"
        )
    rows = None
    for place in range(len(c.attr("Targuments"))):
        dims = c.input(place).dims_tuple
        if dims == ():
            raise ValueError(f"Arguments must have rank at least 1. Input {place} has rank of 0.")
        if dims is None or dims[0] is None:
            continue
        if rows is not None and rows != dims[0]:
            raise ValueError("Arguments must have the same dimension 0.")
        rows = dims[0]
    return [TensorShape([rows]).concatenate(shape) for shape in shapes]


define_op(
    "MapDefun",
    inputs="arguments: Targuments, captured_inputs: Tcaptured",
    outputs="output: output_types",
    attrs=[
        "Targuments: list(type) >= 1",
        "Tcaptured: list(type) >= 0 = []",
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "f: func",
        "max_intra_op_parallelism: int = 1",
    ],
    shape=_stacked,
    gradient=MISSING_GRADIENT,
    doc="What a function makes of each row of tensors, stacked.",
)
