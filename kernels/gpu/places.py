"""Combining values into places of a GPU's array, of which one may come several times."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, Final

import cupy
import numpy as np


@dataclass(frozen=True, slots=True)
class Combination:
    """What is made of the value that stands at a place, `t`, and one that comes, `v`."""

    name: str
    code: str
    """Of C++, for types that have arithmetic."""
    adds: int = 0
    """1 or -1 if it adds or subtracts: the order does not count then."""


COMBINATIONS: Final = {
    made.name: made
    for made in (
        Combination("add", "t + v", adds=1),
        Combination("subtract", "t - v", adds=-1),
        Combination("multiply", "t * v"),
        Combination("divide", "t / v"),
        # Like numpy's, they keep NaNs.
        Combination("minimum", "v < t || v != v ? v : t"),
        Combination("maximum", "v > t || v != v ? v : t"),
    )
}
_ATOMIC: Final = frozenset(
    map(np.dtype, (np.float32, np.float64, np.int32, np.int64, np.uint32, np.uint64))
)
"""Types that are added up by the memory itself."""


def combine(how: Combination, target: Any, rows: Any, values: Any) -> None:
    """Combines values into rows of an array, in place.

    Sums of the types that memory adds up are made in any order, all else in that of the rows.

    Args:
      how: What is done.
      target: Of shape [n, ...], contiguous.
      rows: Numbers of rows in it, shape [m].
      values: One for each row, shape [m, ...], or what broadcasts to that.
    """
    rows = cupy.asarray(rows).reshape(-1)
    shape = (rows.size, *target.shape[1:])
    values = cupy.broadcast_to(cupy.asarray(values, target.dtype), shape)
    if not values.size:
        return
    if how.adds and target.dtype in _ATOMIC:
        cupy.add.at(target, rows, values if how.adds > 0 else -values)
        return
    order = cupy.argsort(rows, kind="stable")
    inner = values.size // rows.size
    _in_order(how.name, target.dtype.itemsize == 2 and target.dtype.kind in "fV")(
        rows[order], order, values.reshape(-1), rows.size, inner, target, size=values.size
    )


@functools.cache
def _in_order(name: str, is_narrow: bool) -> Any:
    """The kernel in which each run of equal rows has a thread for each of its columns.

    16-bit floats are combined as float32, and rounded each time.
    """
    kind = "float" if is_narrow else "T"
    return cupy.ElementwiseKernel(
        "raw I rows, raw L order, raw T values, int64 count, int64 inner",
        "raw T target",
        f"""
        long long first = i / inner, column = i % inner;
        if (first == 0 || rows[first - 1] != rows[first]) {{
            long long place = rows[first] * inner + column;
            T total = target[place];
            for (long long k = first; k < count && rows[k] == rows[first]; ++k) {{
                {kind} t = total, v = values[order[k] * inner + column];
                total = T({COMBINATIONS[name].code});
            }}
            target[place] = total;
        }}
        """,
        f"{name}_in_order{'_of_16_bits' if is_narrow else ''}",
    )
