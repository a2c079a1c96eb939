"""Variants of Adam: of the maximum norm, with Nesterov's momentum, and for rows only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dataflow.ops.basic.grouping as grouping
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.unary as math_unary
from dataflow.contrib.opt.rows import add_rows, set_rows, subtract_rows
from dataflow.graph import scopes
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.gather import gather
from dataflow.training.adam import AdamOptimizer
from dataflow.training.single_op import as_type_of


class _ByRows(AdamOptimizer):
    """Moves the rows that a sparse gradient has, and leaves the others."""

    def _rows(self, grad: Any, var: Any, indices: Tensor) -> Any:
        raise NotImplementedError

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        return self._rows(grad.values, var, grad.indices)

    def _resource_apply_sparse(self, grad: Tensor, handle: Any, indices: Tensor) -> Any:
        return self._rows(grad, handle, indices)

    def _rates(self, var: Any) -> tuple[Any, Any, Any, Any]:
        """The rate without its correction, the decays and epsilon."""
        found = (self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t)
        rate, beta1, beta2, epsilon = (as_type_of(var, value) for value in found)
        return rate, beta1, beta2, epsilon

    def _corrected(self, var: Any, rate: Any) -> Any:
        """The rate times `sqrt(1 - beta2**t) / (1 - beta1**t)`."""
        first, second = (as_type_of(var, power) for power in self._get_beta_accumulators())
        root: Any = math_unary.sqrt(1 - second)
        return rate * root / (1 - first)


class LazyAdamOptimizer(_ByRows):
    """Adam whose averages of rows without a gradient stay as they are.

    Embeddings of which a step needs few rows cost less by it; the results differ from Adam's.
    """

    def _rows(self, grad: Any, var: Any, indices: Tensor) -> Any:
        rate, beta1, beta2, epsilon = self._rates(var)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        new_m: Any = beta1 * gather(m, indices) + (1 - beta1) * grad
        new_v: Any = beta2 * gather(v, indices) + (1 - beta2) * math_unary.square(grad)
        root: Any = math_unary.sqrt(new_v)
        step = self._corrected(var, rate) * new_m / (root + epsilon)
        updates = [
            set_rows(m, indices, new_m, self._use_locking),
            set_rows(v, indices, new_v, self._use_locking),
            subtract_rows(var, indices, step, self._use_locking),
        ]
        return grouping.group(*updates)


class NadamOptimizer(_ByRows):
    """Adam with Nesterov's momentum (Dozat, Incorporating Nesterov momentum into Adam, 2015)."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        """Takes what AdamOptimizer does."""
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)

    def _self_update(self, var: Any, grad: Tensor, indices: Tensor | None) -> Operation:
        rates = (self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t)
        scalars = [as_type_of(var, value) for value in (*self._get_beta_accumulators(), *rates)]
        return self._self_apply(
            "Adam", var, ["m", "v"], [*scalars, grad, indices], use_nesterov=True
        )

    def _rows(self, grad: Any, var: Any, indices: Tensor) -> Any:
        rate, beta1, beta2, epsilon = self._rates(var)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        scaled: Any = grad * (1 - beta1)

        def decayed(slot: Any, decay: Any, values: Any) -> Any:
            with scopes.control_dependencies([slot.assign(slot * decay)]):
                done = add_rows(slot, indices, values, self._use_locking)
            with scopes.control_dependencies([done]):
                return gather(slot, indices)

        ahead: Any = scaled + beta1 * decayed(m, beta1, scaled)
        root: Any = math_unary.sqrt(decayed(v, beta2, grad * grad * (1 - beta2)))
        step = self._corrected(var, rate) * ahead / (root + epsilon)
        return subtract_rows(var, indices, step, self._use_locking)


class AdaMaxOptimizer(_ByRows):
    """AdaMax (Kingma and Ba, 2015, section 7.1): Adam of the maximum norm.

    `v = max(beta2 * v, |gradient|)`; `variable -= learning_rate / (1 - beta1**t) * m / (v +
    epsilon)`. Of a sparse gradient only its rows are changed.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "AdaMax",
    ) -> None:
        """Takes what AdamOptimizer does."""
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)

    def _get_beta_accumulators(self) -> Any:
        graph = scopes.get_default_graph()
        return self._get_non_slot_variable("beta1_power", graph=graph)

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        first = min(var_list, key=lambda v: str(v.name))
        self._create_non_slot_variable(
            initial_value=self._beta1, name="beta1_power", colocate_with=first
        )
        for v in var_list:
            self._zeros_slot(v, "m", self._name)
            self._zeros_slot(v, "v", self._name)

    def _self_update(self, var: Any, grad: Tensor, indices: Tensor | None) -> Operation:
        rates = (self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t)
        scalars = [as_type_of(var, value) for value in (self._get_beta_accumulators(), *rates)]
        return self._self_apply("AdaMax", var, ["m", "v"], [*scalars, grad, indices])

    def _rows(self, grad: Any, var: Any, indices: Tensor) -> Any:
        rate, beta1, beta2, epsilon = self._rates(var)
        power = as_type_of(var, self._get_beta_accumulators())
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        new_m: Any = gather(m, indices) * beta1 + grad * (1 - beta1)
        new_v: Any = math_binary.maximum(gather(v, indices) * beta2, math_unary.abs(grad))
        step: Any = rate / (1 - power) * new_m / (new_v + epsilon)
        return grouping.group(
            set_rows(m, indices, new_m, self._use_locking),
            set_rows(v, indices, new_v, self._use_locking),
            subtract_rows(var, indices, step, self._use_locking),
        )

    def _finish(self, update_ops: list[Any], name_scope: str) -> Any:
        power = self._get_beta_accumulators()
        with scopes.control_dependencies(update_ops), scopes.colocate_with(power):
            update = power.assign(power * self._beta1_t, use_locking=self._use_locking)
        return grouping.group(*update_ops, update, name=name_scope)
