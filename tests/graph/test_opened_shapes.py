"""Tensors whose static shape a program replaces, as those do that open the batch of a graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.conftest import SessionFactory


def _by_dict(tensor: Any, shape: tf.TensorShape) -> None:
    tensor.__dict__["_shape_val"] = shape


def _by_name(tensor: Any, shape: tf.TensorShape) -> None:
    tensor._shape_val = shape


def _by_older_name(tensor: Any, shape: tf.TensorShape) -> None:
    tensor._shape = shape


def _closed() -> tf.GraphDef:
    """A graph for batches of one."""
    with tf.Graph().as_default() as graph:
        image = tf.placeholder(tf.float32, [1, 4, 4, 1], name="image")
        tf.nn.avg_pool(tf.nn.relu(image), [1, 2, 2, 1], [1, 2, 2, 1], "VALID", name="pool")
        return graph.as_graph_def()


@pytest.mark.parametrize("replace", [_by_dict, _by_name, _by_older_name])
def test_takes_larger_batches(
    replace: Callable[[Any, tf.TensorShape], None], session_factory: SessionFactory
) -> None:
    tf.import_graph_def(_closed(), name="net")
    graph = tf.get_default_graph()
    for operation in graph.get_operations():
        for tensor in operation.outputs:
            replace(tensor, tf.TensorShape([None, *tensor.shape.as_list()[1:]]))
    pool = graph.get_tensor_by_name("net/pool:0")
    assert pool.shape.as_list() == pool.get_shape().as_list() == [None, 2, 2, 1]
    assert (pool + 1.0).shape.as_list() == [None, 2, 2, 1]
    images = np.arange(48, dtype=np.float32).reshape(3, 4, 4, 1) - 20.0
    wanted = np.maximum(images, 0.0).reshape(3, 2, 2, 2, 2, 1).mean((2, 4))
    found = session_factory().run(pool, {"net/image:0": images})
    np.testing.assert_array_equal(found, wanted)


def test_is_told_more_afterwards() -> None:
    with tf.Graph().as_default():
        tensor = tf.placeholder(tf.float32, [1, 4])
        tensor.__dict__["_shape_val"] = tf.TensorShape([None, 4])
        tensor.set_shape([3, None])
        assert tensor.shape.as_list() == [3, 4]
        assert repr(tensor) == "<tf.Tensor 'Placeholder:0' shape=(3, 4) dtype=float32>"
