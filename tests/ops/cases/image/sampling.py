"""Rows for parts of images that are drawn at random: seeded ones are TensorFlow's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.program import Inputs, Program, Step, fails, refused_alike, run

_OBJECTS = np.array([[[0.1, 0.2, 0.6, 0.7], [0.5, 0.5, 1, 1]]], np.float32)
_SECOND = "SampleDistortedBoundingBoxV2"
_BOTH = f"SampleDistortedBoundingBox {_SECOND}"


def _parts(tf: Any, v: Inputs) -> Iterator[Step]:
    """Each run draws another part; the same ones as TensorFlow."""
    for seed, size, more in (
        ((3, 5), (200, 133, 3), {}),
        ((0, 1), (30, 30, 3), {"aspect_ratio_range": [0.5, 2.0], "area_range": [0.3, 0.6]}),
        ((7, 0), (11, 90, 1), {"max_attempts": 2, "area_range": [0.8, 1.0]}),
    ):
        seeds = {"seed": seed[0], "seed2": seed[1], **more}
        image_size = v.known(np.array(size, np.int32))
        first = tf.raw_ops.SampleDistortedBoundingBox(
            image_size=image_size,
            bounding_boxes=v.known(_OBJECTS),
            min_object_covered=0.4,
            **seeds,
        )
        second = tf.raw_ops.SampleDistortedBoundingBoxV2(
            image_size=image_size,
            bounding_boxes=v.known(_OBJECTS),
            min_object_covered=v.known(np.float32(0.7)),
            **seeds,
        )
        for _ in range(3):
            yield run(*first, *second)


def _parts_of_seeds(tf: Any, v: Inputs) -> Iterator[Step]:
    for seed, size in (
        ([3, 5], (200, 133, 3)),
        ([-1, 2**31 - 1], (30, 30, 1)),
        ([0, 0], (9, 7, 3)),
    ):
        for kind in (np.int32, np.int64):
            part = tf.raw_ops.StatelessSampleDistortedBoundingBox(
                image_size=v.known(np.array(size, np.int32)),
                bounding_boxes=v.known(_OBJECTS),
                min_object_covered=v.known(np.float32(0.5)),
                seed=v.known(np.array(seed, kind)),
            )
            for _ in range(2):
                yield run(*part)
    usual = {
        "image_size": v.known(np.array(size, np.int32)),
        "bounding_boxes": v.known(_OBJECTS),
        "min_object_covered": v.known(np.float32(0.5)),
    }
    sample = tf.raw_ops.StatelessSampleDistortedBoundingBox
    yield refused_alike(lambda: sample(**usual, seed=tf.constant([1, 2, 3])))
    wrong = sample(**usual, seed=v.hidden(np.array([1, 2, 3])))
    yield fails("InvalidArgumentError", r"must have shape \[2\], not \[3\]", *wrong)


def _without_objects(tf: Any, v: Inputs) -> Iterator[Step]:
    sample = tf.raw_ops.SampleDistortedBoundingBoxV2
    size, none = v.known(np.array([20, 30, 3], np.int32)), v.known(np.zeros((1, 0, 4), np.float32))
    common = {"min_object_covered": v.known(np.float32(0.1)), "seed": 4}
    yield run(
        *sample(image_size=size, bounding_boxes=none, use_image_if_no_bounding_boxes=True, **common)
    )
    refused = sample(image_size=size, bounding_boxes=none, **common)
    yield fails("InvalidArgumentError", "No bounding boxes provided as input", *refused)


def _refusals(tf: Any, v: Inputs) -> Iterator[Step]:
    sample = tf.raw_ops.SampleDistortedBoundingBoxV2
    size = v.known(np.array([20, 30, 3], np.int32))
    covered = v.known(np.float32(0.1))

    def part(**changed: Any) -> Any:
        usual = {
            "image_size": size,
            "bounding_boxes": v.known(_OBJECTS),
            "min_object_covered": covered,
        }
        return sample(**{**usual, **changed})

    for text, changed in (
        (r"coordinates must be in \[0.0, 1.0\]", {"bounding_boxes": v.known(_OBJECTS * 2)}),
        ("must contain 3 elements", {"image_size": v.hidden(np.array([2, 3], np.int32))}),
        ("must be 3-dimensional", {"bounding_boxes": v.hidden(_OBJECTS[0])}),
        ("Aspect ratio range field must", {"aspect_ratio_range": [1.0]}),
        ("Area range must be non-negative", {"area_range": [0.0, 1.0]}),
        ("Area range must be less then or equal to 1.0", {"area_range": [0.5, 2.0]}),
        ("Max attempts must be non-negative: 0", {"max_attempts": 0}),
        ("Min object covered must be non-neg", {"min_object_covered": v.known(np.float32(-1))}),
    ):
        yield fails("InvalidArgumentError", text, *part(**changed))


PROGRAMS = [
    Program(_BOTH, _parts, ("float32",)),
    Program("StatelessSampleDistortedBoundingBox", _parts_of_seeds, ("float32",)),
    Program(_SECOND, _without_objects, ("float32",)),
    Program(_SECOND, _refusals, ("float32",)),
]
