"""Where an order is cut into stages: as even as can be, and of such cuts the cheapest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

SLACK = 1.1
"""How much fuller than need be the fullest stage may get where that makes the cuts cheaper."""


def cut(
    loads: Sequence[float], crossing: Sequence[float], capacities: Sequence[float]
) -> list[int]:
    """Cuts a sequence into stages, one for each capacity, in order.

    The fullest stage, as a part of its capacity, is made as small as can be. Within `SLACK` of
    that, what crosses the cuts is made as little as can be, by dynamic programming over the ends
    of stages.

    Args:
      loads: Of each item.
      crossing: What a cut before each item costs; the first is not looked at.
      capacities: Of each stage: how much it may take beside the others.

    Returns:
      The stage of each item. Stages may be empty.
    """
    ends = np.concatenate([[0.0], np.cumsum(np.asarray(loads, float))])
    count = len(loads)
    sizes = np.asarray(capacities, float)
    fullest = np.where(np.arange(count + 1) == 0, 0.0, np.inf)
    for size in sizes:
        filled = np.empty(count + 1)
        for end in range(count + 1):
            taken = np.maximum(fullest[: end + 1], (ends[end] - ends[: end + 1]) / size)
            filled[end] = taken.min()
        fullest = filled
    # A little more for rounding: without loads, all stages are as full as each other.
    limit = fullest[count] * SLACK + 1e-12 * max(ends[-1], 1.0) / sizes.min()
    costs = np.concatenate([[0.0], np.asarray(crossing, float)[1:], [0.0]])
    cheapest = np.where(np.arange(count + 1) == 0, 0.0, np.inf)
    chosen = []
    for size in sizes:
        least = np.empty(count + 1)
        begins = np.zeros(count + 1, int)
        for end in range(count + 1):
            fits = (ends[end] - ends[: end + 1]) / size <= limit
            taken = np.where(fits, cheapest[: end + 1], np.inf)
            # A stage that is empty is cut off nowhere.
            taken[:end] += costs[end]
            # Of equal ones the shortest stage.
            begins[end] = end - int(np.argmin(taken[::-1]))
            least[end] = taken[begins[end]]
        cheapest = least
        chosen.append(begins)
    found = [0] * count
    end = count
    for stage in range(len(sizes) - 1, -1, -1):
        begin = int(chosen[stage][end])
        found[begin:end] = [stage] * (end - begin)
        end = begin
    return found
