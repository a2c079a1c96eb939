"""slim's item handlers: an item made of the features of an example."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping
from typing import Any

import dataflow.graph.sparse_tensor as sparse_tensors
from dataflow.control_flow.cond import cond
from dataflow.ops.array.concat import concat, stack
from dataflow.ops.array.shape import expand_dims, reshape, shape
from dataflow.ops.array.slice import slice as sliced
from dataflow.ops.array.transpose import transpose
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.compare import equal
from dataflow.ops.reductions.reduce import reduce_prod
from dataflow.ops.sparse.dense import sparse_tensor_to_dense
from dataflow.ops.sparse.reshape import sparse_reshape
from dataflow.values import dtypes

Features = Mapping[str, Any]


class ItemHandler(abc.ABC):
    """Makes an item of the tensors of some keys.

    Args:
      keys: The keys, or one key.
    """

    def __init__(self, keys: Any) -> None:
        self._keys = keys if isinstance(keys, (tuple, list)) else [keys]

    @property
    def keys(self) -> Any:
        """The keys of the features that the item is made of."""
        return self._keys

    @abc.abstractmethod
    def tensors_to_item(self, keys_to_tensors: Features) -> Any:
        """The item that tensors, by key, make."""


class ItemHandlerCallback(ItemHandler):
    """Makes an item by a function.

    Args:
      keys: The keys.
      func: Called with the tensors by key.
    """

    def __init__(self, keys: Any, func: Callable[[Features], Any]) -> None:
        super().__init__(keys)
        self._func = func

    def tensors_to_item(self, keys_to_tensors: Features) -> Any:
        """What the function makes of the tensors."""
        return self._func(keys_to_tensors)


class BoundingBox(ItemHandler):
    """Makes boxes, shape `[boxes, 4]`, of four features with a side of each box.

    Args:
      keys: Keys of the sides; ymin, xmin, ymax and xmax if None.
      prefix: What stands before each.

    Raises:
      ValueError: There are not four keys.
    """

    def __init__(self, keys: Any = None, prefix: str = "") -> None:
        if keys is None:
            keys = ["ymin", "xmin", "ymax", "xmax"]
        elif len(keys) != 4:
            raise ValueError(f"BoundingBox expects 4 keys but got {len(keys)}")
        self._full_keys = [prefix + key for key in keys]
        super().__init__(self._full_keys)

    def tensors_to_item(self, keys_to_tensors: Features) -> Any:
        """The boxes."""
        sides = []
        for key in self._full_keys:
            side = keys_to_tensors[key]
            if isinstance(side, sparse_tensors.SparseTensor):
                side = side.values
            sides.append(expand_dims(side, 0))
        return transpose(concat(sides, 0))


class Tensor(ItemHandler):
    """Gives a feature as a tensor, in a shape that is given or stands in other features.

    Args:
      tensor_key: Key of the feature.
      shape_keys: Keys of its sizes, or one key of its shape.
      shape: Its shape.
      default_value: What stands where a sparse feature has no element.

    Raises:
      ValueError: The shape is given twice.
    """

    def __init__(
        self, tensor_key: str, shape_keys: Any = None, shape: Any = None, default_value: Any = 0
    ) -> None:
        if shape_keys and shape is not None:
            raise ValueError("Cannot specify both shape_keys and shape parameters.")
        if shape_keys and not isinstance(shape_keys, list):
            shape_keys = [shape_keys]
        self._tensor_key = tensor_key
        self._shape_keys = shape_keys
        self._shape = shape
        self._default_value = default_value
        super().__init__([tensor_key, *(shape_keys or ())])

    def tensors_to_item(self, keys_to_tensors: Features) -> Any:
        """The tensor."""
        tensor = keys_to_tensors[self._tensor_key]
        sizes = self._shape
        if self._shape_keys:
            found = [_dense(keys_to_tensors[key]) for key in self._shape_keys]
            sizes = reshape(stack(found), [-1])
        if isinstance(tensor, sparse_tensors.SparseTensor):
            if sizes is not None:
                tensor = sparse_reshape(tensor, sizes)
            return sparse_tensor_to_dense(tensor, self._default_value)
        return tensor if sizes is None else reshape(tensor, sizes)


def _dense(tensor: Any) -> Any:
    is_sparse = isinstance(tensor, sparse_tensors.SparseTensor)
    return sparse_tensor_to_dense(tensor) if is_sparse else tensor


class LookupTensor(Tensor):
    """Gives what a table has for the elements of a feature.

    Args:
      tensor_key: Key of the feature.
      table: The table.
      shape_keys: Keys of its sizes, or one key of its shape.
      shape: Its shape.
      default_value: What stands where a sparse feature has no element.
    """

    def __init__(
        self,
        tensor_key: str,
        table: Any,
        shape_keys: Any = None,
        shape: Any = None,
        default_value: Any = "",
    ) -> None:
        self._table = table
        super().__init__(tensor_key, shape_keys, shape, default_value)

    def tensors_to_item(self, keys_to_tensors: Features) -> Any:
        """What the table has for the tensor's elements."""
        return self._table.lookup(super().tensors_to_item(keys_to_tensors))


class BackupHandler(ItemHandler):
    """Makes an item by another handler if what the first one makes is empty.

    Args:
      handler: The first one.
      backup: The other one.

    Raises:
      ValueError: One of them is none.
    """

    def __init__(self, handler: Any, backup: Any) -> None:
        for word, given in (("Primary", handler), ("Backup", backup)):
            if not isinstance(given, ItemHandler):
                raise ValueError(f"{word} handler is of type {type(given)} instead of ItemHandler")
        self._handler = handler
        self._backup = backup
        super().__init__(handler.keys + backup.keys)

    def tensors_to_item(self, keys_to_tensors: Features) -> Any:
        """The item."""
        item = self._handler.tensors_to_item(keys_to_tensors)
        return cond(
            pred=equal(reduce_prod(shape(item)), 0),
            true_fn=lambda: self._backup.tensors_to_item(keys_to_tensors),
            false_fn=lambda: item,
        )


class SparseTensor(ItemHandler):
    """Makes a sparse tensor of a feature with indices and one with values.

    Args:
      indices_key: Key of the indices, "indices" if None.
      values_key: Key of the values, "values" if None.
      shape_key: Key of the shape.
      shape: The shape, if no key is given.
      densify: Whether to make it dense.
      default_value: What stands then where there is no element.
    """

    def __init__(
        self,
        indices_key: str | None = None,
        values_key: str | None = None,
        shape_key: str | None = None,
        shape: Any = None,
        densify: bool = False,
        default_value: Any = 0,
    ) -> None:
        self._indices_key = indices_key or "indices"
        self._values_key = values_key or "values"
        self._shape_key = shape_key
        self._shape = shape
        self._densify = densify
        self._default_value = default_value
        keys = [self._indices_key, self._values_key]
        super().__init__([*keys, shape_key] if shape_key else keys)

    def tensors_to_item(self, keys_to_tensors: Features) -> Any:
        """The sparse tensor, or the dense one."""
        indices = keys_to_tensors[self._indices_key]
        values = keys_to_tensors[self._values_key]
        sizes = self._shape or indices.dense_shape
        if self._shape_key:
            sizes = _dense(keys_to_tensors[self._shape_key])
        rank: Any = shape(indices.indices)[1]
        last = cast(indices.values, dtypes.int64)
        outer = sliced(indices.indices, [0, 0], stack([-1, rank - 1]))
        places = concat([outer, reshape(last, [-1, 1])], 1)
        tensor = sparse_tensors.SparseTensor(places, values.values, sizes)
        return sparse_tensor_to_dense(tensor, self._default_value) if self._densify else tensor
