"""The way of examples through trees, against a walk from node to node; and trees that are none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from google.protobuf import text_format

import dataflow as tf
from dataflow.proto.boosted_trees_pb2 import DebugOutput, Tree, TreeEnsemble
from tests.kernels.boosted_trees.graphs import hidden, refusal, run

_FEATURES, _BUCKETS, _EXAMPLES = 3, 4, 50


def _grown(random: np.random.Generator, logits: int, depth: int) -> Tree:
    """A tree with splits of both kinds whose nodes stand in no order."""
    tree = Tree()
    tree.nodes.add()
    waiting = [(0, 0)]
    while waiting:
        place, level = waiting.pop(random.integers(len(waiting)))
        values = random.normal(size=logits).astype(np.float32).tolist()
        if level == depth or (level and random.uniform() < 0.2):
            leaf = tree.nodes[place].leaf
        else:
            kind = "categorical_split" if random.uniform() < 0.3 else "bucketized_split"
            split = getattr(tree.nodes[place], kind)
            split.feature_id = int(random.integers(_FEATURES))
            split.dimension_id = int(random.integers(2)) if split.feature_id == 1 else 0
            name = "value" if kind == "categorical_split" else "threshold"
            setattr(split, name, int(random.integers(_BUCKETS)))
            split.left_id, split.right_id = len(tree.nodes), len(tree.nodes) + 1
            waiting += [(split.left_id, level + 1), (split.right_id, level + 1)]
            tree.nodes.add()
            tree.nodes.add()
            leaf = tree.nodes[place].metadata.original_leaf
        if logits == 1:
            leaf.scalar = values[0]
        else:
            leaf.vector.value.extend(values)
    return tree


def _ensemble(seed: int, logits: int = 1, trees: int = 4) -> TreeEnsemble:
    random = np.random.default_rng(seed)
    made = TreeEnsemble()
    for place in range(trees):
        made.trees.append(_grown(random, logits, depth=place % 4))
        made.tree_weights.append(float(random.uniform()))
        made.tree_metadata.add()
    return made


def _features(seed: int) -> list[Any]:
    """Vectors, and one matrix of two dimensions."""
    random = np.random.default_rng(seed)
    found = random.integers(0, _BUCKETS, (_FEATURES + 1, _EXAMPLES)).astype(np.int32)
    return [found[0], found[1:3].T.copy(), found[3]]


def _way(tree: Tree, features: list[Any], example: int) -> list[int]:
    """The nodes that an example meets."""
    way = [0]
    while not tree.nodes[way[-1]].HasField("leaf"):
        node = tree.nodes[way[-1]]
        kind = node.WhichOneof("node")
        split = getattr(node, kind)
        bucket = features[split.feature_id].reshape(_EXAMPLES, -1)[example, split.dimension_id]
        goes = bucket == split.value if kind == "categorical_split" else bucket <= split.threshold
        way.append(split.left_id if goes else split.right_id)
    return way


def _values(tree: Tree, node: int) -> Any:
    leaf = tree.nodes[node].leaf
    if not tree.nodes[node].HasField("leaf"):
        leaf = tree.nodes[node].metadata.original_leaf
    return np.array(list(leaf.vector.value) or [leaf.scalar])


def _created(ensemble: TreeEnsemble | bytes) -> Any:
    """The handle of an ensemble, behind which there is one."""
    raw = tf.raw_ops
    handle = raw.BoostedTreesEnsembleResourceHandleOp(shared_name="ensemble")
    data = ensemble if isinstance(ensemble, bytes) else ensemble.SerializeToString()
    made = raw.BoostedTreesCreateEnsemble(
        tree_ensemble_handle=handle, stamp_token=np.int64(3), tree_ensemble_serialized=data
    )
    with tf.control_dependencies([made]):
        return tf.identity(handle)


def _predicted(ensemble: TreeEnsemble, features: list[Any], logits: int = 1) -> Any:
    return tf.raw_ops.BoostedTreesPredict(
        tree_ensemble_handle=_created(ensemble),
        bucketized_features=features,
        logits_dimension=logits,
    )


@pytest.mark.parametrize("logits", [1, 3])
def test_logits_are_sums_of_leaves(logits: int) -> None:
    ensemble, features = _ensemble(1, logits), _features(2)
    found = run(lambda: _predicted(ensemble, features, logits))
    for example in range(_EXAMPLES):
        expected = sum(
            weight * _values(tree, _way(tree, features, example)[-1])
            for tree, weight in zip(ensemble.trees, ensemble.tree_weights, strict=True)
        )
        np.testing.assert_allclose(found[example], expected, rtol=1e-5, atol=1e-6)


def test_an_empty_ensemble() -> None:
    features = _features(2)
    assert not run(lambda: _predicted(TreeEnsemble(), features, 2)).any()

    def cached() -> Any:
        return tf.raw_ops.BoostedTreesTrainingPredict(
            tree_ensemble_handle=_created(TreeEnsemble()),
            cached_tree_ids=np.full(_EXAMPLES, 7, np.int32),
            cached_node_ids=np.full(_EXAMPLES, -1, np.int32),
            bucketized_features=features,
            logits_dimension=2,
        )

    logits, trees, nodes = run(cached)
    assert logits.shape == (_EXAMPLES, 2)
    assert not logits.any()
    assert trees.tolist() == [7] * _EXAMPLES
    assert nodes.tolist() == [0] * _EXAMPLES


@pytest.mark.parametrize("logits", [1, 3])
def test_logits_since_a_node(logits: int) -> None:
    """From any node of any tree on: what leaves give, less what the node gave before."""
    ensemble, features = _ensemble(3, logits), _features(4)
    random = np.random.default_rng(5)
    trees = random.integers(0, len(ensemble.trees), _EXAMPLES).astype(np.int32)
    ways = [_way(ensemble.trees[tree], features, place) for place, tree in enumerate(trees)]
    nodes = np.array([random.choice([-1, *way]) for way in ways], np.int32)
    found, last, at = run(
        lambda: tf.raw_ops.BoostedTreesTrainingPredict(
            tree_ensemble_handle=_created(ensemble),
            cached_tree_ids=trees,
            cached_node_ids=nodes,
            bucketized_features=features,
            logits_dimension=logits,
        )
    )
    assert last.tolist() == [len(ensemble.trees) - 1] * _EXAMPLES
    for example in range(_EXAMPLES):
        expected = np.zeros(logits)
        if nodes[example] >= 0:
            tree = int(trees[example])
            expected -= ensemble.tree_weights[tree] * _values(
                ensemble.trees[tree], int(nodes[example])
            )
        for place in range(trees[example], len(ensemble.trees)):
            way = _way(ensemble.trees[place], features, example)
            expected += ensemble.tree_weights[place] * _values(ensemble.trees[place], way[-1])
        np.testing.assert_allclose(found[example], expected, rtol=1e-4, atol=1e-5)
        assert at[example] == way[-1]


def test_nodes_that_were_pruned() -> None:
    """Who was at a node then is where that has gone, and its logits have changed by that."""
    ensemble = text_format.Parse(
        """
        trees { nodes { leaf { scalar: 0.5 } } }
        trees { nodes { leaf { scalar: 2.0 } } }
        tree_weights: 1.0
        tree_weights: 0.1
        tree_metadata {
          is_finalized: true
          post_pruned_nodes_meta { new_node_id: 0 logit_change: 0.0 }
          post_pruned_nodes_meta { new_node_id: 0 logit_change: -8.0 }
          post_pruned_nodes_meta { new_node_id: 0 logit_change: 3.0 }
        }
        tree_metadata {}
        """,
        TreeEnsemble(),
    )

    def since(nodes: list[int]) -> Any:
        return run(
            lambda: tf.raw_ops.BoostedTreesTrainingPredict(
                tree_ensemble_handle=_created(ensemble),
                cached_tree_ids=np.zeros(len(nodes), np.int32),
                cached_node_ids=np.array(nodes, np.int32),
                bucketized_features=[np.zeros(len(nodes), np.int32)],
                logits_dimension=1,
            )
        )

    logits, _, _ = since([-1, 0, 1, 2])
    np.testing.assert_allclose(logits.ravel(), [0.7, 0.2, -7.8, 3.2], rtol=1e-6)
    with pytest.raises(tf.errors.InvalidArgumentError, match="had 3 nodes when it was pruned"):
        since([3])


def test_what_examples_meet() -> None:
    """Features they are split by, and the sums of logits after each split.

    A later tree that is one leaf has not begun to grow, and counts for nothing.
    """
    ensemble, features = _ensemble(6, trees=6), _features(7)
    assert ensemble.trees[4].nodes[0].leaf.scalar
    found = run(
        lambda: tf.raw_ops.BoostedTreesExampleDebugOutputs(
            tree_ensemble_handle=_created(ensemble),
            bucketized_features=features,
            logits_dimension=1,
        )
    )
    for example, data in enumerate(found):
        told = DebugOutput.FromString(data)
        path = [ensemble.tree_weights[0] * _values(ensemble.trees[0], 0)[0]]
        splits, past = [], 0.0
        for tree, weight in zip(ensemble.trees, ensemble.tree_weights, strict=True):
            way = _way(tree, features, example)
            for node in way[:-1]:
                split = getattr(tree.nodes[node], tree.nodes[node].WhichOneof("node"))
                splits.append(split.feature_id)
            path += [past + weight * _values(tree, node)[0] for node in way[1:]]
            past = path[-1]
        assert list(told.feature_ids) == splits
        np.testing.assert_allclose(told.logits_path, path, rtol=1e-4, atol=1e-5)


_SPLIT = "nodes { bucketized_split { feature_id: %d left_id: %d right_id: %d dimension_id: %d } }"
_LEAVES = "nodes { leaf { scalar: 1 } } nodes { leaf { scalar: 2 } }"


@pytest.mark.parametrize(
    ("trees", "text"),
    [
        (_SPLIT % (0, 0, 0, 0), "Tree 0 leads in a circle through node 0"),
        (
            _SPLIT % (0, 1, 1, 0) + _SPLIT % (0, 0, 0, 0),
            "Tree 0 leads in a circle through node ",
        ),
        (_SPLIT % (0, 1, 2, 0), "Tree 0 has 1 nodes, and none of id 1"),
        (_SPLIT % (0, -1, -1, 0), "Tree 0 has 1 nodes, and none of id -1"),
        (_SPLIT % (2, 1, 2, 0) + _LEAVES, "Node 0 of tree 0 splits by feature 2, and there are 1"),
        (_SPLIT % (-1, 1, 2, 0) + _LEAVES, "Node 0 of tree 0 splits by feature -1, and there are"),
        (_SPLIT % (0, 1, 2, 1) + _LEAVES, "Node 0 of tree 0 splits by dimension 1 of feature 0"),
        ("nodes {}", "Node 0 of tree 0 is neither a leaf nor a split of buckets"),
        ("nodes { dense_split { left_id: 0 } }", "Node 0 of tree 0 is neither a leaf nor"),
        ("", "Tree 0 has 0 nodes, and none of id 0"),
        (
            "nodes { leaf { vector { value: 1 value: 2 } } }",
            "Node 0 of tree 0 has 2 logits, not 1",
        ),
    ],
)
def test_trees_that_are_none(trees: str, text: str) -> None:
    """Neither hang nor end the process: whoever asks is told."""
    given = f"trees {{ {trees} }} tree_weights: 1 tree_metadata {{}}"
    ensemble = text_format.Parse(given, TreeEnsemble())
    handle: dict[str, Any] = {
        "bucketized_features": [np.zeros(2, np.int32)],
        "logits_dimension": 1,
    }
    cached = {
        "cached_tree_ids": np.zeros(2, np.int32),
        "cached_node_ids": np.zeros(2, np.int32),
    }
    for op, more in (
        ("Predict", {}),
        ("ExampleDebugOutputs", {}),
        ("TrainingPredict", cached),
    ):
        made = getattr(tf.raw_ops, f"BoostedTrees{op}")
        told = refusal(
            lambda made=made, more=more: made(
                tree_ensemble_handle=_created(ensemble), **handle, **more
            )
        )
        assert told.startswith(text)


@pytest.mark.parametrize(
    ("trees", "nodes", "text"),
    [
        ([4, 0], [0, 0], "The ensemble has 4 trees, and none of id 4"),
        ([0, -1], [0, 0], "The ensemble has 4 trees, and none of id -1"),
        ([0, 0], [0, 99], "Tree 0 has 1 nodes, and none of id 99"),
        ([0, 0], [0], "cached_node_ids must have an element for each of 2 examples, got 1"),
        ([[0], [0]], [0, 0], "cached_tree_ids must be a vector, received shape [2,1]"),
    ],
)
def test_ids_that_are_not_there(trees: Any, nodes: Any, text: str) -> None:
    def build() -> Any:
        return tf.raw_ops.BoostedTreesTrainingPredict(
            tree_ensemble_handle=_created(_ensemble(8)),
            cached_tree_ids=hidden(trees),
            cached_node_ids=hidden(nodes),
            bucketized_features=[np.zeros((2, 2), np.int32)] * 3,
            logits_dimension=1,
        )

    assert refusal(build) == text


def test_features_that_are_none() -> None:
    ensemble = _ensemble(9)
    text = "Each bucketized feature must be a vector or a matrix, received shape [] at index 0"
    assert refusal(lambda: _predicted(ensemble, [hidden(0)])) == text
    text = "All bucketized features must have the same number of examples, got 2 and 3 at index 1"
    assert refusal(lambda: _predicted(ensemble, [hidden([0, 0]), hidden([0] * 3)])) == text
    text = "logits_dimension must be at least 1, got 0"
    assert refusal(lambda: _predicted(ensemble, [hidden([0, 0])], logits=0)) == text


def test_messages_that_say_too_little() -> None:
    tree = "trees { nodes { leaf { scalar: 1 } } }"
    ensemble = text_format.Parse(tree, TreeEnsemble())
    text = "Tree 0 has no weight: there are those of 0 trees"
    assert refusal(lambda: _predicted(ensemble, [np.zeros(2, np.int32)])) == text

    def states() -> Any:
        return tf.raw_ops.BoostedTreesGetEnsembleStates(tree_ensemble_handle=_created(ensemble))

    assert refusal(states) == "Tree 0 has no metadata: there are those of 0 trees"
    assert refusal(lambda: _created(b"\xff")) == "Unable to parse tree ensemble proto."


def test_ensembles_that_were_not_created() -> None:
    def build() -> Any:
        handle = tf.raw_ops.BoostedTreesEnsembleResourceHandleOp(shared_name="none", container="c")
        return tf.raw_ops.BoostedTreesSerializeEnsemble(tree_ensemble_handle=handle)

    text = refusal(build, tf.errors.NotFoundError)
    assert text == "Resource c/none/N10tensorflow28BoostedTreesEnsembleResourceE does not exist."


def test_handles_of_other_resources() -> None:
    def build() -> Any:
        handle = tf.raw_ops.BoostedTreesQuantileStreamResourceHandleOp(shared_name="other")
        return tf.raw_ops.BoostedTreesSerializeEnsemble(tree_ensemble_handle=handle)

    assert refusal(build).startswith("Trying to access a resource using the wrong type")
