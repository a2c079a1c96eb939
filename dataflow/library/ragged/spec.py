"""RaggedTensorSpec: describes ragged tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph.tensor import Tensor
from dataflow.library.datasets.specs import TypeSpec
from dataflow.library.ragged.tensor import RaggedTensor, as_ragged_or_tensor, is_ragged
from dataflow.library.ragged.values import RaggedTensorValue
from dataflow.ops.basic.single import single
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape, as_shape


class RaggedTensorSpec(TypeSpec):
    """Describes a ragged tensor.

    Args:
      shape: What is known of its sizes; None for nothing.
      dtype: Its element type.
      ragged_rank: How many dimensions are cut into rows; all but the last of `shape` by default.
      row_splits_dtype: int32 or int64.
      flat_values_spec: Describes the innermost values; then `dtype` is theirs.

    Raises:
      ValueError: Neither `shape` nor `ragged_rank` says how many dimensions are cut, or the
        arguments do not fit together.
      TypeError: `ragged_rank` is no integer.
    """

    value_type = RaggedTensor

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        ragged_rank: int | None = None,
        row_splits_dtype: Any = dtypes.int64,
        flat_values_spec: Any = None,
    ) -> None:
        self._shape = as_shape(shape)
        self._row_splits_dtype = dtypes.as_dtype(row_splits_dtype)
        if flat_values_spec is not None:
            if dtype is None:
                dtype = flat_values_spec.dtype
            elif dtypes.as_dtype(dtype) != flat_values_spec.dtype:
                raise ValueError(
                    f"dtype must be the same as flat_values_spec.dtype. Got dtype={dtype} and "
                    f"flat_values_spec.dtype={flat_values_spec.dtype}"
                )
        elif dtype is None:
            raise ValueError("At least one of dtype or flat_values_spec must be provided")
        self._dtype = dtypes.as_dtype(dtype)
        self._flat_values_spec = flat_values_spec
        rank = self._shape.rank
        if ragged_rank is None:
            if rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = rank - 1
        self._ragged_rank = ragged_rank
        if not isinstance(ragged_rank, int):
            raise TypeError("ragged_rank must be an int")
        if rank is not None and ragged_rank >= rank:
            raise ValueError("ragged_rank must be less than rank.")

    @property
    def shape(self) -> TensorShape:
        """What is known of the sizes."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._dtype

    @property
    def ragged_rank(self) -> int:
        """How many dimensions are cut into rows."""
        return self._ragged_rank

    @property
    def row_splits_dtype(self) -> DType:
        """The type in which rows are counted."""
        return self._row_splits_dtype

    @property
    def flat_values_spec(self) -> Any:
        """Describes the innermost values; None for a tensor."""
        return self._flat_values_spec

    @classmethod
    def from_value(cls, value: Any) -> RaggedTensorSpec:
        """The spec of a ragged tensor, or of its value."""
        splits = value.row_splits.dtype
        if isinstance(value, RaggedTensorValue):
            return cls(value.shape, value.dtype, value.ragged_rank, splits)
        if isinstance(value, RaggedTensor):
            return cls(value.shape, value.dtype, value.ragged_rank, splits)
        raise TypeError(f"Expected a RaggedTensor, got {value}")

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """True if there may be a ragged tensor that is described by both."""
        if self._ragged_rank == 0 and isinstance(spec_or_value, Tensor):
            return bool(
                self._dtype == spec_or_value.dtype
                and self._shape.is_compatible_with(spec_or_value.shape)
            )
        other = spec_or_value
        if is_ragged(other):
            other = self.from_value(other)
        return isinstance(other, RaggedTensorSpec) and self._fits(other)

    def _fits(self, other: Any) -> bool:
        return bool(
            self._dtype == other.dtype
            and self._ragged_rank == other.ragged_rank
            and self._row_splits_dtype == other.row_splits_dtype
            and self._shape.is_compatible_with(other.shape)
        )

    def _key(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype

    @property
    def _legacy_type(self) -> Any:
        return self._dtype

    @property
    def _legacy_shape(self) -> Any:
        return self._shape

    @property
    def _legacy_class(self) -> Any:
        return self

    def _parts(self) -> list[tuple[DType, TensorShape]]:
        return [(dtypes.variant, TensorShape(None))]

    def _to_tensor_list(self, value: Any) -> list[Tensor]:
        x = as_ragged_or_tensor(value, self._dtype, splits_dtype=self._row_splits_dtype)
        if self._ragged_rank == 0:
            return [_dense_to_variant(x, self._row_splits_dtype, False)]
        if not isinstance(x, RaggedTensor):
            x = RaggedTensor.from_tensor(
                x, ragged_rank=self._ragged_rank, row_splits_dtype=self._row_splits_dtype
            )
        return [x._to_variant()]

    def _to_batched_tensor_list(self, value: Any) -> list[Tensor]:
        x = as_ragged_or_tensor(value, self._dtype, splits_dtype=self._row_splits_dtype)
        if self._ragged_rank == 0:
            return [_dense_to_variant(x, self._row_splits_dtype, True)]
        if not isinstance(x, RaggedTensor):
            x = RaggedTensor.from_tensor(
                x, ragged_rank=self._ragged_rank, row_splits_dtype=self._row_splits_dtype
            )
        return [x._to_variant(batched_input=True)]

    def _from_tensor_list(self, tensors: Sequence[Tensor]) -> Any:
        (variant,) = tensors
        made = RaggedTensor._from_variant(
            variant,
            self._dtype,
            output_ragged_rank=self._ragged_rank,
            row_splits_dtype=self._row_splits_dtype,
        )
        if isinstance(made, RaggedTensor):
            made._set_shape(self._shape)
            flat = made.flat_values
            if self._shape.rank is not None:
                flat.set_shape(
                    TensorShape([None]).concatenate(self._shape[self._ragged_rank + 1 :])
                )
        else:
            made.set_shape(self._shape)
        return made

    def _batch(self, size: int | None) -> Any:
        return RaggedTensorSpec(
            TensorShape([size]).concatenate(self._shape),
            self._dtype,
            self._ragged_rank + 1,
            self._row_splits_dtype,
        )

    def _unbatch(self) -> Any:
        # What is left may be without rows, but is kept as it is: its lengths may differ.
        return RaggedTensorSpec(
            self._shape[1:] if self._shape.rank else self._shape,
            self._dtype,
            max(self._ragged_rank - 1, 0),
            self._row_splits_dtype,
        )

    def _relaxed(self, other: TypeSpec) -> Any:
        if not isinstance(other, RaggedTensorSpec) or self._key()[1:] != other._key()[1:]:
            raise TypeError(f"Incompatible types: {self} and {other}.")
        return RaggedTensorSpec(
            self._shape.most_specific_compatible_shape(other.shape),
            self._dtype,
            self._ragged_rank,
            self._row_splits_dtype,
        )

    def __repr__(self) -> str:
        return (
            f"RaggedTensorSpec({self._shape!r}, {self._dtype!r}, {self._ragged_rank}, "
            f"{self._row_splits_dtype!r})"
        )


def _dense_to_variant(x: Tensor, splits_dtype: DType, is_batch: bool) -> Tensor:
    return single("RaggedTensorToVariant", [], x, Tsplits=splits_dtype, batched_input=is_batch)


def ragged_tensor_structure(dtype: Any, shape: Any, ragged_rank: int) -> RaggedTensorSpec:
    """Describes a ragged tensor."""
    return RaggedTensorSpec(shape, dtype, ragged_rank)
