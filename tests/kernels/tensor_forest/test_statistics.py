"""Statistics of leaves beside sums over all examples, and beside one example after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dataflow.errors import InvalidArgumentError
from dataflow.kernels.random.philox import Philox
from dataflow.kernels.random.simple import Draws
from dataflow.kernels.tensor_forest.examples import Examples, Targets, read_spec
from dataflow.kernels.tensor_forest.fertile_stats import FertileStats
from dataflow.kernels.tensor_forest.finishing import Early
from dataflow.kernels.tensor_forest.gini import Gini
from dataflow.kernels.tensor_forest.parameters import at_depth
from dataflow.kernels.tensor_forest.space_saving import Tracked
from dataflow.proto import fertile_stats_pb2
from dataflow.proto.tensor_forest_params_pb2 import (
    SPLIT_FINISH_DOMINATE_HOEFFDING,
    SPLIT_PRUNE_HALF,
    STATS_DENSE_GINI,
    STATS_LEAST_SQUARES_REGRESSION,
    STATS_SPARSE_GINI,
    DepthDependentParam,
    TensorForestParams,
)

_SPEC = read_spec(b"dense_features_size: 5 dense: [{name: a original_type: 0 size: 5}] sparse: []")


_KINDS = {
    "dense": STATS_DENSE_GINI,
    "sparse": STATS_SPARSE_GINI,
    "numbers": STATS_LEAST_SQUARES_REGRESSION,
}


def _params(**given: Any) -> TensorForestParams:
    params = TensorForestParams(**{"num_outputs": 3, "checkpoint_stats": True, **given})
    params.num_splits_to_consider.constant_value = 4
    params.split_after_samples.constant_value = 30
    return params


def _batch(seed: int, count: int = 90) -> tuple[Examples, Any, Any, Any]:
    drawn = np.random.RandomState(seed)
    rows = np.round(drawn.randn(count, 5), 1).astype(np.float32)
    classes = drawn.randint(0, 3, count).astype(np.float32)
    weights = drawn.rand(count).astype(np.float32)
    weights[::7] = 0
    return Examples(_SPEC, rows, [], [], []), classes, weights, rows


@pytest.mark.parametrize("kind", _KINDS)
def test_together_and_singly(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Finished leaves, in order, and all counts are the same."""
    regresses = kind == "numbers"
    params = _params(
        stats_type=_KINDS[kind],
        is_regression=regresses,
        num_outputs=1 if regresses else 3,
    )
    found = []
    for together in (True, False):
        if not together:
            monkeypatch.setattr(FertileStats, "_process_together", FertileStats._process_singly)
        stats, orders = FertileStats(params, b""), []
        for node in range(1, 5):
            stats.open(node, node)
        for seed in range(4):
            examples, classes, weights, _ = _batch(seed)
            targets = Targets(classes, weights, regresses, params.num_outputs)
            nodes = np.random.RandomState(seed + 50).randint(0, 5, 90)
            orders.append(stats.process(examples, targets, nodes, Draws(seed + 1)).tolist())
        found.append((orders, stats.serialized()))
    assert found[0] == found[1] and any(found[0][0])


@pytest.mark.parametrize("bound", [1, 7, 8, 2**31 + 1])
def test_draws_favour_no_number(bound: int) -> None:
    """Words below the rest that the largest bound leaves are thrown away."""
    words = Philox(3, 0).words(400).tolist()
    kept = words if bound in (1, 8) else [word for word in words if word >= 2**32 % bound]
    draws = Draws(3)
    assert [draws.short_below(bound) for _ in range(150)] == [word % bound for word in kept[:150]]


def test_sparse_values_need_no_order() -> None:
    spec = read_spec(
        b"dense_features_size: 0 dense: [] sparse: [{name: s original_type: 1 size: -1}]"
    )
    places = np.array([[0, 1], [0, 4], [1, 0], [2, 2], [2, 3]])
    values = np.arange(1, 6, dtype=np.float32)
    mixed = [3, 0, 4, 2, 1]
    rows, features = np.arange(3)[:, None], np.arange(5)
    matrix = np.zeros((3, 5), np.float32)
    matrix[tuple(places.T)] = values
    for order in (slice(None), mixed):
        examples = Examples(spec, [], places[order], values[order], [3, 5])
        assert (examples.values(rows, features) == matrix).all() and examples.count == 3
        assert {examples.sample(2, Draws(seed)) for seed in range(9)} == {2, 3}
    with pytest.raises(InvalidArgumentError, match="Sparse features must be a matrix"):
        Examples(spec, [], places, values[:2], [3, 5])


def test_features_that_are_not_there() -> None:
    examples, *_ = _batch(1)
    with pytest.raises(
        InvalidArgumentError, match="A tree asks for feature 5, and examples have 5"
    ):
        examples.values(np.arange(2), np.array([0, 5]))


def test_counts_and_the_best_split() -> None:
    params = _params()
    stats = FertileStats(params, b"")
    examples, classes, weights, rows = _batch(1)
    targets = Targets(classes, weights, False, 3)
    nodes = np.zeros(90, np.int64)
    assert stats.process(examples, targets, nodes, Draws(3)).tolist() == [0]
    slot = fertile_stats_pb2.FertileStats.FromString(stats.serialized()).node_to_slot[0]
    scores = []
    for place, candidate in enumerate(slot.candidates):
        test = candidate.split.inequality_left_child_test
        feature = int(test.feature_id.id.value)
        assert test.threshold.float_value == rows[place, feature]
        left = rows[4:, feature] <= rows[place, feature]
        sides = []
        for side in (left, ~left):
            sides.append([weights[4:][side & (classes[4:] == each)].sum() for each in range(3)])
        counts = candidate.left_stats.classification.dense_counts.value
        np.testing.assert_allclose([count.float_value for count in counts], sides[0], rtol=1e-5)
        scores.append(
            sum(
                sum(side) * (1 - sum((count + 1) ** 2 for count in side) / (sum(side) + 3) ** 2)
                for side in sides
            )
        )
    found = stats.best(0)
    assert found is not None and found[1].place == int(np.argmin(scores))
    np.testing.assert_allclose(found[1].left.weight, found[1].left.values.sum(), rtol=1e-5)
    everything = found[1].left.values + found[1].right.values
    np.testing.assert_allclose(everything, np.bincount(classes[4:].astype(int), weights[4:]), 1e-5)


def test_statistics_are_read_again() -> None:
    for given in ({}, {"stats_type": STATS_SPARSE_GINI}):
        stats = FertileStats(_params(**given), b"")
        examples, classes, weights, _ = _batch(5)
        targets = Targets(classes, weights, False, 3)
        stats.process(examples, targets, np.zeros(90, np.int64), Draws(1))
        again = FertileStats(_params(**given), stats.serialized())
        assert again.serialized() == stats.serialized()
        for each in (stats, again):
            each.process(examples, targets, np.zeros(90, np.int64), Draws(1))
        assert again.serialized() == stats.serialized()


def test_a_leaf_of_one_class_does_not_finish() -> None:
    stats = FertileStats(_params(), b"")
    examples, _, _, _ = _batch(2)
    for labels, expected in ((np.ones(90), []), (np.r_[np.ones(89), 0], [0])):
        targets = Targets(labels.astype(np.float32), [], False, 3)
        nodes = np.zeros(90, np.int64)
        assert stats.process(examples, targets, nodes, Draws(1)).tolist() == expected


def test_candidates_are_given_up_worst_first() -> None:
    params = _params()
    params.pruning_type.type = SPLIT_PRUNE_HALF
    params.pruning_type.prune_every_samples.constant_value = 10
    early = Early(params, 0, 30)
    scores = np.array([3, 9, 1, 7, 9, 2], np.float32)
    assert early.worst(scores, np.float32(20), 3) == [4, 3, 1]
    assert [early.looks_for_worst(np.float32(n)) for n in (9, 10, 11, 20)] == [0, 1, 0, 1]


def test_hoeffdings_bound() -> None:
    params = _params()
    params.finish_type.type = SPLIT_FINISH_DOMINATE_HOEFFDING
    params.finish_type.check_every_steps.constant_value = 5
    params.min_split_samples.constant_value = 10
    params.dominate_fraction.constant_value = 0.5
    early = Early(params, 0, 30)
    assert [early.looks_for_end(np.float32(n)) for n in (9, 10, 14, 15)] == [0, 1, 0, 1]
    bound = 0.25 * 3 * 20 * np.sqrt(np.log(2) / 40)
    for gap, expected in ((bound * 0.99, False), (bound * 1.01, True)):
        early.compare([5.0, 1.0, 1.0 + gap], np.float32(20), 3)
        assert early.is_finished is expected


def test_frequent_classes_take_over() -> None:
    tracked = Tracked(2, 5)
    for label, weight in ((1, 3.0), (2, 1.0), (3, 1.0), (1, 1.0)):
        tracked.add(label, np.float32(weight))
    assert tracked.weights == {1: 4, 3: 2}
    total, squares = tracked.sum_and_squares()
    shared = 2 / 2 * 2 / 5
    assert total == 6
    np.testing.assert_allclose(
        squares, (shared + 3) ** 2 + (shared + 1) ** 2 + 3 * shared**2, rtol=1e-6
    )


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"linear": {"slope": 2, "y_intercept": 1, "min_val": 0, "max_val": 6}}, [1, 3, 5, 6]),
        (
            {"exponential": {"bias": 1, "base": 2, "multiplier": 3, "depth_multiplier": 1}},
            [4, 7, 13, 25],
        ),
        ({"threshold": {"on_value": 8, "off_value": 4, "threshold": 2}}, [4, 4, 8, 8]),
    ],
)
def test_parameters_by_depth(given: Any, expected: list[float]) -> None:
    param = DepthDependentParam(**given)
    assert [at_depth(param, depth, "it") for depth in range(4)] == expected


def test_averages_lie_between_two_classes() -> None:
    counting = Gini(_params(initialize_average_splits=True))
    counting.open(0, 0)
    examples, _, _, rows = _batch(8, 4)
    targets = Targets(np.array([0, 0, 1, 0], np.float32), [], False, 3)
    for row in range(3):
        counting.propose(0, examples, targets, row, 2, rows[row, 2])
    kept = counting.candidates.kept[0, :3]
    np.testing.assert_allclose(kept[:2], (rows[:2, 2] + rows[2, 2]) / 2)
    assert kept[2] == rows[2, 2] and (counting.candidates.thresholds[0, :3] == rows[:3, 2]).all()
    counting.propose(0, examples, targets, 3, 2, rows[3, 2])
    assert not counting.is_initialized(0)
    assert counting.candidates.kept[0, 2] == np.float32((rows[2, 2] + rows[3, 2]) / 2)
