"""Small files of images, made by Pillow."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from PIL import Image

_RANDOM = np.random.default_rng(0)
_NOISE = _RANDOM.integers(0, 256, (21, 27, 3)).astype(np.uint8)
_RAMPS = np.stack(np.meshgrid(np.arange(27) * 9, np.arange(21) * 12), -1).astype(np.uint8)
PIXELS = np.concatenate((_RAMPS, _RAMPS[..., :1] // 2 + _NOISE[..., :1] // 4), -1)
"""An image with smooth and with rough parts."""
GRAY = np.ascontiguousarray(PIXELS[..., 2])
_COLORS = Image.fromarray(PIXELS)
_RGBA = Image.fromarray(np.dstack((PIXELS, _NOISE[..., 0])), "RGBA")


def saved(image: Any, kind: str, **options: Any) -> bytes:
    """The file of an image."""
    file = io.BytesIO()
    made = Image.fromarray(image) if isinstance(image, np.ndarray) else image
    made.save(file, kind, **options)
    return file.getvalue()


def _frames(**options: Any) -> bytes:
    images = [Image.fromarray(np.roll(PIXELS, 3 * n, 1)).quantize(16) for n in range(3)]
    return saved(images[0], "GIF", save_all=True, append_images=images[1:], **options)


def _without_adobe(file: bytes) -> bytes:
    """A JPEG file that does not say that Adobe has written it, whose colors are not inverted."""
    start = file.index(b"\xff\xee")
    return file[:start] + file[start + 2 + int.from_bytes(file[start + 2 : start + 4], "big") :]


JPEGS: dict[str, bytes] = {
    **{f"subsampled {n}": saved(PIXELS, "JPEG", subsampling=n) for n in range(3)},
    "gray": saved(GRAY, "JPEG"),
    "progressive": saved(PIXELS, "JPEG", progressive=True, quality=60),
    "cmyk": saved(_COLORS.convert("CMYK"), "JPEG"),
    "cmyk of others": _without_adobe(saved(_COLORS.convert("CMYK"), "JPEG")),
    "rgb": saved(PIXELS, "JPEG", keep_rgb=True),
    "pixel": saved(PIXELS[:1, :1], "JPEG"),
}
PNGS: dict[str, bytes] = {
    "rgb": saved(PIXELS, "PNG"),
    "gray": saved(GRAY, "PNG"),
    "bits": saved(Image.fromarray(GRAY).convert("1"), "PNG"),
    "gray with alpha": saved(_RGBA.convert("LA"), "PNG"),
    "rgba": saved(_RGBA, "PNG"),
    **{f"palette of {n}": saved(_COLORS.quantize(n), "PNG") for n in (2, 4, 16, 200)},
    "palette with a hole": saved(_COLORS.quantize(16), "PNG", transparency=3),
    "palette with alpha": saved(_COLORS.quantize(4), "PNG", transparency=bytes((0, 90))),
    "a transparent color": saved(PIXELS, "PNG", transparency=tuple(map(int, PIXELS[2, 3]))),
    "a transparent gray": saved(GRAY, "PNG", transparency=int(GRAY[0, 0])),
    "wide gray": saved(GRAY.astype(np.uint16) * 201, "PNG"),
}
GIFS: dict[str, bytes] = {
    "gray": saved(GRAY, "GIF"),
    "interlaced": saved(_COLORS.quantize(16), "GIF", interlace=1),
    "plain": saved(_COLORS.quantize(16), "GIF", interlace=0),
    "frames": _frames(),
    **{f"disposed {n}": _frames(disposal=n, transparency=5, optimize=False) for n in (1, 2, 3)},
}
BMPS: dict[str, bytes] = {
    "rgb": saved(PIXELS, "BMP"),
    "rgba": saved(_RGBA, "BMP"),
    "gray": saved(GRAY, "BMP"),
    "narrow": saved(PIXELS[:5, :5], "BMP"),
}
