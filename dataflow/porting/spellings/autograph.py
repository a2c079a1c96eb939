"""tf.autograph: functions stay as they are, for Python's `if` and `while` become no graphs."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Final, NoReturn

from dataflow.contrib.absent import Absent

INTERNALS: Final = "tensorflow.python.autograph."
"""Begins the paths of what converts functions, which programs may import."""


def do_not_convert(func: Any = None, run_as: Any = None, return_dtypes: Any = None) -> Any:
    """A function as it is, or a decorator that leaves it so."""
    return func if func is not None else lambda function: function


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Nothing: no conversion is told of."""


class Internals(ModuleType):
    """A module of what converts functions: its names are there, and fail when they are used."""

    def __init__(self, name: str) -> None:
        """Stands for the module of a name."""
        super().__init__(name)
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "do_not_convert":
            return do_not_convert
        return _Internal(f"{self.__name__}.{name}")


class _Internal(Absent):
    """A name in them; a class that has it as a base fails when it is called."""

    def __getattr__(self, name: str) -> _Internal:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Internal(f"{self._path}.{name}")

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:  # type: ignore[override]
        def fail(*_: Any, **__: Any) -> NoReturn:
            raise NotImplementedError(self.reason)

        return (type("Unusable", (), {"__new__": fail}),)

    @property
    def reason(self) -> str:
        """What an error says."""
        return (
            f"dataflow has no {self._path}: AutoGraph, which makes graphs of Python's if and "
            "while, is not here."
        )
