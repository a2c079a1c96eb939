"""Trees as resources: those that are given, checkpoints on every target, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib.tensor_forest.python import tensor_forest
from dataflow.contrib.tensor_forest.python.ops import gen_model_ops, gen_stats_ops, model_ops
from dataflow.errors import InvalidArgumentError, NotFoundError, UnimplementedError
from dataflow.proto.fertile_stats_pb2 import TreePath
from dataflow.proto.generic_tree_model_extensions_pb2 import MatchingValuesTest
from dataflow.proto.generic_tree_model_pb2 import Model
from dataflow.proto.tensor_forest_params_pb2 import TensorForestParams
from dataflow.variables.resources import initialize_resources, shared_resources
from tests.contrib.tensor_forest.forests import CLASSES, NUMBERS

_SPEC = "dense_features_size: 3 dense: [{name: a original_type: 0 size: 3}] sparse: []"


def _model() -> Model:
    """A sum of features is tested at the root, values that are not to match below it."""
    model = Model()
    root = model.decision_tree.nodes.add().binary_node
    root.left_child_id.value, root.right_child_id.value = 1, 2
    test = root.inequality_left_child_test
    for feature in "02":
        test.oblique.features.add().id.value = feature
    test.oblique.weights.extend([1, -2])
    test.threshold.float_value = 0.5
    matching = MatchingValuesTest(inverse=True)
    matching.feature_id.id.value = "1"
    for value in (2, 5):
        matching.value.add().float_value = value
    for place, counts in ((1, (3, 1)), (2, ()), (3, (0, 3)), (4, (0, 0))):
        node = model.decision_tree.nodes.add()
        node.node_id.value = place
        for count in counts:
            node.leaf.vector.value.add().float_value = count
    inner = model.decision_tree.nodes[2].binary_node
    inner.left_child_id.value, inner.right_child_id.value = 3, 4
    custom = inner.custom_left_child_test
    custom.type_url = "type.googleapis.com/tensorflow.decision_trees.MatchingValuesTest"
    custom.value = matching.SerializeToString()
    return model


def _params(**given: Any) -> Any:
    given = {"num_classes": 2, "num_features": 3, "num_trees": 1, **given}
    return tensor_forest.ForestHParams(**given).fill()


def test_a_tree_that_is_given() -> None:
    """Predictions and importances are those of TensorFlow 1.15."""
    rows = [[0, 0, 0], [1, 2, 0], [1, 3, 0], [3, 5, 1], [9, 1, 1], [np.nan, 2, 0]]
    given = _model().SerializeToString()
    params = _params(inference_tree_paths=True)
    with tf.Graph().as_default():
        forest = tensor_forest.RandomForestGraphs(params, tree_configs=[given], training=False)
        assert forest.get_all_resource_handles()[1] is None
        chances, paths, variance = forest.inference_graph(tf.constant(rows, tf.float32))
        fetches = [chances, forest.feature_importances(), forest.average_size(), paths, variance]
        fetches.append(model_ops.gen_model_ops.tree_serialize(forest.variables[0].tree))
        with tf.Session() as session:
            with pytest.raises(NotFoundError, match="DecisionTreeResource"):
                session.run(fetches[2])
            session.run(initialize_resources(shared_resources()))
            *found, ways, spread, kept = session.run(fetches)
    expected = [[0.75, 0.25], [0, 0], [0, 1], [0, 0], [0, 1], [0, 0]]
    assert found[0].tolist() == expected and found[2] == 5
    np.testing.assert_allclose(found[1], [1 / 3] * 3)
    assert kept == given and not spread.any()
    passed = [TreePath.FromString(way).nodes_visited for way in ways[:, 0]]
    numbers = [[node.node_id.value for node in path] for path in passed]
    assert numbers == [[0, 1], [0, 2, 4], [0, 2, 3], [0, 2, 4], [0, 2, 3], [0, 2, 4]]


def _change(change: Any) -> bytes:
    model = _model()
    change(model.decision_tree.nodes)
    return model.SerializeToString()


def _set_child(nodes: Any, child: int) -> None:
    nodes[2].binary_node.left_child_id.value = child


def _set_url(nodes: Any) -> None:
    nodes[2].binary_node.custom_left_child_test.type_url = "a/b.Other"


def _set_feature(nodes: Any) -> None:
    nodes[0].binary_node.inequality_left_child_test.feature_id.id.value = "x"


@pytest.mark.parametrize(
    ("config", "text"),
    [
        (b"\xff", "Unable to parse tree  config."),
        (_change(lambda nodes: _set_child(nodes, 9)), "Node 2 has child 9, and the tree 5 nodes"),
        (_change(lambda nodes: _set_child(nodes, 1)), "Node 1 cannot be a child of node 2"),
        (_change(_set_url), "Unknown split test of node 2"),
        (_change(_set_feature), "tests a feature 'x' that is no number"),
        (
            _change(lambda nodes: nodes[1].leaf.vector.value.pop()),
            "The leaf of node 1 has 1 values, the forest 2 outputs",
        ),
    ],
)
def test_trees_that_are_refused(config: bytes, text: str) -> None:
    with tf.Graph().as_default():
        tensor_forest.RandomForestGraphs(_params(), tree_configs=[config], training=False)
        create = initialize_resources(shared_resources())
        with tf.Session() as session, pytest.raises(InvalidArgumentError, match=text):
            session.run(create)


def test_numbers_that_are_refused() -> None:
    params = _params(max_nodes=3)
    text = "Got label {} outside of .0, 2., the indicated number of classes"
    with tf.Graph().as_default():
        forest = tensor_forest.RandomForestGraphs(params)
        tree, stats = forest.variables[0].tree, forest.variables[0].stats
        serialized = params.serialized_params_proto
        rows = tf.placeholder(tf.float32, [None, 3])
        labels, leaves = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.int32, [None])
        update = gen_model_ops.update_model_v4(tree, leaves, labels, [], params=serialized)
        process = gen_stats_ops.process_input_v4(
            *(tree, stats, rows, [], [], [], labels, [], leaves),
            random_seed=1,
            input_spec=_SPEC,
            params=serialized,
        )
        grow = gen_stats_ops.grow_tree_v4(tree, stats, leaves, params=serialized)
        finish = gen_stats_ops.finalize_tree(tree, stats, params=serialized)
        three = np.zeros((3, 3), np.float32)
        with tf.Session() as session:
            session.run(initialize_resources(shared_resources()))
            for op in (update, process):
                for wrong, told in ((2, "2"), (-1, "-1"), (np.nan, "nan")):
                    fed = {rows: three[:1], labels: [wrong], leaves: [0]}
                    with pytest.raises(InvalidArgumentError, match=text.format(told)):
                        session.run(op, fed)
            for op, fed, told in (
                (update, {labels: [0, 1], leaves: [0]}, "2 labels and the leaves of 1"),
                (update, {labels: [0], leaves: [7]}, r"Nodes must be in .0, 1."),
                (process, {rows: three, labels: [0], leaves: [0]}, "3 examples and 1 labels"),
                (
                    process,
                    {rows: three[:1], labels: [0], leaves: [4]},
                    "Nothing is counted for node 4",
                ),
                (grow, {leaves: [4]}, "Nothing is counted for node 4"),
            ):
                with pytest.raises(InvalidArgumentError, match=told):
                    session.run(op, fed)
            with pytest.raises(UnimplementedError, match="FinalizeTreeOp is disabled"):
                session.run(finish)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"model_name": "sparse_then_dense"}, "Unknown grow stats type STATS_SPARSE_THEN_DENSE"),
        ({"split_finish_name": "hoeffding"}, "min_split_samples are required"),
        ({"split_after_samples": " "}, "split_after_samples has no value"),
        ({"param_file": "collection_type: GRAPH_RUNNER_COLLECTION"}, "GRAPH_RUNNER_COLLECTION"),
        (
            {"param_file": "stats_type: STATS_FIXED_SIZE_SPARSE_GINI"},
            "num_classes_to_track must be set",
        ),
    ],
)
def test_statistics_that_are_refused(given: Any, text: str, tmp_path: Path) -> None:
    if "param_file" in given:
        (tmp_path / "params").write_text(given["param_file"])
        given = {"param_file": tmp_path / "params"}
    with tf.Graph().as_default():
        tensor_forest.RandomForestGraphs(_params(**given))
        create = initialize_resources(shared_resources())
        with tf.Session() as session, pytest.raises(InvalidArgumentError, match=text):
            session.run(create)


def test_checkpoints(session_factory: Any, tmp_path: Path) -> None:
    """A forest that goes on from a checkpoint ends as one that was not interrupted."""
    rows, labels = tf.placeholder(tf.float32, [None, 7]), tf.placeholder(tf.int32, [None])
    params = tensor_forest.ForestHParams(
        num_classes=3,
        num_features=7,
        num_trees=2,
        split_after_samples=30,
        base_random_seed=4,
        checkpoint_stats=True,
    ).fill()
    forest = tensor_forest.RandomForestGraphs(params)
    train = forest.training_graph(rows, labels)
    handles = [forest.variables[place].tree for place in range(2)]
    trees = [gen_model_ops.tree_serialize(handle) for handle in handles]
    is_there = gen_model_ops.tree_is_initialized_op(handles[0])
    saver = tf.train.Saver()

    def run(session: Any, first: int, last: int) -> None:
        for begin in range(first, last, 100):
            part = slice(begin, begin + 100)
            session.run(train, {rows: NUMBERS[part], labels: CLASSES[part].astype(np.int32)})

    with session_factory() as session:
        assert not session.run(is_there)
        session.run(tf.global_variables_initializer())
        session.run(initialize_resources(shared_resources()))
        assert session.run(is_there)
        run(session, 0, 300)
        path = saver.save(session, str(tmp_path / "forest"))
        run(session, 300, 600)
        expected = session.run(trees)
    reader = tf.train.NewCheckpointReader(path)
    names = ["stats-0:0", "stats-1:0", "tree-0:0", "tree-1:0"]
    assert sorted(reader.get_variable_to_shape_map()) == [
        *("device_dummy_0", "device_dummy_1"),
        *names,
    ]
    with session_factory() as session:
        saver.restore(session, path)
        run(session, 300, 600)
        assert session.run(trees) == expected
        assert min(map(len, expected)) > 400


def test_parameters_that_cannot_be_read() -> None:
    with tf.Graph().as_default():
        handle = gen_model_ops.decision_tree_resource_handle_op()
        create = gen_model_ops.create_tree_variable(handle, b"", params=b"\xff")
        spec = gen_model_ops.traverse_tree_v4(
            handle, [[0.0]], [], [], [], input_spec="?", params=b""
        )
        with tf.Session() as session:
            with pytest.raises(InvalidArgumentError, match="Unable to parse the forest's"):
                session.run(create)
            with pytest.raises(InvalidArgumentError, match="input_spec must be like"):
                session.run(spec)
    assert TensorForestParams().num_trees == 0
