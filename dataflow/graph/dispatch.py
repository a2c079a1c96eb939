"""Functions of tensors that take other values, too: those of several tensors bring their own ways.

What such a function does with a `SparseTensor`, a `RaggedTensor` or a `LinearOperator` is known by
the value's class: the function itself only says, by one of these decorators, that it may be asked.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar, cast

from dataflow.graph.tracebacks import shorten
from dataflow.values.composite_tensor import TakesFunctions

_Function = TypeVar("_Function", bound=Callable[..., Any])

UNARY: Final = "unary"
"""Changes the elements of its first argument one by one."""
UNARY_OF_SPARSE: Final = "unary of sparse"
"""Does so, and keeps the zeros of a sparse one."""
BINARY: Final = "binary"
"""Makes elements of those of its first two arguments, which are broadcast."""
OTHER: Final = "other"


def _decorator(kind: str) -> Callable[[_Function], _Function]:
    def decorate(function: _Function) -> _Function:
        @functools.wraps(function)
        def apply(*args: Any, **options: Any) -> Any:
            try:
                for owner in _owners(args, options):
                    made = owner._apply_function(apply, kind, args, options)
                    if made is not NotImplemented:
                        return made
                return function(*args, **options)
            except Exception as error:
                shorten(error)
                raise

        return cast(_Function, apply)

    return decorate


unary = _decorator(UNARY)
unary_of_sparse = _decorator(UNARY_OF_SPARSE)
binary = _decorator(BINARY)
dispatched = _decorator(OTHER)


def _owners(args: Sequence[Any], options: Mapping[str, Any]) -> list[type[TakesFunctions]]:
    """The classes of several tensors that are among the arguments, or in lists there."""
    found: list[type[TakesFunctions]] = []
    _find(args, found)
    if options:
        _find(options.values(), found)
    return found


def _find(values: Iterable[Any], found: list[type[TakesFunctions]]) -> None:
    for value in values:
        if isinstance(value, TakesFunctions):
            if type(value) not in found:
                found.append(type(value))
        elif isinstance(value, (list, tuple)):
            for item in value:
                if isinstance(item, TakesFunctions) and type(item) not in found:
                    found.append(type(item))


def undecorated(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that a decorator of this module was put on."""
    return cast(Callable[..., Any], getattr(function, "__wrapped__", function))
