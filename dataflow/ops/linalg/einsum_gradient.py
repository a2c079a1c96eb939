"""The gradient of Einsum: an einsum of the output's gradient with the other operand.

An axis that the sum ran over is put back by repeating, one that was broadcast is summed over.
"""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.broadcast as array_broadcast
import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.complex as math_complex
import dataflow.ops.reductions.reduce as reductions
import dataflow.ops.reductions.reduce_gradients as gradients
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.values import dtypes

_ELLIPSIS = "..."


def einsum_gradient(op: Operation, grad: Any) -> Any:
    """Gradients with respect to one or two operands."""
    inputs, output = op.attrs["equation"].decode().split("->")
    if len(op.inputs) == 1:
        shape = array_shape.shape(op.inputs[0])
        summed = set(inputs) - set(output + _ELLIPSIS)
        if not summed:
            return single("Einsum", [grad], equation=f"{output}->{inputs}")
        return _repeated(grad, output, inputs, shape, summed)
    subscripts_x, subscripts_y = inputs.split(",")
    if _ELLIPSIS in output:
        # An operand without the dots is one whose dots stand for nothing.
        subscripts_x += "" if _ELLIPSIS in subscripts_x else _ELLIPSIS
        subscripts_y += "" if _ELLIPSIS in subscripts_y else _ELLIPSIS
    x, y = op.inputs
    if grad.dtype.is_complex:
        x, y = math_complex.conj(x), math_complex.conj(y)
    shape_x: Any = array_shape.shape(x)
    shape_y: Any = array_shape.shape(y)
    grad_x = _with_respect_to(grad, y, shape_x, subscripts_x, subscripts_y, output)
    grad_y = _with_respect_to(grad, x, shape_y, subscripts_y, subscripts_x, output)
    if _ELLIPSIS not in output:
        return grad_x, grad_y
    window_x, window_y = _window(subscripts_x), _window(subscripts_y)
    dims_x, dims_y = x.shape.dims_tuple, y.shape.dims_tuple
    known = dims_x is not None and dims_y is not None and None not in dims_x + dims_y
    if known and (dims_x or ())[window_x] == (dims_y or ())[window_y]:
        return grad_x, grad_y
    axes_x: Any
    axes_y: Any
    axes_x, axes_y = apply_op("BroadcastGradientArgs", shape_x[window_x], shape_y[window_y])
    return (
        array_shape.reshape(reductions.reduce_sum(grad_x, window_x.start + axes_x), shape_x),
        array_shape.reshape(reductions.reduce_sum(grad_y, window_y.start + axes_y), shape_y),
    )


def _with_respect_to(
    grad: Any, other: Any, shape: Any, own: str, others: str, output: str
) -> Tensor:
    """The gradient with respect to the operand with subscripts `own`."""
    summed = set(own) - set(output + others + ".")
    left = "".join(s for s in own if s not in summed)
    product = single("Einsum", [grad, other], equation=f"{output},{others}->{left}")
    return product if not summed else _repeated(product, left, own, shape, summed)


def _repeated(grad: Any, output: str, inputs: str, shape: Any, summed: set[str]) -> Tensor:
    """Repeats a gradient along the axes that the operand itself was summed over."""
    labels = sorted(summed)
    axes = [_axis_of(inputs, label) for label in labels]
    sizes = array_concat.stack([shape[axis] for axis in axes])
    has_repeats = len(set(inputs)) + len(set(output)) < len(inputs) + len(output)
    if not has_repeats and "".join(s for s in inputs if s not in summed) == output:
        kept = gradients.reduced_shape(shape, convert_to_tensor(axes))
        return array_broadcast.broadcast_to(array_shape.reshape(grad, kept), shape)
    full = array_concat.concat([sizes, array_shape.shape(grad)], axis=0)
    ones = array_fill.ones(len(labels), dtype=dtypes.int32)
    kept = array_concat.concat([ones, array_shape.shape(grad)], axis=0)
    repeated = array_broadcast.broadcast_to(array_shape.reshape(grad, kept), full)
    return single("Einsum", [repeated], equation=f"{''.join(labels)}{output}->{inputs}")


def _axis_of(subscripts: str, label: str) -> int:
    """The axis of a label; behind the dots it is counted from the end."""
    before, _, after = subscripts.partition(_ELLIPSIS)
    return before.index(label) if label in before else after.index(label) - len(after)


def _window(subscripts: str) -> slice:
    """The axes that the dots stand for."""
    before, dots, after = subscripts.partition(_ELLIPSIS)
    if not dots:
        return slice(0, 0)
    return slice(len(before), -len(after) if after else None)
