"""arg_scope: defaults of functions' arguments, for all calls within a `with`."""

from __future__ import annotations

import contextlib
import functools
import inspect
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

Scope = dict[Any, dict[str, Any]]
"""For each function its defaults."""


class _Scopes(threading.local):
    def __init__(self) -> None:
        self.stack: list[Scope] = [{}]


_scopes = _Scopes()
_takes: dict[Any, tuple[str, ...]] = {}
"""The arguments with defaults of the functions that take part."""


def arg_scope_func_key(func: Any) -> Any:
    """The key of `func`'s defaults in a scope that `with arg_scope(...) as scope` gave."""
    return getattr(func, "_key_op", str(func))


def add_arg_scope(func: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator for functions whose defaults `arg_scope` may set."""

    @functools.wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        defaults = current_arg_scope().get(key)
        return func(*args, **({**defaults, **kwargs} if defaults else kwargs))

    key = getattr(func, "_key_op", str(call))
    vars(call)["_key_op"] = key
    _takes[key] = tuple(
        name
        for name, each in inspect.signature(func).parameters.items()
        if each.default is not each.empty
    )
    return call


def has_arg_scope(func: Any) -> bool:
    """Whether a function was decorated with `add_arg_scope`."""
    return arg_scope_func_key(func) in _takes


def arg_scoped_arguments(func: Any) -> tuple[str, ...]:
    """The names of a function's arguments that have defaults.

    Raises:
      AssertionError: If it was not decorated.
    """
    assert has_arg_scope(func), f"{func} is not decorated with @add_arg_scope"
    return _takes[arg_scope_func_key(func)]


def current_arg_scope() -> Scope:
    """What the innermost scope sets."""
    return _scopes.stack[-1]


@contextlib.contextmanager
def arg_scope(
    list_ops_or_scope: Sequence[Any] | Mapping[Any, Any], **kwargs: Any
) -> Iterator[Scope]:
    """Sets arguments of functions for all calls within; what a call passes itself counts more.

    Args:
      list_ops_or_scope: Functions that were decorated with `add_arg_scope`, or what an earlier
        `with arg_scope(...) as scope` gave, which then is what holds.
      **kwargs: The arguments and their values.

    Raises:
      TypeError: If it is neither.
      ValueError: If a function was not decorated, or arguments come with a scope.
    """
    if isinstance(list_ops_or_scope, Mapping):
        if kwargs:
            raise ValueError(
                "When attempting to re-use a scope by suppling a dictionary, kwargs must be empty."
            )
        scope = {key: dict(defaults) for key, defaults in list_ops_or_scope.items()}
    elif isinstance(list_ops_or_scope, list | tuple):
        scope = {key: dict(defaults) for key, defaults in current_arg_scope().items()}
        for function in list_ops_or_scope:
            if not has_arg_scope(function):
                name = f"('{function.__module__}', '{function.__name__}')"
                raise ValueError(f"{name} is not decorated with @add_arg_scope")
            scope.setdefault(arg_scope_func_key(function), {}).update(kwargs)
    else:
        raise TypeError("list_ops_or_scope must either be a list/tuple or reused scope (i.e. dict)")
    _scopes.stack.append(scope)
    try:
        yield scope
    finally:
        _scopes.stack.pop()
