"""How images differ, and boxes that overlap, as in TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow
from tests.library.images.both import (
    BATCH,
    BYTES,
    IMAGE,
    assert_alike,
    assert_refused_alike,
    fed,
    known_in_part,
)

_RANDOM = np.random.default_rng(2)
_FIRST = _RANDOM.random((2, 180, 190, 3)).astype(np.float32)
_SECOND = np.clip(_FIRST + _RANDOM.random(_FIRST.shape) / 5, 0, 1).astype(np.float32)
_LOW = _RANDOM.random((50, 2))
_BOXES = np.concatenate((_LOW, _LOW + _RANDOM.random((50, 2)) / 3), 1).astype(np.float32)
_SCORES = _RANDOM.random(50).astype(np.float32)


def test_differences() -> None:
    for made in (known_in_part(BATCH)["known"], known_in_part(BATCH)["rank"]):
        assert_alike(
            {
                "variation": lambda tf, m=made: tf.image.total_variation(m(tf)),
                "gradients": lambda tf, m=made: tf.image.image_gradients(m(tf)),
            }
        )
    assert_alike(
        {
            "of one": lambda tf: tf.image.total_variation(fed(tf, IMAGE, [None] * 3)),
            "edges": lambda tf: tf.image.sobel_edges(fed(tf, BATCH, [None, None, None, 3])),
        }
    )


@pytest.mark.parametrize("level", ["rank", "unknown"])
def test_similarity(level: str) -> None:
    first, second = (known_in_part(x[:, :40, :50])[level] for x in (_FIRST, _SECOND))
    low, high = (
        known_in_part((x[:, :40, :50] * 255).astype(np.uint8))[level] for x in (_FIRST, _SECOND)
    )
    assert_alike(
        {
            "ratio": lambda tf: tf.image.psnr(first(tf), second(tf), 1.0),
            "ratio of bytes": lambda tf: tf.image.psnr(low(tf), high(tf), 255),
            "structure": lambda tf: tf.image.ssim(first(tf), second(tf), 1.0),
            "structure of bytes": lambda tf: tf.image.ssim(low(tf), high(tf), 255, filter_size=7),
            "of each place": lambda tf: tf.image.ssim(
                first(tf), second(tf), 1.0, return_index_map=True
            ),
        }
    )


def test_similarity_at_several_scales() -> None:
    first, second = (known_in_part(x)["rank"] for x in (_FIRST, _SECOND))
    assert_alike({"scales": lambda tf: tf.image.ssim_multiscale(first(tf), second(tf), 1.0)})


def test_suppression() -> None:
    overlaps = np.abs(_SCORES[:, None] - _SCORES)
    assert_alike(
        {
            "plain": lambda tf: tf.image.non_max_suppression(_BOXES, _SCORES, 10, 0.3, 0.2),
            "soft": lambda tf: tf.image.non_max_suppression_with_scores(
                _BOXES, _SCORES, 10, soft_nms_sigma=0.3
            ),
            "overlaps": lambda tf: tf.image.non_max_suppression_overlaps(overlaps, _SCORES, 10),
            "classes": lambda tf: tf.image.combined_non_max_suppression(
                _BOXES[None, :, None], _SCORES[None, :, None], 10, 20
            ),
        }
    )


@pytest.mark.parametrize("tile", [8, pytest.param(64, marks=pytest.mark.long)])
def test_suppression_by_tiles(tile: int) -> None:
    boxes, scores = np.stack([_BOXES, _BOXES[::-1]]), np.stack([_SCORES, _SCORES])
    ordered = np.sort(_SCORES)[::-1].copy()

    def suppress(tf: Any, boxes: Any, scores: Any, *more: Any, **options: Any) -> Any:
        made = tf.constant(boxes), tf.constant(scores)
        return tf.image.non_max_suppression_padded(*made, *more, tile_size=tile, **options)

    # TensorFlow has all of it in a function of the graph.
    assert_alike(
        {
            "plain": lambda tf: suppress(tf, _BOXES, _SCORES, 10),
            "least": lambda tf: suppress(tf, _BOXES, _SCORES, 10, score_threshold=0.4),
            "turned": lambda tf: suppress(tf, _BOXES[:, [2, 3, 0, 1]], _SCORES, 30, 0.2),
            "batch": lambda tf: suppress(tf, boxes, scores, 60, 0.3, pad_to_max_output_size=True),
            "ordered": lambda tf: suppress(
                tf,
                _BOXES,
                ordered,
                7,
                pad_to_max_output_size=True,
                sorted_input=True,
                canonicalized_coordinates=True,
            ),
        },
        nodes=False,
    )


def test_files() -> None:
    assert_alike(
        {
            "png": lambda tf: tf.image.decode_image(tf.image.encode_png(BYTES)),
            "half": lambda tf: tf.image.decode_image(
                tf.image.encode_jpeg(BYTES), 3, tf.float16, expand_animations=False
            ),
            "is jpeg": lambda tf: tf.image.is_jpeg([tf.image.encode_jpeg(BYTES), "\xff\xd8x"]),
            "whole": lambda tf: tf.io.decode_png(tf.io.encode_png(BYTES), dtype=tf.uint16),
        }
    )


def test_ops_with_functions() -> None:
    boxes = np.stack([_BOXES[:3]] * 4)
    patches = [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID"
    assert_alike(
        {
            "boxes": lambda tf: tf.image.draw_bounding_boxes(BATCH, boxes),
            "colors": lambda tf: tf.image.draw_bounding_boxes(BATCH, boxes, colors=[[1.0, 0, 0]]),
            "crops": lambda tf: tf.image.crop_and_resize(
                BATCH, _BOXES[:4], box_indices=np.zeros(4, np.int32), crop_size=[3, 4]
            ),
            "glimpse": lambda tf: tf.image.extract_glimpse(BATCH, [2, 2], np.zeros((4, 2), "f4")),
            "patches": lambda tf: tf.image.extract_patches(BATCH, *patches),
            "part": lambda tf: tf.image.sample_distorted_bounding_box(
                np.array([50, 60, 3], np.int32), _BOXES[None, :1] / 2, seed=5
            ),
        }
    )


def test_refused() -> None:
    for refused in (
        lambda tf: tf.image.total_variation(tf.constant(IMAGE[0])),
        lambda tf: tf.image.image_gradients(tf.constant(IMAGE)),
        lambda tf: tf.image.psnr(tf.constant(IMAGE), tf.constant(IMAGE[:5]), 1.0),
        lambda tf: tf.image.ssim(fed(tf, IMAGE[:9], None), fed(tf, IMAGE[:9], None), 1.0),
        lambda tf: tf.image.non_max_suppression_padded(
            tf.constant(_BOXES[None]), tf.constant(_SCORES[None]), 3
        ),
    ):
        assert_refused_alike(refused)


def test_names_of_padded_results() -> None:
    with dataflow.Graph().as_default():
        chosen = dataflow.image.non_max_suppression_padded(_BOXES, _SCORES, 3)
        assert (type(chosen).__name__, *chosen._fields) == (
            "NonMaxSuppressionV4",
            "selected_indices",
            "valid_outputs",
        )
        with pytest.raises(ValueError, match=r"^channels must be in \(None, 0, 1, 3, 4\)$"):
            dataflow.image.decode_image("file", channels=2)
