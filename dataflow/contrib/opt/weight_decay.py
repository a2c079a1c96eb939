"""Weight decay that does not go through the gradient: AdamW, MomentumW.

Loshchilov, Hutter, Decoupled weight decay regularization, 2019.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dataflow.contrib.opt.rows import subtract_rows
from dataflow.graph import scopes
from dataflow.ops.array.gather import gather
from dataflow.ops.state.reference import assign_sub
from dataflow.training.adam import AdamOptimizer
from dataflow.training.momentum import MomentumOptimizer
from dataflow.training.optimizer import Optimizer
from dataflow.training.single_op import as_type_of


class DecoupledWeightDecayExtension:
    """Subtracts a share of each variable before another optimizer moves it.

    A class is made of this and an optimizer; of a sparse gradient only the rows decay.
    """

    def __init__(self, weight_decay: Any, **kwargs: Any) -> None:
        """Takes the share, a number, tensor or function, and what the optimizer takes."""
        self._decay_var_list: set[int] | None = None
        self._weight_decay = weight_decay
        super().__init__(**kwargs)

    def minimize(
        self,
        loss: Any,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
        decay_var_list: Iterable[Any] | None = None,
    ) -> Any:
        """As an optimizer's; only variables of `decay_var_list` decay, all if it is None."""
        self._choose(decay_var_list)
        return super().minimize(  # type: ignore[misc]
            loss,
            global_step=global_step,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            name=name,
            grad_loss=grad_loss,
        )

    def apply_gradients(
        self,
        grads_and_vars: Any,
        global_step: Any = None,
        name: str | None = None,
        decay_var_list: Iterable[Any] | None = None,
    ) -> Any:
        """As an optimizer's; only variables of `decay_var_list` decay, all if it is None."""
        if decay_var_list is not None:
            self._choose(decay_var_list)
        return super().apply_gradients(grads_and_vars, global_step, name)  # type: ignore[misc]

    def _choose(self, variables: Iterable[Any] | None) -> None:
        self._decay_var_list = None if variables is None else {id(each) for each in variables}

    def _prepare(self) -> None:
        decay = self._weight_decay
        self._share = decay() if callable(decay) else decay
        super()._prepare()  # type: ignore[misc]

    def _decays(self, var: Any) -> bool:
        return self._decay_var_list is None or id(var) in self._decay_var_list

    def _decayed(self, var: Any) -> list[Any]:
        if not self._decays(var):
            return []
        share = as_type_of(var, self._share)
        return [assign_sub(var, share * var, use_locking=self._use_locking)]  # type: ignore[attr-defined]

    def _decayed_rows(self, var: Any, indices: Any) -> list[Any]:
        if not self._decays(var):
            return []
        share = as_type_of(var, self._share)
        return [subtract_rows(var, indices, share * gather(var, indices))]

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        with scopes.control_dependencies(self._decayed(var)):
            return super()._apply_dense(grad, var)  # type: ignore[misc]

    def _resource_apply_dense(self, grad: Any, var: Any) -> Any:
        with scopes.control_dependencies(self._decayed(var)):
            return super()._resource_apply_dense(grad, var)  # type: ignore[misc]

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        with scopes.control_dependencies(self._decayed_rows(var, grad.indices)):
            return super()._apply_sparse(grad, var)  # type: ignore[misc]

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> Any:
        with scopes.control_dependencies(self._decayed_rows(var, indices)):
            return super()._resource_apply_sparse(grad, var, indices)  # type: ignore[misc]


def extend_with_decoupled_weight_decay(base_optimizer: type[Optimizer]) -> type[Any]:
    """The class of an optimizer that has weight decay besides: `(weight_decay, ...)`."""

    base: Any = base_optimizer

    class OptimizerWithDecoupledWeightDecay(DecoupledWeightDecayExtension, base):  # type: ignore[misc]
        """An optimizer with weight decay."""

        def __init__(self, weight_decay: Any, *args: Any, **kwargs: Any) -> None:
            """Takes the share, and what the optimizer takes."""
            self._decay_var_list = None
            self._weight_decay = weight_decay
            base.__init__(self, *args, **kwargs)

    return OptimizerWithDecoupledWeightDecay


class AdamWOptimizer(DecoupledWeightDecayExtension, AdamOptimizer):  # type: ignore[misc]
    """Adam with weight decay."""

    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "AdamW",
    ) -> None:
        """Takes the share that decays in each step, and what AdamOptimizer takes."""
        super().__init__(
            weight_decay,
            learning_rate=learning_rate,
            beta1=beta1,
            beta2=beta2,
            epsilon=epsilon,
            use_locking=use_locking,
            name=name,
        )


class MomentumWOptimizer(DecoupledWeightDecayExtension, MomentumOptimizer):  # type: ignore[misc]
    """Momentum with weight decay."""

    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "MomentumW",
        use_nesterov: bool = False,
    ) -> None:
        """Takes the share that decays in each step, and what MomentumOptimizer takes."""
        super().__init__(
            weight_decay,
            learning_rate=learning_rate,
            momentum=momentum,
            use_locking=use_locking,
            name=name,
            use_nesterov=use_nesterov,
        )
