"""Weighted sums of rows, and their gradients: against dense matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dataflow.kernels.reductions import weighted_rows
from dataflow.kernels.reductions.weighted_rows import weighted


@pytest.mark.parametrize("has_loops", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("some_are_unused", [True, False])
def test_are_products_of_matrices(
    monkeypatch: pytest.MonkeyPatch, dtype: Any, some_are_unused: bool, has_loops: bool
) -> None:
    if not has_loops:
        monkeypatch.setattr(weighted_rows, "_loops", lambda: None)
    random = np.random.default_rng(0)
    places = random.integers(0, 7, (11, 3))
    weights = random.standard_normal((11, 3)).astype(dtype)
    used = np.arange(11) % 3 > 0 if some_are_unused else None
    sums = weighted(places, weights, used)
    matrix = np.zeros((11, 7))
    np.add.at(matrix, (np.arange(11)[:, None], places), weights)
    if used is not None:
        matrix[~used] = 0

    source, grads = (random.standard_normal((count, 5)).astype(dtype) for count in (7, 11))
    made, back = np.full((11, 5), np.nan, dtype), np.ones((7, 5), dtype)
    weighted_rows.take(source, sums, made)
    np.testing.assert_allclose(made, matrix @ source, rtol=1e-5, atol=1e-6)
    weighted_rows.add(back, sums, grads)
    np.testing.assert_allclose(back, 1 + matrix.T @ grads, rtol=1e-5, atol=1e-6)
    part = np.full((4, 5), np.nan, dtype)
    weighted_rows.take(source, sums.part(slice(3, 7)), part)
    np.testing.assert_array_equal(part, made[3:7])


def test_the_loops_are_found() -> None:
    assert weighted_rows._loops() is not None


def test_nothing_is_made_of_nothing() -> None:
    sums = weighted(np.zeros((0, 4), np.intp), np.zeros((0, 4), np.float32))
    target = np.ones((2, 3), np.float32)
    weighted_rows.add(target, sums, np.zeros((0, 3), np.float32))
    weighted_rows.take(target, sums, np.zeros((0, 3), np.float32))
    assert (target == 1).all()
