"""Canned estimators: names in checkpoints as TensorFlow 1.15 has them, and values against numpy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.estimation.canned.logits import share_of_zeros
from dataflow.estimation.canned.nets import dnn_model_fn
from dataflow.estimation.canned.optimizers import linear_rate

ROWS = 12
AGE = np.random.RandomState(3).rand(ROWS).astype(np.float32)
WORDS = np.array(["a", "b", "c", "b"] * 3)
PLACES = np.array([0, 1, 2, 1] * 3)
NUMBERS = (3.0 * AGE - 1.0 + PLACES).astype(np.float32)
CLASSES = (NUMBERS > 1.2).astype(np.int32)
WEIGHTS = np.array([1.0, 2.0, 0.5] * 4, np.float32)
FEATURES = {"age": AGE, "word": WORDS, "weight": WEIGHTS}
RATE = 0.01


def columns() -> tuple[Any, Any, Any]:
    """A number, a category, and its embedding."""
    fc = tf.feature_column
    word = fc.categorical_column_with_vocabulary_list("word", ["a", "b", "c"])
    return fc.numeric_column("age"), word, fc.embedding_column(word, 2)


def batches(labels: Any, epochs: int | None = 1) -> Any:
    """All rows in one batch."""
    return tf.estimator.inputs.numpy_input_fn(
        FEATURES, labels, batch_size=ROWS, num_epochs=epochs, shuffle=False
    )


def gradient_descent() -> Any:
    return tf.train.GradientDescentOptimizer(RATE)


def sigmoid(x: Any) -> Any:
    return 1.0 / (1.0 + np.exp(-x))


def predicted(estimator: Any, key: str) -> np.ndarray[Any, Any]:
    return np.stack([row[key] for row in estimator.predict(batches(None))])


def of_net(estimator: Any) -> np.ndarray[Any, Any]:
    """The logits of a net with one hidden layer, by the weights in its checkpoint."""
    value = estimator.get_variable_value
    table = value("dnn/input_from_feature_columns/input_layer/word_embedding/embedding_weights")
    inputs = np.concatenate([AGE[:, None], table[PLACES]], 1)
    hidden = inputs @ value("dnn/hiddenlayer_0/kernel") + value("dnn/hiddenlayer_0/bias")
    found = np.maximum(hidden, 0) @ value("dnn/logits/kernel") + value("dnn/logits/bias")
    return np.asarray(found)


def of_linear_model(estimator: Any) -> np.ndarray[Any, Any]:
    """The logits of a linear model, by the weights in its checkpoint."""
    value = estimator.get_variable_value
    name = "linear/linear_model/"
    found = AGE[:, None] @ value(f"{name}age/weights") + value(f"{name}bias_weights")
    return np.asarray(found + value(f"{name}word/weights")[PLACES])


def test_a_linear_regressor_takes_the_step_of_its_loss(tmp_path: Path) -> None:
    age, word, _ = columns()
    made = tf.estimator.LinearRegressor(
        [age, word], str(tmp_path), weight_column="weight", optimizer=gradient_descent
    )
    made.train(batches(NUMBERS, None), steps=1)
    error = -2.0 * RATE * WEIGHTS * -NUMBERS
    expected = {
        "age/weights": np.sum(error * AGE)[None, None],
        "bias_weights": np.sum(error)[None],
        "word/weights": np.bincount(PLACES, error)[:, None],
    }
    for name, value in expected.items():
        found = made.get_variable_value(f"linear/linear_model/{name}")
        np.testing.assert_allclose(found, value, rtol=1e-4, err_msg=name)
    np.testing.assert_allclose(predicted(made, "predictions"), of_linear_model(made), rtol=1e-5)
    found = made.evaluate(batches(NUMBERS))
    loss = np.sum(WEIGHTS * (of_linear_model(made)[:, 0] - NUMBERS) ** 2)
    np.testing.assert_allclose(found["loss"], loss, rtol=1e-4)
    np.testing.assert_allclose(found["average_loss"], loss / WEIGHTS.sum(), rtol=1e-4)
    np.testing.assert_allclose(found["label/mean"], np.average(NUMBERS, weights=WEIGHTS), rtol=1e-5)


def test_a_classifier_of_a_net(tmp_path: Path) -> None:
    age, _, embedding = columns()
    made = tf.estimator.DNNClassifier([4], [age, embedding], str(tmp_path), dropout=0.2)
    made.train(batches(CLASSES, None), steps=3)
    logits = of_net(made)
    np.testing.assert_allclose(predicted(made, "logits"), logits, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(predicted(made, "logistic"), sigmoid(logits), rtol=1e-5)
    ids = (logits > 0).astype(int)
    np.testing.assert_array_equal(predicted(made, "class_ids"), ids)
    assert predicted(made, "classes")[0] == [str(ids[0, 0]).encode()]
    found = made.evaluate(batches(CLASSES))
    right = sigmoid(np.where(CLASSES, 1, -1) * logits[:, 0])
    np.testing.assert_allclose(found["loss"], -np.log(right).sum(), rtol=1e-5)
    np.testing.assert_allclose(found["accuracy"], np.mean(ids[:, 0] == CLASSES), rtol=1e-6)
    np.testing.assert_allclose(
        found["accuracy_baseline"], max(CLASSES.mean(), 1 - CLASSES.mean()), rtol=1e-6
    )
    assert {"auc", "auc_precision_recall", "precision", "recall"} <= set(found)


def test_a_classifier_of_several_named_classes(tmp_path: Path) -> None:
    age, word, _ = columns()
    made = tf.estimator.LinearClassifier(
        [age, word], str(tmp_path), n_classes=3, label_vocabulary=["x", "y", "z"]
    )
    labels = np.array(["x", "y", "z"])[PLACES]
    made.train(batches(labels, None), steps=20)
    logits = of_linear_model(made)
    exponentials = np.exp(logits)
    probabilities = exponentials / exponentials.sum(1, keepdims=True)
    np.testing.assert_allclose(predicted(made, "probabilities"), probabilities, rtol=1e-4)
    assert {tuple(row) for row in predicted(made, "all_classes")} == {(b"x", b"y", b"z")}
    found = made.evaluate(batches(labels))
    np.testing.assert_allclose(
        found["average_loss"], -np.log(probabilities[np.arange(ROWS), PLACES]).mean(), rtol=1e-4
    )
    np.testing.assert_allclose(found["accuracy"], np.mean(logits.argmax(1) == PLACES), rtol=1e-6)


def test_a_linear_model_and_a_net_add_up_and_have_optimizers_of_their_own(tmp_path: Path) -> None:
    age, word, embedding = columns()
    made = tf.estimator.DNNLinearCombinedRegressor(
        str(tmp_path),
        linear_feature_columns=[age, word],
        dnn_feature_columns=[age, embedding],
        dnn_hidden_units=[3],
    )
    made.train(batches(NUMBERS, None), steps=2)
    np.testing.assert_allclose(
        predicted(made, "predictions"), of_net(made) + of_linear_model(made), rtol=1e-4, atol=1e-5
    )
    names = set(made.get_variable_names())
    assert "dnn/hiddenlayer_0/kernel/Adagrad" in names
    assert "linear/linear_model/word/weights/Ftrl" in names
    assert made.get_variable_value("global_step") == 2


def test_baselines(tmp_path: Path) -> None:
    made = tf.estimator.BaselineRegressor(str(tmp_path), optimizer=gradient_descent)
    made.train(batches(NUMBERS, None), steps=60)
    np.testing.assert_allclose(
        made.get_variable_value("baseline/bias"), [NUMBERS.mean()], rtol=1e-4
    )
    assert predicted(made, "predictions").shape == (ROWS, 1)


def test_normalized_layers_have_the_names_of_tensorflow(tmp_path: Path) -> None:
    age, _, _ = columns()
    made = tf.estimator.DNNRegressor([2, 2], [age], str(tmp_path), batch_norm=True)
    made.train(batches(NUMBERS, None), steps=1)
    names = set(made.get_variable_names())
    assert {f"dnn/hiddenlayer_{i}/batchnorm_{i}/moving_mean" for i in (0, 1)} <= names
    assert "dnn/hiddenlayer_0/kernel/t_0/Adagrad" in names
    # Updates ran: the first mean is no longer 0.
    assert np.any(made.get_variable_value("dnn/hiddenlayer_1/batchnorm_1/moving_variance") != 1)


def test_any_head_and_an_exported_model(tmp_path: Path) -> None:
    age, word, _ = columns()
    made = tf.estimator.LinearEstimator(
        tf.contrib.estimator.poisson_regression_head(), [age, word], str(tmp_path / "model")
    )
    made.train(batches(np.round(NUMBERS + 1.0), None), steps=3)
    counts = np.exp(of_linear_model(made))
    np.testing.assert_allclose(predicted(made, "predictions"), counts, rtol=1e-5)
    spec = tf.estimator.regressor_parse_example_spec([age, word], "y", weight_column="weight")
    assert sorted(spec) == ["age", "weight", "word", "y"]
    receivers = tf.estimator.export.build_parsing_serving_input_receiver_fn(
        tf.feature_column.make_parse_example_spec([age, word])
    )
    folder = made.export_saved_model(str(tmp_path / "exported"), receivers).decode()
    with tf.Session(graph=tf.Graph()) as session:
        meta = tf.saved_model.load(session, ["serve"], folder)
        signature = meta.signature_def["regression"]
        example = tf.train.Example()
        example.features.feature["age"].float_list.value.append(AGE[0])
        example.features.feature["word"].bytes_list.value.append(WORDS[0].encode())
        found = session.run(
            signature.outputs["outputs"].name,
            {signature.inputs["inputs"].name: [example.SerializeToString()]},
        )
    np.testing.assert_allclose(found, counts[:1], rtol=1e-5)


@pytest.mark.parametrize(("columns", "rate"), [(1, 0.2), (25, 0.2), (100, 0.1)])
def test_the_rate_of_a_linear_model(columns: int, rate: float) -> None:
    assert linear_rate(0.2, columns) == pytest.approx(rate)


def test_what_is_refused(tmp_path: Path) -> None:
    age, word, _ = columns()
    with pytest.raises(ValueError, match="Either linear_feature_columns or dnn_feature_columns"):
        tf.estimator.DNNLinearCombinedClassifier(str(tmp_path))
    with pytest.raises(ValueError, match="Unsupported optimizer name: Best"):
        tf.estimator.LinearClassifier([age], str(tmp_path), optimizer="Best").train(
            batches(CLASSES), steps=1
        )
    with pytest.raises(ValueError, match="_DenseColumn"):
        tf.estimator.DNNClassifier([2], [word], str(tmp_path)).train(batches(CLASSES), steps=1)
    with pytest.raises(ValueError, match="label should not be used as feature"):
        tf.estimator.classifier_parse_example_spec([age], "age")


def test_the_model_function_of_nets_for_estimators_of_ones_own(tmp_path: Path) -> None:
    number, _, embedded = columns()
    head = tf.contrib.estimator.binary_classification_head()

    def model_fn(features: Any, labels: Any, mode: Any, config: Any) -> Any:
        return dnn_model_fn(
            features, labels, mode, head, [3], [number, embedded], gradient_descent, config=config
        )

    estimator = tf.estimator.Estimator(model_fn, str(tmp_path))
    estimator.train(batches(CLASSES, None), steps=2)
    np.testing.assert_allclose(predicted(estimator, "logits"), of_net(estimator), rtol=1e-5)
    with tf.Graph().as_default(), pytest.raises(NotImplementedError, match="has no TPUs"):
        dnn_model_fn({"age": AGE}, None, "infer", head, [3], [number], use_tpu=True)
    with pytest.raises(ValueError, match="features should be a dictionary"):
        dnn_model_fn([AGE], None, "infer", head, [3], [number])


def test_the_share_of_zeros_in_lists_of_lists() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        given = [tf.constant([0.0, 1.0]), [tf.constant([0.0, 0.0]), tf.zeros([0])]]
        assert session.run(share_of_zeros(given)) == 0.75
        assert np.isnan(session.run(share_of_zeros([tf.zeros([0])])))
