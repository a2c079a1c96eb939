"""Gradients of random nests of conditionals and loops: TensorFlow's nodes, and right values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dataflow as tf
from tests.control_flow.conftest import PATHS, ControlFlowPath
from tests.control_flow.random_graphs import nests
from tests.differentiation.both import assert_same_graph
from tests.rounds import rounds


def loss_of(tf: Any, nest: nests.Block, xs: list[Any]) -> Any:
    """A scalar that depends on the newest values of a nest."""
    values = nests.evaluate(nests.Graph(tf), nest, xs)
    return tf.reduce_sum(tf.sin(values[-1])) + tf.reduce_sum(values[-2] * values[-2])


def plain_loss(nest: nests.Block, xs: np.ndarray) -> float:
    """The same, computed in Python."""
    values = nests.evaluate(nests.Plain(), nest, list(xs))
    return float(np.sum(np.sin(values[-1])) + np.sum(values[-2] * values[-2]))


@rounds(60)
@given(nests.NESTS, st.booleans(), st.booleans())
def test_same_nodes_as_tensorflow(nest: nests.Block, static: bool, colocate: bool) -> None:
    def program(tf: Any) -> Any:
        xs = two_matrices(tf, tf.float32, static)
        return tf.gradients(loss_of(tf, nest, xs), xs, colocate_gradients_with_ops=colocate)

    assert_same_graph(program, values=False)


@pytest.mark.parametrize("way", PATHS)
@rounds(60)
@given(nests.NESTS, st.integers(0, 2**32 - 1), st.booleans())
def test_values_and_finite_differences(
    way: str, nest: nests.Block, seed: int, static: bool
) -> None:
    starts = np.random.default_rng(seed).uniform(-1, 1, (2, 2, 2))
    with tf.Graph().as_default() as graph:
        xs = two_matrices(tf, tf.float64, static)
        loss = loss_of(tf, nest, xs)
        grads = tf.gradients(loss, xs, unconnected_gradients="zero")
        with ControlFlowPath(way).session(graph=graph) as session:
            feeds = dict(zip(xs, starts, strict=True))
            value, *found = session.run([loss, *grads], feeds)
    np.testing.assert_allclose(value, plain_loss(nest, starts), rtol=1e-9)
    np.testing.assert_allclose(found, differences(nest, starts), rtol=2e-5, atol=2e-6)


def differences(nest: nests.Block, starts: np.ndarray) -> np.ndarray:
    """The derivatives of the loss by each element, from values on both sides."""
    step = 1e-6
    found = np.empty_like(starts)
    for place in np.ndindex(starts.shape):
        moved = [starts.copy(), starts.copy()]
        moved[0][place] += step
        moved[1][place] -= step
        ahead, behind = (plain_loss(nest, each) for each in moved)
        found[place] = (ahead - behind) / (2 * step)
    return found


def two_matrices(tf: Any, dtype: Any, static: bool) -> list[Any]:
    shape = [2, 2] if static else [None, None]
    return [tf.placeholder(dtype, shape, name=name) for name in ("x", "w")]
