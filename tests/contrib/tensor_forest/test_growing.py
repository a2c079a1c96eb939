"""Forests grow as TensorFlow 1.15's do: the same nodes, counts and predictions, to the bit.

The numbers are what 1.15 gives on one thread for the same data and seed.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import dataflow as tf
from dataflow.contrib.tensor_forest.python import tensor_forest
from tests.contrib.tensor_forest.forests import (
    COLUMNS,
    TARGETS,
    WEIGHTS,
    Grown,
    grow,
)

_LINE = "linear { slope: 5 y_intercept: 10 min_val: 10 max_val: 30 }"
_CURVE = "exponential { bias: 2 base: 2 multiplier: 1 depth_multiplier: 1 }"
_STEP = "threshold { on_value: 30 off_value: 20 threshold: 2 }"
_EARLY = "min_split_samples { constant_value: 20 } dominate_fraction { constant_value: 0.6 }"
_FEW = "stats_type: STATS_FIXED_SIZE_SPARSE_GINI num_classes_to_track: 2"

_CASES: dict[str, tuple[dict[str, Any], Grown]] = {
    "plain": (
        {"num_trees": 2},
        Grown([31, 37], [3570238180, 2523962451], [3517512647, 2519832451], 4032393081),
    ),
    "weights": (
        {"num_trees": 2, "weights": WEIGHTS, "checkpoint_stats": True},
        Grown([35, 39], [765126916, 1236653596], [1663281042, 3001943217], 2114349603),
    ),
    "less": (
        {"split_name": "less", "num_splits_to_consider": 4, "inference_tree_paths": True},
        Grown([47], [1546656529], [2423360116], 4239990262),
    ),
    "sparse": (
        {"model_name": "all_sparse", "checkpoint_stats": True},
        Grown([31], [2279215441], [922064273], 2944246405),
    ),
    "regression": (
        {"num_trees": 2, "labels": TARGETS, "regression": True, "checkpoint_stats": True},
        Grown([37, 39], [1288456031, 4274321735], [870621866, 810028439], 3698593702),
    ),
    "averages": (
        {"initialize_average_splits": True},
        Grown([35], [3036542861], [1535614956], 1178387394),
    ),
    "running": (
        {"weights": WEIGHTS, "use_running_stats_method": True},
        Grown([35], [765126916], [1785220070], 3758885854),
    ),
    "prune half": (
        {
            "split_after_samples": 40,
            "split_pruning_name": "half",
            "prune_every_samples": 10,
            "checkpoint_stats": True,
        },
        Grown([31], [2407342958], [2454372048], 1346162663),
    ),
    "prune a tenth": (
        {
            "split_after_samples": 40,
            "split_pruning_name": "10_percent",
            "prune_every_samples": 10,
        },
        Grown([27], [356816430], [3692316905], 811385165),
    ),
    "prune by Hoeffding's bound": (
        {
            "split_after_samples": 60,
            "split_pruning_name": "hoeffding",
            "prune_every_samples": 10,
            "checkpoint_stats": True,
        },
        Grown([25], [3230926757], [2739296577], 575774147),
    ),
    "collated": (
        {"max_nodes": 200, "split_after_samples": 8, "collate_examples": True},
        Grown([37], [1582115857], [667654386], 1936784335),
    ),
    "large batches": (
        {
            "num_trees": 2,
            "batches": 2,
            "max_nodes": 401,
            "split_after_samples": 5,
            "num_splits_to_consider": 2,
        },
        Grown([21, 25], [3678392770, 3528643676], [2308997282, 2819416041], 3055407878),
    ),
    "categories": (
        {"num_trees": 2, "data": COLUMNS, "num_features": 9},
        Grown([35, 35], [3321696777, 2999990316], [42398045, 2321892716], 2818394838),
    ),
    "by depth": (
        {"num_trees": 2, "split_after_samples": _LINE, "num_splits_to_consider": _CURVE},
        Grown([27, 35], [4188953127, 1567937085], [3442862184, 1361565692], 2343660801),
    ),
    "early by Hoeffding's bound": (
        {
            "split_after_samples": 200,
            "split_finish_name": "hoeffding",
            "early_finish_check_every_samples": 10,
            "dominate_fraction": 0.01,
            "param_file": _EARLY,
        },
        Grown([7], [4011854507], [849610621], 555601794),
    ),
    "early by bootstrap": (
        {
            "split_after_samples": 100,
            "split_finish_name": "bootstrap",
            "early_finish_check_every_samples": 10,
            "param_file": _EARLY,
        },
        Grown([15], [1561935211], [3760236106], 2538395512),
    ),
    "the most frequent classes": (
        {"model_name": "all_sparse", "checkpoint_stats": True, "param_file": _FEW},
        Grown([35], [1038628981], [960070760], 3055952613),
    ),
}


@pytest.mark.parametrize("case", _CASES)
def test_forests_are_tensorflows(case: str, tmp_path: Path) -> None:
    given, expected = _CASES[case]
    if "param_file" in given:
        path = tmp_path / "params"
        path.write_text(given["param_file"])
        given = {**given, "param_file": str(path)}
    assert grow(**given) == expected


_OF_EACH_TREE = (
    "CreateFertileStatsVariable CreateTreeVariable DecisionTreeResourceHandleOp FeatureUsageCounts "
    "FertileStatsDeserialize FertileStatsIsInitializedOp FertileStatsResourceHandleOp "
    "FertileStatsSerialize GrowTreeV4 ProcessInputV4 TraverseTreeV4 TreeDeserialize "
    "TreeIsInitializedOp TreePredictionsV4 TreeSerialize TreeSize UpdateModelV4"
)
"""Ops that 1.15 makes once for each tree."""


def test_graphs_have_the_ops_that_1_15_makes() -> None:
    params = tensor_forest.ForestHParams(num_classes=3, num_features=4, num_trees=2).fill()
    with tf.Graph().as_default() as graph:
        x, y = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.float32, [None])
        forest = tensor_forest.RandomForestGraphs(params)
        forest.training_graph(x, y)
        forest.inference_graph(x)
        forest.average_size()
        forest.feature_importances()
        tf.train.Saver()
        found = Counter(op.type for op in graph.get_operations())
    assert {op: found[op] for op in _OF_EACH_TREE.split()} == dict.fromkeys(
        _OF_EACH_TREE.split(), 2
    )
