"""Functions that are composed by operators: of what nets are written in texts."""

from __future__ import annotations

import importlib
import operator
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable as Calls
from typing import Any, Final

_QUOTED: Final = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""")
_KEYWORDS: Final = re.compile(r"\b(import|while|def|exec)\b")
_debugging = False


def check_keywords(spec: str) -> None:
    """Refuses texts that are more than expressions; it is no protection against others' texts.

    Raises:
      ValueError: There is one of `import`, `while`, `def` and `exec` outside of quotes.
    """
    found = _KEYWORDS.search(_QUOTED.sub("", spec))
    if found:
        raise ValueError(f"keyword '{found.group(1)}' found in spec")


def get_positional(
    args: list[Any], kw: dict[str, Any], kw_overrides: bool = False
) -> tuple[list[Any], dict[str, Any]]:
    """Puts keyword arguments `_0`, `_1` ... in their places among the others.

    Args:
      args: The arguments; those that are None may be replaced.
      kw: Keyword arguments.
      kw_overrides: Whether others may be, too.
    """
    placed = list(args)
    for key, value in kw.items():
        if key.startswith("_"):
            index = int(key[1:])
            placed += [None] * (index + 1 - len(placed))
            if kw_overrides or placed[index] is None:
                placed[index] = value
    return placed, {key: value for key, value in kw.items() if not key.startswith("_")}


class Composable(ABC):
    """A function of a tensor: `f | g` is g after f, `f ** n` f after itself, + and * work, too."""

    @abstractmethod
    def funcall(self, x: Any) -> Any:
        """What it makes of a tensor."""

    def __or__(self, f: Composable) -> Composable:
        return Composition(self, f)

    def __add__(self, g: Composable) -> Composable:
        return Operator(operator.add, self, g)

    def __mul__(self, g: Composable) -> Composable:
        return Operator(operator.mul, self, g)

    def __pow__(self, n: int) -> Composable:
        if n < 0:
            raise AssertionError(f"f ** n needs n >= 0, not {n}.")
        if n == 0:
            return Callable(lambda x: x)
        result: Composable = self
        for _ in range(n - 1):
            result = Composition(result, self)
        return result


class Callable(Composable):
    """A Python function of one argument."""

    def __init__(self, f: Calls[[Any], Any]) -> None:
        """Takes the function."""
        self.f = f

    def funcall(self, x: Any) -> Any:
        """See `Composable`."""
        return self.f(x)


class Operator(Composable):
    """What an operator makes of several functions' values."""

    def __init__(self, op: Calls[..., Any], *args: Composable) -> None:
        """Takes the operator and the functions."""
        self.op = op
        self.funs = args

    def funcall(self, x: Any) -> Any:
        """See `Composable`."""
        return self.op(*(f.funcall(x) for f in self.funs))


class Function(Composable):
    """A Python function of which calls fix further arguments.

    Those of a later call stand before those of an earlier one.
    """

    def __init__(self, f: Any, *args: Any, **kw: Any) -> None:
        """Takes the function and arguments after the first one.

        Raises:
          ValueError: It cannot be called.
        """
        if not callable(f):
            raise ValueError(f"{f}: is not callable")
        self.f = f
        self.args = list(args)
        self.kw = kw

    def __call__(self, *args: Any, **kw: Any) -> Function:
        """The function with these arguments, too."""
        return Function(self.f, *args, *self.args, **{**self.kw, **kw})

    def funcall(self, x: Any) -> Any:
        """See `Composable`."""
        args, kw = get_positional(self.args, self.kw)
        if _debugging:
            sys.stdout.write(f"DEBUG: {self.f} {x} {args} {kw}\n")
        return self.f(x, *args, **kw)


class Composition(Composable):
    """A function after another one."""

    def __init__(self, f: Composable, g: Composable) -> None:
        """Takes the first and the second one."""
        self.f = f
        self.g = g

    def funcall(self, x: Any) -> Any:
        """See `Composable`."""
        return self.g.funcall(self.f.funcall(x))


def External(module_name: str, function_name: str) -> Function:
    """The function of a name in a module.

    Raises:
      ImportError: There is no such module.
      KeyError: It has no such name.
    """
    return Function(vars(importlib.import_module(module_name))[function_name])


def Import(statements: str) -> Function:
    """The function that statements of Python call `f`.

    Raises:
      ValueError: They do not.
    """
    names: dict[str, Any] = {}
    exec(statements, names)
    if "f" not in names:
        raise ValueError(f'failed to define "f": {statements}')
    return Function(names["f"])


def debug(mode: bool = True) -> None:
    """Whether each `Function` prints what it is called with."""
    global _debugging
    _debugging = mode
