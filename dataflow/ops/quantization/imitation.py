"""Numbers rounded to those that few bits can tell, with the range taken from the numbers."""

from __future__ import annotations

from typing import Any, Final

from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.ops.quantization.conversions import known_axis
from dataflow.ops.quantization.types import bounds_shape, checked_axis
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import merge, unchanged, with_rank
from dataflow.values.shapes import TensorShape

_TYPES: Final = "T: {bfloat16, half, float32, float64}"
_ROUND: Final = "round_mode: {'HALF_TO_EVEN', 'HALF_UP'} = 'HALF_TO_EVEN'"
_SIGNED: Final = "signed_input: bool = true"
_BITS: Final = "num_bits: int = 8"
_NARROW: Final = "narrow_range: bool = false"
_AXIS: Final = "axis: int = -1"


def _shape(c: InferenceContext) -> TensorShape:
    merge(c.input(1), c.input(2))
    bounds_shape(c, checked_axis(c), 1, 2)
    return c.input(0)


def _shape_v3(c: InferenceContext) -> TensorShape:
    found = _shape(c)
    with_rank(c.input(3), 0)
    return found


def _gradient_shape(c: InferenceContext) -> list[TensorShape]:
    axis = checked_axis(c)
    bounds = merge(bounds_shape(c, axis, 2), bounds_shape(c, axis, 3))
    return [merge(c.input(0), c.input(1)), bounds, bounds]


def _straight_through(op: Operation, grad: Any) -> Any:
    return [grad, *(None for _ in op.inputs[1:])]


def _gradient_v4(op: Operation, grad: Any) -> Any:
    return apply_op("QuantizeAndDequantizeV4Grad", grad, *op.inputs, axis=op.attrs["axis"])


define_op(
    "QuantizeAndDequantize",
    inputs="input: T",
    outputs="output: T",
    attrs=[
        *(_SIGNED, _BITS, "range_given: bool = false", "input_min: float = 0.0"),
        *("input_max: float = 0.0", _TYPES),
    ],
    shape=unchanged,
    gradient=_straight_through,
    doc="QuantizeAndDequantizeV2 whose bounds are attrs; only in graphs before version 22.",
)
define_op(
    "QuantizeAndDequantizeV2",
    inputs="input: T, input_min: T, input_max: T",
    outputs="output: T",
    attrs=[_SIGNED, _BITS, "range_given: bool = false", _TYPES, _ROUND, _NARROW, _AXIS],
    shape=_shape,
    gradient=_straight_through,
    doc="Numbers rounded to the steps of a range; the gradient passes through.",
)
define_op(
    "QuantizeAndDequantizeV3",
    inputs="input: T, input_min: T, input_max: T, num_bits: int32",
    outputs="output: T",
    attrs=[_SIGNED, "range_given: bool = true", _TYPES, _NARROW, _AXIS],
    shape=_shape_v3,
    gradient=_straight_through,
    doc="QuantizeAndDequantizeV2 whose number of bits is an input.",
)
define_op(
    "QuantizeAndDequantizeV4",
    inputs="input: T, input_min: T, input_max: T",
    outputs="output: T",
    attrs=[_SIGNED, _BITS, "range_given: bool = false", _TYPES, _ROUND, _NARROW, _AXIS],
    shape=_shape,
    gradient=_gradient_v4,
    doc="QuantizeAndDequantizeV2 whose gradient passes within the range only.",
)
define_op(
    "QuantizeAndDequantizeV4Grad",
    inputs="gradients: T, input: T, input_min: T, input_max: T",
    outputs="input_backprop: T, input_min_backprop: T, input_max_backprop: T",
    attrs=[_TYPES, _AXIS],
    shape=_gradient_shape,
    gradient=MISSING_GRADIENT,
    doc="The gradients of QuantizeAndDequantizeV4; those of the bounds are 0.",
)


def quantize_and_dequantize(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """`quantize_and_dequantize_v2` with a gradient that passes everywhere. Deprecated."""
    return single(
        "QuantizeAndDequantizeV2",
        input,
        input_min,
        input_max,
        signed_input=signed_input,
        num_bits=num_bits,
        range_given=range_given,
        round_mode=round_mode,
        narrow_range=narrow_range,
        axis=known_axis(input, axis),
        name=name,
    )


def quantize_and_dequantize_v2(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """Rounds numbers to those that few bits can tell. The gradient passes within the range.

    Args:
      input: Floating.
      input_min: The lower end of the range, if `range_given`; a vector if `axis` is given.
      input_max: The upper end.
      signed_input: Whether the steps have a sign.
      num_bits: How many bits a step has.
      range_given: Whether the range is given, or that of the numbers.
      round_mode: `HALF_TO_EVEN` or `HALF_UP`.
      name: Name of the operation.
      narrow_range: Whether to leave the lowest step out.
      axis: Along which each slice has a range of its own.
    """
    return single(
        "QuantizeAndDequantizeV4",
        input,
        input_min,
        input_max,
        signed_input=signed_input,
        num_bits=num_bits,
        range_given=range_given,
        round_mode=round_mode,
        narrow_range=narrow_range,
        axis=known_axis(input, axis),
        name=name,
    )
