"""ImageDataGenerator: changes images at random, and normalizes them."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

import numpy as np

from dataflow.keras import backend as K
from dataflow.keras.preprocessing.image.changes import (
    apply_affine_transform,
    apply_brightness_shift,
    apply_channel_shift,
    two_factors,
)
from dataflow.keras.preprocessing.image.folders import DirectoryIterator
from dataflow.keras.preprocessing.image.iterators import NumpyArrayIterator, warn_of_channels
from dataflow.keras.preprocessing.image.tables import DataFrameIterator

_SMALL = 1e-6


class ImageDataGenerator:
    """Makes batches of images, each of them changed at random and normalized.

    Args:
      featurewise_center: Whether the mean of all images is subtracted; `fit` finds it.
      samplewise_center: Whether its own mean is subtracted from each image.
      featurewise_std_normalization: Whether images are divided by the deviation of all.
      samplewise_std_normalization: Whether each is divided by its own.
      zca_whitening: Whether the images' components become independent; `fit` finds them.
      zca_epsilon: Added to their variances.
      rotation_range: Degrees by which images are rotated at most.
      width_shift_range: Pixels by which they are shifted sideways at most, a share of the width if
        below 1, or a list of possible shifts.
      height_shift_range: The same up and down.
      brightness_range: Two factors between which their brightness is.
      shear_range: Degrees by which they are sheared at most.
      zoom_range: Two factors between which they are zoomed, or how far these are from 1.
      channel_shift_range: Numbers that are added are up to this.
      fill_mode: What is outside: "constant", "nearest", "reflect" or "wrap".
      cval: The value of "constant".
      horizontal_flip: Whether half of them are flipped sideways.
      vertical_flip: Whether half of them are flipped upside down.
      rescale: A factor, after the changes.
      preprocessing_function: A function of each changed image.
      data_format: "channels_last" or "channels_first"; that of the backend if None.
      validation_split: The share of images that is for validation.
      dtype: Element type of the batches; the backend's type of floats if None.

    Raises:
      ValueError: An argument has a value that it cannot have.
    """

    interpolation_order = 1

    def __init__(
        self,
        featurewise_center: bool = False,
        samplewise_center: bool = False,
        featurewise_std_normalization: bool = False,
        samplewise_std_normalization: bool = False,
        zca_whitening: bool = False,
        zca_epsilon: float = 1e-06,
        rotation_range: Any = 0,
        width_shift_range: Any = 0.0,
        height_shift_range: Any = 0.0,
        brightness_range: Any = None,
        shear_range: float = 0.0,
        zoom_range: Any = 0.0,
        channel_shift_range: float = 0.0,
        fill_mode: str = "nearest",
        cval: float = 0.0,
        horizontal_flip: bool = False,
        vertical_flip: bool = False,
        rescale: Any = None,
        preprocessing_function: Any = None,
        data_format: str | None = None,
        validation_split: float = 0.0,
        dtype: Any = None,
    ) -> None:
        self.featurewise_center, self.samplewise_center = featurewise_center, samplewise_center
        self.featurewise_std_normalization = featurewise_std_normalization
        self.samplewise_std_normalization = samplewise_std_normalization
        self.zca_whitening, self.zca_epsilon = zca_whitening, zca_epsilon
        self.rotation_range, self.shear_range = rotation_range, shear_range
        self.width_shift_range, self.height_shift_range = width_shift_range, height_shift_range
        self.channel_shift_range = channel_shift_range
        self.fill_mode, self.cval = fill_mode, cval
        self.horizontal_flip, self.vertical_flip = horizontal_flip, vertical_flip
        self.rescale, self.preprocessing_function = rescale, preprocessing_function
        self.dtype = dtype or K.floatx()
        self.data_format = data_format or K.image_data_format()
        if self.data_format not in ("channels_last", "channels_first"):
            raise ValueError(
                '`data_format` should be `"channels_last"` (channel after row and column) or '
                f'`"channels_first"` (channel before row and column). Received: {data_format}'
            )
        first = self.data_format == "channels_first"
        self.channel_axis, self.row_axis, self.col_axis = (1, 2, 3) if first else (3, 1, 2)
        if validation_split and not 0 < validation_split < 1:
            raise ValueError(
                "`validation_split` must be strictly between 0 and 1.  Received: "
                f"{validation_split}"
            )
        self._validation_split = validation_split
        self.mean: Any = None
        self.std: Any = None
        self.principal_components: Any = None
        self.zoom_range = _two_zooms(zoom_range)
        if brightness_range is not None and (
            not isinstance(brightness_range, (tuple, list)) or len(brightness_range) != 2
        ):
            raise ValueError(
                "`brightness_range should be tuple or list of two floats. Received: "
                f"{brightness_range}"
            )
        self.brightness_range = brightness_range
        self._settle()

    def _settle(self) -> None:
        """What one normalization asks of the others."""
        if self.zca_whitening:
            self._overridden("zca_whitening", "featurewise_center", True)
            self._overridden("zca_whitening", "featurewise_std_normalization", False)
        for kind in ("featurewise", "samplewise"):
            if getattr(self, f"{kind}_std_normalization"):
                self._overridden(f"{kind}_std_normalization", f"{kind}_center", True)

    def _overridden(self, by: str, name: str, value: bool) -> None:
        if getattr(self, name) != value:
            setattr(self, name, value)
            warnings.warn(
                f"This ImageDataGenerator specifies `{by}`, which overrides setting of `{name}`.",
                stacklevel=4,
            )

    def flow(
        self,
        x: Any,
        y: Any = None,
        batch_size: int = 32,
        shuffle: bool = True,
        sample_weight: Any = None,
        seed: int | None = None,
        save_to_dir: Any = None,
        save_prefix: str = "",
        save_format: str = "png",
        subset: str | None = None,
    ) -> NumpyArrayIterator:
        """Batches of images of an array; see `NumpyArrayIterator`."""
        return NumpyArrayIterator(
            x, y, self, batch_size, shuffle, sample_weight, seed, self.data_format, save_to_dir,
            save_prefix, save_format, subset, self.dtype,
        )  # fmt: skip

    def flow_from_directory(
        self,
        directory: Any,
        target_size: Any = (256, 256),
        color_mode: str = "rgb",
        classes: Any = None,
        class_mode: str | None = "categorical",
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int | None = None,
        save_to_dir: Any = None,
        save_prefix: str = "",
        save_format: str = "png",
        follow_links: bool = False,
        subset: str | None = None,
        interpolation: str = "nearest",
    ) -> DirectoryIterator:
        """Batches of images in folders; see `DirectoryIterator`."""
        return DirectoryIterator(
            directory, self, target_size, color_mode, classes, class_mode, batch_size, shuffle,
            seed, self.data_format, save_to_dir, save_prefix, save_format, follow_links, subset,
            interpolation, self.dtype,
        )  # fmt: skip

    def flow_from_dataframe(
        self,
        dataframe: Any,
        directory: Any = None,
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
        save_to_dir: Any = None,
        save_prefix: str = "",
        save_format: str = "png",
        subset: str | None = None,
        interpolation: str = "nearest",
        validate_filenames: bool = True,
        **kwargs: Any,
    ) -> DataFrameIterator:
        """Batches of images in a table; see `DataFrameIterator`. `kwargs` are former arguments."""
        return DataFrameIterator(
            dataframe, directory, self, x_col, y_col, weight_col, target_size, color_mode, classes,
            "raw" if class_mode == "other" else class_mode, batch_size, shuffle, seed,
            self.data_format, save_to_dir, save_prefix, save_format, subset, interpolation,
            self.dtype, validate_filenames,
        )  # fmt: skip

    def changed(self, x: Any) -> Any:
        """An image, changed at random and normalized."""
        return self.standardize(self.random_transform(x))

    def standardize(self, x: Any) -> Any:
        """Images, normalized; an array of floats is written to."""
        if self.preprocessing_function:
            x = self.preprocessing_function(x)
        if self.rescale:
            x *= self.rescale
        if self.samplewise_center:
            x -= np.mean(x, keepdims=True)
        if self.samplewise_std_normalization:
            x /= np.std(x, keepdims=True) + _SMALL
        if self.featurewise_center and self._is_fit("featurewise_center", self.mean):
            x -= self.mean
        if self.featurewise_std_normalization and self._is_fit(
            "featurewise_std_normalization", self.std
        ):
            x /= self.std + _SMALL
        if self.zca_whitening and self._is_fit("zca_whitening", self.principal_components):
            flat = np.reshape(x, (-1, np.prod(x.shape[-3:])))
            x = np.reshape(np.dot(flat, self.principal_components), x.shape)
        return x

    @staticmethod
    def _is_fit(name: str, found: Any) -> bool:
        if found is None:
            warnings.warn(
                f"This ImageDataGenerator specifies `{name}`, but it hasn't been fit on any "
                "training data. Fit it first by calling `.fit(numpy_data)`.",
                stacklevel=3,
            )
        return found is not None

    def get_random_transform(self, img_shape: Any, seed: int | None = None) -> dict[str, Any]:
        """Random numbers for the changes of an image of a shape."""
        if seed is not None:
            np.random.seed(seed)
        theta = _up_to(self.rotation_range)
        tx = _shift(self.height_shift_range, img_shape[self.row_axis - 1])
        ty = _shift(self.width_shift_range, img_shape[self.col_axis - 1])
        shear = _up_to(self.shear_range)
        zx, zy = two_factors(self.zoom_range)
        flips = [
            bool((np.random.random() < 0.5) * wanted)
            for wanted in (self.horizontal_flip, self.vertical_flip)
        ]
        shift = _up_to(self.channel_shift_range) if self.channel_shift_range else None
        brightness = None
        if self.brightness_range is not None:
            brightness = np.random.uniform(*self.brightness_range)
        return {
            "theta": theta,
            "tx": tx,
            "ty": ty,
            "shear": shear,
            "zx": zx,
            "zy": zy,
            "flip_horizontal": flips[0],
            "flip_vertical": flips[1],
            "channel_shift_intensity": shift,
            "brightness": brightness,
        }

    def apply_transform(self, x: Any, transform_parameters: dict[str, Any]) -> Any:
        """An image, changed by what `get_random_transform` gives, or by a part of it."""
        row, column, channel = (
            each - 1 for each in (self.row_axis, self.col_axis, self.channel_axis)
        )
        given = transform_parameters
        affine = {key: given[key] for key in _AFFINE if key in given}
        x = apply_affine_transform(
            x,
            **affine,
            row_axis=row,
            col_axis=column,
            channel_axis=channel,
            fill_mode=self.fill_mode,
            cval=self.cval,
            order=self.interpolation_order,
        )
        if given.get("channel_shift_intensity") is not None:
            x = apply_channel_shift(x, given["channel_shift_intensity"], channel)
        if given.get("flip_horizontal", False):
            x = np.flip(x, column)
        if given.get("flip_vertical", False):
            x = np.flip(x, row)
        if given.get("brightness") is not None:
            x = apply_brightness_shift(x, given["brightness"])
        return x

    def random_transform(self, x: Any, seed: int | None = None) -> Any:
        """An image, changed at random."""
        return self.apply_transform(x, self.get_random_transform(x.shape, seed))

    def fit(self, x: Any, augment: bool = False, rounds: int = 1, seed: int | None = None) -> None:
        """Finds what the normalization by all images needs.

        Args:
          x: Images, in an array of four dimensions.
          augment: Whether they are changed at random before.
          rounds: How often each is, then.
          seed: For numpy's random numbers.

        Raises:
          ValueError: The array has another number of dimensions.
        """
        x = np.array(x, dtype=self.dtype)
        if x.ndim != 4:
            raise ValueError(
                f"Input to `.fit()` should have rank 4. Got array with shape: {x.shape}"
            )
        warn_of_channels("Expected input to be images (as Numpy array) following", x.shape,
                         self.data_format)  # fmt: skip
        if seed is not None:
            np.random.seed(seed)
        if self.rescale:
            x *= self.rescale
        if augment:
            changed = [self.random_transform(each) for _ in range(rounds) for each in x]
            x = np.array(changed, dtype=self.dtype)
        shape = [1, 1, 1]
        shape[self.channel_axis - 1] = x.shape[self.channel_axis]
        over = (0, self.row_axis, self.col_axis)
        if self.featurewise_center:
            self.mean = np.reshape(np.mean(x, axis=over), shape)
            x -= self.mean
        if self.featurewise_std_normalization:
            self.std = np.reshape(np.std(x, axis=over), shape)
            x /= self.std + _SMALL
        if self.zca_whitening:
            flat = np.reshape(x, (x.shape[0], -1))
            svd = importlib.import_module("scipy.linalg").svd
            u, s, _ = svd(np.dot(flat.T, flat) / flat.shape[0])
            self.principal_components = (u / np.sqrt(s[None] + self.zca_epsilon)).dot(u.T)


_AFFINE = ("theta", "tx", "ty", "shear", "zx", "zy")


def _two_zooms(zoom_range: Any) -> list[Any]:
    if isinstance(zoom_range, (float, int)):
        return [1 - zoom_range, 1 + zoom_range]
    if len(zoom_range) == 2 and all(isinstance(each, (float, int)) for each in zoom_range):
        return list(zoom_range)
    raise ValueError(
        f"`zoom_range` should be a float or a tuple or list of two floats. Received: {zoom_range}"
    )


def _up_to(most: Any) -> Any:
    return np.random.uniform(-most, most) if most else 0


def _shift(most: Any, length: int) -> Any:
    """A shift of up to a number of pixels or a share of the length, or one of a list."""
    if np.ndim(most) == 0 and not most:
        return 0
    try:
        shift = np.random.choice(most) * np.random.choice([-1, 1])
    except ValueError:
        shift = np.random.uniform(-most, most)
    return shift * length if np.max(most) < 1 else shift
