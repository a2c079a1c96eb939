"""What the components of elements are: specs, and how a component is kept in tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from dataflow.graph import constant_value as constants
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.indexed_slices import IndexedSlices, IndexedSlicesValue
from dataflow.graph.sparse_tensor import SparseTensor, is_sparse
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape, as_shape


class TypeSpec:
    """Describes a component."""

    value_type: ClassVar[Any] = None
    """The class of what it describes."""

    def _parts(self) -> list[tuple[DType, TensorShape]]:
        """Element type and shape of each tensor that a component is kept in."""
        raise NotImplementedError

    def _to_tensor_list(self, value: Any) -> list[Tensor]:
        """The tensors that a component is kept in."""
        raise NotImplementedError

    def _from_tensor_list(self, tensors: Sequence[Tensor]) -> Any:
        """The component that is kept in tensors."""
        raise NotImplementedError

    def _to_batched_tensor_list(self, value: Any) -> list[Tensor]:
        """The tensors that components are kept in which are batched in one value."""
        return self._to_tensor_list(value)

    def _batch(self, size: int | None) -> TypeSpec:
        """Describes a batch of components."""
        raise NotImplementedError

    def _unbatch(self) -> TypeSpec:
        """Describes one of the components that a batch is made of.

        Raises:
          ValueError: It has no first dimension.
        """
        raise NotImplementedError

    @property
    def _legacy_type(self) -> Any:
        """What `output_types` says of the component."""
        raise NotImplementedError

    @property
    def _legacy_shape(self) -> Any:
        """What `output_shapes` says of it."""
        raise NotImplementedError

    @property
    def _legacy_class(self) -> Any:
        """What `output_classes` says of it."""
        return self.value_type

    def _relaxed(self, other: TypeSpec) -> TypeSpec:
        """The most that is true of what both describe.

        Raises:
          TypeError: They describe different things.
        """
        raise NotImplementedError

    def _key(self) -> tuple[Any, ...]:
        raise NotImplementedError

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """True if there may be a value that is described by both."""
        if spec_or_value is None:
            return False
        other = spec_or_value if isinstance(spec_or_value, TypeSpec) else spec_of(spec_or_value)
        return type(other) is type(self) and self._fits(other)

    def most_specific_compatible_type(self, other: TypeSpec) -> Any:
        """The most that is true of what both describe.

        Raises:
          ValueError: They describe different things.
        """
        if type(other) is type(self):
            try:
                return self._relaxed(other)
            except TypeError:
                pass
        raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")

    def is_subtype_of(self, other: Any) -> bool:
        """True if all that it describes is described by the other one."""
        if type(other) is not type(self):
            return False
        try:
            return bool(self.most_specific_compatible_type(other)._key() == other._key())
        except ValueError:
            return False

    def most_specific_common_supertype(self, others: Sequence[TypeSpec]) -> Any:
        """The most that is true of what it and the others describe; None if there is no such."""
        common = self
        try:
            for other in others:
                common = common.most_specific_compatible_type(other)
        except ValueError:
            return None
        return common

    def _fits(self, other: Any) -> bool:
        return bool(self._key() == other._key())

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._key() == other._key()

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((type(self).__name__, str(self._key())))

    def __reduce__(self) -> Any:
        return type(self), self._key()


class _Dense(TypeSpec):
    """Base of specs with a shape and an element type."""

    def __init__(self, shape: Any, dtype: Any) -> None:
        self._shape = as_shape(shape)
        self._dtype = dtypes.as_dtype(dtype)

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._dtype

    @property
    def _legacy_type(self) -> Any:
        return self._dtype

    @property
    def _legacy_shape(self) -> Any:
        return self._shape

    def _key(self) -> tuple[Any, ...]:
        return self._shape, self._dtype

    def _fits(self, other: Any) -> bool:
        return bool(self._dtype == other.dtype and self._shape.is_compatible_with(other.shape))

    def _batch(self, size: int | None) -> Any:
        return type(self)(TensorShape([size]).concatenate(self._shape), self._dtype)

    def _unbatch(self) -> Any:
        if self._shape.rank == 0:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        return type(self)(self._shape[1:] if self._shape.rank else self._shape, self._dtype)

    def _relaxed(self, other: TypeSpec) -> Any:
        if type(other) is not type(self) or other.dtype != self._dtype:
            raise TypeError(f"Incompatible types: {self} and {other}.")
        return type(self)(self._shape.most_specific_compatible_shape(other.shape), self._dtype)


class TensorSpec(_Dense):
    """Describes a tensor.

    Args:
      shape: What is known of its shape.
      dtype: Its element type.
      name: Its name.
    """

    value_type = Tensor

    def __init__(self, shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> None:
        super().__init__(shape, dtype)
        self._name = name

    @property
    def name(self) -> str | None:
        """The name."""
        return self._name

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """The spec of a tensor."""
        return cls(tensor.shape, tensor.dtype, name or tensor.op.name)

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> TensorSpec:
        """The spec of another one, with a name."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    def is_compatible_with(self, spec_or_tensor: Any) -> bool:
        """True if it describes the tensor, or there may be one that both describe.

        What is neither a tensor nor a description of one, such as a variable, is never compatible.
        """
        return (
            isinstance(spec_or_tensor, (Tensor, TensorSpec))
            and self._dtype.is_compatible_with(spec_or_tensor.dtype)
            and self._shape.is_compatible_with(spec_or_tensor.shape)
        )

    def is_subtype_of(self, other: Any) -> bool:
        """True if all that it describes is described by the other one.

        One without a name describes what one with a name does.
        """
        return (
            isinstance(other, TensorSpec)
            and self._name in (None, other.name)
            and self._dtype == other.dtype
            and self._shape.is_subtype_of(other.shape)
        )

    def _key(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._name

    def _relaxed(self, other: TypeSpec) -> Any:
        common = super()._relaxed(other)
        if getattr(other, "_name", None) != self._name:
            raise TypeError(f"Incompatible types: {self} and {other}.")
        return TensorSpec(common.shape, self._dtype, self._name)

    def _parts(self) -> list[tuple[DType, TensorShape]]:
        return [(self._dtype, self._shape)]

    def _to_tensor_list(self, value: Any) -> list[Tensor]:
        try:
            tensor = convert_to_tensor(value, dtype=self._dtype)
            fits = tensor.shape.is_compatible_with(self._shape)
        except (TypeError, ValueError):
            fits = False
        if not fits:
            raise ValueError(
                f"Value {value} is not convertible to a tensor with dtype {self._dtype!r} and "
                f"shape {self._shape}."
            )
        return [tensor]

    def _from_tensor_list(self, tensors: Sequence[Tensor]) -> Any:
        (tensor,) = tensors
        tensor.set_shape(self._shape)
        return tensor

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"


_SERIALIZED = TensorShape([3])


class SparseTensorSpec(_Dense):
    """Describes a sparse tensor.

    Args:
      shape: What is known of its shape; None for nothing.
      dtype: Its element type.
    """

    value_type = SparseTensor

    def __init__(self, shape: Any = None, dtype: Any = dtypes.float32) -> None:
        super().__init__(shape, dtype)

    @classmethod
    def from_value(cls, value: Any) -> SparseTensorSpec:
        """The spec of a sparse tensor, or of the value of one.

        Raises:
          TypeError: It is something else.
        """
        if not is_sparse(value):
            raise TypeError(
                f"Expected SparseTensor or SparseTensorValue. Received: {value} of type "
                f"{type(value).__name__}."
            )
        spec = spec_of(value)
        assert isinstance(spec, SparseTensorSpec)
        return spec

    def _parts(self) -> list[tuple[DType, TensorShape]]:
        return [(dtypes.variant, TensorShape(None))]

    def _to_tensor_list(self, value: Any) -> list[Tensor]:
        value = SparseTensor.from_value(value)
        return [
            single(
                "SerializeSparse",
                value.indices,
                value.values,
                value.dense_shape,
                out_type=dtypes.variant,
            )
        ]

    def _to_batched_tensor_list(self, value: Any) -> list[Tensor]:
        value = SparseTensor.from_value(value)
        return [
            single(
                "SerializeManySparse",
                value.indices,
                value.values,
                value.dense_shape,
                out_type=dtypes.variant,
            )
        ]

    def _from_tensor_list(self, tensors: Sequence[Tensor]) -> Any:
        (serialized,) = tensors
        indices, values, shape = apply_op("DeserializeSparse", serialized, dtype=self._dtype)
        indices.set_shape([None, self._shape.rank])
        shape.set_shape([self._shape.rank])
        made = SparseTensor(indices, values, shape)
        made._shape = self._shape
        return made

    def __repr__(self) -> str:
        return f"SparseTensorSpec({self._shape!r}, {self._dtype!r})"


class IndexedSlicesSpec(TypeSpec):
    """Describes `IndexedSlices`.

    Args:
      shape: What is known of the shape of the whole; None for nothing.
      dtype: The element type of the slices.
      indices_dtype: That of the indices.
      dense_shape_dtype: That of the shape of the whole; None for values without one.
      indices_shape: What is known of the shape of the indices.
    """

    value_type = IndexedSlices

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        indices_dtype: Any = dtypes.int64,
        dense_shape_dtype: Any = None,
        indices_shape: Any = None,
    ) -> None:
        self._shape = as_shape(shape)
        self._values_dtype = dtypes.as_dtype(dtype)
        self._indices_dtype = dtypes.as_dtype(indices_dtype)
        self._dense_shape_dtype = (
            None if dense_shape_dtype is None else dtypes.as_dtype(dense_shape_dtype)
        )
        self._indices_shape = as_shape(indices_shape).with_rank(1)

    def _key(self) -> tuple[Any, ...]:
        return (
            self._shape,
            self._values_dtype,
            self._indices_dtype,
            self._dense_shape_dtype,
            self._indices_shape,
        )

    _serialize = _key

    @property
    def _component_specs(self) -> tuple[TensorSpec, ...]:
        values = self._indices_shape.concatenate(self._shape[1:])
        specs = (
            TensorSpec(values, self._values_dtype),
            TensorSpec(self._indices_shape, self._indices_dtype),
        )
        if self._dense_shape_dtype is None:
            return specs
        return (*specs, TensorSpec([self._shape.ndims], self._dense_shape_dtype))

    def _parts(self) -> list[tuple[DType, TensorShape]]:
        return [(each.dtype, each.shape) for each in self._component_specs]

    def _to_tensor_list(self, value: Any) -> list[Tensor]:
        return list(self._to_components(value))

    def _from_tensor_list(self, tensors: Sequence[Tensor]) -> Any:
        return self._from_components(tensors)

    @property
    def _legacy_type(self) -> Any:
        return self

    @property
    def _legacy_shape(self) -> Any:
        return self

    @property
    def _legacy_class(self) -> Any:
        return self

    def _to_components(self, value: IndexedSlices) -> tuple[Any, ...]:
        parts = (value.values, value.indices)
        return parts if value.dense_shape is None else (*parts, value.dense_shape)

    def _from_components(self, tensor_list: Sequence[Any]) -> Any:
        parts = [*tensor_list, None][:3]
        if all(isinstance(each, np.ndarray) for each in tensor_list):
            return IndexedSlicesValue(*parts)
        return IndexedSlices(*parts)

    def _fits(self, other: Any) -> bool:
        same = (self._values_dtype, self._indices_dtype, self._dense_shape_dtype) == (
            other._values_dtype,
            other._indices_dtype,
            other._dense_shape_dtype,
        )
        return bool(
            same
            and self._shape.is_compatible_with(other._shape)
            and self._indices_shape.is_compatible_with(other._indices_shape)
        )

    def _relaxed(self, other: TypeSpec) -> IndexedSlicesSpec:
        if not isinstance(other, IndexedSlicesSpec) or self._key()[1:4] != other._key()[1:4]:
            raise TypeError(f"Incompatible types: {self} and {other}.")
        return IndexedSlicesSpec(
            self._shape.most_specific_compatible_shape(other._shape),
            self._values_dtype,
            self._indices_dtype,
            self._dense_shape_dtype,
            self._indices_shape.most_specific_compatible_shape(other._indices_shape),
        )

    def __repr__(self) -> str:
        return f"IndexedSlicesSpec{self._key()!r}"


class _Whole(TypeSpec):
    """Base of specs of what is kept in one tensor of dtype variant."""

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self._element_spec = element_spec
        self._outer = as_shape(dataset_shape)

    def _parts(self) -> list[tuple[DType, TensorShape]]:
        return [(dtypes.variant, self._outer)]

    def _batch(self, size: int | None) -> Any:
        return type(self)(self._element_spec, TensorShape([size]).concatenate(self._outer))

    def _unbatch(self) -> Any:
        if self._outer.rank == 0:
            raise ValueError("Unbatching a dataset is only supported for rank >= 1")
        return type(self)(self._element_spec, self._outer[1:])

    def _relaxed(self, other: TypeSpec) -> TypeSpec:
        if self != other:
            raise TypeError(f"Incompatible types: {self} and {other}.")
        return self

    @property
    def _legacy_type(self) -> Any:
        return self

    @property
    def _legacy_shape(self) -> Any:
        return self

    @property
    def _legacy_class(self) -> Any:
        return self

    def _key(self) -> tuple[Any, ...]:
        return self._element_spec, self._outer

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._element_spec!r}, {self._outer!r})"


class DatasetSpec(_Whole):
    """Describes a dataset.

    Args:
      element_spec: Describes its elements.
      dataset_shape: The shape of the tensor that holds it.
    """

    _wrap: ClassVar[Any] = None
    """Makes a dataset of a variant and the spec of its elements."""

    @property
    def element_spec(self) -> Any:
        """Describes the elements."""
        return self._element_spec

    @staticmethod
    def from_value(value: Any) -> DatasetSpec:
        """The spec of a dataset."""
        return DatasetSpec(value.element_spec)

    def _to_tensor_list(self, value: Any) -> list[Tensor]:
        return [value._variant_tensor]

    def _from_tensor_list(self, tensors: Sequence[Tensor]) -> Any:
        (variant,) = tensors
        return DatasetSpec._wrap(variant, self._element_spec)


class OptionalSpec(_Whole):
    """Describes an optional.

    Args:
      element_spec: Describes what it may hold.
    """

    _wrap: ClassVar[Any] = None

    @property
    def _value_structure(self) -> Any:
        """TensorFlow 1's name of the description."""
        return self._element_spec

    @staticmethod
    def from_value(value: Any) -> OptionalSpec:
        """Describes an optional that is there."""
        return OptionalSpec(value.value_structure)

    def _to_tensor_list(self, value: Any) -> list[Tensor]:
        return [value._variant_tensor]

    def _from_tensor_list(self, tensors: Sequence[Tensor]) -> Any:
        (variant,) = tensors
        return OptionalSpec._wrap(variant, self._element_spec)


def type_spec_from_value(value: Any) -> TypeSpec:
    """Describes a value: a tensor, what is made of tensors, or what becomes one.

    Raises:
      TypeError: It can become no tensor.
    """
    try:
        return spec_of(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"Could not build a TypeSpec for {value} of unsupported type {type(value)}."
        ) from None


def spec_of(value: Any) -> TypeSpec:
    """Describes a component: a sparse tensor, slices, a dataset, or what becomes a tensor.

    Raises:
      TypeError: It can become no tensor.
    """
    if isinstance(value, TypeSpec):
        return value
    if is_sparse(value):
        if not isinstance(value.values, (Tensor, np.ndarray)):
            value = SparseTensor.from_value(value)
        shape = getattr(value, "shape", None)
        if shape is None:
            shape = constants.constant_value_as_shape(convert_to_tensor(value.dense_shape))
        dtype = getattr(value, "dtype", None) or np.asarray(value.values).dtype
        return SparseTensorSpec(shape, dtype)
    if isinstance(value, IndexedSlices):
        shape = TensorShape([None]).concatenate(value.values.shape[1:]).merge_with(value.shape)
        shape_dtype = None if value.dense_shape is None else value.dense_shape.dtype
        indices = value.indices
        return IndexedSlicesSpec(shape, value.dtype, indices.dtype, shape_dtype, indices.shape)
    known = getattr(value, "_type_spec", None)
    if isinstance(known, TypeSpec):
        return known
    tensor = convert_to_tensor(value)
    return TensorSpec(tensor.shape, tensor.dtype.base_dtype)
