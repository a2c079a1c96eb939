"""tensorflow.python.util: decorators, and what they hide."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any, TypeVar

from dataflow.porting.spellings.util.inspection import getargspec
from dataflow.porting.spellings.util.wrappers import unwrap
from dataflow.proto.config_pb2 import ConfigProto

_F = TypeVar("_F", bound=Callable[..., Any])


def kwarg_only(f: _F) -> _F:
    """A decorator: arguments are given by their names, or TypeError is raised."""

    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        if args:
            raise TypeError(
                f"{f.__name__} only takes keyword args (possible keys: {getargspec(f).args}). "
                "Please pass these args as kwargs instead."
            )
        return f(**kwargs)

    return call  # type: ignore[return-value]


def has_kwargs(fn: Any) -> bool:
    """Whether a function takes any named argument.

    Raises:
      TypeError: It is no function.
    """
    if not callable(fn):
        raise TypeError(f"fn should be a function-like object, but is of type {type(fn)}.")
    asked = fn.func if isinstance(fn, functools.partial) else fn
    return any(
        each.kind is each.VAR_KEYWORD for each in inspect.signature(asked).parameters.values()
    )


def get_func_name(func: Any) -> str:
    """The name of a function; of a method with that of the object's class before it.

    Raises:
      ValueError: It cannot be called.
    """
    named = _below(func)
    if inspect.isfunction(named):
        return named.__name__
    if inspect.ismethod(named):
        return f"{type(named.__self__).__name__}.{named.__func__.__name__}"
    return str(type(named))


def get_func_code(func: Any) -> CodeType | None:
    """The code of a function, or of an object's `__call__`; None of what Python did not compile.

    Raises:
      ValueError: It cannot be called.
    """
    named = _below(func)
    asked = named if inspect.isroutine(named) else named.__call__
    code = getattr(getattr(asked, "__func__", asked), "__code__", None)
    return code if isinstance(code, CodeType) else None


def _below(func: Any) -> Any:
    """What is below decorators."""
    found = inspect.unwrap(unwrap(func)[1])
    if not callable(found):
        raise ValueError("Argument must be callable")
    return found


def get_disabled_rewriter_config() -> bytes:
    """The options, as bytes, for a graph's nodes to run as they are."""
    config = ConfigProto()
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    return config.SerializeToString()


def fn_args(fn: Any) -> tuple[str, ...]:
    """The names of a function's arguments, without the object it is bound to or `partial`'s."""
    return tuple(
        name
        for name, each in inspect.signature(fn).parameters.items()
        if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
        and not (isinstance(fn, functools.partial) and name in fn.keywords)
    )


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


def get_qualified_name(function: Any) -> str:
    """The name of a function or method, with that of its class where it has one."""
    if hasattr(function, "__self__"):
        return f"{type(function.__self__).__name__}.{function.__name__}"
    return str(getattr(function, "__qualname__", function.__name__))


def validate_callable(func: Any, decorator_name: str) -> None:
    """Checks what a decorator is given.

    Raises:
      ValueError: It cannot be called.
    """
    if not callable(func):
        raise ValueError(
            f"{func} is not a function. If this is a property, make sure @property appears "
            f"before @{decorator_name} in your source code:\n\n@property\n@{decorator_name}\n"
            "def method(...)"
        )


def _normalize_docstring(docstring: str | None) -> str:
    """A docstring without the indentation that its lines behind the first share."""
    return inspect.cleandoc(docstring) if docstring else ""


def add_notice_to_docstring(
    doc: str | None,
    instructions: str,
    no_doc_str: str,
    suffix_str: str,
    notice: Sequence[str],
    notice_type: str = "Warning",
) -> str:
    """A docstring with a notice behind its first line.

    Args:
      doc: The docstring, or None.
      instructions: Stand behind the notice, unless empty.
      no_doc_str: The first line where there is none.
      suffix_str: Ends the first line where there is one.
      notice: The lines of the notice.
      notice_type: Begins the notice.

    Raises:
      ValueError: There is no notice.
    """
    lines = _normalize_docstring(doc).splitlines() if doc else [no_doc_str]
    if doc:
        lines[0] += f" {suffix_str}"
    if not notice:
        raise ValueError("The `notice` arg must not be empty.")
    added = ["", f"{notice_type}: {notice[0]}", *notice[1:], *filter(None, [instructions])]
    if len(lines) > 1 and lines[1].strip():
        added.append("")
    return "\n".join([lines[0], *added, *lines[1:]])


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
