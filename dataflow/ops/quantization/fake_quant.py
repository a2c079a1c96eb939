"""Numbers rounded to those that few bits can tell, so that training feels what they lose."""

from __future__ import annotations

from typing import Any, Final

from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.shape_parts import size_at, vector
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import (
    SCALAR,
    merge,
    merge_dim,
    unchanged,
    with_rank,
    with_rank_at_least,
)
from dataflow.values.shapes import TensorShape

_BITS: Final = ("num_bits: int = 8", "narrow_range: bool = false")
_BOUNDS: Final = ("min: float = -6.0", "max: float = 6.0")


def _attrs(op: Operation, *names: str) -> dict[str, Any]:
    return {name: op.attrs[name] for name in ("num_bits", "narrow_range", *names)}


def _by_scalars(c: InferenceContext) -> TensorShape:
    with_rank(c.input(1), 0)
    with_rank(c.input(2), 0)
    return c.input(0)


def _by_scalars_gradient(c: InferenceContext) -> list[TensorShape]:
    inputs = merge(c.input(0), c.input(1))
    with_rank(c.input(2), 0)
    with_rank(c.input(3), 0)
    return [inputs, SCALAR, SCALAR]


def _channels(inputs: TensorShape, *bounds: TensorShape) -> int | None:
    size = size_at(inputs, -1)
    for bound in bounds:
        size = merge_dim(size, size_at(with_rank(bound, 1), 0))
    return size


def _by_channels(c: InferenceContext) -> TensorShape:
    inputs = with_rank_at_least(c.input(0), 1)
    _channels(inputs, c.input(1), c.input(2))
    return inputs


def _by_channels_gradient(c: InferenceContext) -> list[TensorShape]:
    inputs = merge(with_rank_at_least(c.input(0), 1), with_rank_at_least(c.input(1), 1))
    size = _channels(inputs, c.input(2), c.input(3))
    return [inputs, vector(size), vector(size)]


def _args_gradient(op: Operation, grad: Any) -> Tensor:
    attrs = _attrs(op, "min", "max")
    return single("FakeQuantWithMinMaxArgsGradient", grad, op.inputs[0], **attrs)


def _vars_gradient(op: Operation, grad: Any) -> Any:
    return apply_op(f"{op.type}Gradient", grad, *op.inputs, **_attrs(op))


define_op(
    "FakeQuantWithMinMaxArgs",
    inputs="inputs: float32",
    outputs="outputs: float32",
    attrs=[*_BOUNDS, *_BITS],
    shape=unchanged,
    gradient=_args_gradient,
    doc="Numbers rounded to steps between two known bounds.",
)

define_op(
    "FakeQuantWithMinMaxArgsGradient",
    inputs="gradients: float32, inputs: float32",
    outputs="backprops: float32",
    attrs=[*_BOUNDS, *_BITS],
    shape=unchanged,
    gradient=NOT_DIFFERENTIABLE,
    doc="The gradient of FakeQuantWithMinMaxArgs: it passes within the bounds.",
)

for _name, _shape, _gradient_shape, _what in (
    ("FakeQuantWithMinMaxVars", _by_scalars, _by_scalars_gradient, "two bounds"),
    (
        "FakeQuantWithMinMaxVarsPerChannel",
        _by_channels,
        _by_channels_gradient,
        "two bounds for each element of the last axis",
    ),
):
    define_op(
        _name,
        inputs="inputs: float32, min: float32, max: float32",
        outputs="outputs: float32",
        attrs=list(_BITS),
        shape=_shape,
        gradient=_vars_gradient,
        doc=f"Numbers rounded to steps between {_what}.",
    )
    define_op(
        f"{_name}Gradient",
        inputs="gradients: float32, inputs: float32, min: float32, max: float32",
        outputs=(
            "backprops_wrt_input: float32, backprop_wrt_min: float32, backprop_wrt_max: float32"
        ),
        attrs=list(_BITS),
        shape=_gradient_shape,
        gradient=NOT_DIFFERENTIABLE,
        doc=f"The gradients of {_name}: what is beyond a bound counts for it.",
    )


def fake_quant_with_min_max_args(
    inputs: Any,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Rounds numbers to the 2^num_bits steps between two bounds, which are moved so that 0 is one.

    Args:
      inputs: float32.
      min: The lower bound.
      max: The upper bound.
      num_bits: From 2 to 16.
      narrow_range: Whether to leave the lowest step out.
      name: Name of the operation.
    """
    return single(
        "FakeQuantWithMinMaxArgs",
        inputs,
        min=float(min),
        max=float(max),
        num_bits=num_bits,
        narrow_range=narrow_range,
        name=name,
    )


def fake_quant_with_min_max_args_gradient(
    gradients: Any,
    inputs: Any,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """The gradient of `fake_quant_with_min_max_args`."""
    return single(
        "FakeQuantWithMinMaxArgsGradient",
        gradients,
        inputs,
        min=float(min),
        max=float(max),
        num_bits=num_bits,
        narrow_range=narrow_range,
        name=name,
    )


def fake_quant_with_min_max_vars(
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Like `fake_quant_with_min_max_args`, with bounds that are tensors and can be learned."""
    return single(
        "FakeQuantWithMinMaxVars",
        inputs,
        min,
        max,
        num_bits=num_bits,
        narrow_range=narrow_range,
        name=name,
    )


def fake_quant_with_min_max_vars_gradient(
    gradients: Any,
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Any:
    """The gradients of `fake_quant_with_min_max_vars`, a named tuple."""
    return apply_op(
        "FakeQuantWithMinMaxVarsGradient",
        gradients,
        inputs,
        min,
        max,
        num_bits=num_bits,
        narrow_range=narrow_range,
        name=name,
    )


def fake_quant_with_min_max_vars_per_channel(
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Like `fake_quant_with_min_max_vars`, with bounds for each element of the last axis."""
    return single(
        "FakeQuantWithMinMaxVarsPerChannel",
        inputs,
        min,
        max,
        num_bits=num_bits,
        narrow_range=narrow_range,
        name=name,
    )


def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients: Any,
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Any:
    """The gradients of `fake_quant_with_min_max_vars_per_channel`, a named tuple."""
    return apply_op(
        "FakeQuantWithMinMaxVarsPerChannelGradient",
        gradients,
        inputs,
        min,
        max,
        num_bits=num_bits,
        narrow_range=narrow_range,
        name=name,
    )
