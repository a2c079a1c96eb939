"""Names of `tensorflow.python.ops.image_ops` that tf.image has for others, or does not have."""

from dataflow.library.images.resizing import ResizeMethod as ResizeMethodV1
from dataflow.library.images.similarity import (
    verify_compatible_image_shapes as _verify_compatible_image_shapes,
)
from dataflow.ops.image.boxes import (
    non_max_suppression_overlaps as non_max_suppression_with_overlaps,
)
from dataflow.porting.v2.image import ResizeMethod

__all__ = [
    "ResizeMethod",
    "ResizeMethodV1",
    "_verify_compatible_image_shapes",
    "non_max_suppression_with_overlaps",
]
