"""Jacobians by formulas and by differences are TensorFlow's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.oracle import oracle

FUNCTIONS: dict[str, Any] = {
    "itself": lambda library, x: x,
    "square": lambda library, x: x * x,
    "row sums": lambda library, x: library.reduce_sum(x, 1),
}


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_jacobians(name: str, dtype: str) -> None:
    value = np.random.RandomState(0).rand(2, 3).astype(dtype)
    value += 1j * value[::-1] if dtype == "complex128" else 0
    found = []
    for library in (tf, oracle):
        with library.Graph().as_default(), library.Session():
            x = library.constant(value)
            y = FUNCTIONS[name](library, x)
            found.append(
                library.test.compute_gradient(
                    x, value.shape, y, y.shape.as_list(), x_init_value=value
                )
            )
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(*found[0], rtol=1e-6, atol=1e-6)
