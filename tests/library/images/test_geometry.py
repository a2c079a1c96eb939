"""Images turned round, cut, padded and resized, as in TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.library.images.both import (
    BATCH,
    IMAGE,
    assert_alike,
    assert_refused_alike,
    fed,
    known_in_part,
)

_IMAGES: dict[str, np.ndarray] = {"image": IMAGE, "batch": BATCH}
_TURNS = (
    "flip_left_right",
    "flip_up_down",
    "random_flip_left_right",
    "random_flip_up_down",
    "transpose",
)


def _number(tf: Any, value: int) -> Any:
    return fed(tf, np.int32(value), [])


@pytest.mark.parametrize("name", _IMAGES)
def test_turned(name: str) -> None:
    assert_alike(
        {
            f"{turn} {level}": lambda tf, t=turn, m=made: getattr(tf.image, t)(m(tf))
            for level, made in known_in_part(_IMAGES[name]).items()
            for turn in _TURNS
        }
    )


@pytest.mark.parametrize("name", _IMAGES)
def test_turned_by_quarters(name: str) -> None:
    assert_alike(
        {
            f"{quarters} {level}": lambda tf, k=quarters, m=made: tf.image.rot90(m(tf), k)
            for level, made in known_in_part(_IMAGES[name]).items()
            for quarters in ((1, 2, 3) if level == "rank" else (-1,))
        }
    )


@pytest.mark.parametrize("name", _IMAGES)
def test_middle(name: str) -> None:
    levels = known_in_part(_IMAGES[name])
    del levels["unknown"]
    for made in levels.values():
        assert_alike(
            {
                "half": lambda tf, m=made: tf.image.central_crop(m(tf), 0.5),
                "a third": lambda tf, m=made: tf.image.central_crop(m(tf), 0.33),
                "all": lambda tf, m=made: tf.image.central_crop(m(tf), 1.0),
                "fed": lambda tf, m=made: tf.image.central_crop(
                    m(tf), fed(tf, np.float32(0.6), [])
                ),
            }
        )


def _levels() -> list[Any]:
    """Images by what is known; one of unknown rank is taken for a single one."""
    batch = known_in_part(BATCH)
    return [*known_in_part(IMAGE).values(), batch["known"], batch["rank"]]


def test_cut_and_padded() -> None:
    for made in _levels():
        assert_alike(
            {
                "pad": lambda tf, m=made: tf.image.pad_to_bounding_box(m(tf), 2, 3, 20, 22),
                "pad by tensors": lambda tf, m=made: tf.image.pad_to_bounding_box(
                    m(tf), _number(tf, 2), 3, 20, _number(tf, 22)
                ),
                "cut": lambda tf, m=made: tf.image.crop_to_bounding_box(m(tf), 2, 3, 7, 8),
                "cut by tensors": lambda tf, m=made: tf.image.crop_to_bounding_box(
                    m(tf), 2, _number(tf, 3), _number(tf, 5), 8
                ),
            }
        )


@pytest.mark.parametrize("size", [(20, 20), (5, 6), (20, 5)])
def test_cut_or_padded(size: tuple[int, int]) -> None:
    for made in _levels():
        assert_alike(
            {
                "cut": lambda tf, m=made: tf.image.resize_image_with_crop_or_pad(m(tf), *size),
                "by a tensor": lambda tf, m=made: tf.image.resize_image_with_crop_or_pad(
                    m(tf), _number(tf, size[0]), size[1]
                ),
                "resized": lambda tf, m=made: tf.image.resize_image_with_pad(m(tf), *size),
            }
        )


def test_resized() -> None:
    ways = [(method, aligned) for method in range(4) for aligned in (False, True)]
    for image in _IMAGES.values():
        levels = known_in_part(image)
        del levels["unknown"]
        for made in levels.values():
            assert_alike(
                {
                    **{
                        str(way): lambda tf, m=made, w=way: tf.image.resize_images(
                            m(tf), (7, 9), w[0], align_corners=w[1]
                        )
                        for way in ways
                    },
                    "the same": lambda tf, m=made: tf.image.resize(m(tf), (12, 15)),
                    "fed": lambda tf, m=made: tf.image.resize_images(
                        m(tf), fed(tf, np.array([4, 5], np.int32), [2])
                    ),
                    "in proportion": lambda tf, m=made: tf.image.resize_images(
                        m(tf), [7, 9], tf.image.ResizeMethod.BICUBIC, preserve_aspect_ratio=True
                    ),
                }
            )


def test_random_crop() -> None:
    assert_alike(
        {
            **{
                level: lambda tf, m=made: tf.random_crop(m(tf), [4, 5, 3], seed=4)
                for level, made in known_in_part(IMAGE).items()
            },
            "image": lambda tf: tf.image.random_crop(BATCH, [2, 5, 6, 3]),
        }
    )


def test_refused() -> None:
    for refused in (
        lambda tf: tf.image.flip_left_right(np.zeros((2, 3), np.float32)),
        lambda tf: tf.image.flip_left_right(np.zeros((2, 3, 4, 5, 6), np.float32)),
        lambda tf: tf.image.transpose(np.zeros((2, 3, 4, 5, 6), np.float32)),
        lambda tf: tf.image.flip_up_down(np.zeros((2, 0, 4), np.float32)),
        lambda tf: tf.image.rot90(IMAGE, [1]),
        lambda tf: tf.image.central_crop(IMAGE, 1.5),
        lambda tf: tf.image.central_crop(fed(tf, IMAGE, None), 0.5),
        lambda tf: tf.image.pad_to_bounding_box(IMAGE, -1, 0, 20, 20),
        lambda tf: tf.image.pad_to_bounding_box(IMAGE, 0, 6, 20, 20),
        lambda tf: tf.image.pad_to_bounding_box(IMAGE[0], 0, 0, 20, 20),
        lambda tf: tf.image.pad_to_bounding_box(IMAGE, _number(tf, -1), 0, 20, 20),
        lambda tf: tf.image.crop_to_bounding_box(IMAGE, 0, 0, 0, 2),
        lambda tf: tf.image.crop_to_bounding_box(IMAGE, 8, 0, 5, 2),
        lambda tf: tf.image.resize_image_with_crop_or_pad(IMAGE, 0, 3),
        lambda tf: tf.image.resize_image_with_pad(IMAGE, 3, -1),
        lambda tf: tf.image.resize_images(fed(tf, IMAGE, None), (2, 3)),
        lambda tf: tf.image.resize_images(IMAGE[0], (2, 3)),
        lambda tf: tf.image.resize_images(IMAGE, (2, 3, 4)),
        lambda tf: tf.image.resize_images(IMAGE, "large"),
        lambda tf: tf.image.resize_images(IMAGE, (2, 3), 7),
        lambda tf: tf.random_crop(IMAGE, [13, 2, 3]),
    ):
        assert_refused_alike(refused)
