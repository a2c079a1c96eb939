"""Mean and variance of many rows by oneDNN, block by block, against sums in float64."""

from __future__ import annotations

import numpy as np
import pytest

from dataflow.kernels.rows import norms
from tests.kernels.helped import helpers


def rows(count: int, channels: int) -> np.ndarray:
    """Rows whose later ones are others than the earlier ones."""
    random = np.random.default_rng(7)
    found = random.standard_normal((count, channels)) + random.standard_normal(channels) * 5
    found[count // 2 :] *= 3
    found[-count // 50 :] += 40
    return found.astype(np.float32)


@pytest.mark.parametrize(
    "shape", [(7, 9), (4096, 8), (4097, 16), (10_000, 32), (3000, 200), (50_001, 8), (2, 300_000)]
)
def test_values(shape: tuple[int, int]) -> None:
    x = rows(*shape)
    exact = x.astype(np.float64)
    found = norms.moments_of(x)
    assert found is not None
    mean, variance = found
    assert mean.dtype == variance.dtype == np.float32
    np.testing.assert_allclose(mean, exact.mean(axis=0), rtol=3e-6, atol=1e-6)
    np.testing.assert_allclose(variance, exact.var(axis=0), rtol=1e-5)
    with helpers(3):
        again = norms.moments_of(x)
    np.testing.assert_array_equal(again, found)


def test_long_sums_lose_few_digits() -> None:
    """All at once they would lose ten times as many."""
    x = (np.random.default_rng(8).random((400_000, 8)) + 1).astype(np.float32)
    found = norms.moments_of(x)
    assert found is not None
    np.testing.assert_allclose(found[0], x.mean(axis=0, dtype=np.float64), rtol=1e-6)
    np.testing.assert_allclose(found[1], x.var(axis=0, dtype=np.float64), rtol=1e-5)


@np.errstate(all="ignore")
def test_a_nan_stays_in_its_channel() -> None:
    x = rows(9000, 24)
    x[8500, 3], x[12, 5] = np.nan, np.inf
    found = norms.moments_of(x)
    assert found is not None
    for vector in found:
        assert set(np.flatnonzero(~np.isfinite(vector))) == {3, 5}


def test_few_channels_are_left_to_numpy() -> None:
    assert norms.moments_of(rows(5000, 7)) is None
