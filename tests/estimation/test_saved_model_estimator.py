"""SavedModelEstimator: an exported model is trained on, evaluated, asked and exported again."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow

import dataflow as tf
from dataflow.proto.saved_model_pb2 import SavedModel
from tests.estimation.forests import CLASSES, FEATURES, numeric, progress
from tests.estimation.models import RATE, X, Y, batches, estimator, trained
from tests.oracle import open_session

WORDS = ["green", "yellow", "red"]
NUMBERS = [3.5, 4.2, 6.1]


def loaded(path: Any, folder: Path) -> Any:
    return tf.estimator.experimental.SavedModelEstimator(path, str(folder))


def receivers(*modes: str) -> dict[str, Any]:
    """For each mode what gives placeholders like the rows of the linear model."""
    export = tf.estimator.export
    with tf.Graph().as_default():
        x, y = tf.constant(X), tf.constant(Y, name="wanted")
    supervised = tf.estimator.experimental.build_raw_supervised_input_receiver_fn({"x": x}, y)
    raw = export.build_raw_serving_input_receiver_fn({"x": x})
    return {mode: raw if mode == "infer" else supervised for mode in modes}


def exported(folder: Path, *modes: str, steps: int = 2) -> Any:
    est = estimator(folder / "first")
    est.train(batches(), steps=steps)
    return est.experimental_export_all_saved_models(str(folder / "out"), receivers(*modes))


def rows() -> Any:
    return tf.data.Dataset.from_tensors(({"x": X[:8]}, Y[:8])).repeat()


def test_goes_on_where_the_exported_one_was(tmp_path: Path) -> None:
    path = exported(tmp_path, "train", "eval", "infer", steps=3)
    est = loaded(path, tmp_path / "second")
    weights, bias = trained(3)
    error = X[:8] @ weights + bias - Y[:8]
    # Without a checkpoint of its own.
    found = est.evaluate(rows, steps=1)
    assert set(found) == {"loss", "metrics/error", "global_step"}
    assert found["global_step"] == 3
    np.testing.assert_allclose(found["loss"], (error**2).mean(), rtol=1e-4)
    np.testing.assert_allclose(found["metrics/error"], np.abs(error).mean(), rtol=1e-4)
    est.train(rows, steps=2)
    for _ in range(2):
        error = X[:8] @ weights + bias - Y[:8]
        weights = weights - RATE * 2 * (error[:, None] * X[:8]).mean(0)
        bias = bias - RATE * 2 * error.mean()
    assert est.get_variable_value("global_step") == 5
    np.testing.assert_allclose(est.get_variable_value("weights"), weights, rtol=1e-4)
    # And exported again.
    again = est.experimental_export_all_saved_models(
        str(tmp_path / "again"), receivers("train", "eval", "infer")
    )
    third = loaded(again, tmp_path / "third")
    predicted = [
        each["y"] for each in third.predict(lambda: tf.data.Dataset.from_tensors({"x": X}))
    ]
    np.testing.assert_allclose(predicted, X @ weights + bias, rtol=1e-3, atol=1e-4)
    assert third.evaluate(rows, steps=1)["global_step"] == 5


def _words_model(vocabulary: Path, folder: Path) -> Any:
    words = tf.feature_column.categorical_column_with_vocabulary_file("word", str(vocabulary), 3)
    return tf.estimator.DNNClassifier(
        hidden_units=[4],
        feature_columns=[
            tf.feature_column.embedding_column(words, 2),
            tf.feature_column.numeric_column("number"),
        ],
        optimizer=tf.train.AdamOptimizer(0.1),
        model_dir=str(folder),
    )


def _words() -> Any:
    features = {"word": tf.constant(WORDS), "number": tf.constant(NUMBERS)}
    return tf.data.Dataset.from_tensors((features, tf.constant([1.0, 0.0, 0.0]))).repeat()


def test_slots_and_vocabularies_come_with_the_model(tmp_path: Path) -> None:
    """Adam's slots have names that begin with their variables', and the file has moved."""
    vocabulary = tmp_path / "words.txt"
    vocabulary.write_text("\n".join(WORDS))
    first = _words_model(vocabulary, tmp_path / "first")
    first.train(_words, steps=4)
    wanted = first.evaluate(_words, steps=1)
    with tf.Graph().as_default():
        features = {"word": tf.constant(WORDS), "number": tf.constant(NUMBERS)}
        supervised = tf.estimator.experimental.build_raw_supervised_input_receiver_fn(
            features, tf.constant([1.0], name="wanted")
        )
    path = first.experimental_export_all_saved_models(
        str(tmp_path / "out"), {"train": supervised, "eval": supervised}
    )
    vocabulary.unlink()
    moved = tmp_path / "moved"
    shutil.move(path.decode(), moved)
    est = loaded(str(moved), tmp_path / "second")
    found = est.evaluate(_words, steps=1)
    np.testing.assert_allclose(found["loss"], wanted["loss"], rtol=1e-5)
    np.testing.assert_allclose(found["metrics/accuracy"], wanted["accuracy"])
    est.train(_words, steps=3)
    vocabulary.write_text("\n".join(WORDS))
    first.train(_words, steps=3)
    for name in ("dnn/logits/kernel", "dnn/logits/kernel/t_0/Adam_1", "dnn/head/beta1_power"):
        np.testing.assert_allclose(
            est.get_variable_value(name), first.get_variable_value(name), rtol=1e-5
        )
    shutil.rmtree(tmp_path / "first")
    again = est.experimental_export_all_saved_models(str(tmp_path / "again"), {"eval": supervised})
    assert (Path(again.decode()) / "assets" / "words.txt").read_text().split() == WORDS


def test_updates_and_predictions_of_other_kinds(tmp_path: Path) -> None:
    """A metric whose update is an operation, and a prediction that is one tensor."""

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        count = tf.get_local_variable("calls", [], initializer=tf.zeros_initializer())
        metrics = {"a/b": (tf.identity(count), tf.assign_add(count, 2.0).op)}
        with tf.control_dependencies([features["x"]]):
            loss = tf.constant(1.5)
        step = tf.assign_add(tf.train.get_global_step(), 1)
        return tf.estimator.EstimatorSpec(mode, tf.constant([7]), loss, step, metrics)

    first = tf.estimator.Estimator(model_fn, str(tmp_path / "first"))
    first.train(rows, steps=1)
    path = first.experimental_export_all_saved_models(str(tmp_path / "out"), receivers("eval"))
    est = loaded(path, tmp_path / "second")
    assert est.evaluate(rows, steps=3) == {"metrics/a/b": 6.0, "loss": 1.5, "global_step": 1}


def test_refusals(tmp_path: Path) -> None:
    est = loaded(exported(tmp_path, "eval"), tmp_path / "second")
    with pytest.raises(RuntimeError, match=r"^train mode is not available in the SavedModel"):
        est.train(rows, steps=1)
    with pytest.raises(RuntimeError, match=r"^infer mode is not available in the SavedModel"):
        next(est.predict(rows))

    def other(x: Any, y: Any) -> Any:
        return lambda: tf.data.Dataset.from_tensors(({"x": x}, y))

    with pytest.raises(ValueError, match=r"Tensor shape and/or dtype.*\n\tExpected shape:.*, 3"):
        est.evaluate(other(X[:, :2], Y))
    with pytest.raises(ValueError, match=r"for input label:\n\tExpected dtype: .*float32.*int64"):
        est.evaluate(other(X, np.arange(24)))
    with pytest.raises(ValueError, match=r'^Key "label" not found in features or labels passed'):
        est.evaluate(lambda: tf.data.Dataset.from_tensors({"x": X}))

    def steps() -> Any:
        tf.train.get_or_create_global_step()
        return rows()

    with pytest.raises(RuntimeError, match=r"^Graph must not contain a global step tensor"):
        est.evaluate(steps)
    for change, error, text in (
        (lambda each: each.outputs.pop("loss"), ValueError, r"^Missing loss\."),
        (
            lambda each: setattr(each, "method_name", "a"),
            RuntimeError,
            r"Expected: .*eval\n\tGot: a",
        ),
    ):
        model = est.saved_model_loader.saved_model
        before = SavedModel.FromString(model.SerializeToString())
        change(model.meta_graphs[0].signature_def["eval"])
        with pytest.raises(error, match=text):
            est.evaluate(rows, steps=1)
        model.CopyFrom(before)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match=r"invalid SavedModel format: .*empty"):
        loaded(str(tmp_path / "empty"), tmp_path / "third")


@pytest.mark.usefixtures("variables_as_before")
def test_what_is_no_variable_comes_too(tmp_path: Path) -> None:
    """Trees and their quantiles: the loaded graph's own saver keeps them."""

    def data() -> Any:
        return tf.data.Dataset.from_tensors((FEATURES, np.array(CLASSES, np.float32))).repeat()

    first = tf.estimator.BoostedTreesClassifier(
        numeric(), 1, str(tmp_path / "first"), n_trees=2, max_depth=3
    )
    first.train(data, steps=4)
    wanted = first.evaluate(data, steps=1)
    with tf.Graph().as_default():
        features = {name: tf.constant(row) for name, row in FEATURES.items()}
        supervised = tf.estimator.experimental.build_raw_supervised_input_receiver_fn(
            features, tf.constant(CLASSES, name="wanted")
        )
    modes = {"train": supervised, "eval": supervised}
    path = first.experimental_export_all_saved_models(str(tmp_path / "out"), modes)
    est = loaded(path, tmp_path / "second")
    assert est.evaluate(data, steps=1)["loss"] == pytest.approx(wanted["loss"])
    est.train(data, steps=2)
    first.train(data, steps=2)
    assert progress(tmp_path / "second") == progress(tmp_path / "first") == (6, 2, 6)
    again = est.experimental_export_all_saved_models(str(tmp_path / "again"), modes)
    found = loaded(again, tmp_path / "third").evaluate(data, steps=1)
    assert found["loss"] == pytest.approx(first.evaluate(data, steps=1)["loss"])
    assert found["global_step"] == 6


def test_what_tensorflow_has_written(tmp_path: Path) -> None:
    oracle = tensorflow.compat.v1
    path = tmp_path / "theirs"
    with oracle.Graph().as_default(), open_session(oracle) as session:
        step = oracle.train.create_global_step()
        rate = oracle.get_variable("rate", initializer=3.0)
        x = oracle.placeholder(tensorflow.float32, [None], name="x")
        y = oracle.placeholder(tensorflow.float32, [None], name="y")
        loss = oracle.reduce_mean(oracle.square(rate * x - y))
        value, update = oracle.metrics.mean_absolute_error(y, rate * x)
        outputs = {"loss": loss, "metrics/error/value": value, "metrics/error/update_op": update}
        session.run(oracle.global_variables_initializer())
        session.run(step.assign(7))
        builder = oracle.saved_model.Builder(str(path))
        builder.add_meta_graph_and_variables(
            session,
            ["eval"],
            {
                "eval": oracle.saved_model.build_signature_def(
                    {"feature": oracle.saved_model.build_tensor_info(x)}
                    | {"label": oracle.saved_model.build_tensor_info(y)},
                    {
                        key: oracle.saved_model.build_tensor_info(each)
                        for key, each in outputs.items()
                    },
                    "tensorflow/supervised/eval",
                )
            },
            main_op=oracle.local_variables_initializer(),
        )
        builder.save()

    def rows() -> Any:
        return tf.data.Dataset.from_tensors(
            (np.array([1.0, 2.0], np.float32), np.array([2.0, 7.0], np.float32))
        )

    found = loaded(str(path), tmp_path / "ours").evaluate(rows)
    assert found == {"loss": 1.0, "metrics/error": 1.0, "global_step": 7}
