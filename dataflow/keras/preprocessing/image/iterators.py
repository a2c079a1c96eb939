"""Batches of changed images, without end, or by their numbers."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Iterator as Iterable
from typing import Any, ClassVar

import numpy as np

from dataflow.keras import backend as K
from dataflow.keras.conveniences import Sequence
from dataflow.keras.preprocessing.image.files import (
    ENDINGS,
    array_to_img,
    checked_format,
    img_to_array,
    load_img,
)


class Iterator(Sequence):
    """Batches of numbers of images; subclasses make the batch of some.

    Args:
      n: How many images there are.
      batch_size: How many a batch has.
      shuffle: Whether each epoch has another order.
      seed: For numpy's random numbers, which order and changes come of.
    """

    white_list_formats: ClassVar[tuple[str, ...]] = ENDINGS

    def __init__(self, n: int, batch_size: int, shuffle: bool, seed: int | None) -> None:
        self.n, self.batch_size, self.shuffle, self.seed = n, batch_size, shuffle, seed
        self.batch_index = self.total_batches_seen = 0
        self.lock = threading.Lock()
        self.index_array: Any = None
        self.index_generator = self._flow_index()

    def _set_index_array(self) -> None:
        self.index_array = np.random.permutation(self.n) if self.shuffle else np.arange(self.n)

    def _seed_batch(self) -> None:
        if self.seed is not None:
            np.random.seed(self.seed + self.total_batches_seen)

    def __getitem__(self, idx: int) -> Any:
        if idx >= len(self):
            raise ValueError(
                f"Asked to retrieve element {idx}, but the Sequence has length {len(self)}"
            )
        self._seed_batch()
        self.total_batches_seen += 1
        if self.index_array is None:
            self._set_index_array()
        start = self.batch_size * idx
        return self._get_batches_of_transformed_samples(
            self.index_array[start : start + self.batch_size]
        )

    def __len__(self) -> int:
        return -(-self.n // self.batch_size)

    def on_epoch_end(self) -> None:
        """The next epoch has another order."""
        self._set_index_array()

    def reset(self) -> None:
        """The next batch is the first of an epoch."""
        self.batch_index = 0

    def _flow_index(self) -> Iterable[Any]:
        self.reset()
        while True:
            self._seed_batch()
            if self.batch_index == 0:
                self._set_index_array()
            start = (self.batch_index * self.batch_size) % self.n if self.n else 0
            end = start + self.batch_size
            self.batch_index = self.batch_index + 1 if self.n > end else 0
            self.total_batches_seen += 1
            yield self.index_array[start:end]

    def __iter__(self) -> Iterable[Any]:
        return self

    def __next__(self) -> Any:
        return self.next()

    def next(self) -> Any:
        """The next batch; threads may ask at the same time."""
        with self.lock:
            index_array = next(self.index_generator)
        return self._get_batches_of_transformed_samples(index_array)

    def _get_batches_of_transformed_samples(self, index_array: Any) -> Any:
        raise NotImplementedError

    def _keep(self, images: Any, numbers: Any, most: int) -> None:
        """Writes the images of a batch into files, if that is wanted."""
        if not self.save_to_dir:
            return
        for image, number in zip(images, numbers, strict=True):
            name = f"{self.save_prefix}_{number}_{np.random.randint(most)}.{self.save_format}"
            array_to_img(image, self.data_format).save(os.path.join(self.save_to_dir, name))

    save_to_dir: Any = None
    save_prefix = ""
    save_format = "png"
    data_format = "channels_last"


class NumpyArrayIterator(Iterator):
    """Batches of images of an array.

    Args:
      x: The images, or a pair of them and one or several arrays that go with them.
      y: What is to be found, or None.
      image_data_generator: What changes the images.
      batch_size: See `Iterator`.
      shuffle: See `Iterator`.
      sample_weight: The weights of the images, or None.
      seed: See `Iterator`.
      data_format: "channels_last" or "channels_first"; that of the backend if None.
      save_to_dir: A folder into which changed images are written, or None.
      save_prefix: With which their names begin.
      save_format: With which they end.
      subset: "training" or "validation" for the part of it; None for all.
      dtype: Element type of the batches.

    Raises:
      ValueError: Lengths differ, the images have not four dimensions, or there is no such part.
    """

    def __init__(
        self,
        x: Any,
        y: Any,
        image_data_generator: Any,
        batch_size: int = 32,
        shuffle: bool = False,
        sample_weight: Any = None,
        seed: int | None = None,
        data_format: str | None = None,
        save_to_dir: Any = None,
        save_prefix: str = "",
        save_format: str = "png",
        subset: str | None = None,
        dtype: Any = None,
    ) -> None:
        self.data_format = checked_format(data_format)
        self.dtype = dtype or K.floatx()
        further: list[Any] = []
        if isinstance(x, (tuple, list)):
            x, more = x
            further = [np.asarray(each) for each in (more if isinstance(more, list) else [more])]
            for each in further:
                if len(x) != len(each):
                    raise ValueError(
                        "All of the arrays in `x` should have the same length. Found a pair with: "
                        f"len(x[0]) = {len(x)}, len(x[?]) = {len(each)}"
                    )
        for name, each in (("labels", y), ("sample_weight", sample_weight)):
            if each is not None and len(x) != len(each):
                shown = "y` (labels)" if name == "labels" else "sample_weight`"
                raise ValueError(
                    f"`x` (images tensor) and `{shown} should have the same length. Found: x.shape "
                    f"= {np.shape(x)}, {'y' if name == 'labels' else name}.shape = {np.shape(each)}"
                )
        if subset is not None:
            part = self._part(subset, int(len(x) * image_data_generator._validation_split), y)
            x, further = x[part], [each[part] for each in further]
            y = None if y is None else y[part]
            sample_weight = None if sample_weight is None else sample_weight[part]
        self.x, self.x_misc = np.asarray(x, dtype=self.dtype), further
        if self.x.ndim != 4:
            raise ValueError(
                "Input data in `NumpyArrayIterator` should have rank 4. You passed an array with "
                "shape",
                self.x.shape,
            )
        warn_of_channels("NumpyArrayIterator is set to use", self.x.shape, self.data_format)
        self.y = None if y is None else np.asarray(y)
        self.sample_weight = None if sample_weight is None else np.asarray(sample_weight)
        self.image_data_generator = image_data_generator
        self.save_to_dir, self.save_prefix = save_to_dir, save_prefix
        self.save_format = save_format
        super().__init__(self.x.shape[0], batch_size, shuffle, seed)

    @staticmethod
    def _part(subset: str, split: int, y: Any) -> slice:
        if subset not in ("training", "validation"):
            raise ValueError(
                "Invalid subset name:", subset, '; expected "training" or "validation".'
            )
        if y is not None and not np.array_equal(np.unique(y[:split]), np.unique(y[split:])):
            raise ValueError(
                "Training and validation subsets have different number of classes after the "
                "split. If your numpy arrays are sorted by the label, you might want to shuffle "
                "them."
            )
        return slice(split) if subset == "validation" else slice(split, None)

    def _get_batches_of_transformed_samples(self, index_array: Any) -> Any:
        images = np.zeros((len(index_array), *self.x.shape[1:]), dtype=self.dtype)
        for place, number in enumerate(index_array):
            images[place] = self.image_data_generator.changed(self.x[number].astype(self.dtype))
        self._keep(images, index_array, 10**4)
        further = [each[index_array] for each in self.x_misc]
        first = [images, *further] if further else images
        if self.y is None:
            return first
        if self.sample_weight is None:
            return first, self.y[index_array]
        return first, self.y[index_array], self.sample_weight[index_array]


def warn_of_channels(begins: str, shape: Any, data_format: str) -> None:
    """Warns if images have neither 1, 3 nor 4 channels."""
    axis = 3 if data_format == "channels_last" else 1
    if shape[axis] not in (1, 3, 4):
        warnings.warn(
            f'{begins} the data format convention "{data_format}" (channels on axis {axis}), i.e. '
            f"expected either 1, 3, or 4 channels on axis {axis}. However, it was passed an array "
            f"with shape {shape} ({shape[axis]} channels).",
            stacklevel=4,
        )


class FilesIterator(Iterator):
    """Batches of images of files: subclasses have `filepaths`, `labels` and `sample_weight`."""

    class_mode: Any
    classes: Any
    class_indices: dict[Any, int]
    dtype: Any
    _filepaths: list[str]
    labels: Any
    sample_weight: Any

    @property
    def filepaths(self) -> list[str]:
        """The path of each image."""
        return self._filepaths

    def set_processing_attrs(
        self,
        image_data_generator: Any,
        target_size: Any,
        color_mode: str,
        data_format: str | None,
        save_to_dir: Any,
        save_prefix: str,
        save_format: str,
        subset: str | None,
        interpolation: str,
    ) -> None:
        """Settles how files become a batch.

        Args:
          image_data_generator: What changes the images.
          target_size: (height, width) of the images.
          color_mode: "grayscale", "rgb" or "rgba".
          data_format: "channels_last" or "channels_first".
          save_to_dir: Where changed images are kept, or None.
          save_prefix: Begins the names of these.
          save_format: Their format.
          subset: "training", "validation" or None.
          interpolation: See `load_img`.

        Raises:
          ValueError: There is no such mode or subset.
        """
        self.image_data_generator = image_data_generator
        self.target_size = tuple(target_size)
        channels = {"rgba": 4, "rgb": 3, "grayscale": 1}.get(color_mode)
        if channels is None:
            raise ValueError(
                "Invalid color mode:", color_mode, '; expected "rgb", "rgba", or "grayscale".'
            )
        self.color_mode, self.data_format = color_mode, checked_format(data_format)
        last = self.data_format == "channels_last"
        self.image_shape = (*self.target_size, channels) if last else (channels, *self.target_size)
        self.save_to_dir, self.save_prefix = save_to_dir, save_prefix
        self.save_format, self.interpolation = save_format, interpolation
        if subset not in (None, "training", "validation"):
            raise ValueError(f'Invalid subset name: {subset};expected "training" or "validation"')
        self.subset = subset
        self.split: Any = None
        if subset is not None:
            share = image_data_generator._validation_split
            self.split = (0, share) if subset == "validation" else (share, 1)

    def _part_of(self, items: Any) -> Any:
        """The part of images that the subset has."""
        if not self.split:
            return items
        return items[int(self.split[0] * len(items)) : int(self.split[1] * len(items))]

    def _get_batches_of_transformed_samples(self, index_array: Any) -> Any:
        images = np.zeros((len(index_array), *self.image_shape), dtype=self.dtype)
        for place, number in enumerate(index_array):
            with load_img(
                self.filepaths[number],
                color_mode=self.color_mode,
                target_size=self.target_size,
                interpolation=self.interpolation,
            ) as image:
                x = img_to_array(image, self.data_format)
            if self.image_data_generator:
                x = self.image_data_generator.changed(x)
            images[place] = x
        self._keep(images, index_array, 10**7)
        if self.class_mode is None:
            return images
        wanted = self._wanted(images, index_array)
        if self.sample_weight is None:
            return images, wanted
        return images, wanted, self.sample_weight[index_array]

    def _wanted(self, images: Any, numbers: Any) -> Any:
        if self.class_mode == "input":
            return images.copy()
        if self.class_mode in ("binary", "sparse"):
            return np.array([self.classes[each] for each in numbers], dtype=self.dtype)
        if self.class_mode == "multi_output":
            return [each[numbers] for each in self.labels]
        if self.class_mode == "raw":
            return self.labels[numbers]
        found = np.zeros((len(images), len(self.class_indices)), dtype=self.dtype)
        for place, number in enumerate(numbers):
            found[place, self.classes[number]] = 1.0
        return found
