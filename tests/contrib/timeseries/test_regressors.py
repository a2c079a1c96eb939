"""Estimators of time series: trained, evaluated, asked for what follows, exported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import timeseries as ts
from dataflow.contrib.timeseries.estimators import LSTMAutoRegressor
from dataflow.contrib.timeseries.sequential_model import SequentialTimeSeriesModel
from dataflow.contrib.timeseries.state_management import ChainingStateManager
from tests.contrib.timeseries.series import SERIES, TIMES, VALUES, windows

STATISTICS = [
    *("overall_feature_mean", "overall_feature_var", "series_start_mean"),
    *("series_start_variance", "start_time", "total_observation_count"),
]


def whole() -> Any:
    return ts.WholeDatasetInputFn(ts.NumpyReader(SERIES))


def test_a_model_is_trained_exported_and_goes_on(tmp_path: Path) -> None:
    estimator = ts.ARRegressor(10, 8, 4, 1, num_time_buckets=5, model_dir=str(tmp_path / "model"))
    estimator.train(lambda: windows(12, 6), steps=40)
    names = set(estimator.get_variable_names())
    assert names >= {f"input_statistics/{name}" for name in STATISTICS}
    layers = [
        f"model/flat_prediction_model/{each}" for each in ("log_sigma_square", "predicted_mean")
    ]
    assert names >= {
        f"{layer}/{part}{slot}"
        for layer in layers
        for part in ("bias", "kernel")
        for slot in ("", "/Adagrad")
    }
    evaluation = estimator.evaluate(whole(), steps=1)
    assert evaluation["average_loss"] == evaluation["loss"]
    np.testing.assert_array_equal(evaluation["times"], [TIMES[10:]])
    np.testing.assert_allclose(evaluation["observed"][0, :, 0], VALUES[10:], rtol=1e-6)
    times, _, others = evaluation["start_tuple"]
    assert times.tolist() == [list(range(22, 30))] and others.shape == (1, 8, 0)
    (following,) = estimator.predict(ts.predict_continuation_input_fn(evaluation, steps=6))
    assert following["times"].tolist() == list(range(30, 36))
    exported = estimator.export_savedmodel(
        str(tmp_path / "export"), estimator.build_raw_serving_input_receiver_fn()
    )
    with tf.Graph().as_default(), tf.Session() as session:
        signatures = tf.saved_model.loader.load(session, ["serve"], exported.decode())
        assert sorted(signatures.signature_def) == [
            "cold_start_filter",
            "filter",
            "serving_default",
        ]
        again = ts.saved_model_utils.predict_continuation(evaluation, signatures, session, steps=6)
        np.testing.assert_allclose(again["mean"][0], following["mean"], rtol=1e-5)
        first, second = (
            {key: value[part] for key, value in SERIES.items()}
            for part in (slice(20), slice(20, 30))
        )
        state = ts.saved_model_utils.cold_start_filter(signatures, session, first)
        assert state["model_state_00"].tolist() == [list(range(12, 20))]
        state = ts.saved_model_utils.filter_continuation(state, signatures, session, second)
        assert state["model_state_00"].tolist() == [list(range(22, 30))]
        last = ts.saved_model_utils.predict_continuation(
            state, signatures, session, times=np.arange(30, 36)
        )
        np.testing.assert_allclose(last["mean"], again["mean"], rtol=1e-4)


def test_other_features_and_one_signature_without_state(tmp_path: Path) -> None:
    column = tf.feature_column.numeric_column("other")
    estimator = LSTMAutoRegressor(
        5, 6, 3, str(tmp_path), extra_feature_columns=[column], num_units=2
    )

    def with_other() -> Any:
        features = windows(9, 4)
        return {**features, "other": tf.cast(features["times"], tf.float32) / 10}

    estimator.train(with_other, steps=2)
    found = estimator.evaluate(with_other, steps=1)
    assert "start_tuple" not in found and found["mean"].shape == (4, 3, 1)
    exported = estimator.export_savedmodel(
        str(tmp_path / "export"),
        estimator.build_one_shot_parsing_serving_input_receiver_fn(9, 4),
    )
    example = tf.train.Example()
    features = example.features.feature
    features["times"].int64_list.value.extend(range(13))
    features["values"].float_list.value.extend(VALUES[:9])
    features["other"].float_list.value.extend(np.arange(13) / 10)
    with tf.Graph().as_default(), tf.Session() as session:
        signature = tf.saved_model.loader.load(session, ["serve"], exported.decode()).signature_def[
            "serving_default"
        ]
        assert list(signature.inputs) == ["examples"]
        got = session.run(
            signature.outputs["mean"].name,
            {signature.inputs["examples"].name: [example.SerializeToString()]},
        )
    assert got.shape == (1, 4, 1)


class Decay(SequentialTimeSeriesModel):
    """The next value is the last one, times a weight."""

    def __init__(self, **options: Any) -> None:
        super().__init__(["mean"], ["mean"], num_features=1, **options)

    def initialize_graph(self, input_statistics: Any = None) -> None:
        super().initialize_graph(input_statistics)
        self.weight = tf.get_variable("weight", initializer=0.5)

    def get_start_state(self) -> Any:
        return (tf.zeros([], tf.int64), tf.zeros([1]))

    def _prediction_step(self, current_times: Any, state: Any) -> Any:
        value = self.weight * state[1]
        return (current_times, value), {"mean": value}

    def _filtering_step(
        self, current_times: Any, current_values: Any, state: Any, predictions: Any
    ) -> Any:
        loss = tf.reduce_sum((predictions["mean"] - current_values) ** 2, axis=1)
        return (current_times, current_values), {"mean": predictions["mean"], "loss": loss}

    def _imputation_step(self, current_times: Any, state: Any) -> Any:
        return state

    def _exogenous_input_step(
        self, current_times: Any, current_exogenous_regressors: Any, state: Any
    ) -> Any:
        return state[0], state[1] + current_exogenous_regressors


def errors(weight: float, before: float, values: np.ndarray) -> np.ndarray:
    return (weight * np.array([before, *values[:-1]]) - values) ** 2


@pytest.mark.parametrize("threshold", [None, 10])
def test_a_model_that_goes_step_by_step(threshold: int | None) -> None:
    model = Decay(static_unrolling_window_size_threshold=threshold)
    model.initialize_graph()
    found = model.define_loss(windows(6, 2), "eval")
    following = model.predict({"times": [[6, 7], [7, 8]], "start_tuple": found.end_state})
    assert any("while" in op.name for op in tf.get_default_graph().get_operations()) == (
        threshold is None
    )
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        loss, state, mean = session.run([found.loss, found.end_state, following["mean"]])
    expected = [errors(0.5, 0.0, VALUES[begin : begin + 6]) for begin in (0, 1)]
    np.testing.assert_allclose(loss, np.mean(expected), rtol=1e-5)
    assert state[0].tolist() == [5, 6]
    np.testing.assert_allclose(mean[0, :, 0], VALUES[5] * np.array([0.5, 0.25]), rtol=1e-5)


def test_other_features_change_the_state_where_they_may() -> None:
    model = Decay(
        exogenous_feature_columns=[tf.feature_column.numeric_column("other")],
        exogenous_update_condition=lambda times, features: tf.equal(times % 2, 0),
    )
    model.initialize_graph()
    features = {**windows(4, 1), "other": tf.ones([1, 4])}
    found = model.define_loss(features, "eval")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        means = session.run(found.predictions["mean"])[0, :, 0]
    before = np.add([0.0, *VALUES[:3]], [1, 0, 1, 0])
    np.testing.assert_allclose(means, 0.5 * before, rtol=1e-5)


def test_states_are_kept_from_window_to_window() -> None:
    """A window begins with the state that the one before it ended with."""
    model, manager = Decay(), ChainingStateManager(state_saving_interval=4)
    features = {
        "times": tf.constant([[0, 1, 2, 3], [4, 5, 6, 7]], tf.int64),
        "values": tf.constant(VALUES[:8].reshape(2, 4, 1), tf.float32),
    }
    with pytest.raises(ValueError, match="ChainingStateManager requires initialize_graph"):
        manager.define_loss(model, dict(features), "train")
    model.initialize_graph()
    manager.initialize_graph(model)
    found = manager.define_loss(model, dict(features), "train")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        first, second = session.run(found.loss), session.run(found.loss)
    chunks = VALUES[:8].reshape(2, 4)
    cold = [errors(0.5, 0.0, chunk) for chunk in chunks]
    warm = [cold[0], errors(0.5, VALUES[3], chunks[1])]
    np.testing.assert_allclose([first, second], [np.mean(cold), np.mean(warm)], rtol=1e-5)
    with pytest.raises(ValueError, match="Overriding saved state for training is not supported"):
        manager.define_loss(model, {**features, "start_tuple": ()}, "train")


def test_features_that_are_refused(tmp_path: Path) -> None:
    estimator = ts.ARRegressor(3, 2, 2, 1, model_dir=str(tmp_path))
    good = windows
    train, evaluate = estimator.train, estimator.evaluate

    def without(name: str) -> Any:
        return {key: value for key, value in good(4, 1).items() if key != name}

    for call, given, text in (
        (train, lambda: without("values"), "Expected a 'values' feature for training/evaluation."),
        (train, lambda: without("times"), "Expected a 'times' feature for training/evaluation."),
        (train, lambda: (good(4, 1), tf.constant(1)), "Pass 'times' and 'values' as features."),
        (
            evaluate,
            lambda: {**good(4, 1), "times": tf.constant([[1, 2, 3]])},
            "match the 'times' feature (got shape (1, 4, 1) for feature 'values' but shape (1, 3)",
        ),
        (
            evaluate,
            lambda: {**good(4, 1), "values": tf.zeros([1, 4, 2])},
            "since the model was configured with num_features=1 (got shape (1, 4))",
        ),
        (
            evaluate,
            lambda: {**good(4, 1), "other": tf.zeros([1])},
            "(got rank 1 for feature 'other')",
        ),
    ):
        with pytest.raises(ValueError) as caught:
            call(given, steps=1)
        assert text in str(caught.value)
    with pytest.raises(ValueError, match="Expected a 'start_tuple' feature for"):
        next(estimator.predict(lambda: good(4, 1)))
    with pytest.raises(ValueError, match="anomaly_prior_probability is required"):
        ts.ARRegressor(3, 2, 2, 1, anomaly_distribution="cauchy")
    with pytest.raises(ValueError, match="AnomalyMixtureARModel only supports"):
        ts.ARRegressor(3, 2, 2, 1, loss="squared_loss", anomaly_prior_probability=0.1)
