"""Gradient descent."""

from __future__ import annotations

from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.training.optimizer import Optimizer
from dataflow.training.single_op import as_type_of


class GradientDescentOptimizer(Optimizer):
    """Steps against the gradient: `variable -= learning_rate * gradient`.

    Args:
      learning_rate: A number, scalar tensor, or function without arguments that gives one.
      use_locking: Whether updates of reference variables exclude each other.
      name: Name of the scope of the operations.

    >>> w = tf.get_variable("w", initializer=4.0)
    >>> train = tf.train.GradientDescentOptimizer(0.25).minimize(w * w)
    >>> with tf.Session() as session:
    ...     session.run(w.initializer)
    ...     session.run(train)
    ...     print(session.run(w))
    2.0
    """

    def __init__(
        self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent"
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._learning_rate_tensor: Any = None

    def _prepare(self) -> None:
        rate = self._call_if_callable(self._learning_rate)
        self._learning_rate_tensor = convert_to_tensor(rate, name="learning_rate")

    def _self_update(self, var: Any, grad: Tensor, indices: Tensor | None) -> Operation:
        rate = as_type_of(var, self._learning_rate_tensor)
        return self._self_apply("GradientDescent", var, (), [rate, grad, indices])

    # Slices of one index are subtracted one after the other: their sum is not needed.

    def _apply_sparse_duplicate_indices(self, grad: IndexedSlices, var: Any) -> Any:
        values: Any = grad.values
        step = values * as_type_of(var, self._learning_rate_tensor)
        delta = IndexedSlices(step, grad.indices, grad.dense_shape)
        return var.scatter_sub(delta, use_locking=self._use_locking)

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Any, handle: Any, indices: Tensor
    ) -> Any:
        step = -grad * as_type_of(handle, self._learning_rate_tensor)
        return apply_op("ResourceScatterAdd", handle.handle, indices, step)
