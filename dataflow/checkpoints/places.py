"""Names of checkpoint files, and files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
import uuid
from typing import IO


def index_path(prefix: str) -> str:
    """The file that says which tensors a V2 checkpoint has, and where."""
    return f"{prefix}.index"


def data_path(prefix: str, shard: int, shards: int) -> str:
    """A file with values of a V2 checkpoint."""
    return f"{prefix}.data-{shard:05d}-of-{shards:05d}"


def temporary(path: str) -> str:
    """A name beside a path that nobody else uses."""
    return f"{path}.tempstate{uuid.uuid4().hex}"


def settle(file: IO[bytes]) -> None:
    """Waits until what was written is on the disk, and closes the file."""
    file.flush()
    os.fsync(file.fileno())
    file.close()


def settle_folder(path: str) -> None:
    """Waits until the names in the folder of a path are on the disk."""
    folder = os.open(os.path.dirname(path) or ".", os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def write_whole(path: str, data: bytes) -> None:
    """Puts a file in place of what is there, so that any reader sees one or the other."""
    beside = temporary(path)
    try:
        with open(beside, "xb") as file:
            file.write(data)
            settle(file)
        os.replace(beside, path)
    except BaseException:
        remove(beside)
        raise
    settle_folder(path)


def remove(path: str) -> None:
    """Removes a file if it is there."""
    with contextlib.suppress(FileNotFoundError):
        os.remove(path)
