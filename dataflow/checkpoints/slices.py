"""Slices of tensors: which part of a whole something is, in text, messages and numpy's indices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dataflow.errors import InvalidArgumentError
from dataflow.proto.tensor_slice_pb2 import TensorSliceProto

WHOLE = -1
"""The length of an extent that is all of its dimension."""
_SHOWN = 200
"""Characters of a text that an error shows."""


@dataclass(frozen=True, slots=True)
class Slice:
    """A start and a length along each dimension; the length may be `WHOLE`."""

    extents: tuple[tuple[int, int], ...]

    @classmethod
    def of_proto(cls, message: TensorSliceProto) -> Slice:
        """What a message says: an extent without a length is a whole dimension."""
        return cls(
            tuple(
                (extent.start, extent.length if extent.HasField("length") else WHOLE)
                for extent in message.extent
            )
        )

    def to_proto(self) -> TensorSliceProto:
        """The message."""
        message = TensorSliceProto()
        for start, length in self.extents:
            extent = message.extent.add()
            if length != WHOLE:
                extent.start, extent.length = start, length
        return message

    def text(self) -> str:
        """The form `0,5:-`."""
        return ":".join("-" if n == WHOLE else f"{start},{n}" for start, n in self.extents)

    def bounds(self, shape: Sequence[int]) -> list[tuple[int, int]]:
        """Start and end along each dimension of a whole of that shape.

        Raises:
          InvalidArgumentError: The whole has another number of dimensions.
        """
        if len(shape) != len(self.extents):
            raise InvalidArgumentError(
                None, None, f"The slice {self.text()} is of no tensor of shape {list(shape)}"
            )
        return [
            (0, size) if length == WHOLE else (start, start + length)
            for (start, length), size in zip(self.extents, shape, strict=True)
        ]

    def is_whole(self, shape: Sequence[int]) -> bool:
        """Whether it is all of a tensor of that shape."""
        return self.bounds(shape) == [(0, size) for size in shape]


def parse(text: str) -> tuple[list[int], Slice]:
    """Reads `10 20 0,5:-`: the shape of the whole, and the slice.

    Raises:
      InvalidArgumentError: The text is not of that form, or the slice is not inside the whole.
    """
    *sizes, extents = text.split(" ")
    if len(text) > _SHOWN:
        text = f"{text[:_SHOWN]} ..."
    if not sizes:
        raise _wrong(
            f"Need least two elements in shape_and_slice specification: {text}",
        )
    try:
        shape = [int(size) for size in sizes]
        part = Slice(tuple(_extent(extent) for extent in extents.split(":")))
    except ValueError:
        raise _wrong(f"Expected a dimension and a slice, as 10 20 0,5:-, but got {text}") from None
    if len(part.extents) != len(shape):
        raise _wrong(
            f"Expected {len(shape)} extents for a shape of that rank in shape_and_slice: {text}"
        )
    for (start, end), size in zip(part.bounds(shape), shape, strict=True):
        if not 0 <= start <= end <= size:
            raise _wrong(f"Extent {start},{end - start} is outside of {size} in: {text}")
    return shape, part


def _extent(text: str) -> tuple[int, int]:
    if text == "-":
        return 0, WHOLE
    start, length = text.split(",")
    return int(start), int(length)


def _wrong(text: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, text)


def overlap(
    stored: Sequence[tuple[int, int]], wanted: Sequence[tuple[int, int]]
) -> tuple[tuple[slice, ...], tuple[slice, ...]] | None:
    """Where two boxes meet: the indices in the first and in the second, or None."""
    ours, theirs = [], []
    for (start, end), (first, last) in zip(stored, wanted, strict=True):
        low, high = max(start, first), min(end, last)
        if low >= high:
            return None
        ours.append(slice(low - start, high - start))
        theirs.append(slice(low - first, high - first))
    return tuple(ours), tuple(theirs)
