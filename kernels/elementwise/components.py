"""What composed elementwise kernels do, as rows of numpy's functions.

Who runs nodes block by block runs these in place of the kernel, some together with what comes
before and after them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from dataflow.values import dtypes
from dataflow.values.dtypes import DType

_TYPES: Final = frozenset({dtypes.float32, dtypes.float64})


class Component(NamedTuple):
    """One function of what there is so far."""

    function: np.ufunc
    operands: tuple[int | float, ...]
    """Whole numbers are places: of the inputs, and after these of the results of those before it.
    Others are operands themselves."""


def composed(
    function: Callable[..., Any], dtype: DType, *components: Component
) -> Callable[..., Any]:
    """The function of a kernel, for which components may be done.

    Args:
      function: Takes the inputs.
      dtype: Element type of inputs and output. Components are of no use for those that are widened.
      *components: Give the same result, or a better one; the last one is that of the function.
    """
    if dtype.base_dtype in _TYPES:
        function.components = components  # type: ignore[attr-defined]
    return function


def components_of(function: Callable[..., Any]) -> tuple[Component, ...]:
    """The components of the function of a kernel; none if it has none."""
    found: tuple[Component, ...] = getattr(function, "components", ())
    return found
