"""tf.compat: text and bytes, number types, dimensions as numbers or `Dimension`s; and `v1`."""

from __future__ import annotations

import importlib
import numbers
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from dataflow.values.shapes import dimension_at_index, dimension_value

if TYPE_CHECKING:
    from dataflow.compat import v1

__all__ = [
    "as_bytes",
    "as_str",
    "as_str_any",
    "as_text",
    "bytes_or_text_types",
    "complex_types",
    "dimension_at_index",
    "dimension_value",
    "integral_types",
    "path_to_str",
    "real_types",
    "v1",
]

NO_V2 = (
    "There is no tf.compat.v2 here: this library has TensorFlow 1's API only. Use "
    "`import dataflow as tf` or `import dataflow.compat.v1 as tf`."
)

integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)
complex_types = (numbers.Complex, np.number)
bytes_or_text_types = (bytes, str)


def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """Text encoded; bytes as they are.

    Raises:
      TypeError: The value is neither.
    """
    if isinstance(bytes_or_text, (bytes, bytearray)):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Bytes decoded; text as it is.

    Raises:
      TypeError: The value is neither.
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


as_str = as_text


def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Bytes decoded; anything else as `str` has it."""
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: Any) -> Any:
    """A path object as text or bytes; anything else as it is."""
    return as_str_any(path.__fspath__()) if isinstance(path, os.PathLike) else path


def __getattr__(name: str) -> Any:
    # It imports all of the library, which imports this package.
    if name == "v1":
        return importlib.import_module("dataflow.compat.v1")
    if name == "v2":
        raise AttributeError(NO_V2)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
