"""Seals of frames that cross a network in the clear: who changes, repeats or makes one is found.

A sealed frame is its head, a tag of the head, its body, a tag of both. The first tag is looked at
before anything in the head is believed, the second before anybody sees the body. Each direction of
each lane has a key of its own, and the sealed head holds the frame's number, so that no frame can
be shown at another place, or to whom has sent it. The tags are SHA-256 HMACs, cut to 128 bits:
processors have instructions for SHA-256, which make it twice as quick as BLAKE2. Large bodies are
sealed piece by piece, while those before are on their way.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator, Sequence
from typing import Any, Final

from dataflow.actors.transfers.lanes.frames import HEAD_BYTES
from dataflow.errors import DataLossError

TAG_BYTES: Final = 16
_PIECE: Final = 1 << 19
"""Bytes that are sealed between two looks at the socket."""


class Seal:
    """Makes and looks at the tags of one direction of a lane."""

    def __init__(self, key: bytes) -> None:
        # Copies of these are half as dear as new ones.
        self._of_heads = hmac.new(key, b"head", "sha256")
        self._of_bodies = hmac.new(key, b"body", "sha256")

    def pieces(self, buffers: Sequence[Any]) -> Iterator[list[Any]]:
        """A frame, sealed, as it is sent: in pieces, each of which is sealed when it is due."""
        begin = memoryview(buffers[0])
        head = begin[:HEAD_BYTES]
        tag = self._tag_of(head)
        piece: list[Any] = [head, tag]
        size = 0
        body = self._body(tag)
        for buffer in (begin[HEAD_BYTES:], *buffers[1:]):
            whole = memoryview(buffer)
            if not whole.nbytes:
                continue
            view = whole.cast("B")
            for start in range(0, len(view), _PIECE):
                part = view[start : start + _PIECE]
                body.update(part)
                piece.append(part)
                size += len(part)
                if size >= _PIECE:
                    yield piece
                    piece, size = [], 0
        piece.append(body.digest()[:TAG_BYTES])
        yield piece

    def sealed(self, frame: bytes) -> bytes:
        """A frame, sealed, in one piece."""
        return b"".join(buffer for piece in self.pieces([frame]) for buffer in piece)

    def check_head(self, sealed: memoryview) -> Opening:
        """Looks at the tag of a head; what it returns looks at the tag of the body.

        Raises:
          DataLossError: It is wrong.
        """
        tag = sealed[HEAD_BYTES:]
        if not hmac.compare_digest(self._tag_of(sealed[:HEAD_BYTES]), tag):
            raise _broken()
        return Opening(self._body(tag))

    def _tag_of(self, head: memoryview) -> bytes:
        tag = self._of_heads.copy()
        tag.update(head)
        return tag.digest()[:TAG_BYTES]

    def _body(self, head_tag: bytes | memoryview) -> hmac.HMAC:
        body = self._of_bodies.copy()
        body.update(head_tag)
        return body


class Opening:
    """Looks at the tag of a body, as the body arrives."""

    def __init__(self, body: hmac.HMAC) -> None:
        self._body = body
        self._seen = 0

    def saw(self, sealed: memoryview, arrived: int) -> None:
        """Takes note that so many bytes have arrived, of a sealed body that has room for all."""
        end = min(arrived, len(sealed) - TAG_BYTES)
        self._body.update(sealed[self._seen : end])
        self._seen = end

    def opened(self, sealed: memoryview) -> memoryview:
        """The body, when all has arrived and was noted.

        Raises:
          DataLossError: Its tag is wrong.
        """
        body, tag = sealed[:-TAG_BYTES], sealed[-TAG_BYTES:]
        if not hmac.compare_digest(self._body.digest()[:TAG_BYTES], tag):
            raise _broken()
        return body


def _broken() -> DataLossError:
    return DataLossError(
        None,
        None,
        "A frame's seal is broken: it was changed on its way, or does not come from this peer.",
    )
