"""SingleOpSteps: what optimizers do whose step is one op for each variable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.training.optimizer_targets import is_resource_variable
from dataflow.training.optimizer_variables import OptimizerVariables


class SingleOpSteps(OptimizerVariables):
    """The steps of an optimizer with an op that does all there is to do for a variable.

    A subclass says which op and with which inputs in `_self_update`, or overrides the four
    `_apply` methods. It is below `Optimizer`, for programs look at whose subclasses optimizers are.
    """

    _use_locking: bool

    def _self_update(self, var: Any, grad: Tensor, indices: Tensor | None) -> Operation:
        """Adds the op that updates a variable by a gradient, or by rows of one."""
        raise NotImplementedError

    def _apply_dense(self, grad: Tensor, var: Any) -> Any:
        """Adds what updates a reference variable by a gradient."""
        return self._self_update(var, grad, None)

    def _resource_apply_dense(self, grad: Tensor, handle: Any) -> Any:
        """Adds what updates a variable behind a handle by a gradient."""
        return self._self_update(handle, grad, None)

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        """Adds what updates a reference variable by slices, each index of which comes once."""
        return self._self_update(var, grad.values, grad.indices)

    def _resource_apply_sparse(self, grad: Tensor, handle: Any, indices: Tensor) -> Any:
        """Adds what updates a variable behind a handle by slices, each index coming once."""
        return self._self_update(handle, grad, indices)

    def _self_apply(
        self, rule: str, var: Any, slots: Sequence[str], inputs: Sequence[Any], **attrs: Any
    ) -> Operation:
        """Adds the op of a rule: `Apply<rule>` or the variant for the variable and gradient.

        Args:
          rule: The rule, as in the op's type.
          var: The variable.
          slots: Names of its slots, in the op's order.
          inputs: The other inputs; the indices of a dense gradient are None.
          **attrs: Attrs besides `use_locking`.
        """
        variables = [var, *(self.get_slot(var, name) for name in slots)]
        given = [value for value in inputs if value is not None]
        kind = "SparseApply" if len(given) == len(inputs) else "Apply"
        if is_resource_variable(var):
            kind = f"Resource{kind}"
            variables = [v.handle for v in variables]
        result = apply_op(
            f"{kind}{rule}", *variables, *given, use_locking=self._use_locking, **attrs
        )
        return result if isinstance(result, Operation) else result.op


def as_type_of(var: Any, value: Any) -> Any:
    """The value as the element type of a variable."""
    return cast(value, var.dtype.base_dtype)
