"""What the components of elements are: specs, and how a component is kept in tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from dataflow.graph import constant_value as constants
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
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
        other = spec_or_value if isinstance(spec_or_value, TypeSpec) else spec_of(spec_or_value)
        return type(other) is type(self) and self._fits(other)

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
        """True if there may be a tensor that is described by both."""
        return super().is_compatible_with(spec_or_tensor)

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
            raise ValueError("Slicing dataset elements is not supported for rank 0.")
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

    def is_subtype_of(self, other: Any) -> bool:
        """True if all that it describes is described by the other one."""
        return bool(self == other)

    def most_specific_common_supertype(self, others: Any) -> Any:
        """Itself if the others are the same; else None."""
        return self if all(self == other for other in others) else None

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

    def _to_tensor_list(self, value: Any) -> list[Tensor]:
        return [value._variant_tensor]

    def _from_tensor_list(self, tensors: Sequence[Tensor]) -> Any:
        (variant,) = tensors
        return OptionalSpec._wrap(variant, self._element_spec)


def spec_of(value: Any) -> TypeSpec:
    """Describes a component: a sparse tensor, a dataset, an optional, or what becomes a tensor.

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
    known = getattr(value, "_type_spec", None)
    if isinstance(known, TypeSpec):
        return known
    tensor = convert_to_tensor(value)
    return TensorSpec(tensor.shape, tensor.dtype.base_dtype)
