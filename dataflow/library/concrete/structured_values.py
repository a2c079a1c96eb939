"""Structures of Python values as messages, in which TensorFlow 2 keeps signatures of functions."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dataflow.errors import DataLossError, UnimplementedError
from dataflow.library.concrete.bounds import BoundedTensorSpec
from dataflow.library.datasets.specs import SparseTensorSpec, TensorSpec
from dataflow.library.ragged.spec import RaggedTensorSpec
from dataflow.proto.struct_pb2 import StructuredValue, TypeSpecProto
from dataflow.values.dtypes import DType, as_dtype
from dataflow.values.shapes import TensorShape
from dataflow.values.tensor_proto import make_ndarray, make_tensor_proto

_TYPE_SPECS: Final = {
    TypeSpecProto.SPARSE_TENSOR_SPEC: SparseTensorSpec,
    TypeSpecProto.RAGGED_TENSOR_SPEC: RaggedTensorSpec,
}


@dataclass(frozen=True)
class OtherValue:
    """A value that has no form here, and can only be written again."""

    message: bytes


def decoded(value: StructuredValue) -> Any:
    """The value of a message.

    Raises:
      DataLossError: It has none.
    """
    kind = value.WhichOneof("kind")
    content: Any = getattr(value, kind) if kind else None
    match kind:
        case "none_value":
            return None
        case "float64_value" | "int64_value" | "string_value" | "bool_value":
            return content
        case "tensor_shape_value":
            return TensorShape(content)
        case "tensor_dtype_value":
            return as_dtype(content)
        case "tensor_spec_value":
            return TensorSpec(TensorShape(content.shape), content.dtype, content.name or None)
        case "bounded_tensor_spec_value":
            bounds = make_ndarray(content.minimum), make_ndarray(content.maximum)
            name = content.name or None
            return BoundedTensorSpec(TensorShape(content.shape), content.dtype, *bounds, name)
        case "type_spec_value" if content.type_spec_class in _TYPE_SPECS:
            made = _TYPE_SPECS[content.type_spec_class]
            return made(*(decoded(each) for each in content.type_state.tuple_value.values))
        case "list_value":
            return [decoded(each) for each in content.values]
        case "tuple_value":
            return tuple(decoded(each) for each in content.values)
        case "dict_value":
            return {key: decoded(each) for key, each in sorted(content.fields.items())}
        case "named_tuple_value":
            return _named_tuple(content)
        case "tensor_value" | "numpy_value":
            return make_ndarray(content)
        case None:
            raise DataLossError(None, None, "a value of a function's signature is missing")
        case _:
            return OtherValue(value.SerializeToString())


def _named_tuple(content: Any) -> Any:
    try:
        made = namedtuple(content.name, [each.key for each in content.values])  # type: ignore[misc]
    except (ValueError, TypeError) as error:
        raise DataLossError(None, None, f"a named tuple of a signature: {error}") from None
    return made(*(decoded(each.value) for each in content.values))


def encoded(value: Any) -> StructuredValue:
    """The message of a value.

    Raises:
      UnimplementedError: There is none.
    """
    message = StructuredValue()
    _fill(message, value)
    return message


def _fill(message: StructuredValue, value: Any) -> None:
    match value:
        case None:
            message.none_value.SetInParent()
        case bool():
            message.bool_value = value
        case int():
            message.int64_value = value
        case float():
            message.float64_value = value
        case str():
            message.string_value = value
        case TensorShape():
            message.tensor_shape_value.CopyFrom(value.as_proto())
        case DType():
            message.tensor_dtype_value = value.as_datatype_enum  # type: ignore[assignment]
        case BoundedTensorSpec():
            bounded = message.bounded_tensor_spec_value
            bounded.name = value.name or ""
            bounded.shape.CopyFrom(value.shape.as_proto())
            bounded.dtype = value.dtype.as_datatype_enum  # type: ignore[assignment]
            bounded.minimum.CopyFrom(make_tensor_proto(value.minimum))
            bounded.maximum.CopyFrom(make_tensor_proto(value.maximum))
        case TensorSpec():
            spec = message.tensor_spec_value
            spec.name = value.name or ""
            spec.shape.CopyFrom(value.shape.as_proto())
            spec.dtype = value.dtype.as_datatype_enum  # type: ignore[assignment]
        case SparseTensorSpec() | RaggedTensorSpec():
            _fill_type_spec(message.type_spec_value, value)
        case np.ndarray():
            message.numpy_value.CopyFrom(make_tensor_proto(value))
        case OtherValue():
            message.ParseFromString(value.message)
        case _:
            _fill_many(message, value)


def _fill_type_spec(message: TypeSpecProto, value: SparseTensorSpec | RaggedTensorSpec) -> None:
    state: tuple[Any, ...] = (value.shape, value.dtype)
    message.type_spec_class = TypeSpecProto.SPARSE_TENSOR_SPEC
    message.num_flat_components = 3
    if isinstance(value, RaggedTensorSpec):
        state = (*state, value.ragged_rank, value.row_splits_dtype)
        message.type_spec_class = TypeSpecProto.RAGGED_TENSOR_SPEC
        message.num_flat_components = value.ragged_rank + 1
    message.type_spec_class_name = type(value).__name__
    _fill(message.type_state, state)


def _fill_many(message: StructuredValue, value: Any) -> None:
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        message.named_tuple_value.name = type(value).__name__
        for key in value._fields:
            pair = message.named_tuple_value.values.add(key=key)
            _fill(pair.value, getattr(value, key))
    elif isinstance(value, tuple):
        message.tuple_value.SetInParent()
        for each in value:
            _fill(message.tuple_value.values.add(), each)
    elif isinstance(value, list):
        message.list_value.SetInParent()
        for each in value:
            _fill(message.list_value.values.add(), each)
    elif isinstance(value, Mapping):
        message.dict_value.SetInParent()
        for key, each in value.items():
            _fill(message.dict_value.fields[key], each)
    else:
        raise UnimplementedError(
            None, None, f"a function whose signature has {value!r} cannot be saved"
        )
