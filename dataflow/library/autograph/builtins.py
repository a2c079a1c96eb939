"""What converted functions call for functions of Python's that take tensors."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.library.autograph.state import is_tensor
from dataflow.library.py_func import py_func
from dataflow.ops.array.shape import shape
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.range import range as range_of
from dataflow.values import dtypes


def len_(s: Any) -> Any:
    """`len`; the first size of a tensor, which is a number if it is known."""
    if not isinstance(s, Tensor):
        return len(s)
    if s.shape.rank == 0:
        raise ValueError("len requires a non-scalar tensor, got one of shape ()")
    known = s.shape.dims[0].value if s.shape.dims else None
    return shape(s)[0] if known is None else known


def range_(*limits: Any) -> Any:
    """`range`; a tensor of numbers if a limit is a tensor."""
    if not any(map(is_tensor, limits)):
        return range(*limits)
    return range_of(*limits)


def print_(*objects: Any, **kwargs: Any) -> Any:
    """`print`; with a tensor among what is printed, an operation that prints."""
    if not any(map(is_tensor, objects)):
        return print(*objects, **kwargs)
    tensors = [convert_to_tensor(each) for each in objects if is_tensor(each)]

    def shown(*values: Any) -> Any:
        remaining = iter(values)
        print(*(next(remaining) if is_tensor(each) else each for each in objects), **kwargs)
        return np.int32(0)

    return py_func(shown, tensors, dtypes.int32)


def int_(x: Any = 0, *base: Any) -> Any:
    """`int`; a tensor as int32."""
    return cast(x, dtypes.int32) if is_tensor(x) else int(x, *base)


def float_(x: Any = 0) -> Any:
    """`float`; a tensor as float32."""
    return cast(x, dtypes.float32) if is_tensor(x) else float(x)


OVERLOADS: Final[dict[Callable[..., Any], Callable[..., Any]]] = {
    builtins.len: len_,
    builtins.range: range_,
    builtins.print: print_,
    builtins.int: int_,
    builtins.float: float_,
}
"""Function of Python's -> what is called in its place."""
