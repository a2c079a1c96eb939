"""Clipping: what is refused, and norms that are zero or not finite."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.differentiation.both import assert_same_refusal, oracle

REFUSED: dict[str, Callable[[Any], Any]] = {
    "upper_bound": lambda tf: tf.clip_by_value(tf.zeros([2]), 0.0, tf.ones([3, 2])),
    "lower_bound": lambda tf: tf.clip_by_value(tf.zeros([2]), tf.zeros([3, 2]), 1.0),
    "norm": lambda tf: tf.clip_by_norm(tf.zeros([2]), tf.ones([3, 1])),
    "text": lambda tf: tf.clip_by_global_norm("tensors", 1.0),
    "integers": lambda tf: tf.global_norm([tf.constant([1, 2])]),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case: str) -> None:
    assert_same_refusal(REFUSED[case])


def test_a_tensor_is_no_list() -> None:
    with (
        tf.Graph().as_default(),
        pytest.raises(TypeError, match=r"^t_list should be a sequence$"),
    ):
        tf.global_norm(tf.zeros([2]))


def test_the_norm_of_nothing() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(tf.global_norm([])) == 0


@pytest.mark.parametrize(
    "value", [[0.0, 0.0], [3.0, 4.0], [np.inf, 1.0], [np.nan, 1.0], [1e30, 1e30]]
)
def test_unusual_norms(value: list[float]) -> None:
    def clipped(library: Any) -> list[Any]:
        with library.Graph().as_default(), library.Session() as session:
            x = library.constant(value, library.float32)
            y = library.constant([1.0, 2.0])
            clipped, norm = library.clip_by_global_norm([x, y], 2.0)
            by_norm = library.clip_by_norm(x, 2.0)
            gradient = library.gradients(by_norm, x)[0]
            return [
                *session.run(clipped),
                *session.run([norm, by_norm, gradient, library.clip_by_value(x, -1.0, 2.0)]),
            ]

    for have, want in zip(clipped(tf), clipped(oracle), strict=True):
        np.testing.assert_allclose(have, want, 1e-5)


@pytest.mark.parametrize("dtype", ["float16", "float64", "bfloat16"])
def test_types(dtype: str) -> None:
    def clipped(library: Any) -> list[Any]:
        with library.Graph().as_default(), library.Session() as session:
            x = library.constant([3.0, -4.0, 0.5], library.as_dtype(dtype))
            clipped, norm = library.clip_by_global_norm([x], 2.0)
            fetches = [clipped[0], norm, library.clip_by_norm(x, 2), library.clip_by_value(x, 0, 1)]
            return [np.asarray(value) for value in session.run(fetches)]

    for have, want in zip(clipped(tf), clipped(oracle), strict=True):
        assert have.dtype == want.dtype
        tolerance = {"float16": 2e-3, "bfloat16": 2e-2}.get(dtype, 1e-12)
        np.testing.assert_allclose(have.astype(float), want.astype(float), tolerance)
