"""What the system refuses, such as a file that cannot be opened, as errors of `tf.errors`."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from dataflow.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    OpError,
    PermissionDeniedError,
    UnimplementedError,
    UnknownError,
)

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")

_ZERO = "embedded null byte"
"""What Python says of a path that the system would cut off."""


def local_path(path: Any) -> str:
    """A path as the system has it: "file://" in front of it means nothing.

    Raises:
      UnimplementedError: It has the scheme of another file system.
    """
    name = os.fsdecode(path)
    match = _SCHEME.match(name)
    if match is None:
        return name
    if match[1] != "file":
        raise UnimplementedError(
            None, None, f"File system scheme '{match[1]}' not implemented (file: '{name}')"
        )
    return name[match.end() :]


@contextlib.contextmanager
def system_errors() -> Iterator[None]:
    """Errors of the system as those of `tf.errors`, with the path."""
    try:
        yield
    except OSError as error:
        kind: Callable[[Any, Any, str], OpError] = UnknownError
        if isinstance(error, FileNotFoundError):
            kind = NotFoundError
        elif isinstance(error, PermissionError):
            kind = PermissionDeniedError
        elif isinstance(error, (IsADirectoryError, NotADirectoryError)):
            kind = FailedPreconditionError
        raise kind(None, None, f"{error.filename}; {error.strerror}") from error
    except ValueError as error:
        if _ZERO not in str(error):
            raise
        raise InvalidArgumentError(None, None, "A path has a byte of zeros.") from error
