"""Features of forests: sparse ones, columns by name, bagged ones; labels by name.

Numbers are what TensorFlow 1.15 gives on one thread.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib.tensor_forest.python import tensor_forest
from dataflow.contrib.tensor_forest.python.ops import data_ops, gen_model_ops, tensor_forest_ops
from dataflow.errors import InvalidArgumentError
from dataflow.variables.resources import initialize_resources, shared_resources
from tests.contrib.tensor_forest.forests import digest, nodes_of

_DRAWN = np.random.RandomState(0)
_DENSE = np.round(_DRAWN.randn(400, 4), 2).astype(np.float32)
_SPARSE = (_DRAWN.rand(400, 9) < 0.5) * _DRAWN.randint(1, 4, (400, 9)).astype(np.float32)
_SPARSE[:, 0] = 1
_LABELS = ((_SPARSE[:, 3] > 1) + (_DENSE[:, 0] > 0)).astype(np.float32)


@pytest.mark.parametrize(
    ("is_mixed", "expected"),
    [
        (False, ([43, 45], [2987076056, 2751487288])),
        (True, ([39, 39], [2206119747, 1665480219])),
    ],
)
def test_sparse_features(is_mixed: bool, expected: Any) -> None:
    with tf.Graph().as_default():
        kind = tf.int32 if is_mixed else tf.float32
        indices, values = tf.placeholder(tf.int64, [None, 2]), tf.placeholder(kind, [None])
        sparse = tf.SparseTensor(indices, values, tf.constant([100, 9], tf.int64))
        dense = tf.placeholder(tf.float32, [None, 4])
        labels = tf.placeholder(tf.float32, [None] if is_mixed else [None, 1])
        params = tensor_forest.ForestHParams(
            num_classes=3,
            num_features=13,
            num_trees=2,
            max_nodes=80,
            split_after_samples=20,
            base_random_seed=7,
            num_splits_to_consider=6,
        ).fill()
        forest = tensor_forest.RandomForestGraphs(params)
        inputs = {"d": dense, "s": sparse} if is_mixed else sparse
        train = forest.training_graph(inputs, labels)
        trees = [gen_model_ops.tree_serialize(forest.variables[i].tree) for i in range(2)]
        with tf.Session() as session:
            session.run(initialize_resources(shared_resources()))
            for first in [0, 100, 200, 300] * 3:
                part = slice(first, first + 100)
                matrix, answers = _SPARSE[part], _LABELS[part]
                fed = {indices: np.argwhere(matrix), values: matrix[matrix != 0]}
                fed[labels] = answers if is_mixed else answers[:, None]
                session.run(train, {**fed, dense: _DENSE[part]})
            found = [nodes_of(tree) for tree in session.run(trees)]
    digests = [digest("\n".join(tree)) for tree in found]
    assert ([len(tree) for tree in found], digests) == expected


def test_examples_without_features_make_no_candidates() -> None:
    """TensorFlow reads beyond its memory there."""
    with tf.Graph().as_default():
        rows = tf.SparseTensor([[1, 0], [3, 2]], [1.0, 2.0], [5, 3])
        params = tensor_forest.ForestHParams(num_classes=2, num_features=3, num_trees=1).fill()
        forest = tensor_forest.RandomForestGraphs(params)
        train = forest.training_graph(rows, [0, 1, 0, 1, 1])
        size, predicted = forest.average_size(), forest.inference_graph(rows)[0]
        with tf.Session() as session:
            session.run(initialize_resources(shared_resources()))
            for _ in range(3):
                session.run(train)
            assert session.run(size) == 1
            np.testing.assert_allclose(session.run(predicted), [[0.4, 0.6]] * 5, rtol=1e-6)


def test_what_is_told_of_columns() -> None:
    with tf.Graph().as_default():
        columns = {
            "b": tf.constant([["x"], ["y"]]),
            "a": tf.constant([[1.0, 2.0]] * 2),
            "c": tf.SparseTensor([[0, 1]], tf.constant([5], tf.int64), [2, 3]),
            "d": tf.SparseTensor([[0, 1]], [5.0], [2, 3]),
            "e": tf.SparseTensor([[1, 0]], ["x"], [2, 1]),
        }
        dense, sparse, spec = data_ops.ParseDataTensorOrDict(columns)
        assert spec.SerializeToString() == (
            "dense_features_size: 3 dense: [{name: a original_type: 0 size: 2}"
            "{name: b original_type: 1 size: 1}] "
            "sparse: [{name: all_sparse original_type: 1 size: -1}]"
        )
        labels = data_ops.ParseLabelTensorOrDict({"b": [[1.0]], "a": tf.constant([[2.0]])})
        with tf.Session() as session:
            found, (indices, values, shape), answers = session.run([dense, sparse, labels])
        assert found[:, :2].tolist() == [[1, 2]] * 2 and found[0, 2] != found[1, 2]
        assert indices.tolist() == [[0, 1], [1, 3]] and values[0] == 5 and shape.tolist() == [2, 4]
        assert answers.tolist() == [[2, 1]]
    assert data_ops.ParseDataTensorOrDict(tf.SparseTensor([[0, 1]], [5.0], [2, 3]))[0] is None
    assert data_ops.GetColumnName(("x",), 3) == "3"


def test_strings_become_their_hashes() -> None:
    texts = ["", "a", "abc", "abcdefgh", "abcdefghi", "a much longer string than eight bytes"]
    expected = [
        *(6.142509119745032e18, 4.993892752916742e18, 3.6637266753775206e18),
        *(8.664279170223702e18, 1.3036955550028399e19, 4.267817880009048e18),
    ]
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(tensor_forest_ops.reinterpret_string_to_float([texts]))
    assert found.tolist() == [expected]


def test_sums_at_places_of_a_variable() -> None:
    with tf.Graph().as_default():
        variable = tf.Variable(np.zeros((2, 3, 2), np.float32), use_resource=False)
        places, deltas = tf.placeholder(tf.int32), tf.placeholder(tf.float32)
        add = tensor_forest_ops.scatter_add_ndim(variable, places, deltas)
        with tf.Session() as session:
            session.run(variable.initializer)
            session.run(add, {places: [[0, 1], [1, 2], [0, 1]], deltas: [[1, 2], [3, 4], [5, 6]]})
            session.run(add, {places: np.zeros((0, 2)), deltas: np.zeros((0, 2))})
            expected = np.zeros((2, 3, 2))
            expected[0, 1], expected[1, 2] = (6, 8), (3, 4)
            assert (session.run(variable) == expected).all()
            for bad, given, text in (
                ([0, 1], [[1, 2]], "indices should be two-dimensional"),
                ([[0, 1]], [1.0], "same as input rank"),
                ([[0, 1]], [[1.0, 2], [3, 4]], "Number of updates should be same"),
                ([[0, 3]], [[1.0, 2]], "is not in an input of shape"),
            ):
                with pytest.raises(InvalidArgumentError, match=text):
                    session.run(add, {places: bad, deltas: given})


def test_bagged_features_and_examples() -> None:
    """Trees see their own columns only: 1.15 reads the next rows' for what is missing."""
    numbers = _DENSE[:, :4]
    labels = (numbers[:, 0] > 0).astype(np.int32)
    params = tensor_forest.ForestHParams(
        num_classes=2,
        num_features=4,
        num_trees=4,
        feature_bagging_fraction=0.5,
        bagging_fraction=0.5,
        split_after_samples=20,
        base_random_seed=3,
    ).fill()
    assert [len({*each}) for each in params.bagged_features] == [2] * 4
    with tf.Graph().as_default():
        forest = tensor_forest.RandomForestGraphs(params)
        train = forest.training_graph(tf.constant(numbers), tf.constant(labels))
        trees = [gen_model_ops.tree_serialize(forest.variables[i].tree) for i in range(4)]
        chances = forest.inference_graph(tf.constant(numbers))[0]
        with tf.Session() as session:
            session.run(initialize_resources(shared_resources()))
            for _ in range(6):
                session.run(train)
            found, predicted = session.run([trees, chances])
    texts = ["\n".join(nodes_of(tree)) for tree in found]
    assert all('value: "2"' not in text and 'value: "3"' not in text for text in texts)
    knows = [0 in each for each in params.bagged_features]
    assert not any(knows) or (predicted.argmax(1) == labels).mean() > 0.7
    with pytest.raises(NotImplementedError, match="Bagging not supported with sparse"):
        forest.training_graph(tf.SparseTensor([[0, 0]], [1.0], [1, 4]), [0])


@pytest.mark.parametrize(
    ("features", "error", "text"),
    [
        (lambda: tf.placeholder(tf.float32, [None, None]), ValueError, "second dimension"),
        (lambda: tf.placeholder(tf.bool, [None, 2]), KeyError, "have type bool"),
        (lambda: {"a": tf.placeholder(tf.uint8, [None, 2])}, KeyError, "Column 'a' have type"),
    ],
)
def test_features_that_are_refused(features: Any, error: type[Exception], text: str) -> None:
    with tf.Graph().as_default(), pytest.raises(error, match=text):
        data_ops.ParseDataTensorOrDict(features())
