"""tf.contrib.metrics against tf_slim's, over two steps, with weights and without."""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf1

import dataflow as tf
from dataflow.contrib import metrics, slim
from tests.contrib.oracle import metric_ops, tf_slim
from tests.oracle import open_session

tf1.disable_v2_behavior()

RANDOM = np.random.RandomState(0)
SHARES = RANDOM.uniform(size=(2, 6)).astype(np.float32)
FLAGS = RANDOM.uniform(size=(2, 6)) > 0.5
NUMBERS = RANDOM.standard_normal((2, 6)).astype(np.float32)
OTHERS = (NUMBERS + RANDOM.standard_normal((2, 6)) * 0.5).astype(np.float32)
CLASSES = RANDOM.randint(0, 3, (2, 6))
GUESSES = RANDOM.randint(0, 3, (2, 6))
ROWS = RANDOM.standard_normal((2, 6, 3)).astype(np.float32)
TIED = np.round(SHARES, 1)
UNIT = ROWS / np.linalg.norm(ROWS, axis=2, keepdims=True)
WEIGHTS = RANDOM.randint(0, 3, (2, 6)).astype(np.float32)
THRESHOLDS = [0.2, 0.5, 0.8]

CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    name: ({"predictions": FLAGS, "labels": FLAGS[::-1]}, {})
    for name in (
        "streaming_true_positives",
        "streaming_true_negatives",
        "streaming_false_positives",
        "streaming_false_negatives",
        "streaming_precision",
        "streaming_recall",
        "streaming_false_positive_rate",
        "streaming_false_negative_rate",
    )
}
CASES |= {
    name: ({"predictions": SHARES, "labels": FLAGS}, {"thresholds": THRESHOLDS})
    for name in (
        "streaming_true_positives_at_thresholds",
        "streaming_true_negatives_at_thresholds",
        "streaming_false_positives_at_thresholds",
        "streaming_false_negatives_at_thresholds",
        "streaming_precision_at_thresholds",
        "streaming_recall_at_thresholds",
        "streaming_false_positive_rate_at_thresholds",
        "streaming_false_negative_rate_at_thresholds",
    )
}
CASES |= {
    name: ({"predictions": NUMBERS, "labels": OTHERS}, {})
    for name in (
        "streaming_mean_absolute_error",
        "streaming_mean_squared_error",
        "streaming_root_mean_squared_error",
        "streaming_covariance",
        "streaming_pearson_correlation",
    )
}
CASES |= {
    "streaming_mean": ({"values": NUMBERS}, {}),
    "streaming_mean_tensor": ({"values": NUMBERS}, {}),
    "streaming_accuracy": ({"predictions": GUESSES, "labels": CLASSES}, {}),
    "streaming_percentage_less": ({"values": NUMBERS}, {"threshold": 0.1}),
    "streaming_mean_relative_error": (
        {"predictions": NUMBERS, "labels": OTHERS, "normalizer": OTHERS},
        {},
    ),
    "streaming_mean_iou": ({"predictions": GUESSES, "labels": CLASSES}, {"num_classes": 3}),
    "streaming_auc": ({"predictions": SHARES, "labels": FLAGS}, {}),
    "streaming_specificity_at_sensitivity": (
        {"predictions": SHARES, "labels": FLAGS},
        {"sensitivity": 0.6},
    ),
    "streaming_sensitivity_at_specificity": (
        {"predictions": SHARES, "labels": FLAGS},
        {"specificity": 0.6},
    ),
    "streaming_sparse_recall_at_k": ({"predictions": ROWS, "labels": CLASSES[..., None]}, {"k": 2}),
    "streaming_sparse_precision_at_k": (
        {"predictions": ROWS, "labels": CLASSES[..., None]},
        {"k": 2},
    ),
    "streaming_sparse_average_precision_at_k": (
        {"predictions": ROWS, "labels": CLASSES[..., None]},
        {"k": 2},
    ),
    "streaming_sparse_precision_at_top_k": (
        {"top_k_predictions": GUESSES[..., None], "labels": CLASSES[..., None]},
        {},
    ),
    "sparse_recall_at_top_k": (
        {"top_k_predictions": GUESSES[..., None], "labels": CLASSES[..., None]},
        {},
    ),
    "recall_at_precision": ({"labels": FLAGS, "predictions": SHARES}, {"precision": 0.7}),
    "precision_at_recall": ({"labels": FLAGS, "predictions": SHARES}, {"target_recall": 0.6}),
    "precision_recall_at_equal_thresholds": (
        {"labels": FLAGS, "predictions": SHARES},
        {"num_thresholds": 7},
    ),
    "streaming_curve_points": ({"labels": FLAGS, "predictions": SHARES}, {"num_thresholds": 5}),
    "streaming_dynamic_auc": ({"labels": CLASSES % 2, "predictions": TIED}, {}),
    "auc_with_confidence_intervals": (
        {"labels": CLASSES % 2, "predictions": TIED},
        {"alpha": 0.9},
    ),
    "streaming_recall_at_k": ({"predictions": ROWS, "labels": CLASSES}, {"k": 2}),
    "streaming_sparse_average_precision_at_top_k": (
        {
            "top_k_predictions": np.stack([GUESSES, (GUESSES + 1) % 3], -1),
            "labels": CLASSES[..., None],
        },
        {},
    ),
    "cohen_kappa": ({"labels": CLASSES, "predictions_idx": GUESSES}, {"num_classes": 3}),
    "f1_score": ({"labels": FLAGS, "predictions": SHARES}, {}),
    "count": ({"values": NUMBERS}, {}),
    "streaming_mean_cosine_distance": ({"predictions": UNIT, "labels": UNIT[::-1]}, {"dim": 1}),
}

UNWEIGHTED = ("streaming_mean_cosine_distance",)


def values_of(lib: Any, function: Any, arrays: dict[str, Any], rest: dict[str, Any]) -> list[Any]:
    """The value after each of two steps, and what the update gave."""
    found = []
    with lib.Graph().as_default():
        fed = {
            name: lib.placeholder(array.dtype, array.shape[1:]) for name, array in arrays.items()
        }
        value, update = function(**fed, **rest)
        with open_session(lib) as session:
            session.run(lib.local_variables_initializer())
            for step in range(2):
                feeds = {fed[name]: array[step] for name, array in arrays.items()}
                # What checks a batch's labels needs them for its value, too.
                wants_feeds = "auc" in function.__name__
                found += [
                    session.run(update, feeds),
                    session.run(value, feeds if wants_feeds else None),
                ]
    return found


@pytest.mark.parametrize("name", CASES)
def test_as_in_tf_slim(name: str) -> None:
    arrays, rest = CASES[name]
    theirs = getattr(tf_slim.metrics, name, None) or getattr(metric_ops, name)
    ours = getattr(metrics, name)
    assert list(inspect.signature(ours).parameters) == list(inspect.signature(theirs).parameters)
    for weights in ({}, {"weights": WEIGHTS}):
        if weights and name in UNWEIGHTED:
            continue
        have = values_of(tf, ours, arrays | weights, rest)
        want = values_of(tf1, theirs, arrays | weights, rest)
        for mine, other in zip(have, want, strict=True):
            if other is None:
                assert mine is None
            else:
                np.testing.assert_allclose(mine, other, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("streaming_curve_points", {"curve": "PR"}),
        ("streaming_dynamic_auc", {"curve": "PR"}),
        ("auc_with_confidence_intervals", {"logit_transformation": False}),
    ],
)
@pytest.mark.parametrize("equal", [False, True])
def test_other_areas(name: str, options: Any, equal: bool) -> None:
    """Of other curves, and where all labels are equal."""
    labels = np.ones_like(CLASSES) if equal else CLASSES % 2
    arrays = {"labels": labels, "predictions": TIED}
    have, want = (
        values_of(lib, getattr(module, name), arrays, options)
        for lib, module in ((tf, metrics), (tf1, tf_slim.metrics))
    )
    for mine, other in zip(have, want, strict=True):
        if other is not None:
            np.testing.assert_allclose(mine, other, rtol=2e-5, atol=1e-6)


def test_area_by_histograms() -> None:
    """Scores of a bin count as equal; those out of the range are in the outer bins."""
    arrays = {"boolean_labels": FLAGS, "scores": SHARES}
    rest = {"score_range": [0.2, 0.8], "nbins": 6}
    found = values_of(tf, metrics.auc_using_histogram, arrays, rest)
    bins = np.clip(np.floor((SHARES - 0.2) / 0.1), 0, 5)
    for step in range(2):
        flags, scores = FLAGS[: step + 1], bins[: step + 1]
        pairs = scores[flags][:, None] - scores[~flags]
        assert found[2 * step + 1] == pytest.approx(np.mean((pairs > 0) + 0.5 * (pairs == 0)))
    with tf.Graph().as_default(), tf.Session() as session:
        flags = tf.placeholder_with_default(FLAGS, [None, None])
        shares = tf.placeholder_with_default(SHARES, [None, None])
        _, update = metrics.auc_using_histogram(flags, shares, [0.0, 1.0])
        session.run(tf.local_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError) as raised:
            session.run(update)
        assert "should have rank 1" in raised.value.message


def test_wrong_arguments_of_areas() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        labels, shares = tf.constant(FLAGS[0]), tf.constant(SHARES[0])
        for make, text in (
            (lambda: metrics.streaming_curve_points(labels, shares, curve="x"), "x unknown"),
            (lambda: metrics.streaming_dynamic_auc(labels, shares, "x"), "x unknown"),
            (
                lambda: metrics.auc_with_confidence_intervals(labels, shares, alpha=1.0),
                "alpha must be between 0 and 1; currently 1.00",
            ),
            (lambda: metrics.precision_at_recall(labels, shares, 1.5), "must be in the range"),
            (lambda: metrics.auc_using_histogram(shares, shares, [0.0, 1.0]), "have dtype bool"),
        ):
            with pytest.raises(ValueError, match=text):
                make()
        with pytest.raises(TypeError, match="must be of type"):
            metrics.precision_recall_at_equal_thresholds(shares, shares)
        _, update = metrics.streaming_dynamic_auc(tf.constant([0, 2]), tf.constant([0.5, 0.1]))
        session.run(tf.local_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError) as raised:
            session.run(update)
        assert "labels must be 0 or 1, at least one is >1" in raised.value.message


@pytest.mark.parametrize("precision", [0.0, 0.2, 0.45, 0.55, 0.7, 1.0])
@pytest.mark.parametrize("strict_mode", [False, True])
def test_recall_at_precisions(strict_mode: bool, precision: float) -> None:
    """Thresholds reach some of these, and not the last one."""
    arrays = {"labels": FLAGS, "predictions": SHARES}
    rest = {"precision": precision, "strict_mode": strict_mode, "num_thresholds": 4}
    have, want = (
        values_of(lib, module.recall_at_precision, arrays, rest)
        for lib, module in ((tf, metrics), (tf1, tf_slim.metrics))
    )
    np.testing.assert_allclose(have, want, rtol=1e-5)


@pytest.mark.parametrize("arguments", [{}, {"axis": -1}, {"axis": 0, "max_size": 5}])
def test_concatenation(arguments: dict[str, Any]) -> None:
    batches = [
        RANDOM.standard_normal((2, size if arguments.get("axis") == -1 else 3))
        for size in (3, 2, 4)
    ]
    with tf.Graph().as_default(), tf.Session() as session:
        shape = [2, None] if arguments.get("axis") == -1 else [None, 3]
        values = tf.placeholder(tf.float64, shape)
        value, update = metrics.streaming_concat(values, **arguments)
        assert value.shape.as_list() == shape
        session.run(tf.local_variables_initializer())
        expected = np.concatenate(batches, arguments.get("axis", 0))
        for batch in batches:
            size = session.run(update, {values: batch})
        axis = arguments.get("axis", 0)
        assert size == min(expected.shape[axis], arguments.get("max_size", 1000))
        assert [each.op.name for each in tf.local_variables()] == [
            "streaming_concat/array",
            "streaming_concat/size",
        ]
        np.testing.assert_array_equal(session.run(value), expected[: arguments.get("max_size")])
        with pytest.raises(ValueError, match="must have statically known size"):
            metrics.streaming_concat(tf.placeholder(tf.float32, [None, None]))
        with pytest.raises(ValueError, match="must have known statically known rank"):
            metrics.streaming_concat(tf.placeholder(tf.float32))
        with pytest.raises(ValueError, match="axis = 2 not in"):
            metrics.streaming_concat(values, axis=2)


def test_what_is_concatenated_has_room_to_grow() -> None:
    """It is moved a few times only, however many batches come."""
    rooms = []
    with tf.Graph().as_default() as graph, tf.Session() as session:
        values = tf.placeholder(tf.int32, [None, 2])
        value, update = metrics.streaming_concat(values)
        session.run(tf.local_variables_initializer())
        for at in range(60):
            assert session.run(update, {values: [[at, -at]] * 3}) == 3 * at + 3
            rooms.append(session.run("streaming_concat/array:0").shape)
        found = session.run(value)
        assert graph.get_tensor_by_name("streaming_concat/size:0").eval(session=session) == 180
    np.testing.assert_array_equal(found, np.repeat([[at, -at] for at in range(60)], 3, axis=0))
    powers = [(math.ceil(1.5**n), 2) for n in range(3, 14)]
    assert set(rooms) <= set(powers) and rooms == sorted(rooms) and rooms[-1] == (195, 2)


def test_variables_of_counts_at_thresholds() -> None:
    with tf.Graph().as_default():
        metrics.streaming_false_negatives_at_thresholds([0.1], [True], [0.5])
        metrics.recall_at_precision([True], [0.1], 0.5)
        metrics.f1_score([True], [0.1])
        metrics.streaming_false_positive_rate_at_thresholds([0.1], [True], [0.5])
        metrics.streaming_false_negative_rate_at_thresholds([0.1], [True], [0.5])
        counted = ["true_positives", "false_negatives", "true_negatives", "false_positives"]
        assert [each.op.name for each in tf.local_variables()] == [
            "false_negatives",
            *(f"recall_at_precision/{each}" for each in counted),
            *(f"f1/{each}" for each in ("true_positives", "false_negatives", "false_positives")),
            "false_positive_rate_at_thresholds/true_negatives",
            "false_positive_rate_at_thresholds/false_positives",
            "false_negative_rate_at_thresholds/true_positives",
            "false_negative_rate_at_thresholds/false_negatives",
        ]


def test_accuracy_of_a_step() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        for weights in (None, WEIGHTS[0]):
            found = session.run(metrics.accuracy(GUESSES[0], CLASSES[0], weights))
            right = (GUESSES[0] == CLASSES[0]).astype(float)
            assert found == pytest.approx(np.average(right, weights=weights))
        with pytest.raises(ValueError, match="Dtypes of predictions and labels should match"):
            metrics.accuracy(GUESSES[0].astype(np.int32), CLASSES[0])
        with pytest.raises(ValueError, match="should have bool, string or integer type"):
            metrics.accuracy(SHARES, SHARES)
        with pytest.raises(ValueError, match="`num_classes` must be >= 2"):
            metrics.cohen_kappa(CLASSES[0], GUESSES[0], 1)


def test_together() -> None:
    assert metrics.aggregate_metrics((1, 2), (3, 4)) == ([1, 3], [2, 4])
    named = {"a": (1, 2), "b": (3, 4)}
    assert metrics.aggregate_metric_map(named) == ({"a": 1, "b": 3}, {"a": 2, "b": 4})
    with pytest.raises(ValueError, match="Expected at least one value_tensor/update_op pair"):
        metrics.aggregate_metrics()
    assert slim.metrics is metrics
    assert metrics.set_union is tf.sets.set_union
