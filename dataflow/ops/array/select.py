"""Ops that choose between tensors element by element, or find where a condition holds."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.broadcast_gradient as array_broadcast_gradient
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import dispatched
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import name_scope
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.shape_parts import scalar_size, size_at, subshape, vector
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import UNKNOWN, broadcast_shapes, merge, with_rank
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


def _where_shape(c: InferenceContext) -> TensorShape:
    return TensorShape.of((None, c.input(0).rank))


def _select_shape(c: InferenceContext) -> TensorShape:
    condition, result = c.input(0), merge(c.input(1), c.input(2))
    if condition.rank is None or result.rank is None or condition.rank == 0:
        return result
    if condition.rank == 1 and result.rank:
        merge(condition, vector(size_at(result, 0)))
        return result
    return merge(result, condition)


def _select_v2_shape(c: InferenceContext) -> TensorShape:
    return broadcast_shapes(c.input(0), broadcast_shapes(c.input(1), c.input(2)))


def _one_hot_shape(c: InferenceContext) -> TensorShape:
    axis: int = c.attr("axis")
    if axis < -1:
        raise ValueError("axis must be >= -1")
    depth = scalar_size(c, 1)
    indices = c.input(0)
    with_rank(c.input(2), 0)
    with_rank(c.input(3), 0)
    if indices.rank is None:
        return UNKNOWN
    place = indices.rank if axis == -1 else axis
    return (
        subshape(indices, 0, place).concatenate(vector(depth)).concatenate(subshape(indices, place))
    )


def _select_gradient(op: Operation, grad: Any) -> Any:
    condition = op.inputs[0]
    zeros = array_fill.zeros_like(op.inputs[1])
    return None, where(condition, grad, zeros), where(condition, zeros, grad)


def _select_v2_gradient(op: Operation, grad: Any) -> Any:
    condition, x, y = op.inputs
    output = op.outputs[0]
    zeros = array_fill.zeros([], dtype=grad.dtype.base_dtype)
    grad_x: Any = where_v2(condition, grad, zeros)
    grad_y: Any = where_v2(condition, zeros, grad)
    grad_x, _ = array_broadcast_gradient.reduce_gradients(x, output, grad_x, None)
    grad_y, _ = array_broadcast_gradient.reduce_gradients(y, output, grad_y, None)
    return None, grad_x, grad_y


define_op(
    "Where",
    inputs="input: T",
    outputs="index: int64",
    attrs=[
        "T: {float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
        "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64, bool} = bool"
    ],
    shape=_where_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="Where a tensor is true or not zero: one row of positions for each such element.",
)

define_op(
    "Select",
    inputs="condition: bool, t: T, e: T",
    outputs="output: T",
    attrs=["T: type"],
    shape=_select_shape,
    gradient=_select_gradient,
    doc="t where the condition is true, else e; a vector condition chooses whole rows.",
)

define_op(
    "SelectV2",
    inputs="condition: bool, t: T, e: T",
    outputs="output: T",
    attrs=["T: type"],
    shape=_select_v2_shape,
    gradient=_select_v2_gradient,
    doc="t where the condition is true, else e; all three are broadcast.",
)

define_op(
    "OneHot",
    inputs="indices: TI, depth: int32, on_value: T, off_value: T",
    outputs="output: T",
    attrs=["axis: int = -1", "T: type", "TI: {uint8, int8, int32, int64} = int64"],
    shape=_one_hot_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="Along a new dimension: on_value at the index, off_value elsewhere.",
)


@dispatched
def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """`x` where a condition is true, else `y`; without both, the positions where it is true.

    Args:
      condition: Booleans in the shape of `x`, or a vector that chooses rows, or a scalar.
      x: A tensor.
      y: A tensor in the shape of `x`.
      name: Name of the operation.

    Raises:
      ValueError: Only one of `x` and `y` is given, or shapes are known to differ.

    >>> x = tf.constant([1, -2])
    >>> with tf.Session() as session:
    ...     print(session.run(tf.where(x > 0, x, -x)), session.run(tf.where(x > 0)))
    [1 2] [[0]]
    """
    return _where("Select", condition, x, y, name)


@dispatched
def where_v2(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """Like `where`, but `condition`, `x` and `y` are broadcast against each other.

    Raises:
      ValueError: Only one of `x` and `y` is given, or shapes are known not to broadcast.
    """
    return _where("SelectV2", condition, x, y, name)


def _where(op_type: str, condition: Any, x: Any, y: Any, name: str | None) -> Tensor:
    if x is None and y is None:
        with name_scope(name, "Where", [condition]) as scope:
            mask = convert_to_tensor(condition, preferred_dtype=dtypes.bool, name="condition")
            return single("Where", mask, name=scope)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return single(op_type, condition, x, y, name=name)


@dispatched
def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: Any = None,
    name: str | None = None,
) -> Tensor:
    """Along a new dimension: `on_value` at the index, `off_value` elsewhere.

    Args:
      indices: Integers; one outside [0, depth) is on nowhere.
      depth: Size of the new dimension: a scalar.
      on_value: A scalar, 1 if None.
      off_value: A scalar, 0 if None.
      axis: Where the new dimension goes, -1 for the end, which is the default.
      dtype: Element type; by default that of the values given, else float32.
      name: Name of the operation.

    Raises:
      TypeError: The dtypes of the values and `dtype` differ.

    >>> with tf.Session() as session:
    ...     print(session.run(tf.one_hot([2, 0], 3)).tolist())
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    scope_values = [indices, depth, on_value, off_value, axis, dtype]
    with name_scope(name, "one_hot", scope_values) as scope:
        wanted = None if dtype is None else dtypes.as_dtype(dtype)
        given = {}
        for label, value in (("on_value", on_value), ("off_value", off_value)):
            if value is not None:
                given[label] = convert_to_tensor(value, dtype_hint=wanted)
                found = given[label].dtype.base_dtype
                if wanted is not None and found != wanted:
                    raise TypeError(
                        f"dtype {found} of {label} does not match dtype parameter {wanted}"
                    )
        if wanted is None:
            wanted = next((t.dtype.base_dtype for t in given.values()), dtypes.float32)
        for label, default in (("on_value", 1), ("off_value", 0)):
            if label not in given:
                given[label] = convert_to_tensor(default, wanted, name=label)
        on, off = given["on_value"], given["off_value"]
        if on.dtype.base_dtype != off.dtype.base_dtype:
            raise TypeError(
                f"dtype {on.dtype.base_dtype} of on_value does not match dtype "
                f"{off.dtype.base_dtype} of off_value"
            )
        return single("OneHot", indices, depth, on, off, name=scope, axis=axis)


def sequence_mask(
    lengths: Any, maxlen: Any = None, dtype: Any = dtypes.bool, name: str | None = None
) -> Tensor:
    """True for the first `lengths[i]` of `maxlen` positions, false for the others.

    Args:
      lengths: An integer tensor.
      maxlen: Size of the new last dimension: a scalar; the greatest length if None.
      dtype: Element type of the result.
      name: Name of the scope of the operations.

    Raises:
      ValueError: `maxlen` is known not to be a scalar.
    """
    with name_scope(name, "SequenceMask", [lengths, maxlen]):
        lengths = convert_to_tensor(lengths)
        if maxlen is None:
            greatest = single("Max", lengths, all_axes(lengths), keep_dims=False)
            zero = constant(0, greatest.dtype)
            maxlen = single("Maximum", zero, greatest)
        else:
            maxlen = convert_to_tensor(maxlen)
        if maxlen.shape.rank not in (None, 0):
            raise ValueError("maxlen must be scalar for sequence_mask")
        first, step = constant(0, maxlen.dtype), constant(1, maxlen.dtype)
        positions: Any = single("Range", first, maxlen, step)
        column = array_shape.expand_dims(lengths, -1)
        result: Tensor = positions < single("Cast", column, DstT=maxlen.dtype)
        if dtype is None or result.dtype.is_compatible_with(dtype):
            return result
        return single("Cast", result, DstT=dtype)


def all_axes(x: Any) -> Tensor:
    """The axes of a tensor, in order."""
    if isinstance(x, Tensor) and x.shape.rank is not None:
        return constant(list(range(x.shape.rank)), dtype=dtypes.int32)
    if isinstance(x, SparseTensor):
        dims = x.dense_shape.shape.dims_tuple
        if dims is not None and dims[0] is not None:
            return constant(list(range(dims[0])), dtype=dtypes.int32)
    return single("Range", 0, array_shape.rank(x), 1)
