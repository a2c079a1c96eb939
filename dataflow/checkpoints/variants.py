"""Variants in checkpoints: what an object of a kind of its own says of itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from google.protobuf.message import DecodeError

from dataflow.checkpoints.varints import read_varint, varint
from dataflow.proto.tensor_pb2 import VariantTensorDataProto
from dataflow.values.crc32c import crc32c, masked


@dataclass(frozen=True, slots=True)
class SavedVariant:
    """What stands in a checkpoint for an object."""

    type_name: str
    """The kind of the object."""
    metadata: bytes
    """What it says of itself."""
    tensors: tuple[bytes, ...] = ()
    """The tensors that it holds, as messages."""

    def to_proto(self) -> VariantTensorDataProto:
        """The message."""
        made = VariantTensorDataProto(type_name=self.type_name, metadata=self.metadata)
        for each in self.tensors:
            made.tensors.add().MergeFromString(each)
        return made

    @classmethod
    def of_proto(cls, message: VariantTensorDataProto) -> SavedVariant:
        """What a message says."""
        tensors = tuple(each.SerializeToString() for each in message.tensors)
        return cls(message.type_name, message.metadata, tensors)


def pack(items: Iterable[SavedVariant]) -> tuple[bytes, int]:
    """Variants as a data file has them, each between its length and a checksum; the last checksum.

    A checksum sees all that is before it, lengths as numbers of 8 bytes.
    """
    data, crc = bytearray(), 0
    for item in items:
        text = item.to_proto().SerializeToString()
        data += varint(len(text)) + text
        crc = crc32c(text, crc32c(len(text).to_bytes(8, "little"), crc))
        check = masked(crc).to_bytes(4, "little")
        data += check
        crc = crc32c(check, crc)
    return bytes(data), crc


def unpack(data: bytes, count: int) -> tuple[list[SavedVariant], int]:
    """The variants that `pack` has written, and the last checksum.

    Raises:
      ValueError: The data are damaged.
    """
    found: list[SavedVariant] = []
    at = crc = 0
    for _ in range(count):
        size, start = read_varint(data, at)
        end = start + size
        if end + 4 > len(data):
            raise ValueError("the data end within a variant")
        crc = crc32c(data[start:end], crc32c(size.to_bytes(8, "little"), crc))
        check = data[end : end + 4]
        if masked(crc).to_bytes(4, "little") != check:
            raise ValueError("the checksum of a variant does not match")
        crc = crc32c(check, crc)
        try:
            message = VariantTensorDataProto.FromString(data[start:end])
        except DecodeError as error:
            raise ValueError(f"a variant is no message: {error}") from None
        found.append(SavedVariant.of_proto(message))
        at = end + 4
    if at != len(data):
        raise ValueError(f"{len(data) - at} bytes are behind the variants")
    return found, crc
