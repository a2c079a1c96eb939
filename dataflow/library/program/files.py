"""Files that lie beside the modules of a program."""

from __future__ import annotations

import inspect
import os
import sys


def _folder_of(depth: int) -> str:
    """The folder of the module whose function is that many calls away from this function's."""
    return os.path.dirname(inspect.getfile(sys._getframe(depth + 1)))


def get_data_files_path() -> str:
    """The folder of the module that calls this."""
    return _folder_of(1)


def get_path_to_datafile(path: str) -> str:
    """The path of a file that lies beside the module that calls this.

    Args:
      path: Relative to the module's folder.
    """
    return os.path.join(_folder_of(1), path)


def get_root_dir_with_all_resources() -> str:
    """The folder that relative paths of a program's files begin in: that of the caller."""
    return _folder_of(1)


def load_resource(path: str) -> bytes:
    """What a file holds that lies beside the module that calls this.

    Args:
      path: Relative to the module's folder.

    Raises:
      OSError: The file cannot be read.
    """
    with open(os.path.join(_folder_of(1), path), "rb") as file:
        return file.read()


def readahead_file_path(path: str, readahead: str = "128M") -> str:
    """The path itself: the system reads ahead by its own rules."""
    return path
