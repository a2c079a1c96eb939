"""Attribute values: their Python forms, and the AttrValue messages that carry them.

| kind   | Python form                                        |
|--------|----------------------------------------------------|
| type   | `DType`                                            |
| shape  | `TensorShape`                                      |
| int    | `int`                                              |
| float  | `float`, rounded to float32 as the message does    |
| bool   | `bool`                                             |
| string | `bytes`                                            |
| tensor | read-only `numpy.ndarray`                          |
| func   | `NameAttrList`                                     |
| list   | `tuple` of one of these                            |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from dataflow.errors import InvalidArgumentError
from dataflow.proto import attr_value_pb2
from dataflow.values import tensor_proto
from dataflow.values.dtypes import DType
from dataflow.values.shapes import MAX_RANK, RankError, TensorShape

Value: TypeAlias = Any
"""A decoded attr value in one of the forms of the module's table."""


@dataclass(frozen=True, slots=True)
class NameAttrList:
    """Name of a function with attrs for it.

    Attributes:
        name: Name of the function.
        attrs: Its attrs as pairs of name and decoded value, sorted by name.
    """

    name: str
    attrs: tuple[tuple[str, Value], ...] = ()

    @classmethod
    def from_proto(cls, proto: attr_value_pb2.NameAttrList) -> NameAttrList:
        """Decode a message.

        Raises:
            InvalidArgumentError: An attr in it is malformed.
        """
        return cls(proto.name, tuple(sorted(decode_map(proto.attr).items())))

    def to_proto(self) -> attr_value_pb2.NameAttrList:
        """Encode as a message."""
        proto = attr_value_pb2.NameAttrList()
        self.write(proto)
        return proto

    def write(self, out: attr_value_pb2.NameAttrList) -> None:
        """Encode into an empty message."""
        out.name = self.name
        for name, value in self.attrs:
            encode_inferred(value, out.attr[name])


@dataclass(frozen=True, slots=True)
class AttrPlaceholder:
    """Stands in the body of a function for an attr of the function.

    Attributes:
        name: Name of the function's attr.
    """

    name: str


def encode(value: Value, kind: str, out: attr_value_pb2.AttrValue) -> None:
    """Write a value of a known kind into an empty message.

    Args:
        value: Decoded value.
        kind: Attr type of the op's schema: `"int"`, `"list(shape)"`, ...
        out: Receives the value.

    Raises:
        TypeError: The value is not of this kind, or there is no such kind.
    """
    if isinstance(value, AttrPlaceholder):
        out.placeholder = value.name
        return
    is_list = kind.startswith("list(")
    element_kind = kind[5:-1] if is_list else kind
    codec = _CODECS.get(element_kind)
    if codec is None:
        raise TypeError(f"Attr kind '{kind}' is unknown; known are {', '.join(_CODECS)}.")
    if is_list:
        if not isinstance(value, (tuple, list)):
            raise TypeError(f"Attr of kind {kind} must be a tuple, got {value!r}.")
        out.list.SetInParent()
        for element in value:
            _check(element, element_kind, codec)
            codec.append(element, out.list)
    else:
        _check(value, kind, codec)
        codec.write(value, out)


def encode_inferred(value: Value, out: attr_value_pb2.AttrValue) -> None:
    """Write a value whose kind its Python type tells into an empty message.

    Raises:
        TypeError: The type stands for no kind, or a tuple mixes kinds.
    """
    if not isinstance(value, (tuple, list)):
        encode(value, _kind_of(value), out)
        return
    kinds = {_kind_of(element) for element in value}
    if len(kinds) > 1:
        raise TypeError(f"Attr mixes {' and '.join(sorted(kinds))} in one list: {value!r}.")
    encode(value, f"list({kinds.pop() if kinds else 'string'})", out)


def decode(proto: attr_value_pb2.AttrValue) -> Value:
    """Read a message.

    Raises:
        InvalidArgumentError: It holds no value, or a malformed one.
    """
    field = proto.WhichOneof("value")
    if field is None:
        raise InvalidArgumentError(None, None, "Attr value is not set.")
    if field == "placeholder":
        return AttrPlaceholder(proto.placeholder)
    if field != "list":
        return _CODEC_OF_FIELD[field].decode(getattr(proto, field))
    filled = proto.list.ListFields()
    if not filled:
        return ()
    if len(filled) > 1:
        fields = " and ".join(descriptor.name for descriptor, _ in filled)
        raise InvalidArgumentError(
            None, None, f"Attr list holds values of several kinds: {fields}."
        )
    descriptor, elements = filled[0]
    read = _CODEC_OF_FIELD[descriptor.name].decode
    return tuple(read(element) for element in elements)


def decode_map(attrs: Mapping[str, attr_value_pb2.AttrValue]) -> dict[str, Value]:
    """Read the attrs of a node or function.

    Raises:
        InvalidArgumentError: One is malformed; the message names it.
    """
    decoded = {}
    for name, proto in attrs.items():
        try:
            decoded[name] = decode(proto)
        except InvalidArgumentError as error:
            raise InvalidArgumentError(None, None, f"Attr '{name}': {error.message}") from None
    return decoded


@dataclass(frozen=True, slots=True)
class _Codec:
    """How one kind travels.

    Attributes:
        accepts: Python types of the decoded form.
        write: Puts a value into an AttrValue.
        append: Puts a value into an AttrValue's list.
        decode: Makes a value of what the message's field holds.
        field: Name of that field.
    """

    accepts: tuple[type, ...]
    write: Callable[[Any, attr_value_pb2.AttrValue], None]
    append: Callable[[Any, attr_value_pb2.AttrValue.ListValue], None]
    decode: Callable[[Any], Any]
    field: str


def _scalar(
    accepts: tuple[type, ...],
    field: str,
    to_proto: Callable[[Any], Any],
    decode: Callable[[Any], Any],
) -> _Codec:
    def write(value: Any, out: attr_value_pb2.AttrValue) -> None:
        setattr(out, field, to_proto(value))

    def append(value: Any, out: attr_value_pb2.AttrValue.ListValue) -> None:
        getattr(out, field).append(to_proto(value))

    return _Codec(accepts, write, append, decode, field)


def _message(
    accepts: tuple[type, ...],
    field: str,
    fill: Callable[[Any, Any], None],
    decode: Callable[[Any], Any],
) -> _Codec:
    def write(value: Any, out: attr_value_pb2.AttrValue) -> None:
        message = getattr(out, field)
        message.SetInParent()
        fill(value, message)

    def append(value: Any, out: attr_value_pb2.AttrValue.ListValue) -> None:
        fill(value, getattr(out, field).add())

    return _Codec(accepts, write, append, decode, field)


def _identity(value: Any) -> Any:
    return value


def _string(value: Any) -> bytes:
    return value.encode() if isinstance(value, str) else bytes(value)


def _decode_type(number: int) -> DType:
    try:
        return DType(number)
    except TypeError as error:
        raise InvalidArgumentError(None, None, str(error)) from None


def _fill_shape(shape: TensorShape, out: Any) -> None:
    sizes = shape.dims_tuple
    if sizes is None:
        out.unknown_rank = True
        return
    for size in sizes:
        out.dim.add().size = -1 if size is None else size


def _decode_shape(proto: Any) -> TensorShape:
    if len(proto.dim) > MAX_RANK:
        raise RankError("The shape", len(proto.dim))
    try:
        return TensorShape(proto)
    except ValueError as error:
        raise InvalidArgumentError(None, None, f"Malformed shape: {error}") from None


# `bool` comes before `int` because it is one.
_CODECS: Final[dict[str, _Codec]] = {
    "bool": _scalar((bool, np.bool_), "b", bool, _identity),
    "int": _scalar((int, np.integer), "i", int, _identity),
    "float": _scalar((float, int, np.floating), "f", float, _identity),
    "string": _scalar((bytes, str), "s", _string, _identity),
    "type": _scalar((DType,), "type", lambda dtype: dtype.as_datatype_enum, _decode_type),
    "shape": _message((TensorShape,), "shape", _fill_shape, _decode_shape),
    "tensor": _message(
        (np.ndarray,), "tensor", tensor_proto.encode_tensor, tensor_proto.decode_tensor
    ),
    "func": _message((NameAttrList,), "func", NameAttrList.write, NameAttrList.from_proto),
}
_CODEC_OF_FIELD: Final[dict[str, _Codec]] = {codec.field: codec for codec in _CODECS.values()}


def _check(value: Value, kind: str, codec: _Codec) -> None:
    if not isinstance(value, codec.accepts) or (isinstance(value, bool) and kind != "bool"):
        raise TypeError(f"Attr of kind {kind} cannot be {value!r} of type {type(value).__name__}.")


def _kind_of(value: Value) -> str:
    for kind, codec in _CODECS.items():
        if isinstance(value, codec.accepts):
            return kind
    if isinstance(value, AttrPlaceholder):
        return "string"
    raise TypeError(f"No attr kind has values like {value!r} of type {type(value).__name__}.")
