"""DataFrameIterator: batches of images whose files and classes stand in a table of pandas."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any

import numpy as np

from dataflow.keras import backend as K
from dataflow.keras.preprocessing.image.files import is_image
from dataflow.keras.preprocessing.image.iterators import FilesIterator

_WITHOUT_CLASSES = ("input", "multi_output", "raw", None)


class DataFrameIterator(FilesIterator):
    """Batches of the images in a table.

    Args:
      dataframe: The table, of pandas.
      directory: The folder of the files; None if the table has paths.
      image_data_generator: What changes the images, or None.
      x_col: The column of the names of files.
      y_col: The column of the classes, or the columns of what is to be found.
      weight_col: The column of weights, or None.
      target_size: (height, width) of the images.
      color_mode: "grayscale", "rgb" or "rgba".
      classes: The classes; those of the table if None.
      class_mode: As of `DirectoryIterator`; "multi_output" gives a list of the columns, "raw" their
        values.
      batch_size: See `Iterator`.
      shuffle: See `Iterator`.
      seed: See `Iterator`.
      data_format: See `NumpyArrayIterator`.
      save_to_dir: See `NumpyArrayIterator`.
      save_prefix: See `NumpyArrayIterator`.
      save_format: See `NumpyArrayIterator`.
      subset: See `NumpyArrayIterator`.
      interpolation: See `load_img`.
      dtype: Element type of the batches.
      validate_filenames: Whether files that are not there are left out.

    Raises:
      TypeError: A column has values of another type.
      ValueError: An argument has a value that it cannot have.
    """

    allowed_class_modes = ("binary", "categorical", "input", "multi_output", "raw", "sparse", None)

    def __init__(
        self,
        dataframe: Any,
        directory: Any = None,
        image_data_generator: Any = None,
        x_col: str = "filename",
        y_col: Any = "class",
        weight_col: str | None = None,
        target_size: Any = (256, 256),
        color_mode: str = "rgb",
        classes: Any = None,
        class_mode: str | None = "categorical",
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int | None = None,
        data_format: str | None = "channels_last",
        save_to_dir: Any = None,
        save_prefix: str = "",
        save_format: str = "png",
        subset: str | None = None,
        interpolation: str = "nearest",
        dtype: Any = "float32",
        validate_filenames: bool = True,
    ) -> None:
        self.set_processing_attrs(
            image_data_generator, target_size, color_mode, data_format, save_to_dir, save_prefix,
            save_format, subset, interpolation,
        )  # fmt: skip
        self.dtype = dtype or K.floatx()
        table = dataframe.copy()
        self.directory, self.class_mode = directory or "", class_mode
        self._check(table, x_col, y_col, weight_col, classes)
        if validate_filenames:
            table = self._with_files(table, x_col)
        with_classes = class_mode not in _WITHOUT_CLASSES
        if with_classes:
            table, names = _with_classes(table, y_col, classes)
            self.class_indices = {name: number for number, name in enumerate(names)}
        if self.split:
            table = self._part_of(table)
        if with_classes:
            self.classes = [self._numbers(each) for each in table[y_col]]
        self.filenames = table[x_col].tolist()
        self.sample_weight = table[weight_col].values if weight_col else None
        if class_mode == "multi_output":
            self.labels = [np.array(table[each].tolist()) for each in y_col]
        elif class_mode == "raw":
            self.labels = table[y_col].values
        elif with_classes:
            self.labels = self.classes
        self.samples = len(self.filenames)
        kind = "validated" if validate_filenames else "non-validated"
        end = f" belonging to {len(self.class_indices)} classes" if with_classes else ""
        sys.stdout.write(f"Found {self.samples} {kind} image filenames{end}.\n")
        self._filepaths = [os.path.join(self.directory, each) for each in self.filenames]
        super().__init__(self.samples, batch_size, shuffle, seed)

    def _check(self, table: Any, x_col: Any, y_col: Any, weight_col: Any, classes: Any) -> None:
        mode = self.class_mode
        if mode not in self.allowed_class_modes:
            raise ValueError(
                f"Invalid class_mode: {mode}; expected one of: {self.allowed_class_modes}"
            )
        if mode == "multi_output" and not isinstance(y_col, list):
            raise TypeError(
                f'If class_mode="{mode}", y_col must be a list. Received {type(y_col).__name__}.'
            )
        if not all(isinstance(each, str) for each in table[x_col]):
            raise TypeError(f"All values in column x_col={x_col} must be strings.")
        begins = f'If class_mode="{mode}", y_col="{y_col}" column values must be '
        if mode in ("binary", "sparse") and not all(isinstance(each, str) for each in table[y_col]):
            raise TypeError(f"{begins}strings.")
        if mode == "binary":
            count = len(set(classes)) if classes else table[y_col].nunique()
            if count != 2:
                told = f"{count} class/es were given." if classes else f"Found {count} classes."
                raise ValueError(f'If class_mode="binary" there must be 2 classes. {told}')
        kinds = (str, list, tuple)
        if mode == "categorical" and not all(isinstance(each, kinds) for each in table[y_col]):
            raise TypeError(f"{begins}type string, list or tuple.")
        if classes and mode in _WITHOUT_CLASSES:
            warnings.warn(f'`classes` will be ignored given the class_mode="{mode}"', stacklevel=4)
        if weight_col and not issubclass(table[weight_col].dtype.type, np.number):
            raise TypeError(f"Column weight_col={weight_col} must be numeric.")

    def _with_files(self, table: Any, x_col: str) -> Any:
        there = np.array(
            [
                is_image(each) and os.path.isfile(os.path.join(self.directory, each))
                for each in table[x_col]
            ],
            dtype=bool,
        )
        if not there.all():
            warnings.warn(
                f'Found {(~there).sum()} invalid image filename(s) in x_col="{x_col}". These '
                "filename(s) will be ignored.",
                stacklevel=4,
            )
        return table[there]

    def _numbers(self, names: Any) -> Any:
        if isinstance(names, (list, tuple)):
            return [self.class_indices[each] for each in names]
        return self.class_indices[names]


def _with_classes(table: Any, y_col: str, classes: Any) -> tuple[Any, list[Any]]:
    """The rows that are of one of the classes, and these; all that there are if None."""
    if not classes:
        known = {
            name
            for each in table[y_col]
            for name in (each if isinstance(each, (list, tuple)) else [each])
        }
        return table.dropna(subset=[y_col]), sorted(known)
    known = set(classes)

    def kept(names: Any) -> Any:
        if isinstance(names, (list, tuple)):
            return [each for each in names if each in known] or None
        return names if names in known else None

    table[y_col] = [kept(each) for each in table[y_col]]
    return table.dropna(subset=[y_col]), sorted(known)
