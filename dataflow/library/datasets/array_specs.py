"""TensorArraySpec: describes a TensorArray; as a component of an element it is kept as a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.control_flow.tensor_array import TensorArray
from dataflow.graph import scopes
from dataflow.graph.tensor import Tensor
from dataflow.library.datasets.specs import TypeSpec
from dataflow.ops.lists import tensor_list_nodes as lists
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape, as_shape


class TensorArraySpec(TypeSpec):
    """Describes a `tf.TensorArray`.

    Args:
      element_shape: What is known of its elements' shape; None for nothing.
      dtype: Their element type.
      dynamic_size: Whether it grows.
      infer_shape: Whether all elements have one shape.
    """

    value_type = TensorArray

    def __init__(
        self,
        element_shape: Any = None,
        dtype: Any = dtypes.float32,
        dynamic_size: bool | None = False,
        infer_shape: bool | None = True,
    ) -> None:
        self._element_shape = as_shape(element_shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._dynamic_size = dynamic_size
        self._infer_shape = infer_shape

    @staticmethod
    def from_value(value: Any) -> TensorArraySpec:
        """The spec of an array.

        Raises:
          TypeError: It is none.
        """
        if not isinstance(value, TensorArray):
            raise TypeError(f"Expected value to be a TensorArray, but saw: {type(value)}")
        return TensorArraySpec(
            value.element_shape, value.dtype, value.dynamic_size, value._infer_shape
        )

    @staticmethod
    def _from_legacy(dtype: Any, shape: Any) -> TensorArraySpec:
        dynamic_size, infer_shape, *sizes = as_shape(shape).as_list()
        flags = (None if flag is None else bool(flag) for flag in (dynamic_size, infer_shape))
        return TensorArraySpec(sizes, dtype, *flags)

    @property
    def _legacy_type(self) -> Any:
        return self._dtype

    @property
    def _legacy_shape(self) -> Any:
        flags = TensorShape([self._dynamic_size, self._infer_shape])
        return flags.concatenate(self._element_shape)

    def _key(self) -> tuple[Any, ...]:
        return self._element_shape, self._dtype, self._dynamic_size, self._infer_shape

    def is_compatible_with(self, other: Any) -> bool:
        """True if there may be an array that is described by both."""
        return super().is_compatible_with(other)

    def _fits(self, other: Any) -> bool:
        return bool(
            self._dtype == other._dtype
            and self._dynamic_size == other._dynamic_size
            and self._element_shape.is_compatible_with(other._element_shape)
        )

    def _relaxed(self, other: TypeSpec) -> Any:
        if not isinstance(other, TensorArraySpec) or not self._fits(other):
            raise TypeError(f"Incompatible types: {self} and {other}.")
        return TensorArraySpec(
            self._element_shape.most_specific_compatible_shape(other._element_shape),
            self._dtype,
            self._dynamic_size,
            self._infer_shape and other._infer_shape,
        )

    def _parts(self) -> list[tuple[DType, TensorShape]]:
        return [(dtypes.variant, TensorShape([]))]

    def _to_tensor_list(self, value: Any) -> list[Tensor]:
        if not isinstance(value, TensorArray):
            raise TypeError(f"value must be a TensorArray, but saw: {type(value)}")
        if value.flow.dtype == dtypes.variant:
            return [value.flow]
        with scopes.name_scope("convert_tensor_array"):
            return [lists.from_tensor(value.stack(), value.element_shape)]

    def _from_tensor_list(self, tensors: Sequence[Tensor]) -> Any:
        (flow,) = tensors
        array = TensorArray(
            self._dtype,
            flow=flow,
            dynamic_size=self._dynamic_size,
            infer_shape=bool(self._infer_shape),
        )
        array._implementation.set_element_shape(self._element_shape)
        return array

    def __repr__(self) -> str:
        return (
            f"TensorArraySpec({self._element_shape!r}, {self._dtype!r}, {self._dynamic_size}, "
            f"{self._infer_shape})"
        )


def tensor_array_structure(
    dtype: Any, element_shape: Any, dynamic_size: bool, infer_shape: bool
) -> TensorArraySpec:
    """Describes an array."""
    return TensorArraySpec(element_shape, dtype, dynamic_size, infer_shape)


TensorArray._type_spec = property(TensorArraySpec.from_value)
