"""tensorflow.python.ops.ragged.ragged_tensor_shape: the sizes of ragged tensors, as tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.library.check_values import assert_equal
from dataflow.library.ragged.ranges import ragged_range
from dataflow.library.ragged.tensor import RaggedTensor, as_ragged_or_tensor, is_ragged
from dataflow.ops.array.broadcast import broadcast_dynamic_shape as broadcast_sizes
from dataflow.ops.array.broadcast import broadcast_to as broadcast_dense
from dataflow.ops.array.concat import concat
from dataflow.ops.array.fill import fill, ones
from dataflow.ops.array.gather import gather
from dataflow.ops.array.repeat import convert_to_int_tensor, repeat
from dataflow.ops.array.select import where
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.identity import identity
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.math.compare import equal
from dataflow.ops.reductions.reduce import reduce_all, reduce_sum
from dataflow.porting.spellings.util.ragged_rows import lengths_to_splits
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import dimension_value

__all__ = ["RaggedTensorDynamicShape", "broadcast_dynamic_shape", "broadcast_to"]


class RaggedTensorDynamicShape:
    """The size of each dimension: a number, or the lengths of all its slices.

    Args:
      partitioned_dim_sizes: Those of the dimensions that splits describe: scalars and vectors, a
        scalar first and a vector last.
      inner_dim_sizes: A vector: the sizes of the dimensions of the flat values.
      dim_size_dtype: int32 or int64; that of the vectors by default.

    Raises:
      ValueError: Ranks are not known or are not these, or types differ.
    """

    def __init__(
        self,
        partitioned_dim_sizes: Sequence[Any],
        inner_dim_sizes: Any,
        dim_size_dtype: Any = None,
    ) -> None:
        assert isinstance(partitioned_dim_sizes, list | tuple)
        sizes = [convert_to_tensor(each) for each in partitioned_dim_sizes]
        inner = convert_to_tensor(inner_dim_sizes, name="inner_dim_sizes")
        for axis, size in enumerate(sizes):
            if size.shape.rank is None:
                raise ValueError(f"rank of partitioned_dim_sizes[{axis}] is unknown")
            size.shape.with_rank_at_most(1)
        if sizes and sizes[0].shape.rank == 1:
            raise ValueError("outermost partitioned dimension must be uniform")
        if sizes and sizes[-1].shape.rank == 0:
            raise ValueError("innermost partitioned dimension must be ragged")
        inner.shape.assert_has_rank(1)
        kinds = {size.dtype for size in sizes if size.shape.rank == 1}
        if dim_size_dtype is None and len(kinds) > 1:
            raise ValueError("partitioned_dim_sizes must have matching dtypes")
        kind = dim_size_dtype or (kinds.pop() if kinds else dtypes.int64)
        self._partitioned: tuple[Tensor, ...] = tuple(cast(size, kind) for size in sizes)
        self._inner: Tensor = cast(inner, kind)

    def __repr__(self) -> str:
        return (
            f"RaggedTensorDynamicShape(partitioned_dim_sizes={self._partitioned!r}, "
            f"inner_dim_sizes={self._inner!r})"
        )

    @staticmethod
    def from_dim_sizes(dim_sizes: Sequence[Any]) -> RaggedTensorDynamicShape:
        """Of a scalar or a vector for each dimension.

        Raises:
          ValueError: There is something else.
        """
        sizes = [convert_to_tensor(each, preferred_dtype=dtypes.int64) for each in dim_sizes]
        if any(size.shape.rank not in (0, 1) for size in sizes):
            raise ValueError("Each dim_size must be a scalar or a vector")
        ragged = [axis for axis, size in enumerate(sizes) if size.shape.rank == 1]
        count = ragged[-1] + 1 if ragged else 0
        return RaggedTensorDynamicShape(sizes[:count], sizes[count:])

    @classmethod
    def from_tensor(cls, rt_input: Any, dim_size_dtype: Any = None) -> RaggedTensorDynamicShape:
        """That of a tensor, ragged or not."""
        x = as_ragged_or_tensor(rt_input)
        if not is_ragged(x):
            return cls([], array_shape.shape(x), dim_size_dtype)
        inner: Any = array_shape.shape(x.flat_values)
        return cls((x.nrows(), *x.nested_row_lengths()), inner[1:], dim_size_dtype)

    @property
    def partitioned_dim_sizes(self) -> tuple[Tensor, ...]:
        """The sizes of the dimensions that splits describe."""
        return self._partitioned

    @property
    def inner_dim_sizes(self) -> Tensor:
        """The sizes of those of the flat values."""
        return self._inner

    @property
    def num_partitioned_dimensions(self) -> int:
        """How many dimensions splits describe."""
        return len(self._partitioned)

    @property
    def num_inner_dimensions(self) -> int | None:
        """How many dimensions an entry of the flat values has, if known."""
        found: int | None = dimension_value(self._inner.shape[0])
        return found

    @property
    def dim_size_dtype(self) -> DType:
        """The type of all sizes."""
        return self._inner.dtype

    @property
    def rank(self) -> int | None:
        """How many dimensions there are, if known."""
        inner = self.num_inner_dimensions
        return None if inner is None else len(self._partitioned) + inner

    def dimension_size(self, axis: int) -> Tensor:
        """The size of a dimension: a scalar, or the lengths of its slices."""
        if not isinstance(axis, int):
            raise TypeError("axis must be an integer")
        if axis < len(self._partitioned):
            return self._partitioned[axis]
        inner: Any = self._inner
        size: Tensor = inner[axis - len(self._partitioned)]
        return size

    def is_ragged(self, axis: int) -> bool:
        """Whether slices of a dimension may have different lengths.

        Raises:
          TypeError: The axis is no int.
          ValueError: There is no such dimension.
        """
        if not isinstance(axis, int):
            raise TypeError("axis must be an integer")
        if axis < 0:
            raise ValueError("Negative axis values are not supported")
        if self.rank is not None and axis >= self.rank:
            raise ValueError(f"Expected axis={axis} < rank={self.rank}")
        return axis < len(self._partitioned) and self._partitioned[axis].shape.rank == 1

    def num_slices_in_dimension(self, axis: int) -> Any:
        """How many slices there are along a dimension; one before the first."""
        if axis < 0:
            return constant(1, self.dim_size_dtype)
        if self.is_ragged(axis):
            return reduce_sum(self._partitioned[axis])
        return self.dimension_size(axis) * self.num_slices_in_dimension(axis - 1)

    def with_dim_size_dtype(self, dtype: Any) -> RaggedTensorDynamicShape:
        """The same sizes as int32 or int64."""
        if dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError("dtype must be int32 or int64")
        return RaggedTensorDynamicShape(self._partitioned, self._inner, dtypes.as_dtype(dtype))

    def broadcast_to_rank(self, rank: int) -> RaggedTensorDynamicShape:
        """With dimensions of size 1 before the others.

        Raises:
          ValueError: There are more dimensions already, or it is not known how many.
        """
        if self.rank is None:
            raise ValueError("Unable to broadcast: self.rank is unknown")
        more = rank - self.rank
        if more < 0:
            raise ValueError(
                f"Unable to broadcast: rank={rank} must be greater than self.rank={self.rank}."
            )
        if not more:
            return self
        sizes, inner = self._partitioned, self._inner
        one = constant(1, self.dim_size_dtype)
        if sizes:
            sizes = (*[one] * more, *sizes)
        else:
            inner = concat([ones([more], self.dim_size_dtype), inner], 0)
        return RaggedTensorDynamicShape(sizes, inner, self.dim_size_dtype)

    def broadcast_dimension(self, axis: int, lengths: Any) -> RaggedTensorDynamicShape:
        """With one dimension stretched to a size, or to the lengths of its slices.

        Raises:
          ValueError: The lengths are no scalar and no vector, or the first dimension became ragged.
        """
        lengths = convert_to_int_tensor(lengths, name="lengths", dtype=self.dim_size_dtype)
        rank = lengths.shape.rank
        if rank is None:
            raise ValueError("lengths must have a known rank.")
        if rank > 1:
            raise ValueError("lengths must be a scalar or vector")
        size = self.dimension_size(axis)
        if self.is_ragged(axis):
            fits = equal(lengths, 1) if rank == 0 else reduce_all(equal(lengths, size))
        elif rank == 0:
            fits = equal(lengths, 1) | equal(size, 1) | equal(size, lengths)
        else:
            fits = equal(size, 1)
        checked = assert_equal(
            fits,
            True,
            data=[
                "Unable to broadcast: dimension size mismatch in dimension",
                axis,
                "lengths=",
                lengths,
                "dim_size=",
                size,
            ],
            summarize=10,
        )
        with scopes.control_dependencies([checked]):
            if self.is_ragged(axis):
                return RaggedTensorDynamicShape(
                    self._partitioned, identity(self._inner), self.dim_size_dtype
                )
            if rank == 0:
                lengths = where(equal(size, 1), lengths, size)
            if axis < len(self._partitioned):
                return self._with_partitioned(axis, lengths)
            return self._with_inner(axis, lengths)

    def _with_partitioned(self, axis: int, lengths: Any) -> RaggedTensorDynamicShape:
        """With the slices behind a uniform dimension repeated as these lengths say."""
        kind = self.dim_size_dtype
        outer = self.num_slices_in_dimension(axis - 1)
        if lengths.shape.rank == 0:
            numbers: Any = range_of(outer * lengths)
            numbers = where(
                fill(array_shape.shape(numbers), equal(self.dimension_size(axis), 1)),
                numbers // lengths,
                numbers,
            )
        else:
            numbers = repeat(range_of(cast(outer, kind)), lengths, axis=0)
        sizes = [*self._partitioned[:axis], lengths]
        for size in self._partitioned[axis + 1 :]:
            if size.shape.rank == 0:
                sizes.append(size)
                starts = numbers * size
                limits = starts + size
            else:
                splits: Any = lengths_to_splits(size)
                sizes.append(gather(size, numbers))
                starts, limits = gather(splits[:-1], numbers), gather(splits[1:], numbers)
            numbers = ragged_range(starts, limits).flat_values
        return RaggedTensorDynamicShape(sizes, self._inner, kind)

    def _with_inner(self, axis: int, lengths: Any) -> RaggedTensorDynamicShape:
        place, inner = axis - len(self._partitioned), self._inner
        sizes: Any = inner
        before, after = sizes[:place], sizes[place + 1 :]
        if lengths.shape.rank == 0:
            inner = concat([before, [lengths], after], 0)
            return RaggedTensorDynamicShape(self._partitioned, inner, self.dim_size_dtype)
        if axis == 0:
            raise ValueError("Unable to broadcast: outermost dimension must be uniform.")
        uniform = [sizes[i] for i in range(place)]
        return RaggedTensorDynamicShape([*self._partitioned, *uniform, lengths], after)


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> RaggedTensorDynamicShape:
    """The shape that two stretch to.

    Raises:
      TypeError: One is no RaggedTensorDynamicShape.
      ValueError: It is not known how many dimensions one has.
    """
    for name, shape in (("shape_x", shape_x), ("shape_y", shape_y)):
        if not isinstance(shape, RaggedTensorDynamicShape):
            raise TypeError(f"{name} must be a RaggedTensorDynamicShape")
    if shape_x.rank is None or shape_y.rank is None:
        raise ValueError("Unable to broadcast: unknown rank")
    rank = max(shape_x.rank, shape_y.rank)
    x: RaggedTensorDynamicShape = shape_x.broadcast_to_rank(rank)
    y: RaggedTensorDynamicShape = shape_y.broadcast_to_rank(rank)
    for axis in range(rank):
        x = x.broadcast_dimension(axis, y.dimension_size(axis))
        y = y.broadcast_dimension(axis, x.dimension_size(axis))
    return x


def broadcast_to(rt_input: Any, shape: Any, broadcast_inner_dimensions: bool = True) -> Any:
    """A tensor, ragged or not, stretched to a shape.

    Args:
      rt_input: The tensor.
      shape: A RaggedTensorDynamicShape that it fits.
      broadcast_inner_dimensions: Whether dimensions of flat values are stretched, too.

    Raises:
      TypeError: The shape is none.
      ValueError: Ranks do not fit or are not known, or types of sizes differ.
    """
    if not isinstance(shape, RaggedTensorDynamicShape):
        raise TypeError("shape must be a RaggedTensorDynamicShape")
    x = as_ragged_or_tensor(rt_input)
    count = shape.num_partitioned_dimensions
    if not count:
        if is_ragged(x):
            raise ValueError("Incompatible with shape: ragged rank mismatch")
        return broadcast_dense(x, shape.inner_dim_sizes) if broadcast_inner_dimensions else x
    if is_ragged(x) and x.row_splits.dtype != shape.dim_size_dtype:
        raise ValueError(
            "rt_input and dst_shape have different row_split dtypes; use "
            "RaggedTensor.with_row_splits_dtype() or "
            "RaggedTensorDynamicShape.with_dim_size_dtype() to convert to a compatible dtype."
        )
    if x.shape.rank is None or shape.rank is None:
        raise ValueError("Unable to broadcast: unknown rank")
    if x.shape.rank > shape.rank:
        raise ValueError("Incompatible with shape: rank mismatch")
    if is_ragged(x) and x.ragged_rank >= count:
        raise ValueError("Incompatible with shape: ragged rank mismatch")
    own = RaggedTensorDynamicShape.from_tensor(x, shape.dim_size_dtype)
    own = own.broadcast_to_rank(shape.rank)
    flat = x.flat_values if is_ragged(x) else x
    apart: Any = own.inner_dim_sizes
    apart = apart[count - own.num_partitioned_dimensions :]
    slices = array_shape.reshape(flat, concat([constant([-1], apart.dtype), apart], 0))
    values, lengths = gather(slices, _taken(own, shape)), _row_lengths(shape)
    if broadcast_inner_dimensions:
        one = ones([1], shape.dim_size_dtype)
        sizes = array_shape.shape(values, out_type=shape.dim_size_dtype)
        wanted = broadcast_sizes(sizes, concat([one, shape.inner_dim_sizes], 0))
        values = broadcast_dense(values, wanted)
    return RaggedTensor.from_nested_row_lengths(values, lengths, validate=False)


def _row_lengths(shape: RaggedTensorDynamicShape) -> list[Any]:
    """The lengths of the rows of each dimension that splits describe, without the first."""
    return [
        size if size.shape.rank == 1 else fill([shape.num_slices_in_dimension(axis)], size)
        for axis, size in enumerate(shape.partitioned_dim_sizes[1:])
    ]


def _taken(own: RaggedTensorDynamicShape, shape: RaggedTensorDynamicShape) -> Any:
    """The number of the slice that stands at each place of the shape's partitioned dimensions."""
    first = shape.dimension_size(0)
    numbers: Any = range_of(first)
    numbers = where(fill([first], equal(own.dimension_size(0), 1)), numbers * 0, numbers)
    for axis, lengths in enumerate(_row_lengths(shape), start=1):
        size = own.dimension_size(axis)
        if size.shape.rank == 1:
            splits: Any = lengths_to_splits(size)
            starts, sizes = gather(splits[:-1], numbers), gather(size, numbers)
        else:
            starts, sizes = numbers * size, fill(array_shape.shape(numbers), size)
        places: Any = ragged_range(constant(0, lengths.dtype), lengths).flat_values
        stretched = repeat(cast(equal(sizes, 1), lengths.dtype), lengths, axis=0)
        numbers = repeat(starts, lengths, axis=0) + places * (1 - stretched)
    return numbers
