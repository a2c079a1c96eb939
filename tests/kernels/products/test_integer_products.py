"""Products of integers are exact, and wrap around as integers do, however they are computed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.kernels.products.integer_products import product_by_floats
from dataflow.kernels.products.products import batch_product, product


def integers(dtype: Any, least: int, most: int, *shape: int) -> Any:
    return np.random.default_rng(shape[0]).integers(least, most, shape, dtype, endpoint=True)


def exact(a: Any, b: Any) -> Any:
    """The product of Python's integers, whatever their size, cut to those of the type."""
    whole = a.astype(object) @ b.astype(object)
    bits = 8 * a.dtype.itemsize
    wrapped = [(n + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1) for n in whole.ravel()]
    return np.array(wrapped, a.dtype).reshape(whole.shape)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("dtype", "greatest"),
    [
        (np.int16, 90),
        (np.int16, 2**15 - 1),
        (np.int32, 500),
        (np.int32, 700),
        (np.int32, 2**20),
        (np.int32, 2**31 - 1),
        (np.int64, 3),
        (np.int64, 2**23),
        (np.int64, 2**25),
        (np.int64, 2**62),
    ],
)
def test_products(dtype: Any, greatest: int, turned: bool) -> None:
    a = integers(dtype, -greatest - 1, greatest, 20, 60)
    b = integers(dtype, -greatest - 1, greatest, 30, 60) if turned else None
    b = integers(dtype, -greatest - 1, greatest, 60, 30) if b is None else b.T
    found = product(a, b)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, exact(a, b))


@pytest.mark.parametrize(("greatest", "is_exact"), [(2**26, True), (2**26 + 1, False)])
def test_as_far_as_floats_hold_each_sum(greatest: int, is_exact: bool) -> None:
    a, b = np.full((3, 2), -greatest, np.int64), np.full((2, 4), 2**26, np.int64)
    found = product_by_floats(np.matmul, a, b)
    assert (found is not None) == is_exact
    np.testing.assert_array_equal(product(a, b), exact(a, b))
    if is_exact:
        np.testing.assert_array_equal(found, exact(a, b))


def test_a_sum_that_single_precision_cuts() -> None:
    a, b = np.full((40, 2), 4097, np.int32), np.full((2, 60), 4097, np.int32)
    assert (product(a, b) == 2 * 4097**2).all()


def test_the_least_number_has_no_opposite() -> None:
    a = np.full((20, 20), np.iinfo(np.int32).min, np.int32)
    b = np.eye(20, dtype=np.int32)
    np.testing.assert_array_equal(product(a, b), a)
    np.testing.assert_array_equal(product(a, -b), exact(a, -b))


def test_batches_are_broadcast() -> None:
    a, b = integers(np.int32, -99, 99, 3, 1, 16, 20), integers(np.int32, -99, 99, 5, 20, 8)
    found = batch_product(a, b)
    assert found.dtype == np.int32
    np.testing.assert_array_equal(found, np.einsum("...ij,...jk->...ik", a, b))


@pytest.mark.parametrize("shapes", [((50, 60), (50, 60)), ((4, 50, 60), (4, 50, 60))])
def test_matrices_that_do_not_fit_name_the_node(shapes: tuple[tuple[int, ...], ...]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        a, b = (tf.placeholder(tf.int32) for _ in range(2))
        y = tf.matmul(a, b, name="the_product")
        feeds = dict(zip((a, b), (np.ones(shape, np.int32) for shape in shapes), strict=True))
        with pytest.raises(tf.errors.InvalidArgumentError, match="Matrix size-incompatible") as e:
            session.run(y, feeds)
        assert "the_product" in str(e.value)
