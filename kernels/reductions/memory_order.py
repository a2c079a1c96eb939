"""Reductions of arrays that were transposed: along their axes as these lie in memory.

So they take the ways of contiguous arrays, which numpy's own does not. The numbers depend on how
the array lies, for rounding does on what is added first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.memory.orders import order_of, turned_back
from dataflow.kernels.reductions.contiguous import MANY
from dataflow.kernels.reductions.reductions import reduced_shape

Reduce = Callable[[Any, tuple[int, ...], bool], Any]
"""`f(array, axes, keep)`"""


def in_memory_order(reduce: Reduce) -> Reduce:
    """The same, of large arrays that are contiguous in another order along axes in that order."""

    def run(x: Any, axes: tuple[int, ...], keep: bool) -> Any:
        if x.size < MANY or x.flags.c_contiguous:
            return reduce(x, axes, keep)
        order = order_of(x)
        if order is None:
            return reduce(x, axes, keep)
        along = tuple(sorted(map(order.index, axes)))
        found = turned_back(reduce(x.transpose(order), along, True), order)
        return found.reshape(reduced_shape(x.shape, axes, keep))[()]

    return run
