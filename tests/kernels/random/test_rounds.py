"""Rounds of indices, in none of which one comes twice: updates one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dataflow.kernels.optimizers.variable_updates import rounds


@pytest.mark.parametrize("spread", [1, 3, 1000])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("count", [1, 5, 700, 5000])
def test_rounds_take_each_index_once(count: int, dtype: Any, spread: int) -> None:
    random = np.random.default_rng(count)
    distinct = random.permutation(count * spread)[:count].astype(dtype)
    assert list(rounds(np, distinct, count * spread)) == [slice(None)]
    if count == 1:
        return
    twice = distinct.copy()
    twice[-1] = twice[0]
    taken = list(rounds(np, twice, count * spread))
    assert len(taken) == 2
    np.testing.assert_array_equal(taken[1], [count - 1])
    np.testing.assert_array_equal(np.sort(taken[0]), np.arange(count - 1))


@pytest.mark.parametrize("count", [40, 3000])
def test_rounds_come_in_the_order_of_the_indices(count: int) -> None:
    indices = np.random.default_rng(0).integers(0, count // 4, count)
    seen = np.zeros(count, bool)
    met = np.zeros(count // 4, np.int64)
    for turn, places in enumerate(rounds(np, indices, count // 4)):
        assert len(set(indices[places].tolist())) == len(indices[places])
        assert (met[indices[places]] == turn).all()
        met[indices[places]] += 1
        seen[places] = True
    assert seen.all()
    np.testing.assert_array_equal(met, np.bincount(indices, minlength=count // 4))
