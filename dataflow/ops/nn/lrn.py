"""Local response normalization across neighbouring channels."""

from __future__ import annotations

from typing import Any

from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import merged_inputs, with_rank
from dataflow.values.shapes import TensorShape

_ATTRS = (
    "depth_radius: int = 5",
    "bias: float = 1.0",
    "alpha: float = 1.0",
    "beta: float = 0.5",
    "T: {half, bfloat16, float32} = float32",
)


def _shape(c: InferenceContext) -> TensorShape:
    return with_rank(c.input(0), 4)


def _grad_shape(c: InferenceContext) -> TensorShape:
    return with_rank(merged_inputs(c), 4)


def _gradient(op: Operation, grad: Any) -> Any:
    attrs = {name: op.attrs[name] for name in ("depth_radius", "bias", "alpha", "beta")}
    return single("LRNGrad", grad, op.inputs[0], op.outputs[0], **attrs)


define_op(
    "LRN",
    inputs="input: T",
    outputs="output: T",
    attrs=_ATTRS,
    shape=_shape,
    gradient=_gradient,
    doc="x over (bias + alpha * the sum of squares of neighbouring channels) ** beta.",
)
define_op(
    "LRNGrad",
    inputs="input_grads: T, input_image: T, output_image: T",
    outputs="output: T",
    attrs=_ATTRS,
    shape=_grad_shape,
    gradient=MISSING_GRADIENT,
    doc="The gradient of LRN.",
)


def local_response_normalization(
    input: Any,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    name: str | None = None,
) -> Tensor:
    """Divides by (bias + alpha * the sum of squares of neighbouring channels) ** beta.

    See Krizhevsky, Sutskever and Hinton, 2012.

    Args:
      input: Images, channels last.
      depth_radius: Neighbours on each side.
      bias: Added to the sum, to avoid a division by zero.
      alpha: Factor on the sum.
      beta: Exponent.
      name: Name of the operation.
    """
    return single(
        "LRN", input, depth_radius=depth_radius, bias=bias, alpha=alpha, beta=beta, name=name
    )


lrn = local_response_normalization
