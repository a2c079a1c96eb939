"""Grey-scale dilation and erosion: the greatest sum, or the least difference, with a kernel."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.transpose as array_transpose
import dataflow.ops.math.unary as math_unary
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.ops.math.types import REAL
from dataflow.ops.nn.window import windowed_size
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import merge_dim, with_rank
from dataflow.values.deprecated_args import renamed
from dataflow.values.shapes import TensorShape

_ATTRS = (
    REAL,
    "strides: list(int) >= 4",
    "rates: list(int) >= 4",
    "padding: {'SAME', 'VALID'}",
)


def _shape(c: InferenceContext) -> TensorShape:
    images = with_rank(c.input(0), 4).dims_tuple or ()
    filters = with_rank(c.input(1), 3).dims_tuple or ()
    strides, rates = c.attr("strides"), c.attr("rates")
    for name, values in (("stride", strides), ("rates", rates)):
        if len(values) != 4:
            raise ValueError(
                f"Dilation2D requires the {name} attribute to contain 4 values, but got: "
                f"{len(values)}"
            )
    merge_dim(images[3], filters[2])
    height = width = None
    if None not in (*images[1:3], *filters[:2]):
        height, width = (
            windowed_size(size, window, stride, c.attr("padding"), rate)
            for size, window, stride, rate in zip(
                images[1:3], filters[:2], strides[1:3], rates[1:3], strict=True
            )
        )
    return TensorShape.of((images[0], height, width, filters[2]))


def _like(index: int) -> Any:
    def shape(c: InferenceContext) -> TensorShape:
        return c.input(index)

    return shape


def _gradient(op: Operation, grad: Any) -> Any:
    x, kernel = op.inputs
    attrs = {name: op.attrs[name] for name in ("strides", "rates", "padding")}
    return (
        single("Dilation2DBackpropInput", x, kernel, grad, **attrs),
        single("Dilation2DBackpropFilter", x, kernel, grad, **attrs),
    )


define_op(
    "Dilation2D",
    inputs="input: T, filter: T",
    outputs="output: T",
    attrs=_ATTRS,
    shape=_shape,
    gradient=_gradient,
    doc="The greatest sum of pixel and kernel in each window, channel by channel.",
)
define_op(
    "Dilation2DBackpropInput",
    inputs="input: T, filter: T, out_backprop: T",
    outputs="in_backprop: T",
    attrs=_ATTRS,
    shape=_like(0),
    gradient=MISSING_GRADIENT,
    doc="The gradient of Dilation2D with respect to the images.",
)
define_op(
    "Dilation2DBackpropFilter",
    inputs="input: T, filter: T, out_backprop: T",
    outputs="filter_backprop: T",
    attrs=_ATTRS,
    shape=_like(1),
    gradient=MISSING_GRADIENT,
    doc="The gradient of Dilation2D with respect to the kernel.",
)


def dilation2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    rates: Any = None,
    padding: Any = None,
    name: str | None = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """The greatest sum of pixel and kernel in each window.

    Args:
      input: Images, channels last.
      filter: Kernel (height, width, channels).
      strides: One number a dimension.
      rates: Distance of two taps, one number a dimension.
      padding: "SAME" or "VALID".
      name: Name of the operation.
      filters: Other name of `filter`.
      dilations: Other name of `rates`.
    """
    kernel = renamed("filters", filters, "filter", filter)
    rates = renamed("dilations", dilations, "rates", rates)
    return single(
        "Dilation2D", input, kernel, strides=strides, rates=rates, padding=padding, name=name
    )


def erosion2d(
    value: Any, kernel: Any, strides: Any, rates: Any, padding: Any, name: str | None = None
) -> Tensor:
    """The least difference of pixel and mirrored kernel in each window.

    Args:
      value: Images, channels last.
      kernel: Kernel (height, width, channels).
      strides: One number a dimension.
      rates: Distance of two taps, one number a dimension.
      padding: "SAME" or "VALID".
      name: Name of the operation.
    """
    with name_scope(name, "erosion2d", [value, kernel]) as scope:
        dilated = dilation2d(
            math_unary.negative(value),
            array_transpose.reverse(kernel, [0, 1]),
            strides=strides,
            rates=rates,
            padding=padding,
            name=scope,
        )
        return math_unary.negative(dilated)
