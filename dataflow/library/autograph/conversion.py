"""Converts Python functions, so that their `if`, `while` and `for` on tensors become operations.

The library `malt` rewrites the source; what the new source calls stands in this package.
"""

from __future__ import annotations

import functools
import inspect
import sys
import sysconfig
import unittest
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import FunctionType, MethodType, ModuleType
from typing import Any, Final

from malt.core.converter import ProgramContext
from malt.impl import api
from malt.operators import py_builtins
from malt.pyct import inspect_utils

from dataflow.library.autograph import branches, loops
from dataflow.library.autograph.builtins import OVERLOADS
from dataflow.library.autograph.features import conversion_options
from dataflow.library.autograph.marks import is_marked
from dataflow.values import logging

_OPERATORS: Final = (
    *(branches.if_stmt, branches.if_exp, branches.and_, branches.or_, branches.not_),
    *(branches.eq, branches.not_eq, branches.assert_stmt, loops.while_stmt, loops.for_stmt),
)
_AS_THEY_ARE: Final = frozenset(
    ("PIL", "absl", "dataflow", "malt", "matplotlib", "numpy", "pandas", "scipy", "tensorflow")
)
"""Packages whose functions are not converted; nor are those of Python's library."""
_STANDARD: Final = sysconfig.get_paths()["stdlib"]
_PACKAGES: Final = ("site-packages", "dist-packages")


class _Transpiler(api.PyToPy):  # type: ignore[misc]
    """Rewrites functions; the new ones see the operators of this package."""

    def __init__(self) -> None:
        super().__init__()
        self.failed: set[Any] = set()
        """The code of functions that cannot be converted."""

    @functools.cached_property
    def _seen(self) -> dict[str, ModuleType]:
        module: ModuleType = super().get_extra_locals()["ag__"]
        vars(module).update({each.__name__: each for each in _OPERATORS})
        vars(module)["converted_call"] = converted_call
        return {"ag__": module}

    def get_extra_locals(self) -> dict[str, ModuleType]:
        """What the new functions see besides what the old ones saw."""
        return self._seen


_transpiler = _Transpiler()


def converted(function: Callable[..., Any], features: Any = None) -> Callable[..., Any]:
    """A function that does what another one does, with conversion of it and of those it calls.

    Args:
      function: The function.
      features: Members of `tf.autograph.experimental.Feature`: what else is converted.
    """
    if is_marked(function):
        return function
    options = conversion_options(features)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return converted_call(function, args, kwargs, None, options)

    return call


def transformed(function: Callable[..., Any], options: Any) -> Any:
    """The rewritten function.

    Raises:
      Exception: There is no source, or something in it cannot be converted.
    """
    made, module, _ = _transpiler.transform(function, ProgramContext(options=options))
    made.ag_module = module
    return made


def converted_call(
    f: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any] | None,
    caller_fn_scope: Any = None,
    options: Any = None,
) -> Any:
    """A call in a converted function, of what is converted in its turn."""
    options = caller_fn_scope.callopts if options is None else options
    kwargs = kwargs or {}
    if isinstance(f, functools.partial):
        more = {**f.keywords, **kwargs}
        return converted_call(f.func, (*f.args, *args), more, caller_fn_scope, options)
    if inspect_utils.isbuiltin(f):
        return _call_builtin(f, tuple(args), kwargs, caller_fn_scope)
    function, first = _function_of(f)
    if function is not None and options.internal_convert_user_code:
        wanted = options.user_requested or not _stays(f, function)
        made = _converted_or_none(function, options) if wanted else None
        if made is not None:
            return made(*first, *args, **kwargs)
    return f(*args, **kwargs)


def _call_builtin(f: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], scope: Any) -> Any:
    if f is eval:
        return py_builtins.eval_in_original_context(f, args, scope)
    if f is super:
        return py_builtins.super_in_original_context(f, args, scope)
    if f is globals:
        return py_builtins.globals_in_original_context(scope)
    if f is locals:
        return py_builtins.locals_in_original_context(scope)
    return OVERLOADS.get(f, f)(*args, **kwargs)


def _function_of(f: Any) -> tuple[FunctionType | None, tuple[Any, ...]]:
    """The function that a call ends in, and the object that it is a method of; None for others."""
    if is_marked(f) or inspect.isclass(f):
        return None, ()
    first: tuple[Any, ...]
    if isinstance(f, MethodType):
        function, first = f.__func__, (f.__self__,)
    elif isinstance(f, FunctionType):
        function, first = f, ()
    else:
        function, first = inspect.getattr_static(type(f), "__call__", None), (f,)
    return (function, first) if isinstance(function, FunctionType) else (None, ())


def _stays(f: Any, function: FunctionType) -> bool:
    """Whether a function is called as it is."""
    if isinstance(getattr(f, "__self__", None), unittest.TestCase):
        return True
    code = function.__code__
    root = (function.__module__ or "").partition(".")[0]
    if root in _AS_THEY_ARE or code.co_filename.startswith("<") or is_marked(function):
        return True
    if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        return True
    path = code.co_filename
    return path.startswith((_STANDARD, _HERE)) and not any(name in path for name in _PACKAGES)


_HERE: Final = str(Path(sys.modules["dataflow"].__path__[0]))


def _converted_or_none(function: FunctionType, options: Any) -> Any:
    if function.__code__ in _transpiler.failed:
        return None
    try:
        return transformed(function, options)
    except Exception as error:
        _transpiler.failed.add(function.__code__)
        logging.warning(
            "AutoGraph could not transform %s and will run it as-is.\nCause: %s\nTo silence this "
            "warning, decorate the function with @tf.autograph.experimental.do_not_convert",
            function,
            error,
        )
        return None
