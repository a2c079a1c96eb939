"""Running sums and products along an axis."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.select as array_select
import dataflow.ops.math.compare as math_compare
import dataflow.ops.math.division as math_division
import dataflow.ops.math.unary as math_unary
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import dispatched
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.ops.math.types import FLOAT, INDEX, NUMBER
from dataflow.schema.opdef import GradientFunction, define_op
from dataflow.schema.shape_functions import unchanged


def _cumsum_gradient(op: Operation, grad: Any) -> Any:
    exclusive, reverse = op.attrs["exclusive"], op.attrs["reverse"]
    return [cumsum(grad, op.inputs[1], exclusive=exclusive, reverse=not reverse), None]


def _cumprod_gradient(op: Operation, grad: Any) -> Any:
    x, axis = op.inputs
    exclusive, reverse = op.attrs["exclusive"], op.attrs["reverse"]
    product: Any = cumprod(x, axis, exclusive=exclusive, reverse=reverse)
    summed = cumsum(product * grad, axis, exclusive=exclusive, reverse=not reverse)
    return [math_division.div_no_nan(summed, x), None]


def _cumulative_logsumexp_gradient(op: Operation, grad: Any) -> Any:
    x: Any
    x, axis = op.inputs
    exclusive, reverse = op.attrs["exclusive"], op.attrs["reverse"]
    result = op.outputs[0]
    least = grad.dtype.min
    # In logarithms, so that small terms survive; the two signs apart, as logarithms need it.
    log_above: Any = array_select.where_v2(
        math_compare.greater(grad, 0), math_unary.log(grad), least
    )
    log_below: Any = array_select.where_v2(math_compare.less(grad, 0), math_unary.log(-grad), least)

    def spread(log_grad: Any) -> Any:
        summed: Any = cumulative_logsumexp(
            log_grad - result, axis=axis, reverse=not reverse, exclusive=exclusive
        )
        return math_unary.exp(summed + x)

    above = spread(log_above)
    below = spread(log_below)
    return [above - below, None]


def _define(op_type: str, types: str, gradient: GradientFunction, doc: str) -> None:
    define_op(
        op_type,
        inputs="x: T, axis: Tidx",
        outputs="out: T",
        attrs=["exclusive: bool = false", "reverse: bool = false", types, INDEX],
        shape=unchanged,
        gradient=gradient,
        doc=doc,
    )


_define("Cumsum", NUMBER, _cumsum_gradient, "The sum of the elements up to each, along an axis.")
_define("Cumprod", NUMBER, _cumprod_gradient, "The product of the elements up to each.")
_define(
    "CumulativeLogsumexp",
    FLOAT,
    _cumulative_logsumexp_gradient,
    "The logarithm of the sum of the exponentials of the elements up to each.",
)


def _scan(
    op_type: str, scope: str, x: Any, axis: Any, exclusive: bool, reverse: bool, name: str | None
) -> Tensor:
    with name_scope(name, scope, [x]) as entered:
        tensor = convert_to_tensor(x, name="x")
        return single(op_type, tensor, axis, exclusive=exclusive, reverse=reverse, name=entered)


@dispatched
def cumsum(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """The sum of the elements up to and with each, along an axis.

    Args:
      x: The tensor.
      axis: The axis: an int or integer scalar; negative ones count from the end.
      exclusive: Leaves each element itself out of its sum.
      reverse: Sums from the other end.
      name: Name of the operation.
    """
    return _scan("Cumsum", "Cumsum", x, axis, exclusive, reverse, name)


def cumprod(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """The product of the elements up to and with each; see `cumsum`."""
    return _scan("Cumprod", "Cumprod", x, axis, exclusive, reverse, name)


def cumulative_logsumexp(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """log(cumsum(exp(x))) without overflow; see `cumsum`. Sums of nothing give -inf."""
    return _scan("CumulativeLogsumexp", "CumulativeLogsumexp", x, axis, exclusive, reverse, name)
