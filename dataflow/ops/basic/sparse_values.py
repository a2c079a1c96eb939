"""Functions of a tensor that take a sparse one, too: they change the elements that are there."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

from dataflow.graph.sparse_tensor import SparseTensor

_Function = TypeVar("_Function", bound=Callable[..., Any])


def on_values(function: _Function) -> _Function:
    """The function; of a sparse first argument it gives one with other elements.

    As in TensorFlow the function itself is tried first, which takes the name of its operation.
    """

    @functools.wraps(function)
    def apply(*args: Any, **options: Any) -> Any:
        try:
            return function(*args, **options)
        except (TypeError, ValueError):
            x = args[0] if args else options.pop("x", None)
            if not isinstance(x, SparseTensor):
                raise
        values = function(x.values, *args[1:], **options)
        return SparseTensor(x.indices, values, x.dense_shape)

    return cast(_Function, apply)
