"""RaggedTensor: a tensor some of whose dimensions have rows of different lengths."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.library.ragged.conversion import RaggedConversions
from dataflow.library.ragged.factories import RaggedFactories
from dataflow.library.ragged.operators import RaggedOperators
from dataflow.library.ragged.row_partition import RowPartition
from dataflow.library.ragged.values import RaggedTensorValue
from dataflow.ops.array.concat import concat, stack
from dataflow.ops.array.fill import fill
from dataflow.ops.array.gather import gather
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.values import dtypes
from dataflow.values.composite_tensor import CompositeTensor
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape, as_shape


class RaggedTensor(RaggedFactories, RaggedConversions, RaggedOperators, CompositeTensor):
    """Rows of different lengths: values behind each other, and where each row begins and ends.

    It is made by the class methods, `tf.ragged.constant` and others; functions of tensors take
    it in the place of a tensor.

    Args:
      values: A tensor, or a ragged one, whose first dimension is cut into rows.
      row_partition: How.
      internal: True in this library only.

    Raises:
      ValueError: `internal` is False.
    """

    def __init__(self, values: Any, row_partition: RowPartition, internal: bool = False) -> None:
        if not internal:
            raise ValueError(
                "RaggedTensor constructor is private; please use one of the factory methods "
                "instead (e.g., RaggedTensor.from_row_lengths())"
            )
        if not isinstance(row_partition, RowPartition):
            raise TypeError(
                f"Argument `row_partition` must be a RowPartition. Received {row_partition}."
            )
        if not isinstance(values, RaggedTensor):
            values.shape.with_rank_at_least(1)
        self._values = values
        self._row_partition = row_partition
        self._shape_hint: TensorShape | None = None

    @property
    def dtype(self) -> DType:
        """Element type of the values."""
        kind: DType = self._values.dtype
        return kind

    @property
    def shape(self) -> TensorShape:
        """What is known of the sizes; None for dimensions whose rows may differ."""
        rows = self._row_partition.static_nrows
        length = self._row_partition.static_uniform_row_length
        inner = self._values.shape
        known = TensorShape([rows, length]).concatenate(inner[1:])
        return known if self._shape_hint is None else known.merge_with(self._shape_hint)

    def get_shape(self) -> TensorShape:
        """What is known of the sizes; None for dimensions whose rows may differ."""
        return self.shape

    def _set_shape(self, shape: Any) -> None:
        """Refines the static shape by what the caller knows."""
        shape = as_shape(shape)
        if shape.rank is None:
            return
        known = self.shape.merge_with(shape) if self.shape.rank else shape
        self._shape_hint = known
        if isinstance(self._values, RaggedTensor):
            self._values._set_shape(TensorShape([None]).concatenate(known[2:]))
        else:
            self._values.set_shape(TensorShape([None]).concatenate(known[2:]))

    @property
    def ragged_rank(self) -> int:
        """How often the values are cut into rows."""
        inner = self._values
        return 1 + (inner.ragged_rank if isinstance(inner, RaggedTensor) else 0)

    @property
    def values(self) -> Any:
        """The rows behind each other: a tensor, or a ragged one."""
        return self._values

    @property
    def row_splits(self) -> Tensor:
        """Where rows begin and end, shape `[nrows + 1]`."""
        return self._row_partition.row_splits()

    @property
    def uniform_row_length(self) -> Tensor | None:
        """The length that all rows are known to have; None if they may differ."""
        return self._row_partition.uniform_row_length()

    @property
    def flat_values(self) -> Tensor:
        """The innermost values: a tensor."""
        values = self._values
        while isinstance(values, RaggedTensor):
            values = values._values
        tensor: Tensor = values
        return tensor

    @property
    def _nested_row_partitions(self) -> tuple[RowPartition, ...]:
        found = [self._row_partition]
        values = self._values
        while isinstance(values, RaggedTensor):
            found.append(values._row_partition)
            values = values._values
        return tuple(found)

    @property
    def nested_row_splits(self) -> tuple[Tensor, ...]:
        """The row splits of all levels, the outermost first."""
        return tuple(partition.row_splits() for partition in self._nested_row_partitions)

    def value_rowids(self, name: str | None = None) -> Tensor:
        """The row of each value."""
        with scopes.name_scope(name, "RaggedValueRowIds", [self]):
            return self._row_partition.value_rowids()

    def nested_value_rowids(self, name: str | None = None) -> tuple[Tensor, ...]:
        """The rows of the values of all levels, the outermost first."""
        with scopes.name_scope(name, "RaggedNestedValueRowIds", [self]):
            return tuple(partition.value_rowids() for partition in self._nested_row_partitions)

    def nrows(self, out_type: Any = None, name: str | None = None) -> Tensor:
        """How many rows there are, in the type of the row splits or another one."""
        with scopes.name_scope(name, "RaggedNRows", [self]):
            rows = self._row_partition.nrows()
            return rows if out_type is None else cast(rows, dtypes.as_dtype(out_type))

    def row_starts(self, name: str | None = None) -> Tensor:
        """Where each row begins."""
        with scopes.name_scope(name, "RaggedRowStarts", [self]):
            return self._row_partition.row_starts()

    def row_limits(self, name: str | None = None) -> Tensor:
        """Where each row ends."""
        with scopes.name_scope(name, "RaggedRowLimits", [self]):
            return self._row_partition.row_limits()

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """How long rows are along a dimension.

        Args:
          axis: The dimension; beyond the first ragged one the result is ragged itself.
          name: Prefix of the operations' names.

        Raises:
          ValueError: There is no such dimension.
        """
        if axis == 0:
            return self._row_partition.nrows()
        if axis == 1:
            return self._row_partition.row_lengths()
        with scopes.name_scope(name, "RaggedRowLengths", [self]):
            rank = self.shape.rank
            axis = normalized_axis(axis, rank, "rank(self)")
            if axis == 0:
                return self.nrows()
            if axis == 1:
                return self._row_partition.row_lengths()
            if isinstance(self._values, RaggedTensor):
                return self.with_values(self._values.row_lengths(axis - 1))
            sizes: Any = array_shape.shape(self._values, out_type=self._row_partition.dtype)
            shape = sizes[: axis - 1]
            return self.with_values(fill(shape, sizes[axis - 1]))

    def nested_row_lengths(self, name: str | None = None) -> tuple[Tensor, ...]:
        """The lengths of the rows of all levels, the outermost first."""
        with scopes.name_scope(name, "RaggedNestedRowLengths", [self]):
            return tuple(partition.row_lengths() for partition in self._nested_row_partitions)

    def bounding_shape(
        self, axis: Any = None, name: str | None = None, out_type: Any = None
    ) -> Tensor:
        """The shape of the smallest tensor that holds all rows.

        Args:
          axis: The dimensions whose sizes are asked for: an integer or a vector; all by default.
          name: Prefix of the operations' names.
          out_type: int32 or int64; by default the type of the row splits.
        """
        kind = self._row_partition.dtype if out_type is None else dtypes.as_dtype(out_type)
        with scopes.name_scope(name, "RaggedBoundingBox", [self, axis]):
            flat: Any = self.flat_values
            if isinstance(axis, int):
                if axis == 0:
                    rows: Tensor = cast(self.nrows(), kind)
                    return rows
                if axis == 1:
                    zero = constant([0], self._row_partition.dtype)
                    lengths = concat([zero, self.row_lengths()], 0)
                    longest: Tensor = cast(reductions.reduce_max(lengths), kind)
                    return longest
            sizes = [self.nrows()]
            for partition in self._nested_row_partitions:
                zero = constant([0], partition.dtype)
                lengths = concat([zero, partition.row_lengths()], 0)
                sizes.append(reductions.reduce_max(lengths))
            inner: Any = array_shape.shape(flat, out_type=kind)
            outer = stack([cast(size, kind) for size in sizes])
            whole: Any = concat([outer, inner[1:]], 0) if flat.shape.rank != 1 else outer
            if axis is None:
                box: Tensor = whole
                return box
            return gather(whole, axis)

    def with_values(self, new_values: Any) -> RaggedTensor:
        """The same rows of other values.

        Args:
          new_values: As many of them as there are values.

        Raises:
          ValueError: They are known not to be as many.
        """
        if isinstance(new_values, RaggedTensorValue):
            new_values = as_ragged_or_tensor(new_values)
        if not isinstance(new_values, (Tensor, RaggedTensor)):
            new_values = convert_to_tensor(new_values)
        new_values.shape.with_rank_at_least(1)
        self._values.shape[:1].assert_is_compatible_with(new_values.shape[:1])
        if (
            isinstance(new_values, RaggedTensor)
            and new_values._row_partition.dtype != self._row_partition.dtype
        ):
            raise ValueError(
                "self and new_values have mismatched row_splits dtypes; use "
                "RaggedTensor.with_row_splits_dtype() to convert them to compatible dtypes."
            )
        return RaggedTensor(new_values, self._row_partition, internal=True)

    def with_flat_values(self, new_values: Any) -> RaggedTensor:
        """The same rows of other innermost values."""
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.with_flat_values(new_values))
        return self.with_values(as_ragged_or_tensor(new_values))

    def with_row_splits_dtype(self, dtype: Any) -> RaggedTensor:
        """The same rows, counted in int32 or int64.

        Raises:
          ValueError: The type is another one.
        """
        dtype = dtypes.as_dtype(dtype)
        if dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError(
                f"Argument `row_splits` dtype must be int32 or int64. Received {dtype}."
            )
        if self._row_partition.dtype == dtype:
            return self
        inner = self._values
        if isinstance(inner, RaggedTensor):
            inner = inner.with_row_splits_dtype(dtype)
        return RaggedTensor(inner, self._row_partition.with_dtype(dtype), internal=True)

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Any:
        """The dimensions from one to another as a single one.

        Raises:
          ValueError: The second stands before the first.
        """
        rank = self.shape.rank
        outer = normalized_axis(outer_axis, rank, "rank(self)", "outer_axis")
        inner = normalized_axis(inner_axis, rank, "rank(self)", "inner_axis")
        if not outer <= inner:
            raise ValueError(
                f"Expected outer_axis ({outer}) to be less than or equal to inner_axis ({inner})."
            )
        from dataflow.library.ragged.shaping import merged

        return merged(self, outer, inner)

    def __getitem__(self, key: Any) -> Any:
        from dataflow.library.ragged.getitem import getitem

        with scopes.name_scope(None, "RaggedGetItem", [self]):
            return getitem(self, key if isinstance(key, tuple) else (key,))

    def consumers(self) -> list[Operation]:
        """The operations that take one of the tensors as an input."""
        found = (op for tensor in self._components() for op in tensor.consumers())
        return list(dict.fromkeys(found))

    def numpy(self) -> Any:
        """The values as an array; TensorFlow gives them in eager mode only.

        Raises:
          ValueError: Always.
        """
        raise ValueError("RaggedTensor.numpy() is only supported in eager mode.")

    def to_list(self) -> Any:
        """The values in nested lists; TensorFlow gives them in eager mode only.

        Raises:
          ValueError: Always.
        """
        raise ValueError(
            "RaggedTensor.to_list() is only supported in eager mode; in graph mode, evaluate the "
            "RaggedTensor first and then use RaggedTensorValue.to_list()."
        )

    @property
    def _type_spec(self) -> Any:
        from dataflow.library.ragged.spec import RaggedTensorSpec

        return RaggedTensorSpec.from_value(self)

    def _as_graph_element(self) -> Tensor:
        return self.flat_values

    def _component_shapes(self, shape: Any) -> list[TensorShape]:
        whole = self.shape if shape is None else as_shape(shape)
        rank = self.ragged_rank
        dims = whole.dims_tuple
        if dims is None:
            return [TensorShape(None), *[TensorShape([None])] * rank]
        rows = None if dims[0] is None else dims[0] + 1
        inner = TensorShape([None, *dims[rank + 1 :]])
        return [inner, *[TensorShape([None])] * (rank - 1), TensorShape([rows])]

    def _components(self) -> tuple[Tensor, ...]:
        return (self.flat_values, *reversed(self.nested_row_splits))

    @classmethod
    def _from_components(cls, components: Sequence[Any]) -> Any:
        values, *splits = components
        for part in splits:
            values = cls._from_row_partition(
                values, RowPartition.from_row_splits(part, validate=False), validate=False
            )
        return values

    @classmethod
    def _value_of_components(cls, arrays: Sequence[Any]) -> Any:
        value, *splits = arrays
        for part in splits:
            value = RaggedTensorValue(value, part)
        return value

    @classmethod
    def _components_of_value(cls, value: Any) -> Sequence[Any]:
        return (value.flat_values, *reversed(value.nested_row_splits))

    @classmethod
    def _apply_function(
        cls,
        function: Callable[..., Any],
        kind: str,
        args: Sequence[Any],
        options: Mapping[str, Any],
    ) -> Any:
        from dataflow.library.ragged.overloads import applied

        return applied(function, kind, args, options)

    def __repr__(self) -> str:
        return f"tf.RaggedTensor(values={self._values}, row_splits={self.row_splits})"


def normalized_axis(
    axis: Any, rank: int | None, rank_name: str = "rank", axis_name: str = "axis"
) -> int:
    """A dimension counted from the first one.

    Raises:
      TypeError: It is no integer.
      ValueError: There is none such, or it is counted from the end of an unknown number.
    """
    if not isinstance(axis, int):
        raise TypeError(f"{axis_name} must be an int; got {type(axis).__name__}")
    if rank is None:
        if axis < 0:
            raise ValueError(
                f"{axis_name}={axis} may only be negative if {rank_name} is statically known."
            )
        return axis
    if axis < 0:
        if -rank <= axis:
            return axis + rank
        raise ValueError(f"{axis_name}={axis} out of bounds: expected {-rank}<={axis_name}<{rank}")
    if axis >= rank:
        raise ValueError(f"{axis_name}={axis} out of bounds: expected {-rank}<={axis_name}<{rank}")
    return axis


def is_ragged(value: Any) -> bool:
    """True for a `RaggedTensor` and for a `RaggedTensorValue`."""
    return isinstance(value, (RaggedTensor, RaggedTensorValue))


def as_ragged_or_tensor(
    value: Any,
    dtype: Any = None,
    preferred_dtype: Any = None,
    name: str | None = None,
    splits_dtype: Any = None,
) -> Any:
    """Like `convert_to_tensor`; ragged values become or stay a `RaggedTensor`.

    Raises:
      ValueError: A ragged value is of another dtype.
    """
    if isinstance(value, RaggedTensor):
        if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
            raise ValueError(
                f"Tensor conversion requested dtype {dtypes.as_dtype(dtype).name} for "
                f"RaggedTensor with dtype {value.dtype.name}: {value}."
            )
        return value
    if isinstance(value, RaggedTensorValue):
        with scopes.name_scope(name, "ConvertToTensorOrRaggedTensor"):
            flat = convert_to_tensor(value.flat_values, dtype, dtype_hint=preferred_dtype)
            splits = [
                convert_to_tensor(part, dtype=splits_dtype) for part in value.nested_row_splits
            ]
            return RaggedTensor.from_nested_row_splits(flat, splits, validate=False)
    return convert_to_tensor(value, dtype=dtype, dtype_hint=preferred_dtype, name=name)
