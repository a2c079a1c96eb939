"""tensorflow.python.framework.errors_impl: errors by their codes."""

from __future__ import annotations

import warnings
from typing import Any

from dataflow.errors import OpError, UnknownError, exception_type_from_error_code


def _make_specific_exception(node_def: Any, op: Any, message: Any, error_code: int) -> OpError:
    """The error of a code; of a code that there is not, an UnknownError, with a warning."""
    try:
        kind = exception_type_from_error_code(error_code)
    except KeyError:
        warnings.warn(f"Unknown error code: {error_code}", stacklevel=2)
        return UnknownError(node_def, op, message, error_code)
    return kind(node_def, op, message)  # type: ignore[call-arg]
