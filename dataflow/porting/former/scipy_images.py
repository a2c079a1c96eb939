"""scipy.misc as scipy 1.0 had it: images by pillow, and functions that moved to scipy.special."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import comb as comb
from scipy.special import factorial as factorial
from scipy.special import factorial2 as factorial2
from scipy.special import factorialk as factorialk
from scipy.special import logsumexp as logsumexp

try:
    from PIL import Image
except ImportError as error:
    raise ImportError(
        "scipy.misc reads and scales images with pillow, which is not installed: "
        "pip install 'dataflow-ray[images]'"
    ) from error

_METHODS = {"nearest": 0, "lanczos": 1, "bilinear": 2, "bicubic": 3, "cubic": 3}


def bytescale(
    data: Any, cmin: Any = None, cmax: Any = None, high: int = 255, low: int = 0
) -> np.ndarray[Any, Any]:
    """Numbers as bytes: `cmin` becomes `low`, `cmax` becomes `high`; bytes stay as they are.

    Args:
      data: An array of real numbers.
      cmin: Its least if None.
      cmax: Its greatest if None.
      high: At most 255.
      low: At least 0.

    Raises:
      ValueError: `high` and `low`, or `cmax` and `cmin`, are not in order or out of range.
    """
    numbers: np.ndarray[Any, Any] = np.asarray(data)
    if numbers.dtype == np.uint8:
        return numbers
    if not 0 <= low <= high <= 255:
        raise ValueError(f"0 <= low <= high <= 255 must hold, not low={low} and high={high}.")
    least = numbers.min() if cmin is None else cmin
    most = numbers.max() if cmax is None else cmax
    if most < least:
        raise ValueError(f"`cmax` should be larger than `cmin`, not {most} and {least}.")
    scale = float(high - low) / (float(most) - float(least) or 1.0)
    scaled: np.ndarray[Any, Any] = (numbers - least) * scale + low
    return (scaled.clip(low, high) + 0.5).astype(np.uint8)


def toimage(
    arr: Any,
    high: int = 255,
    low: int = 0,
    cmin: Any = None,
    cmax: Any = None,
    pal: Any = None,
    mode: str | None = None,
    channel_axis: int | None = None,
) -> Any:
    """A pillow image of an array of two dimensions, or three of which one is 3 or 4 channels.

    Args:
      arr: The array; numbers are scaled to bytes as `bytescale` does.
      high: See `bytescale`.
      low: See `bytescale`.
      cmin: See `bytescale`.
      cmax: See `bytescale`.
      pal: A palette, [256, 3] bytes, for an array of two dimensions.
      mode: Pillow's mode; "F" and "I" keep numbers.
      channel_axis: Which axis has the channels: the first that can if None.

    Raises:
      ValueError: It is complex, or of another shape.
    """
    data = np.asarray(arr)
    if np.iscomplexobj(data):
        raise ValueError("Cannot convert a complex-valued array.")
    if data.ndim == 2:
        return _plane(data, high, low, cmin, cmax, pal, mode)
    axes = [data.shape.index(count) for count in (3, 4) if count in data.shape]
    axis = channel_axis if channel_axis is not None or not axes else axes[0]
    if data.ndim != 3 or axis is None or data.shape[axis] not in (3, 4):
        raise ValueError(
            f"'arr' does not have a suitable array shape for any mode: {data.shape}, "
            f"channel_axis={channel_axis}"
        )
    data = np.moveaxis(bytescale(data, cmin, cmax, high, low), axis, 2)
    modes = ("RGB", "YCbCr") if data.shape[2] == 3 else ("RGBA", "CMYK")
    if mode not in (None, *modes):
        raise ValueError(f"An image of {data.shape[2]} channels is {modes}, not {mode!r}.")
    return Image.frombytes(mode or modes[0], data.shape[1::-1], data.tobytes())


def fromimage(im: Any, flatten: bool = False, mode: str | None = None) -> np.ndarray[Any, Any]:
    """The array of a pillow image: [height, width] or [height, width, channels].

    Args:
      im: The image.
      flatten: Whether it becomes one of float32 grey values.
      mode: Pillow's mode that it is converted to before.
    """
    if not isinstance(im, Image.Image):
        raise TypeError("Input is not a PIL image.")
    if mode is not None:
        im = im.convert(mode)
    elif im.mode == "P":
        im = im.convert("RGBA" if "transparency" in im.info else "RGB")
    if flatten:
        im = im.convert("F")
    elif im.mode == "1":
        im = im.convert("L")
    return np.array(im)


def imread(name: Any, flatten: bool = False, mode: str | None = None) -> np.ndarray[Any, Any]:
    """The array of an image file.

    Args:
      name: Its name, or an open file.
      flatten: See `fromimage`.
      mode: See `fromimage`.
    """
    with Image.open(name) as image:
        return fromimage(image, flatten, mode)


def imsave(name: Any, arr: Any, format: str | None = None) -> None:
    """Writes an array as an image file, scaled as `toimage` does.

    Args:
      name: Its name, whose ending says the format, or an open file.
      arr: The array; channels are its last axis.
      format: The format.
    """
    image = toimage(arr, channel_axis=2 if np.ndim(arr) == 3 else None)
    image.save(name, *([] if format is None else [format]))


def imresize(
    arr: Any, size: Any, interp: str = "bilinear", mode: str | None = None
) -> np.ndarray[Any, Any]:
    """An image of another size, as bytes.

    Args:
      arr: The image.
      size: Per cent as an integer, a fraction as a float, or (height, width).
      interp: "nearest", "lanczos", "bilinear", "bicubic" or "cubic".
      mode: Pillow's mode to work in.
    """
    image = toimage(arr, mode=mode)
    if np.ndim(size):
        wanted = (int(size[1]), int(size[0]))
    else:
        share = size / 100.0 if np.issubdtype(type(size), np.integer) else size
        wanted = tuple((np.array(image.size) * share).astype(int).tolist())
    return fromimage(image.resize(wanted, resample=_METHODS[interp]))


def imrotate(arr: Any, angle: float, interp: str = "bilinear") -> np.ndarray[Any, Any]:
    """An image turned counter-clockwise about its middle, as bytes.

    Args:
      arr: The image.
      angle: In degrees.
      interp: See `imresize`; pillow turns by the first, third and fourth of them.
    """
    return fromimage(toimage(arr).rotate(angle, resample=_METHODS[interp]))


def _plane(
    data: np.ndarray[Any, Any],
    high: int,
    low: int,
    cmin: Any,
    cmax: Any,
    pal: Any,
    mode: str | None,
) -> Any:
    if mode == "F":
        return Image.fromarray(data.astype(np.float32))
    if mode == "1":
        return Image.fromarray(data > high)
    if mode == "I":
        least = data.min() if cmin is None else cmin
        most = data.max() if cmax is None else cmax
        scaled = (data * 1.0 - least) * (high - low) / (most - least) + low
        return Image.fromarray(scaled.astype(np.int32))
    if mode not in (None, "L", "P"):
        raise ValueError(f"A plane is an image of mode L, P, I, F or 1, not {mode!r}.")
    image = Image.fromarray(bytescale(data, cmin, cmax, high, low))
    if mode == "P" and pal is None:
        pal = np.repeat(np.arange(256), 3)
    if pal is not None:
        image.putpalette(np.asarray(pal, np.uint8).tobytes())
    return image


def __getattr__(name: str) -> Any:
    raise AttributeError(
        f"scipy.misc.{name} is not here: of scipy.misc there are images (imread, imsave, imresize, "
        "imrotate, toimage, fromimage, bytescale), comb, factorial and logsumexp."
    )
