"""A file that goes to the disk while it is written: all of its bytes, and the disk's errors."""

from __future__ import annotations

import errno
import os
import resource
import signal
from pathlib import Path

import numpy as np
import pytest

from dataflow.checkpoints.disk_file import DiskFile


def test_all_bytes_are_there(tmp_path: Path) -> None:
    data = np.random.default_rng(1).integers(0, 256, 150_000_001, np.uint8)
    file = DiskFile(str(tmp_path / "file"))
    for part in (data[:5], data[5:90_000_000], data[90_000_000:]):
        file.write(part.data)
    file.settle()
    file.close()
    assert np.array_equal(np.fromfile(tmp_path / "file", np.uint8), data)


def test_errors_of_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileNotFoundError):
        DiskFile(str(tmp_path / "no" / "file"))
    (tmp_path / "there").touch()
    with pytest.raises(FileExistsError):
        DiskFile(str(tmp_path / "there"))
    # What a thread beside is told, the caller gets to know.
    file = DiskFile(str(tmp_path / "file"))

    def fail(_: int) -> None:
        raise OSError(errno.EIO, "the disk is broken")

    monkeypatch.setattr(os, "fsync", fail)
    file.write(bytes(70 << 20))
    with pytest.raises(OSError, match="the disk is broken"):
        file.settle()
    file.close()


def test_a_full_disk_is_seen_where_it_is_written(tmp_path: Path) -> None:
    file = DiskFile(str(tmp_path / "file"))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, before[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            file.write(bytes(2 << 20))
            file.settle()
        file.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
