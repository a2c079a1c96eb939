"""Casts between element types."""

from __future__ import annotations

import logging
from typing import Any

import ml_dtypes
import numpy as np

from dataflow.graph.convert import convert_to_tensor, is_dense_tensor_like
from dataflow.graph.dispatch import unary
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import name_scope
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import define_op
from dataflow.schema.shape_functions import unchanged
from dataflow.values import dtypes
from dataflow.values.dtypes import DType

_log = logging.getLogger(__name__)


def _cast_gradient(op: Operation, grad: Any) -> Any:
    source = op.inputs[0].dtype.base_dtype
    if all(t.is_floating or t.is_complex for t in (source, grad.dtype.base_dtype)):
        return cast(grad, source)
    return None


define_op(
    "Cast",
    inputs="x: SrcT",
    outputs="y: DstT",
    attrs=["SrcT: type", "DstT: type", "Truncate: bool = false"],
    shape=unchanged,
    gradient=_cast_gradient,
    doc="The same values as another element type, as C casts them.",
)


@unary
def cast(x: Any, dtype: Any, name: str | None = None) -> Any:
    """The same values as another element type; `x` itself if it has that type.

    Args:
      x: A tensor, or SparseTensor or IndexedSlices whose values are cast.
      dtype: The element type.
      name: Name of the operation.

    Raises:
      TypeError: `x` cannot become a tensor, or `dtype` is no type.

    >>> with tf.Session() as session:
    ...     print(session.run(tf.cast([1.8, -1.8], tf.int32)))
    [ 1 -1]
    """
    wanted = dtypes.as_dtype(dtype).base_dtype
    if is_dense_tensor_like(x) and x.dtype == wanted:
        return x
    with name_scope(name, "Cast", [x]) as scope:
        if isinstance(x, SparseTensor):
            return SparseTensor(x.indices, cast(x.values, wanted, name=scope), x.dense_shape)
        if isinstance(x, IndexedSlices):
            return IndexedSlices(cast(x.values, wanted, name=scope), x.indices, x.dense_shape)
        tensor = convert_to_tensor(x, name="x")
        if tensor.dtype.is_complex and wanted.is_floating:
            _log.warning(
                "You are casting an input of type %s to an incompatible dtype %s. This will "
                "discard the imaginary part and may not be what you intended.",
                tensor.dtype.name,
                wanted.name,
            )
        if tensor.dtype is wanted:
            return tensor
        return single("Cast", tensor, DstT=wanted, name=scope)


@unary
def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """Casts, after clipping to what the type can hold.

    Raises:
      TypeError: `value` cannot become a tensor, or `dtype` is no type.
    """
    with name_scope(name, "saturate_cast", [value]) as scope:
        tensor = convert_to_tensor(value, name="value")
        wanted = dtypes.as_dtype(dtype).base_dtype
        given = tensor.dtype.base_dtype
        if given.is_complex and not wanted.is_complex:
            _log.warning("Casting complex to real discards imaginary part.")
            tensor = single("Real", tensor, Tout=given.real_dtype, name="Real")
            given = given.real_dtype
        if given.is_complex:
            low, high = wanted.real_dtype.min, wanted.real_dtype.max
            if given.real_dtype.min < low or given.real_dtype.max > high:
                tensor = _clamp(tensor, complex(low, low), complex(high, high))
        else:
            tensor = _clamp(tensor, *_limits(given, wanted.real_dtype))
        result: Tensor = cast(tensor, wanted, name=scope)
        return result


def _clamp(tensor: Tensor, low: Any, high: Any) -> Tensor:
    dtype = tensor.dtype.base_dtype
    return single(
        "ClipByValue",
        tensor,
        convert_to_tensor(low, dtype=dtype),
        convert_to_tensor(high, dtype=dtype),
        name="clamp",
    )


def _limits(given: DType, wanted: DType) -> tuple[Any, Any]:
    """The least and greatest value of type `given` that `wanted` can hold."""
    scalar = given.as_numpy_dtype
    # Bounds are compared in a type that holds both, so that int32's maximum is not taken for
    # float32's 2**31, the nearest value, which a cast would overflow on.
    try:
        both: Any = np.promote_types(scalar, wanted.as_numpy_dtype)
    except TypeError:
        both = float
    low = scalar(max(given.min, wanted.min))
    if np.asarray(low).astype(both) < np.asarray(wanted.min).astype(both):
        low = _toward_zero(low, scalar)
    high = scalar(min(float(given.max), float(wanted.max)))
    if np.asarray(high).astype(both) > np.asarray(wanted.max).astype(both):
        high = _toward_zero(high, scalar)
    return low, high


def _toward_zero(value: Any, scalar: Any) -> Any:
    if scalar is ml_dtypes.bfloat16:
        return (value.view(np.uint16) - np.uint16(1)).view(ml_dtypes.bfloat16)
    return np.nextafter(value, scalar(0), dtype=scalar)


@unary
def to_float(x: Any, name: str = "ToFloat") -> Any:
    """Casts to float32."""
    return cast(x, dtypes.float32, name=name)


@unary
def to_double(x: Any, name: str = "ToDouble") -> Any:
    """Casts to float64."""
    return cast(x, dtypes.float64, name=name)


@unary
def to_int32(x: Any, name: str = "ToInt32") -> Any:
    """Casts to int32."""
    return cast(x, dtypes.int32, name=name)


@unary
def to_int64(x: Any, name: str = "ToInt64") -> Any:
    """Casts to int64."""
    return cast(x, dtypes.int64, name=name)


@unary
def to_bfloat16(x: Any, name: str = "ToBFloat16") -> Any:
    """Casts to bfloat16."""
    return cast(x, dtypes.bfloat16, name=name)


@unary
def to_complex64(x: Any, name: str = "ToComplex64") -> Any:
    """Casts to complex64."""
    return cast(x, dtypes.complex64, name=name)


@unary
def to_complex128(x: Any, name: str = "ToComplex128") -> Any:
    """Casts to complex128."""
    return cast(x, dtypes.complex128, name=name)
