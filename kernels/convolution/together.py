"""Convolutions of all images in one call of OpenMP's threads, where that is the faster way.

It depends on the shape and the processor whether several threads in one call or calls for parts of
the images, on whichever threads are idle, take less time: both are tried. The first way is taken
only if it has the same bits as the second one, which is there whoever else wants the threads.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from time import perf_counter
from typing import Any, Final

import numpy as np

from dataflow.kernels.convolution.calls import Calls
from dataflow.kernels.convolution.kept import Kept
from dataflow.kernels.convolution.plans import RESIDUAL, Geometry, plan
from dataflow.kernels.memory import aligned
from dataflow.kernels.onednn import trial
from dataflow.kernels.onednn.addresses import address_of
from dataflow.kernels.onednn.library import CONVOLVE, FLOAT32, Library
from dataflow.kernels.threads.contest import Contest
from dataflow.kernels.threads.parallel import Helpers, current

_TRIED: Final = 1 << 25
"""Numbers in images and results up to which their bits are compared: once, and beside the step's
own."""


class Together:
    """All images of a convolution, or of its gradient, on so many threads."""

    def __init__(
        self,
        library: Library,
        function: str,
        geometry: Geometry,
        images: int,
        threads: int,
        apart: Calls,
    ) -> None:
        """Does nothing yet.

        Args:
          library: The library.
          function: CONVOLVE or CONVOLVE_INPUT.
          geometry: The shapes.
          images: How many there are.
          threads: How many do them.
          apart: Does them in parts.
        """
        self._library = library
        self._plan = plan(function, geometry, images, threads)
        self._geometry = geometry
        self._threads = threads
        self._apart = apart
        ends = (geometry.source, geometry.result)
        read, written = ends if function == CONVOLVE else ends[::-1]
        self._read, self._written = (images, *read), (images, *written)
        self._agrees: bool | None = None
        """Whether it has the bits of the other way, once that was tried."""
        self._contest = Contest(True, False, 1.0)
        self._is_better: bool | None = None
        """Whether it is the faster way, once that is known."""
        size = math.prod(self._read) + math.prod(self._written)
        if self._plan is None or threads < 2 or size > _TRIED:
            self._is_better = False

    def run(
        self,
        arrays: Sequence[Any],
        result: Any,
        added: Any = None,
        kept: Kept | None = None,
    ) -> None:
        """Computes results in the way that is better, or whose turn it is.

        Args:
          arrays: Images, filters, and a bias if there is one; elements of each lie side by side.
          result: Where the results go.
          added: What is added to them, if `geometry` says so.
          kept: Has the filters in other layouts, or will.
        """
        helpers = current.helpers
        wanted = self._contest.next if self._is_better is None else self._is_better
        start = perf_counter()
        together = (
            wanted
            and helpers is not None
            and (self._agrees or self._agree(helpers))
            and self._call(helpers, arrays, result, added, kept)
        )
        if not together:
            self._apart.run(arrays, result, None, added, kept)
        if self._is_better is None and together == wanted:
            self._is_better = self._contest.note(together, perf_counter() - start)

    def _agree(self, helpers: Helpers) -> bool:
        """Whether it has the bits of the other way; False as long as that cannot be tried."""
        if self._agrees is None:
            self._agrees = self._try(helpers)
        return bool(self._agrees)

    def _call(
        self,
        helpers: Helpers,
        arrays: Sequence[Any],
        result: Any,
        added: Any = None,
        kept: Kept | None = None,
    ) -> bool:
        """False if it was not done, since the threads were not to be had."""
        library, chosen = self._library, self._plan
        assert chosen is not None
        images, filters, *more = arrays
        own = None if kept is None else kept.find(chosen, filters)
        if own is None:
            own = chosen.converted(filters, "oneDNN filters together")
        touched = (images, result, own, *more, *(() if added is None else (added,)))
        addresses = [address_of(array) for array in touched]
        is_done = False

        def call() -> None:
            nonlocal is_done
            # Fewer threads than it was made for would leave something undone.
            if library.threads() == self._threads:
                chosen.primitive.run_together(*addresses)
                is_done = True

        return library.team.run(helpers, self, call) and is_done

    def _try(self, helpers: Helpers) -> bool | None:
        """Compares the bits; None if the threads were not to be had."""
        geometry = self._geometry
        # Making the numbers takes time, where the threads may not be to be had for long.
        if not self._library.team.run(helpers, "to be had", lambda: None):
            return None
        arrays = (
            trial.numbers(*self._read),
            trial.numbers(*geometry.filters, backwards=True),
            *([trial.numbers(geometry.width)] if geometry.with_bias else []),
        )
        results = [aligned.empty(self._written, FLOAT32) for _ in range(2)]
        added = trial.numbers(*self._written) if RESIDUAL in geometry.after else None
        if not self._call(helpers, arrays, results[0], added):
            return None
        self._apart.run(arrays, results[1], None, added)
        return bool(np.array_equal(*results))
