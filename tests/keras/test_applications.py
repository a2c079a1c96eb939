"""Nets of tf.keras.applications have the layers of Keras 3's, and find what those do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.keras.their_nets import images

ROOT = Path(__file__).parents[2]
OTHER_NETS = (
    "VGG16", "ResNet50", "ResNet101V2", "DenseNet121", "InceptionV3", "InceptionResNetV2",
    "Xception", "MobileNetV2", "NASNetMobile",
)  # fmt: skip
RENAMED = {"probs": "predictions", "Logits": "predictions", "fc1000": "predictions",
           "act_softmax": "predictions"}  # fmt: skip
"""Names of TensorFlow 1.15 -> those of Keras 3."""
FURTHER = {"MobileNet": {"reshape_1", "conv1_pad"}, "MobileNetV2": {"Conv1_pad"}}
"""Layers of TensorFlow 1.15 that Keras 3 does without, by net."""


def _theirs(folder: Path, *names: str) -> dict[str, Any]:
    path = folder / "theirs.npz"
    done = subprocess.run(
        [sys.executable, "-m", "tests.keras.their_nets", str(path), *names],
        cwd=ROOT,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "KERAS_BACKEND": "tensorflow"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(np.load(path))


def _compare(name: str, theirs: dict[str, Any]) -> None:
    tf.keras.backend.clear_session()
    net = getattr(tf.keras.applications, name)
    model = net(weights=None, input_shape=images(name).shape[1:], classes=7)
    ours = [each.name.replace("/", "_") for each in model.layers]
    names = {RENAMED.get(each, each) for each in ours} - FURTHER.get(name, set())
    wanted = set(theirs[f"{name}/layers"].tolist())
    # Layers that no one has named have other numbers, or are of other classes.
    assert {n for n in names if not n.startswith(_UNNAMED)} == {
        n for n in wanted if not n.startswith(_UNNAMED)
    }
    assert model.count_params() == theirs[f"{name}/parameters"]
    weights = [theirs[f"{name}/weights/{place}"] for place in range(len(model.weights))]
    model.set_weights(weights)
    np.testing.assert_allclose(
        model.predict(images(name)), theirs[f"{name}/output"], rtol=2e-3, atol=1e-5
    )


_UNNAMED = (
    "input_", "activation", "add", "concatenate", "cropping2d", "custom_scale_layer",
    "zero_padding2d", "global_average_pooling2d", "max_pooling2d", "block35_", "block17_",
    "block8_",
)  # fmt: skip


def test_a_small_net(tmp_path: Path) -> None:
    _compare("MobileNet", _theirs(tmp_path, "MobileNet"))


@pytest.mark.long
def test_the_other_nets(tmp_path: Path) -> None:
    theirs = _theirs(tmp_path, *OTHER_NETS)
    for name in OTHER_NETS:
        _compare(name, theirs)


def test_weights_of_a_file(tmp_path: Path) -> None:
    make = tf.keras.applications.MobileNetV2
    given = {"alpha": 0.35, "input_shape": (32, 32, 3), "include_top": False, "pooling": "max"}
    model = make(weights=None, **given)
    path = str(tmp_path / "weights.h5")
    model.save_weights(path)
    wanted = model.predict(images(""))
    tf.keras.backend.clear_session()
    again = make(weights=path, input_tensor=tf.keras.Input((32, 32, 3)), **given)
    np.testing.assert_array_equal(again.predict(images("")), wanted)


class _Own:
    """Layers of a program: some that it makes itself, all else Keras'."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def BatchNormalization(self, **kwargs: Any) -> Any:
        self.asked.append(kwargs)
        return tf.keras.layers.BatchNormalization(epsilon=0.5, momentum=0.25, **kwargs)

    def ZeroPadding2D(self, **kwargs: Any) -> Any:
        return tf.keras.layers.ZeroPadding2D(**kwargs)

    def Input(self, shape: Any) -> Any:
        return tf.keras.Input(shape, name="images")

    def __getattr__(self, name: str) -> Any:
        return getattr(tf.keras.layers, name)


def test_layers_of_a_program() -> None:
    own = _Own()
    given: dict[str, Any] = {"weights": None, "include_top": False, "input_shape": (32, 32, 3)}
    model = tf.keras.applications.MobileNet(layers=own, backend=tf.keras.backend, **given)
    norms = [each for each in model.layers if "_bn" in each.name]
    assert len(norms) == len(own.asked) == 27 and model.layers[0].name == "images"
    assert {(each.epsilon, each.momentum) for each in norms} == {(0.5, 0.25)}
    with pytest.raises(ValueError, match="must be at least 71x71"):
        tf.keras.applications.Xception(layers=own, **given)
    plain = tf.keras.applications.MobileNet(**given)
    assert {each.epsilon for each in plain.layers if "_bn" in each.name} == {1e-3}
    with pytest.raises(TypeError, match="unexpected keyword argument 'layer'"):
        tf.keras.applications.MobileNet(layer=own, **given)


def test_arguments_that_do_not_go_together() -> None:
    nets = tf.keras.applications
    with pytest.raises(ValueError, match="The `weights` argument should be either"):
        nets.VGG16(weights="no such file")
    with pytest.raises(ValueError, match="`classes` should be 1000"):
        nets.VGG16(classes=10)
    with pytest.raises(ValueError, match=r"`input_shape` should be \(224, 224, 3\)"):
        nets.ResNet50(input_shape=(64, 64, 3))
    with pytest.raises(ValueError, match="Input size must be at least 75x75"):
        nets.InceptionV3(weights=None, input_shape=(32, 32, 3))
    with pytest.raises(ValueError, match="you should specify a static `input_shape`"):
        nets.VGG19(weights=None, input_shape=(None, None, 3))
    with pytest.raises(ValueError, match="alpha can be one of"):
        nets.MobileNet(alpha=0.3)
    with pytest.warns(UserWarning, match="usually expects 1 or 3 input channels"):
        nets.VGG16(weights=None, input_shape=(32, 32, 5), include_top=False)
    with pytest.raises(ValueError, match=r"2D array of shape \(samples, 1000\)"):
        nets.imagenet_utils.decode_predictions(np.zeros((2, 10)))


@pytest.mark.parametrize("data_format", ["channels_last", "channels_first"])
@pytest.mark.parametrize("rank", [3, 4])
def test_images_as_nets_take_them(data_format: str, rank: int) -> None:
    pixels = np.random.RandomState(0).randint(0, 256, (2, 4, 5, 3)[4 - rank :]).astype("f")
    mean, deviation = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])
    wanted = {
        "tf": pixels / 127.5 - 1,
        "torch": (pixels / 255 - mean) / deviation,
        "caffe": pixels[..., ::-1] - np.array([103.939, 116.779, 123.68]),
    }
    first = data_format == "channels_first"
    given = np.moveaxis(pixels, -1, -3) if first else pixels
    change = tf.keras.applications.imagenet_utils.preprocess_input
    with tf.Graph().as_default(), tf.Session() as session:
        for mode, each in wanted.items():
            each = np.moveaxis(each, -1, -3) if first else each
            np.testing.assert_allclose(
                change(given.copy(), data_format, mode), each, rtol=1e-5, atol=1e-5
            )
            tensor = change(tf.constant(given), data_format=data_format, mode=mode)
            np.testing.assert_allclose(session.run(tensor), each, rtol=1e-5, atol=1e-5)
    integers = change(pixels.astype(np.uint8), mode="tf")
    assert integers.dtype == np.float32
    np.testing.assert_allclose(integers, wanted["tf"], rtol=1e-6)
