"""LossScaleOptimizer makes a multiple of the loss small, and leaves out steps that overflow."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dataflow.contrib.mixed_precision.loss_scale_manager import LossScaleManager
from dataflow.control_flow.cond import cond
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.identity import no_op
from dataflow.ops.math.unary import reciprocal
from dataflow.training.loss_scaling.scales import all_finite
from dataflow.training.optimizer import Optimizer


class LossScaleOptimizer(Optimizer):
    """Wraps an optimizer."""

    def __init__(self, opt: Any, loss_scale_manager: LossScaleManager) -> None:
        """Takes what computes and applies gradients, and what says the factor."""
        self._opt = opt
        self._loss_scale_manager = loss_scale_manager

    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Any, Any]]:
        """The gradients of the loss, as the wrapped optimizer computes them of a multiple of it."""
        factor = self._loss_scale_manager.get_loss_scale()
        value = loss() if callable(loss) else loss
        pairs = self._opt.compute_gradients(
            value * cast(factor, value.dtype.base_dtype),
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        inverse = reciprocal(factor)
        return [
            (None if grad is None else grad * cast(inverse, grad.dtype.base_dtype), variable)
            for grad, variable in pairs
        ]

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[Any, Any]],
        global_step: Any = None,
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
    ) -> Any:
        """An operation that makes a step if all gradients are finite, and changes the factor."""
        pairs = tuple(grads_and_vars)
        finite = all_finite([grad for grad, _ in pairs])
        applied = cond(finite, lambda: self._opt.apply_gradients(pairs, global_step, name), no_op)
        return group(applied, self._loss_scale_manager.update_loss_scale(finite))
