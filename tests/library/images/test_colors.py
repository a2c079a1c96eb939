"""Colors, brightness and element types of images, as in TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.library.images.both import (
    BATCH,
    BYTES,
    IMAGE,
    Build,
    assert_alike,
    assert_refused_alike,
    fed,
    known_in_part,
)

_IMAGES: dict[str, np.ndarray] = {"floats": IMAGE, "bytes": BYTES, "batch": BATCH}
_ADJUSTMENTS: dict[str, Any] = {
    "adjust_brightness": (0.3,),
    "adjust_contrast": (1.3,),
    "adjust_gamma": (1.3, 0.9),
    "adjust_hue": (-0.3,),
    "adjust_saturation": (1.7,),
    "random_brightness": (0.3, 1),
    "random_contrast": (0.3, 1.2, 1),
    "random_hue": (0.3, 1),
    "random_saturation": (0.3, 2.0, 1),
    "per_image_standardization": (),
    "rgb_to_grayscale": (),
}


def _made(image: np.ndarray) -> Build:
    return known_in_part(image)["rank"]


@pytest.mark.parametrize("name", _IMAGES)
def test_adjusted(name: str) -> None:
    assert_alike(
        {
            f"{function} {level}": lambda tf, f=function, m=made, a=arguments: getattr(tf.image, f)(
                m(tf), *a
            )
            for function, arguments in _ADJUSTMENTS.items()
            for level, made in known_in_part(_IMAGES[name]).items()
            if level != "unknown" or name == "bytes"
        }
    )


def test_adjusted_by_tensors() -> None:
    assert_alike(
        {
            function: lambda tf, f=function: getattr(tf.image, f)(IMAGE, tf.constant(0.4))
            for function in ("adjust_brightness", "adjust_gamma", "adjust_hue")
        }
    )


@pytest.mark.parametrize("name", _IMAGES)
def test_converted(name: str) -> None:
    types = ("uint8", "uint16", "int16", "float32", "float16", "int32")
    assert_alike(
        {
            f"{dtype} {saturates}": lambda tf, d=dtype, s=saturates: tf.image.convert_image_dtype(
                _made(_IMAGES[name] * (2 if name == "floats" else 1))(tf), d, saturate=s
            )
            for dtype in types
            for saturates in (True, False)
            if saturates or name == "bytes" or dtype.startswith("float")
        }
    )


def test_color_spaces() -> None:
    functions = ("rgb_to_yiq", "yiq_to_rgb", "rgb_to_yuv", "yuv_to_rgb", "rgb_to_hsv", "hsv_to_rgb")
    assert_alike({f: lambda tf, f=f: getattr(tf.image, f)(_made(IMAGE)(tf)) for f in functions})


def test_gray_as_rgb() -> None:
    for made in known_in_part(IMAGE[..., :1]).values():
        assert_alike({"gray": lambda tf, m=made: tf.image.grayscale_to_rgb(m(tf))})


def test_quality() -> None:
    def image(tf: Any) -> Any:
        return fed(tf, BYTES, [None, None, 3])

    assert_alike(
        {
            "fixed": lambda tf: tf.image.adjust_jpeg_quality(image(tf), 60),
            "floats": lambda tf: tf.image.adjust_jpeg_quality(IMAGE, 60, "INTEGER_ACCURATE"),
            "drawn": lambda tf: tf.image.random_jpeg_quality(image(tf), 40, 90, seed=2),
        }
    )


def test_refused() -> None:
    for refused in (
        lambda tf: tf.image.random_brightness(IMAGE, -1.0),
        lambda tf: tf.image.random_contrast(IMAGE, 2.0, 1.0),
        lambda tf: tf.image.random_contrast(IMAGE, -1.0, 1.0),
        lambda tf: tf.image.random_hue(IMAGE, 0.6),
        lambda tf: tf.image.random_hue(IMAGE, -0.1),
        lambda tf: tf.image.random_saturation(IMAGE, 1.0, 1.0),
        lambda tf: tf.image.random_jpeg_quality(BYTES, 10, 101),
        lambda tf: tf.image.random_jpeg_quality(BYTES, 10, 10),
        lambda tf: tf.image.adjust_gamma(IMAGE, -1),
        lambda tf: tf.image.adjust_gamma(IMAGE, tf.constant(-1.0)),
        lambda tf: tf.image.convert_image_dtype(IMAGE, tf.string),
        lambda tf: tf.image.convert_image_dtype(np.zeros(3, bool), tf.float32),
        lambda tf: tf.image.grayscale_to_rgb(tf.constant(IMAGE)),
        lambda tf: tf.image.grayscale_to_rgb(fed(tf, IMAGE, None)),
        lambda tf: tf.image.per_image_standardization(IMAGE[0]),
    ):
        assert_refused_alike(refused)
