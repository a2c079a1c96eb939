"""Changes of one image: rotation, shift, shear, zoom, brightness, and random ones of these."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.keras.preprocessing.image.files import array_to_img, img_to_array, pillow


def apply_affine_transform(
    x: Any,
    theta: Any = 0,
    tx: Any = 0,
    ty: Any = 0,
    shear: Any = 0,
    zx: Any = 1,
    zy: Any = 1,
    row_axis: int = 0,
    col_axis: int = 1,
    channel_axis: int = 2,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    order: int = 1,
) -> Any:
    """An image, rotated, then shifted, sheared and zoomed around its middle.

    Args:
      x: An array of three dimensions.
      theta: The angle of the rotation in degrees.
      tx: The shift along the rows.
      ty: The shift along the columns.
      shear: The angle of the shear in degrees.
      zx: The zoom along the rows.
      zy: The zoom along the columns.
      row_axis: The dimension of the rows.
      col_axis: That of the columns.
      channel_axis: That of the channels.
      fill_mode: What is outside: "constant", "nearest", "reflect" or "wrap".
      cval: The value of "constant".
      order: The order of the interpolation, 0 to 5.
    """
    matrices = []
    if theta != 0:
        angle = np.deg2rad(theta)
        cos, sin = np.cos(angle), np.sin(angle)
        matrices.append([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])
    if tx != 0 or ty != 0:
        matrices.append([[1, 0, tx], [0, 1, ty], [0, 0, 1]])
    if shear != 0:
        angle = np.deg2rad(shear)
        matrices.append([[1, -np.sin(angle), 0], [0, np.cos(angle), 0], [0, 0, 1]])
    if zx != 1 or zy != 1:
        matrices.append([[zx, 0, 0], [0, zy, 0], [0, 0, 1]])
    if not matrices:
        return x
    middle = np.eye(3)
    middle[:2, 2] = x.shape[row_axis] / 2 + 0.5, x.shape[col_axis] / 2 + 0.5
    back = np.eye(3)
    back[:2, 2] = -middle[:2, 2]
    whole = np.linalg.multi_dot([middle, *map(np.array, matrices), back])
    transform = importlib.import_module("scipy.ndimage").affine_transform
    changed = [
        transform(
            channel, whole[:2, :2], offset=whole[:2, 2], order=order, mode=fill_mode, cval=cval
        )
        for channel in np.moveaxis(x, channel_axis, 0)
    ]
    return np.moveaxis(np.stack(changed), 0, channel_axis)


def _random(
    x: Any, channel_axis: int, fill_mode: str, cval: float, order: int, **kwargs: Any
) -> Any:
    return apply_affine_transform(
        x, channel_axis=channel_axis, fill_mode=fill_mode, cval=cval, order=order, **kwargs
    )


def random_rotation(
    x: Any,
    rg: float,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> Any:
    """An image, rotated by up to `rg` degrees; see `apply_affine_transform`."""
    theta = np.random.uniform(-rg, rg)
    return _random(x, channel_axis, fill_mode, cval, interpolation_order, theta=theta)


def random_shift(
    x: Any,
    wrg: float,
    hrg: float,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> Any:
    """An image, shifted by up to these shares of width and height."""
    tx = np.random.uniform(-hrg, hrg) * x.shape[row_axis]
    ty = np.random.uniform(-wrg, wrg) * x.shape[col_axis]
    return _random(x, channel_axis, fill_mode, cval, interpolation_order, tx=tx, ty=ty)


def random_shear(
    x: Any,
    intensity: float,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> Any:
    """An image, sheared by up to `intensity` degrees."""
    shear = np.random.uniform(-intensity, intensity)
    return _random(x, channel_axis, fill_mode, cval, interpolation_order, shear=shear)


def random_zoom(
    x: Any,
    zoom_range: Any,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> Any:
    """An image, zoomed by factors between two.

    Raises:
      ValueError: `zoom_range` is not two numbers.
    """
    if len(zoom_range) != 2:
        raise ValueError(
            f"`zoom_range` should be a tuple or list of two floats. Received: {zoom_range}"
        )
    zx, zy = _two_factors(zoom_range)
    return _random(x, channel_axis, fill_mode, cval, interpolation_order, zx=zx, zy=zy)


def _two_factors(zoom_range: Any) -> Any:
    if zoom_range[0] == 1 and zoom_range[1] == 1:
        return 1, 1
    return np.random.uniform(zoom_range[0], zoom_range[1], 2)


two_factors: Callable[[Any], Any] = _two_factors
"""Random zooms of rows and columns."""


def apply_channel_shift(x: Any, intensity: float, channel_axis: int = 0) -> Any:
    """An image with a number added, within the values that it has."""
    return np.clip(x + intensity, np.min(x), np.max(x))


def random_channel_shift(x: Any, intensity_range: float, channel_axis: int = 0) -> Any:
    """The same with a random number."""
    intensity = np.random.uniform(-intensity_range, intensity_range)
    return apply_channel_shift(x, intensity, channel_axis)


def apply_brightness_shift(x: Any, brightness: float) -> Any:
    """An image, this many times as bright; its values become 0 to 255."""
    image = array_to_img(x, "channels_last")
    return img_to_array(pillow("ImageEnhance").Brightness(image).enhance(brightness))


def random_brightness(x: Any, brightness_range: Any) -> Any:
    """The same with a random number.

    Raises:
      ValueError: `brightness_range` is not two numbers.
    """
    if len(brightness_range) != 2:
        raise ValueError(
            f"`brightness_range should be tuple or list of two floats. Received: {brightness_range}"
        )
    return apply_brightness_shift(x, np.random.uniform(*brightness_range))
