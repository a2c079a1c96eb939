"""Accumulators of gradients as objects."""

from __future__ import annotations

from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.single import single
from dataflow.values import dtypes as _dtypes
from dataflow.values.shapes import TensorShape


class ConditionalAccumulatorBase:
    """Gradients of the current step, whose mean can be taken out once there are enough."""

    _prefix = "Resource"

    def __init__(self, dtype: Any, shape: Any, accumulator_ref: Tensor) -> None:
        """Wraps an accumulator's handle.

        Args:
          dtype: Element type of the gradients.
          shape: Their shape; None if it is not known.
          accumulator_ref: The handle.
        """
        self._dtype = dtype
        self._shape = TensorShape(shape)
        self._accumulator_ref = accumulator_ref
        self._name = accumulator_ref.op.name.split("/")[-1]

    @property
    def accumulator_ref(self) -> Tensor:
        """The accumulator's handle."""
        return self._accumulator_ref

    @property
    def name(self) -> str:
        """The last part of the name of the accumulator's op."""
        return self._name

    @property
    def dtype(self) -> Any:
        """Element type of the gradients."""
        return self._dtype

    def num_accumulated(self, name: str | None = None) -> Tensor:
        """How many gradients there are."""
        return single(
            f"{self._prefix}AccumulatorNumAccumulated",
            self._accumulator_ref,
            name=name or f"{self._name}_NumAccumulated",
        )

    def set_global_step(self, new_global_step: Any, name: str | None = None) -> Operation:
        """An operation that sets the step: gradients of earlier ones are dropped."""
        step = cast(convert_to_tensor(new_global_step), _dtypes.int64)
        added: Operation = apply_op(
            f"{self._prefix}AccumulatorSetGlobalStep", self._accumulator_ref, step, name=name
        )
        return added


class ConditionalAccumulator(ConditionalAccumulatorBase):
    """Takes dense gradients."""

    def __init__(
        self,
        dtype: Any,
        shape: Any = None,
        shared_name: str | None = None,
        name: str = "conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        """Makes an accumulator.

        Args:
          dtype: Element type of the gradients: float16, float32 or float64.
          shape: Their shape; None if it is not known.
          shared_name: Shares the accumulator among nodes and sessions under this name.
          name: The name of the op.
          reduction_type: "MEAN" or "SUM".
        """
        handle = single(
            "ResourceConditionalAccumulator",
            dtype=dtype,
            shape=shape,
            shared_name=shared_name,
            reduction_type=reduction_type,
            name=name,
        )
        super().__init__(dtype, shape, handle)

    def apply_grad(self, grad: Any, local_step: Any = 0, name: str | None = None) -> Operation:
        """An operation that adds a gradient, unless it comes too late.

        Args:
          grad: The gradient.
          local_step: The step at which it was computed.
          name: The operation's name.

        Raises:
          ValueError: The gradient has another shape.
        """
        grad = convert_to_tensor(grad, self._dtype)
        grad.shape.assert_is_compatible_with(self._shape)
        step = cast(convert_to_tensor(local_step), _dtypes.int64)
        added: Operation = apply_op(
            "ResourceAccumulatorApplyGradient", self._accumulator_ref, step, grad, name=name
        )
        return added

    def take_grad(self, num_required: Any, name: str | None = None) -> Tensor:
        """The mean, or sum, of the gradients once there are so many; a new step begins with it.

        When run, InvalidArgumentError: `num_required` is not positive.
        """
        taken = single(
            "ResourceAccumulatorTakeGradient",
            self._accumulator_ref,
            num_required,
            dtype=self._dtype,
            name=name,
        )
        taken.set_shape(self._shape)
        return taken


class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """Takes rows of gradients by their indices; the mean of each is over those that have it."""

    _prefix = ""

    def __init__(
        self,
        dtype: Any,
        shape: Any = None,
        shared_name: str | None = None,
        name: str = "sparse_conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        """Makes an accumulator; arguments as for ConditionalAccumulator."""
        handle = single(
            "SparseConditionalAccumulator",
            dtype=dtype,
            shape=shape,
            shared_name=shared_name,
            reduction_type=reduction_type,
            name=name,
        )
        super().__init__(dtype, shape, handle)

    def apply_indexed_slices_grad(
        self, grad: IndexedSlices, local_step: Any = 0, name: str | None = None
    ) -> Operation:
        """An operation that adds rows; see `apply_grad`."""
        return self.apply_grad(
            grad_indices=grad.indices,
            grad_values=grad.values,
            grad_shape=grad.dense_shape,
            local_step=local_step,
            name=name,
        )

    def apply_grad(
        self,
        grad_indices: Any,
        grad_values: Any,
        grad_shape: Any = None,
        local_step: Any = 0,
        name: str | None = None,
    ) -> Operation:
        """An operation that adds rows of a gradient, unless it comes too late.

        Args:
          grad_indices: Indices of the rows, rising.
          grad_values: The rows.
          grad_shape: The shape of the whole gradient, if it is known.
          local_step: The step at which it was computed.
          name: The operation's name.
        """
        step = cast(convert_to_tensor(local_step), _dtypes.int64)
        added: Operation = apply_op(
            "SparseAccumulatorApplyGradient",
            self._accumulator_ref,
            step,
            cast(grad_indices, _dtypes.int64),
            grad_values,
            cast([] if grad_shape is None else grad_shape, _dtypes.int64),
            has_known_shape=grad_shape is not None,
            name=name,
        )
        return added

    def take_grad(self, num_required: Any, name: str | None = None) -> Any:
        """Indices, rows and shape of the mean, or sum, once there are so many gradients.

        When run, InvalidArgumentError: `num_required` is not positive.
        """
        return apply_op(
            "SparseAccumulatorTakeGradient",
            self._accumulator_ref,
            num_required,
            dtype=self._dtype,
            name=name,
        )

    def take_indexed_slices_grad(self, num_required: Any, name: str | None = None) -> IndexedSlices:
        """As `take_grad`, as IndexedSlices."""
        taken = self.take_grad(num_required, name)
        return IndexedSlices(indices=taken[0], values=taken[1], dense_shape=taken[2])
