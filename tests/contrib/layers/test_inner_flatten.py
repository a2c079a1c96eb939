"""The last dimensions of tensors joined; values are TensorFlow 1.15's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib.layers.shapes_and_norms import inner_flatten


@pytest.mark.parametrize(
    ("known", "new_rank", "wanted"),
    [
        ([2, 3, 4], 2, [2, 12]),
        ([2, None, 4], 2, [2, None]),
        ([None, 3, 4], 2, [None, 12]),
        (None, 2, None),
        ([2, 3, 4], 1, [24]),
        ([2, 3, 4], 3, [2, 3, 4]),
    ],
)
def test_tensors(known: Any, new_rank: int, wanted: Any) -> None:
    values = np.arange(24.0).reshape(2, 3, 4)
    with tf.Graph().as_default():
        given = tf.placeholder_with_default(values, known)
        made = inner_flatten(given, new_rank, output_collections="flat")
        assert tf.get_collection("flat") == [made] and made.op.name.startswith("InnerFlatten/")
        assert (None if made.shape.rank is None else made.shape.as_list()) == wanted
        with tf.Session() as session:
            found = session.run(made)
    assert np.array_equal(found, values.reshape(*values.shape[: new_rank - 1], -1))


def test_sparse_tensors() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        made = session.run(inner_flatten(tf.SparseTensor([[0, 1, 2]], [7.0], [2, 2, 3]), 2))
    assert made.indices.tolist() == [[0, 5]] and made.dense_shape.tolist() == [2, 6]
    assert made.values.tolist() == [7.0]


def test_refusals() -> None:
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="inputs has rank less than new_rank"):
            inner_flatten(tf.zeros([2]), 3)
        with pytest.raises(ValueError, match=r"at least 5\. Received rank 3"):
            inner_flatten(tf.SparseTensor([[0, 1, 2]], [7.0], [2, 2, 3]), 5)
