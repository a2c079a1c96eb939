"""Maximum pooling and its gradient as a pair: the one can tell the other where the maxima were."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from dataflow.kernels.pooling.geometry import PoolGeometry

Tell = Callable[[Any], tuple[Any, Any]]
"""`f(x)`: the maxima, and an array that says where they were; empty if nothing is known."""

At = Callable[[Any, Any, Any, Any], Any]
"""`f(x, y, grad, places)`: the gradient of x; places are what a `Tell` gave with y, or None."""


class TellingPool:
    """A kernel's callable that computes maxima and can tell where they were."""

    __slots__ = ("_run", "geometry", "tell")

    def __init__(self, run: Callable[..., Any], tell: Tell, geometry: PoolGeometry) -> None:
        """Makes one of two functions.

        Args:
          run: Computes the maxima alone.
          tell: Tells the places too.
          geometry: The window.
        """
        self._run = run
        self.tell: Final = tell
        self.geometry: Final = geometry

    def __call__(self, x: Any) -> Any:
        """The maxima."""
        return self._run(x)


class ToldGradient:
    """A kernel's callable for the gradient of the maxima, which can be told where they were."""

    __slots__ = ("at", "geometry")

    def __init__(self, at: At, geometry: PoolGeometry) -> None:
        """Makes two functions of one.

        Args:
          at: The gradient.
          geometry: The window.
        """
        self.at: Final = at
        self.geometry: Final = geometry

    def __call__(self, x: Any, y: Any, grad: Any) -> Any:
        """The gradient of x."""
        return self.at(x, y, grad, None)
