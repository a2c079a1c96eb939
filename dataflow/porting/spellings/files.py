"""tensorflow.python.lib.io.file_io: the functions of tf.gfile under the names used inside."""

from __future__ import annotations

import filecmp as comparing
import os
import uuid
import zlib
from typing import Any

from dataflow.library.files import gfile

FileIO = gfile.GFile
FileStatistics = gfile.FileStatistics
file_exists = gfile.exists
is_directory = gfile.is_directory
rename = gfile.rename
stat = gfile.stat
walk = gfile.walk
delete_file = gfile.remove
get_matching_files = gfile.glob
create_dir = gfile.mkdir
recursive_create_dir = gfile.make_dirs
copy = gfile.copy
delete_recursively = gfile.delete_recursively
list_directory = gfile.list_directory
is_directory_v2 = is_directory
file_exists_v2 = file_exists


def read_file_to_string(filename: Any, binary_mode: bool = False) -> Any:
    """What is in a file: text, or bytes if `binary_mode` is set.

    Raises:
      NotFoundError: There is no such file.
    """
    with gfile.GFile(filename, "rb" if binary_mode else "r") as file:
        return file.read()


def write_string_to_file(filename: Any, file_content: Any) -> None:
    """Writes a file, over the one that is there.

    Raises:
      OpError: It cannot be written.
    """
    mode = "wb" if isinstance(file_content, bytes) else "w"
    with gfile.GFile(filename, mode) as file:
        file.write(file_content)


def atomic_write_string_to_file(filename: Any, contents: Any, overwrite: bool = True) -> None:
    """Writes a file, whole or not at all.

    Raises:
      AlreadyExistsError: It is there, and `overwrite` is not set.
    """
    temporary = f"{os.fsdecode(filename)}.tmp{uuid.uuid4().hex}"
    write_string_to_file(temporary, contents)
    try:
        rename(temporary, filename, overwrite)
    except BaseException:
        delete_file(temporary)
        raise


def join(path: Any, *paths: Any) -> Any:
    """Parts of a path as one."""
    return os.path.join(path, *paths)


def filecmp(filename_a: Any, filename_b: Any) -> bool:
    """Whether two files hold the same."""
    return comparing.cmp(os.fsdecode(filename_a), os.fsdecode(filename_b), shallow=False)


def file_crc32(filename: Any, block_size: int = 1 << 20) -> str:
    """The checksum of a file, in hexadecimal: CRC-32 of zlib.

    Args:
      filename: The file.
      block_size: How much is read at a time.
    """
    value = 0
    with gfile.GFile(filename, "rb") as file:
        while block := file.read(block_size):
            value = zlib.crc32(block, value)
    return hex(value)
