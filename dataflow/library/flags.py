"""Options of a program, defined where they are used and read from its command line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any


class Error(Exception):
    """Something is wrong with the flags."""


class DuplicateFlagError(Error):
    """Two flags of one name."""


class IllegalFlagValueError(Error):
    """A value that the flag does not take."""


class UnrecognizedFlagError(Error):
    """A flag on the command line that no part of the program defines."""


@dataclass
class _Flag:
    """One flag: how its text is read, and what it is now."""

    name: str
    value: Any
    parse: Callable[[str], Any]
    help: str
    is_boolean: bool = False
    is_multi: bool = False
    is_required: bool = False
    present: int = 0

    def set(self, text: str) -> None:
        """Takes a value of the command line."""
        try:
            value = self.parse(text)
        except ValueError as error:
            raise IllegalFlagValueError(f"flag --{self.name}={text}: {error}") from None
        if self.is_multi and self.present:
            value = [*self.value, *value]
        self.value = value
        self.present += 1


class FlagValues:
    """The flags of a program, as attributes; the first look reads the command line."""

    def __init__(self) -> None:
        self.__dict__["_flags"] = {}
        self.__dict__["_parsed"] = False

    def __call__(self, argv: Sequence[str], known_only: bool = False) -> list[str]:
        """Reads a command line: `--name=value`, `--name value`, `--name` and `--noname`.

        Args:
          argv: The program's name and its arguments.
          known_only: Leaves unknown flags among the other arguments.

        Returns:
          The program's name and the arguments that are no flags.

        Raises:
          UnrecognizedFlagError: A flag is unknown.
          IllegalFlagValueError: A flag does not take its value, or a required one is missing.
        """
        rest = list(argv[:1])
        arguments = iter(argv[1:])
        for argument in arguments:
            if argument == "--":
                rest.extend([argument, *arguments] if known_only else arguments)
            elif not argument.startswith("-") or argument == "-":
                rest.append(argument)
            elif not self._take(argument, arguments):
                if not known_only:
                    name = argument.lstrip("-").partition("=")[0]
                    raise UnrecognizedFlagError(f"Unknown command line flag '{name}'")
                rest.append(argument)
        for flag in self._flags.values():
            if flag.is_required and flag.value is None:
                raise IllegalFlagValueError(
                    f"flag --{flag.name}=None: Flag --{flag.name} must have a value other than "
                    "None."
                )
        self.__dict__["_parsed"] = True
        return rest

    def _take(self, argument: str, following: Iterator[str]) -> bool:
        """Gives an argument to its flag; False if there is none."""
        name, equals, text = argument.lstrip("-").partition("=")
        flag = self._flags.get(name)
        if flag is None:
            negated = self._flags.get(name[2:]) if name.startswith("no") and not equals else None
            if negated is None or not negated.is_boolean:
                return False
            negated.set("false")
        elif equals:
            flag.set(text)
        elif flag.is_boolean:
            flag.set("true")
        else:
            value = next(following, None)
            if value is None:
                raise Error(f"Missing value for flag {argument}")
            flag.set(value)
        return True

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if not self._parsed:
            self(sys.argv)
        return self._known(name).value

    def __setattr__(self, name: str, value: Any) -> None:
        self._known(name).value = value

    def _known(self, name: str) -> _Flag:
        flag: _Flag | None = self._flags.get(name)
        if flag is None:
            raise AttributeError(f"there is no flag {name!r}; flags are made by tf.flags.DEFINE_*")
        return flag

    def __getitem__(self, name: str) -> _Flag:
        flag: _Flag = self._flags[name]
        return flag

    def __contains__(self, name: str) -> bool:
        return name in self._flags

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._flags))

    def __dir__(self) -> list[str]:
        return sorted(self._flags)

    def flag_values_dict(self) -> dict[str, Any]:
        """All flags and their values."""
        return {name: flag.value for name, flag in self._flags.items()}

    def describe(self) -> str:
        """The flags with their help texts and defaults, a pair of lines each."""
        lines = []
        for name in self:
            lines.append(f"--{name}: {self[name].help}\n")
            lines.append(f"  (default: {self[name].value})\n")
        return "".join(lines)

    def is_parsed(self) -> bool:
        """True once a command line was read."""
        return bool(self._parsed)

    def define(self, flag: _Flag) -> None:
        """Adds a flag.

        Raises:
          DuplicateFlagError: There is one of that name.
        """
        if flag.name in self._flags:
            raise DuplicateFlagError(f"The flag '{flag.name}' is defined twice.")
        self._flags[flag.name] = flag


FLAGS = FlagValues()
"""The flags of this program."""


def DEFINE_string(name: str, default: Any, help: str, required: bool = False) -> None:
    """A flag of text."""
    FLAGS.define(_Flag(name, default, str, help, is_required=required))


def DEFINE_integer(
    name: str,
    default: Any,
    help: str,
    lower_bound: int | None = None,
    upper_bound: int | None = None,
    required: bool = False,
) -> None:
    """A flag that is a whole number within bounds."""
    parse = _bounded(lambda text: int(text, 0), lower_bound, upper_bound)
    FLAGS.define(_Flag(name, default, parse, help, is_required=required))


def DEFINE_float(
    name: str,
    default: Any,
    help: str,
    lower_bound: float | None = None,
    upper_bound: float | None = None,
    required: bool = False,
) -> None:
    """A flag that is a number within bounds."""
    default = float(default) if isinstance(default, int) else default
    parse = _bounded(float, lower_bound, upper_bound)
    FLAGS.define(_Flag(name, default, parse, help, is_required=required))


def DEFINE_boolean(name: str, default: Any, help: str, required: bool = False) -> None:
    """A flag that is true or false: `--name`, `--noname`, `--name=true`."""
    default = _boolean(default) if isinstance(default, (str, int)) else default
    FLAGS.define(_Flag(name, default, _boolean, help, is_boolean=True, is_required=required))


DEFINE_bool = DEFINE_boolean


def DEFINE_enum(
    name: str, default: Any, enum_values: Iterable[str], help: str, required: bool = False
) -> None:
    """A flag that is one of some words."""
    words = list(enum_values)

    def parse(text: str) -> str:
        if text not in words:
            raise ValueError(f"value should be one of <{'|'.join(words)}>")
        return text

    FLAGS.define(_Flag(name, default, parse, help, is_required=required))


def DEFINE_list(name: str, default: Any, help: str, required: bool = False) -> None:
    """A flag that is a list of texts, with commas between them."""
    default = _listed(default) if isinstance(default, str) else default
    FLAGS.define(_Flag(name, default, _listed, help, is_required=required))


def DEFINE_multi_string(name: str, default: Any, help: str, required: bool = False) -> None:
    """A flag that may be given several times: a list of texts."""
    _define_multi(name, default, help, str, required)


def DEFINE_multi_integer(name: str, default: Any, help: str, required: bool = False) -> None:
    """A flag that may be given several times: a list of whole numbers."""
    _define_multi(name, default, help, int, required)


def DEFINE_multi_float(name: str, default: Any, help: str, required: bool = False) -> None:
    """A flag that may be given several times: a list of numbers."""
    _define_multi(name, default, help, float, required)


def mark_flag_as_required(flag_name: str) -> None:
    """The command line must give this flag, unless it has a default."""
    FLAGS[flag_name].is_required = True


def mark_flags_as_required(flag_names: Iterable[str]) -> None:
    """The command line must give these flags, unless they have defaults."""
    for name in flag_names:
        mark_flag_as_required(name)


def _define_multi(
    name: str, default: Any, help: str, parse: Callable[[str], Any], required: bool
) -> None:
    if default is not None and (isinstance(default, str) or not isinstance(default, Iterable)):
        default = [default]
    FLAGS.define(
        _Flag(
            name,
            None if default is None else list(default),
            lambda text: [parse(text)],
            help,
            is_multi=True,
            is_required=required,
        )
    )


def _bounded(
    parse: Callable[[str], Any], lower: float | None, upper: float | None
) -> Callable[[str], Any]:
    def checked(text: str) -> Any:
        value = parse(text)
        if (lower is not None and value < lower) or (upper is not None and value > upper):
            raise ValueError(f"{value} is not in the range [{lower}, {upper}]")
        return value

    return checked


def _boolean(value: Any) -> bool:
    words = {"true": True, "t": True, "1": True, "false": False, "f": False, "0": False}
    text = str(value).lower()
    if text not in words:
        raise ValueError("Non-boolean argument to boolean flag")
    return words[text]


def _listed(text: str) -> list[str]:
    return [item.strip() for item in text.split(",")] if text else []
