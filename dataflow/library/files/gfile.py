"""tf.gfile: files and folders, with the errors of `tf.errors`."""

from __future__ import annotations

import os
import shutil
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from dataflow.errors import (
    AlreadyExistsError,
    InvalidArgumentError,
    NotFoundError,
    OutOfRangeError,
    PermissionDeniedError,
)
from dataflow.records.globs import matching_paths
from dataflow.values.system_errors import local_path, system_errors

_PIECE: Final = 1 << 20
_MODES: Final = ("r", "w", "a", "r+", "w+", "a+")


class GFile:
    """A file, opened when it is first read or written.

    Text is UTF-8, and positions count bytes. What reads starts at the begin of the file, wherever
    what writes is; what writes makes the file anew unless the mode has "a".
    """

    def __init__(self, name: Any, mode: str = "r") -> None:
        """Names a file.

        Args:
          name: Its path.
          mode: "r", "w" or "a", with "+" for both, and "b" for bytes in the place of text.

        Raises:
          UnimplementedError: If the path has a scheme of another file system.
          InvalidArgumentError: The mode is another one.
        """
        self._name = name
        self._path = local_path(name)
        if mode.replace("b", "") not in _MODES:
            raise InvalidArgumentError(
                None, None, "mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'"
            )
        self._mode = mode
        self._binary = "b" in mode
        self._reader: Any = None
        self._writer: Any = None

    @property
    def name(self) -> Any:
        """The path, as it was given."""
        return self._name

    @property
    def mode(self) -> str:
        """The mode, as it was given."""
        return self._mode

    @property
    def _readable(self) -> bool:
        return "r" in self._mode or "+" in self._mode

    def _reading(self) -> Any:
        if not self._readable:
            raise PermissionDeniedError(None, None, "File isn't open for reading")
        if self._reader is None:
            self._reader = self._opened("rb")
        return self._reader

    def _writing(self) -> Any:
        if not ({*"wa+"} & {*self._mode}):
            raise PermissionDeniedError(None, None, "File isn't open for writing")
        if self._writer is None:
            self._writer = self._opened("ab" if "a" in self._mode else "wb")
        return self._writer

    def _opened(self, mode: str) -> Any:
        with system_errors():
            file = open(self._path, mode)  # noqa: SIM115
        # Programs leave it to us to close it.
        weakref.finalize(self, file.close)
        return file

    def _shown(self, data: bytes) -> Any:
        return data if self._binary else data.decode()

    def size(self) -> int:
        """Bytes in the file."""
        return stat(self._name).length

    def read(self, n: int = -1) -> Any:
        """The next bytes, or all the rest; as text unless the mode has "b".

        Args:
          n: How many bytes; -1 for all.
        """
        with system_errors():
            return self._shown(self._reading().read(n))

    def readline(self) -> Any:
        """The next line with its end; nothing behind the last one."""
        with system_errors():
            return self._shown(self._reading().readline())

    def readlines(self) -> list[Any]:
        """The lines that are left."""
        return list(self)

    def write(self, file_content: Any) -> None:
        """Writes text, or bytes."""
        data = file_content.encode() if isinstance(file_content, str) else bytes(file_content)
        with system_errors():
            self._writing().write(data)

    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        """Goes to a byte of what is read.

        Args:
          offset: Bytes from there.
          whence: 0 for the begin, 1 for here, 2 for the end.
          position: The older name of `offset`.

        Raises:
          TypeError: If neither is given, or both are.
          InvalidArgumentError: The place is before the begin.
          OutOfRangeError: The place is behind the end, which is where it is then.
        """
        if offset is None and position is None:
            raise TypeError("seek(): offset argument required")
        if offset is not None and position is not None:
            raise TypeError("seek(): offset and position may not be set simultaneously.")
        if whence not in (0, 1, 2):
            raise InvalidArgumentError(
                None, None, f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2."
            )
        file = self._reading()
        given = position if offset is None else offset
        assert given is not None
        target = given + (0, file.tell(), self.size())[whence]
        if target < 0:
            raise InvalidArgumentError(None, None, f"Seeking to a negative position: {target}")
        with system_errors():
            size = self.size()
            file.seek(min(target, size))
        if target > size:
            raise OutOfRangeError(None, None, "reached end of file")

    def tell(self) -> int:
        """The byte where it reads, or writes if it only does that."""
        file = self._reading() if self._readable else self._writing()
        return file.tell()  # type: ignore[no-any-return]

    def flush(self) -> None:
        """Hands what was written to the system."""
        if self._writer is not None:
            with system_errors():
                self._writer.flush()

    def close(self) -> None:
        """Closes the file; it opens again when it is used."""
        files = self._reader, self._writer
        self._reader = self._writer = None
        for file in files:
            if file is not None:
                with system_errors():
                    file.close()

    def seekable(self) -> bool:
        """True."""
        return True

    def __enter__(self) -> GFile:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Any]:
        return self

    def next(self) -> Any:
        """The next line with its end, as Python 2 asks an iterator for it."""
        return next(self)

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line


class FastGFile(GFile):
    """`GFile` by its older name."""


@dataclass(frozen=True)
class FileStatistics:
    """What the system tells of a file."""

    length: int
    """Bytes."""
    mtime_nsec: int
    """When it was last changed, in nanoseconds since 1970."""
    is_directory: bool


def stat(filename: Any) -> FileStatistics:
    """What the system tells of a file or folder.

    Raises:
      NotFoundError: If there is none.
    """
    with system_errors():
        found = os.stat(local_path(filename))
    path = local_path(filename)
    return FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(path))


def exists(filename: Any) -> bool:
    """Whether there is such a file or folder."""
    return os.path.exists(local_path(filename))


def is_directory(dirname: Any) -> bool:
    """Whether there is such a folder."""
    return os.path.isdir(local_path(dirname))


def list_directory(dirname: Any) -> list[str]:
    """The names in a folder, in no order.

    Raises:
      NotFoundError: If it is none.
    """
    if not is_directory(dirname):
        raise NotFoundError(None, None, f"Could not find directory {os.fsdecode(dirname)}")
    with system_errors():
        return os.listdir(local_path(dirname))


def mkdir(dirname: Any) -> None:
    """Makes a folder in one that exists; nothing if it is there.

    Raises:
      NotFoundError: If the outer folder is not there.
    """
    with system_errors():
        try:
            os.mkdir(local_path(dirname))
        except FileExistsError:
            if not is_directory(dirname):
                raise


def make_dirs(dirname: Any) -> None:
    """Makes a folder, and those around it; nothing if it is there."""
    with system_errors():
        os.makedirs(local_path(dirname), exist_ok=True)


def remove(filename: Any) -> None:
    """Deletes a file.

    Raises:
      NotFoundError: If there is none.
      FailedPreconditionError: If it is a folder.
    """
    with system_errors():
        os.remove(local_path(filename))


def delete_recursively(dirname: Any) -> None:
    """Deletes a folder with all that is in it.

    Raises:
      NotFoundError: If there is none.
    """
    if not exists(dirname):
        raise NotFoundError(None, None, f"{os.fsdecode(dirname)} not found")
    with system_errors():
        shutil.rmtree(local_path(dirname))


def _refuse_to_replace(path: Any, overwrite: bool) -> None:
    if not overwrite and exists(path):
        raise AlreadyExistsError(None, None, "file already exists")


def rename(oldname: Any, newname: Any, overwrite: bool = False) -> None:
    """Gives a file or folder another name.

    Args:
      oldname: Its path.
      newname: Its new path.
      overwrite: Whether a file there may be replaced.

    Raises:
      AlreadyExistsError: If it would have to be.
    """
    _refuse_to_replace(newname, overwrite)
    with system_errors():
        os.replace(local_path(oldname), local_path(newname))


def copy(oldpath: Any, newpath: Any, overwrite: bool = False) -> None:
    """Copies a file's bytes.

    Args:
      oldpath: The file.
      newpath: Where to.
      overwrite: Whether a file there may be replaced.

    Raises:
      AlreadyExistsError: If it would have to be.
    """
    _refuse_to_replace(newpath, overwrite)
    with (
        system_errors(),
        open(local_path(oldpath), "rb") as source,
        open(local_path(newpath), "wb") as target,
    ):
        shutil.copyfileobj(source, target, _PIECE)


def glob(filename: Any) -> list[str]:
    """The paths that match a pattern, or several.

    Args:
      filename: With `*`, `?` and `[...]`, or a list of such.
    """
    patterns: Sequence[Any] = filename if isinstance(filename, list | tuple) else [filename]
    return [path for pattern in patterns for path in matching_paths(local_path(pattern))]


def walk(top: Any, in_order: bool = True) -> Iterator[tuple[str, list[str], list[str]]]:
    """Folders, each with the names of the folders and files in it.

    Args:
      top: Where to begin.
      in_order: Whether a folder comes before what is in it.
    """
    path = local_path(top)
    for folder, folders, files in os.walk(path, topdown=in_order):
        if in_order:
            folders.sort()
        yield folder, sorted(folders), sorted(files)
