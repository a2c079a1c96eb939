"""Ensembles of trees and quantiles of features as resources of a graph, trained on every target."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.library.boosted_trees import calls
from dataflow.library.boosted_trees.ensembles import TreeEnsemble
from dataflow.library.boosted_trees.pruning import PruningMode
from dataflow.library.boosted_trees.quantiles import QuantileAccumulator
from dataflow.variables.resources import initialize_resources, shared_resources

_EXAMPLES, _LAYERS, _BUCKETS, _SPLITS = 120, 7, 8, 16


def _data() -> tuple[list[Any], Any]:
    """Three features and what is to be learnt; all are exact in float32."""
    numbers = np.arange(_EXAMPLES)
    features = [((numbers * step) % 97 / 8).astype(np.float32) for step in (37, 11, 53)]
    return features, features[0] - np.where(features[1] > 6, features[2], np.float32(1))


class _Trainer:
    """The graph of a training: quantiles first, then a layer each step."""

    def __init__(self, pruning: int = PruningMode.POST_PRUNING) -> None:
        values, label = _data()
        self.ensemble = TreeEnsemble("trees")
        self.quantiles = QuantileAccumulator(0.05, len(values), _BUCKETS, name="quantiles")
        self.add = self.quantiles.add_summaries(values, [1.0])
        self.flush = self.quantiles.flush()
        boundaries = self.quantiles.get_bucket_boundaries()
        buckets = calls.boosted_trees_bucketize(values, boundaries)
        self.trees = tf.placeholder(tf.int32, [_EXAMPLES])
        self.nodes = tf.placeholder(tf.int32, [_EXAMPLES])
        self.logits = tf.placeholder(tf.float32, [_EXAMPLES, 1])
        handle = self.ensemble.resource_handle
        self.since = calls.training_predict(handle, self.trees, self.nodes, buckets, 1)
        gradients = self.logits - label[:, None]
        sums = calls.make_stats_summary(
            self.nodes, gradients, tf.ones_like(gradients), buckets, _SPLITS, _BUCKETS * 2
        )
        nodes = self.ensemble.get_states()[4]
        gains = calls.calculate_best_gains_per_feature(
            nodes, tf.unstack(sums), 0.1, 0.5, 2.0, 1.0, _SPLITS
        )
        ids = np.arange(len(values), dtype=np.int32)
        self.grow = calls.update_ensemble(handle, ids, *gains, 3, 0.5, pruning)
        self.center = calls.center_bias(
            handle, [[float(-label.mean())]], [[1.0]], np.float32(0), np.float32(0)
        )
        self.predicted = calls.predict(handle, buckets, 1)

    def train(self, session: Any) -> Any:
        """The logits after all layers, as the sums of what each step added."""
        session.run(initialize_resources(shared_resources()))
        session.run(self.add)
        session.run(self.flush)
        assert session.run(self.center)
        cache = np.zeros(_EXAMPLES, np.int32), np.full(_EXAMPLES, -1, np.int32)
        logits = np.zeros((_EXAMPLES, 1), np.float32)
        for _ in range(_LAYERS):
            fed = {self.trees: cache[0], self.nodes: cache[1]}
            partial, *cache = session.run(self.since, fed)
            logits = logits + partial
            session.run(self.grow, {self.nodes: cache[1], self.logits: logits})
        partial, *_ = session.run(self.since, {self.trees: cache[0], self.nodes: cache[1]})
        return logits + partial


def test_an_ensemble_learns(target: str) -> None:
    """To the bit what TensorFlow 1.15 makes of the same data."""
    with tf.Graph().as_default():
        trainer = _Trainer()
        with tf.Session(target) as session:
            logits = trainer.train(session)
            predicted, states = session.run([trainer.predicted, trainer.ensemble.get_states()])
            stamp, serialized = session.run(trainer.ensemble.serialize())
    np.testing.assert_allclose(logits, predicted, rtol=1e-4, atol=1e-4)
    label = _data()[1]
    assert np.square(predicted[:, 0] - label).mean() < 0.35 * label.var()
    assert stamp == states[0] == _LAYERS + 1
    assert hashlib.sha256(serialized).hexdigest()[:16] == "7b24200e8866d7d3"


def test_checkpoints_hold_ensembles_and_boundaries(target: str, tmp_path: Path) -> None:
    path = str(tmp_path / "model")
    with tf.Graph().as_default():
        trainer = _Trainer()
        saver = tf.train.Saver()
        with tf.Session(target) as session:
            trainer.train(session)
            before = session.run([trainer.predicted, trainer.ensemble.serialize()])
            saver.save(session, path, write_meta_graph=False)
    names = {name for name, _ in tf.train.list_variables(path)}
    assert names == {
        "trees:0_stamp",
        "trees:0_serialized",
        *(f"quantiles:0_bucket_boundaries_{stream}" for stream in range(3)),
    }
    with tf.Graph().as_default():
        trainer = _Trainer()
        restored = tf.train.Saver()
        with tf.Session(target) as session:
            restored.restore(session, path)
            after = session.run([trainer.predicted, trainer.ensemble.serialize()])
    assert np.array_equal(before[0], after[0])
    assert before[1] == after[1]


def test_checkpoints_of_objects(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        ensemble = TreeEnsemble("trees")
        streams = QuantileAccumulator(0.1, 1, 3)
        checkpoint = tf.train.Checkpoint(ensemble=ensemble, streams=streams)
        session.run([ensemble.initializer, streams.initializer])
        moved = calls.center_bias(ensemble.resource_handle, [[1.0]], [[2.0]], 0.0, 0.0)
        session.run([moved, streams.add_summaries([[1.0, 2.0]], [1.0])])
        session.run(streams.flush())
        path = checkpoint.save(str(tmp_path / "objects"), session=session)
        session.run([ensemble.deserialize(9, b""), streams.flush()])
        assert session.run(streams.get_bucket_boundaries())[0].tolist() == []
        checkpoint.restore(path).assert_consumed().run_restore_ops(session)
        assert session.run(streams.get_bucket_boundaries())[0].tolist() == [1, 2]
        assert session.run(ensemble.get_states())[:2] == (1, 1)


def test_resources_are_listed_until_they_are_created() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        shared, local = TreeEnsemble("shared"), TreeEnsemble("local", is_local=True)
        streams = QuantileAccumulator(0.1, 1, 3, name="streams")
        missing = tf.report_uninitialized_variables()
        assert [each.name for each in tf.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS)] == [
            "shared:0",
            "streams:0",
        ]
        is_there = [each.is_initialized() for each in (shared, local, streams)]
        assert session.run(is_there) == [False] * 3
        session.run(initialize_resources(shared_resources()))
        assert session.run(is_there) == [True, False, True]
        session.run(local.initializer)
        session.run(local.initializer)
        assert session.run(is_there) == [True] * 3
        assert session.run(missing).tolist() == []
        assert shared.resource_handle.op.get_attr("shared_name") == b"shared/"


def test_ensembles_begin_with_what_they_are_given() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        first = TreeEnsemble("first")
        session.run(first.initializer)
        session.run(calls.center_bias(first.resource_handle, [[-4.0]], [[2.0]], 0.0, 0.0))
        data = session.run(first.serialize())[1]
        second = TreeEnsemble("second", stamp_token=5, serialized_proto=data)
        session.run(second.initializer)
        logits = calls.predict(second.resource_handle, [np.zeros(2, np.int32)], 1)
        assert session.run(logits).tolist() == [[2], [2]]
        assert session.run(second.get_stamp_token()) == 5
        session.run(second.deserialize(8, b""))
        assert session.run(logits).tolist() == [[0], [0]]
        assert session.run(second.serialize()) == (8, b"")


def test_names_of_pruning_modes() -> None:
    assert [PruningMode.from_str(name) for name in ("none", "pre", "post")] == [0, 1, 2]
    with pytest.raises(ValueError, match="pruning_mode mode must be one of: none, post, pre"):
        PruningMode.from_str("some")


def test_functions_take_arguments_in_tensorflows_order() -> None:
    with tf.Graph().as_default():
        sums = np.zeros((2, 3, 2), np.float32)
        found = calls.calculate_best_gains_per_feature(
            [0, 1], [sums], 0.0, 0.0, 0.0, 0.0, 2, "gains"
        )
        assert found[0][0].op.name == "gains"
        with pytest.raises(TypeError, match="missing a required argument: 'max_splits'"):
            calls.calculate_best_gains_per_feature([0, 1], [sums], 0.0, 0.0, 0.0, 0.0)
