"""Kernels whose circular convolution keeps lengths, up to the gain."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.variables import convolution_initializers as initializers


def _length_ratio(kernel: Any) -> float:
    """How much a circular convolution by a kernel stretches a random input."""
    rank = kernel.ndim - 2
    value = np.random.default_rng(3).normal(size=(5,) * rank + kernel.shape[-2:-1])
    made = sum(
        np.roll(value, place, axis=tuple(range(rank))) @ kernel[place]
        for place in itertools.product(*map(range, kernel.shape[:rank]))
    )
    return float(np.linalg.norm(made) / np.linalg.norm(value))


@pytest.mark.parametrize(
    ("kind", "shape"),
    [
        (initializers.ConvolutionDeltaOrthogonal, (3, 5, 2, 4)),
        (initializers.ConvolutionDeltaOrthogonal, (3, 2, 4)),
        (initializers.ConvolutionOrthogonal1D, (4, 3, 5)),
        (initializers.ConvolutionOrthogonal1D, (1, 3, 3)),
        (initializers.ConvolutionOrthogonal2D, (3, 3, 2, 4)),
        (initializers.ConvolutionOrthogonal3D, (2, 2, 2, 2, 3)),
    ],
)
def test_kernels_keep_lengths(kind: Any, shape: tuple[int, ...]) -> None:
    initializer = kind(gain=3.14, seed=7, dtype=tf.float64)
    assert initializer.get_config() == {"gain": 3.14, "seed": 7, "dtype": "float64"}
    with tf.Graph().as_default(), tf.Session() as session:
        kernel = session.run(initializer(shape))
    assert kernel.shape == shape and _length_ratio(kernel) == pytest.approx(3.14)


@pytest.mark.parametrize(
    ("kind", "shape", "error"),
    [
        (initializers.ConvolutionDeltaOrthogonal, (3, 3), "at least three-dimensional"),
        (initializers.ConvolutionOrthogonal2D, (3, 3, 4), "must be four-dimensional"),
        (initializers.ConvolutionOrthogonal2D, (3, 3, 4, 2), "In_filters cannot be greater"),
        (initializers.ConvolutionOrthogonal2D, (3, 2, 2, 4), "Kernel sizes must be equal"),
    ],
)
def test_shapes_that_do_not_fit(kind: Any, shape: tuple[int, ...], error: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=error):
        kind()(shape)
