"""tensorflow.python.util.tf_decorator: wrappers that tell what they wrap."""

from __future__ import annotations

import inspect
import sys
from typing import Any


class TFDecorator:
    """A function or class behind a decorator, which is called in its place.

    Attributes:
      decorated_target: The function or class.
      decorator_name: Name of the decorator.
      decorator_doc: What the decorator says of the target; "" for what the target says.
      decorator_argspec: What may be passed, if that is not what the target takes.
    """

    def __init__(
        self,
        decorator_name: str,
        target: Any,
        decorator_doc: str = "",
        decorator_argspec: Any = None,
    ) -> None:
        """Keeps what describes the decorator."""
        self.decorated_target = target
        self.decorator_name = decorator_name
        self.decorator_doc = decorator_doc
        self.decorator_argspec = decorator_argspec
        for name in ("__name__", "__qualname__"):
            if hasattr(target, name):
                setattr(self, name, getattr(target, name))
        self.__doc__ = decorator_doc or getattr(target, "__doc__", None) or ""
        _describe(self, target, decorator_argspec)

    def __get__(self, instance: Any, owner: type) -> Any:
        return self.decorated_target.__get__(instance, owner)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.decorated_target(*args, **kwargs)


def make_decorator(
    target: Any,
    decorator_func: Any,
    decorator_name: str | None = None,
    decorator_doc: str = "",
    decorator_argspec: Any = None,
) -> Any:
    """Makes a wrapper look like what it wraps, and tell that it wraps it.

    Args:
      target: What is wrapped.
      decorator_func: The wrapper.
      decorator_name: Name of the decorator; None for that of the function that calls this.
      decorator_doc: What the wrapper says of itself; "" for what the target says.
      decorator_argspec: What may be passed, if that is not what the target takes.

    Returns:
      The wrapper.
    """
    if decorator_name is None:
        decorator_name = sys._getframe(1).f_code.co_name
    decorator = TFDecorator(decorator_name, target, decorator_doc, decorator_argspec)
    decorator_func._tf_decorator = decorator
    for name in ("__name__", "__qualname__", "__module__"):
        if hasattr(target, name):
            setattr(decorator_func, name, getattr(target, name))
    for name, value in getattr(target, "__dict__", {}).items():
        decorator_func.__dict__.setdefault(name, value)
    decorator_func.__doc__ = decorator.__doc__
    decorator_func.__wrapped__ = decorator_func.__original_wrapped__ = target
    _describe(decorator_func, target, decorator_argspec)
    return decorator_func


def unwrap(maybe_tf_decorator: Any) -> tuple[list[TFDecorator], Any]:
    """The decorators of a function, the outermost first, and what is behind all of them."""
    decorators: list[TFDecorator] = []
    found = maybe_tf_decorator
    while True:
        decorator = _decorator_of(found)
        if decorator is None:
            return decorators, found
        decorators.append(decorator)
        found = decorator.decorated_target


def rewrap(decorator_func: Any, previous_target: Any, new_target: Any) -> Any:
    """Puts another function behind decorators, which have to call their `__wrapped__`.

    Args:
      decorator_func: The outermost wrapper.
      previous_target: What is behind one of its decorators.
      new_target: What takes its place.

    Returns:
      The wrapper, or the new function if there is none.
    """
    wrapper, last = decorator_func, None
    while (decorator := _decorator_of(wrapper)) is not None:
        last = wrapper, decorator
        if decorator.decorated_target is previous_target:
            break
        wrapper = decorator.decorated_target
    if last is None:
        assert decorator_func is previous_target, "There is no decorator."
        return new_target
    wrapper, decorator = last
    decorator.decorated_target = new_target
    getattr(wrapper, "__func__", wrapper).__wrapped__ = new_target
    return decorator_func


def _has_tf_decorator_attr(obj: Any) -> bool:
    """Whether something tells of a decorator."""
    return isinstance(getattr(obj, "_tf_decorator", None), TFDecorator)


def _decorator_of(found: Any) -> TFDecorator | None:
    decorator = found if isinstance(found, TFDecorator) else getattr(found, "_tf_decorator", None)
    return decorator if isinstance(decorator, TFDecorator) else None


def _describe(wrapper: Any, target: Any, argspec: Any) -> None:
    """Gives a wrapper a signature."""
    if argspec is not None:
        wrapper.__signature__ = _signature(argspec)
        return
    try:
        wrapper.__signature__ = inspect.signature(target)
    except (TypeError, ValueError):
        """Not everything that Python did not compile has one."""


def _signature(spec: Any) -> inspect.Signature:
    """What an ArgSpec or FullArgSpec says of arguments."""
    kinds, none = inspect.Parameter, inspect.Parameter.empty
    defaults = spec.defaults or ()
    padded = [none] * (len(spec.args) - len(defaults)) + list(defaults)
    found = [
        kinds(name, kinds.POSITIONAL_OR_KEYWORD, default=default)
        for name, default in zip(spec.args, padded, strict=True)
    ]
    if spec.varargs:
        found.append(kinds(spec.varargs, kinds.VAR_POSITIONAL))
    named = getattr(spec, "kwonlydefaults", None) or {}
    for name in getattr(spec, "kwonlyargs", ()):
        found.append(kinds(name, kinds.KEYWORD_ONLY, default=named.get(name, none)))
    rest = getattr(spec, "varkw", None) or getattr(spec, "keywords", None)
    if rest:
        found.append(kinds(rest, kinds.VAR_KEYWORD))
    return inspect.Signature(found)
