"""Optimizer: the frame of all optimizers, from a loss to an operation that takes a step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.unique as array_unique
import dataflow.ops.basic.grouping as grouping
import dataflow.ops.reductions.segment as reductions_segment
import dataflow.ops.state.reference as state_ops
from dataflow.differentiation.gradients import gradients
from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.indexed_slices import IndexedSlices, convert_to_tensor_or_indexed_slices
from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.graph.tracebacks import shortened
from dataflow.training.optimizer_targets import is_resource_variable, target_of
from dataflow.training.single_op import SingleOpSteps
from dataflow.values import dtypes, nest
from dataflow.values.dtypes import DType
from dataflow.variables.variable import trainable_variables


class Optimizer(SingleOpSteps):
    """Adds operations to a graph that train its variables.

    A subclass says what a step does with a variable and its gradient: `_apply_dense` and
    `_apply_sparse` for reference variables, `_resource_apply_dense` and `_resource_apply_sparse`
    for variables behind handles; and, where it needs them, `_create_slots`, `_prepare` and
    `_finish`.

    Args:
      use_locking: Whether updates of reference variables exclude each other.
      name: Name of the scope of the operations, and of the slots.
      use_own_namescope_for_non_slot_vars: Puts variables that belong to no other variable into a
        scope of the optimizer's name.

    Raises:
      ValueError: The name is empty.
    """

    GATE_NONE: Final = 0
    GATE_OP: Final = 1
    GATE_GRAPH: Final = 2

    def __init__(
        self, use_locking: bool, name: str, use_own_namescope_for_non_slot_vars: bool = False
    ) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        super().__init__(name, use_own_namescope_for_non_slot_vars)
        self._use_locking = use_locking

    def get_name(self) -> str:
        """The name given."""
        return self._name

    @shortened
    def minimize(
        self,
        loss: Any,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Any:
        """An operation that takes a step; `compute_gradients` and `apply_gradients` in one.

        Args:
          loss: What is to become smaller: a tensor.
          global_step: A variable that goes up by one with every step.
          var_list: Variables to train; the trainable ones of the graph if None.
          gate_gradients: `GATE_NONE`, `GATE_OP` or `GATE_GRAPH`.
          aggregation_method: How gradients that meet are added; see `AggregationMethod`.
          colocate_gradients_with_ops: Puts gradients on the devices of their operations.
          name: Name of the operation; that of the optimizer if None.
          grad_loss: Gradient of the loss; ones if None.

        Raises:
          ValueError: No variable has a gradient, or an argument does not fit.
        """
        pairs = self.compute_gradients(
            loss,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        if all(grad is None for grad, _ in pairs):
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not "
                f"support gradients, between variables {[str(v) for _, v in pairs]} and loss "
                f"{loss}."
            )
        return self.apply_gradients(pairs, global_step=global_step, name=name)

    @shortened
    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Any, Any]]:
        """The gradients of a loss with respect to variables; see `minimize` for the arguments.

        `loss` may also be a function without arguments that gives the loss.

        Returns:
          Pairs (gradient, variable); a gradient is a tensor, `IndexedSlices`, or None.

        Raises:
          NotImplementedError: `var_list` holds something else than variables and tensors.
          ValueError: There is nothing to train, or an argument or dtype does not fit.
        """
        if callable(loss):
            return self._gradients_of_function(loss, var_list, grad_loss)
        if gate_gradients not in (self.GATE_NONE, self.GATE_OP, self.GATE_GRAPH):
            raise ValueError(
                "gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, "
                f"Optimizer.GATE_GRAPH.  Not {gate_gradients}"
            )
        self._assert_valid_dtypes([loss])
        if grad_loss is not None:
            self._assert_valid_dtypes([grad_loss])
        items = _trainable() if var_list is None else nest.flatten(var_list)
        targets = [target_of(item) for item in items]
        if not items:
            raise ValueError("No variables to optimize.")
        grads = gradients(
            loss,
            [target.target() for target in targets],
            grad_ys=grad_loss,
            gate_gradients=gate_gradients == self.GATE_OP,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
        )
        if gate_gradients == self.GATE_GRAPH:
            grads = grouping.tuple(grads)
        pairs = list(zip(grads, items, strict=True))
        self._assert_valid_dtypes(
            [v for g, v in pairs if g is not None and v.dtype != dtypes.resource]
        )
        return pairs

    def _gradients_of_function(
        self, loss: Callable[[], Any], var_list: Any, grad_loss: Any
    ) -> list[tuple[Any, Any]]:
        """Gradients of what a function gives; by default for the variables it depends on."""
        value = loss()
        items = _trainable() if var_list is None else nest.flatten(var_list)
        with scopes.control_dependencies([value]):
            grads = gradients(
                value, [target_of(item).target() for item in items], grad_ys=grad_loss
            )
        pairs = zip(grads, items, strict=True)
        return [(g, v) for g, v in pairs if g is not None or var_list is not None]

    @shortened
    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[Any, Any]],
        global_step: Any = None,
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
    ) -> Any:
        """An operation that updates variables by their gradients.

        Args:
          grads_and_vars: Pairs (gradient, variable), as from `compute_gradients`; a gradient may
            be None.
          global_step: A variable that goes up by one after the updates.
          name: Name of the operation; that of the optimizer if None.
          skip_gradients_aggregation: Ignored: there is nothing to aggregate here.

        Raises:
          TypeError: A gradient is no tensor and does not become one.
          ValueError: There are no pairs, or no gradients.
        """
        pairs = tuple(grads_and_vars)
        if not pairs:
            raise ValueError("No variables provided.")
        converted = [(_as_gradient(g), v, target_of(v)) for g, v in pairs]
        var_list = [v for g, v, _ in converted if g is not None]
        if not var_list:
            raise ValueError(
                f"No gradients provided for any variable: {[str(v) for _, v, _ in converted]}."
            )
        with scopes.init_scope():
            self._create_slots(var_list)
        updates = []
        with scopes.name_scope(name, self._name) as scope:
            self._prepare()
            for grad, var, target in converted:
                if grad is None:
                    continue
                with scopes.name_scope(f"update_{var.op.name}"), scopes.colocate_with(var):
                    updates.append(target.update_op(self, grad))
            if global_step is None:
                applied = self._finish(updates, scope)
            else:
                with scopes.control_dependencies([self._finish(updates, "update")]):
                    applied = _incremented(global_step, scope)
        if isinstance(applied, Tensor):
            applied = applied.op
        train_ops = scopes.get_collection_ref(GraphKeys.TRAIN_OP)
        if applied not in train_ops:
            train_ops.append(applied)
        return applied

    # What a subclass says

    def _valid_dtypes(self) -> set[DType]:
        """The dtypes that losses, variables and gradients may have."""
        return {dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64}

    def _assert_valid_dtypes(self, tensors: Iterable[Any]) -> None:
        valid = self._valid_dtypes()
        for tensor in tensors:
            dtype = tensor.dtype.base_dtype
            if dtype not in valid:
                raise ValueError(
                    f"Invalid type {dtype!r} for {tensor.name}, expected: {list(valid)}."
                )

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        """Makes the slots that these variables need."""

    def _prepare(self) -> None:
        """Makes the tensors that all updates share, in the scope of the step."""

    def _apply_sparse_duplicate_indices(self, grad: IndexedSlices, var: Any) -> Any:
        """Adds what updates a reference variable by slices whose indices may come twice.

        Unless overridden, the slices of an index are added up for `_apply_sparse`.
        """
        values, indices = without_duplicates(grad.values, grad.indices)
        return self._apply_sparse(IndexedSlices(values, indices, grad.dense_shape), var)

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Tensor, handle: Any, indices: Tensor
    ) -> Any:
        """Adds what updates a variable behind a handle by slices whose indices may come twice.

        Unless overridden, the slices of an index are added up for `_resource_apply_sparse`.
        """
        values, unique = without_duplicates(grad, indices)
        return self._resource_apply_sparse(values, handle, unique)

    def _finish(self, update_ops: list[Any], name_scope: str) -> Any:
        """The operation of the step, given what updates the variables, and its name."""
        return grouping.group(*update_ops, name=name_scope)

    def _call_if_callable(self, param: Any) -> Any:
        """A hyperparameter, or what a function without arguments gives for it."""
        return param() if callable(param) else param


def _trainable() -> list[Any]:
    return trainable_variables() + scopes.get_collection(GraphKeys.TRAINABLE_RESOURCE_VARIABLES)


def _as_gradient(grad: Any) -> Any:
    if grad is None:
        return None
    try:
        converted = convert_to_tensor_or_indexed_slices(grad)
    except TypeError:
        raise TypeError(
            f"Gradient must be convertible to a Tensor or IndexedSlices, or None: {grad}"
        ) from None
    if not isinstance(converted, (Tensor, IndexedSlices)):
        raise TypeError(f"Gradient must be a Tensor, IndexedSlices, or None: {converted}")
    return converted


def _incremented(global_step: Any, name: str) -> Operation | Tensor:
    """Adds one to the global step; what does so is the operation of the whole step."""
    with scopes.colocate_with(global_step):
        if is_resource_variable(global_step):
            one = convert_to_tensor(1, dtype=global_step.dtype)
            added: Operation = apply_op("AssignAddVariableOp", global_step.handle, one, name=name)
            return added
        result: Tensor = state_ops.assign_add(global_step, 1, name=name)
        return result


def without_duplicates(values: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]:
    """The slices of each index added up, and each index once."""
    unique, positions = array_unique.unique(indices)
    count: Any = array_shape.shape(unique)
    return reductions_segment.unsorted_segment_sum(values, positions, count[0]), unique
