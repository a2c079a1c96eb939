"""Parts of an array, reduced in any order, come to the bits of the whole."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest

from dataflow.kernels.reductions.parts import LARGE, Parts, parts_of
from dataflow.kernels.reductions.reductions import reduce_contiguous
from tests.pairwise import pairwise

SHAPES = (
    (1, 1_000_003, 1),
    (1, 2 * LARGE, 1),
    (1, 1500, 1),
    (1, 70_001, 3),
    (1, 2000, 1000),
    (1, 9000, 64),
    (1, 100, 784),
    (3, 700, 50),
    (2000, 1000, 1),
    (3000, 40, 1),
    (50_000, 5, 1),
    (64, 1024, 64),
    (16, 300, 50),
    (8, 3, 70_000),
)


def total_of(parts: Parts, flat: np.ndarray, source: random.Random) -> Any:
    """What parts of random lengths, in random order, come to."""
    ends = [0]
    while ends[-1] < flat.size:
        ends.append(ends[-1] + parts.unit * (1 if parts.is_exact else source.randint(1, 4)))
    stretches = [slice(*pair) for pair in itertools.pairwise(ends)]
    source.shuffle(stretches)
    reduction = parts.begin()
    for stretch in stretches:
        reduction.take(stretch.start, flat[stretch])
    return reduction.total()


@pairwise(
    {
        "shape": SHAPES,
        "ufunc": [np.add, np.maximum, np.minimum],
        "dtype": [np.float32, np.float64, np.int64, np.complex64],
    }
)
def test_parts_come_to_the_bits_of_the_whole(
    shape: tuple[int, int, int], ufunc: Any, dtype: Any
) -> None:
    source = np.random.default_rng(0)
    x = (source.standard_normal(shape) * 3).astype(dtype)
    parts = parts_of(ufunc, shape, x.dtype)
    assert parts is not None
    found = total_of(parts, x.reshape(-1), random.Random(0))
    assert found.shape == (shape[0], shape[2]) and found.dtype == dtype
    np.testing.assert_array_equal(found, reduce_contiguous(ufunc, x, shape))
    exact = ufunc.reduce(x.astype(np.complex128 if x.dtype.kind == "c" else np.float64), axis=1)
    if dtype is np.float32 and ufunc is np.add:
        np.testing.assert_allclose(found, exact, atol=1e-6 * np.abs(x).sum(axis=1).max())
    elif dtype in (np.float64, np.int64):
        np.testing.assert_allclose(found, exact, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("shape", [(1, 300, 1000), (3, 700_000, 1), (2, 100_000, 3)])
def test_some_arrays_have_no_parts(shape: tuple[int, int, int]) -> None:
    """Rows of which only a few columns are reduced at a time, and a few long outer elements."""
    assert parts_of(np.add, shape, np.dtype(np.float32)) is None


@pytest.mark.parametrize("shape", [(9, 50_000, 1), (9, 50_000, 3), (1, 300_000, 3)])
def test_products_have_parts_of_one_size(shape: tuple[int, int, int]) -> None:
    """Their bits depend on how many rows go together."""
    parts = parts_of(np.multiply, shape, np.dtype(np.float32))
    assert parts is not None and parts.is_exact
    x = np.random.default_rng(1).uniform(0.9999, 1.0001, shape).astype(np.float32)
    found = total_of(parts, x.reshape(-1), random.Random(0))
    np.testing.assert_array_equal(found, reduce_contiguous(np.multiply, x, shape))
    wide = np.multiply.reduce(x, axis=1, dtype=np.float64)
    np.testing.assert_allclose(found, wide, rtol=shape[1] * np.finfo(np.float32).eps)
