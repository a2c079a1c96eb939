"""tensorflow.python.saved_model.nested_structure_coder: Python values as messages."""

from __future__ import annotations

from typing import Any

from dataflow.errors import DataLossError, UnimplementedError
from dataflow.library.concrete.structured_values import decoded, encoded
from dataflow.proto.struct_pb2 import StructuredValue


class NotEncodableError(Exception):
    """A value that no message can hold."""


def encode_structure(nested_structure: Any) -> StructuredValue:
    """The message of a structure of numbers, strings, types, shapes and descriptions of tensors.

    Raises:
      NotEncodableError: Something else is in it.
    """
    try:
        return encoded(nested_structure)
    except UnimplementedError as error:
        raise NotEncodableError(
            f"No codec for object {nested_structure} of type {type(nested_structure)}."
        ) from error


def decode_proto(proto: StructuredValue) -> Any:
    """The value of a message.

    Raises:
      NotEncodableError: It has none.
    """
    try:
        return decoded(proto)
    except DataLossError as error:
        raise NotEncodableError(f"No codec for object {proto} of type {type(proto)}.") from error


def can_encode(nested_structure: Any) -> bool:
    """Whether a message can hold a structure."""
    try:
        encode_structure(nested_structure)
    except NotEncodableError:
        return False
    return True


class StructureCoder:
    """The functions of this module as methods."""

    encode_structure = staticmethod(encode_structure)
    decode_proto = staticmethod(decode_proto)
    can_encode = staticmethod(can_encode)
