"""Kernels that can add a bias to their results, and change them, while these are in the cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from dataflow.kernels.reductions.channels import as_long_rows, repeated

_FEW_ROWS: Final = 512
"""Rows up to which starting each of them takes less time than making long ones."""

Finish = Callable[[Any], None]
"""Changes a part of the results in place."""
Finished = Callable[..., Any]
"""`f(inputs, bias, finish)`: the results with the bias added along the last axis and `finish`
called on each part, or None if these inputs are none that the kernel can do so with."""


class Rectifier:
    """A `Finish` that sets what is negative to 0, which a library may do with the results."""

    __slots__ = ("_run",)

    def __init__(self, run: Finish) -> None:
        """Takes a function that does it."""
        self._run = run

    def __call__(self, part: Any) -> None:
        """Changes a part of the results."""
        self._run(part)


class Finishing:
    """A kernel's callable that can also finish its results."""

    __slots__ = ("_finished", "_run", "least")

    def __init__(self, run: Callable[..., Any], finished: Finished, least: float = 0.0) -> None:
        """Makes one of two functions.

        Args:
          run: Computes the results alone.
          finished: Computes and finishes them.
          least: Seconds that the results must take for `finished` to pay.
        """
        self._run = run
        self._finished = finished
        self.least = least

    def __call__(self, *inputs: Any) -> Any:
        """Computes the results alone."""
        return self._run(*inputs)

    def finished(self, inputs: Sequence[Any], bias: Any, finish: Finish | None) -> Any:
        """Computes results to which a vector is added and on which a function is called.

        Args:
          inputs: What the kernel takes.
          bias: What is to be added to each row along the last axis.
          finish: What then changes the results in place, part by part, on any thread; None for
            nothing.

        Returns:
          The results, or None if inputs or bias are none that the kernel can finish results of.

        Raises:
          OpError: What the kernel raises.
        """
        return self._finished(inputs, bias, finish)


def finisher(xp: Any, bias: Any, finish: Finish | None) -> Finish:
    """What adds a bias to a part of the results, some or all of their columns, and finishes it.

    Args:
      xp: The array library.
      bias: What to add along the last axis.
      finish: What is called then, or None.
    """

    def run(part: Any) -> None:
        if part.size > _FEW_ROWS * part.shape[-1] and part.flags.c_contiguous:
            rows = as_long_rows(part)
            rows += repeated(bias, rows)
        else:
            part += bias
        if finish is not None:
            finish(part)

    return run
