"""The callable of a kernel of matrix products, of which parts can be asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from dataflow.kernels.products.epilogue import Finished, Finishing

_WORTH: Final = 50e-6
"""Seconds of a product that finishes its results."""


class MatrixProduct(Finishing):
    """The product of two matrices."""

    __slots__ = ("axes",)

    def __init__(self, run: Callable[..., Any], finished: Finished, axes: tuple[int, int]) -> None:
        """Takes what a `Finishing` does, and the axis of each matrix that is added up along."""
        super().__init__(run, finished, _WORTH)
        self.axes: Final = axes
