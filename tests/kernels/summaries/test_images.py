"""Images of summaries: pixel by pixel those that TensorFlow shows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.oracle import open_session

PIXEL_TYPES = ("uint8", "float16", "float32", "float64")


def _batches(dtype: str) -> list[np.ndarray]:
    random = np.random.default_rng(5)
    if dtype == "uint8":
        return [random.integers(0, 256, [2, 5, 7, depth], np.uint8) for depth in (1, 3, 4)]
    normal = random.normal(size=[4, 6, 9, 3])
    holes = normal[..., :1].copy()
    holes[0, 2], holes[1, :, 3], holes[2, 1, 1] = np.nan, np.inf, -np.inf
    holes[3] = np.nan
    tiny = np.stack([np.full([2, 2, 4], size) for size in (0.0, 1e-7, -1e-7, 2e-6)])
    large = random.uniform(0, 60000, [2, 40, 50, 1])
    return [each.astype(dtype) for each in (normal, abs(normal), holes, tiny, large, -large)]


def _shown(library: Any, batch: np.ndarray, options: dict[str, Any]) -> Any:
    """The summary, and its images as arrays."""
    with library.Graph().as_default(), open_session(library) as session:
        data = session.run(library.raw_ops.ImageSummary(tag="a", tensor=batch, **options))
    summary = library.Summary.FromString(data)
    with oracle.Graph().as_default(), open_session(oracle) as session:
        files = [value.image.encoded_image_string for value in summary.value]
        images = session.run([oracle.io.decode_png(file) for file in files])
    for value in summary.value:
        value.image.ClearField("encoded_image_string")
    return str(summary), images


@pytest.mark.parametrize("dtype", PIXEL_TYPES)
def test_pixels(dtype: str) -> None:
    for batch in _batches(dtype):
        for options in ({"max_images": 4}, {"max_images": 1}, {}):
            (ours, images), (theirs, expected) = (
                _shown(library, batch, options) for library in (tf, oracle)
            )
            assert ours == theirs
            for have, want in zip(images, expected, strict=True):
                np.testing.assert_array_equal(have, want)


def test_the_color_of_what_is_no_number() -> None:
    batch = np.ones([1, 2, 3, 3], np.float32)
    batch[0, 1, 1, 2] = np.nan
    for color in ([1, 2, 3], [9, 8, 7, 6, 5]):
        shown = [
            _shown(library, batch, {"bad_color": library.make_tensor_proto(np.uint8(color))})
            for library in (tf, oracle)
        ]
        assert shown[0][0] == shown[1][0]
        np.testing.assert_array_equal(shown[0][1], shown[1][1])
        assert list(shown[0][1][0][1, 1]) == color[:3]
