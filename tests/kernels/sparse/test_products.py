"""Products of sparse and dense matrices, around the size where scipy's loop begins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.kernels.cpu.sparse import matmul
from tests.pairwise import pairwise

TYPES = (np.float32, np.float64, np.int32, np.complex64)


def product(
    indices: Any, values: Any, shape: tuple[int, int], b: Any, left: bool, right: bool
) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        a = tf.sparse_placeholder(values.dtype, shape)
        dense = tf.placeholder(values.dtype)
        made = tf.sparse_tensor_dense_matmul(a, dense, adjoint_a=left, adjoint_b=right)
        return session.run(made, {a: (indices, values, shape), dense: b})


def numbers(random: np.random.Generator, dtype: Any, *shape: int) -> Any:
    found = random.integers(-9, 9, shape)
    if np.issubdtype(dtype, np.complexfloating):
        return (found + 1j * random.integers(-9, 9, shape)).astype(dtype)
    return found.astype(dtype)


@pairwise(
    {
        "sides": [(False, False), (True, False), (False, True), (True, True)],
        "count": [0, 1, 127, 128, 129, 1000],
        "dtype": TYPES,
    }
)
def test_products_are_numpys(dtype: Any, count: int, sides: tuple[bool, bool]) -> None:
    """128 elements times 4 columns are the first that scipy adds."""
    random = np.random.default_rng(count)
    left, right = sides
    indices = np.stack([random.integers(0, 40, count), random.integers(0, 30, count)], axis=1)
    values, full = numbers(random, dtype, count), np.zeros((40, 30), dtype)
    np.add.at(full, tuple(indices.T), values)
    b = numbers(random, dtype, 40 if left else 30, 4)
    want = (full.conj().T if left else full) @ b
    found = product(indices, values, (40, 30), b.conj().T if right else b, left, right)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, want)


@pytest.mark.parametrize("columns", [0, 1])
def test_products_of_few_columns(columns: int) -> None:
    indices = np.stack([np.arange(600) % 40, np.arange(600) % 30], axis=1)
    b = np.ones((30, columns), np.float32)
    found = product(indices, np.ones(600, np.float32), (40, 30), b, False, False)
    np.testing.assert_array_equal(found, np.full((40, columns), 15, np.float32))


@pytest.mark.parametrize("has_loop", [True, False])
def test_another_scipy_gives_the_same(monkeypatch: pytest.MonkeyPatch, has_loop: bool) -> None:
    assert matmul._loop() is not None
    if not has_loop:
        monkeypatch.setattr(matmul, "_loop", lambda: None)
    test_products_are_numpys(np.float32, 1000, (True, False))


@pytest.mark.parametrize(
    ("place", "index", "text"),
    [
        (0, 40, r"m \(40\) from index\[7,0\] out of bounds \(>=40\)"),
        (0, -1, r"m \(-1\) from index\[7,0\] out of bounds \(>=40\)"),
        (1, 30, r"k \(30\) from index\[7,1\] out of bounds \(>=30\)"),
        (1, -(2**62), r"k \(-4611686018427387904\) from index\[7,1\] out of bounds \(>=30\)"),
    ],
)
@pytest.mark.parametrize("count", [20, 1000])
def test_an_index_out_of_bounds(count: int, place: int, index: int, text: str) -> None:
    indices = np.zeros((count, 2), np.int64)
    indices[7, place] = index
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        product(
            indices,
            np.ones(count, np.float32),
            (40, 30),
            np.ones((30, 8), np.float32),
            False,
            False,
        )
