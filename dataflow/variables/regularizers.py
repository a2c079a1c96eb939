"""Regularization losses: made anew for whoever uses one, inside a loop or cond as well."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.graph.arithmetic import Arithmetic
from dataflow.graph.convert import register_tensor_conversion_function
from dataflow.graph.graph import Graph
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor, lend_operators
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape


def no_regularizer(_: Any) -> None:
    """For `regularizer`: no loss, whatever the scope's regularizer is."""


class RegularizationLoss(Arithmetic):
    """A tensor that is computed by operations of its own wherever it is used.

    Args:
      make: Adds the operations and returns the tensor.
    """

    _is_dense_tensor_like = True

    def __init__(self, make: Callable[[], Tensor]) -> None:
        self._make = make
        self._first = make()

    def _as_graph_element(self) -> Tensor:
        return self._first

    def _as_tensor(self) -> Tensor:
        return self._make()

    @property
    def device(self) -> str:
        """Device asked for."""
        return self._first.device

    @property
    def dtype(self) -> DType:
        """Element type."""
        return self._first.dtype

    @property
    def graph(self) -> Graph:
        """The graph that holds the tensor."""
        return self._first.graph

    @property
    def name(self) -> str:
        """Name of the tensor that a fetch gives."""
        return self._first.name

    @property
    def op(self) -> Operation:
        """The operation that computes what a fetch gives."""
        return self._first.op

    @property
    def shape(self) -> TensorShape:
        """Static shape."""
        return self._first.shape

    @property
    def value_index(self) -> int:
        """Which output of `op` a fetch gives."""
        return self._first.value_index

    def consumers(self) -> list[Operation]:
        """The operations that use what a fetch gives."""
        return self._first.consumers()

    def experimental_ref(self) -> Any:
        """The same as `ref`."""
        return self._first.ref()

    def get_shape(self) -> TensorShape:
        """Static shape."""
        return self._first.shape

    def ref(self) -> Any:
        """Stands for what a fetch gives in sets and as a key."""
        return self._first.ref()

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """The value in `session`, or in the default session."""
        return self._as_tensor().eval(feed_dict, session)

    def __str__(self) -> str:
        return str(self._first)


lend_operators(RegularizationLoss, lambda loss: loss._as_tensor(), without=("__eq__", "__ne__"))


def _to_tensor(
    value: RegularizationLoss, dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> Any:
    if as_ref or (dtype is not None and dtype != value.dtype):
        raise ValueError(f"A regularization loss is a {value.dtype.name} value, and no reference.")
    return value._as_tensor()


register_tensor_conversion_function(RegularizationLoss, _to_tensor)
