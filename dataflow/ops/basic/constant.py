"""Constants: the Const op, `constant`, and how Python values become tensors."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from dataflow.graph.convert import register_tensor_conversion_function
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import get_default_graph
from dataflow.graph.tensor import Tensor
from dataflow.graph.tracebacks import shorten
from dataflow.proto import tensor_pb2
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.values import dtypes, tensor_values
from dataflow.values.shapes import Dimension, RankError, TensorShape
from dataflow.values.tensor_proto import decode_tensor


def _const_shape(c: InferenceContext) -> TensorShape:
    return TensorShape.of(c.attr("value").shape)


_CONST = define_op(
    "Const",
    outputs="output: dtype",
    attrs=["value: tensor", "dtype: type"],
    shape=_const_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="Gives the value of its attr.",
)


def constant(
    value: Any,
    dtype: Any = None,
    shape: Any = None,
    name: str | bytes | None = "Const",
    verify_shape: bool = False,
) -> Tensor:
    """A tensor that always has the same value.

    Args:
      value: A number, string, numpy array, or nested lists of them; or a `TensorProto`, whose own
        type and shape hold.
      dtype: Element type; by default float32 for Python floats, int32 for Python ints.
      shape: Shape of the result; a single value fills it, a shorter list repeats its last value.
      name: Name of the operation; programs of Python 2's time may give it as bytes.
      verify_shape: Refuses a value that does not have `shape` exactly.

    Raises:
      TypeError: The value does not fit the dtype, or with `verify_shape` the shape.
      ValueError: The value has more elements than `shape`, or nested lists of uneven lengths.
      RankError: The result would have too many dimensions.
      InvalidArgumentError: A message is malformed.

    >>> tf.constant([[1, 2], [3, 4]]).shape.as_list()
    [2, 2]
    >>> tf.constant([1, 2], tf.float32).dtype
    tf.float32
    """
    name = name.decode() if isinstance(name, bytes) else name
    try:
        try:
            if isinstance(value, tensor_pb2.TensorProto):
                array, dtype = decode_tensor(value), value.dtype
            else:
                array = tensor_values.numpy_from_values(
                    value, dtype=dtype, shape=shape, verify_shape=verify_shape
                )
        except RankError as error:
            raise RankError(f"The value of the constant '{name}'", error.rank) from None
        if array.flags.writeable:
            # The caller's array may change later; the constant must not.
            if isinstance(value, np.ndarray):
                array = array.copy()
            array.flags.writeable = False
        element = (
            dtypes.as_dtype(array.dtype) if dtype is None else dtypes.as_dtype(dtype).base_dtype
        )
        attrs = {"value": array, "dtype": element}
        return get_default_graph().add_op(_CONST, (), attrs, name).outputs[0]
    except Exception as error:
        shorten(error)
        raise


def convert_value(
    value: Any, dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> Any:
    """The constant of a value."""
    return constant(value, dtype=dtype, name=name)


def convert_shape(
    value: TensorShape, dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> Any:
    """A shape that is known, as a constant of integers."""
    if not value.is_fully_defined():
        raise ValueError(f"Cannot convert a partially known TensorShape {value} to a Tensor.")
    _check_integer(value, dtype)
    sizes = value.as_list()
    large = any(size is not None and size >= 2**31 for size in sizes)
    if large and dtype == dtypes.int32:
        raise ValueError(
            f"Cannot convert TensorShape {value} to dtype int32; a dimension is too large. "
            "Consider using tf.int64."
        )
    if dtype is None:
        dtype = dtypes.int64 if large else dtypes.int32
    return constant(sizes, dtype=dtype, name=name or "shape_as_tensor")


def convert_dimension(
    value: Dimension, dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> Any:
    """A size that is known, as a constant."""
    if value.value is None:
        raise ValueError(f"Cannot convert unknown Dimension {value} to a Tensor.")
    _check_integer(value, dtype)
    return constant(value.value, dtype=dtype or dtypes.int32, name=name or "shape_as_tensor")


def _check_integer(value: TensorShape | Dimension, dtype: Any) -> None:
    if dtype is not None and dtype not in (dtypes.int32, dtypes.int64):
        raise TypeError(
            f"Cannot convert {type(value).__name__} {value} to dtype {dtypes.as_dtype(dtype)}. "
            "Allowed dtypes are tf.int32 and tf.int64."
        )


def _refuse_operation(
    value: Operation, dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> NoReturn:
    raise TypeError(f"can't convert Operation '{value.name}' to Tensor")


register_tensor_conversion_function(Operation, _refuse_operation, 0)
register_tensor_conversion_function((list, tuple), convert_value, 100)
register_tensor_conversion_function((np.ndarray, np.generic), convert_value, 100)
register_tensor_conversion_function((bool, int, float, complex, str, bytes), convert_value, 100)
register_tensor_conversion_function(object, convert_value, 200)
register_tensor_conversion_function(TensorShape, convert_shape, 100)
register_tensor_conversion_function(Dimension, convert_dimension, 100)
