"""Columns of numbers: as they are, and as the ranges that they lie in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.feature_columns.inputs import CategoricalColumn, DenseColumn, Inputs
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.library.public_modules import public_module
from dataflow.ops.array.broadcast import tile
from dataflow.ops.array.concat import stack
from dataflow.ops.array.select import one_hot
from dataflow.ops.array.transpose import transpose
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.basic.single import single
from dataflow.values import dtypes, nest
from dataflow.values.shapes import TensorShape


@dataclass(frozen=True)
class NumericColumn(DenseColumn):
    """Numbers of a feature."""

    key: str
    shape: tuple[int, ...]
    default_value: Any
    dtype: Any
    normalizer_fn: Callable[[Any], Any] | None

    @property
    def name(self) -> str:
        """The name of the feature."""
        return self.key

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """See `FeatureColumn`."""
        feature = public_module("io").FixedLenFeature
        return {self.key: feature(self.shape, self.dtype, self.default_value)}

    @property
    def variable_shape(self) -> TensorShape:
        """See `DenseColumn`."""
        return TensorShape(self.shape)

    def transformed(self, inputs: Inputs) -> Tensor:
        """The numbers, normalized, as float32."""
        value = inputs.get(self.key)
        if isinstance(value, SparseTensor):
            raise ValueError(
                "The corresponding Tensor of numerical column must be a Tensor. SparseTensor is "
                f"not supported. key: {self.key}"
            )
        if self.normalizer_fn is not None:
            value = self.normalizer_fn(value)
        found: Tensor = cast(value, dtypes.float32)
        return found

    def dense(self, inputs: Inputs, trainable: bool, collections: Any) -> Tensor:
        """See `DenseColumn`."""
        found: Tensor = inputs.get(self)
        return found


@dataclass(frozen=True)
class BucketizedColumn(DenseColumn, CategoricalColumn):
    """Which of some ranges numbers lie in."""

    source_column: NumericColumn
    boundaries: tuple[float, ...]

    @property
    def name(self) -> str:
        """That of the numbers, with "_bucketized"."""
        return f"{self.source_column.name}_bucketized"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """See `FeatureColumn`."""
        return self.source_column.parse_example_spec

    @property
    def variable_shape(self) -> TensorShape:
        """See `DenseColumn`."""
        return TensorShape([*self.source_column.shape, len(self.boundaries) + 1])

    @property
    def num_buckets(self) -> int:
        """See `CategoricalColumn`: a number of ranges for each element."""
        return (len(self.boundaries) + 1) * self.source_column.shape[0]

    def transformed(self, inputs: Inputs) -> Tensor:
        """The number of the range of each element."""
        numbers = inputs.get(self.source_column)
        found: Tensor = single("Bucketize", numbers, boundaries=list(self.boundaries))
        return found

    def dense(self, inputs: Inputs, trainable: bool, collections: Any) -> Tensor:
        """See `DenseColumn`."""
        return one_hot(cast(inputs.get(self), dtypes.int64), len(self.boundaries) + 1, 1.0, 0.0)

    def ids_and_weights(self, inputs: Inputs) -> tuple[SparseTensor, SparseTensor | None]:
        """See `CategoricalColumn`."""
        buckets = inputs.get(self)
        batch: Any = array_shape.shape(buckets)[0]
        width = self.source_column.shape[0]
        rows = tile(array_shape.expand_dims(range_of(0, batch), 1), [1, width])
        columns: Any = tile(range_of(0, width), [batch])
        flat_rows = array_shape.reshape(rows, [-1])
        ids: Any = array_shape.reshape(buckets, [-1]) + (len(self.boundaries) + 1) * columns
        indices = cast(transpose(stack([flat_rows, columns])), dtypes.int64)
        shape = cast(stack([batch, width]), dtypes.int64)
        return SparseTensor(indices, ids, shape), None


def numeric_column(
    key: str,
    shape: Any = (1,),
    default_value: Any = None,
    dtype: Any = dtypes.float32,
    normalizer_fn: Callable[[Any], Any] | None = None,
) -> NumericColumn:
    """Numbers of a feature.

    Args:
      key: Its name.
      shape: Of the numbers of an example.
      default_value: What an example without the feature has, when it is parsed.
      dtype: The type in examples.
      normalizer_fn: A function of the numbers.

    Raises:
      ValueError: The shape is not positive, or the type is none of numbers.
      TypeError: The function cannot be called, or a dimension is no integer.
    """
    dims = tuple(shape) if nest.is_nested(shape) else (shape,)
    for size in dims:
        if not isinstance(size, int):
            raise TypeError(f"shape dimensions must be integer. shape: {dims}, key: {key}")
        if size < 1:
            raise ValueError(f"shape dimensions must be greater than 0. shape: {dims}, key: {key}")
    dtype = dtypes.as_dtype(dtype)
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {dtype}, key: {key}")
    default_value = _filled(default_value, dims, dtype, key)
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    check_key(key)
    return NumericColumn(key, dims, default_value, dtype, normalizer_fn)


def check_key(key: Any) -> None:
    """Does nothing for a string.

    Raises:
      ValueError: It is none.
    """
    if not isinstance(key, str):
        raise ValueError(f"key must be a string. Got: type {type(key)}. Given key: {key}.")


def _filled(value: Any, shape: tuple[int, ...], dtype: Any, key: Any) -> Any:
    """A default as tuples in a shape, one number for all of them repeated."""
    if value is None:
        return None
    kinds = (int, float) if dtype.is_floating else (int,)
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, kinds):
        for size in reversed(shape):
            value = (value,) * size
        return value
    if nest.is_nested(value):
        if not _fits(value, shape):
            raise ValueError(
                "The shape of default_value must be equal to given shape. default_value: "
                f"{value}, shape: {shape}, key: {key}"
            )
        if all(isinstance(each, kinds) for each in nest.flatten(value)):
            return _as_tuples(value)
    raise TypeError(
        f"default_value must be compatible with dtype. default_value: {value}, dtype: {dtype}, "
        f"key: {key}"
    )


def _fits(value: Any, shape: tuple[int, ...]) -> bool:
    if not shape or not nest.is_nested(value):
        return not shape and not nest.is_nested(value)
    return len(value) == shape[0] and all(_fits(each, shape[1:]) for each in value)


def _as_tuples(value: Any) -> Any:
    return tuple(_as_tuples(each) for each in value) if nest.is_nested(value) else value


def bucketized_column(source_column: Any, boundaries: Any) -> BucketizedColumn:
    """Which range numbers lie in: up to the first boundary, from there to the next, and so on.

    Args:
      source_column: A numeric column of one dimension.
      boundaries: Sorted numbers, at least one.

    Raises:
      ValueError: It is another column, or the boundaries are not sorted.
    """
    if not isinstance(source_column, NumericColumn):
        raise ValueError(
            "source_column must be a column generated with numeric_column(). Given: "
            f"{source_column}"
        )
    if len(source_column.shape) > 1:
        raise ValueError(f"source_column must be one-dimensional column. Given: {source_column}")
    if not boundaries:
        raise ValueError("boundaries must not be empty.")
    if not isinstance(boundaries, (list, tuple)) or any(
        boundaries[i] >= boundaries[i + 1] for i in range(len(boundaries) - 1)
    ):
        raise ValueError("boundaries must be a sorted list.")
    return BucketizedColumn(source_column, tuple(boundaries))
