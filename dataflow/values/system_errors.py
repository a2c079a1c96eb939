"""What the system refuses, such as a file that cannot be opened, as errors of `tf.errors`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from dataflow.errors import (
    FailedPreconditionError,
    NotFoundError,
    OpError,
    PermissionDeniedError,
    UnknownError,
)


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
