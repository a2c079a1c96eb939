"""MixedPrecisionLossScaleOptimizer multiplies the loss, and divides the gradients."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dataflow.control_flow.cond import cond
from dataflow.graph.indexed_slices import scaled
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.identity import no_op
from dataflow.training.loss_scaling.scales import DynamicLossScale, loss_scale_of
from dataflow.training.optimizer import Optimizer


class MixedPrecisionLossScaleOptimizer(Optimizer):
    """Wraps an optimizer; a factor that follows the gradients leaves out steps that overflow."""

    def __init__(self, opt: Any, loss_scale: Any) -> None:
        """Takes what is wrapped, and the factor: a number, "dynamic" or a `LossScale`.

        Raises:
          ValueError: `opt` is no optimizer, or there is no factor.
        """
        if not isinstance(opt, Optimizer):
            raise ValueError(f'"opt" must be an instance of Optimizer, but got: {type(opt)}')
        super().__init__(opt._use_locking, opt.get_name())
        self._optimizer = opt
        scale = loss_scale_of(loss_scale)
        if scale is None:
            raise ValueError("loss_scale cannot be None")
        self._loss_scale = scale

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
        pairs = self._optimizer.compute_gradients(
            self._scaled(loss),
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        inverse = 1 / self._loss_scale()
        return [(scaled(grad, inverse), variable) for grad, variable in pairs]

    def apply_gradients(  # type: ignore[override]
        self,
        grads_and_vars: Iterable[tuple[Any, Any]],
        global_step: Any = None,
        name: str | None = None,
    ) -> Any:
        """An operation that makes a step, if gradients are finite where the factor follows them."""
        pairs = tuple(grads_and_vars)
        if not isinstance(self._loss_scale, DynamicLossScale):
            return self._optimizer.apply_gradients(pairs, global_step, name)
        name = self.get_name() if name is None else name
        changed, fit = self._loss_scale.update([grad for grad, _ in pairs])
        applied = cond(
            fit,
            lambda: self._optimizer.apply_gradients(pairs, global_step, f"{name}-wrapped"),
            no_op,
        )
        return group(applied, changed, name=name)

    def variables(self) -> list[Any]:
        """Those of the wrapped optimizer and of the factor."""
        return [*self._optimizer.variables(), *self._loss_scale._weights.values()]

    def _checkpoint_children(self) -> dict[str, Any]:
        return {"base_optimizer": self._optimizer, "loss_scale": self._loss_scale}

    def _scaled(self, loss: Any) -> Any:
        scale = self._loss_scale()
        if not callable(loss):
            return loss * cast(scale, loss.dtype)

        def scaled() -> Any:
            value = loss()
            return value * cast(scale, value.dtype)

        return scaled
