"""Kernels of points and the centers of their clusters."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.random.philox import Philox, uniform_float32
from dataflow.kernels.random.simple import Draws
from dataflow.kernels.threads.stopping import look

_MOST_RETRIES: Final = 2**31 - 2
_BLOCK: Final = 1 << 20
"""Distances that are there at once."""
_STRETCH: Final = 256
"""Steps of a chain that are looked at together."""
_HALF: Final = np.float32(0.5)
_TWO: Final = np.float32(2)
Array = np.ndarray[Any, Any]


def _check(value: Any, rank: int, name: str) -> None:
    if np.ndim(value) != rank:
        raise invalid(f"Input {name} should be a {('scalar', 'vector', 'matrix')[rank]}.")


def _half_norms(rows: Array) -> Array:
    found: Array = _HALF * np.add.reduce(rows * rows, 1)
    return found


@kernel("KmeansPlusPlusInitialization", device="CPU")
def kmeans_plus_plus(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(points: Any, num_to_sample: Any, seed: Any, num_retries_per_sample: Any) -> Any:
        _check(points, 2, "points")
        _check(num_to_sample, 0, "num_to_sample")
        _check(seed, 0, "seed")
        _check(num_retries_per_sample, 0, "num_retries_per_sample")
        count, wanted, retries = len(points), int(num_to_sample), int(num_retries_per_sample)
        if not count:
            raise invalid("Expected points.rows() > 0.")
        if wanted <= 0:
            raise invalid("Expected num_to_sample > 0.")
        if wanted > count:
            raise invalid(f"Expected num_to_sample <= points.rows(). {wanted} vs {count}.")
        if retries > _MOST_RETRIES:
            raise invalid(f"Expected num_retries_per_sample <= {_MOST_RETRIES}.")
        if retries < 0:
            retries = 2 + int(math.log(wanted))
        return points[_spread(points, wanted, Draws(int(seed)), 1 + retries)]

    return run


def _spread(points: Array, wanted: int, draws: Draws, tries: int) -> list[int]:
    """The numbers of rows that are drawn, each as the best of some tries."""
    norms = _half_norms(points)
    nearest = np.full(len(points), np.inf, np.float32)
    taken: dict[int, None] = {}
    for _ in range(wanted):
        totals = np.add.accumulate(nearest) if taken else None
        best, least, following = 0, np.float32(np.inf), nearest
        for _ in range(tries):
            look()
            row = _drawn(totals, taken, len(points), draws)
            found = np.minimum(nearest, norms - points @ points[row] + norms[row])
            if (sum_of_all := found.sum()) < least:
                best, least, following = row, sum_of_all, found
        taken[best] = None
        nearest = following
    return list(taken)


def _drawn(totals: Array | None, taken: dict[int, None], count: int, draws: Draws) -> int:
    """A row that was not taken; as likely as its distance is great, where any has one."""
    if totals is None:
        return draws.below(count)
    while True:
        look()
        if totals[-1] > 0:
            place = int(totals.searchsorted(draws.fraction() * totals[-1], "right"))
            row = min(place, count - 1)
        else:
            row = draws.below(count)
        if row not in taken:
            return row


@kernel("KMC2ChainInitialization", device="CPU")
def kmc2_chain(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(distances: Any, seed: Any) -> Any:
        _check(distances, 1, "distances")
        _check(seed, 0, "seed")
        if not distances.size:
            raise invalid("Expected distances_tensor.size() > 0.")
        chances = uniform_float32(Philox(int(seed), 0).words(distances.size - 1))
        place, start = 0, 1
        while start < distances.size:
            look()
            stop = start + _STRETCH
            # The next one that is taken is the first that is far enough.
            far = distances[start:stop] > chances[start - 1 : stop - 1] * distances[place]
            if far.any():
                place = start + int(far.argmax())
                start = place + 1
            else:
                start = stop
        return np.int64(place)

    return run


@kernel("NearestNeighbors", device="CPU")
def nearest_neighbors(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(points: Any, centers: Any, k: Any) -> Any:
        _check(points, 2, "points")
        _check(centers, 2, "centers")
        _check(k, 0, "k")
        if not len(points):
            raise invalid("Expected points.rows() > 0.")
        if points.shape[1] != centers.shape[1]:
            raise invalid(
                "Expected point_dimensions == center_dimensions: "
                f"{points.shape[1]} vs {centers.shape[1]}."
            )
        if k < 0:
            raise invalid("Expected k >= 0.")
        count = min(len(centers), int(k))
        places = np.empty((len(points), count), np.int64)
        distances = np.empty((len(points), count), np.float32)
        if count:
            norms = _half_norms(centers)
            size = max(1, _BLOCK // len(centers))
            for start in range(0, len(points), size):
                look()
                some = slice(start, start + size)
                _nearest(points[some], centers, norms, places[some], distances[some])
        return places, distances

    return run


def _nearest(points: Array, centers: Array, norms: Array, places: Array, distances: Array) -> None:
    """Fills in the nearest centers of some points; of equal ones the first comes first."""
    far = norms - points @ centers.T
    if places.shape[1] == 1:
        places[:, 0] = far.argmin(1)
    else:
        places[:] = far.argsort(1, kind="stable")[:, : places.shape[1]]
    distances[:] = _TWO * (_half_norms(points)[:, None] + np.take_along_axis(far, places, 1))
