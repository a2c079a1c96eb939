"""Options of a program: absl's flags, read from the command line at the first look."""

from __future__ import annotations

import functools
import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeVar, cast

from absl import flags

_Define = TypeVar("_Define", bound=Callable[..., Any])

_FORMER_NAMES: Final = {"flag_name": "name", "default_value": "default", "docstring": "help"}

# A flag belongs to the module of the program that defines it.
flags.disclaim_key_flags()


def _with_former_names(define: _Define) -> _Define:
    """The function, which takes its arguments by the names of TensorFlow's first flags, too."""

    @functools.wraps(define)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if not _FORMER_NAMES.keys().isdisjoint(kwargs):
            logging.warning(
                "Use of the keyword argument names (flag_name, default_value, docstring) is "
                "deprecated, please use (name, default, help) instead."
            )
            kwargs = {_FORMER_NAMES.get(name, name): value for name, value in kwargs.items()}
        return define(*args, **kwargs)

    return cast(_Define, wrapper)


DEFINE_string = _with_former_names(flags.DEFINE_string)
DEFINE_boolean = _with_former_names(flags.DEFINE_boolean)
DEFINE_bool = DEFINE_boolean
DEFINE_float = _with_former_names(flags.DEFINE_float)
DEFINE_integer = _with_former_names(flags.DEFINE_integer)


class FlagValuesWrapper:
    """absl's flags, which read the command line of the process when one is first asked for.

    absl's own raise an error instead; programs of TensorFlow 1 need not start by `tf.app.run`.
    """

    def __init__(self, values: flags.FlagValues) -> None:
        """Wraps absl's flags."""
        self.__dict__["_values"] = values

    def __getattr__(self, name: str) -> Any:
        values = self.__dict__["_values"]
        if hasattr(type(values), name):
            return getattr(values, name)
        if not values.is_parsed():
            values(sys.argv)
        return getattr(values, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._values, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._values, name)

    def __dir__(self) -> list[str]:
        return dir(self._values)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __setitem__(self, name: str, flag: Any) -> None:
        self._values[name] = flag

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __str__(self) -> str:
        return str(self._values)

    def __call__(self, argv: Sequence[str], known_only: bool = False) -> list[str]:
        """Reads a command line; returns the program's name and the arguments that are no flags.

        Args:
          argv: The program's name and its arguments.
          known_only: Leaves unknown flags among the other arguments.

        Raises:
          UnrecognizedFlagError: A flag is unknown.
          IllegalFlagValueError: A flag does not take its value, or a required one is missing.
        """
        return cast("list[str]", self._values(argv, known_only=known_only))

    def _parse_flags(self, args: Sequence[str] | None = None) -> list[str]:
        # Programs for TensorFlow 1.0 to 1.4 call it, so that what reads no flag sees them, too.
        return self(sys.argv if args is None else [sys.argv[0], *args], known_only=True)[1:]


FLAGS = FlagValuesWrapper(flags.FLAGS)
"""The flags of the program."""
