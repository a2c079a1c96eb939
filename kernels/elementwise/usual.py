"""Functions in machine code that hold for usual operands; others are computed elsewhere."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.elementwise.quick import QuickFunction

_LEAST: Final = 1 << 14
"""Elements from which on it is made: scipy takes as long for a few hundred thousand."""


def quick_where_usual(
    name: str, is_usual: Callable[..., Any], otherwise: Callable[..., Any]
) -> Callable[..., Any]:
    """The function of a kernel, `f(*arrays, out=None)`.

    Args:
      name: That of a formula of two operands.
      is_usual: Where it holds, of arrays of one shape.
      otherwise: The same function for few elements and unusual ones.
    """
    quick = QuickFunction(name, otherwise, 2)

    def run(*given: Any, out: Any = None) -> Any:
        shape = np.broadcast_shapes(*[one.shape for one in given])
        if math.prod(shape) < _LEAST:
            return otherwise(*given, out=out)
        arrays = [np.ascontiguousarray(np.broadcast_to(one, shape)) for one in given]
        made = quick(*arrays, out=out)
        odd = ~is_usual(*arrays)
        if odd.any():
            made[odd] = otherwise(*[one[odd] for one in arrays])
        return made

    return run


def is_usual_zeta(x: Any, q: Any) -> Any:
    """Whether the sum has an end, and terms without signs."""
    return (x > 1) & (x < np.inf) & (q > 0) & (q < np.inf)


def is_usual_polygamma(n: Any, x: Any) -> Any:
    """Whether it is a slope of digamma's, to the right of the poles."""
    return (n >= 1) & (n < np.inf) & (n == np.floor(n)) & (x > 0) & (x < np.inf)
