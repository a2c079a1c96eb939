"""Functions of two arrays whose result is 0 wherever the second one is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.elementwise.selection import clear
from dataflow.kernels.narrow.functions import is_numpy


def unless_zero(xp: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, `f(x, y, out=None)`, with 0 for its results where `y` is 0.

    Args:
      xp: The array library.
      function: One of its functions; broadcasts, and takes `out=`.
    """

    def run(x: Any, y: Any, out: Any = None) -> Any:
        result = function(x, y, out=out)
        is_zero = y == 0
        if not is_numpy(xp) or not result.ndim:
            return xp.where(is_zero, result.dtype.type(0), result)[()]
        clear(is_zero, result)
        return result

    return run
