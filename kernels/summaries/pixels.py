"""Images of floats as bytes: scaled so that the largest pixel is white."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

_ZERO: Final = np.float32(1e-6)
"""An image whose pixels are all smaller is black, and not noise made visible."""


def as_bytes(image: np.ndarray, bad_color: np.ndarray) -> np.ndarray:
    """An image of floats as one of bytes.

    Without negative values zero is black and the largest value 255. With them zero is 128, and
    the largest magnitude 127 away from it.

    Args:
      image: Floats, of shape (height, width, channels).
      bad_color: What stands for a pixel of which a channel is infinite or no number.
    """
    finite = np.isfinite(image).all(axis=-1)
    scale, offset = _transform(image[finite].astype(np.float32), image.dtype.type)
    result = np.empty(image.shape, np.uint8)
    result[finite] = (image[finite] * scale + offset).astype(np.uint8)
    result[~finite] = bad_color[: image.shape[-1]]
    return result


def _transform(values: np.ndarray, element: Any) -> tuple[Any, Any]:
    """The scale and the offset, as numbers of the image's type."""
    if not values.size:
        return element(0), element(0)
    least, most = values.min(), values.max()
    largest = max(abs(least), abs(most)) if least < 0 else most
    reach, offset = (127, 128) if least < 0 else (255, 0)
    scale = np.float32(0) if largest < _ZERO else np.float32(reach) / largest
    return element(scale), element(offset)
