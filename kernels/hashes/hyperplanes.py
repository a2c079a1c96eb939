"""Buckets of points between hyperplanes, the likeliest first, for all points at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]


def probes(products: Numbers, count: int) -> tuple[Numbers, Numbers]:
    """The buckets to look into.

    What is left to be looked at are sets of planes to be crossed, by the sum of their squared
    products; each leads to two others, in which the farthest plane gives way to the next one, or
    is joined by it. All points take the same number of steps; a set that cannot grow leads nowhere.
    Where sums are equal the order is not that of TensorFlow, which leaves it to its sort.

    Args:
      products: Shape (points, tables, planes).
      count: How many, at most.

    Returns:
      Buckets and tables, int32, shape (points, up to `count`).
    """
    points, tables, planes = products.shape
    places = (np.int64(1) << np.arange(planes - 1, -1, -1, dtype=np.int64)).astype(np.int64)
    own = ((products >= 0) * places).sum(2)
    first = min(count, tables)
    buckets = np.empty((points, min(count, tables << planes)), np.int32)
    chosen = np.empty(buckets.shape, np.int32)
    buckets[:, :first] = own[:, :first]
    chosen[:, :first] = np.arange(first)
    rest = buckets.shape[1] - first
    if rest <= 0 or not points:
        return buckets, chosen
    order = np.argsort(np.abs(products), axis=2, kind="stable")
    costs = np.square(np.take_along_axis(products, order, 2))
    bits = places[order]
    rows = np.arange(points)
    # The sets that may come next: each step takes one out and puts up to two in.
    size = tables + rest
    waiting = np.full((points, size), np.inf, products.dtype)
    crossed = np.zeros((points, size), np.int64)
    last = np.zeros((points, size), np.int64)
    table = np.zeros((points, size), np.int64)
    waiting[:, :tables] = costs[:, :, 0]
    crossed[:, :tables] = bits[:, :, 0]
    table[:, :tables] = np.arange(tables)
    for step in range(rest):
        used = tables + step
        place = waiting[:, :used].argmin(1)
        cost, planes_crossed = waiting[rows, place], crossed[rows, place]
        at, of = last[rows, place], table[rows, place]
        buckets[:, first + step] = own[rows, of] ^ planes_crossed
        chosen[:, first + step] = of
        grows = at + 1 < planes
        following = np.minimum(at + 1, planes - 1)
        joined = cost + costs[rows, of, following]
        waiting[rows, place] = np.where(grows, joined - costs[rows, of, at], np.inf)
        crossed[rows, place] = planes_crossed ^ bits[rows, of, at] ^ bits[rows, of, following]
        last[rows, place] = following
        waiting[:, used] = np.where(grows, joined, np.inf)
        crossed[:, used] = planes_crossed ^ bits[rows, of, following]
        last[:, used] = following
        table[:, used] = of
    return buckets, chosen
