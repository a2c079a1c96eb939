"""Members that TensorFlow 1.15's classes tell of themselves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from PIL import Image

import dataflow as tf
from dataflow.keras.optimizers.base import Optimizer

keras = tf.keras
layers = tf.keras.layers
CELLS = {
    "SimpleRNN": {"activation": "relu"},
    "GRU": {"recurrent_activation": "sigmoid", "reset_after": True, "implementation": 2},
    "LSTM": {"unit_forget_bias": False, "bias_regularizer": "l2"},
}


@pytest.mark.parametrize("kind", CELLS)
def test_loops_tell_what_their_cells_are(kind: str) -> None:
    given: Any = {"dropout": 0.25, "recurrent_dropout": 0.5, "use_bias": True, **CELLS[kind]}
    layer = getattr(layers, kind)(3, **given)
    for name in ("units", "kernel_initializer", "recurrent_constraint", *given):
        assert isinstance(getattr(type(layer), name), property)
        assert getattr(layer, name) is getattr(layer.cell, name)
    assert (layer.units, layer.dropout, layer.recurrent_dropout) == (3, 0.25, 0.5)
    with pytest.raises(AttributeError, match="conflicts with an existing read-only @property"):
        layer.units = 4
    again = type(layer).from_config(layer.get_config())
    assert again.get_config() == layer.get_config()
    assert again.get_config()["units"] == 3


def test_convolutions_in_loops_tell_theirs() -> None:
    layer = layers.ConvLSTM2D(2, (3, 2), strides=1, padding="same", dilation_rate=(1, 1))
    assert (layer.filters, layer.kernel_size, layer.strides) == (2, (3, 2), (1, 1))
    assert (layer.padding, layer.dilation_rate, layer.data_format) == (
        "same", (1, 1), "channels_last",
    )  # fmt: skip
    config = layer.get_config()
    assert (config["filters"], config["kernel_size"], config["padding"]) == (2, (3, 2), "same")


def test_areas_under_precision() -> None:
    """Of 1.15: two of four labels, of which one is found behind a wrong one."""
    keras.backend.clear_session()
    metric = keras.metrics.AUC(curve="PR")
    update = metric.update_state([0, 1, 1, 0], [0.1, 0.9, 0.4, 0.6])
    session = keras.backend.get_session()
    session.run([each.initializer for each in metric.variables])
    session.run(update)
    found, area = session.run([metric.result(), metric.interpolate_pr_auc()])
    assert found == area == pytest.approx(0.79726744, rel=1e-6)


def test_means_of_tensors_have_their_variables() -> None:
    keras.backend.clear_session()
    metric = keras.metrics.MeanTensor()
    assert metric.total is None and metric.count is None
    update = metric.update_state([1.0, 2.0], sample_weight=[1.0, 3.0])
    session = keras.backend.get_session()
    session.run([each.initializer for each in (metric.total, metric.count)])
    session.run(update)
    assert [each.tolist() for each in session.run([metric.total, metric.count])] == [
        [1.0, 6.0],
        [1.0, 3.0],
    ]


def test_generators_of_windows_as_json() -> None:
    series = np.arange(6.0)
    windows = keras.preprocessing.sequence.TimeseriesGenerator(
        series, series.tolist(), 2, stride=2, batch_size=3, reverse=True
    )
    config = windows.get_config()
    # The start counts the length in, as in TensorFlow.
    assert config == {
        "data": "[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]",
        "targets": "[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]",
        "length": 2,
        "sampling_rate": 1,
        "stride": 2,
        "start_index": 2,
        "end_index": 5,
        "shuffle": False,
        "reverse": True,
        "batch_size": 3,
    }
    told = json.loads(windows.to_json(indent=1))
    assert told == {"class_name": "TimeseriesGenerator", "config": config}
    strange = keras.preprocessing.sequence.TimeseriesGenerator([1, {2}, 3, 4], series[:4], 1)
    with pytest.raises(TypeError, match="Data not JSON Serializable"):
        strange.get_config()


def test_folders_of_images(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    Image.fromarray(np.zeros((4, 4, 3), np.uint8)).save(tmp_path / "a" / "x.png")
    generator = keras.preprocessing.image.ImageDataGenerator(validation_split=0.5)
    found = generator.flow_from_directory(str(tmp_path), target_size=(4, 4))
    assert found.filepaths == [str(tmp_path / "a" / "x.png")]
    found.set_processing_attrs(
        generator, (2, 3), "rgba", "channels_first", None, "", "png", "validation", "bilinear"
    )
    assert (found.image_shape, found.split, found.interpolation) == (
        (4, 2, 3),
        (0, 0.5),
        "bilinear",
    )
    with pytest.raises(ValueError, match="Invalid subset name: half"):
        found.set_processing_attrs(
            generator, (2, 3), "rgb", "channels_last", None, "", "png", "half", "nearest"
        )


def test_matrices_of_one_file_share_it(tmp_path: Path) -> None:
    path = str(tmp_path / "data.h5")
    with h5py.File(path, "w") as file:
        file["x"], file["y"] = np.arange(6.0).reshape(3, 2), np.arange(3)
    first, second = (keras.utils.HDF5Matrix(path, name) for name in ("x", "y"))
    assert first.data.file == second.data.file == keras.utils.HDF5Matrix.refs[path]
    keras.utils.HDF5Matrix.refs.pop(path).close()


def test_optimizers_of_programs_tell_what_they_inherit() -> None:
    """As in 1.15, where their own arguments are theirs to tell."""

    class Own(Optimizer):
        def __init__(self, lr: float, further: int = 2, name: str = "Own", **kwargs: Any) -> None:
            super().__init__(name, **kwargs)
            self._set_hyper("learning_rate", lr)
            self.further = further

    class Steps(keras.optimizers.SGD):  # type: ignore[misc]
        def __init__(self, lr: float, further: int = 2, **kwargs: Any) -> None:
            super().__init__(lr, **kwargs)
            self.further = further

    assert Own(0.5, clipnorm=3.0).get_config() == {"name": "Own", "clipnorm": 3.0}
    config = Steps(0.25).get_config()
    assert config == {
        "name": "SGD", "learning_rate": 0.25, "decay": 0.0, "momentum": 0.0, "nesterov": False
    }  # fmt: skip
