"""A step of a GRU as one op."""

from __future__ import annotations

from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.ops.basic.shape_parts import size_at
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank
from dataflow.values.shapes import TensorShape

_INPUTS = "x: T, h_prev: T, w_ru: T, w_c: T, b_ru: T, b_c: T"


def _shape(c: InferenceContext) -> list[TensorShape]:
    batch = size_at(with_rank(c.input(0), 2), 0)
    return [TensorShape.of((batch, size_at(with_rank(c.input(1), 2), 1)))] * 4


def _grad_shape(c: InferenceContext) -> list[TensorShape]:
    x, h, w = (with_rank(c.input(index), 2) for index in range(3))
    batch = size_at(x, 0)
    columns = (size_at(x, 1), size_at(h, 1), size_at(h, 1), size_at(w, 1))
    return [TensorShape.of((batch, size)) for size in columns]


define_op(
    "GRUBlockCell",
    inputs=_INPUTS,
    outputs="r: T, u: T, c: T, h: T",
    attrs=["T: {float}"],
    shape=_shape,
    gradient=MISSING_GRADIENT,
    doc="A step of a GRU: what is seen, what is kept, new values and the next state.",
)
define_op(
    "GRUBlockCellGrad",
    inputs=f"{_INPUTS}, r: T, u: T, c: T, d_h: T",
    outputs="d_x: T, d_h_prev: T, d_c_bar: T, d_r_bar_u_bar: T",
    attrs=["T: {float}"],
    shape=_grad_shape,
    gradient=MISSING_GRADIENT,
    doc="The gradients of a step of a GRU with respect to inputs, state and sums.",
)


def gru_block_cell(
    x: Any, h_prev: Any, w_ru: Any, w_c: Any, b_ru: Any, b_c: Any, name: str | None = None
) -> Any:
    """A step of a GRU.

    Args:
      x: Inputs, float32 [batch, size].
      h_prev: The state, [batch, units].
      w_ru: Weights of both gates, [size + units, 2 * units].
      w_c: Weights of new values, [size + units, units].
      b_ru: Bias of both gates, [2 * units].
      b_c: Bias of new values, [units].
      name: Name of the operation.

    Returns:
      What is seen of the state, what is kept, new values, and the next state.
    """
    return apply_op("GRUBlockCell", x, h_prev, w_ru, w_c, b_ru, b_c, name=name)
