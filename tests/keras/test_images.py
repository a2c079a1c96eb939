"""Images of tf.keras.preprocessing are changed as Keras 3 changes them, number by number."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from scipy import ndimage

import dataflow as tf
from tests.keras.their_images import PIXELS, changed_images, write_folder

image = tf.keras.preprocessing.image


@pytest.mark.filterwarnings("ignore:Found 1 invalid image")
def test_batches_of_changed_images(tmp_path: Path) -> None:
    write_folder(tmp_path / "images")
    done = subprocess.run(
        [sys.executable, "-m", "tests.keras.their_images", str(tmp_path / "theirs.npz"),
         str(tmp_path / "images")],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "KERAS_BACKEND": "tensorflow", "TF_CPP_MIN_LOG_LEVEL": "3"},
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    theirs = np.load(tmp_path / "theirs.npz")
    ours = changed_images(image, tmp_path / "images")
    assert ours.keys() == set(theirs.files)
    for name, each in ours.items():
        if np.asarray(each).dtype.kind == "U":
            assert each.tolist() == theirs[name].tolist()
        else:
            np.testing.assert_allclose(each, theirs[name], rtol=1e-4, atol=1e-3, err_msg=name)


def _turned(x: np.ndarray, matrix: np.ndarray, mode: str) -> np.ndarray:
    """By coordinates: where each pixel comes from, around the middle that TensorFlow 1.15 has."""
    rows, columns, channels = x.shape
    middle = np.array([rows / 2 + 0.5, columns / 2 + 0.5])
    grid = np.stack(np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij"))
    places = np.einsum("ij,jrc->irc", matrix, grid - middle[:, None, None])
    places += middle[:, None, None]
    found = [
        ndimage.map_coordinates(x[..., each], places, order=1, mode=mode)
        for each in range(channels)
    ]
    return np.stack(found, axis=-1)


def test_rotations_shears_and_zooms() -> None:
    x, change = PIXELS[0], image.ImageDataGenerator(fill_mode="reflect").apply_transform
    angle = np.deg2rad(25)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    shear = np.array([[1, -np.sin(angle)], [0, np.cos(angle)]])
    zoom = np.diag([0.7, 1.3])
    for given, matrix in (
        ({"theta": 25}, turn),
        ({"shear": 25}, shear),
        ({"zx": 0.7, "zy": 1.3}, zoom),
        ({"theta": 25, "shear": 25, "zx": 0.7, "zy": 1.3}, turn @ shear @ zoom),
    ):
        np.testing.assert_allclose(
            change(x, given), _turned(x, matrix, "reflect"), rtol=1e-3, atol=0.05
        )
    moved = image.apply_affine_transform(x, tx=2, ty=-1, fill_mode="constant")
    np.testing.assert_allclose(moved[:-2, 1:], x[2:, :-1], rtol=1e-5)
    scaled = (x - x.min()) / (x.max() - x.min()) * 255
    bright = np.clip(np.floor(scaled) * 1.5, 0, 255)
    np.testing.assert_allclose(change(x, {"brightness": 1.5}), bright, atol=1)
    for random, arguments in (
        (image.random_rotation, {"rg": 30}),
        (image.random_shear, {"intensity": 30}),
        (image.random_zoom, {"zoom_range": (0.5, 0.6)}),
        (image.random_shift, {"wrg": 0.4, "hrg": 0.4}),
        (image.random_channel_shift, {"intensity_range": 50}),
    ):
        axes = {"channel_axis": 2}
        if random is not image.random_channel_shift:
            axes |= {"row_axis": 0, "col_axis": 1}
        np.random.seed(4)
        changed = random(x, **arguments, **axes)
        assert changed.shape == x.shape and not np.allclose(changed, x)
    np.random.seed(4)
    shifted = image.random_shift(x, 0.4, 0.1, row_axis=0, col_axis=1, channel_axis=2)
    np.random.seed(4)
    down, right = (np.random.uniform(-s, s) * x.shape[axis] for axis, s in enumerate((0.1, 0.4)))
    assert x.shape[0] != x.shape[1]
    expected = image.apply_affine_transform(x, tx=down, ty=right, fill_mode="nearest")
    np.testing.assert_allclose(shifted, expected, rtol=1e-5)
    with pytest.raises(ValueError, match="`zoom_range` should be a tuple"):
        image.random_zoom(x, (1,))
    with pytest.raises(ValueError, match="brightness_range should be tuple"):
        image.random_brightness(x, (1,))


def test_whitening() -> None:
    generator = image.ImageDataGenerator(
        zca_whitening=True, featurewise_center=True, zca_epsilon=0.1, dtype="float64"
    )
    generator.fit(PIXELS)
    pixels = PIXELS.astype(np.float64)
    flat = (pixels - pixels.mean((0, 1, 2))).reshape(6, -1)
    variances = flat.T @ flat / 6 + 0.1 * np.eye(flat.shape[1])
    found = generator.principal_components
    # The inverse of the variances' root.
    np.testing.assert_allclose(found @ variances @ found, np.eye(flat.shape[1]), atol=1e-6)
    whitened = generator.standardize(pixels).reshape(6, -1)
    np.testing.assert_allclose(whitened, flat @ found, rtol=1e-4, atol=1e-6)


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "image.png"
    image.save_img(path, PIXELS[0], scale=False)
    read = image.load_img(path)
    np.testing.assert_array_equal(image.img_to_array(read), PIXELS[0])
    np.testing.assert_array_equal(
        image.img_to_array(read, data_format="channels_first"), PIXELS[0].transpose(2, 0, 1)
    )
    gray = image.load_img(path, color_mode="grayscale", target_size=(3, 4))
    assert image.img_to_array(gray).shape == (3, 4, 1)
    # From 0 to 255 unless that is not wanted.
    scaled = np.asarray(image.array_to_img(PIXELS[0] / 1000 + 7))
    assert scaled.min() == 0 and scaled.max() == 255
    with pytest.warns(UserWarning, match="JPG format does not support RGBA"):
        image.save_img(tmp_path / "a.jpg", np.ones((2, 2, 4)), file_format="jpeg")
    with Image.open(tmp_path / "a.jpg") as written:
        assert written.mode == "RGB"
    with pytest.raises(ValueError, match="Expected image array to have rank 3"):
        image.array_to_img(PIXELS)
    with pytest.raises(ValueError, match="Unsupported channel number: 2"):
        image.array_to_img(np.zeros((2, 2, 2)))
    with pytest.raises(ValueError, match="Invalid data_format"):
        image.img_to_array(read, data_format="channels")
    with pytest.raises(ValueError, match="color_mode must be"):
        image.load_img(path, color_mode="cmyk")
    with pytest.raises(ValueError, match="Invalid interpolation method"):
        image.load_img(path, target_size=(2, 2), interpolation="none")


def test_arguments_that_do_not_go_together(tmp_path: Path) -> None:
    make = image.ImageDataGenerator
    for options, text in (
        ({"zoom_range": (1, 2, 3)}, "`zoom_range` should be a float"),
        ({"validation_split": 2}, "strictly between 0 and 1"),
        ({"brightness_range": 1}, "`brightness_range should be tuple"),
        ({"data_format": "x"}, "`data_format` should be"),
    ):
        with pytest.raises(ValueError, match=text):
            make(**options)
    with pytest.warns(UserWarning, match="overrides setting of `featurewise_center`"):
        generator = make(featurewise_std_normalization=True)
    with pytest.warns(UserWarning, match="hasn't been fit on any training data"):
        generator.standardize(PIXELS[0].copy())
    with pytest.raises(ValueError, match="should have the same length"):
        generator.flow(PIXELS, np.zeros(5))
    with pytest.raises(ValueError, match="should have rank 4"):
        generator.flow(PIXELS[0])
    with pytest.raises(ValueError, match="Invalid class_mode: other"):
        generator.flow_from_directory(tmp_path, class_mode="other")


def test_a_model_is_trained_by_a_generator() -> None:
    tf.keras.backend.clear_session()
    model = tf.keras.Sequential(
        [tf.keras.layers.Flatten(input_shape=(9, 8, 3)), tf.keras.layers.Dense(1)]
    )
    model.compile("sgd", "mse")
    batches = image.ImageDataGenerator(rescale=1 / 2550).flow(PIXELS, np.arange(6), 4, seed=1)
    history = model.fit_generator(batches, steps_per_epoch=2, epochs=3, verbose=0)
    assert len(history.history["loss"]) == 3
    assert model.predict_generator(batches, steps=2).shape == (6, 1)
