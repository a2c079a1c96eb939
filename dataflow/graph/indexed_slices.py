"""IndexedSlices: slices of a large tensor and where they belong, the form of sparse gradients."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from dataflow.graph import constant_value as constants
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor, register_tensor_conversion_function
from dataflow.graph.tensor import Tensor
from dataflow.values import dtypes
from dataflow.values.composite_tensor import CompositeTensor
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

if TYPE_CHECKING:
    from dataflow.graph.graph import Graph
    from dataflow.graph.operation import Operation


class IndexedSlicesValue(NamedTuple):
    """The value of an `IndexedSlices`: arrays."""

    values: Any
    indices: Any
    dense_shape: Any


class IndexedSlices(CompositeTensor):
    """Some slices of a tensor of shape `[N, ...]` along its first dimension.

    `dense[indices[i], ...] = values[i, ...]`; an index that comes twice means the sum.

    Args:
      values: The slices: a tensor of shape `[n, ...]`.
      indices: Where they belong: an integer tensor of shape `[n]`.
      dense_shape: Shape of the whole: an integer tensor, or None if it is not known.
    """

    def __init__(self, values: Tensor, indices: Tensor, dense_shape: Tensor | None = None) -> None:
        self._values = values
        self._indices = indices
        self._dense_shape = dense_shape

    @property
    def values(self) -> Tensor:
        """The slices."""
        return self._values

    @property
    def indices(self) -> Tensor:
        """Where the slices belong, along the first dimension."""
        return self._indices

    @property
    def dense_shape(self) -> Tensor | None:
        """Shape of the whole tensor, if known."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """Static shape of the whole tensor, as far as known."""
        if self._dense_shape is None:
            return TensorShape.of(None)
        return constants.constant_value_as_shape(self._dense_shape)

    def get_shape(self) -> TensorShape:
        """Static shape of the whole tensor, as far as known."""
        return self.shape

    @property
    def name(self) -> str:
        """Name of `values`."""
        return self._values.name

    @property
    def device(self) -> str:
        """Device asked for the operation that makes `values`."""
        return self._values.device

    @property
    def op(self) -> Operation:
        """The operation that makes `values`."""
        return self._values.op

    @property
    def dtype(self) -> DType:
        """Element type of `values`."""
        return self._values.dtype

    @property
    def graph(self) -> Graph:
        """The graph that holds the tensors."""
        return self._values.graph

    def consumers(self) -> list[Operation]:
        """The operations that take one of the tensors as an input."""
        found = (op for tensor in self._components() for op in tensor.consumers())
        return list(dict.fromkeys(found))

    def _components(self) -> tuple[Tensor, ...]:
        if self._dense_shape is None:
            return self._values, self._indices
        return self._values, self._indices, self._dense_shape

    @classmethod
    def _value_of_components(cls, arrays: Sequence[Any]) -> IndexedSlicesValue:
        return IndexedSlicesValue(*arrays, *[None] * (3 - len(arrays)))

    @classmethod
    def _from_components(cls, components: Sequence[Any]) -> IndexedSlices:
        return cls(*components)

    def __str__(self) -> str:
        shape = "" if self._dense_shape is None else f", dense_shape={self._dense_shape}"
        return f"IndexedSlices(indices={self._indices}, values={self._values}{shape})"

    def __neg__(self) -> IndexedSlices:
        negated: Any = self._values
        return IndexedSlices(-negated, self._indices, self._dense_shape)


def convert_to_tensor_or_indexed_slices(
    value: Any, dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> Any:
    """Like `convert_to_tensor`; `IndexedSlices` and `SparseTensor` are returned as they are.

    Raises:
      ValueError: `value` is one of those and of another dtype.
    """
    if not isinstance(value, CompositeTensor):
        return convert_to_tensor(value, dtype=dtype, name=name, as_ref=as_ref)
    held: Any = value
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(held.dtype):
        raise ValueError(
            f"Tensor conversion requested dtype {dtypes.as_dtype(dtype).name} for Tensor with "
            f"dtype {held.dtype.name}: {value}"
        )
    return value


def convert_n_to_tensor_or_indexed_slices(
    values: Iterable[Any], dtype: Any = None, name: str | None = None
) -> list[Any]:
    """Converts several values, naming what is made `name_0`, `name_1`, ...; None stays None.

    Raises:
      TypeError: `values` cannot be iterated over.
    """
    if not isinstance(values, Iterable):
        raise TypeError("Argument `values` must be iterable.")
    return [
        None
        if value is None
        else convert_to_tensor_or_indexed_slices(
            value, dtype, None if name is None else f"{name}_{index}"
        )
        for index, value in enumerate(values)
    ]


_LARGE = 100_000_000
"""Elements of a dense tensor from which on its making is worth a warning."""


def _to_dense(
    value: IndexedSlices, dtype: DType | None = None, name: str | None = None, as_ref: bool = False
) -> Any:
    """The whole tensor, zero where there is no slice."""
    if dtype is not None and not dtype.is_compatible_with(value.dtype):
        raise ValueError(
            f"Tensor conversion requested dtype {dtype.name} for IndexedSlices with dtype "
            f"{value.dtype.name}"
        )
    shape: Any = value.dense_shape
    if shape is None:
        raise ValueError(
            f"Tensor conversion requested for IndexedSlices without dense_shape: {value}"
        )
    known = constants.constant_value(shape) if isinstance(shape, Tensor) else shape
    if known is not None:
        elements = math.prod(map(int, known))
        if elements >= _LARGE:
            warnings.warn(
                f"Converting sparse IndexedSlices to a dense Tensor with {elements} elements. This "
                "may consume a large amount of memory.",
                stacklevel=2,
            )
    return apply_op("UnsortedSegmentSum", value.values, value.indices, shape[0], name=name)


register_tensor_conversion_function(IndexedSlices, _to_dense)


def with_values(grad: Any, change: Callable[[Any], Any]) -> Any:
    """What a function makes of a gradient, or of the slices of a sparse one; None stays None."""
    if grad is None:
        return None
    if isinstance(grad, IndexedSlices):
        return IndexedSlices(change(grad.values), grad.indices, grad.dense_shape)
    return change(grad)


def scaled(grad: Any, factor: Any) -> Any:
    """A gradient times a factor; None stays None."""
    return with_values(grad, lambda values: values * factor)
