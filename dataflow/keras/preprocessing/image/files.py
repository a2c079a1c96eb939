"""Images of files as images of Pillow and as arrays."""

from __future__ import annotations

import importlib
import io
import os
import warnings
from typing import Any

import numpy as np

from dataflow.keras import backend as K

ENDINGS = ("png", "jpg", "jpeg", "bmp", "ppm", "tif", "tiff")
"""Of names of files that are taken for images."""
_RESAMPLING = ("nearest", "bilinear", "bicubic", "hamming", "box", "lanczos")
_MODES = {"grayscale": ("L", "I;16", "I"), "rgba": ("RGBA",), "rgb": ("RGB",)}


def pillow(module: str) -> Any:
    """A module of Pillow.

    Raises:
      ImportError: It is not installed.
    """
    try:
        return importlib.import_module(f"PIL.{module}")
    except ImportError:
        raise ImportError(
            "Files of images need Pillow: pip install 'dataflow-ray[images]'"
        ) from None


def checked_format(data_format: str | None) -> str:
    """The order of dimensions that is given, or that of the backend.

    Raises:
      ValueError: There is no such order.
    """
    data_format = data_format or K.image_data_format()
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"Invalid data_format: {data_format}")
    return data_format


def load_img(
    path: Any,
    grayscale: bool = False,
    color_mode: str = "rgb",
    target_size: Any = None,
    interpolation: str = "nearest",
) -> Any:
    """The image of a file.

    Args:
      path: Name of the file.
      grayscale: The same as `color_mode="grayscale"`.
      color_mode: "grayscale", "rgb" or "rgba".
      target_size: (height, width), or None for those of the file.
      interpolation: How the size is changed: "nearest", "bilinear", "bicubic", "hamming", "box" or
        "lanczos".

    Raises:
      ValueError: There is no such mode or interpolation.
    """
    if grayscale:
        warnings.warn('grayscale is deprecated. Please use color_mode = "grayscale"', stacklevel=2)
        color_mode = "grayscale"
    if color_mode not in _MODES:
        raise ValueError('color_mode must be "grayscale", "rgb", or "rgba"')
    images = pillow("Image")
    with open(path, "rb") as file:
        image = images.open(io.BytesIO(file.read()))
    if image.mode not in _MODES[color_mode]:
        image = image.convert(_MODES[color_mode][0])
    if target_size is None or image.size == (target_size[1], target_size[0]):
        return image
    if interpolation not in _RESAMPLING:
        raise ValueError(
            f"Invalid interpolation method {interpolation} specified. Supported methods are "
            f"{', '.join(_RESAMPLING)}"
        )
    how = getattr(images.Resampling, interpolation.upper())
    return image.resize((target_size[1], target_size[0]), how)


def img_to_array(img: Any, data_format: str | None = None, dtype: Any = None) -> Any:
    """An image of Pillow as an array with a dimension for the channels.

    Raises:
      ValueError: It has another number of dimensions, or there is no such format.
    """
    data_format = checked_format(data_format)
    x = np.array(img, dtype=dtype or K.floatx())
    if x.ndim == 2:
        x = x[:, :, None]
    if x.ndim != 3:
        raise ValueError(f"Unsupported image shape: {x.shape}")
    return x.transpose(2, 0, 1) if data_format == "channels_first" else x


def array_to_img(
    x: Any, data_format: str | None = None, scale: bool = True, dtype: Any = None
) -> Any:
    """An array as an image of Pillow.

    Args:
      x: Of three dimensions, with 1, 3 or 4 channels.
      data_format: "channels_last" or "channels_first"; that of the backend if None.
      scale: Whether the smallest value becomes 0 and the largest 255.
      dtype: In which it is scaled; the backend's type of floats if None.

    Raises:
      ValueError: It has another shape, or there is no such format.
    """
    data_format = checked_format(data_format)
    x = np.asarray(x, dtype=dtype or K.floatx())
    if x.ndim != 3:
        raise ValueError(
            f"Expected image array to have rank 3 (single image). Got array with shape: {x.shape}"
        )
    if data_format == "channels_first":
        x = x.transpose(1, 2, 0)
    channels = x.shape[2]
    if channels not in (1, 3, 4):
        raise ValueError(f"Unsupported channel number: {channels}")
    if scale:
        x = x - np.min(x)
        largest = np.max(x)
        if largest != 0:
            x /= largest
        x *= 255
    if channels > 1:
        return pillow("Image").fromarray(x.astype("uint8"))
    return pillow("Image").fromarray(x[:, :, 0].astype("int32" if np.max(x) > 255 else "uint8"))


def save_img(
    path: Any,
    x: Any,
    data_format: str | None = None,
    file_format: str | None = None,
    scale: bool = True,
    **kwargs: Any,
) -> None:
    """Writes an array into a file of an image; `kwargs` go to Pillow."""
    image = array_to_img(x, data_format, scale)
    if image.mode == "RGBA" and file_format in ("jpg", "jpeg"):
        warnings.warn(
            "The JPG format does not support RGBA images, converting to RGB.", stacklevel=2
        )
        image = image.convert("RGB")
    image.save(path, format=file_format, **kwargs)


def images_below(folder: str, follow_links: bool) -> list[str]:
    """Names of the files below a folder that are taken for images, in the order of their names."""
    found = []
    for root, _, names in sorted(os.walk(folder, followlinks=follow_links)):
        found += [os.path.join(root, name) for name in sorted(names) if is_image(name)]
    return found


def is_image(name: str) -> bool:
    """Whether a file of this name is taken for an image."""
    return name.lower().endswith(ENDINGS)
