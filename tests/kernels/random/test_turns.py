"""Sines and cosines of angles of one turn, and normal numbers made of them."""

from __future__ import annotations

import numpy as np
import pytest

from dataflow.kernels.random import normal_pairs as module
from dataflow.kernels.random.normal_pairs import normal_pairs
from dataflow.kernels.random.turns import sine_and_cosine


def test_every_angle_that_is_drawn_has_numpys_sine_and_cosine() -> None:
    """Angles are drawn as 23 bits; float32 is what the values are rounded to."""
    for start in range(0, 1 << 23, 1 << 19):
        turn = np.arange(start, start + (1 << 19)) / 2.0**23
        angles = (2 * np.pi * turn).astype(np.float32).astype(np.float64)
        both = sine_and_cosine(lambda name, *given: getattr(np, name)(*given), angles)
        for found, wanted in zip(both, (np.sin(angles), np.cos(angles)), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=0, atol=2e-15)
            rounded, exact = found.astype(np.float32), wanted.astype(np.float32)
            np.testing.assert_array_max_ulp(rounded, exact, 1)
            assert np.count_nonzero(rounded != exact) <= 4


@pytest.mark.parametrize("has_compiler", [True, False])
@pytest.mark.parametrize("count", [0, 1, 7, 8, 30_001])
def test_pairs_are_box_and_mullers(
    count: int, has_compiler: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not has_compiler:
        monkeypatch.setattr(module, "_program", lambda: None)
    random = np.random.default_rng(count)
    radius, turn = random.random((2, count), np.float32)
    radius[: count // 7] = 0
    length = np.sqrt(-2 * np.log(np.maximum(radius, 1e-7).astype(float)))
    for found, part in zip(normal_pairs(radius, turn), (np.sin, np.cos), strict=True):
        assert found.dtype == np.float32
        wanted = length * part(2 * np.pi * turn.astype(float))
        np.testing.assert_allclose(found, wanted, rtol=3e-7, atol=2e-6)
