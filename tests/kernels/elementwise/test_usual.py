"""Zeta and polygamma on both sides of the size from which on there is machine code, with poles and
orders that its formulas do not hold for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow.kernels.elementwise.usual import _LEAST

ODD = (-2.0, -1.5, 0.0, 0.5, 1.0, np.inf, np.nan, 2.0, 3.0)


def _both(name: str, first: Any, second: Any) -> tuple[Any, Any]:
    found = []
    for library in (tf, oracle):
        with library.Graph().as_default(), library.Session() as session:
            given = [library.placeholder(library.float32, one.shape) for one in (first, second)]
            made = getattr(library.math, name)(*given)
            found.append(session.run(made, dict(zip(given, (first, second), strict=True))))
    return found[0], found[1]


@pytest.mark.parametrize("size", [0, 1, _LEAST - 1, _LEAST, _LEAST + 1])
@pytest.mark.parametrize("name", ["zeta", "polygamma"])
def test_sizes(name: str, size: int) -> None:
    random = np.random.default_rng(1)
    first = random.integers(2, 6, size).astype("f")
    second = random.uniform(0.5, 4, size).astype("f")
    found, wanted = _both(name, first, second)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, wanted, rtol=1e-4)


@pytest.mark.parametrize("name", ["zeta", "polygamma"])
def test_odd_operands_beside_usual_ones(name: str) -> None:
    """What is odd is what it is of few elements, whatever stands beside it."""
    first, second = (one.reshape(-1).astype("f") for one in np.meshgrid(ODD, ODD))
    few, _ = _both(name, first, second)
    times = -(-_LEAST // first.size)
    many, _ = _both(name, np.tile(first, times), np.tile(second, times))
    for part in many.reshape(times, -1):
        np.testing.assert_allclose(part, few, rtol=2e-6)


@pytest.mark.parametrize("shapes", [((), (_LEAST,)), ((130, 1), (1, 130)), ((2, 0), (2, 1))])
def test_operands_that_are_repeated(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    random = np.random.default_rng(2)
    first, second = (random.uniform(2, 5, shape).astype("f") for shape in shapes)
    found, wanted = _both("zeta", first, second)
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=1e-4)
