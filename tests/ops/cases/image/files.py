"""Rows for files of images; tests/kernels/images/ reads more of them."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from tests.ops.case import Bad, Case, Values
from tests.ops.cases.image.image_files import BMPS, GIFS, JPEGS, PIXELS, PNGS

_ANY = ("uint8",)
"""No input has the element type under test."""
_JPEG, _PNG, _GIF, _BMP = (
    kind[name]
    for kind, name in ((JPEGS, "subsampled 2"), (PNGS, "rgb"), (GIFS, "frames"), (BMPS, "rgb"))
)


def _webp(*frames: Any, **how: Any) -> bytes:
    from PIL import Image

    first, *others = map(Image.fromarray, frames)
    made = io.BytesIO()
    more = {"save_all": True, "append_images": others} if others else {}
    first.save(made, "WEBP", exact=True, **more, **how)
    return made.getvalue()


_PIXELS_OF_WEBP = np.random.default_rng(3).integers(0, 256, (2, 11, 13, 4)).astype(np.uint8)
_WEBP = {
    "lossy": _webp(_PIXELS_OF_WEBP[0, ..., :3]),
    "alpha": _webp(_PIXELS_OF_WEBP[0], lossless=True),
    # TensorFlow garbles frames that have no alpha, and writes behind their memory.
    "frames": _webp(*_PIXELS_OF_WEBP, lossless=True),
}


def _file(data: bytes) -> Any:
    return np.array(data, object)


def _contents(data: bytes, *more: Any) -> Any:
    return lambda v: [_file(data), *more]


_DAMAGED = (
    Bad(_contents(b""), "Input is empty"),
    Bad(_contents(b"no image"), "Unknown image file format"),
    Bad(_contents(_JPEG[:700]), "Invalid JPEG data or crop window"),
    Bad(_contents(_PNG[:90]), "Invalid PNG data, size 90"),
    Bad(_contents(_PNG[:20]), "Invalid PNG. Failed to initialize decoder"),
    Bad(lambda v: [_file(_JPEG)[None]], "must be rank 0 but is rank 1", when="build"),
    Bad(lambda v: [_file(_JPEG)[None]], r"`contents` must be scalar", when="run"),
)
_CHANNELS = (
    Bad(_contents(_PNG), "`channels` must be 0, 1, 3 or 4 but got 2", {"channels": 2}),
    Bad(_contents(_PNG), "channels must be non-negative, got -1", {"channels": -1}),
)
_WINDOW = np.array([2, 3, 10, 12], np.int32)
_READING = [
    *(
        Case(
            "DecodeJpeg",
            _contents(_JPEG),
            _ANY,
            attrs=attrs,
            bad=(
                *_DAMAGED,
                *_CHANNELS,
                Bad(_contents(_BMP), "Op used: DecodeJpeg"),
                Bad(_contents(_JPEG), "ratio must be 1, 2, 4, or 8, got 3", {"ratio": 3}),
                Bad(_contents(_JPEG), "dct_method must be one of", {"dct_method": "slow"}),
                Bad(_contents(_JPEG), "JPEG does not support 4 channels", {"channels": 4}),
            )
            if not attrs
            else (),
            label=" ".join(f"{key}={value}" for key, value in attrs.items()),
        )
        for attrs in (
            {},
            {"channels": 1, "ratio": 2},
            {"fancy_upscaling": False, "dct_method": "INTEGER_ACCURATE"},
        )
    ),
    *(
        Case("DecodePng", _contents(_PNG), _ANY, attrs=attrs, label=str(attrs), bad=_CHANNELS)
        for attrs in ({}, {"channels": 4, "dtype": np.uint16})
    ),
    Case("DecodeGif", _contents(_GIF), _ANY, bad=_DAMAGED[:2]),
    *(
        Case(
            "DecodeWebP",
            _contents(data),
            _ANY,
            label=name,
            bad=(
                Bad(_contents(b""), "Input is empty", when="run"),
                Bad(_contents(b"no image"), "Unknown image file format", when="run"),
                Bad(_contents(data[:30]), "Failed to decode WebP image", when="run"),
                Bad(_contents(data), "does not match input", {"channels": 4}, when="run"),
            )
            if name == "lossy"
            else (),
        )
        for name, data in _WEBP.items()
    ),
    Case(
        "DecodeBmp",
        _contents(_BMP),
        _ANY,
        bad=(
            Bad(_contents(_JPEG), "Trying to decode JPEG format using DecodeBmp op"),
            Bad(_contents(_BMP[:20]), "Incomplete bmp content"),
            Bad(_contents(_BMP[:-9]), "but they differ by -9"),
            Bad(_contents(_BMP), "must be 0, 3 or 4 for BMP, but got 1", {"channels": 1}),
        ),
    ),
    *(
        Case(
            "DecodeImage",
            _contents(data),
            _ANY,
            attrs={"expand_animations": animated, "dtype": np.float32},
            label=f"{name} {animated}",
            bad=(*_DAMAGED, *_CHANNELS) if name == "jpeg" and animated else (),
        )
        for name, data in (("jpeg", _JPEG), ("png", _PNG), ("gif", _GIF), ("bmp", _BMP))
        for animated in (True, False)
    ),
    *(
        Case(
            "DecodeAndCropJpeg",
            _contents(_JPEG, _WINDOW),
            _ANY,
            static=static,
            label=str(static),
            bad=(
                Bad(_contents(_JPEG, _WINDOW + 9), "Invalid JPEG data or crop window"),
                Bad(_contents(_JPEG, _WINDOW[:3]), "Dimension must be 4 but is 3", when="build"),
                Bad(_contents(_JPEG, _WINDOW[:3]), "must have four elements", when="run"),
                Bad(_contents(_JPEG, _WINDOW[None]), "crop_window must be 1-D", when="run"),
            ),
        )
        for static in ((), (1,))
    ),
    *(
        Case(
            "ExtractJpegShape",
            _contents(JPEGS[name]),
            _ANY,
            attrs={"output_type": kind},
            label=name,
            bad=(Bad(_contents(_PNG), "Invalid JPEG data, size"),),
        )
        for name, kind in (("gray", np.int32), ("cmyk", np.int64), ("progressive", np.int32))
    ),
]


def _pixels(v: Values, channels: int = 3) -> Any:
    return np.ascontiguousarray(PIXELS[..., :channels])


_OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"quality": 30, "chroma_downsampling": False},
    {"progressive": True, "xmp_metadata": "said of it"},
    {"optimize_size": True, "density_unit": "cm", "x_density": 7, "y_density": 100},
    {"quality": 0, "format": "rgb"},
)
_WRITING = [
    *(
        Case(
            "EncodeJpeg",
            lambda v: [_pixels(v)],
            _ANY,
            attrs=attrs,
            label=str(attrs),
            bad=(
                Bad(lambda v: [_pixels(v)[0]], "image must be 3-dimensional", when="run"),
                Bad(lambda v: [_pixels(v, 2)], "image must have 1 or 3 channels"),
                Bad(lambda v: [_pixels(v)], r"quality must be in \[0,100\]", {"quality": 101}),
                Bad(lambda v: [_pixels(v)], "expects 1 channels", {"format": "grayscale"}),
                Bad(lambda v: [_pixels(v)[:0]], "JPEG encoding failed"),
            )
            if not attrs
            else (),
        )
        for attrs in _OPTIONS
    ),
    Case("EncodeJpeg", lambda v: [_pixels(v, 1)], _ANY, label="gray"),
    Case(
        "EncodeJpegVariableQuality",
        lambda v: [_pixels(v), np.array(70, np.int32)],
        _ANY,
        bad=(
            Bad(lambda v: [_pixels(v), np.array(-1, np.int32)], "quality must be in"),
            Bad(lambda v: [_pixels(v), np.array([1], np.int32)], "must be scalar", when="run"),
        ),
    ),
]
CASES = [*_READING, *_WRITING]
