"""The place of a reader, and TensorFlow's ReaderBaseState, a protobuf, that says it."""

from __future__ import annotations

from dataclasses import dataclass

from dataflow.checkpoints.varints import read_varint, varint

_NUMBERS = ("started", "finished", "produced")
_WORK_TAG = 4 << 3 | 2


@dataclass(slots=True)
class ReaderState:
    """How far a reader has come."""

    started: int = 0
    """Files that it has begun."""
    finished: int = 0
    """Those that it has read to their end."""
    produced: int = 0
    """Records that it has given."""
    work: bytes = b""
    """The file that it has begun last."""

    def encoded(self) -> bytes:
        """The message."""
        parts = []
        for number, name in enumerate(_NUMBERS, 1):
            if value := getattr(self, name):
                parts.append(bytes([number << 3]) + varint(value))
        if self.work:
            parts.append(bytes([_WORK_TAG]) + varint(len(self.work)) + self.work)
        return b"".join(parts)

    @classmethod
    def decoded(cls, data: bytes) -> ReaderState:
        """Reads a message.

        Raises:
          ValueError: It is none.
        """
        state, at = cls(), 0
        while at < len(data):
            tag, at = read_varint(data, at)
            value, at = read_varint(data, at)
            if tag == _WORK_TAG:
                state.work = data[at : at + value]
                at += value
            elif tag & 7 == 0 and 1 <= tag >> 3 <= len(_NUMBERS):
                setattr(state, _NUMBERS[(tag >> 3) - 1], value)
            else:
                raise ValueError(f"field {tag} is unknown")
        if at > len(data):
            raise ValueError("the data end within a string")
        return state
