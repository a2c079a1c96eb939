"""Ensembles that grow by given splits, as messages; what TensorFlow 1.15 made of the same ones."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from google.protobuf import json_format, text_format

import dataflow as tf
from dataflow.library.boosted_trees import calls
from dataflow.library.boosted_trees.ensembles import TreeEnsemble
from dataflow.library.boosted_trees.pruning import PruningMode
from dataflow.proto import boosted_trees_pb2
from tests.kernels.boosted_trees.graphs import refusal

_Candidate = tuple[int, float, int, float, float]
"""Node, gain, threshold, contributions of both sides."""

_LEFT, _RIGHT, _EQUAL = (
    "INEQUALITY_DEFAULT_LEFT",
    "INEQUALITY_DEFAULT_RIGHT",
    "EQUALITY_DEFAULT_RIGHT",
)


def _message(text: str) -> boosted_trees_pb2.TreeEnsemble:
    return text_format.Parse(text, boosted_trees_pb2.TreeEnsemble())


def _columns(candidates: list[_Candidate]) -> list[Any]:
    nodes, gains, thresholds, left, right = zip(*candidates, strict=True)
    return [
        np.array(nodes, np.int32),
        np.array(gains, np.float32),
        np.array(thresholds, np.int32),
        np.array(left, np.float32).reshape(len(nodes), -1),
        np.array(right, np.float32).reshape(len(nodes), -1),
    ]


def _grow(
    handle: Any, layer: dict[int, list[_Candidate]], depth: int, mode: int = 0, rate: float = 0.1
) -> Any:
    """An op that adds a layer: candidates by the id of their feature."""
    columns = zip(*map(_columns, layer.values()), strict=True)
    return calls.update_ensemble(
        handle, list(layer), *map(list, columns), depth, rate, pruning_mode=mode
    )


def _grown(
    *layers: dict[int, list[_Candidate]], start: str = "", depth: int = 2, mode: int = 0
) -> tuple[int, boosted_trees_pb2.TreeEnsemble]:
    """The stamp and the message after some layers."""
    with tf.Graph().as_default(), tf.Session() as session:
        serialized = _message(start).SerializeToString()
        ensemble = TreeEnsemble("ensemble", serialized_proto=serialized)
        session.run(ensemble.initializer)
        for layer in layers:
            session.run(_grow(ensemble.resource_handle, layer, depth, mode))
        stamp, data = session.run(ensemble.serialize())
    return int(stamp), boosted_trees_pb2.TreeEnsemble.FromString(data)


def _assert_like(found: Any, expected: str) -> None:
    """The same messages, to five digits."""
    assert _rounded(found) == _rounded(_message(expected))


def _rounded(message: Any) -> Any:
    return json.loads(
        json_format.MessageToJson(message), parse_float=lambda text: float(f"{float(text):.5g}")
    )


_ROOT = """
  trees {
    nodes { bucketized_split { feature_id: 4 left_id: 1 right_id: 2 } metadata { gain: 7.62 } }
    nodes { leaf { scalar: 0.714 } }
    nodes { leaf { scalar: -0.4375 } }
  }
  tree_weights: 1.0
  tree_metadata { num_layers_grown: 1 }
  growing_metadata { num_trees_attempted: 1 num_layers_attempted: 1 }
"""


def test_a_first_tree() -> None:
    """The best of three features; the tree is done, and another one begins."""
    stamp, found = _grown(
        {
            0: [(0, 7.62, 52, -4.375, 7.143)],
            2: [(0, 0.63, 23, -0.6, 0.24)],
            6: [(0, 7.65, 7, -4.89, 5.3)],
        },
        depth=1,
    )
    assert stamp == 1
    _assert_like(
        found,
        """
        trees {
          nodes {
            bucketized_split { feature_id: 6 threshold: 7 left_id: 1 right_id: 2 }
            metadata { gain: 7.65 }
          }
          nodes { leaf { scalar: -0.489 } }
          nodes { leaf { scalar: 0.53 } }
        }
        trees { nodes { leaf {} } }
        tree_weights: 1.0
        tree_weights: 1.0
        tree_metadata { num_layers_grown: 1 is_finalized: true }
        tree_metadata {}
        growing_metadata {
          num_trees_attempted: 1 num_layers_attempted: 1 last_layer_node_end: 1
        }
        """,
    )


def test_a_second_layer() -> None:
    """Each node has the best of its own candidates, whose leaves add to what it was."""
    _, found = _grown(
        {
            0: [(1, 1.4, 21, -6.0, 1.65)],
            1: [(1, 0.63, 23, -0.6, 0.24), (2, 2.7, 7, -1.5, 2.3)],
            5: [(2, 1.7, 3, -0.75, 1.93)],
        },
        start=_ROOT,
        depth=3,
    )
    _assert_like(
        found,
        """
        trees {
          nodes {
            bucketized_split { feature_id: 4 left_id: 1 right_id: 2 } metadata { gain: 7.62 }
          }
          nodes {
            bucketized_split { threshold: 21 left_id: 3 right_id: 4 }
            metadata { gain: 1.4 original_leaf { scalar: 0.714 } }
          }
          nodes {
            bucketized_split { feature_id: 1 threshold: 7 left_id: 5 right_id: 6 }
            metadata { gain: 2.7 original_leaf { scalar: -0.4375 } }
          }
          nodes { leaf { scalar: 0.114 } }
          nodes { leaf { scalar: 0.879 } }
          nodes { leaf { scalar: -0.5875 } }
          nodes { leaf { scalar: -0.2075 } }
        }
        tree_weights: 1.0
        tree_metadata { num_layers_grown: 2 }
        growing_metadata {
          num_trees_attempted: 1 num_layers_attempted: 2
          last_layer_node_start: 3 last_layer_node_end: 7
        }
        """,
    )


def test_what_a_leaf_without_a_value_was() -> None:
    """Is told of all nodes but the root."""
    layers = {0: [(0, 1.0, 0, 0.0, 0.0)]}, {0: [(1, 1.0, 0, 1.0, 2.0)]}
    _, found = _grown(*layers, depth=3)
    root, left, right = found.trees[0].nodes[:3]
    assert not root.metadata.HasField("original_leaf")
    assert left.metadata.HasField("original_leaf")
    assert right.HasField("leaf")


def test_of_equal_gains_the_least_feature_counts() -> None:
    split = [(0, 2.0, 1, -1.0, 1.0)]
    for order in ([5, 3, 9], [3, 9, 5], [9, 5, 3]):
        _, found = _grown(dict.fromkeys(order, split))
        assert found.trees[0].nodes[0].bucketized_split.feature_id == 3


def test_nothing_to_split_by() -> None:
    """Counts as an attempt, and leaves the tree alone."""
    with tf.Graph().as_default(), tf.Session() as session:
        ensemble = TreeEnsemble("ensemble")
        session.run(ensemble.initializer)
        empty = [[column[:0]] for column in _columns([(0, 0, 0, 0, 0)])]
        grow = calls.update_ensemble(ensemble.resource_handle, [0], *empty, 2, 0.1, pruning_mode=0)
        session.run(grow)
        states = session.run(ensemble.get_states())
    assert [int(number) for number in states[:4]] == [1, 1, 0, 1]
    assert states[4].tolist() == [0, 1]


def test_pre_pruning_leaves_out_what_loses() -> None:
    layer = {0: [(1, -0.2, 5, 1.0, 2.0)], 1: [(2, 0.0, 6, 3.0, 4.0)]}
    _, found = _grown(layer, start=_ROOT, mode=PruningMode.PRE_PRUNING, depth=3)
    assert len(found.trees[0].nodes) == 5
    assert found.trees[0].nodes[1].HasField("leaf")
    assert found.growing_metadata.last_layer_node_start == 3
    _, found = _grown({0: layer[0]}, start=_ROOT, mode=PruningMode.PRE_PRUNING, depth=3)
    assert len(found.trees[0].nodes) == 3
    assert found.tree_metadata[0].num_layers_grown == 1
    assert found.growing_metadata.num_layers_attempted == 2


def test_post_pruning_takes_back_what_lost() -> None:
    """A node that lost stays where one below it gained; who was below a pruned node is told."""
    _, found = _grown(
        {1: [(0, -1.0, 4, 5.0, 10.0)]},
        {2: [(1, -2.0, 5, 1.0, 2.0), (2, 3.0, 6, 3.0, 4.0)]},
        mode=PruningMode.POST_PRUNING,
    )
    _assert_like(
        found,
        """
        trees {
          nodes {
            bucketized_split { feature_id: 1 threshold: 4 left_id: 1 right_id: 2 }
            metadata { gain: -1.0 }
          }
          nodes { leaf { scalar: 0.5 } }
          nodes {
            bucketized_split { feature_id: 2 threshold: 6 left_id: 3 right_id: 4 }
            metadata { gain: 3.0 original_leaf { scalar: 1.0 } }
          }
          nodes { leaf { scalar: 1.3 } }
          nodes { leaf { scalar: 1.4 } }
        }
        trees { nodes { leaf {} } }
        tree_weights: 1.0
        tree_weights: 1.0
        tree_metadata {
          num_layers_grown: 2
          is_finalized: true
          post_pruned_nodes_meta { new_node_id: 0 logit_change: 0.0 }
          post_pruned_nodes_meta { new_node_id: 1 logit_change: 0.0 }
          post_pruned_nodes_meta { new_node_id: 2 logit_change: 0.0 }
          post_pruned_nodes_meta { new_node_id: 1 logit_change: -0.1 }
          post_pruned_nodes_meta { new_node_id: 1 logit_change: -0.2 }
          post_pruned_nodes_meta { new_node_id: 3 logit_change: 0.0 }
          post_pruned_nodes_meta { new_node_id: 4 logit_change: 0.0 }
        }
        tree_metadata {}
        growing_metadata {
          num_trees_attempted: 1 num_layers_attempted: 2 last_layer_node_end: 1
        }
        """,
    )


def test_post_pruning_of_a_whole_tree() -> None:
    _, found = _grown(
        {1: [(0, -1.0, 4, 5.0, 10.0)]},
        {2: [(1, -2.0, 5, 1.0, 2.0), (2, -3.0, 6, 3.0, 4.0)]},
        mode=PruningMode.POST_PRUNING,
    )
    assert text_format.MessageToString(found.trees[0], as_one_line=True) == "nodes { leaf { } }"
    changes = [
        (update.new_node_id, pytest.approx(update.logit_change[0]))
        for update in found.tree_metadata[0].post_pruned_nodes_meta
    ]
    assert changes == [(0, 0), (0, -0.5), (0, -1), (0, -0.6), (0, -0.7), (0, -1.3), (0, -1.4)]


def _update(handle: Any, kinds: list[str], logits: int = 1, **changed: Any) -> Any:
    """An op that splits the first node, by the first of some kinds."""
    count = len(kinds)
    columns = _columns([(0, 5.0 - place, 2, 1.0, 2.0) for place in range(count)])
    widened = [np.tile(column, (1, logits)) for column in columns[3:]]
    given = {
        "feature_ids": [np.arange(count, dtype=np.int32) + 3],
        "dimension_ids": [np.ones(count, np.int32)],
        "node_ids": [columns[0]],
        "gains": [columns[1]],
        "thresholds": [columns[2]],
        "left_node_contribs": [widened[0] * np.arange(1, logits + 1, dtype=np.float32)],
        "right_node_contribs": [widened[1]],
        "split_types": [kinds],
        "max_depth": 3,
        "learning_rate": 0.5,
        "pruning_mode": 0,
        "logits_dimension": logits,
    }
    return calls.update_ensemble_v2(handle, **{**given, **changed})


def _updated(*kinds: list[str], logits: int = 1, **changed: Any) -> boosted_trees_pb2.TreeEnsemble:
    with tf.Graph().as_default(), tf.Session() as session:
        ensemble = TreeEnsemble("ensemble")
        session.run(ensemble.initializer)
        for place, each in enumerate(kinds):
            nodes = {"node_ids": [np.full(len(each), place, np.int32)]}
            session.run(_update(ensemble.resource_handle, each, logits, **{**nodes, **changed}))
        data = session.run(ensemble.serialize())[1]
    return boosted_trees_pb2.TreeEnsemble.FromString(data)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (_LEFT, "bucketized_split { feature_id: 3 threshold: 2 dimension_id: 1 %s}"),
        (
            _RIGHT,
            "bucketized_split { feature_id: 3 threshold: 2 dimension_id: 1 %s"
            "default_direction: DEFAULT_RIGHT }",
        ),
        (_EQUAL, "categorical_split { feature_id: 3 value: 2 dimension_id: 1 %s}"),
    ],
)
def test_kinds_of_splits(kind: str, expected: str) -> None:
    found = _updated([kind, _LEFT]).trees[0].nodes[0]
    text = expected % "left_id: 1 right_id: 2 " + " metadata { gain: 5.0 }"
    assert found == text_format.Parse(text, boosted_trees_pb2.Node())


def test_leaves_of_several_logits() -> None:
    found = _updated([_LEFT], [_EQUAL], logits=3)
    nodes = [list(node.leaf.vector.value) for node in found.trees[0].nodes]
    assert nodes == [[], [], [1, 1, 1], [1, 2, 3], [1.5, 2, 2.5]]
    before = [list(n.metadata.original_leaf.vector.value) for n in found.trees[0].nodes[:2]]
    assert before == [[0, 0, 0], [0.5, 1, 1.5]]


def test_ids_of_features_as_tensorflow_1_has_them() -> None:
    """One vector with an id for each feature, or a vector for each of them."""
    columns = [[column, column] for column in _columns([(0, 2.0, 1, -1.0, 1.0)])]
    columns[1][1] = columns[1][1] * 2
    for ids in ([7, 4], np.array([7, 4], np.int32), [[7], [4]]):
        with tf.Graph().as_default(), tf.Session() as session:
            ensemble = TreeEnsemble("ensemble")
            session.run(ensemble.initializer)
            dimensions = [np.zeros(1, np.int32)] * 2
            kinds = [[_LEFT]] * 2
            handle = ensemble.resource_handle
            session.run(
                calls.update_ensemble_v2(handle, ids, dimensions, *columns, kinds, 2, 1.0, 0)
            )
            data = session.run(ensemble.serialize())[1]
        found = boosted_trees_pb2.TreeEnsemble.FromString(data)
        assert found.trees[0].nodes[0].bucketized_split.feature_id == 4


@pytest.mark.parametrize(
    ("start", "gradient", "goes_on", "expected"),
    [
        ("", 1.8, True, -0.2),
        ("-0.5", 1.8, True, -0.7),
        ("-0.5", 0.018, False, -0.502),
        ("0.0", 0.0, False, 0.0),
    ],
)
def test_centering(start: str, gradient: float, goes_on: bool, expected: float) -> None:
    text = f"trees {{ nodes {{ leaf {{ scalar: {start} }} }} }}" if start else ""
    with tf.Graph().as_default(), tf.Session() as session:
        serialized = _message(text).SerializeToString()
        ensemble = TreeEnsemble("ensemble", serialized_proto=serialized)
        session.run(ensemble.initializer)
        moved = calls.center_bias(ensemble.resource_handle, [[gradient]], [[8.5]], 0.0, 0.5)
        assert bool(session.run(moved)) is goes_on
        stamp, data = session.run(ensemble.serialize())
    assert stamp == 1
    found = boosted_trees_pb2.TreeEnsemble.FromString(data)
    assert found.trees[0].nodes[0].leaf.scalar == pytest.approx(expected)


def _refused(layer: dict[int, list[_Candidate]], start: str = _ROOT, **options: Any) -> str:
    def build() -> Any:
        serialized = _message(start).SerializeToString()
        ensemble = TreeEnsemble("ensemble", serialized_proto=serialized)
        with tf.control_dependencies([ensemble.initializer]):
            return _grow(ensemble.resource_handle, layer, 2, **options)

    return refusal(build)


def test_splits_of_no_leaf() -> None:
    assert _refused({0: [(0, 1.0, 0, 0, 0)]}) == "Node 0 of tree 0 is no leaf, and cannot be split"
    for node in (3, -1):
        text = f"Tree 0 has 3 nodes, and none of id {node} to split"
        assert _refused({0: [(node, 1.0, 0, 0, 0)]}) == text
    text = "Tree 0 has no metadata: there are those of 0 trees"
    assert _refused({0: [(1, 1.0, 0, 0, 0)]}, _ROOT.split("tree_weights")[0]) == text


def test_post_pruning_of_what_is_no_tree() -> None:
    for child, text in (
        (0, "Node 0 of tree 0 has more than one parent"),
        (9, "Tree 0 has 5 nodes, and none of id 9"),
    ):
        start = _ROOT.replace("left_id: 1", f"left_id: {child}")
        layer = {0: [(2, 1.0, 0, 0.0, 0.0)]}
        assert _refused(layer, start, mode=PruningMode.POST_PRUNING) == text


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"split_types": [["no"]]}, "Unknown split type 'no'"),
        ({"node_ids": [np.int32([5])]}, "Tree 0 has 1 nodes, and none of id 5 to split"),
        (
            {
                "logits_dimension": 0,
                "left_node_contribs": [np.zeros((1, 0), np.float32)],
                "right_node_contribs": [np.zeros((1, 0), np.float32)],
            },
            "logits_dimension must be at least 1, got 0",
        ),
    ],
)
def test_updates_refuse(changed: dict[str, Any], text: str) -> None:
    def build() -> Any:
        ensemble = TreeEnsemble("ensemble")
        with tf.control_dependencies([ensemble.initializer]):
            return _update(ensemble.resource_handle, [_LEFT], **changed)

    assert refusal(build).startswith(text)
