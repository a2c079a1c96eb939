"""Runs the program of `changed_images` on Keras 3's generators, and writes what it finds."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas
from PIL import Image

PIXELS = np.random.RandomState(0).randint(0, 256, (6, 9, 8, 3)).astype(np.float32)
OPTIONS: dict[str, dict[str, Any]] = {
    "flipped": {"horizontal_flip": True, "vertical_flip": True, "channel_shift_range": 40.0},
    "each": {"samplewise_center": True, "samplewise_std_normalization": True, "rescale": 0.1},
    "all": {"featurewise_center": True, "featurewise_std_normalization": True,
            "horizontal_flip": True},
    "first": {"data_format": "channels_first", "vertical_flip": True},
}  # fmt: skip
"""What Keras 3 does otherwise than TensorFlow 1.15 is not among them: rotations, brightness ..."""
MOVES: dict[str, Any] = {"rotation_range": 30, "width_shift_range": 0.2, "shear_range": 20,
    "height_shift_range": [-2, 1], "zoom_range": 0.3, "channel_shift_range": 4.0,
    "horizontal_flip": True, "brightness_range": (0.3, 1.5)}  # fmt: skip


def write_folder(folder: Path) -> None:
    """Three images of each of two classes, and one file that is none."""
    for number, pixels in enumerate(PIXELS):
        path = folder / ("cats", "dogs")[number % 2]
        path.mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels.astype(np.uint8)).save(path / f"{number}.png")
    (folder / "cats" / "notes.txt").write_text("none")


def changed_images(image: ModuleType, folder: Path) -> dict[str, np.ndarray]:
    """Batches of many kinds."""
    found: dict[str, Any] = {}
    labels, weights = np.arange(6) % 2, np.linspace(0, 1, 6)
    for name, options in OPTIONS.items():
        first = options.get("data_format") == "channels_first"
        pixels = PIXELS.transpose(0, 3, 1, 2) if first else PIXELS
        generator = image.ImageDataGenerator(**options)
        generator.fit(pixels, augment=name == "all", rounds=2, seed=5)
        batches = generator.flow(
            pixels, labels, batch_size=4, sample_weight=weights, seed=3, shuffle=name != "each"
        )
        for place in range(3):
            found |= {f"{name}/{place}/{i}": each for i, each in enumerate(next(batches))}
        found[f"{name}/by number"] = batches[1][0]
    drawn = image.ImageDataGenerator(**MOVES).get_random_transform((9, 8, 3), seed=7)
    found |= {f"drawn/{name}": np.float64(value) for name, value in drawn.items()}
    generator = image.ImageDataGenerator(validation_split=0.34, horizontal_flip=True)
    kinds = ("categorical", "binary", "sparse", "input", None)
    for place, (kind, mode) in enumerate(
        zip(kinds, ("rgb", "grayscale", "rgba") * 2, strict=False)
    ):
        batches = generator.flow_from_directory(
            str(folder), (5, 6), mode, class_mode=kind, batch_size=3, seed=1,
            subset="training" if place % 2 else "validation", interpolation="bilinear",
        )  # fmt: skip
        batch = next(batches)
        for number, each in enumerate(batch if isinstance(batch, tuple) else [batch]):
            found[f"folder/{kind}/{number}"] = each
        found[f"folder/{kind}/files"] = np.array(batches.filenames)
    table = pandas.DataFrame(
        {
            "filename": [f"{('cats', 'dogs')[n % 2]}/{n}.png" for n in range(5)] + ["lost.png"],
            "class": ["b", "a", "a", "b", "c", "a"],
            "one": np.arange(6.0),
            "two": np.arange(6.0) * 2,
        }
    )
    given = {"directory": str(folder), "target_size": (4, 4), "batch_size": 3, "seed": 2}
    for kind, columns in (("categorical", "class"), ("sparse", "class"), ("raw", ["one", "two"])):
        batch = next(
            generator.flow_from_dataframe(
                table, y_col=columns, class_mode=kind, weight_col="two", **given
            )
        )
        found |= {f"table/{kind}/{number}": each for number, each in enumerate(batch)}
    batch = next(
        generator.flow_from_dataframe(
            table, y_col=["one", "two"], class_mode="multi_output", **given
        )
    )
    found |= {f"table/several/{number}": each for number, each in enumerate(batch[1])}
    return found


if __name__ == "__main__":
    from keras.src.legacy.preprocessing import image as theirs

    np.savez(sys.argv[1], **changed_images(theirs, Path(sys.argv[2])))
