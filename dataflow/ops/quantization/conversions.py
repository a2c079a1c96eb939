"""Numbers made quantized ones and back, and quantized ones of one range made those of another."""

from __future__ import annotations

from typing import Any, Final

from dataflow.graph.apply_op import apply_op
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.ops.quantization.types import TYPES, bounds_shape, checked_axis, first_with_range
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import SCALAR, with_rank
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

_MODE: Final = "mode: {'MIN_COMBINED', 'MIN_FIRST', 'SCALED'} = 'MIN_COMBINED'"


def _quantize_shape(c: InferenceContext) -> list[TensorShape]:
    bounds = bounds_shape(c, checked_axis(c), 1, 2)
    return [c.input(0), bounds, bounds]


def _dequantize_shape(c: InferenceContext) -> TensorShape:
    axis = checked_axis(c)
    rank = c.input(0).rank
    if rank is not None and axis > rank:
        raise ValueError(f"Axis must be less than input dimension({rank}), got {axis}")
    bounds_shape(c, axis, 1, 2)
    return c.input(0)


def _range_shape(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(1), 0)
    with_rank(c.input(2), 0)
    return [SCALAR, SCALAR]


def _channels_shape(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(1), 1)
    with_rank(c.input(2), 1)
    return [SCALAR, SCALAR]


def _requantize_channels_shape(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(1), 1)
    with_rank(c.input(2), 1)
    with_rank(c.input(3), 0)
    with_rank(c.input(4), 0)
    return [c.input(0), SCALAR, SCALAR]


define_op(
    "QuantizeV2",
    inputs="input: float32, min_range: float32, max_range: float32",
    outputs="output: T, output_min: float32, output_max: float32",
    attrs=[
        f"T: {TYPES}",
        _MODE,
        "round_mode: {'HALF_AWAY_FROM_ZERO', 'HALF_TO_EVEN'} = 'HALF_AWAY_FROM_ZERO'",
        "narrow_range: bool = false",
        "axis: int = -1",
        "ensure_minimum_range: float = 0.01",
    ],
    shape=_quantize_shape,
    gradient=MISSING_GRADIENT,
    doc="Numbers as steps between two bounds, and the bounds that were used.",
)
define_op(
    "Dequantize",
    inputs="input: T, min_range: float32, max_range: float32",
    outputs="output: dtype",
    attrs=[
        f"T: {TYPES}",
        _MODE,
        "narrow_range: bool = false",
        "axis: int = -1",
        "dtype: {bfloat16, float32} = float32",
    ],
    shape=_dequantize_shape,
    gradient=MISSING_GRADIENT,
    doc="The numbers that steps between two bounds stand for.",
)
define_op(
    "QuantizeDownAndShrinkRange",
    inputs="input: Tinput, input_min: float32, input_max: float32",
    outputs="output: out_type, output_min: float32, output_max: float32",
    attrs=[f"Tinput: {TYPES}", f"out_type: {TYPES}"],
    shape=first_with_range(1, 2),
    gradient=MISSING_GRADIENT,
    doc="Steps of fewer bits, between the least and the greatest number that there is.",
)
define_op(
    "Requantize",
    inputs=(
        "input: Tinput, input_min: float32, input_max: float32, requested_output_min: float32,"
        " requested_output_max: float32"
    ),
    outputs="output: out_type, output_min: float32, output_max: float32",
    attrs=[f"Tinput: {TYPES}", f"out_type: {TYPES}"],
    shape=first_with_range(1, 4),
    gradient=MISSING_GRADIENT,
    doc="Steps of fewer bits, between bounds that are asked for.",
)
define_op(
    "RequantizePerChannel",
    inputs=(
        "input: T, input_min: float32, input_max: float32, requested_output_min: float32,"
        " requested_output_max: float32"
    ),
    outputs="output: out_type, output_min: float32, output_max: float32",
    attrs=[f"T: {TYPES} = qint32", f"out_type: {TYPES} = quint8"],
    shape=_requantize_channels_shape,
    gradient=MISSING_GRADIENT,
    doc="Requantize of what has bounds for each channel.",
)
define_op(
    "RequantizationRange",
    inputs="input: Tinput, input_min: float32, input_max: float32",
    outputs="output_min: float32, output_max: float32",
    attrs=[f"Tinput: {TYPES}"],
    shape=_range_shape,
    gradient=MISSING_GRADIENT,
    doc="The least and the greatest number that steps stand for.",
)
define_op(
    "RequantizationRangePerChannel",
    inputs="input: T, input_min: float32, input_max: float32",
    outputs="output_min: float32, output_max: float32",
    attrs=[f"T: {TYPES} = qint32", "clip_value_max: float"],
    shape=_channels_shape,
    gradient=MISSING_GRADIENT,
    doc="RequantizationRange of what has bounds for each channel.",
)


def known_axis(input: Any, axis: int | None) -> int:
    """An axis counted from the front, -1 for none.

    Raises:
      ValueError: It counts from the end of a tensor whose rank is not known.
    """
    if axis is None:
        return -1
    if axis >= 0:
        return axis
    rank = input.shape.ndims
    if rank is None:
        raise ValueError("input should have known rank to use negative axis.")
    return int(axis % rank)


def quantize_v2(
    input: Any,
    min_range: Any,
    max_range: Any,
    T: Any,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    narrow_range: bool = False,
    axis: int | None = None,
    ensure_minimum_range: float = 0.01,
) -> Any:
    """Deprecated order of the arguments of `tf.quantization.quantize`."""
    return apply_op(
        "QuantizeV2",
        input,
        min_range,
        max_range,
        T=T,
        mode=mode,
        round_mode=round_mode,
        narrow_range=narrow_range,
        axis=known_axis(input, axis),
        ensure_minimum_range=ensure_minimum_range,
        name=name,
    )


def quantize(
    input: Any,
    min_range: Any,
    max_range: Any,
    T: Any,
    mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
    ensure_minimum_range: float = 0.01,
) -> Any:
    """Rounds numbers to the steps that a quantized type has between two bounds.

    Args:
      input: float32.
      min_range: The lower bound, float32; a vector if `axis` is given.
      max_range: The upper bound.
      T: The quantized type.
      mode: `MIN_COMBINED`, `MIN_FIRST` (0 is a step) or `SCALED` (0 is step 0).
      round_mode: What becomes of halves; `HALF_TO_EVEN` in the mode `SCALED` only.
      name: Name of the operation.
      narrow_range: Whether to leave the lowest step out, in the mode `SCALED`.
      axis: Along which each slice has bounds of its own.
      ensure_minimum_range: The least distance of the bounds, relative to the greater of them.

    Returns:
      The steps, and the bounds that were used.
    """
    return quantize_v2(
        input,
        min_range,
        max_range,
        T,
        mode=mode,
        round_mode=round_mode,
        name=name,
        narrow_range=narrow_range,
        axis=axis,
        ensure_minimum_range=ensure_minimum_range,
    )


def dequantize(
    input: Any,
    min_range: Any,
    max_range: Any,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    axis: int | None = None,
    narrow_range: bool = False,
    dtype: Any = dtypes.float32,
) -> Tensor:
    """The numbers that `tf.quantization.quantize` rounded to.

    Args:
      input: Of a quantized type.
      min_range: The lower bound that was used; a vector if `axis` is given.
      max_range: The upper bound.
      mode: As it was quantized.
      name: Name of the operation.
      axis: Along which each slice has bounds of its own.
      narrow_range: Whether the lowest step was left out.
      dtype: float32 or bfloat16.
    """
    return single(
        "Dequantize",
        input,
        min_range,
        max_range,
        mode=mode,
        narrow_range=narrow_range,
        axis=known_axis(input, axis),
        dtype=dtype,
        name=name,
    )
