"""Names of `tensorflow.python.data.ops.iterator_ops`: the spec of iterators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph.tensor import Tensor
from dataflow.library.datasets.iterators import Iterator
from dataflow.library.datasets.specs import TypeSpec
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

__all__ = ["IteratorSpec"]


class IteratorSpec(TypeSpec):
    """Describes an iterator by its elements."""

    value_type = Iterator

    def __init__(self, element_spec: Any) -> None:
        """Takes the structure of specs of an element."""
        self._element_spec = element_spec

    def _parts(self) -> list[tuple[DType, TensorShape]]:
        return [(dtypes.resource, TensorShape.of(()))]

    def _to_tensor_list(self, value: Any) -> list[Tensor]:
        return [value._iterator_resource]

    def _from_tensor_list(self, tensors: Sequence[Tensor]) -> Any:
        return Iterator._of(tensors[0], None, self._element_spec)

    def _key(self) -> tuple[Any, ...]:
        return (self._element_spec,)

    def __repr__(self) -> str:
        return f"IteratorSpec({self._element_spec!r},)"
