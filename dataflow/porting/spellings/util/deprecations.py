"""tensorflow.python.util.deprecation: decorators that tell of calls of what will go."""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from dataflow.porting.spellings.decorators import (
    add_notice_to_docstring,
    get_qualified_name,
    validate_callable,
)
from dataflow.porting.spellings.util.wrappers import make_decorator
from dataflow.values import logging

_F = TypeVar("_F", bound=Callable[..., Any])
_PRINT_DEPRECATION_WARNINGS = True
"""What programs set to False by its path to have no such warnings."""

_PRINTED_WARNING: dict[Any, bool] = {}
"""The functions, and the arguments of functions, of which was told and need not be told again."""

_DATE: Final = re.compile(r"20\d\d-[01]\d-[0123]\d")
_NO_VALUE: Final = object()


class DeprecatedNamesAlreadySet(Exception):
    """Names of a function that go were told before."""


def deprecated(date: str | None, instructions: str, warn_once: bool = True) -> Callable[[_F], _F]:
    """A decorator that warns of calls of a function or class, and says so in its docstring.

    Args:
      date: When it goes, as YYYY-MM-DD, or None if that is open.
      instructions: What to call instead.
      warn_once: Whether the first call alone is told of.

    Raises:
      ValueError: The date is none, there are no instructions, or it decorates a property.
    """
    _check(date, instructions)
    when = _when(date)
    text = (
        "From %s: %s (from %s) is deprecated and will be removed %s.\n"
        "Instructions for updating:\n%s"
    )
    notice = [f"THIS FUNCTION IS DEPRECATED. It will be removed {when}."]

    def decorate(function: Any) -> Any:
        called = function
        if isinstance(function, type):
            maker = "__new__" if _makes_itself(function) else "__init__"
            called = getattr(function, maker)
        told = (get_qualified_name(function), function.__module__, when, instructions)
        doc = _noticed(
            function.__doc__, "DEPRECATED FUNCTION", "(deprecated)", notice, instructions
        )
        wrapper = _telling(called, lambda given: {"": (text, told)}, warn_once, "deprecated", doc)
        if called is function:
            return wrapper
        setattr(function, maker, wrapper)
        function.__doc__ = doc
        return function

    return _of_callables("deprecated", decorate)


def deprecated_args(
    date: str | None, instructions: str, *names: Any, warn_once: bool = True
) -> Callable[[_F], _F]:
    """As `deprecated`, of calls that pass some arguments.

    Args:
      date: When they go, or None if that is open.
      instructions: What to pass instead.
      *names: Of the arguments; a tuple of a name and a value means that the value may be passed.
      warn_once: Whether the first call alone is told of, for each argument.

    Raises:
      ValueError: As for `deprecated`; there are no names, or the function has no such argument.
    """
    _check(date, instructions)
    if not names:
        raise ValueError("Specify which argument is deprecated.")
    fine: dict[str, Any] = dict(
        name if isinstance(name, tuple) else (name, _NO_VALUE) for name in names
    )
    when = _when(date)
    text = (
        "From %s: calling %s (from %s) with %s is deprecated and will be removed %s.\n"
        "Instructions for updating:\n%s"
    )
    notice = [
        f"SOME ARGUMENTS ARE DEPRECATED: `({', '.join(sorted(fine))})`. "
        f"They will be removed {when}."
    ]

    def decorate(function: Any) -> Any:
        known = list(inspect.signature(function).parameters)
        missing = [name for name in fine if name not in known]
        if missing:
            raise ValueError(
                "The following deprecated arguments are not present in the function signature: "
                f"{missing}. Expected arguments from the following list: {known}."
            )
        own = get_qualified_name(function), function.__module__

        def concerns(given: inspect.BoundArguments) -> dict[str, Any]:
            passed = given.arguments
            return {
                name: (text, (*own, name, when, instructions))
                for name, value in fine.items()
                if name in passed and not _same(passed[name], value)
            }

        doc = _noticed(
            function.__doc__,
            "DEPRECATED FUNCTION ARGUMENTS",
            "(deprecated arguments)",
            notice,
            instructions,
        )
        return _telling(function, concerns, warn_once, "deprecated", doc)

    return _of_callables("deprecated_args", decorate)


def deprecated_arg_values(
    date: str | None, instructions: str, warn_once: bool = True, **deprecated_kwargs: Any
) -> Callable[[_F], _F]:
    """As `deprecated`, of calls in which some arguments have some values, be it by default.

    Args:
      date: When the values go, or None if that is open.
      instructions: What to pass instead.
      warn_once: Whether the first call alone is told of, for each argument.
      **deprecated_kwargs: The values.

    Raises:
      ValueError: As for `deprecated`, or there are no values.
    """
    _check(date, instructions)
    if not deprecated_kwargs:
        raise ValueError("Specify which argument values are deprecated.")
    when = _when(date)
    text = (
        "From %s: calling %s (from %s) with %s=%s is deprecated and will be removed %s.\n"
        "Instructions for updating:\n%s"
    )
    shown = ", ".join(f"{name}={value!r}" for name, value in sorted(deprecated_kwargs.items()))
    notice = [f"SOME ARGUMENT VALUES ARE DEPRECATED: `({shown})`. They will be removed {when}."]

    def decorate(function: Any) -> Any:
        own = get_qualified_name(function), function.__module__

        def concerns(given: inspect.BoundArguments) -> dict[str, Any]:
            given.apply_defaults()
            passed = given.arguments
            return {
                name: (text, (*own, name, value, when, instructions))
                for name, value in deprecated_kwargs.items()
                if name in passed and _same(passed[name], value)
            }

        doc = _noticed(
            function.__doc__,
            "DEPRECATED FUNCTION ARGUMENT VALUES",
            "(deprecated argument values)",
            notice,
            instructions,
        )
        return _telling(function, concerns, warn_once, "deprecated", doc)

    return _of_callables("deprecated_arg_values", decorate)


def deprecated_alias(
    deprecated_name: str, name: str, func_or_class: Any, warn_once: bool = True
) -> Any:
    """A function or class under an old name, of whose calls is told.

    Args:
      deprecated_name: The old name.
      name: The name to use.
      func_or_class: What has it.
      warn_once: Whether the first call alone is told of.
    """
    text = "From %s: The name %s is deprecated. Please use %s instead.\n"
    instead = f"Please use {name} instead."

    def concerns(given: inspect.BoundArguments) -> dict[str, Any]:
        return {"": (text, (deprecated_name, name))}

    if not isinstance(func_or_class, type):
        notice = ["THIS FUNCTION IS DEPRECATED. It will be removed in a future version."]
        doc = _noticed(
            func_or_class.__doc__, "DEPRECATED FUNCTION", "(deprecated)", notice, instead
        )
        return _telling(func_or_class, concerns, warn_once, "deprecated", doc)
    first = inspect.getattr_static(func_or_class, "__init__")
    notice = ["THIS CLASS IS DEPRECATED. It will be removed in a future version. "]
    made = {
        "__init__": _telling(first, concerns, warn_once, "deprecated_alias", first.__doc__ or ""),
        "__doc__": _noticed(
            func_or_class.__doc__, "DEPRECATED CLASS", "(deprecated)", notice, instead, False
        ),
    }
    return type(func_or_class)("_NewClass", (func_or_class,), made)


def deprecated_endpoints(*args: str) -> Callable[[_F], _F]:
    """A decorator that notes public names that go.

    Raises:
      DeprecatedNamesAlreadySet: Some are noted already.
    """

    def note(function: Any) -> Any:
        if "_tf_deprecated_api_names" in getattr(function, "__dict__", {}):
            raise DeprecatedNamesAlreadySet(
                f"Cannot set deprecated names for {function.__name__} to {args}. Deprecated names "
                f"are already set to {function._tf_deprecated_api_names}."
            )
        if hasattr(function, "__dict__"):
            function._tf_deprecated_api_names = args
        return function

    return note


def deprecated_argument_lookup(new_name: str, new_value: Any, old_name: str, old_value: Any) -> Any:
    """The value of an argument that has two names.

    Raises:
      ValueError: If both are given.
    """
    if old_value is None:
        return new_value
    if new_value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'")
    return old_value


def rewrite_argument_docstring(
    old_doc: str | None, old_argument: str, new_argument: str
) -> str | None:
    """A docstring, if there is one, with another name for an argument."""
    if old_doc is None:
        return None
    quoted = old_doc.replace(f"`{old_argument}`", f"`{new_argument}`")
    return quoted.replace(f"{old_argument}:", f"{new_argument}:")


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """A scope in which nothing is told."""
    global _PRINT_DEPRECATION_WARNINGS
    before, _PRINT_DEPRECATION_WARNINGS = _PRINT_DEPRECATION_WARNINGS, False
    try:
        yield
    finally:
        _PRINT_DEPRECATION_WARNINGS = before


def _makes_itself(kind: type) -> bool:
    return getattr(kind, "__new__") is not object.__new__  # noqa: B009 - not as a bound method


def _check(date: str | None, instructions: str) -> None:
    if date is not None and not _DATE.match(date):
        raise ValueError("Date must be YYYY-MM-DD.")
    if not instructions:
        raise ValueError("Don't deprecate things without conversion instructions!")


def _when(date: str | None) -> str:
    return f"after {date}" if date else "in a future version"


def _same(a: Any, b: Any) -> bool:
    """Whether two values are the same one, arrays and the like only if they are one object."""
    if a is b:
        return True
    try:
        equal = a == b
    except Exception:  # what a foreign type's == raises
        return False
    return equal if isinstance(equal, bool) else False


def _of_callables(name: str, decorate: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def checked(function: Any) -> Any:
        validate_callable(function, name)
        return decorate(function)

    return checked


def _noticed(
    doc: str | None,
    without: str,
    suffix: str,
    notice: Sequence[str],
    instructions: str,
    headed: bool = True,
) -> str:
    """A docstring with a notice behind its first line."""
    heading = ["Instructions for updating:"] if headed else []
    told = [*notice, *heading]
    return add_notice_to_docstring(doc, instructions, without, suffix, told)


def _telling(
    function: Any,
    concerns: Callable[[inspect.BoundArguments], Mapping[str, tuple[str, tuple[Any, ...]]]],
    once: bool,
    name: str,
    doc: str,
) -> Any:
    """A wrapper that warns of calls, of each thing that concerns for itself."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if _PRINT_DEPRECATION_WARNINGS:
            try:
                found = concerns(signature.bind(*args, **kwargs))
            except TypeError:  # the function itself refuses the arguments
                found = {}
            for each, (text, values) in found.items():
                key = (call, each) if each else call
                if key not in _PRINTED_WARNING:
                    if once:
                        _PRINTED_WARNING[key] = True
                    frame = sys._getframe(1)
                    place = f"{frame.f_code.co_filename}:{frame.f_lineno}"
                    logging.warning(text, place, *values)
        return function(*args, **kwargs)

    return make_decorator(function, call, name, doc)
