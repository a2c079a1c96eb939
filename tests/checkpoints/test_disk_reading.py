"""Large parts of files: the same bytes whether they are in the page cache or on the disk."""

from __future__ import annotations

import os
from pathlib import Path

import google_crc32c
import numpy as np
import pytest

from dataflow.checkpoints import disk_reading
from dataflow.checkpoints.disk_reading import read_into

_DATA = np.random.default_rng(1).integers(0, 256, 20_000_003, np.uint8)


@pytest.mark.parametrize("is_cached", [True, False])
@pytest.mark.parametrize(
    ("offset", "size"), [(0, 20_000_003), (4096, 8 << 20), (4097, 12_345_679), (5, 100), (9, 0)]
)
def test_all_bytes_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_cached: bool, offset: int, size: int
) -> None:
    _DATA.tofile(tmp_path / "file")
    monkeypatch.setattr(disk_reading, "_is_cached", lambda *_: is_cached)
    out = np.zeros(size, np.uint8)
    wanted = _DATA[offset : offset + size]
    checksum = google_crc32c.value(wanted.tobytes())
    assert read_into(str(tmp_path / "file"), offset, out) == (size, checksum)
    assert np.array_equal(out, wanted)


def test_a_file_that_ends_before(tmp_path: Path) -> None:
    _DATA.tofile(tmp_path / "file")
    count, _ = read_into(str(tmp_path / "file"), 10_000_000, np.zeros(15_000_000, np.uint8))
    assert count == 10_000_003


def test_a_disk_that_wants_larger_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _DATA.tofile(tmp_path / "file")

    def refuse(*_: object) -> int:
        raise OSError(22, "Invalid argument")

    monkeypatch.setattr(disk_reading, "_is_cached", lambda *_: False)
    monkeypatch.setattr(os, "preadv", refuse)
    out = np.zeros(len(_DATA), np.uint8)
    read_into(str(tmp_path / "file"), 0, out)
    assert np.array_equal(out, _DATA)


def test_what_is_in_the_page_cache(tmp_path: Path) -> None:
    _DATA.tofile(tmp_path / "file")
    with open(tmp_path / "file", "rb") as file:
        assert disk_reading._is_cached(file, 5, 19_000_000)
    # What nobody has written or read is nowhere.
    with open(tmp_path / "hole", "xb+") as file:
        file.truncate(20_000_000)
        assert not disk_reading._is_cached(file, 5, 19_000_000)
        assert disk_reading._is_cached(file, 5, 21_000_000)
