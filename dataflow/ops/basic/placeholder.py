"""Placeholders: tensors that a step must feed, or may."""

from __future__ import annotations

from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.schema import shape_functions
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.values.shapes import TensorShape


def _placeholder_shape(c: InferenceContext) -> TensorShape:
    shape: TensorShape = c.attr("shape")
    return shape


def _default_shape(c: InferenceContext) -> TensorShape:
    shape: TensorShape = c.attr("shape")
    shape_functions.merge(c.input(0), shape)
    return shape


define_op(
    "Placeholder",
    outputs="output: dtype",
    attrs=["dtype: type", "shape: shape = unknown"],
    shape=_placeholder_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="A value that must be fed; running it is an error.",
)

define_op(
    "PlaceholderV2",
    outputs="output: dtype",
    attrs=["dtype: type", "shape: shape"],
    shape=_placeholder_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="Like Placeholder; found in old graphs.",
)


def _default_gradient(op: Operation, grad: Tensor) -> Tensor:
    return grad


define_op(
    "PlaceholderWithDefault",
    inputs="input: dtype",
    outputs="output: dtype",
    attrs=["dtype: type", "shape: shape"],
    shape=_default_shape,
    gradient=_default_gradient,
    doc="Passes its input on, unless a value is fed.",
)


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Tensor:
    """A tensor that every step which needs it must feed.

    Args:
      dtype: Element type of the values fed.
      shape: Shape of the values fed, None for any; entries may be None.
      name: Name of the operation.

    Raises:
      TypeError: `dtype` or `shape` are not convertible.

    >>> x = tf.placeholder(tf.float32, [None, 2])
    >>> with tf.Session() as session:
    ...     print(session.run(tf.reduce_sum(x, axis=0), feed_dict={x: [[1, 2], [3, 4]]}))
    [4. 6.]
    """
    result: Tensor = apply_op("Placeholder", dtype=dtype, shape=shape, name=name)
    return result


def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """A tensor that a step may feed; otherwise it has the value of `input`.

    Args:
      input: The default value.
      shape: Shape of the values fed; the default's shape must be compatible.
      name: Name of the operation.

    Raises:
      ValueError: The default does not fit `shape`.

    >>> rate = tf.placeholder_with_default(0.5, [])
    >>> with tf.Session() as session:
    ...     print(session.run(rate), session.run(rate, feed_dict={rate: 0.25}))
    0.5 0.25
    """
    result: Tensor = apply_op("PlaceholderWithDefault", input, shape=shape, name=name)
    return result
