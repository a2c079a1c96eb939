"""Symbolic derivatives: adds the operations that compute them to the graph."""

from __future__ import annotations

from typing import Any

import dataflow.differentiation.cond_v2_gradient
import dataflow.differentiation.while_v2_gradient  # noqa: F401 - both register gradients
import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
from dataflow.control_flow.tensor_array import TensorArray
from dataflow.control_flow.while_loop import while_loop
from dataflow.differentiation.computation import (
    UnconnectedGradients,
    as_list,
    differentiate,
)
from dataflow.differentiation.walk import WalkOptions
from dataflow.graph.tensor import Tensor
from dataflow.graph.tracebacks import shortened
from dataflow.ops.basic.constant import constant
from dataflow.values import dtypes


@shortened
def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str | None = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
) -> list[Any]:
    """Derivatives of the sum of `ys` with respect to each of `xs`, in reverse mode.

    Args:
      ys: A tensor or a list of tensors.
      xs: A tensor or variable, or a list of them.
      grad_ys: For each y the gradient it starts with; None, whole or entry, means ones.
      name: Name scope of the operations made.
      colocate_gradients_with_ops: Puts them on the device of the operation differentiated.
      gate_gradients: Gives on an operation's gradients only when all of them are computed.
      aggregation_method: One of `AggregationMethod`.
      stop_gradients: Tensors to take for constants, although they depend on xs.
      unconnected_gradients: `UnconnectedGradients` or its value: what to give for an x on which
        no y depends.

    Returns:
      For each x a tensor of its shape, `IndexedSlices` where only slices of x are used, or None.

    Raises:
      LookupError: An operation between an x and a y has no gradient registered.
      TypeError: A y is complex and has no gradient in `grad_ys`, or that is of the wrong kind.
      ValueError: Lengths or shapes do not match, or an option has no such value.

    >>> x = tf.constant(3.0)
    >>> with tf.Session() as session:
    ...     print(session.run(tf.gradients(x * x, x)[0]))
    6.0
    """
    options = WalkOptions(colocate_gradients_with_ops, gate_gradients, aggregation_method)
    return differentiate(
        ys, xs, grad_ys, name, options, stop_gradients, unconnected_gradients, None
    )


def hessians(
    ys: Any,
    xs: Any,
    name: str = "hessians",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
) -> list[Any]:
    """Second derivatives of the sum of `ys` with respect to each of `xs`.

    Args:
      ys: A tensor or a list of tensors.
      xs: A tensor or a list of tensors.
      name: Unused, as in TensorFlow.
      colocate_gradients_with_ops: As for `gradients`.
      gate_gradients: As for `gradients`.
      aggregation_method: As for `gradients`.

    Returns:
      For each x a tensor of shape `x.shape + x.shape`.

    Raises:
      LookupError: An operation between an x and a y has no gradient registered.
      ValueError: The first or second derivative does not depend on an x.
    """
    sources = as_list(xs)
    firsts = gradients(
        ys,
        sources,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
    )
    return [_hessian(first, x) for first, x in zip(firsts, sources, strict=True)]


def _hessian(first: Any, x: Any) -> Tensor:
    """The derivatives of each element of a gradient, side by side."""
    flat: Any = array_shape.reshape(first, [-1])
    size = array_shape.size(x)
    _, rows = while_loop(
        lambda i, _: i < size,
        lambda i, rows: (i + 1, rows.write(i, gradients(flat[i], x)[0])),
        [constant(0, dtypes.int32), TensorArray(x.dtype, size)],
    )
    shape = array_shape.shape(x)
    stacked = rows.stack()
    hessian: Tensor = array_shape.reshape(stacked, array_concat.concat((shape, shape), 0))
    return hessian
