"""The form of frames: what is written is read, what is malformed is refused at once."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataflow import errors
from dataflow.actors.transfers.lanes import frames
from dataflow.actors.transfers.lanes.frames import HEAD_BYTES, Kind

HEAD = struct.Struct("<4sHHIQQ")


@st.composite
def layouts(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Sizes and segments of parts; the header lies in line."""
    count = draw(st.integers(0, 5))
    sizes = [draw(st.integers(0, 300)) for _ in range(count + 1)]
    return sizes, [0, *(draw(st.integers(0, 3)) for _ in range(count))]


@given(layouts())
def test_parts_are_found_where_they_were_put(layout: tuple[list[int], list[int]]) -> None:
    sizes, segments = layout
    body = frames.body_bytes(sizes, segments)
    data = frames.pack_head(Kind.MESSAGE, 7, sizes, segments, body)
    head = frames.read_head(b"ab" + data, 2, 7)
    assert (head.kind, head.parts, head.header_bytes) == (Kind.MESSAGE, len(sizes), sizes[0])
    whole = memoryview(data[HEAD_BYTES:] + bytes(body))[: head.body_bytes]
    table = frames.read_table(head, whole)
    assert [segment for segment, _, _ in table] == segments
    assert [size for _, _, size in table] == sizes
    end = 16 * (len(sizes) - 1) + sizes[0]
    assert table[0] == (0, end - sizes[0], sizes[0])
    for segment, place, size in table[1:]:
        if not segment:
            assert place % 64 == 0 and end <= place < end + 64
            end = place + size
    assert end == head.body_bytes


MALFORMED = {
    "magic": (b"GET ", 1, 1, 4, 1, 68),
    "kind": (b"dfl1", 9, 1, 4, 1, 68),
    "no parts": (b"dfl1", 1, 0, 4, 1, 68),
    "too many parts": (b"dfl1", 1, frames.MAX_PARTS + 1, 4, 1, 1 << 21),
    "large header": (b"dfl1", 1, 1, frames.MAX_HEADER + 1, 1, 1 << 32),
    "large body": (b"dfl1", 1, 1, 4, 1, frames.MAX_BODY + 1),
    "small body": (b"dfl1", 1, 2, 40, 1, 50),
    "replayed": (b"dfl1", 1, 1, 4, 0, 68),
    "lost": (b"dfl1", 1, 1, 4, 2, 68),
}


@pytest.mark.parametrize("what", MALFORMED)
def test_a_head_that_is_none_is_refused(what: str) -> None:
    with pytest.raises(errors.DataLossError, match=r"[fF]rame"):
        frames.read_head(HEAD.pack(*MALFORMED[what]), 0, 1)


@given(st.binary(min_size=HEAD_BYTES, max_size=HEAD_BYTES), st.binary(max_size=200))
def test_noise_is_refused(head: bytes, body: bytes) -> None:
    with pytest.raises(errors.DataLossError):
        frames.read_head(head, 0, 1)
    parts = 3
    with pytest.raises(errors.DataLossError):
        data = body.ljust(16 * parts + 1, b"\1")
        frames.read_table(frames.Head(1, parts, 5, len(data)), memoryview(data))


@pytest.mark.parametrize(
    "sizes", [[frames.MAX_HEADER + 1], [4] * (frames.MAX_PARTS + 1), [4, 1 << 37]]
)
def test_what_no_receiver_takes_is_not_sent(sizes: list[int]) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="too large to be sent"):
        frames.body_bytes(sizes, [0] * len(sizes))
