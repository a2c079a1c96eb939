"""What a classifier makes of images, a part of them at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dataflow.ops.array.concat as array_concat
from dataflow.library.map_fn import map_fn
from dataflow.ops.array.split import split


def outputs_in_parts(images: Any, classifier_fn: Callable[[Any], Any], parts: int) -> Any:
    """The classifier's outputs of all images.

    Args:
      images: Their number is a multiple of `parts`.
      classifier_fn: Takes images and gives rows, one for each.
      parts: How many parts the images are cut into; the memory of one is needed at a time.
    """
    rows = map_fn(
        classifier_fn,
        array_concat.stack(split(images, num_or_size_splits=parts)),
        parallel_iterations=1,
        back_prop=False,
        swap_memory=True,
        name="RunClassifier",
    )
    return array_concat.concat(array_concat.unstack(rows), 0)
