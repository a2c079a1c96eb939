"""Numbers of buckets: into which one a length falls, and what belongs to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.library.check_values import assert_less
from dataflow.library.datasets import element_nest
from dataflow.ops.array.gather import gather
from dataflow.ops.basic.single import single
from dataflow.ops.math.compare import less, less_equal, logical_and
from dataflow.ops.reductions.reduce import reduce_min
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


def bucket_number(length: Any, ends: Sequence[int]) -> Tensor:
    """The number of the bucket that a length falls into: scalar int64.

    Args:
      length: A scalar int32.
      ends: The lengths at which buckets end, rising.
    """
    low = np.array([np.iinfo(np.int32).min, *ends], np.int32)
    high = np.array([*ends, np.iinfo(np.int32).max], np.int32)
    inside = logical_and(less_equal(low, length), less(length, high))
    made: Tensor = reduce_min(single("Where", inside))
    return made


def chosen(numbers: Sequence[int], bucket: Tensor) -> Tensor:
    """The number that belongs to a bucket: scalar int64."""
    table = convert_to_tensor(np.array(numbers, np.int64), dtype=dtypes.int64)
    return gather(table, bucket)


def bucket_shapes(shapes: Any, ends: Sequence[int], bucket: Tensor) -> Any:
    """Shapes, with a bucket's longest length where nothing is known; the last one has none."""
    bounded = assert_less(
        bucket,
        np.int64(len(ends)),
        message="When pad_to_bucket_boundary=True, elements must have length < "
        "max(bucket_boundaries).",
    )
    with scopes.control_dependencies([bounded]):
        longest = chosen([end - 1 for end in ends], bucket)

    def filled(shape: Any) -> Tensor:
        sizes = [
            longest if size is None else np.int64(size) for size in TensorShape(shape).as_list()
        ]
        return single("Pack", sizes) if sizes else convert_to_tensor(np.zeros(0, np.int64))

    flat = element_nest.flatten(shapes)
    return element_nest.pack(shapes, [filled(shape) for shape in flat])
