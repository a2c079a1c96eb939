"""TensorProto: tensor values as messages, and back to numpy."""

from __future__ import annotations

import math
from typing import Any, Final, NoReturn

import numpy as np

from dataflow.errors import InvalidArgumentError
from dataflow.proto import tensor_pb2
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import MAX_RANK
from dataflow.values.tensor_values import (
    as_bytes,
    check_shape,
    convert_values,
    flatten_strings,
)

# A message cannot grow past this, so neither may a tensor that comes from one.
_MAX_BYTES: Final = 1 << 31
_MAX_ELEMENTS: Final = 1 << 62

# dtype: (field of its values, type of the field's values)
_FIELDS: Final[dict[DType, tuple[str, Any]]] = {
    dtypes.float32: ("float_val", np.float32),
    dtypes.float64: ("double_val", np.float64),
    dtypes.int64: ("int64_val", np.int64),
    dtypes.uint32: ("uint32_val", np.uint32),
    dtypes.uint64: ("uint64_val", np.uint64),
    dtypes.bool: ("bool_val", np.bool_),
    dtypes.complex64: ("scomplex_val", np.float32),
    dtypes.complex128: ("dcomplex_val", np.float64),
    dtypes.float16: ("half_val", np.uint16),
    dtypes.bfloat16: ("half_val", np.uint16),
    **dict.fromkeys(
        (
            *(dtypes.int2, dtypes.int4, dtypes.int8, dtypes.int16, dtypes.int32),
            *(dtypes.uint2, dtypes.uint4, dtypes.uint8, dtypes.uint16),
            *(dtypes.qint8, dtypes.qint16, dtypes.qint32, dtypes.quint8, dtypes.quint16),
        ),
        ("int_val", np.int32),
    ),
    **dict.fromkeys(
        (
            *(dtypes.float8_e5m2, dtypes.float8_e4m3fn, dtypes.float8_e4m3fnuz),
            *(dtypes.float8_e4m3b11fnuz, dtypes.float8_e5m2fnuz, dtypes.float4_e2m1fn),
        ),
        ("float8_val", np.uint8),
    ),
}
# Of these a lone number is the list's only element as it is.
_SCALAR_FIELDS: Final = {
    dtype: _FIELDS[dtype][0]
    for dtype in (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.bool)
}
# Their bits are what the value list holds.
_AS_BITS: Final = frozenset({"half_val", "float8_val"})
# Numeric types that TensorFlow writes as a value list even when there are many elements.
_ALWAYS_LISTED: Final = frozenset(
    {
        *(dtypes.uint16, dtypes.bool, dtypes.complex64, dtypes.complex128),
        *(dtypes.int2, dtypes.uint2, dtypes.int4, dtypes.uint4),
    }
)


def make_tensor_proto(
    values: Any,
    dtype: Any = None,
    shape: Any = None,
    verify_shape: bool = False,
    allow_broadcast: bool = False,
) -> tensor_pb2.TensorProto:
    """Make a message of a Python value, a numpy array or a nested list of either.

    Args:
        values: The value; a `TensorProto` is returned as it is.
        dtype: Element type; inferred from the values if None.
        shape: Sizes of the result; those of the values if None. Where it holds more elements than
            there are values, the last value stands for the rest.
        verify_shape: Whether the values must have exactly this shape.
        allow_broadcast: Whether only one value or exactly enough of them may fill the shape.

    Raises:
        TypeError: The values have no such type or shape.
        ValueError: There are too many values, the nesting is ragged, or the result exceeds 2 GB.
    """
    if allow_broadcast and verify_shape:
        raise ValueError("allow_broadcast and verify_shape are not both allowed.")
    if isinstance(values, tensor_pb2.TensorProto):
        return values
    array, element_type = convert_values(values, dtype, shape)
    sizes = check_shape(array, shape, verify_shape, allow_broadcast)
    proto = tensor_pb2.TensorProto(dtype=element_type.as_datatype_enum)  # type: ignore[arg-type]
    _write_shape(proto, sizes)
    if element_type is dtypes.string:
        proto.string_val.extend(flatten_strings(values, array))
    else:
        _write_values(proto, array, element_type, as_list=array.size != math.prod(sizes))
    return proto


def encode_tensor(array: np.ndarray[Any, Any], out: tensor_pb2.TensorProto) -> None:
    """Write an array into an empty message.

    An array that repeats one element in memory (`numpy.broadcast_to`) is written as that element.

    Args:
        array: Of a numpy type that has a `DType`; strings are an object array of bytes.
        out: Receives dtype, shape and values.

    Raises:
        TypeError: The array's type has no `DType`, or an element is not a string.
        ValueError: The array takes 2 GB or more.
    """
    element_type = dtypes.as_dtype(array.dtype)
    out.dtype = element_type.as_datatype_enum  # type: ignore[assignment]
    if not array.shape and (field := _SCALAR_FIELDS.get(element_type)) is not None:
        out.tensor_shape.SetInParent()
        getattr(out, field).append(array.item())
        return
    _write_shape(out, array.shape)
    repeats = array.size > 1 and not any(array.strides)
    if repeats:
        array = array[(slice(0, 1),) * array.ndim]
    if element_type is dtypes.string:
        out.string_val.extend([as_bytes(element) for element in array.ravel().tolist()])
    else:
        _write_values(out, array, element_type, as_list=repeats)


def listed_tensor_proto(array: np.ndarray[Any, Any]) -> tensor_pb2.TensorProto:
    """An array of numbers as a message that lists them, as defaults in schemas are written."""
    dtype = dtypes.as_dtype(array.dtype)
    proto = tensor_pb2.TensorProto(dtype=dtype.as_datatype_enum)  # type: ignore[arg-type]
    _write_shape(proto, array.shape)
    _write_values(proto, array, dtype, as_list=True)
    return proto


def _write_shape(proto: tensor_pb2.TensorProto, sizes: Any) -> None:
    dims = proto.tensor_shape.dim
    for size in sizes:
        dims.add().size = size
    proto.tensor_shape.SetInParent()


def _write_values(
    proto: tensor_pb2.TensorProto, array: np.ndarray[Any, Any], dtype: DType, as_list: bool
) -> None:
    if array.nbytes >= _MAX_BYTES:
        raise ValueError("Cannot create a tensor proto whose content is larger than 2GB.")
    if dtype not in _FIELDS:
        raise TypeError(f"Element type not supported in TensorProto: {dtype.name}.")
    array = np.ascontiguousarray(array, dtype=np.dtype(dtype.as_numpy_dtype))
    if array.size > 1 and not as_list and dtype not in _ALWAYS_LISTED:
        proto.tensor_content = array.tobytes()
        return
    field, field_type = _FIELDS[dtype]
    flat = array.reshape(-1)
    if field == "float8_val":
        proto.float8_val = flat.tobytes()
        return
    if field in _AS_BITS or dtype.is_complex:
        flat = flat.view(field_type)
    elif dtype.is_quantized:
        flat = flat.view(array.dtype[0])
    elif dtype in _ALWAYS_LISTED and field == "int_val":
        flat = flat.astype(np.int32)
    getattr(proto, field).extend(flat.tolist())


def make_ndarray(tensor: tensor_pb2.TensorProto) -> np.ndarray[Any, Any]:
    """Make a writable array of a message.

    Returns:
        Array of the message's shape; strings are an object array of bytes, quantized types a
        record array.

    Raises:
        TypeError: The message holds resources or variants.
        InvalidArgumentError: The message is malformed.
    """
    dtype = _dtype_of(tensor)
    if not dtype.is_numpy_compatible:
        raise TypeError(
            f"Unsupported tensor type: {tensor.dtype}. See "
            "https://www.tensorflow.org/api_docs/python/tf/dtypes for supported TF dtypes."
        )
    array = decode_tensor(tensor)
    return array if array.flags.writeable else array.copy()


MakeNdarray = make_ndarray


def decode_tensor(proto: tensor_pb2.TensorProto) -> np.ndarray[Any, Any]:
    """Make a read-only array of a message, sharing its bytes where it holds them.

    Returns:
        C-contiguous array of the message's shape; strings are an object array of bytes, quantized
        types a record array.

    Raises:
        InvalidArgumentError: The message is malformed, or its values are resources or variants.
    """
    dtype = _dtype_of(proto)
    sizes = _sizes_of(proto, dtype)
    if not sizes and (field := _SCALAR_FIELDS.get(dtype)) is not None:
        values = getattr(proto, field)
        if len(values) == 1 and not proto.tensor_content:
            array = np.array(values[0], dtype.as_numpy_dtype)
            array.flags.writeable = False
            return array
    count = math.prod(sizes)
    if dtype is dtypes.string:
        array = _decode_strings(proto, count)
    elif dtype not in _FIELDS:
        _refuse(proto, f"values of type {dtype.name} cannot be read from a message")
    elif proto.tensor_content:
        array = _decode_content(proto, dtype, count)
    else:
        array = _decode_list(proto, dtype, count)
    try:
        array = array.reshape(sizes)
    except ValueError as error:
        _refuse(proto, str(error))
    array.flags.writeable = False
    return array


def _dtype_of(proto: tensor_pb2.TensorProto) -> DType:
    try:
        dtype = DType(proto.dtype)
    except TypeError:
        _refuse(proto, f"{proto.dtype} is no element type")
    if dtype._is_ref_dtype:
        _refuse(proto, "a value cannot have a reference type")
    return dtype


def _sizes_of(proto: tensor_pb2.TensorProto, dtype: DType) -> tuple[int, ...]:
    shape = proto.tensor_shape
    if shape.unknown_rank:
        _refuse(proto, "the shape of a value cannot have unknown rank")
    if not shape.dim:
        return ()
    sizes = tuple(dim.size for dim in shape.dim)
    if len(sizes) > MAX_RANK:
        _refuse(proto, f"it has {len(sizes)} dimensions, at most {MAX_RANK} are supported")
    if any(size < 0 for size in sizes):
        _refuse(proto, "a size is negative")
    if math.prod(size or 1 for size in sizes) * max(dtype.size, 1) > _MAX_ELEMENTS:
        _refuse(proto, "the number of elements overflows")
    return sizes


def _decode_content(
    proto: tensor_pb2.TensorProto, dtype: DType, count: int
) -> np.ndarray[Any, Any]:
    content = proto.tensor_content
    numpy_type = np.dtype(dtype.as_numpy_dtype)
    if len(content) != count * numpy_type.itemsize:
        _refuse(
            proto,
            f"tensor_content has {len(content)} bytes, the shape needs "
            f"{count * numpy_type.itemsize}",
        )
    if dtype is dtypes.bool:
        # Any other byte than 0 and 1 would be an invalid bool.
        return np.asarray(np.frombuffer(content, np.uint8) != 0)
    return np.frombuffer(content, numpy_type)


def _decode_list(proto: tensor_pb2.TensorProto, dtype: DType, count: int) -> np.ndarray[Any, Any]:
    field, field_type = _FIELDS[dtype]
    numpy_type = np.dtype(dtype.as_numpy_dtype)
    if count == 0:
        return np.zeros(0, numpy_type)
    listed = getattr(proto, field)
    if field == "float8_val":
        values = np.frombuffer(listed, np.uint8).view(numpy_type)
    elif field == "half_val":
        values = np.array(listed, np.int32).astype(np.uint16).view(numpy_type)
    elif dtype.is_complex:
        if len(listed) % 2:
            _refuse(proto, f"{field} holds {len(listed)} numbers, complex values take two each")
        values = np.array(listed, field_type).view(numpy_type)
    elif dtype.is_quantized:
        values = np.array(listed, field_type).astype(numpy_type[0]).view(numpy_type)
    else:
        # A list is read several times as fast as the field itself.
        values = np.array(listed[:], field_type).astype(numpy_type, copy=False)
    if values.size == count:
        return np.asarray(values)
    _check_fill(proto, values.size, count, numpy_type.itemsize)
    filled = np.zeros(count, numpy_type)
    if values.size:
        filled[: values.size] = values
        filled[values.size :] = values[-1]
    return filled


def _decode_strings(proto: tensor_pb2.TensorProto, count: int) -> np.ndarray[Any, Any]:
    values = list(proto.string_val)
    if proto.tensor_content:
        values = _split_content(proto, count)
    if count == 0:
        return np.empty(0, object)
    if len(values) != count:
        _check_fill(proto, len(values), count, np.dtype(object).itemsize)
    array = np.full(count, values[-1] if values else b"", object)
    array[: len(values)] = values
    return array


def _split_content(proto: tensor_pb2.TensorProto, count: int) -> list[bytes]:
    """Strings of a content: the length of each as a varint, then their bytes."""
    content = proto.tensor_content
    lengths: list[int] = []
    position = 0
    while len(lengths) < count:
        length = shift = 0
        while True:
            if position >= len(content) or shift > 63:
                _refuse(proto, f"tensor_content holds the lengths of {len(lengths)} strings")
            byte = content[position]
            position += 1
            length |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        lengths.append(length)
    if position + sum(lengths) != len(content):
        _refuse(
            proto,
            f"tensor_content has {len(content) - position} bytes of strings, their lengths add up "
            f"to {sum(lengths)}",
        )
    strings = []
    for length in lengths:
        strings.append(content[position : position + length])
        position += length
    return strings


def _check_fill(proto: tensor_pb2.TensorProto, given: int, count: int, itemsize: int) -> None:
    if given > count:
        _refuse(proto, f"it holds {given} values, the shape has room for {count}")
    if count * itemsize >= _MAX_BYTES:
        _refuse(proto, f"{given} values would expand to {count * itemsize} bytes")


def _refuse(proto: tensor_pb2.TensorProto, why: str) -> NoReturn:
    try:
        name = DType(proto.dtype).name
    except TypeError:
        name = f"type {proto.dtype}"
    shape = [dim.size for dim in proto.tensor_shape.dim[: MAX_RANK + 1]]
    raise InvalidArgumentError(None, None, f"Malformed tensor of {name}, shape {shape}: {why}.")
