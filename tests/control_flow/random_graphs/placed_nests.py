"""Random nests of conditionals and loops whose nodes are on random devices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import cycle
from typing import Any

from hypothesis import strategies as st

from tests.control_flow.random_graphs import nests

NUM_DEVICES = 4
PLACES: st.SearchStrategy[list[int]] = st.lists(
    st.integers(-1, NUM_DEVICES - 1), min_size=1, max_size=12
)
"""Device numbers to be taken in turn; -1 asks for no device."""


class PlacedGraph(nests.Graph):
    """Makes the graph of a program, asking for another device at each step of it."""

    def __init__(self, tf: Any, places: Sequence[int], devices: Sequence[str]) -> None:
        super().__init__(tf)
        self._places: Iterator[int] = cycle(places)
        self._devices = devices

    def apply(self, step: nests.Apply, values: Sequence[Any]) -> Any:
        """The tensor of an operation."""
        with self._next():
            return super().apply(step, values)

    def cond(self, step: nests.Cond, values: Sequence[Any], counter: Any) -> Any:
        """The result of a `cond`."""
        with self._next():
            return super().cond(step, values, counter)

    def loop(self, step: nests.Loop, values: Sequence[Any], counter: Any) -> tuple[Any, Any]:
        """The exits of a `while_loop`."""
        with self._next():
            return super().loop(step, values, counter)

    def _next(self) -> AbstractContextManager[Any]:
        place = next(self._places)
        found: AbstractContextManager[Any] = self._tf.device(
            None if place < 0 else self._devices[place]
        )
        return found


def build(
    tf: Any, nest: nests.Block, places: Sequence[int], devices: Sequence[str], xs: Sequence[Any]
) -> list[Any]:
    """The two newest values of a nest over two matrices."""
    return nests.evaluate(PlacedGraph(tf, places, devices), nest, xs)[-2:]
