"""The model of trees on gradients by itself: losses, resets, targets, and mistakes of its ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib.boosted_trees import calls, gbdt
from dataflow.contrib.boosted_trees.ensemble_variable import tree_ensemble_variable
from dataflow.contrib.boosted_trees.stats_accumulator import StatsAccumulator
from dataflow.contrib.learn.model_fn import ModeKeys
from dataflow.proto.learner_pb2 import LearnerConfig
from dataflow.proto.split_info_pb2 import SplitInfo
from dataflow.proto.tree_config_pb2 import DecisionTreeEnsembleConfig
from dataflow.variables.resources import initialize_resources, shared_resources

_DRAW = np.random.RandomState(0)
_X = _DRAW.randn(60, 1).astype(np.float32)
_Y = np.where(_X > 0.3, 2, -1).astype(np.float32)


_L2 = 0.125


class _Trained:
    """A model of one feature, or of several, and its training step."""

    def __init__(self, names: str = "x", uses_sum: bool = False, own: bool = False) -> None:
        config = LearnerConfig(num_classes=2, pruning_mode=LearnerConfig.PRE_PRUNE)
        config.constraints.max_tree_depth = 1
        config.regularization.l2 = _L2
        config.learning_rate_tuner.fixed.learning_rate = 1
        self.handle = tree_ensemble_variable(0, "", "trees")
        kind = "weighted_sum" if uses_sum else "weighted_sum_by_nonzero_weights"
        model = gbdt.GradientBoostedDecisionTreeModel(
            is_chief=True,
            num_ps_replicas=0,
            ensemble_handle=self.handle,
            center_bias=False,
            examples_per_layer=120,
            learner_config=config,
            features={name: tf.constant(_X) for name in names.split()},
            logits_dimension=1,
            loss_reduction=kind,
        )
        told = model.predict(ModeKeys.TRAIN)
        self.predictions = told[gbdt.PREDICTIONS]
        squares = tf.squared_difference(self.predictions, _Y)
        loss = tf.reduce_sum(squares) if uses_sum else tf.reduce_mean(squares)
        known = {}
        if own:
            slopes = 2 * (self.predictions - _Y) / 60
            known = {"gradients": slopes, "hessians": tf.ones_like(slopes) / 10}
        updates, self.reset, state = model.update_stats(loss, told, **known)
        with tf.control_dependencies(updates):
            self.step = model.increment_step_counter_and_maybe_update_ensemble(told, state)

    def begin(self, session: Any) -> None:
        variables = tf.global_variables_initializer()
        session.run([variables, initialize_resources(shared_resources())])

    def trees(self, session: Any) -> DecisionTreeEnsembleConfig:
        _, serialized = session.run(calls.tree_ensemble_serialize(self.handle))
        return DecisionTreeEnsembleConfig.FromString(serialized)


@pytest.mark.parametrize(
    ("options", "gradient", "hessian"),
    [({}, 2 / 60, 2 / 60), ({"uses_sum": True}, 4, 4), ({"own": True}, 2 / 60, 1 / 10)],
    ids=["mean", "sum", "own"],
)
def test_a_stump_is_the_means_of_both_sides(
    options: Any, gradient: float, hessian: float, session_factory: Any
) -> None:
    """Two batches make a layer: their mean counts where the loss is one, and else their sum.

    An example has a gradient so many times its label, and the hessian.
    """
    with tf.Graph().as_default() as graph:
        model = _Trained(**options)
        with session_factory(graph=graph) as session:
            model.begin(session)
            # The first layer has no boundaries of buckets yet.
            for _ in range(4):
                session.run(model.step)
            (tree,) = model.trees(session).trees
            split = tree.nodes[0].dense_float_binary_split
            assert split.threshold == _X[_X <= 0.3].max()
            sides = np.where(_X > 0.3, (_X > 0.3).sum(), (_X <= 0.3).sum())
            leaves = gradient * sides * _Y / (hessian * sides + _L2)
            np.testing.assert_allclose(session.run(model.predictions), leaves, rtol=1e-5)
            session.run(model.reset)
            assert not model.trees(session).trees


def test_the_last_of_equal_features_is_taken() -> None:
    """As TensorFlow 1.15 does."""
    with tf.Graph().as_default(), tf.Session() as session:
        model = _Trained("a b c")
        model.begin(session)
        for _ in range(4):
            session.run(model.step)
        split = model.trees(session).trees[0].nodes[0].dense_float_binary_split
        assert split.feature_column == 2


def _fails(session: Any, text: str, build: Callable[[], Any]) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        session.run(build())


def test_ops_refuse_what_they_cannot_take() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        trees = tree_ensemble_variable(0, "", "trees")
        number = tf.TensorShape([])
        sums = StatsAccumulator(0, number, number, name="sums")
        wide = StatsAccumulator(0, tf.TensorShape([2]), tf.TensorShape([2]), name="wide")
        session.run(initialize_resources(shared_resources()))
        rows = [0], [[0, 0]]
        _fails(
            session, "Invalid stamp token", lambda: calls.tree_ensemble_stats(trees, 3).num_trees
        )
        _fails(session, "must differ", lambda: sums.flush(0, 0).num_updates)
        _fails(
            session,
            r"Gradients dimensions must match: \[3\], \[2\]",
            lambda: wide.add(0, *rows, [[1.0] * 3], [[1.0] * 2]),
        )
        _fails(
            session,
            "wrong type",
            lambda: calls.quantile_accumulator_get_buckets([trees], 0).buckets[0],
        )
        _fails(
            session,
            "Unable to parse tree ensemble config",
            lambda: calls.tree_ensemble_deserialize(trees, 1, b"\xff"),
        )
        config = LearnerConfig(num_classes=2).SerializeToString()

        def predicted(features: Any) -> Any:
            return calls.gradient_trees_prediction(
                trees, 0, features, *[[]] * 6, config, False, False, False, True
            ).predictions

        _fails(session, "may not be multivalent", lambda: predicted([tf.ones([3, 2])]))
        _fails(session, "batch_size rows: 3 vs. 2", lambda: predicted([_X[:3], _X[:2]]))
        _fails(session, "at least one feature", lambda: predicted([]))
        _fails(
            session,
            "Invalid node 5 to split: the tree has 1 nodes",
            lambda: _grow(trees, config, [5]),
        )


def _grow(trees: Any, config: bytes, nodes: Any) -> Any:
    split = SplitInfo()
    split.split_node.dense_float_binary_split.threshold = 1
    split.left_child.vector.value.append(1)
    split.right_child.vector.value.append(2)
    return calls.grow_tree_ensemble(
        trees, 0, 1, 0.1, 0, 3, 0, [nodes], [[1.0]], [[split.SerializeToString()]], config, False
    )
