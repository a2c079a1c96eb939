"""tensorflow.python.util.tf_inspect: what Python's inspect tells, of what is behind decorators."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, NamedTuple

from dataflow.porting.spellings.util.wrappers import unwrap

FullArgSpec = inspect.FullArgSpec
_MISSING = object()


class ArgSpec(NamedTuple):
    """The arguments of a function, as Python described them before 3.11."""

    args: list[str]
    varargs: str | None
    keywords: str | None
    defaults: tuple[Any, ...] | None


def getargspec(obj: Any) -> ArgSpec:
    """What a function takes, as Python told it before 3.11; of `partial` what is left to pass.

    Raises:
      ValueError: An argument without a default comes behind one that `partial` gives.
    """
    if isinstance(obj, functools.partial):
        return _left_to_pass(obj)
    given = _given_by_decorator(obj)
    if given is not None:
        return ArgSpec(*given[:4])
    return ArgSpec(*getfullargspec(obj)[:4])


def getfullargspec(obj: Any) -> inspect.FullArgSpec:
    """What a function takes, behind its decorators; no annotations, for TensorFlow's have none."""
    given = _given_by_decorator(obj)
    if given is not None:
        full = given if len(given) > 4 else (*given, [], None, {})
        return inspect.FullArgSpec(*full)
    behind = unwrap(obj)[1]
    behind = inspect.unwrap(behind, stop=lambda function: hasattr(function, "__signature__"))
    return inspect.getfullargspec(behind)._replace(annotations={})


def getcallargs(*func_and_positional: Any, **named: Any) -> dict[str, Any]:
    """The value of each argument that a call gives, or its default.

    Args:
      *func_and_positional: The function, and what is passed by place.
      **named: What is passed by name.
    """
    func, positional = func_and_positional[0], func_and_positional[1:]
    spec = getfullargspec(func)
    found = named.copy()
    owner = getattr(func, "__self__", None) or getattr(func, "im_self", None)
    if owner is not None and spec.args:
        positional = (owner, *positional)
    found.update(zip(spec.args, positional, strict=False))
    defaults = spec.defaults or ()
    for name, default in zip(spec.args[len(spec.args) - len(defaults) :], defaults, strict=True):
        found.setdefault(name, default)
    return (spec.kwonlydefaults or {}) | found


def currentframe() -> FrameType:
    """The frame of the caller."""
    return sys._getframe(1)


def stack(context: int = 1) -> list[inspect.FrameInfo]:
    """The frames above this one, with `context` lines of each."""
    return inspect.stack(context)[1:]


def isanytargetmethod(obj: Any) -> bool:
    """Whether a function, or one that one of its decorators stands before, is a method."""
    decorators, behind = unwrap(obj)
    return any(map(inspect.ismethod, [*(each.decorated_target for each in decorators), behind]))


def _behind(asked: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function of `inspect`, asked of what is behind decorators."""

    @functools.wraps(asked)
    def ask(object: Any) -> Any:
        return asked(unwrap(object)[1])

    return ask


getfile = _behind(inspect.getfile)
getsource = _behind(inspect.getsource)
getsourcefile = _behind(inspect.getsourcefile)
getsourcelines = _behind(inspect.getsourcelines)
isbuiltin = _behind(inspect.isbuiltin)
isclass = _behind(inspect.isclass)
isfunction = _behind(inspect.isfunction)
isframe = _behind(inspect.isframe)
isgenerator = _behind(inspect.isgenerator)
isgeneratorfunction = _behind(inspect.isgeneratorfunction)
ismethod = _behind(inspect.ismethod)
ismodule = _behind(inspect.ismodule)
isroutine = _behind(inspect.isroutine)


def _given_by_decorator(obj: Any) -> Any:
    """What the outermost decorator that says so lets pass; None if none does."""
    specs = (decorator.decorator_argspec for decorator in unwrap(obj)[0])
    return next((spec for spec in specs if spec is not None), None)


def _left_to_pass(partial: functools.partial[Any]) -> ArgSpec:
    spec = getargspec(partial.func)
    defaults = spec.defaults or ()
    values = [_MISSING] * (len(spec.args) - len(defaults)) + list(defaults)
    for name, value in (partial.keywords or {}).items():
        if name in spec.args:
            values[spec.args.index(name)] = value
    args, values = spec.args[len(partial.args) :], values[len(partial.args) :]
    first = next((i for i, value in enumerate(values) if value is not _MISSING), len(values))
    lacking = [args[i] for i in range(first, len(args)) if values[i] is _MISSING]
    if lacking:
        raise ValueError(
            f"Some arguments {lacking} do not have default value, but they are positioned after "
            "those with default values. This can not be expressed with ArgSpec."
        )
    return ArgSpec(args, spec.varargs, spec.keywords, tuple(values[first:]) or None)
