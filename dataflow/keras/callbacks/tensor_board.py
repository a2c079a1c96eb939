"""The callback that writes summaries of training, weights, layers and embeddings."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import numpy as np

from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.keras import backend as K
from dataflow.keras import ops
from dataflow.keras.callbacks.base import Callback

_NO_VALUES: Final = ("batch", "size", "num_steps")


class TensorBoard(Callback):
    """Writes the values of epochs or batches as summaries.

    Args:
      log_dir: Folder of the files.
      histogram_freq: Every how many epochs histograms of weights and of layers' outputs are
        written, once for each batch of the validation; 0 for never.
      batch_size: How much of `embeddings_data` is fed at a time.
      write_graph: Whether the graph is written.
      write_grads: Whether there are histograms of gradients, too.
      write_images: Whether there are images of weights, too.
      embeddings_freq: Every how many epochs embeddings are saved; 0 for never.
      embeddings_layer_names: The layers whose outputs are embeddings; all of class Embedding if
        there is none.
      embeddings_metadata: The file with labels of the embeddings, or a dictionary by layers.
      embeddings_data: What the model is fed for the embeddings.
      update_freq: "epoch", "batch", or a number of samples.
      profile_batch: Not used.
    """

    def __init__(
        self,
        log_dir: str = "./logs",
        histogram_freq: int = 0,
        batch_size: int = 32,
        write_graph: bool = True,
        write_grads: bool = False,
        write_images: bool = False,
        embeddings_freq: int = 0,
        embeddings_layer_names: Any = None,
        embeddings_metadata: Any = None,
        embeddings_data: Any = None,
        update_freq: Any = "epoch",
        profile_batch: Any = 2,
    ) -> None:
        super().__init__()
        self.log_dir, self.histogram_freq, self.write_graph = log_dir, histogram_freq, write_graph
        self.write_grads, self.write_images = write_grads, write_images
        self.batch_size, self.embeddings_freq = batch_size, embeddings_freq
        self.embeddings_layer_names = embeddings_layer_names
        self.embeddings_metadata, self.embeddings_data = embeddings_metadata, embeddings_data
        self.update_freq = 1 if update_freq == "batch" else update_freq
        self.writer: Any = None
        self.merged: Any = None
        self._samples_seen = self._written_at = 0
        self._batches_seen = self._batches_validated = 0
        self._assigned: list[Any] = []

    def set_model(self, model: Any) -> None:
        """Opens the file, and makes the summaries."""
        from dataflow.library.summaries.merging import merge_all

        super().set_model(model)
        self._init_writer(model)
        if self.histogram_freq and self.merged is None:
            for layer in model.layers:
                self._summarize(layer)
        self.merged = merge_all()
        if self.embeddings_freq and self.embeddings_data is not None and not self._assigned:
            self._keep_embeddings()

    def _init_writer(self, model: Any) -> None:
        from dataflow.recording.file_writer import FileWriter

        graph = K.get_session().graph if self.write_graph else None
        self.writer = FileWriter(self.log_dir, graph)

    def _summarize(self, layer: Any) -> None:
        """Makes the summaries of a layer's weights, their gradients and its outputs."""
        from dataflow.library.summaries.values import histogram, image

        for weight in layer.weights:
            name = weight.name.replace(":", "_")
            histogram(name, weight)
            shown = _image(weight) if self.write_images else None
            if shown is not None:
                image(name, shown)
        if self.write_grads:
            for weight in layer.trainable_weights:
                grads = self.model.optimizer.get_gradients(self.model.total_loss, [weight])
                told = [each.values if isinstance(each, IndexedSlices) else each for each in grads]
                histogram(f"{weight.name.replace(':', '_')}_grad", told)
        made = getattr(layer, "output", None)
        if isinstance(made, list):
            for place, each in enumerate(made):
                histogram(f"{layer.name}_out_{place}", each)
        elif made is not None:
            histogram(f"{layer.name}_out", made)

    def _keep_embeddings(self) -> None:
        """Makes variables that the outputs of layers are kept in, and tells the projector of them.

        Raises:
          ValueError: The data is not what the model takes.
        """
        from google.protobuf import text_format

        from dataflow.keras.engine.data import standardize_input_data
        from dataflow.proto.projector_config_pb2 import ProjectorConfig
        from dataflow.saving.saver import Saver

        self.embeddings_data = standardize_input_data(self.embeddings_data, self.model.input_names)
        layers = [each for each in self.model.layers if self._is_shown(each)]
        self._first = ops.placeholder("int32", [], name="first")
        self._count = ops.placeholder("int32", [], name="count")
        labels, config, kept = self.embeddings_metadata, ProjectorConfig(), []
        for layer in layers:
            size = int(np.prod(layer.output.shape.as_list()[1:]))
            rows = len(self.embeddings_data[0])
            variable = ops.Variable(
                ops.zeros([rows, size]), name=f"{layer.name}_embedding", trainable=False
            )
            K.track_variable(variable)
            kept.append(variable)
            place: Any = variable[self._first : self._first + self._count]
            self._assigned.append(place.assign(ops.reshape(layer.output, [self._count, size])))
            told = config.embeddings.add(tensor_name=variable.name)
            label = labels.get(layer.name) if isinstance(labels, dict) else labels
            if label is not None:
                told.metadata_path = label
        self._saver = Saver(kept)
        path = Path(os.fsdecode(self.log_dir), "projector_config.pbtxt")
        path.write_text(text_format.MessageToString(config), encoding="utf-8")

    def _is_shown(self, layer: Any) -> bool:
        if self.embeddings_layer_names:
            return layer.name in self.embeddings_layer_names
        return type(layer).__name__ == "Embedding"

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """Writes after so many samples."""
        logs = logs or {}
        self._samples_seen += logs.get("size", 1)
        due = self.update_freq != "epoch" and (
            self._samples_seen - self._written_at >= self.update_freq
        )
        if due:
            self._write("batch", logs, self._batches_seen)
            self._written_at = self._samples_seen
        self._batches_seen += 1

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Lets the validation of this epoch compute the summaries."""
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            function = self.model.test_function
            if self.merged not in function.fetches:
                function.fetches.append(self.merged)
                function.fetch_callbacks[self.merged] = self._add_summary

    def _add_summary(self, summary: Any) -> None:
        self.writer.add_summary(summary, self._batches_validated)
        self._batches_validated += 1

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Writes the values of the epoch, and saves the embeddings.

        Raises:
          ValueError: There is no data for the embeddings.
        """
        self._write(
            "epoch", logs or {}, epoch if self.update_freq == "epoch" else self._samples_seen
        )
        if self.histogram_freq:
            function = self.model.test_function
            if self.merged in function.fetches:
                function.fetches.remove(self.merged)
                del function.fetch_callbacks[self.merged]
        if self.embeddings_freq and self.embeddings_data is None:
            raise ValueError("To visualize embeddings, embeddings_data must be provided.")
        if self.embeddings_freq and epoch % self.embeddings_freq == 0:
            self._save_embeddings(epoch)

    def _save_embeddings(self, epoch: int) -> None:
        """Feeds the data, batch after batch, and saves what the layers make of it."""
        inputs = self.model.input if isinstance(self.model.input, list) else [self.model.input]
        session, total = K.get_session(), len(self.embeddings_data[0])
        for start in range(0, total, self.batch_size):
            rows = slice(start, min(start + self.batch_size, total))
            feeds = {
                each: data[rows] for each, data in zip(inputs, self.embeddings_data, strict=True)
            }
            feeds |= {self._first: start, self._count: rows.stop - start}
            if isinstance(phase := K.learning_phase(), ops.Tensor):
                feeds[phase] = False
            session.run(self._assigned, feeds)
        path = os.path.join(os.fsdecode(self.log_dir), "keras_embedding.ckpt")
        self._saver.save(session, path, epoch)

    def _write(self, what: str, logs: dict[str, Any], step: int) -> None:
        told = {
            f"{what}_{name}": value
            for name, value in logs.items()
            if name not in _NO_VALUES and np.ndim(value) == 0
        }
        self._write_custom_summaries(step, told)

    def _write_custom_summaries(self, step: int, logs: dict[str, Any] | None = None) -> None:
        """Writes numbers under their names; callbacks of programs call it, by TensorFlow's name."""
        from dataflow.proto.summary_pb2 import Summary

        for name, value in (logs or {}).items():
            item = Summary.Value(tag=name, simple_value=np.asarray(value).item())
            self.writer.add_summary(Summary(value=[item]), step)
        self.writer.flush()

    def on_train_end(self, logs: Any = None) -> None:
        """Closes the file."""
        self.writer.close()


def _image(weight: Any) -> Any:
    """A weight as grey images: of matrices the longer side lies; None if it has more than three."""
    shown = ops.squeeze(weight)
    sizes: Any = K.int_shape(shown)
    if len(sizes) == 1:
        return ops.reshape(shown, [1, sizes[0], 1, 1])
    if len(sizes) == 2:
        shown = ops.transpose(shown) if sizes[0] > sizes[1] else shown
        return ops.reshape(shown, [1, *sorted(sizes), 1])
    if len(sizes) != 3:
        return None
    if K.image_data_format() == "channels_last":
        shown = ops.transpose(shown, [2, 0, 1])
    return ops.expand_dims(shown, -1)
