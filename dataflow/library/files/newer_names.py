"""Functions on files and folders by the names that tf.io.gfile has for them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

from dataflow.errors import OpError
from dataflow.library.files import gfile


def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copies a file.

    Raises:
      OpError: It cannot be read or written, or there is one already and `overwrite` is False.
    """
    gfile.copy(src, dst, overwrite)


def exists(path: Any) -> bool:
    """Whether there is such a file or folder."""
    return gfile.exists(path)


def get_registered_schemes() -> list[str]:
    """The schemes of paths that can be used."""
    return ["", "file"]


def glob(pattern: Any) -> list[str]:
    """The paths that match a pattern, or one of several."""
    return gfile.glob(pattern)


def isdir(path: Any) -> bool:
    """Whether a path is that of a folder."""
    return gfile.is_directory(path)


def join(path: Any, *paths: Any) -> Any:
    """A path made of parts, as `os.path.join` makes it."""
    return os.path.join(path, *paths)


def listdir(path: Any) -> list[str]:
    """The names in a folder.

    Raises:
      NotFoundError: There is no such folder.
    """
    return gfile.list_directory(path)


def makedirs(path: Any) -> None:
    """Makes a folder and those above it; none of them is a mistake if it is there."""
    gfile.make_dirs(path)


def mkdir(path: Any) -> None:
    """Makes a folder.

    Raises:
      NotFoundError: That above it is not there.
      AlreadyExistsError: There is one.
    """
    gfile.mkdir(path)


def remove(path: Any) -> None:
    """Removes a file.

    Raises:
      NotFoundError: There is none.
    """
    gfile.remove(path)


def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Gives a file or folder another path.

    Raises:
      OpError: There is one already and `overwrite` is False, or it cannot be done.
    """
    gfile.rename(src, dst, overwrite)


def rmtree(path: Any) -> None:
    """Removes a folder with all that it has.

    Raises:
      NotFoundError: There is none.
    """
    gfile.delete_recursively(path)


def stat(path: Any) -> gfile.FileStatistics:
    """Size and time of a file.

    Raises:
      NotFoundError: There is none.
    """
    return gfile.stat(path)


def walk(
    top: Any, topdown: bool = True, onerror: Callable[[OpError], Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """What each folder below one has: its path, its folders and its files.

    Args:
      top: The folder.
      topdown: Whether a folder comes before those that it has.
      onerror: Is called if `top` cannot be read.
    """
    if not exists(top) and onerror is not None:
        try:
            gfile.list_directory(top)
        except OpError as error:
            onerror(error)
    yield from gfile.walk(top, topdown)
