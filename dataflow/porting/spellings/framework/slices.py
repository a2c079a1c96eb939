"""tensorflow.python.framework.indexed_slices: what describes slices of a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dataflow.graph.indexed_slices import IndexedSlices, IndexedSlicesValue
from dataflow.library.datasets.specs import TensorSpec, TypeSpec
from dataflow.values.dtypes import as_dtype, float32, int64
from dataflow.values.shapes import as_shape


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
        dtype: Any = float32,
        indices_dtype: Any = int64,
        dense_shape_dtype: Any = None,
        indices_shape: Any = None,
    ) -> None:
        self._shape = as_shape(shape)
        self._values_dtype = as_dtype(dtype)
        self._indices_dtype = as_dtype(indices_dtype)
        self._dense_shape_dtype = None if dense_shape_dtype is None else as_dtype(dense_shape_dtype)
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

    def _to_components(self, value: IndexedSlices) -> tuple[Any, ...]:
        parts = (value.values, value.indices)
        return parts if value.dense_shape is None else (*parts, value.dense_shape)

    def _from_components(self, tensor_list: Sequence[Any]) -> Any:
        parts = [*tensor_list, None][:3]
        if all(isinstance(each, np.ndarray) for each in tensor_list):
            return IndexedSlicesValue(*parts)
        return IndexedSlices(*parts)
