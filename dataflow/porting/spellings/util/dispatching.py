"""tensorflow.python.util.dispatch: functions of a program's own that others answer for types."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable
from typing import Any, Final, TypeVar

_F = TypeVar("_F", bound=Callable[..., Any])

DISPATCH_ATTR: Final = "_tf_dispatchers"


class OpDispatcher:
    """Answers calls of a function that it was registered for; a subclass says which, and how."""

    NOT_SUPPORTED: Final = object()
    """What is returned of a call that another one has to answer."""

    def handle(self, args: Any, kwargs: Any) -> Any:
        """The result of a call, or NOT_SUPPORTED."""
        return self.NOT_SUPPORTED

    def register(self, op: Any) -> None:
        """Has calls of `op` answered, as far as `op` itself fails.

        Raises:
          AssertionError: `op` was not decorated by `add_dispatch_support`.
        """
        if not hasattr(op, DISPATCH_ATTR):
            raise AssertionError(f"Dispatching not enabled for {op}")
        getattr(op, DISPATCH_ATTR).append(self)


class _OfTypes(OpDispatcher):
    """Answers calls with arguments of some types, also in lists and tuples."""

    def __init__(self, function: Callable[..., Any], types: tuple[type, ...]) -> None:
        self._function = function
        self._types = types

    def handle(self, args: Any, kwargs: Any) -> Any:
        for each in itertools.chain(args, kwargs.values()):
            items = (each, *each) if isinstance(each, (list, tuple)) else (each,)
            if any(isinstance(item, self._types) for item in items):
                return self._function(*args, **kwargs)
        return self.NOT_SUPPORTED


def dispatch(op: Any, *args: Any, **kwargs: Any) -> Any:
    """The first answer to a call of `op`, or `OpDispatcher.NOT_SUPPORTED`."""
    for dispatcher in getattr(op, DISPATCH_ATTR):
        result = dispatcher.handle(args, kwargs)
        if result is not OpDispatcher.NOT_SUPPORTED:
            return result
    return OpDispatcher.NOT_SUPPORTED


def dispatch_for_types(op: Any, *types: type) -> Callable[[_F], _F]:
    """A decorator: the function answers calls of `op` that have arguments of these types.

    It raises AssertionError for a function that takes other arguments than `op`.
    """

    def decorate(func: _F) -> _F:
        if inspect.getfullargspec(func) != inspect.getfullargspec(inspect.unwrap(op)):
            raise AssertionError(
                "The decorated function's signature must exactly match the signature of the "
                "overridden op."
            )
        _OfTypes(func, types).register(op)
        return func

    return decorate


def add_dispatch_list(target: _F) -> _F:
    """Lets dispatchers be registered for a function.

    Raises:
      AssertionError: That was done before.
    """
    if hasattr(target, DISPATCH_ATTR):
        raise AssertionError(f"{target} already has a dispatch list")
    setattr(target, DISPATCH_ATTR, [])
    return target


def add_dispatch_support(target: _F) -> _F:
    """A decorator: where the function raises TypeError or ValueError, dispatchers are asked."""

    @functools.wraps(target, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return target(*args, **kwargs)
        except (TypeError, ValueError):
            result = dispatch(call, *args, **kwargs)
            if result is OpDispatcher.NOT_SUPPORTED:
                raise
            return result

    return add_dispatch_list(call)  # type: ignore[return-value]
