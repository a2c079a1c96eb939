"""Sines and cosines of angles of one turn."""

from __future__ import annotations

import numpy as np

from dataflow.kernels.random.turns import sine_and_cosine


def test_every_angle_that_is_drawn_has_numpys_sine_and_cosine() -> None:
    """Angles are drawn as 23 bits; float32 is what the values are rounded to."""
    for start in range(0, 1 << 23, 1 << 19):
        turn = np.arange(start, start + (1 << 19)) / 2.0**23
        angles = (2 * np.pi * turn).astype(np.float32).astype(np.float64)
        for found, wanted in zip(
            sine_and_cosine(angles), (np.sin(angles), np.cos(angles)), strict=True
        ):
            np.testing.assert_allclose(found, wanted, rtol=0, atol=2e-15)
            rounded, exact = found.astype(np.float32), wanted.astype(np.float32)
            np.testing.assert_array_max_ulp(rounded, exact, 1)
            assert np.count_nonzero(rounded != exact) <= 4
