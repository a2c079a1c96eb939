"""Tensors of more than 32 dimensions are refused, by name, wherever their shape comes in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.values.shapes import MAX_RANK

MOST = (1,) * MAX_RANK
"""Sizes of a tensor that is just supported."""
MANY = [*range(MAX_RANK + 1, MAX_RANK + 4), 64, 65, 100]
"""Ranks that are not, up to those that numpy has and beyond."""


def _refused(name: str, error: Any = tf.errors.InvalidArgumentError) -> Any:
    return pytest.raises(error, match=rf"(?s){name}.*dimensions|dimensions.*{name}")


def test_numpy_has_arrays_of_as_many_dimensions() -> None:
    assert np.ones(MOST).ndim == MAX_RANK
    # Its parts that go through elements one by one take no more than these.
    assert len(list(np.ones(MOST).flat)) == 1


@pytest.mark.parametrize("rank", [33, 40, 64])
def test_feeds(rank: int) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, name="wide")
        with _refused("wide:0"):
            session.run(x + 1.0, {x: np.ones((1,) * rank, np.float32)})
        assert session.run(x + 1.0, {x: np.ones(MOST, np.float32)}).shape == MOST


STATIC: dict[str, Callable[[int], Any]] = {
    "constant": lambda n: tf.constant(1.0, shape=[1] * n, name="it"),
    "placeholder": lambda n: tf.placeholder(tf.float32, [1] * n, name="it"),
    "variable": lambda n: tf.raw_ops.VariableV2(shape=[1] * n, dtype=tf.float32, name="it"),
    "fill": lambda n: tf.fill([1] * n, 0.0, name="it"),
    "reshape": lambda n: tf.reshape(1.0, [1] * n, name="it"),
    "random": lambda n: tf.random_uniform([1] * n, name="it"),
}


@pytest.mark.parametrize("rank", MANY)
@pytest.mark.parametrize("how", STATIC)
def test_what_is_known_when_the_graph_is_built(how: str, rank: int) -> None:
    with tf.Graph().as_default():
        with _refused("it"):
            STATIC[how](rank)
        # TensorFlow's front end raises ValueError.
        with _refused("it", ValueError):
            STATIC[how](rank)
        STATIC[how](MAX_RANK)


def _indices(n: int) -> Any:
    return tf.zeros([0] if n == 0 else [1] * n, tf.int32)


def _reshaped(rank: Any) -> Any:
    """A tensor of a rank that only the run knows."""
    return tf.reshape(tf.ones([1]), tf.fill([rank], 1))


GROWING: dict[str, Callable[[Any], Any]] = {
    "reshape": lambda n: tf.reshape(1.0, tf.fill([n], 1), name="it"),
    "expand_dims": lambda n: tf.expand_dims(_reshaped(n - 1), 0, name="it"),
    "broadcast_to": lambda n: tf.broadcast_to(1.0, tf.fill([n], 1), name="it"),
    "fill": lambda n: tf.fill(tf.fill([n], 1), 1.0, name="it"),
    "stack": lambda n: tf.stack([_reshaped(n - 1)], name="it"),
    "gather": lambda n: tf.gather(
        _reshaped(20), tf.cast(_reshaped(n - 19), tf.int32) - 1, name="it"
    ),
    "gather_nd": lambda n: tf.gather_nd(
        _reshaped(20), tf.cast(_reshaped(n - 18), tf.int32) - 1, name="it"
    ),
    "one_hot": lambda n: tf.one_hot(tf.cast(_reshaped(n - 1), tf.int32), 1, name="it"),
    "new axis": lambda n: tf.identity(_reshaped(n - 1)[tf.newaxis], name="it"),
    "uniform": lambda n: tf.random_uniform(tf.fill([n], 1), name="it"),
    "normal": lambda n: tf.random_normal(tf.fill([n], 1), name="it"),
    "truncated": lambda n: tf.truncated_normal(tf.fill([n], 1), name="it"),
    "integers": lambda n: tf.random_uniform(tf.fill([n], 1), 0, 9, tf.int32, name="it"),
    "scatter": lambda n: tf.scatter_nd([[0]], tf.ones([1]), tf.fill([n], 1), name="it"),
    "matrices": lambda n: tf.matrix_diag(_reshaped(n - 1), name="it"),
}


@pytest.mark.parametrize("how", GROWING)
def test_results(how: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        rank = tf.placeholder(tf.int32, [])
        it = tf.identity(GROWING[how](rank))
        if how != "scatter":
            assert np.ndim(session.run(it, {rank: MAX_RANK})) == MAX_RANK
        for _ in range(3):
            # The first runs are interpreted, the others run generated code.
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[\[node \w*"):
                session.run(it, {rank: MAX_RANK + 1})


def test_imported_graphs() -> None:
    graph_def = tf.GraphDef()
    graph_def.versions.producer = 1000
    node = graph_def.node.add(name="wide", op="Placeholder")
    node.attr["dtype"].type = 1
    for _ in range(40):
        node.attr["shape"].shape.dim.add().size = 1
    with tf.Graph().as_default(), _refused("wide"):
        tf.import_graph_def(graph_def)
    node.op = "Const"
    del node.attr["shape"]
    node.attr["value"].tensor.dtype = 1
    node.attr["value"].tensor.float_val.append(1.0)
    for _ in range(40):
        node.attr["value"].tensor.tensor_shape.dim.add().size = 1
    with tf.Graph().as_default(), _refused("wide"):
        tf.import_graph_def(graph_def)


def test_sizes_beyond_any_memory_are_refused() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        sizes = tf.placeholder(tf.int64)
        for made in (tf.fill(sizes, 1.0, name="it"), tf.random_uniform(sizes, name="it")):
            with pytest.raises(
                (tf.errors.InvalidArgumentError, tf.errors.ResourceExhaustedError), match="node it"
            ):
                session.run(made, {sizes: [2**40, 2**40]})
