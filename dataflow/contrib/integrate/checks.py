"""What solvers of differential equations ask of their arguments."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from dataflow.control_flow.assertion import Assert
from dataflow.graph import scopes
from dataflow.ops.reductions.reduce import reduce_all


def check_types(y0: Any, **times: Any) -> None:
    """Does nothing for floats, of which the state may be complex.

    Raises:
      TypeError: Something is of another type.
    """
    if not (y0.dtype.is_floating or y0.dtype.is_complex):
        raise TypeError("`y0` must have a floating point or complex floating point dtype")
    for name, value in times.items():
        if not value.dtype.is_floating:
            raise TypeError(f"`{name}` must have a floating point dtype")


def increasing(t: Any) -> AbstractContextManager[None]:
    """What is made inside fails with InvalidArgumentError unless times increase."""
    text = "`t` must be monotonic increasing"
    return scopes.control_dependencies([Assert(reduce_all(t[1:] > t[:-1]), [text])])
