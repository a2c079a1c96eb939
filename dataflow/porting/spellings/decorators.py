"""tensorflow.python.util: decorators, and what they hide."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import CodeType
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
    return _warns(f"will be removed {_when(date)}.", instructions, warn_once, _always)


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
    fine: dict[str, Any] = dict(
        name if isinstance(name, tuple) else (name, inspect.Parameter.empty) for name in names
    )

    def passes(given: inspect.BoundArguments) -> list[str]:
        passed = given.arguments
        return [name for name in fine if name in passed and passed[name] is not fine[name]]

    what = f"has arguments that go {_when(date)}."
    return _warns(what, instructions, warn_once, passes if fine else _always)


def deprecated_arg_values(
    date: str | None, instructions: str, warn_once: bool = True, **deprecated_kwargs: Any
) -> Callable[[_F], _F]:
    """As `deprecated`, of calls in which some arguments have some values, be it by default.

    Args:
      date: When the values go, or None if that is open.
      instructions: What to pass instead.
      warn_once: Whether the first call alone is told of.
      **deprecated_kwargs: The values.

    Raises:
      ValueError: There are none.
    """
    if not deprecated_kwargs:
        raise ValueError("Specify which argument values are deprecated.")

    def passes(given: inspect.BoundArguments) -> list[str]:
        given.apply_defaults()
        passed, old = given.arguments, deprecated_kwargs
        return [name for name in old if name in passed and passed[name] == old[name]]

    what = f"has values of arguments that go {_when(date)}: {deprecated_kwargs}."
    return _warns(what, instructions, warn_once, passes)


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
    what = f"has the old name {deprecated_name}."
    tells = _warns(what, f"Use {name}.", warn_once, _always)
    if not isinstance(func_or_class, type):
        return tells(func_or_class)
    first = inspect.getattr_static(func_or_class, "__init__")
    made = {"__init__": tells(first), "__doc__": func_or_class.__doc__}
    return type(func_or_class)(func_or_class.__name__, (func_or_class,), made)


def deprecated_endpoints(*args: str) -> Callable[[_F], _F]:
    """A decorator that tells of public names that go; here it leaves the function as it is."""
    return lambda function: function


def _when(date: str | None) -> str:
    return f"after {date}" if date else "in a future version"


def _always(given: inspect.BoundArguments) -> list[str]:
    """Concerns all calls, whatever they pass."""
    return [""]


def _warns(
    what: str,
    instructions: str,
    once: bool,
    concerns: Callable[[inspect.BoundArguments], list[str]],
) -> Callable[[_F], _F]:
    """Decorates a function that warns of calls, of each argument that concerns for itself."""

    def decorate(function: _F) -> _F:
        told: set[str] = set()
        signature = inspect.signature(function)

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            names = {*_concerned(signature, concerns, args, kwargs)}
            if not names <= told:
                told.update(names if once else ())
                if _PRINT_DEPRECATION_WARNINGS:
                    name = f"{function.__module__}.{function.__qualname__}"
                    warning("%s %s %s", name, what, instructions)
            return function(*args, **kwargs)

        return call  # type: ignore[return-value]

    return decorate


def _concerned(
    signature: inspect.Signature,
    concerns: Callable[[inspect.BoundArguments], list[str]],
    args: Any,
    kwargs: dict[str, Any],
) -> list[str]:
    try:
        given = signature.bind(*args, **kwargs)
    except TypeError:
        return []
    return concerns(given)


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


class tf_export:
    """A decorator that gives a function or class public names; here it leaves it as it is."""

    def __init__(self, *names: str, **more: Any) -> None:
        """Takes the names."""

    def __call__(self, func: _F) -> _F:
        return func

    def export_constant(self, module_name: str, name: str) -> None:
        """Nothing: a constant stays in its module."""


keras_export = estimator_export = api_export = tf_export


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
        raise TypeError(
            f"Argument `fn` should be a callable. Received: fn={fn} (of type {type(fn)})"
        )
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
    _, found = unwrap(func)
    if not callable(found):
        raise ValueError(
            f"Argument `func` must be a callable. Received func={func} (of type {type(func)})"
        )
    return found


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
