"""Groups of rows are reduced as numpy reduces them, in whichever way is the fastest."""

from __future__ import annotations

import numpy as np
import pytest

from dataflow.kernels.reductions import groups
from dataflow.kernels.reductions.groups import reduce_groups

_SIZES = (
    (300, 512, 200),
    (64, 6000, 40),
    (6000, 1, 4000),
    (9000, 16, 3),
    (9000, 16, 8000),
    (4, 8, 3),
    (1, 9000, 1),
)


@pytest.mark.parametrize(("count", "columns", "segments"), _SIZES)
def test_groups_are_reduced_as_by_numpy(count: int, columns: int, segments: int) -> None:
    random = np.random.default_rng(0)
    rows = random.standard_normal((count, columns)).astype(np.float32)
    starts = np.unique(np.append(random.integers(0, count, segments - 1), 0))
    for ufunc in (np.maximum, np.minimum):
        wanted = [ufunc.reduce(part, axis=0) for part in np.split(rows, starts[1:])]
        np.testing.assert_array_equal(reduce_groups(ufunc, rows, starts), wanted)
    wanted = [np.multiply.reduce(part, axis=0) for part in np.split(rows, starts[1:])]
    np.testing.assert_allclose(reduce_groups(np.multiply, rows, starts), wanted, rtol=1e-5)


def test_each_way_gives_the_same() -> None:
    random = np.random.default_rng(1)
    rows = random.standard_normal((700, 3, 4))
    starts = np.unique(np.append(random.integers(0, 700, 90), 0))
    sizes = np.diff(starts, append=700)
    wanted = [part.max(axis=0) for part in np.split(rows, starts[1:])]
    for way in (groups._one_by_one, groups._in_rounds):
        np.testing.assert_array_equal(way(np.maximum, rows, starts, sizes), wanted)
