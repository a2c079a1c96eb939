"""Ops that make tensors of one value: zeros, ones, fill, and what they are made like."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow.ops.array.shape as array_shape
from dataflow.graph.convert import convert_to_tensor, is_dense_tensor_like
from dataflow.graph.dispatch import dispatched, unary
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.reduction import reduction
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.shape_parts import vector_as_shape
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import unchanged, with_rank
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

_SMALL = 1000
"""Tensors with fewer elements than this become constants of the graph."""


def _fill_shape(c: InferenceContext) -> TensorShape:
    with_rank(c.input(1), 0)
    shape = vector_as_shape(c, 0)
    dims = c.constant(0)
    if dims is not None and (dims < 0).any():
        raise ValueError("Fill dimensions must be >= 0")
    return shape


def _fill_gradient(op: Operation, grad: Any) -> Any:
    return None, reduction("Sum", grad)


def _empty_shape(c: InferenceContext) -> TensorShape:
    return vector_as_shape(c, 0)


def _zeros_shape(c: InferenceContext) -> TensorShape:
    c.set_output_handle(0, c.input_handle(0))
    return c.input(0)


define_op(
    "Fill",
    inputs="dims: index_type, value: T",
    outputs="output: T",
    attrs=["T: type", "index_type: {int32, int64} = int32"],
    shape=_fill_shape,
    gradient=_fill_gradient,
    doc="A tensor of a given shape that holds one value everywhere.",
)

define_op(
    "ZerosLike",
    inputs="x: T",
    outputs="y: T",
    attrs=["T: type"],
    shape=_zeros_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="Zeros in the shape and type of the input.",
)

define_op(
    "OnesLike",
    inputs="x: T",
    outputs="y: T",
    attrs=[
        "T: {bfloat16, half, float32, float64, int8, uint8, int16, uint16, int32, uint32, int64, "
        "uint64, complex64, complex128, bool}"
    ],
    shape=unchanged,
    gradient=NOT_DIFFERENTIABLE,
    doc="Ones in the shape and type of the input.",
)

define_op(
    "Empty",
    inputs="shape: int32",
    outputs="output: dtype",
    attrs=["dtype: type", "init: bool = false"],
    shape=_empty_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="A tensor of a given shape; its values are zeros if `init`, else they do not matter.",
    stateful=True,
)


@dispatched
def fill(dims: Any, value: Any, name: str | None = None) -> Tensor:
    """A tensor that holds one value everywhere.

    Args:
      dims: The sizes: an integer vector.
      value: A scalar.
      name: Name of the operation.

    Raises:
      ValueError: A size is known to be negative.
    """
    return single("Fill", dims, value, name=name)


@dispatched
def zeros(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """A tensor of zeros (False, empty strings).

    Args:
      shape: The sizes: integers, a `TensorShape` or an integer tensor.
      dtype: Element type.
      name: Name of the operation.
    """
    element = dtypes.as_dtype(dtype).base_dtype
    zero: Any = 0
    if element == dtypes.bool:
        zero = False
    elif element == dtypes.string:
        zero = ""
    elif element.is_quantized:
        zero = np.zeros([]).astype(element.as_numpy_dtype)
    with name_scope(name, "zeros", [shape]) as scope:
        return _marked(_filled(zero, shape, element, scope))


@dispatched
def ones(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """A tensor of ones (True).

    Args:
      shape: The sizes: integers, a `TensorShape` or an integer tensor.
      dtype: Element type.
      name: Name of the operation.
    """
    element = dtypes.as_dtype(dtype).base_dtype
    one: Any = 1
    if element == dtypes.bool:
        one = True
    elif element.is_quantized:
        one = np.ones([]).astype(element.as_numpy_dtype)
    with name_scope(name, "ones", [shape]) as scope:
        return _filled(one, shape, element, scope)


@unary
def zeros_like(
    tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True
) -> Tensor:
    """Zeros in the shape of a tensor.

    Args:
      tensor: Any tensor.
      dtype: Element type; the tensor's if None.
      name: Name of the operation.
      optimize: Uses the static shape if it is fully known.
    """
    with name_scope(name, "zeros_like", [tensor]) as scope:
        like = tensor if is_dense_tensor_like(tensor) else convert_to_tensor(tensor, name="tensor")
        if optimize and like.shape.is_fully_defined() and like.dtype != dtypes.variant:
            return zeros(like.shape, dtype=dtype or like.dtype, name=scope)
        if dtype is not None and dtypes.as_dtype(dtype) not in (like.dtype, dtypes.variant):
            sizes = array_shape.shape_internal(like, optimize=optimize)
            return zeros(sizes, dtype=dtype, name=scope)
        return _marked(single("ZerosLike", like, name=scope))


@unary
def ones_like(
    tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True
) -> Tensor:
    """Ones in the shape of a tensor.

    Args:
      tensor: Any tensor.
      dtype: Element type; the tensor's if None.
      name: Name of the operation.
      optimize: Uses the static shape if it is fully known.
    """
    with name_scope(name, "ones_like", [tensor]) as scope:
        like = convert_to_tensor(tensor, name="tensor")
        sizes = array_shape.shape_internal(like, optimize=optimize)
        result = ones(sizes, dtype=like.dtype if dtype is None else dtype, name=scope)
        result.set_shape(like.shape)
        return result


def _filled(value: Any, shape: Any, dtype: DType, scope: str) -> Tensor:
    """A constant if it is small, else the Fill op."""
    if not isinstance(shape, Tensor):
        try:
            small = _constant_if_small(value, shape, dtype, scope)
            if small is not None:
                return small
            shape = convert_to_tensor(TensorShape(shape))
        except (TypeError, ValueError):
            shape = convert_to_tensor(shape, dtype=dtypes.int32)
    if not shape.shape.rank:
        shape = array_shape.reshape(shape, [-1])
    return fill(shape, constant(value, dtype=dtype), name=scope)


def _constant_if_small(value: Any, shape: Any, dtype: DType, scope: str) -> Tensor | None:
    try:
        if np.prod(shape) < _SMALL:
            return constant(value, shape=shape, dtype=dtype, name=scope)
    except (NotImplementedError, TypeError):
        # The shape holds tensors: its size is not known before a step runs.
        pass
    return None


def _marked(tensor: Tensor) -> Tensor:
    """Says that the tensor is zero, for whoever can save work by it."""
    tensor._is_zeros_tensor = True  # type: ignore[attr-defined]
    return tensor
