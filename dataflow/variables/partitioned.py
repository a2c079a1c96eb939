"""PartitionedVariable: a variable cut up along one dimension, and what decides how to cut."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.split as array_split
from dataflow.graph import scopes
from dataflow.graph.convert import register_tensor_conversion_function
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.identity import identity
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape, as_shape

Partitioner = Callable[..., list[int]]
"""`f(shape=TensorShape, dtype=DType)`: the number of parts along each dimension."""


class PartitionedVariable:
    """Several variables that are the parts of one; it stands for them put together.

    Args:
      name: Name of the whole.
      shape: Shape of the whole.
      dtype: Element type.
      variable_list: The parts, each with its `SaveSliceInfo`.
      partitions: The number of parts along each dimension.

    Raises:
      TypeError: `variable_list` or `partitions` is no list or tuple.
      ValueError: The arguments do not fit each other.
    """

    def __init__(
        self,
        name: str,
        shape: TensorShape,
        dtype: DType,
        variable_list: Sequence[Any],
        partitions: Sequence[int],
    ) -> None:
        if not isinstance(variable_list, (list, tuple)):
            raise TypeError(f"variable_list is not a list or tuple: {variable_list}")
        if not isinstance(partitions, (list, tuple)):
            raise TypeError(f"partitions is not a list or tuple: {partitions}")
        if not all(p >= 1 for p in partitions):
            raise ValueError(f"partition values must be positive: {partitions}")
        if not variable_list:
            raise ValueError("variable_list may not be empty")
        infos = [v._get_save_slice_info() for v in variable_list]
        if any(info is None for info in infos):
            raise ValueError(
                "All variables must have a save_slice_info available: "
                f"{[v.name for v in variable_list]}"
            )
        shape = as_shape(shape)
        if len(shape) != len(partitions):
            raise ValueError(f"len(shape) != len(partitions): {shape} vs. {partitions}")
        for info in infos:
            if info.full_shape != shape.as_list():
                raise ValueError(
                    f"All variables' full shapes must match shape: {shape}; but full shapes were: "
                    f"{[info.full_shape]}"
                )
        self._variable_list = sorted(
            variable_list, key=lambda v: list(v._get_save_slice_info().var_offset)
        )
        self._name = name
        self._shape = shape
        self._dtype = dtype
        self._partitions = partitions

    def __iter__(self) -> Iterator[Any]:
        return iter(self._variable_list)

    def __len__(self) -> int:
        axes = self._partition_axes()
        if len(axes) > 1:
            raise ValueError(f"Cannot get a length for {len(axes)} > 1 partition axes")
        return len(self._variable_list)

    def _partition_axes(self) -> list[int]:
        return [i for i, p in enumerate(self._partitions) if p > 1] or [0]

    def _axis(self, action: str) -> int:
        axes = self._partition_axes()
        if len(axes) > 1:
            raise NotImplementedError(
                f"Cannot {action} along more than one dimension: {axes}.  Multi-axis partition "
                f"{action} is not supported"
            )
        return axes[0]

    def as_tensor(self) -> Tensor:
        """The parts put together, whatever controls the operations around."""
        with scopes.control_dependencies(None):
            return self._concat()

    def _concat(self) -> Tensor:
        if len(self._variable_list) == 1:
            with scopes.name_scope(None):
                result: Tensor = identity(self._variable_list[0], name=self._name)
            return result
        axis = self._axis("concat")
        with scopes.name_scope(f"{self._name}/ConcatPartitions/"):
            whole = array_concat.concat(self._variable_list, axis)
        with scopes.name_scope(None):
            result = identity(whole, name=self._name)
        return result

    @property
    def name(self) -> str:
        """Name of the whole."""
        return self._name

    @property
    def dtype(self) -> DType:
        """Element type."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """Shape of the whole."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """Shape of the whole."""
        return self._shape

    def _get_variable_list(self) -> list[Any]:
        return self._variable_list

    def _get_partitions(self) -> Sequence[int]:
        return self._partitions

    def _write(self, method: str, value: Any, read_value: bool, **options: Any) -> list[Any]:
        axis = self._axis("assign action")
        if isinstance(value, list):
            values: Any = value
        elif isinstance(value, PartitionedVariable):
            values = list(value)
        else:
            sizes = [v.shape.as_list()[axis] for v in self._variable_list]
            values = array_split.split(value, sizes, axis=axis)
        written = [
            getattr(part, method)(part_value, read_value=read_value, **options)
            for part, part_value in zip(self._variable_list, values, strict=True)
        ]
        return (
            written
            if read_value
            else [write.op if hasattr(write, "op") else write for write in written]
        )

    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> list[Any]:
        """Assigns to each part; `value` is a tensor for all, or a list with one for each."""
        return self._write("assign", value, read_value, use_locking=use_locking, name=name)

    def assign_add(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> list[Any]:
        """Adds to each part; see `assign`."""
        return self._write("assign_add", value, read_value, use_locking=use_locking, name=name)

    def assign_sub(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> list[Any]:
        """Subtracts from each part; see `assign`."""
        return self._write("assign_sub", value, read_value, use_locking=use_locking, name=name)


def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Partitioner:
    """Cuts into `num_shards` parts along `axis`, or as many as there are rows."""

    def partitioner(shape: TensorShape, **unused: Any) -> list[int]:
        return _one_axis(shape, axis, min(num_shards, shape.as_list()[axis] or 0))

    return partitioner


def variable_axis_size_partitioner(
    max_shard_bytes: int,
    axis: int = 0,
    bytes_per_string_element: int = 16,
    max_shards: int | None = None,
) -> Partitioner:
    """Cuts along `axis` so that no part is larger than `max_shard_bytes`, if rows allow it.

    Args:
      max_shard_bytes: The size aimed at, in bytes.
      axis: Where to cut.
      bytes_per_string_element: What a string counts.
      max_shards: The most parts, whatever their size.

    Raises:
      ValueError: A number is not positive.
    """
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueError(
            "Both max_shard_bytes and bytes_per_string_element must be positive. Currently, "
            f"max_shard_bytes is {max_shard_bytes} andbytes_per_string_element is "
            f"{bytes_per_string_element}"
        )
    if max_shards and max_shards < 1:
        raise ValueError("max_shards must be positive.")

    def partitioner(shape: Any, dtype: Any) -> list[int]:
        if not isinstance(shape, TensorShape):
            raise ValueError(f"shape is not a TensorShape: {shape}")
        if not shape.is_fully_defined():
            raise ValueError(f"shape is not fully defined: {shape}")
        rows = shape.as_list()[axis] or 0
        row_bytes = (shape.num_elements() or 0) / rows * _size_of(dtype, bytes_per_string_element)
        rows_per_shard = max(1, math.floor(max_shard_bytes / row_bytes))
        count = math.ceil(rows / rows_per_shard)
        return _one_axis(shape, axis, min(max_shards, count) if max_shards else count)

    return partitioner


def min_max_variable_partitioner(
    max_partitions: int = 1,
    axis: int = 0,
    min_slice_size: int = 256 << 10,
    bytes_per_string_element: int = 16,
) -> Partitioner:
    """Cuts along `axis` into parts of at least `min_slice_size` bytes.

    Args:
      max_partitions: The most parts.
      axis: Where to cut.
      min_slice_size: The least size of a part, in bytes.
      bytes_per_string_element: What a string counts.
    """

    def partitioner(shape: TensorShape, dtype: Any) -> list[int]:
        if axis >= len(shape):
            raise ValueError(
                f"Cannot partition variable along axis {axis} when shape is only {shape}"
            )
        size = (shape.num_elements() or 0) * _size_of(dtype, bytes_per_string_element)
        wanted = math.ceil(size / min_slice_size)
        return _one_axis(
            shape, axis, max(1, min(shape.as_list()[axis] or 0, max_partitions, wanted))
        )

    return partitioner


def _one_axis(shape: TensorShape, axis: int, count: int) -> list[int]:
    partitions = [1] * len(shape)
    partitions[axis] = count
    return partitions


def _size_of(dtype: Any, bytes_per_string_element: int) -> int:
    base = dtypes.as_dtype(dtype).base_dtype
    return bytes_per_string_element if base is dtypes.string else base.size


def _to_tensor(
    value: PartitionedVariable, dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> Any:
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
        raise ValueError(
            f"Incompatible type conversion requested to type '{dtypes.as_dtype(dtype).name}' for "
            f"variable of type '{value.dtype.name}'"
        )
    if as_ref:
        raise NotImplementedError("PartitionedVariable doesn't support being used as a reference.")
    return value.as_tensor()


register_tensor_conversion_function(PartitionedVariable, _to_tensor)
