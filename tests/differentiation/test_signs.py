"""Gradients that treat the signs of what comes in apart, and axes counted from both ends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.differentiation.both import assert_same_graph

_X = np.array([[0.5, -1.0, 2.0], [1.5, 0.0, -0.5]], np.float32)
_DY = np.array([[1.0, -2.0, 0.5], [-0.25, 3.0, -1.0]], np.float32)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("reverse", [False, True])
def test_cumulative_logsumexp(reverse: bool, axis: int) -> None:
    def program(tf: Any) -> Any:
        x = tf.constant(_X)
        y = tf.math.cumulative_logsumexp(x, axis=axis, reverse=reverse)
        return tf.gradients(y, x, [tf.constant(_DY)])

    assert_same_graph(program)


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_along_every_axis(name: str, rank: int) -> None:
    def program(tf: Any) -> Any:
        x = tf.constant(np.arange(2.0 * 3.0 * 2.0, dtype=np.float32).reshape((12, 1, 1)[:rank]))
        made = [getattr(tf.nn, name)(x, axis=axis) for axis in range(-rank, rank)]
        return [*made, *tf.gradients(made, x)]

    assert_same_graph(program)
