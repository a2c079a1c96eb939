"""Powers that are computed in a shorter way have TensorFlow's values, special ones too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf

oracle.disable_v2_behavior()

_SPECIAL = (-0.0, 0.0, -np.inf, np.inf, np.nan, -2.0, 2.5, 1e30, -1e-20, 3.7)


def _power(library: Any, x: np.ndarray, exponent: float) -> Any:
    # TensorFlow's optimizer, which runs where a session has a config, makes roots of powers too.
    config = library.ConfigProto()
    with library.Graph().as_default(), library.Session(config=config) as session:
        fed = library.placeholder(x.dtype, x.shape)
        # Together with the product it is a cluster where arrays are large.
        made = library.pow(fed, exponent)
        for _ in range(3):
            value = session.run([made, made * 2.0], {fed: x})
        return value


@pytest.mark.parametrize("exponent", [3.0, 0.5, 1.5])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("count", [1, 300_000])
def test_powers_are_tensorflows(exponent: float, dtype: Any, count: int) -> None:
    finite = np.abs(np.random.default_rng(0).standard_normal(count)) * 5
    for values in (finite, np.resize(_SPECIAL, max(count, len(_SPECIAL)))):
        x = values.astype(dtype)
        with np.errstate(all="ignore"):
            wanted = _power(oracle, x, exponent)
        found = _power(tf, x, exponent)
        for ours, theirs in zip(found, wanted, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=4 * np.finfo(dtype).eps)
            numbers = ~np.isnan(theirs)
            np.testing.assert_array_equal(np.signbit(ours[numbers]), np.signbit(theirs[numbers]))


def test_a_scalar_and_an_empty_array_have_powers() -> None:
    for x in (np.float32(4), np.zeros((0, 3), np.float32)):
        np.testing.assert_array_equal(_power(tf, np.asarray(x), 0.5)[0], np.sqrt(x))
        np.testing.assert_array_equal(_power(tf, np.asarray(x), 3.0)[0], x * x * x)
