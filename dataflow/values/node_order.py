"""Orders nodes so that producers come before consumers; the back edges of loops do not count."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from typing import Final

NEXT_ITERATION_OPS: Final = frozenset({"NextIteration", "RefNextIteration"})
MERGE_OPS: Final = frozenset({"Merge", "RefMerge"})
"""Data edges from the ones to the others are those by which a loop starts again."""


def stable_order(count: int, pairs: Iterable[tuple[int, int]]) -> list[int]:
    """The numbers below `count`, each pair's first before its second, otherwise ascending.

    Numbers on or behind a cycle are left out.
    """
    waiting = [0] * count
    successors: list[list[int]] = [[] for _ in range(count)]
    for before, after in pairs:
        waiting[after] += 1
        successors[before].append(after)
    ready = [index for index in range(count) if not waiting[index]]
    order = []
    while ready:
        index = heapq.heappop(ready)
        order.append(index)
        for after in successors[index]:
            waiting[after] -= 1
            if not waiting[after]:
                heapq.heappush(ready, after)
    return order
