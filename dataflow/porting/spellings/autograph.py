"""tf.autograph: functions stay as they are, for Python's `if` and `while` become no graphs."""

from __future__ import annotations

from typing import Any, Final

from dataflow.contrib.absent import Absent, AbsentPart

INTERNALS: Final = "tensorflow.python.autograph."
"""Begins the paths of what converts functions, which programs may import."""


def do_not_convert(func: Any = None, run_as: Any = None, return_dtypes: Any = None) -> Any:
    """A function as it is, or a decorator that leaves it so."""
    return func if func is not None else lambda function: function


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Nothing: no conversion is told of."""


class _Internal(Absent):
    """A name in what converts functions; what would leave one as it is does so wherever it lies."""

    do_not_convert = staticmethod(do_not_convert)


class Internals(AbsentPart):
    """A module of what converts functions: its names are there, and fail when they are used."""

    do_not_convert = staticmethod(do_not_convert)

    def __init__(self, name: str) -> None:
        """Stands for the module of a name."""
        about = "AutoGraph, which makes graphs of Python's if and while, is not here"
        super().__init__(name, about, _Internal)
