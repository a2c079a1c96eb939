"""tensorflow.python.util: decorators, and what they hide."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from dataflow.values.logging import warning

_F = TypeVar("_F", bound=Callable[..., Any])
_PRINT_DEPRECATION_WARNINGS = True
"""What programs set to False by its path to have no such warnings."""


def deprecated(date: str | None, instructions: str, warn_once: bool = True) -> Callable[[_F], _F]:
    """A decorator that warns of calls of what will go.

    Args:
      date: When it goes, or None if that is open.
      instructions: What to call instead.
      warn_once: Whether the first call alone is told of.
    """
    return _warns(f"will be removed {_when(date)}.", instructions, warn_once, ())


def deprecated_args(
    date: str | None, instructions: str, *names: Any, warn_once: bool = True
) -> Callable[[_F], _F]:
    """As `deprecated`, of calls that pass some arguments.

    Args:
      date: When they go, or None if that is open.
      instructions: What to pass instead.
      *names: Of the arguments; a tuple of a name and a value means that the value may be passed.
      warn_once: Whether the first call alone is told of.
    """
    return _warns(f"has arguments that go {_when(date)}.", instructions, warn_once, names)


def _when(date: str | None) -> str:
    return f"after {date}" if date else "in a future version"


def _warns(what: str, instructions: str, once: bool, names: tuple[Any, ...]) -> Callable[[_F], _F]:
    fine: dict[str, Any] = dict(
        name if isinstance(name, tuple) else (name, inspect.Parameter.empty) for name in names
    )

    def decorate(function: _F) -> _F:
        told = False
        signature = inspect.signature(function)

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal told
            if not (told and once) and (not fine or _passes(signature, fine, args, kwargs)):
                told = True
                if not _PRINT_DEPRECATION_WARNINGS:
                    return function(*args, **kwargs)
                name = f"{function.__module__}.{function.__qualname__}"
                warning("%s %s %s", name, what, instructions)
            return function(*args, **kwargs)

        return call  # type: ignore[return-value]

    return decorate


def _passes(
    signature: inspect.Signature, fine: dict[str, Any], args: Any, kwargs: dict[str, Any]
) -> bool:
    """Whether a call has an argument that it should not have."""
    try:
        given = signature.bind_partial(*args, **kwargs).arguments
    except TypeError:
        return False
    return any(name in given and given[name] is not fine[name] for name in fine)


def deprecated_argument_lookup(new_name: str, new_value: Any, old_name: str, old_value: Any) -> Any:
    """The value of an argument that has two names.

    Raises:
      ValueError: If both are given.
    """
    if old_value is None:
        return new_value
    if new_value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
    return old_value


def make_decorator(target: Any, decorator_func: Any, *names: Any, **more: Any) -> Any:
    """Makes a wrapper look like what it wraps."""
    return functools.wraps(target)(decorator_func)


def unwrap(maybe_decorated: Any) -> tuple[list[Any], Any]:
    """The wrappers of a function, and the innermost one."""
    wrappers = []
    while hasattr(maybe_decorated, "__wrapped__"):
        wrappers.append(maybe_decorated)
        maybe_decorated = maybe_decorated.__wrapped__
    return wrappers, maybe_decorated


def tf_export(*names: str, **more: Any) -> Callable[[_F], _F]:
    """A decorator that gives a function public names; here it leaves it as it is."""
    return lambda function: function


def fn_args(fn: Any) -> tuple[str, ...]:
    """The names of a function's arguments, without the object it is bound to or `partial`'s."""
    return tuple(
        name
        for name, each in inspect.signature(fn).parameters.items()
        if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
        and not (isinstance(fn, functools.partial) and name in fn.keywords)
    )


class ArgSpec(NamedTuple):
    """The arguments of a function, as Python described them before 3.11."""

    args: list[str]
    varargs: str | None
    keywords: str | None
    defaults: tuple[Any, ...] | None


def getargspec(func: Any) -> ArgSpec:
    """As Python had it before 3.11."""
    return ArgSpec(*getfullargspec(func)[:4])


def getfullargspec(obj: Any) -> inspect.FullArgSpec:
    """What a function takes, below its decorators; no annotations, for TensorFlow's have none."""
    below = inspect.unwrap(obj, stop=lambda function: hasattr(function, "__signature__"))
    return inspect.getfullargspec(below)._replace(annotations={})


def keyword_args_only(func: _F) -> _F:
    """A decorator: arguments are given by their names.

    The function raises ValueError where one is given by its place.
    """

    @functools.wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        if args:
            raise ValueError(f"Must use keyword args to call {func.__name__}.")
        return func(**kwargs)

    return call  # type: ignore[return-value]


def should_use_result(fn: _F) -> _F:
    """A decorator of what returns something that is of use; here it leaves it as it is."""
    return fn


must_use_result_or_fatal = should_use_result


def get_qualified_name(function: Any) -> str:
    """The name of a function or method, with that of its class where it has one."""
    if hasattr(function, "__self__"):
        return f"{type(function.__self__).__name__}.{function.__name__}"
    return str(getattr(function, "__qualname__", function.__name__))


class classproperty:
    """A decorator that makes a method a property of its class."""

    def __init__(self, func: Callable[[Any], Any]) -> None:
        """Takes the method."""
        self._func = func

    def __get__(self, owner_self: Any, owner_cls: type) -> Any:
        return self._func(owner_cls)


def default(method: Any) -> Any:
    """Marks a method of a base class that classes derived from it may replace."""
    method._is_default = True
    return method
