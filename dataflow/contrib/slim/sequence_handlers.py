"""slim's handlers of boxes and keypoints in the steps of sequence examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.contrib.slim.item_handlers import Features, ItemHandler
from dataflow.graph.scopes import control_dependencies
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.library.check_values import assert_equal
from dataflow.ops.array.concat import concat
from dataflow.ops.array.pad import pad
from dataflow.ops.array.shape import shape
from dataflow.ops.basic.cast import to_int64
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.identity import identity
from dataflow.ops.reductions.reduce import reduce_max
from dataflow.ops.sparse.concat import sparse_concat
from dataflow.ops.sparse.dense import sparse_tensor_to_dense
from dataflow.ops.sparse.reshape import sparse_reshape
from dataflow.values import dtypes


class _SideBySide(ItemHandler):
    """Puts sparse features side by side, in a last dimension of their own."""

    def __init__(self, keys: Sequence[str], return_dense: bool, default_value: Any) -> None:
        super().__init__(keys)
        self._return_dense = return_dense
        self._default_value = default_value

    def tensors_to_item(self, keys_to_tensors: Features) -> Any:
        """The features, of shape `[steps, elements, features]`."""
        columns = []
        for key in self.keys:
            value = keys_to_tensors[key]
            sizes = [to_int64(shape(value)), constant([1], dtype=dtypes.int64)]
            columns.append(sparse_reshape(value, concat(sizes, 0)))
        item = sparse_concat(2, columns)
        return sparse_tensor_to_dense(item, self._default_value) if self._return_dense else item


class BoundingBoxSequence(_SideBySide):
    """Makes the boxes of each step, shape `[steps, boxes, 4]`.

    Args:
      keys: Keys of the sides; ymin, xmin, ymax and xmax if None.
      prefix: What stands before each.
      return_dense: Whether to make them dense.
      default_value: What stands then where a step has fewer boxes.

    Raises:
      ValueError: There are not four keys.
    """

    def __init__(
        self,
        keys: Any = None,
        prefix: str | None = None,
        return_dense: bool = True,
        default_value: float = -1.0,
    ) -> None:
        if keys is None:
            keys = ["ymin", "xmin", "ymax", "xmax"]
        elif len(keys) != 4:
            raise ValueError(f"BoundingBoxSequence expects 4 keys but got {len(keys)}")
        super().__init__(_prefixed(prefix, keys), return_dense, default_value)


class KeypointsSequence(_SideBySide):
    """Makes the points of each step, shape `[steps, points, 2]`.

    Args:
      keys: Keys of the coordinates; y and x if None.
      prefix: What stands before each.
      return_dense: Whether to make them dense.
      default_value: What stands then where a step has fewer points.

    Raises:
      ValueError: There are not two keys.
    """

    def __init__(
        self,
        keys: Any = None,
        prefix: str | None = None,
        return_dense: bool = True,
        default_value: float = -1.0,
    ) -> None:
        if keys is None:
            keys = ["y", "x"]
        elif len(keys) != 2:
            raise ValueError(f"KeypointsSequence expects 2 keys but got {len(keys)}")
        super().__init__(_prefixed(prefix, keys), return_dense, default_value)


def _prefixed(prefix: str | None, keys: Sequence[str]) -> list[str]:
    # Without a prefix this fails, as in slim.
    return [prefix + key for key in keys]  # type: ignore[operator]


class NumBoxesSequence(ItemHandler):
    """Counts the boxes of each step.

    Args:
      keys: Keys of the sides.
      check_consistency: Whether all must have as many.

    Raises:
      ValueError: There are no keys.
    """

    def __init__(self, keys: Any = None, check_consistency: bool = True) -> None:
        if not keys:
            raise ValueError("keys must not be empty.")
        self._check_consistency = check_consistency
        super().__init__(keys)

    def tensors_to_item(self, keys_to_tensors: Features) -> Any:
        """The numbers, shape `[steps]`."""
        count = _box_count(keys_to_tensors[self.keys[0]])
        checks = []
        if self._check_consistency:
            others = [_box_count(keys_to_tensors[key]) for key in self.keys[1:]]
            checks = [assert_equal(count, other) for other in others]
        with control_dependencies(checks):
            return identity(count)


def _box_count(tensor: Any) -> Any:
    if not isinstance(tensor, SparseTensor):
        raise ValueError("tensor must be of type tf.SparseTensor.")
    indices: Any = tensor.indices
    numbers = SparseTensor(indices, indices[:, 1], tensor.dense_shape)
    dense: Any = sparse_tensor_to_dense(numbers, default_value=-1)
    return reduce_max(pad(dense + 1, [[0, 0], [0, 1]]), axis=1)
