"""Einstein sums of large operands are products by all threads, with numpy's values."""

from __future__ import annotations

import numpy as np
import pytest

import dataflow as tf
from dataflow.kernels.products import products


def numbers(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("abc,cd->abd", ((40, 30, 64), (64, 90))),
        ("bhqd,bhkd->bhqk", ((3, 4, 50, 32), (3, 4, 60, 32))),
        ("bhqk,bkhd->bqhd", ((3, 4, 50, 60), (3, 60, 4, 32))),
        ("...ij,jk->...ik", ((5, 2, 40, 70), (70, 50))),
        ("i...j,...jk->i...k", ((40, 6, 70), (6, 70, 50))),
        ("abc,abd->cd", ((30, 40, 70), (30, 40, 50))),
    ],
)
def test_values(equation: str, shapes: tuple[tuple[int, ...], ...]) -> None:
    values = [numbers(seed, *shape) for seed, shape in enumerate(shapes)]
    expected = np.einsum(equation, *(v.astype(np.float64) for v in values))
    with tf.Graph().as_default(), tf.Session() as session:
        fed = [tf.placeholder(tf.float32) for _ in values]
        result = tf.einsum(equation, *fed)
        found = session.run(result, dict(zip(fed, values, strict=True)))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-3)


def test_the_library_of_products_does_them(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[int, ...]] = []
    for name in ("product", "batch_product"):
        own = getattr(products, name)

        def note(a: np.ndarray, b: np.ndarray, own: object = own) -> np.ndarray:
            calls.append(a.shape)
            found: np.ndarray = own(a, b)  # type: ignore[operator]
            return found

        monkeypatch.setattr(products, name, note)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32)
        pair = tf.einsum("abc,cd->abd", x, numbers(1, 7, 9))
        many = tf.einsum("abc,acd->abd", x, numbers(2, 3, 7, 9))
        session.run([pair, many], {x: numbers(0, 3, 5, 7)})
    assert sorted(calls) == [(3, 5, 7), (15, 7)]


def test_large_operands_that_do_not_fit() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = (tf.placeholder(tf.float32) for _ in range(2))
        result = tf.einsum("...ij,...jk->...ik", x, y, name="the_sum")
        message = "In.0. and In.1. must have compatible batch dimensions"
        with pytest.raises(tf.errors.InvalidArgumentError, match=message) as caught:
            session.run(result, {x: numbers(0, 3, 40, 70), y: numbers(1, 2, 70, 50)})
        assert "the_sum" in str(caught.value)
