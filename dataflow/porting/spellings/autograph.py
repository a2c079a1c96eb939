"""tf.autograph: functions stay as they are, for Python's `if` and `while` become no graphs."""

from __future__ import annotations

from typing import Any


def do_not_convert(func: Any = None, run_as: Any = None, return_dtypes: Any = None) -> Any:
    """A function as it is, or a decorator that leaves it so."""
    return func if func is not None else lambda function: function


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Nothing: no conversion is told of."""
