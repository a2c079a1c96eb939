"""Ops of tf.contrib.boosted_trees give TensorFlow 1.15's bits; digests and numbers are its own."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.proto.learner_pb2 import LearnerConfig
from dataflow.proto.quantiles_pb2 import QuantileConfig
from dataflow.proto.split_info_pb2 import ObliviousSplitInfo, SplitInfo
from dataflow.proto.tree_config_pb2 import DecisionTreeEnsembleConfig
from tests.contrib.boosted_trees import growing_scenes, scenes

_MESSAGES = SimpleNamespace(
    SplitInfo=SplitInfo,
    ObliviousSplitInfo=ObliviousSplitInfo,
    DecisionTreeEnsembleConfig=DecisionTreeEnsembleConfig,
)
_SPLITS = {
    ("dense", 0): "ddfc879cc8a19304 4527fc799aac6017 7dcf3db99d5765cf 60c8fe459e89eaca",
    ("dense", 1): "7979954504776f33 487a997c6b74ec3b 8b9a6e2b70b2b2c0 6b907730d87c7dbe",
    ("sparse", 0): "d4109d3887442249 51023757d7496dec 9e34ff0134a00ceb c299df5980074876",
    ("categorical", 0): "95fa62f996529a21 61d0617a0e1b3b62 239892a4bb5e4a5d 141df6037b1662ff",
    ("categorical", 1): "49f44cd01e36a5ea 821c134d923bf42d cb923dc67e06e259 9949aceec71e6c41",
}
"""By kind of feature and of learner: of one logit, one of several classes, three, nineteen."""
_STRATEGIES = [(1, -1, ()), (1, 2, ()), (3, -1, (3,)), (3, -1, (19,))]
_FULL = {
    "dense": [0.43201, 0.10438, 0.71353, 1.57807],
    "sparse": [0.98676, 0.42664, 1.19537],
    "categorical": [0.90651, 0.36097, 0.48463],
}
"""Gains with whole hessians: Eigen solves systems of equations in another order than we do."""


def _op(name: str, **arguments: Any) -> Any:
    return getattr(tf.raw_ops, name)(**arguments)


def _play(scene: Callable[..., Any], *arguments: Any) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        return scene(scenes.Player(tf, _op, session), *arguments)


@pytest.mark.parametrize(
    ("gradient", "hessian", "expected"),
    [
        ((), (), "345ac494d98f89e5"),
        ((3,), (3,), "d6b1854f5abfc351"),
        ((2,), (2, 2), "2722988a87b190c4"),
    ],
)
def test_statistics(gradient: Any, hessian: Any, expected: str) -> None:
    """Ops of sums:

    StatsAccumulatorScalarAdd StatsAccumulatorTensorAdd CreateStatsAccumulatorScalar
    CreateStatsAccumulatorTensor StatsAccumulatorScalarDeserialize
    StatsAccumulatorScalarFlush StatsAccumulatorScalarIsInitialized
    StatsAccumulatorScalarMakeSummary StatsAccumulatorScalarResourceHandleOp
    StatsAccumulatorScalarSerialize StatsAccumulatorTensorDeserialize
    StatsAccumulatorTensorFlush StatsAccumulatorTensorIsInitialized
    StatsAccumulatorTensorMakeSummary StatsAccumulatorTensorResourceHandleOp
    StatsAccumulatorTensorSerialize.
    """
    assert scenes.digest(_play(scenes.statistics, gradient, hessian)) == expected


@pytest.mark.parametrize(
    ("error", "count", "is_exact", "expected"),
    [(0.01, 100, False, "799e408bb4b0b4d6"), (0.05, 7, True, "5d65bddf49221364")],
)
def test_quantiles(error: float, count: int, is_exact: bool, expected: str) -> None:
    config = QuantileConfig(eps=error, num_quantiles=count).SerializeToString()
    found = _play(scenes.quantiles, error, count, is_exact, config)
    assert scenes.digest(found) == expected


def _all_splits(play: Any) -> dict[Any, str]:
    return {
        (kind, learner): " ".join(
            scenes.digest(scenes.splits(play, kind, strategy, learner, class_id, shape, shape))
            for strategy, class_id, shape in _STRATEGIES
        )
        for kind, learner in _SPLITS
    }


def test_splits() -> None:
    assert _play(_all_splits) == _SPLITS


def test_splits_by_whole_hessians() -> None:
    for kind, gains in _FULL.items():
        _, found, _ = _play(scenes.splits, kind, 2, 0, -1, (3,), (3, 3))
        np.testing.assert_allclose(found, gains, atol=2e-5)


def _config(
    pruning: int,
    growing: int,
    classes: int,
    tuner: str = "fixed",
    average: Any = None,
    oblivious: int = 0,
    most: int = 0,
) -> LearnerConfig:
    made = LearnerConfig(num_classes=classes, weak_learner_type=oblivious)  # type: ignore[arg-type]
    made.pruning_mode, made.growing_mode = pruning, growing  # type: ignore[assignment]
    made.constraints.max_tree_depth = 3
    made.constraints.max_number_of_unique_feature_columns = most
    if tuner == "fixed":
        made.learning_rate_tuner.fixed.learning_rate = 0.3
    else:
        dropout = made.learning_rate_tuner.dropout
        dropout.dropout_probability, dropout.learning_rate = 0.6, 0.5
        dropout.probability_of_skipping_dropout = 0.4 if tuner == "skip" else 0
    if average:
        setattr(made.averaging_config, *average)
    return made


_AVERAGES = ("average_last_n_trees", 2), ("average_last_percent_trees", 0.5)


@pytest.mark.parametrize(
    ("config", "arguments", "expected"),
    [
        (_config(1, 2, 2), (1, False, False), "6f1999cccf4dd61c"),
        (_config(2, 2, 2, average=_AVERAGES[0]), (1, False, True), "ede6aa3cbe43c745"),
        (_config(2, 1, 3, "dropout"), (3, False, False), "cd65c56eb596b959"),
        (_config(2, 2, 3, "skip", _AVERAGES[1]), (1, True, False), "1d6efe5ee8508343"),
        (_config(1, 2, 2, "dropout"), (1, False, True), "fbc5105e2008b041"),
        (_config(1, 2, 2, most=2), (1, False, False), "2dfe9bde84f70614"),
        (_config(1, 2, 3, "dropout", oblivious=1), (3, False, False), "bd78f922169ed993"),
        (_config(1, 1, 2, oblivious=1), (1, False, False), "4113ab579d8b1c04"),
    ],
    ids=[
        "pruned_first",
        "pruned_last",
        "whole",
        "classes",
        "dropout",
        "few",
        "oblivious",
        "oblivious_whole",
    ],
)
def test_growing(config: LearnerConfig, arguments: Any, expected: str) -> None:
    found = _play(growing_scenes.grown, _MESSAGES, config, *arguments)
    assert scenes.digest(found) == expected
