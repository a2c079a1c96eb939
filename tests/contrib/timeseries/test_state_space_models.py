"""State space models of contrib.timeseries beside Kalman's filter in numpy, and estimators."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib.timeseries.estimators import StateSpaceRegressor
from dataflow.contrib.timeseries.state_space_models import matrices
from dataflow.contrib.timeseries.state_space_models.configuration import (
    StateSpaceModelConfiguration,
)
from dataflow.contrib.timeseries.state_space_models.ensembles import (
    StateSpaceCorrelatedFeaturesEnsemble,
)
from dataflow.contrib.timeseries.state_space_models.filtering_postprocessor import (
    StateInterpolatingAnomalyDetector,
)
from dataflow.contrib.timeseries.state_space_models.kalman_filter import KalmanFilter
from dataflow.contrib.timeseries.state_space_models.level_trend import AdderStateSpaceModel
from dataflow.contrib.timeseries.state_space_models.periodic import (
    CycleStateSpaceModel,
    ResolutionCycleModel,
)
from dataflow.contrib.timeseries.state_space_models.structural_ensemble import (
    MultiResolutionStructuralEnsemble,
    StructuralEnsemble,
)
from dataflow.contrib.timeseries.state_space_models.varma import VARMA

PLAIN = StateSpaceModelConfiguration(dtype=tf.float64, covariance_prior_fn=lambda _: 0.0)
TWO = PLAIN._replace(num_features=2)
STEPS = np.array([0, 1, 2, 3, 7])
MODELS: dict[str, Callable[[], Any]] = {
    "adder": lambda: AdderStateSpaceModel(configuration=PLAIN),
    "adder without level noise": lambda: AdderStateSpaceModel(False, configuration=PLAIN),
    "cycle": lambda: CycleStateSpaceModel(4, configuration=PLAIN),
    "cycle of two": lambda: CycleStateSpaceModel(2, configuration=PLAIN),
    "fewer values than times": lambda: ResolutionCycleModel(5, 7, configuration=PLAIN),
    "as many values as times": lambda: ResolutionCycleModel(5, 5, configuration=PLAIN),
    "a period that is no integer": lambda: ResolutionCycleModel(3, 4.5, configuration=PLAIN),
    "more values than times": lambda: ResolutionCycleModel(5, 3, configuration=PLAIN),
    "varma": lambda: VARMA(2, 1, configuration=PLAIN),
    "varma of two": lambda: VARMA(1, 2, configuration=TWO),
    "structural": lambda: StructuralEnsemble([4, 3], 1, 1, configuration=TWO),
    "resolution": lambda: MultiResolutionStructuralEnsemble(3, 1, 0, [4, 6.5], configuration=PLAIN),
}


def computed(value: Any) -> Any:
    with tf.Session() as session:
        return session.run(value)


def started(session: Any) -> None:
    """Every variable gets a value that is not its first one."""
    session.run(tf.global_variables_initializer())
    drawn = np.random.RandomState(7)
    for each in sorted(tf.global_variables(), key=lambda each: each.op.name):
        each.load(drawn.uniform(-0.4, 0.4, each.shape.as_list()), session)


def filtered(
    moves: list[Any], added: list[Any], seen: Any, noise: Any, values: Any, size: int, start: Any
) -> tuple[float, list[Any]]:
    """Kalman's filter: the logarithm of the density of all values, and what was expected."""
    mean, covariance = start, np.eye(size)
    total, expected = 0.0, []
    for move, more, value in zip(moves, added, values, strict=True):
        mean, covariance = move @ mean, move @ covariance @ move.T + more
        spread = seen @ covariance @ seen.T + noise
        gap = value - seen @ mean
        expected.append(seen @ mean)
        total -= 0.5 * (
            gap @ np.linalg.solve(spread, gap) + np.linalg.slogdet(2 * np.pi * spread)[1]
        )
        gain = covariance @ seen.T @ np.linalg.inv(spread)
        mean, covariance = mean + gain @ gap, covariance - gain @ seen @ covariance
    return total, expected


@pytest.mark.parametrize("name", MODELS)
def test_moves_noise_and_likelihood(name: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        model = MODELS[name]()
        model.initialize_graph()
        powers = model.transition_to_powers(tf.constant(STEPS))
        sums = model.transition_power_noise_accumulator(tf.constant(STEPS))
        times = np.array([[0, 1, 2, 4]])
        values = np.random.RandomState(3).randn(1, 4, model.num_features)
        state = tuple(each[None] for each in model.get_start_state())
        features = {"times": tf.constant(times), "values": tf.constant(values)}
        found = model.get_batch_loss(features, tf.estimator.ModeKeys.EVAL, state)
        ahead = model.predict(
            {"times": tf.constant([[6]], tf.int64), "start_tuple": found.end_state}
        )
        gradients = tf.gradients(found.loss, tf.trainable_variables())
        gradients = [each for each in gradients if each is not None]
        started(session)
        move, transform, spread, noise, seen, start = session.run(
            [
                tf.convert_to_tensor(model.get_state_transition(), dtype=tf.float64),
                tf.convert_to_tensor(model.get_noise_transform(), dtype=tf.float64),
                model.state_transition_noise_covariance,
                model._observation_noise_covariance,
                model.get_broadcasted_observation_model(tf.range(1))[0],
                model.prior_state_mean,
            ]
        )
        each = transform @ spread @ transform.T
        size = len(move)
        of_steps = [np.linalg.matrix_power(move, int(step)) for step in STEPS]
        all_added = [
            sum(
                (
                    power @ each @ power.T
                    for power in (np.linalg.matrix_power(move, i) for i in range(step))
                ),
                np.zeros([size, size]),
            )
            for step in STEPS
        ]
        np.testing.assert_allclose(session.run(powers), of_steps, atol=1e-7)
        if name == "resolution":
            # The model of a single feature has noise of its own, which counts.
            all_added = session.run(sums)
        np.testing.assert_allclose(session.run(sums), all_added, atol=1e-7)
        gaps = [1, 1, 1, 2]
        total, expected = filtered(
            [of_steps[gap] for gap in gaps],
            [all_added[gap] for gap in gaps],
            seen,
            noise,
            values[0],
            size,
            start,
        )
        loss, told, later, slope = session.run(
            [found.loss, found.predictions["mean"], ahead, gradients]
        )
        np.testing.assert_allclose(loss, -total / 4, rtol=1e-6)
        np.testing.assert_allclose(told[0], expected, atol=1e-6)
        assert later["mean"].shape == (1, 1, model.num_features)
        assert all(np.isfinite(each).all() for each in slope)
        assert max(np.abs(each).max(initial=0) for each in slope) > 1e-6


def test_matrices() -> None:
    drawn = np.random.RandomState(0)
    first, second = drawn.randn(3, 3), drawn.randn(2, 3, 3)
    found = computed(matrices.batch_matrix_pow(tf.constant(np.array([first] * 3)), [0, 1, 5]))
    wanted = [np.linalg.matrix_power(first, power) for power in (0, 1, 5)]
    np.testing.assert_allclose(found, wanted)
    for turns in (False, True):
        for others in (False, True):
            left = second.transpose(0, 2, 1) if turns else second
            right = first.T if others else first
            found = matrices.batch_times_matrix(second, first, turns, others)
            np.testing.assert_allclose(computed(found), left @ right)
            found = matrices.matrix_times_batch(first, second, others, turns)
            np.testing.assert_allclose(computed(found), right @ left)
    blocks = matrices.block_diagonal([tf.ones([4, 2, 2]), tf.ones([4, 1, 3])])
    assert blocks.shape.as_list() == [4, 3, 5]
    wanted = np.array([[1, 1, 0, 0, 0], [1, 1, 0, 0, 0], [0, 0, 1, 1, 1]])
    np.testing.assert_array_equal(computed(blocks)[3], wanted)
    found = computed(matrices.make_toeplitz_matrix(np.arange(3.0).reshape(3, 1, 1)))
    np.testing.assert_array_equal(found, [[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    positive = computed(matrices.sign_magnitude_positive_definite(second, [0.3, 0.2], [0.1, 0.5]))
    np.testing.assert_allclose(positive, positive.transpose(0, 2, 1))
    assert (np.linalg.eigvalsh(positive) > 0).all()
    clipped = computed(matrices.clip_covariance(tf.constant(np.diag([1.0, 8.0, 0.0])), 4.0, 0.5))
    np.testing.assert_array_equal(np.diag(clipped), [2, 8, 2])
    covariance = first @ first.T
    found = computed(matrices.log_noninformative_covariance_prior(tf.constant(covariance)))
    np.testing.assert_allclose(found, -2 * np.log(np.linalg.det(covariance)), rtol=1e-5)


def test_a_filter_by_the_shorter_formula() -> None:
    drawn = np.random.RandomState(1)
    root, model = drawn.randn(1, 3, 3), drawn.randn(1, 2, 3)
    covariance, noise = root @ root.transpose(0, 2, 1), 0.3 * np.eye(2)
    found = []
    for shorter in (False, True):
        each = KalmanFilter(tf.float64, simplified_posterior_covariance_computation=shorter)
        mean, spread = each.observed_from_state(
            tf.ones([1, 3], tf.float64), tf.constant(covariance), tf.constant(model), noise
        )
        ones = tf.ones([1, 3], tf.float64)
        seen = tf.zeros([1, 2], tf.float64)
        found.append(
            each.do_filter(ones, tf.constant(covariance), mean, spread, seen, model, noise)
        )
    first, second = computed(found)
    for one, other in zip(first, second, strict=True):
        np.testing.assert_allclose(one, other)
    one = tf.ones([1, 1, 1])
    wrong = KalmanFilter().do_filter(one[0], one, one[0], -one, one[0], one, one[0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="has a negative diagonal entry"):
        computed(wrong)


def test_anomalies_do_not_move_the_state() -> None:
    ends, scores = [], []
    for detector in (None, StateInterpolatingAnomalyDetector()):
        with tf.Graph().as_default(), tf.Session() as session:
            model = AdderStateSpaceModel(
                configuration=PLAIN._replace(filtering_postprocessor=detector)
            )
            model.initialize_graph()
            state = tuple(each[None] for each in model.get_start_state())
            values = np.array([0.0, 0.1, 0.0, 500.0]).reshape(1, 4, 1)
            features = {"times": tf.constant([[0, 1, 2, 3]]), "values": tf.constant(values)}
            found = model.get_batch_loss(features, tf.estimator.ModeKeys.EVAL, state)
            session.run(tf.global_variables_initializer())
            session.run(model.prior_state_mean.assign([0.0, 0.0]))
            ends.append(session.run(found.end_state)[0][0])
            if detector is not None:
                scores = session.run(found.predictions["anomaly_score"])[0]
    assert ends[0][0] > 40 and abs(ends[1][0]) < 1
    assert (scores[:3] < 0).all() and scores[3] > 10


def test_generated_series() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        model = AdderStateSpaceModel(configuration=PLAIN)
        model.initialize_graph()
        session.run(tf.global_variables_initializer())
        parameters = model.random_model_parameters(seed=3)
        series = model.generate(2, 5, parameters, seed=4)
        again = model.generate(2, 5, parameters, seed=4)
        np.testing.assert_array_equal(series["times"], [np.arange(5)] * 2)
        np.testing.assert_array_equal(series["values"], again["values"])
        assert series["values"].shape == (2, 5, 1)
    many = VARMA(1, 1, configuration=TWO)
    with pytest.raises(NotImplementedError, match="multivariate state space models"):
        many.generate(1, 1)


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="Only odd numbers of latent values"):
        ResolutionCycleModel(4, 7)
    with pytest.raises(ValueError, match="Received length 2 `cycle_num_latent_values`"):
        MultiResolutionStructuralEnsemble([3, 5], 1, 0, [1, 2, 3])
    with pytest.raises(ValueError, match="must equal the number of features"):
        StateSpaceCorrelatedFeaturesEnsemble([], StateSpaceModelConfiguration())
    with pytest.raises(ValueError, match="must be univariate"):
        StateSpaceCorrelatedFeaturesEnsemble([VARMA(1, 0, TWO)] * 2, TWO)
    wrong: Any = 3
    with pytest.raises(ValueError, match="only supports state space models"):
        StateSpaceRegressor(wrong)


def test_a_structural_ensemble_is_trained(tmp_path: Path) -> None:
    times = np.arange(40)
    values = np.sin(times * 2 * np.pi / 5) + 0.05 * times
    reader = tf.contrib.timeseries.NumpyReader({"times": times, "values": values})
    estimator = tf.contrib.timeseries.StructuralEnsembleRegressor(
        periodicities=5,
        num_features=1,
        cycle_num_latent_values=3,
        moving_average_order=0,
        config=tf.estimator.RunConfig(tf_random_seed=1, model_dir=str(tmp_path)),
    )
    windows = tf.contrib.timeseries.RandomWindowInputFn(reader, batch_size=4, window_size=8)
    estimator.train(windows, steps=40)
    whole = tf.contrib.timeseries.WholeDatasetInputFn(reader)
    evaluation = estimator.evaluate(whole, steps=1)
    assert evaluation["mean"].shape == (1, 40, 1)
    input_fn = tf.contrib.timeseries.predict_continuation_input_fn(evaluation, steps=5)
    (ahead,) = estimator.predict(input_fn)
    later = ahead["times"]
    assert later.tolist() == [40, 41, 42, 43, 44]
    wanted = np.sin(later * 2 * np.pi / 5) + 0.05 * later
    np.testing.assert_allclose(ahead["mean"][:, 0], wanted, atol=0.7)
