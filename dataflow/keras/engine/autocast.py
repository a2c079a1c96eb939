"""Variables that are cast where a layer reads them, and inputs that are cast for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from dataflow.keras import ops
from dataflow.values import dtypes, nest
from dataflow.variables.resource_variable import ResourceVariable

_reading_as: ContextVar[Any] = ContextVar("_reading_as", default=None)


@contextmanager
def reading_as(dtype: Any) -> Iterator[None]:
    """Has variables of layers read as another type of floats; as they are for other types."""
    kind = None if dtype is None else dtypes.as_dtype(dtype)
    token = _reading_as.set(kind if kind is not None and kind.is_floating else None)
    try:
        yield
    finally:
        _reading_as.reset(token)


class AutoCastVariable(ResourceVariable):
    """A variable of floats whose values are of the type that the running layer computes with."""

    @property
    def dtype(self) -> Any:
        """Element type of what is read here."""
        return _reading_as.get() or self._dtype

    @property
    def true_dtype(self) -> Any:
        """Element type of what is kept."""
        return self._dtype

    def _cast(self, value: Any) -> Any:
        if self.dtype == self._dtype:
            return value
        with ops.colocate_with(None, ignore_existing=True), ops.device(value.device):
            return ops.cast(value, self.dtype)

    def value(self) -> Any:
        """The value, of the type that is read here."""
        return self._cast(super().value())

    def read_value(self) -> Any:
        """The value, read after the control dependencies in force here."""
        return self._cast(super().read_value())

    def sparse_read(self, indices: Any, name: str | None = None) -> Any:
        """Rows of the variable, of the type that is read here."""
        return self._cast(super().sparse_read(indices, name))

    def __repr__(self) -> str:
        return (
            f"<AutoCastVariable '{self.name}' shape={self.shape} dtype={self.dtype.name} "
            f"true_dtype={self.true_dtype.name}>"
        )


def cast_where_read(variable: Any) -> None:
    """Makes a new variable an `AutoCastVariable`: collections and graphs hold it already.

    Raises:
      ValueError: It is a reference variable, or one of other numbers than floats.
    """
    if not isinstance(variable, ResourceVariable):
        raise ValueError(f"variable must be of type tf.ResourceVariable, but got: {variable}")
    if not variable.dtype.is_floating:
        raise ValueError(
            f"variable must be a floating point variable but has type: {variable.dtype.name}"
        )
    variable.__class__ = AutoCastVariable


def cast_inputs(inputs: Any, dtype: Any) -> Any:
    """The same with all floats of one type, if that is one of floats."""
    if dtype is None or not dtypes.as_dtype(dtype).is_floating:
        return inputs
    kind = dtypes.as_dtype(dtype)

    def cast(each: Any) -> Any:
        is_tensor = isinstance(each, (ops.Tensor, ops.SparseTensor))
        if not is_tensor or not each.dtype.is_floating or each.dtype.base_dtype == kind:
            return each
        return ops.cast(each, kind)

    return nest.map_structure(cast, inputs)
