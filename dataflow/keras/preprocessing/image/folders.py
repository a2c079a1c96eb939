"""DirectoryIterator: batches of the images in folders, one for each class."""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np

from dataflow.keras import backend as K
from dataflow.keras.preprocessing.image.files import images_below
from dataflow.keras.preprocessing.image.iterators import FilesIterator


class DirectoryIterator(FilesIterator):
    """Batches of the images in the folders of a folder.

    Args:
      directory: The folder.
      image_data_generator: What changes the images, or None.
      target_size: (height, width) of the images.
      color_mode: "grayscale", "rgb" or "rgba".
      classes: The names of the folders; all, in the order of their names, if None.
      class_mode: What is given with the images: "categorical" for vectors, "binary" or "sparse"
        for numbers, "input" for the images, None for nothing.
      batch_size: See `Iterator`.
      shuffle: See `Iterator`.
      seed: See `Iterator`.
      data_format: See `NumpyArrayIterator`.
      save_to_dir: See `NumpyArrayIterator`.
      save_prefix: See `NumpyArrayIterator`.
      save_format: See `NumpyArrayIterator`.
      follow_links: Whether links to folders are followed.
      subset: See `NumpyArrayIterator`.
      interpolation: See `load_img`.
      dtype: Element type of the batches.

    Raises:
      ValueError: An argument has a value that it cannot have.
    """

    allowed_class_modes = ("categorical", "binary", "sparse", "input", None)

    def __init__(
        self,
        directory: Any,
        image_data_generator: Any,
        target_size: Any = (256, 256),
        color_mode: str = "rgb",
        classes: Any = None,
        class_mode: str | None = "categorical",
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int | None = None,
        data_format: str | None = None,
        save_to_dir: Any = None,
        save_prefix: str = "",
        save_format: str = "png",
        follow_links: bool = False,
        subset: str | None = None,
        interpolation: str = "nearest",
        dtype: Any = None,
    ) -> None:
        self.set_processing_attrs(
            image_data_generator, target_size, color_mode, data_format, save_to_dir, save_prefix,
            save_format, subset, interpolation,
        )  # fmt: skip
        self.dtype = dtype or K.floatx()
        if class_mode not in self.allowed_class_modes:
            raise ValueError(
                f"Invalid class_mode: {class_mode}; expected one of: {self.allowed_class_modes}"
            )
        self.directory, self.class_mode = directory, class_mode
        names = classes or sorted(
            each for each in os.listdir(directory) if os.path.isdir(os.path.join(directory, each))
        )
        self.num_classes = len(names)
        self.class_indices = {name: number for number, name in enumerate(names)}
        self.filenames: list[str] = []
        numbers: list[int] = []
        for name, number in self.class_indices.items():
            folder = os.path.join(directory, name)
            found = self._part_of(images_below(folder, follow_links))
            base = os.path.basename(folder)
            self.filenames += [os.path.join(base, os.path.relpath(each, folder)) for each in found]
            numbers += [number] * len(found)
        self.samples = len(self.filenames)
        self.classes = np.array(numbers, dtype="int32")
        sys.stdout.write(f"Found {self.samples} images belonging to {self.num_classes} classes.\n")
        self._filepaths = [os.path.join(directory, each) for each in self.filenames]
        super().__init__(self.samples, batch_size, shuffle, seed)

    @property
    def labels(self) -> Any:
        """The number of the class of each image."""
        return self.classes

    sample_weight = None
