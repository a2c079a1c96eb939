"""Large parts of files, read past the page cache unless they are there.

What is read once needs no copy in the page cache: to find fresh memory for that takes the system
longer than the disk.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import IO, Any, Final

import numpy as np

from dataflow.values.crc32c import crc32c

_PIECE: Final = 4 << 20
"""Bytes read at a time; a part of fewer is read as the system likes to."""
_BLOCK: Final = mmap.PAGESIZE
"""What the disk itself is asked for begins and ends at a multiple of this, here and there."""
_READERS: Final = 2
"""Threads, so that the disk has something to do while what it gave is copied."""


def read_into(path: str, offset: int, out: Any) -> tuple[int, int]:
    """Fills an array of bytes from a file.

    Args:
      path: The file.
      offset: Where in the file to begin.
      out: The array, of one dimension.

    Returns:
      How many bytes there were, and their checksum.

    Raises:
      OSError: The file cannot be read.
    """
    with open(path, "rb", buffering=0) as file:
        if len(out) > _PIECE and not _is_cached(file, offset, len(out)):
            # Not every system has such files, and disks may have larger blocks.
            with suppress(AttributeError, OSError), open(path, "rb", 0, opener=_direct) as disk:
                return _from_disk(disk, offset, out)
        file.seek(offset)
        count = crc = 0
        for piece in _pieces(out):
            size = file.readinto(piece)
            count, crc = count + size, crc32c(piece[:size], crc)
        return count, crc


def _pieces(out: Any) -> list[Any]:
    return [out[at : at + _PIECE] for at in range(0, len(out), _PIECE)]


def _direct(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_DIRECT)


def _is_cached(file: IO[bytes], offset: int, size: int) -> bool:
    """Whether most of a part of a file is in the page cache; True if nobody can say."""
    start = offset // _BLOCK * _BLOCK
    size += offset - start
    try:
        view = mmap.mmap(file.fileno(), size, offset=start, access=mmap.ACCESS_READ)
        are_there = np.zeros(-(-size // _BLOCK), np.uint8)
        address = np.frombuffer(view, np.uint8).ctypes.data_as(ctypes.c_void_p)
        to = are_there.ctypes.data_as(ctypes.c_void_p)
        failed = ctypes.CDLL(None).mincore(address, ctypes.c_size_t(size), to)
    except (AttributeError, OSError, OverflowError, ValueError):
        return True
    return bool(failed) or bool(np.mean(are_there & 1) > 0.5)


def _from_disk(disk: IO[bytes], offset: int, out: Any) -> tuple[int, int]:
    count = crc = 0
    pieces = _pieces(out)
    places = range(offset, offset + len(out), _PIECE)
    with ThreadPoolExecutor(_READERS) as pool:
        found = pool.map(lambda piece, at: _blocks(disk, at, piece), pieces, places)
        for piece, size in zip(pieces, found, strict=True):
            count, crc = count + size, crc32c(piece[:size], crc)
    return count, crc


def _blocks(disk: IO[bytes], at: int, out: Any) -> int:
    """Reads whole blocks and copies what is asked for of them; how many bytes that were."""
    before = at % _BLOCK
    size = -(-(before + len(out)) // _BLOCK) * _BLOCK
    memory = np.empty(size + _BLOCK, np.uint8)
    memory = memory[-memory.ctypes.data % _BLOCK :][:size]
    size = os.preadv(disk.fileno(), [memory], at - before)
    found = memory[before:size][: len(out)]
    out[: len(found)] = found
    return len(found)
