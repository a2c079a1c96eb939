"""What the TensorBoard callback writes: tags and steps are TensorFlow 1.15's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle
from google.protobuf import text_format

import dataflow as tf
from dataflow.proto.projector_config_pb2 import ProjectorConfig

keras: Any = tf.keras
X, Y = np.arange(30.0).reshape(10, 3) / 30, np.ones((10, 1))


def _model() -> Any:
    layers = keras.layers
    model = keras.Sequential(
        [layers.Dense(2, input_shape=(3,), name="d"), layers.Dense(1, name="e")]
    )
    model.compile(keras.optimizers.SGD(0.05), "mse")
    return model


def _written(folder: Path) -> list[tuple[int, str, str]]:
    """Step, tag and kind of each value, in the order in which they were written."""
    (path,) = folder.glob("*tfevents*")
    return [
        (event.step, value.tag, value.WhichOneof("value"))
        for event in oracle.train.summary_iterator(str(path))
        for value in event.summary.value
    ]


def _train(folder: Path, epochs: int, batch_size: int, **given: Any) -> list[tuple[int, str, str]]:
    callback = keras.callbacks.TensorBoard(str(folder), write_graph=False, **given)
    _model().fit(
        X, Y, verbose=0, epochs=epochs, batch_size=batch_size, callbacks=[callback],
        validation_data=(X, Y) if "histogram_freq" in given else None,
    )  # fmt: skip
    return _written(folder)


@pytest.mark.parametrize(
    ("freq", "steps", "batches"), [("batch", [0, 1, 2, 3], 5), (4, [1, 3, 5, 7, 9], 2)]
)
def test_steps(freq: Any, steps: list[int], batches: int, tmp_path: Path) -> None:
    found = _train(tmp_path, 2, batches, update_freq=freq)
    assert [step for step, tag, _ in found if tag == "batch_loss"] == steps
    assert [step for step, tag, _ in found if tag == "epoch_loss"] == [10, 20]


def test_histograms_and_images(tmp_path: Path) -> None:
    weights = ["d/kernel_0", "d/bias_0", "e/kernel_0", "e/bias_0"]
    found = _train(tmp_path, 3, 5, histogram_freq=2, write_grads=True, write_images=True)
    shown = {tag for _, tag, kind in found if kind == "histo"}
    assert shown == {*weights, *(f"{each}_grad" for each in weights), "d_out", "e_out"}
    # In epochs 0 and 2 both batches of the validation tell them.
    assert [step for step, tag, _ in found if tag == "d_out"] == [0, 1, 2, 3]
    # A single number is no image.
    weights.remove("e/bias_0")
    images = {tag for _, tag, kind in found if kind == "image"}
    assert images == {f"{each}_1/image/0" for each in weights}
    (path,) = tmp_path.glob("*tfevents*")
    sizes = {
        value.tag: (value.image.height, value.image.width)
        for event in oracle.train.summary_iterator(str(path))
        for value in event.summary.value
        if value.HasField("image")
    }
    assert [sizes[f"{each}_1/image/0"] for each in weights] == [(2, 3), (2, 1), (2, 1)]
    (gradient, *_) = [
        value.histo
        for event in oracle.train.summary_iterator(str(path))
        for value in event.summary.value
        if value.tag == "d/kernel_0_grad"
    ]
    assert gradient.num == 6


def test_embeddings(tmp_path: Path) -> None:
    model = keras.Sequential(
        [keras.layers.Embedding(5, 2, input_length=3, name="table"), keras.layers.Flatten(name="f")]
    )
    model.compile("sgd", "mse")
    words = np.arange(12).reshape(4, 3) % 5
    callback = keras.callbacks.TensorBoard(
        str(tmp_path), write_graph=False, embeddings_freq=1, embeddings_data=words, batch_size=3,
        embeddings_layer_names=["f"], embeddings_metadata={"f": "labels.tsv"},
    )  # fmt: skip
    model.fit(words, np.ones((4, 6)), verbose=0, epochs=2, callbacks=[callback])
    path = oracle.train.latest_checkpoint(str(tmp_path))
    assert Path(path).name == "keras_embedding.ckpt-1"
    saved = oracle.train.load_variable(path, "f_embedding")
    np.testing.assert_allclose(saved, model.predict(words), rtol=1e-6)
    told = (tmp_path / "projector_config.pbtxt").read_text(encoding="utf-8")
    (embedding,) = text_format.Parse(told, ProjectorConfig()).embeddings
    assert (embedding.tensor_name, embedding.metadata_path) == ("f_embedding:0", "labels.tsv")
    silent = keras.callbacks.TensorBoard(str(tmp_path / "no"), embeddings_freq=1)
    with pytest.raises(ValueError, match="embeddings_data must be provided"):
        model.fit(words, np.ones((4, 6)), verbose=0, callbacks=[silent])


def test_another_writer(tmp_path: Path) -> None:
    """TensorFlow 1.15's own tests put a writer of theirs in its place."""

    class Writer:
        def __init__(self) -> None:
            self.seen: list[tuple[Any, int]] = []

        def add_summary(self, summary: Any, global_step: int) -> None:
            self.seen.append((summary, global_step))

        def flush(self) -> None:
            pass

        close = flush

    class Told(keras.callbacks.TensorBoard):  # type: ignore[misc]
        def _init_writer(self, model: Any) -> None:
            assert model is self.model
            self.writer = Writer()

    callback, model = Told(str(tmp_path), histogram_freq=1), _model()
    options = {"batch_size": 10, "verbose": 0, "validation_data": (X, Y)}
    model.fit(X, Y, epochs=2, callbacks=[callback], **options)
    model.fit(X, Y, epochs=1, callbacks=[callback], **options)
    steps = [step for summary, step in callback.writer.seen if isinstance(summary, bytes)]
    assert steps == [2]
    assert not list(tmp_path.iterdir())


def test_numbers_of_callbacks_that_inherit(tmp_path: Path) -> None:
    """Packages such as tensorflow_model_optimization write theirs by this method."""

    class Told(keras.callbacks.TensorBoard):  # type: ignore[misc]
        def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
            numbers = {"a/sparsity": np.array([0.25]), "b": np.float32(2), "size": 3}
            self._write_custom_summaries(7 + epoch, numbers)

    _model().fit(X, Y, verbose=0, callbacks=[Told(str(tmp_path), write_graph=False)])
    (path,) = tmp_path.glob("*tfevents*")
    found = {
        (event.step, value.tag): value.simple_value
        for event in oracle.train.summary_iterator(str(path))
        for value in event.summary.value
    }
    del found[0, "epoch_loss"]
    assert found == {(7, "a/sparsity"): 0.25, (7, "b"): 2.0, (7, "size"): 3.0}
