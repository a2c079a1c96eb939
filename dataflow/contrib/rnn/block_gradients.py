"""Gradients of LSTMBlockCell and GRUBlockCell, which TensorFlow has in tf.contrib only."""

from __future__ import annotations

from typing import Any

from dataflow.differentiation.registry import RegisterGradient
from dataflow.graph.apply_op import apply_op
from dataflow.ops.array.concat import concat
from dataflow.ops.array.shape import shape
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.reductions.reduce import reduce_sum


@RegisterGradient("LSTMBlockCell")
def _of_lstm(op: Any, *grads: Any) -> list[Any]:
    x, _, h, w, *_ = op.inputs
    before, sums, *seen = apply_op(
        "LSTMBlockCellGrad",
        *op.inputs,
        *op.outputs[:6],
        grads[1],
        grads[6],
        use_peephole=op.get_attr("use_peephole"),
    )
    x_grad, h_grad, w_grad, b_grad = _of_sums(x, h, w, sums)
    return [x_grad, before, h_grad, w_grad, *seen, b_grad]


@RegisterGradient("GRUBlockCell")
def _of_gru(op: Any, *grads: Any) -> list[Any]:
    x, h, w_ru, w_c, _, _ = op.inputs
    x_grad, h_grad, candidates, gates = apply_op(
        "GRUBlockCellGrad", *op.inputs, *op.outputs[:3], grads[3]
    )
    _, _, ru_grad, ru_bias = _of_sums(x, h, w_ru, gates)
    _, _, c_grad, c_bias = _of_sums(x, op.outputs[0] * h, w_c, candidates)
    return [x_grad, h_grad, ru_grad, c_grad, ru_bias, c_bias]


def _of_sums(x: Any, h: Any, w: Any, sums: Any) -> tuple[Any, Any, Any, Any]:
    """Gradients of `[x, h] @ w + b` with respect to each of the four."""
    size = shape(x)[1]
    joined = matmul(sums, w, transpose_b=True)
    w_grad = matmul(concat([x, h], 1), sums, transpose_a=True)
    return joined[:, :size], joined[:, size:], w_grad, reduce_sum(sums, 0)
