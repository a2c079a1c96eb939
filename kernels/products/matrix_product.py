"""The callable of a kernel of matrix products, of which parts can be asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final


class MatrixProduct:
    """The product of two matrices."""

    __slots__ = ("_run", "axes")

    def __init__(self, run: Callable[..., Any], axes: tuple[int, int]) -> None:
        """Takes what computes it, and the axis of each matrix that is added up along."""
        self._run = run
        self.axes: Final = axes

    def __call__(self, *inputs: Any) -> Any:
        """Computes the product."""
        return self._run(*inputs)
