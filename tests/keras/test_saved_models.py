"""Models of tf.keras as SavedModels, and layers of feature columns."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf

keras: Any = tf.keras
A, B = np.random.RandomState(0).rand(8, 4), np.random.RandomState(1).rand(8, 3)
WANTED = [np.zeros((8, 2)), np.ones((8, 1))]


def _model() -> Any:
    keras.backend.clear_session()
    first, second = keras.Input((4,), name="a"), keras.Input((3,), name="b")
    x = keras.layers.Dropout(0.5)(keras.layers.Dense(3, activation="relu")(first))
    x = keras.layers.BatchNormalization()(keras.layers.add([x, second]))
    ends = [keras.layers.Dense(2, name="p")(x), keras.layers.Dense(1, name="q")(x)]
    model = keras.Model([first, second], ends)
    model.compile("adam", "mse", metrics=["mae"])
    model.fit([A, B], WANTED, verbose=0)
    return model


def test_a_saved_model_is_served(tmp_path: Path, session_factory: Any) -> None:
    model = _model()
    predicted = model.predict([A, B])
    path = str(tmp_path / "model")
    keras.experimental.export_saved_model(model, path)
    with tf.Graph().as_default() as graph:
        session = session_factory(graph)
        loaded = tf.saved_model.load(session, ["serve"], path)
        ends = loaded.signature_def["serving_default"]
        given = {ends.inputs["a"].name: A, ends.inputs["b"].name: B}
        for name, each in zip(("p", "q"), predicted, strict=True):
            served = session.run(ends.outputs[name].name, given)
            np.testing.assert_allclose(served, each, rtol=1e-5)
    again = keras.experimental.load_from_saved_model(path)
    for one, each in zip(again.predict([A, B]), predicted, strict=True):
        np.testing.assert_allclose(one, each, rtol=1e-5)
    with pytest.raises(AssertionError, match="already exists, and isn't empty"):
        keras.experimental.export_saved_model(model, path)


def test_a_model_is_saved_as_a_saved_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, path = _model(), str(tmp_path / "model")
    evaluated = model.evaluate([A, B], WANTED, verbose=0)
    model.save(path, save_format="tf")
    model.save(path, save_format="tf")
    again = keras.models.load_model(path)
    np.testing.assert_allclose(again.evaluate([A, B], WANTED, verbose=0), evaluated, rtol=1e-5)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    with pytest.raises(EOFError):
        model.save(path, overwrite=False, save_format="tf")
    with pytest.raises(ValueError, match='Unknown format "x"'):
        model.save(path, save_format="x")


def test_a_model_with_a_call_of_its_own(tmp_path: Path) -> None:
    class Own(keras.Model):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.dense = keras.layers.Dense(2)

        def call(self, inputs: Any) -> Any:
            return self.dense(inputs)

    keras.backend.clear_session()
    model, path = Own(), str(tmp_path / "model")
    with pytest.raises(ValueError, match="the input shapes have not been set"):
        keras.experimental.export_saved_model(model, path, serving_only=True)
    predicted = model.predict(A)
    with pytest.raises(NotImplementedError, match="serving_only=True"):
        keras.experimental.export_saved_model(model, path)
    keras.experimental.export_saved_model(model, path, serving_only=True, as_text=True)
    with tf.Graph().as_default(), tf.Session() as session:
        ends = tf.saved_model.load(session, ["serve"], path).signature_def["serving_default"]
        served = session.run(ends.outputs["output_1"].name, {ends.inputs["input_1"].name: A})
        np.testing.assert_allclose(served, predicted, rtol=1e-5)
    with pytest.raises(OSError, match=r"saved_model\.json, which tells how the model is made"):
        keras.models.load_model(path)


def test_feature_columns_as_a_layer() -> None:
    keras.backend.clear_session()
    column = tf.feature_column
    words = column.categorical_column_with_identity("word", 5)
    columns = [
        column.numeric_column("size", shape=2),
        column.embedding_column(words, 3),
        column.indicator_column(words),
    ]
    given = {"size": B[:, :2], "word": np.arange(8).reshape(8, 1) % 5}
    model = keras.Sequential([keras.layers.DenseFeatures(columns), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    dataset = tf.data.Dataset.from_tensor_slices((given, np.ones((8, 1)))).batch(4).repeat()
    losses = model.fit(dataset, steps_per_epoch=2, epochs=4, verbose=0).history["loss"]
    assert losses[-1] < losses[0]
    table, kernel, bias = model.get_weights()
    assert model.weights[0].name == "dense_features/word_embedding/embedding_weights:0"
    rows = np.arange(8) % 5
    # In the order of the names: size, word_embedding, word_indicator.
    numbers = np.concatenate([given["size"], table[rows], np.eye(5)[rows]], axis=1)
    np.testing.assert_allclose(model.predict(given), numbers @ kernel + bias, rtol=1e-4)
    with pytest.raises(ValueError, match="We expected a dictionary here"):
        keras.layers.DenseFeatures(columns)(tf.zeros([2, 2]))


def test_files_of_bytes() -> None:
    """As TensorFlow 1.15 with h5py 2 writes them."""
    model, file = _model(), io.BytesIO()
    predicted = model.predict([A, B])
    keras.models.save_model(model, file)
    assert file.getvalue()[1:4] == b"HDF"
    again = keras.models.load_model(file)
    for one, other in zip(predicted, again.predict([A, B]), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)
