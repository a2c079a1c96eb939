"""tf.contrib.learn.DynamicRnnEstimator: names and numbers as TensorFlow 1.15 gives them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import layers, learn
from dataflow.contrib.learn.recurrent import (
    PredictionType,
    apply_dropout,
    construct_rnn_cell,
    mask_activations_and_labels,
    select_last_activations,
)
from dataflow.contrib.learn.recurrent.inputs import build_sequence_input

RANDOM = np.random.RandomState(0)
STEPS = RANDOM.rand(4, 3, 2).astype(np.float32)
WHOLE = RANDOM.rand(4, 1).astype(np.float32)
LENGTHS = [3, 2, 1, 3]
CLASSES, NUMBERS = learn.ProblemType.CLASSIFICATION, learn.ProblemType.LINEAR_REGRESSION
ONE, EACH = PredictionType.SINGLE_VALUE, PredictionType.MULTIPLE_VALUE


class Inputs:
    """Features and labels of a problem."""

    def __init__(
        self,
        problem: int,
        prediction: int,
        lengths: bool = True,
        states: Sequence[int | None] = (),
    ) -> None:
        self.problem, self.prediction = problem, prediction
        self.lengths, self.states = lengths, states

    def __call__(self) -> Any:
        features: dict[str, Any] = {"m": tf.constant(STEPS), "c": tf.constant(WHOLE)}
        if self.lengths:
            features["sequence_length"] = tf.constant(LENGTHS)
        for place, size in enumerate(self.states):
            if size:
                features[f"rnn_cell_state_{place}"] = tf.ones([4, size])
        return features, tf.constant(self.labels())

    def labels(self) -> Any:
        if self.prediction == EACH:
            sums = STEPS.sum(2)
            return sums if self.problem == NUMBERS else (sums * 10).astype(np.int32) % 3
        return STEPS.sum((1, 2)) if self.problem == NUMBERS else np.array([0, 1, 2, 1])


def estimator(folder: Path, problem: int, prediction: int, **options: Any) -> Any:
    columns = [layers.real_valued_column("m", 2)]
    return learn.DynamicRnnEstimator(problem, prediction, columns, model_dir=str(folder), **options)


def with_sines(model: Any, inputs: Inputs, folder: Path) -> list[str]:
    """Gives the model's weights the values of sines; the names of what is saved."""
    model.fit(input_fn=inputs, steps=1)
    names: list[str] = model.get_variable_names()
    with tf.Graph().as_default(), tf.Session() as session:
        for name in names:
            value = model.get_variable_value(name)
            if not name.startswith("Optimize") and value.ndim:
                value = np.sin(np.arange(value.size) + 1).reshape(value.shape) / 2
            tf.Variable(value.astype(model.get_variable_value(name).dtype), name=name)
        session.run(tf.global_variables_initializer())
        tf.train.Saver().save(session, f"{folder}/model.ckpt", global_step=2)
    return names


def close(values: Any, expected: Any) -> None:
    np.testing.assert_allclose(values, expected, atol=1e-4)


def test_classes_of_steps(tmp_path: Path) -> None:
    inputs = Inputs(CLASSES, EACH)
    options = {"num_classes": 3, "num_units": 4, "predict_probabilities": True}
    model = estimator(tmp_path, CLASSES, EACH, **options)
    assert with_sines(model, inputs, tmp_path) == [
        "OptimizeLoss/learning_rate",
        "fully_connected/biases",
        "fully_connected/weights",
        "global_step",
        "rnn/basic_rnn_cell/bias",
        "rnn/basic_rnn_cell/kernel",
    ]
    found = list(model.predict(input_fn=inputs))
    close(found[0]["probabilities"][0], [0.3579, 0.3942, 0.2479])
    close(found[0]["rnn_cell_state_0"], [0.1851, 0.5508, 0.4480, -0.0982])
    assert np.all([each["classes"] == 1 for each in found]) and found[0]["classes"].shape == (3,)
    evaluated = model.evaluate(input_fn=inputs, steps=1)
    close([evaluated["loss"], evaluated["accuracy"]], [1.1057, 4 / 9])


def test_classes_of_sequences(tmp_path: Path) -> None:
    inputs = Inputs(CLASSES, ONE)
    options = {"cell_type": "lstm", "dropout_keep_probabilities": [0.5, 0.5, 0.5]}
    options |= {"num_classes": 3, "num_units": [3, 4], "predict_probabilities": True}
    model = estimator(tmp_path, CLASSES, ONE, **options)
    names = with_sines(model, inputs, tmp_path)
    assert names[4:6] == [f"rnn/multi_rnn_cell/cell_0/lstm_cell/{n}" for n in ("bias", "kernel")]
    found = next(iter(model.predict(input_fn=inputs)))
    close(found["probabilities"], [0.3607, 0.3695, 0.2698])
    close(found["rnn_cell_state_0"], [-1.162, -1.4427, -0.3744])
    close(found["rnn_cell_state_3"], [-0.2826, -0.0767, 0.1735, 0.1612])
    evaluated = model.evaluate(input_fn=inputs, steps=1)
    close([evaluated["loss"], evaluated["accuracy"]], [1.0857, 0.5])


def test_two_classes(tmp_path: Path) -> None:
    inputs = Inputs(CLASSES, EACH)
    options = {"cell_type": tf.nn.rnn_cell.GRUCell, "predict_probabilities": True}
    model = estimator(tmp_path, CLASSES, ONE, num_classes=2, num_units=3, **options)
    with_sines(model, Inputs(CLASSES, ONE), tmp_path)
    found = [each["probabilities"] for each in model.predict(input_fn=inputs)]
    close(found[:2], [[0.3274, 0.6726], [0.2982, 0.7018]])
    of_steps = estimator(tmp_path, CLASSES, EACH, num_classes=2, num_units=3, **options)
    each = next(iter(of_steps.predict(input_fn=inputs)))["probabilities"]
    assert each.shape == (3, 2)
    close(each[2], found[0])


def test_numbers_of_steps(tmp_path: Path) -> None:
    inputs = Inputs(NUMBERS, EACH, lengths=False)
    options = {"cell_type": "gru", "optimizer": "Momentum", "momentum": 0.9, "num_units": [3]}
    model = estimator(tmp_path, NUMBERS, EACH, **options)
    assert with_sines(model, inputs, tmp_path)[0] == "OptimizeLoss/fully_connected/biases/Momentum"
    found = next(iter(model.predict(input_fn=inputs)))
    close(found["scores"], [0.6442, 0.7596, 0.7199])
    close(model.evaluate(input_fn=inputs, steps=1)["loss"], 0.4236)


def test_numbers_of_sequences(tmp_path: Path) -> None:
    inputs = Inputs(NUMBERS, ONE)
    context = [layers.real_valued_column("c")]
    model = estimator(
        tmp_path / "a", NUMBERS, ONE, num_units=3, context_feature_columns=context, optimizer="Adam"
    )
    with_sines(model, inputs, tmp_path / "a")
    found = [each["scores"] for each in model.predict(input_fn=inputs)]
    close(found, [0.7308, 1.0741, 0.7144, 0.9228])
    close(model.evaluate(input_fn=inputs, steps=1)["loss"], 8.335)

    inputs = Inputs(NUMBERS, ONE, lengths=False, states=[3, 3])
    model = estimator(tmp_path / "b", NUMBERS, ONE, num_units=3, cell_type="lstm")
    with_sines(model, inputs, tmp_path / "b")
    found = [each["scores"] for each in model.predict(input_fn=inputs)]
    close(found, [0.289, 0.2795, 0.3277, 0.2681])
    with pytest.raises(ValueError, match="RNN state was partially specified"):
        next(iter(model.predict(input_fn=Inputs(NUMBERS, ONE, states=[3, None]))))


def test_what_counts_of_sequences() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        last = session.run(select_last_activations(tf.constant(STEPS), tf.constant(LENGTHS)))
        np.testing.assert_array_equal(last, STEPS[range(4), np.array(LENGTHS) - 1])
        labels = tf.constant(np.arange(12).reshape(4, 3))
        kept = mask_activations_and_labels(tf.constant(STEPS), labels, tf.constant(LENGTHS))
        of_steps, of_labels = session.run(kept)
        np.testing.assert_array_equal(of_labels, [0, 1, 2, 3, 4, 6, 9, 10, 11])
        np.testing.assert_array_equal(of_steps, STEPS.reshape(12, 2)[of_labels])
        of_steps, of_labels = session.run(
            mask_activations_and_labels(tf.constant(STEPS), labels, None)
        )
        assert of_steps.shape == (12, 2) and of_labels.shape == (12,)
        columns = [layers.real_valued_column("m", 2)], [layers.real_valued_column("c")]
        built = session.run(build_sequence_input(Inputs(NUMBERS, ONE)()[0], *columns))
        expected = np.concatenate([STEPS, np.repeat(WHOLE[:, None], 3, 1)], 2)
        np.testing.assert_array_equal(built, expected)


def test_what_is_refused(tmp_path: Path) -> None:
    for problem, prediction, options, text in (
        (CLASSES, EACH, {}, "For CLASSIFICATION problem_type, num_classes must be specified."),
        (9, EACH, {}, "problem_type must be either ProblemType.LINEAR_REGRESSION or"),
        (CLASSES, 7, {}, "prediction_type must be one of PredictionType.MULTIPLE_VALUE or"),
        (
            NUMBERS,
            ONE,
            {"predict_probabilities": True},
            "predict_probabilities can only be set to True for problem_type",
        ),
    ):
        with pytest.raises(ValueError, match=text):
            estimator(tmp_path, problem, prediction, num_units=3, **options)
    with pytest.raises(ValueError, match="Got 2 cells and 1 dropout probabilities"):
        apply_dropout([tf.nn.rnn_cell.GRUCell(2)] * 2, [0.5])
    with pytest.raises(ValueError, match="The supported cell types are"):
        construct_rnn_cell(3, int)
