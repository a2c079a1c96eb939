"""Descriptions of tensors whose elements lie between bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.library.datasets.specs import TensorSpec
from dataflow.values.dtypes import as_dtype


class BoundedTensorSpec(TensorSpec):
    """Describes a tensor whose elements lie between bounds, which belong to them.

    Args:
      shape: What is known of its shape.
      dtype: Its element type.
      minimum: The least values, which broadcast to the shape.
      maximum: The greatest values, which broadcast to the shape.
      name: Its name.

    Raises:
      ValueError: A bound is None, or does not broadcast to the shape.
    """

    def __init__(
        self, shape: Any, dtype: Any, minimum: Any, maximum: Any, name: str | None = None
    ) -> None:
        super().__init__(shape, dtype, name)
        if minimum is None or maximum is None:
            raise ValueError(
                f"minimum and maximum must be provided; but saw '{minimum}' and '{maximum}'"
            )
        self._minimum = self._bound("minimum", minimum)
        self._maximum = self._bound("maximum", maximum)

    def _bound(self, which: str, values: Any) -> np.ndarray[Any, Any]:
        known = [1 if size is None else size for size in self.shape.as_list()]
        try:
            np.broadcast_shapes(np.shape(values), known)
        except ValueError as error:
            raise ValueError(f"{which} is not compatible with shape. Message: {error!r}.") from None
        bound = np.array(values, self.dtype.as_numpy_dtype)
        bound.setflags(write=False)
        return bound

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> BoundedTensorSpec:
        """The spec of another one; what that has no bounds for has those of its type."""
        dtype = as_dtype(spec.dtype)
        minimum = getattr(spec, "minimum", dtype.min)
        maximum = getattr(spec, "maximum", dtype.max)
        return cls(spec.shape, dtype, minimum, maximum, name or spec.name)

    @property
    def minimum(self) -> np.ndarray[Any, Any]:
        """The least values."""
        return self._minimum

    @property
    def maximum(self) -> np.ndarray[Any, Any]:
        """The greatest values."""
        return self._maximum

    def __repr__(self) -> str:
        return (
            f"BoundedTensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r}, "
            f"minimum={self.minimum!r}, maximum={self.maximum!r})"
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BoundedTensorSpec)
            and super().__eq__(other)
            and np.allclose(self.minimum, other.minimum)
            and np.allclose(self.maximum, other.maximum)
        )

    __hash__ = TensorSpec.__hash__

    def __reduce__(self) -> Any:
        return type(self), (self.shape, self.dtype, self.minimum, self.maximum, self.name)
