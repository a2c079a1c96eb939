"""Philox's rounds as machine code: what its authors write, in each form, and numpy's passes."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest

from dataflow.kernels.random import compiled_rounds, philox
from dataflow.kernels.random.compiled_rounds import FLOATS, ROWS, WORDS, write_blocks
from tests.kernels.native.beside import counted_beside
from tests.kernels.random.blocks import block
from tests.kernels.threads.test_parallel import helpers

KEY = 0xF123456789ABCDEF
STARTS = [0, 2**32 - 3, 2**64 - 3, 2**100 + 7, 2**128 - 5]
CHUNK = philox._CHUNK
LEAST = compiled_rounds.width()


def test_there_is_machine_code() -> None:
    assert LEAST in (8, 16)


@pytest.mark.parametrize("more", [0, 1, LEAST - 1, LEAST, LEAST + 3])
@pytest.mark.parametrize("start", STARTS)
def test_blocks_in_each_form(start: int, more: int) -> None:
    count = LEAST + more
    wanted = np.array([block((start + i) % 2**128, KEY) for i in range(count)], np.uint32)
    found = np.zeros((count, 4), np.uint32)
    write_blocks(found.T, WORDS, None, start, KEY)
    np.testing.assert_array_equal(found, wanted)
    write_blocks(found.T, FLOATS, None, start, KEY)
    floats = (wanted & 0x7FFFFF).astype(np.float64) / 2**23
    np.testing.assert_array_equal(found.view(np.float32), floats)
    rows = np.zeros((4, count + 5), np.uint32)
    write_blocks(rows[:, :count], ROWS, None, start, KEY)
    np.testing.assert_array_equal(rows[:, :count], wanted.T)
    assert not rows[:, count:].any()


@pytest.mark.parametrize("form", [WORDS, ROWS])
@pytest.mark.parametrize("start", STARTS)
def test_blocks_at_any_distance(start: int, form: str) -> None:
    offsets = np.sort(np.random.default_rng(1).integers(0, 2**63, LEAST + 5, np.uint64))
    rows = np.zeros((4, offsets.size), np.uint32) if form == ROWS else None
    rows = np.zeros((offsets.size, 4), np.uint32).T if rows is None else rows
    write_blocks(rows, form, offsets, start, KEY)
    for place, offset in enumerate(offsets.tolist()):
        assert rows[:, place].tolist() == block((start + offset) % 2**128, KEY)


def drawn(stream: philox.Philox, count: int) -> list[np.ndarray]:
    """All that is drawn of a stream, and of stretches of it."""
    parts = stream.repeated(3, 100)
    offsets = np.arange(0, 5 * (count // 4), 5, dtype=np.uint64)
    return [
        *(stream.words(count), stream.floats(count), parts.words(count), parts.floats(count)),
        *(*stream.blocks(count // 4), *stream.blocks_at(offsets, 7)),
    ]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "count", [0, 1, 4, 7, 4 * LEAST - 1, 4 * LEAST + 1, 4 * CHUNK + 1, 12 * CHUNK + 5]
)
def test_streams_with_and_without_it(
    monkeypatch: pytest.MonkeyPatch, count: int, threads: int
) -> None:
    stream = philox.Philox(KEY, 9, 2**64 - 5)
    with helpers(threads) if threads > 1 else nullcontext():
        by_machine = drawn(stream, count)
    monkeypatch.setattr(compiled_rounds, "width", lambda: 0)
    for found, wanted in zip(by_machine, drawn(stream, count), strict=True):
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found, wanted)


def test_other_threads_run_while_many_are_made() -> None:
    rows = np.zeros((1 << 23, 4), np.uint32)
    assert counted_beside(lambda: write_blocks(rows.T, WORDS, None, 0, KEY))
