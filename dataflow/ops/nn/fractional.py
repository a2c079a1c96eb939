"""Pooling whose windows differ in size, so that the result is smaller by any factor.

Graham, Fractional max-pooling (2015).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import dataflow.ops.array.shape as array_shape
from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.ops.basic.shape_parts import vector
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

_TYPES: Final = "T: {float32, float64, int32, int64}"
_ATTRS: Final = (
    "pooling_ratio: list(float) >= 4",
    "pseudo_random: bool = false",
    "overlapping: bool = false",
    "deterministic: bool = false",
    "seed: int = 0",
    "seed2: int = 0",
    _TYPES,
)


def _pooled(c: InferenceContext) -> list[TensorShape]:
    dims = with_rank(c.input(0), 4).dims_tuple or (None,) * 4
    ratios = c.attr("pooling_ratio")
    if len(ratios) != 4:
        raise ValueError("pooling_ratio field must specify 4 dimensions")
    for ratio in ratios:
        if not ratio >= 1:  # Nor NaN.
            raise ValueError(f"pooling_ratio cannot be smaller than 1, got: {ratio:g}")
    sizes = tuple(
        math.floor(size / ratio) if size is not None else None
        for size, ratio in zip(dims, ratios, strict=True)
    )
    return [TensorShape.of(sizes), vector(None), vector(None)]


def _like_input(c: InferenceContext) -> TensorShape:
    return with_rank(c.input(0), 4)


def _as_said(c: InferenceContext) -> TensorShape:
    if c.constant(0) is None:
        return TensorShape.of((None,) * 4)
    return with_rank(c.constant_as_shape(0), 4)


def _max_gradient(op: Operation, grad: Any, *_of_starts: Any) -> Any:
    value, pooled = op.inputs[0], op.outputs[0]
    _, rows, columns = op.outputs
    overlapping = op.attrs["overlapping"]
    return single(
        "FractionalMaxPoolGrad", value, pooled, grad, rows, columns, overlapping=overlapping
    )


def _avg_gradient(op: Operation, grad: Any, *_of_starts: Any) -> Any:
    _, rows, columns = op.outputs
    shape: Any = op.inputs[0].shape
    if not shape.is_fully_defined():
        shape = array_shape.shape(op.inputs[0], out_type=dtypes.int64)
    overlapping = op.attrs["overlapping"]
    return single("FractionalAvgPoolGrad", shape, grad, rows, columns, overlapping=overlapping)


_SEQUENCES: Final = "row_pooling_sequence: int64, col_pooling_sequence: int64"

for _kind, _gradient, _what in (
    ("Max", _max_gradient, "greatest element"),
    ("Avg", _avg_gradient, "mean"),
):
    define_op(
        f"Fractional{_kind}Pool",
        inputs="value: T",
        outputs=f"output: T, {_SEQUENCES}",
        attrs=list(_ATTRS),
        shape=_pooled,
        gradient=_gradient,
        doc=f"The {_what} of windows of two sizes, in random order, and where they begin.",
    )
define_op(
    "FractionalMaxPoolGrad",
    inputs=f"orig_input: T, orig_output: T, out_backprop: T, {_SEQUENCES}",
    outputs="output: T",
    attrs=["overlapping: bool = false", _TYPES],
    shape=_like_input,
    gradient=MISSING_GRADIENT,
    doc="The gradient of FractionalMaxPool: goes to the first greatest element of each window.",
)
define_op(
    "FractionalAvgPoolGrad",
    inputs=f"orig_input_tensor_shape: int64, out_backprop: T, {_SEQUENCES}",
    outputs="output: T",
    attrs=["overlapping: bool = false", _TYPES],
    shape=_as_said,
    gradient=MISSING_GRADIENT,
    doc="The gradient of FractionalAvgPool, spread over each window.",
)


def fractional_max_pool(
    value: Any,
    pooling_ratio: Sequence[float],
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
    name: str | None = None,
) -> Any:
    """The greatest element of each window; windows are of two sizes, in random order.

    Args:
      value: Images `[batch, height, width, channels]`.
      pooling_ratio: How much smaller each dimension becomes: at least 1, and 1 for the first and
        the last one.
      pseudo_random: Whether the order comes of one random number, and is more even.
      overlapping: Whether the first element of the next window also belongs to a window.
      deterministic: Whether each run takes the same windows; only then the seeds may be given.
      seed: A seed.
      seed2: A second seed.
      name: Name of the operation.

    Returns:
      The result, and where the windows begin in the rows and in the columns.
    """
    return apply_op(
        "FractionalMaxPool",
        value,
        pooling_ratio=pooling_ratio,
        pseudo_random=pseudo_random,
        overlapping=overlapping,
        deterministic=deterministic,
        seed=seed,
        seed2=seed2,
        name=name,
    )


def fractional_avg_pool(
    value: Any,
    pooling_ratio: Sequence[float],
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
    name: str | None = None,
) -> Any:
    """The mean of each window, which are those of `fractional_max_pool`."""
    return apply_op(
        "FractionalAvgPool",
        value,
        pooling_ratio=pooling_ratio,
        pseudo_random=pseudo_random,
        overlapping=overlapping,
        deterministic=deterministic,
        seed=seed,
        seed2=seed2,
        name=name,
    )
