"""Clusters of large operands of one size, some of which lack dimensions of 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import dataflow as tf
from tests.pairwise import pairwise

_MANY = 300_000
SHAPES = [
    ((_MANY,), (1, _MANY)),
    ((1, _MANY), (_MANY,)),
    ((_MANY,), (1, 1, _MANY)),
    ((1, _MANY), (1, 1, _MANY)),
    ((500, 600), (1, 500, 600)),
    ((_MANY, 1), (1, _MANY, 1)),
]
LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "plain": lambda x: x,
    "stepped": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "turned": np.asfortranarray,
}


def _values(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    return np.random.default_rng(len(shape)).integers(-3, 4, shape).astype(dtype)


@pairwise({"shapes": SHAPES, "dtype": [np.float32, np.float64], "layout": LAYOUTS})
def test_operands_without_dimensions_of_one(
    shapes: tuple[tuple[int, ...], ...], dtype: Any, layout: str
) -> None:
    x, y = (LAYOUTS[layout](_values(shape, dtype)) for shape in shapes)
    row = _values(shapes[0][-1:], dtype)
    with tf.Graph().as_default(), tf.Session() as session:
        fed = [tf.placeholder(dtype, [None] * value.ndim) for value in (x, y, row)]
        a, b, c = fed
        fetches = [(a + b) * a, a - b * c, tf.reduce_sum(tf.abs(a) * b, -1)]
        for _ in range(4):
            found = session.run(fetches, dict(zip(fed, (x, y, row), strict=True)))
    wanted = [(x + y) * x, x - y * row, (abs(x) * y).sum(-1)]
    for have, want in zip(found, wanted, strict=True):
        assert have.dtype == want.dtype
        np.testing.assert_array_equal(have, want)
