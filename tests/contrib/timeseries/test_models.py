"""Auto-regressive models with known weights: numbers that TensorFlow 1.15 gives."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib.timeseries.anomaly_model import AnomalyMixtureARModel
from dataflow.contrib.timeseries.ar_model import ARModel
from dataflow.contrib.timeseries.prediction_models import FlatPredictionModel, LSTMPredictionModel
from dataflow.contrib.timeseries.statistics import InputStatisticsFromMiniBatch
from tests.contrib.timeseries.series import fill_variables, windows

HIDDEN = functools.partial(FlatPredictionModel, hidden_layer_sizes=[4, 3])
RECURRENT = functools.partial(LSTMPredictionModel, num_units=3)
MEANS = [0.9822, 1.0739, 1.0578, 1.0884, 1.1101, 1.1993, 1.1398, 1.0737]

CASES: dict[str, tuple[Callable[[], ARModel], list[float], list[float], list[float]]] = {
    "flat": (
        lambda: ARModel(7, 6, 3, 1, num_time_buckets=3),
        [1.3827, 1.8756],
        [0.9629, 0.7497, 0.7281, 0.5494, 0.6558, 1.0401, 0.7705, 1.3784],
        [0.0286, 0.0399, 0.1324],
    ),
    "hidden layers, squared loss": (
        lambda: ARModel([7, 5], 2, 4, 1, HIDDEN, 3, ARModel.SQUARED_LOSS),
        [0.4626, 0.0407],
        [1.0775, 1.0015, 0.8957, 1.0539, 1.0803, 1.0046, 0.8963, 1.0537],
        [0.1202, 0.1202, 0.1202],
    ),
    "no window before": (
        lambda: ARModel(7, 0, 4, 1),
        [1.5425, 1.2991],
        [0.8872, 0.8797, 0.8439, 1.0148, 0.9963, 0.8423, 0.6945, 1.0048],
        [0.2123, 0.2019, 0.1328],
    ),
    "normal anomalies": (
        lambda: AnomalyMixtureARModel(None, 0.2, 5, 2, 1),
        [1.2055, 1.1454],
        MEANS,
        [0.1467, 0.1567, 0.2054],
    ),
    "Cauchy anomalies": (
        lambda: AnomalyMixtureARModel(None, 0.2, 5, 2, 1, anomaly_distribution="cauchy"),
        [1.2854, 1.2232],
        MEANS,
        [0.1467, 0.1567, 0.2054],
    ),
    "recurrent": (
        lambda: ARModel(5, 6, 2, 1, RECURRENT),
        [1.1279, 1.1789],
        [1.03, 1.0255, 1.029, 1.0413, 1.0395, 1.0372, 1.0368, 1.0351],
        [0.1206, 0.1199, 0.119],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_losses_and_predictions(name: str) -> None:
    make, losses, means, covariances = CASES[name]
    model = make()
    size = model.window_size
    statistics = InputStatisticsFromMiniBatch(1, tf.float32).initialize_graph(windows(size, 4))
    model.initialize_graph(statistics)
    with tf.variable_scope("model", use_resource=True):
        trained = model.define_loss(windows(size, 4), "train")
    with tf.variable_scope("model", reuse=True):
        longer = min(30, size * 2 - model.input_window_size + 1)
        evaluated = model.define_loss(windows(longer, 1), "eval")
        times = tf.constant([[30, 31, 32, 33, 34]], tf.int64)
        found = model.predict({"times": times, "start_tuple": evaluated.end_state})
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(statistics)
        fill_variables(session)
        got, in_sample, mean, covariance = session.run(
            [
                [trained.loss, evaluated.loss],
                evaluated.predictions["mean"],
                found["mean"],
                found["covariance"],
            ]
        )
    np.testing.assert_allclose(got, losses, atol=1e-4)
    np.testing.assert_allclose([*in_sample.ravel()[-3:], *mean.ravel()], means, atol=1e-4)
    np.testing.assert_allclose(covariance.ravel()[:3], covariances, atol=1e-4)


def test_statistics() -> None:
    features = windows(6, 3)
    values = np.stack(
        [np.sin(np.arange(i, i + 6) * 0.3) + np.arange(i, i + 6) * 0.05 for i in (0, 1, 2)]
    )
    generator = InputStatisticsFromMiniBatch(1, tf.float64, 4)
    updated = generator.initialize_graph(features)
    with tf.variable_scope("", reuse=True):
        read = generator.initialize_graph({})
    names = {variable.name for variable in tf.global_variables()}
    assert "input_statistics/start_time:0" in names and len(names) == 12
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for round_ in (1, 2):
            first = session.run(updated)
            assert (first.start_time, first.total_observation_count) == (0, 8)
            flat = np.tile(values.ravel(), round_)
            np.testing.assert_allclose(first.overall_feature_moments.mean, [flat.mean()], rtol=1e-5)
            np.testing.assert_allclose(
                first.overall_feature_moments.variance, [flat.var(ddof=1)], rtol=1e-5
            )
            np.testing.assert_allclose(first.series_start_moments.mean, [values[0, :4].mean()])
            np.testing.assert_allclose(first.series_start_moments.variance, [values[0, :4].var()])
        again = session.run(read)
    assert again.overall_feature_moments.mean == first.overall_feature_moments.mean


def test_arguments_that_are_refused() -> None:
    for call, text in (
        (lambda: ARModel(7, 2, 0, 1), "output_window_size must be positive, not 0."),
        (lambda: ARModel(None, 0, 2, 1), "There must be periodicities, or an input_window_size"),
        (lambda: ARModel(-3, 2, 2, 1), "Periodicities must be positive, not"),
        (lambda: ARModel(3, 2, 2, 1, num_time_buckets=0), "num_time_buckets must be positive"),
        (lambda: AnomalyMixtureARModel(3, 1.5, 2, 2, 1), "must lie between 0 and 1, and is 1.5."),
        (
            lambda: AnomalyMixtureARModel(3, 0.5, 2, 2, 1, anomaly_distribution="flat"),
            "must be 'gaussian' or 'cauchy', not 'flat'.",
        ),
    ):
        with pytest.raises(AssertionError, match=text):
            call()
    model = ARModel(7, 2, 2, 1)
    with pytest.raises(ValueError, match=r"require initialize_graph\(\) to be called before use"):
        model.define_loss(windows(4, 1), "train")
    model.initialize_graph()
    state: Any = model.get_start_state()
    with pytest.raises(ValueError, match=r"set window_size=4 or adjust the input_window_size"):
        model.get_batch_loss(windows(5, 1), "train", state)
    with pytest.raises(ValueError, match=r"and got shape \(1, 3\) for feature 'times'"):
        model.get_batch_loss(windows(3, 1), "eval", state)
    with pytest.raises(ValueError, match="Unknown mode 'infer' passed to get_batch_loss"):
        model.get_batch_loss(windows(4, 1), "infer", state)
