"""Which fields messages have: what descriptors say, that a program names or brings along."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.type_names import type_name
from dataflow.proto.example_pb2 import Example
from dataflow.values import dtypes
from dataflow.values.dtypes import DType

_NAMES: Final = {
    FieldDescriptor.TYPE_DOUBLE: "double",
    FieldDescriptor.TYPE_FLOAT: "float",
    FieldDescriptor.TYPE_INT64: "int64",
    FieldDescriptor.TYPE_UINT64: "uint64",
    FieldDescriptor.TYPE_INT32: "int32",
    FieldDescriptor.TYPE_FIXED64: "fixed64",
    FieldDescriptor.TYPE_FIXED32: "fixed32",
    FieldDescriptor.TYPE_BOOL: "bool",
    FieldDescriptor.TYPE_STRING: "string",
    FieldDescriptor.TYPE_MESSAGE: "message",
    FieldDescriptor.TYPE_BYTES: "bytes",
    FieldDescriptor.TYPE_UINT32: "uint32",
    FieldDescriptor.TYPE_ENUM: "enum",
    FieldDescriptor.TYPE_SFIXED32: "sfixed32",
    FieldDescriptor.TYPE_SFIXED64: "sfixed64",
    FieldDescriptor.TYPE_SINT32: "sint32",
    FieldDescriptor.TYPE_SINT64: "sint64",
}
_MOST_BYTES: Final = 1 << 26
"""Of descriptors."""
_THEIRS: Final = b"tensorflow."
_OURS: Final = f"{Example.DESCRIPTOR.file.package}.".encode()
_SIGNED: Final = (dtypes.int32, dtypes.int64)
_UNSIGNED: Final = (dtypes.uint32, dtypes.uint64)
_FITTING: Final[dict[str, tuple[DType, ...]]] = {
    "double": (dtypes.float64,),
    "float": (dtypes.float32, dtypes.float64),
    "bool": (dtypes.bool,),
    "enum": (dtypes.int32,),
    **dict.fromkeys(("int64", "sfixed64", "sint64"), (dtypes.int64,)),
    **dict.fromkeys(("uint64", "fixed64"), (dtypes.uint64,)),
    **dict.fromkeys(("int32", "sfixed32", "sint32"), _SIGNED),
    **dict.fromkeys(("uint32", "fixed32"), _UNSIGNED),
    **dict.fromkeys(("string", "message", "bytes"), (dtypes.string,)),
}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a message."""

    number: int
    kind: str
    """Its type in the schema language."""
    dtype: DType
    """Of the tensor that its values stand in."""
    default: Any
    """What stands in for one that is not there."""
    is_packed: bool


def message_of(source: bytes, name: bytes) -> Any:
    """The descriptor of a message type.

    Args:
      source: "local://" for the types of this program, "bytes://" and a serialized
        FileDescriptorSet, or the name of a file of one.
      name: The type's full name.

    Raises:
      InvalidArgumentError: There is no such source, or type.
    """
    if source in (b"", b"local://"):
        pool, name = descriptor_pool.Default(), _local(name)
    else:
        pool = _brought(source)
    try:
        return pool.FindMessageTypeByName(name.decode())
    except (KeyError, UnicodeDecodeError, TypeError):
        shown = name.decode(errors="backslashreplace")
        raise invalid(f"No descriptor found for message type {shown}") from None


def _local(name: bytes) -> bytes:
    """The name that a type of TensorFlow's has here."""
    return name.replace(_THEIRS, _OURS, 1) if name.startswith(_THEIRS) else name


def _brought(source: bytes) -> Any:
    data = source.removeprefix(b"bytes://")
    pool = descriptor_pool.DescriptorPool()
    try:
        # A graph may name any file: a device has no end, and a pipe may have no writer.
        if data is source and os.path.isfile(source):
            with open(source, "rb") as file:
                data = file.read(_MOST_BYTES + 1)
        if data is source or len(data) > _MOST_BYTES:
            raise ValueError(source)
        for each in descriptor_pb2.FileDescriptorSet.FromString(data).file:
            pool.Add(each)
    except (OSError, ValueError, TypeError, DecodeError):
        shown = source[:64].decode(errors="backslashreplace")
        raise invalid(
            "Source does not represent serialized file descriptor set proto. This may be due to a "
            "missing dependency on the file containing REGISTER_DESCRIPTOR_POOL"
            f'("{shown}", ...);'
        ) from None
    return pool


def fields_of(
    message: Any, names: Sequence[bytes], types: Sequence[DType], refusal: str
) -> list[Field]:
    """The fields of these names, for tensors of these types.

    Args:
      message: The descriptor of the message type.
      names: Names of fields, full ones of extensions.
      types: Element types.
      refusal: What is said of a type that a field does not fit, of {field}, {name}, {kind},
        {dtype} and {type}.

    Raises:
      InvalidArgumentError: There is no such field, or its type does not fit.
    """
    return [_field(message, *each, refusal) for each in zip(names, types, strict=True)]


def _field(message: Any, name: bytes, dtype: DType, refusal: str) -> Field:
    text = name.decode(errors="backslashreplace")
    found = message.fields_by_name.get(text) or _extension(message, text)
    if found is None:
        raise invalid(f"Unknown field: {text} in message type {message.full_name}")
    kind = _NAMES.get(found.type, "group")
    if dtype not in _FITTING.get(kind, ()):
        raise invalid(
            refusal.format(
                field=found.full_name,
                name=text,
                kind=kind,
                dtype=type_name(dtype),
                type=f"DT_{type_name(dtype).upper()}",
            )
        )
    default = found.default_value if not _is_repeated(found) else None
    if isinstance(default, str):
        default = default.encode()
    packed = bool(found.is_packed)
    return Field(found.number, kind, dtype, default, packed)


def _is_repeated(found: Any) -> bool:
    repeated = getattr(found, "is_repeated", None)
    return bool(found.label == FieldDescriptor.LABEL_REPEATED if repeated is None else repeated)


def _extension(message: Any, name: str) -> Any:
    try:
        found = message.file.pool.FindExtensionByName(name)
    except KeyError:
        return None
    return found if found.containing_type is message else None
