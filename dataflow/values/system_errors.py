"""What the system refuses, such as a file that cannot be opened, as errors of `tf.errors`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from dataflow.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    OpError,
    PermissionDeniedError,
    UnknownError,
)

_ZERO = "embedded null byte"
"""What Python says of a path that the system would cut off."""


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
