"""Adam."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dataflow.ops.basic.grouping as grouping
import dataflow.ops.math.unary as math_unary
import dataflow.ops.state.reference as state_ops
import dataflow.ops.state.scatter as state_scatter
from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.training.optimizer import Optimizer
from dataflow.training.single_op import as_type_of


class AdamOptimizer(Optimizer):
    """Adam (Kingma and Ba, 2015), in the form before their section 2.1.

    `m` and `v` are moving averages of the gradient and of its square;
    `variable -= learning_rate * sqrt(1 - beta2**t) / (1 - beta1**t) * m / (sqrt(v) + epsilon)`.
    A sparse gradient counts as zero for the rows it does not have: they move, too.

    Args:
      learning_rate: A number, scalar tensor, or function without arguments that gives one.
      beta1: Decay of `m`; of the same kinds.
      beta2: Decay of `v`; of the same kinds.
      epsilon: Keeps the divisor from zero; "epsilon hat" in the paper.
      use_locking: Whether updates of reference variables exclude each other.
      name: Name of the scope of the operations, and of the slots.
      use_own_namescope_for_non_slot_vars: Puts the powers of the betas into a scope of that name.

    >>> w = tf.get_variable("w", initializer=[1.0, -1.0])
    >>> train = tf.train.AdamOptimizer(0.5).minimize(tf.reduce_sum(w * w))
    >>> with tf.Session() as session:
    ...     session.run(tf.global_variables_initializer())
    ...     session.run(train)
    ...     print(np.round(session.run(w), 3))
    [ 0.5 -0.5]
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
        use_own_namescope_for_non_slot_vars: bool = False,
    ) -> None:
        super().__init__(use_locking, name, use_own_namescope_for_non_slot_vars)
        self._lr = learning_rate
        self._beta1 = beta1
        self._beta2 = beta2
        self._epsilon = epsilon
        self._lr_t: Any = None
        self._beta1_t: Any = None
        self._beta2_t: Any = None
        self._epsilon_t: Any = None

    def _get_beta_accumulators(self) -> tuple[Any, Any]:
        """The variables that hold `beta1**t` and `beta2**t`."""
        graph = scopes.get_default_graph()
        return (
            self._get_non_slot_variable("beta1_power", graph=graph),
            self._get_non_slot_variable("beta2_power", graph=graph),
        )

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        # All workers must agree on where the powers are.
        first = min(var_list, key=lambda v: str(v.name))
        self._create_non_slot_variable(
            initial_value=self._beta1, name="beta1_power", colocate_with=first
        )
        self._create_non_slot_variable(
            initial_value=self._beta2, name="beta2_power", colocate_with=first
        )
        for v in var_list:
            self._zeros_slot(v, "m", self._name)
            self._zeros_slot(v, "v", self._name)

    def _prepare(self) -> None:
        rate = self._call_if_callable(self._lr)
        beta1 = self._call_if_callable(self._beta1)
        beta2 = self._call_if_callable(self._beta2)
        epsilon = self._call_if_callable(self._epsilon)
        self._lr_t = convert_to_tensor(rate, name="learning_rate")
        self._beta1_t = convert_to_tensor(beta1, name="beta1")
        self._beta2_t = convert_to_tensor(beta2, name="beta2")
        self._epsilon_t = convert_to_tensor(epsilon, name="epsilon")

    def _self_update(self, var: Any, grad: Tensor, indices: Tensor | None) -> Operation:
        powers = self._get_beta_accumulators()
        rates = (self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t)
        scalars = [as_type_of(var, value) for value in (*powers, *rates)]
        return self._self_apply("Adam", var, ["m", "v"], [*scalars, grad, indices])

    # The averages decay for all rows, so that there is no op for sparse gradients.

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        def add(slot: Any, rows: Tensor, values: Any) -> Any:
            return state_scatter.scatter_add(slot, rows, values, use_locking=self._use_locking)

        return self._apply_sparse_shared(grad.values, var, grad.indices, add)

    def _resource_apply_sparse(self, grad: Tensor, handle: Any, indices: Tensor) -> Any:
        return self._apply_sparse_shared(grad, handle, indices, self._resource_scatter_add)

    def _resource_scatter_add(self, x: Any, i: Tensor, v: Any) -> Any:
        with scopes.control_dependencies([apply_op("ResourceScatterAdd", x.handle, i, v)]):
            return x.value()

    def _apply_sparse_shared(
        self, grad: Any, var: Any, indices: Tensor, scatter_add: Callable[..., Any]
    ) -> Operation:
        powers = [as_type_of(var, power) for power in self._get_beta_accumulators()]
        beta1_power, beta2_power = powers
        rate, beta1, beta2, epsilon = (
            as_type_of(var, value)
            for value in (self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t)
        )
        root: Any = math_unary.sqrt(1 - beta2_power)
        rate = rate * root / (1 - beta1_power)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        scaled = grad * (1 - beta1)
        m_t = self._decayed_then_added(m, beta1, indices, scaled, scatter_add)
        scaled = (grad * grad) * (1 - beta2)
        v_t = self._decayed_then_added(v, beta2, indices, scaled, scatter_add)
        v_root: Any = math_unary.sqrt(v_t)
        step = rate * m_t / (v_root + epsilon)
        update = state_ops.assign_sub(var, step, use_locking=self._use_locking)
        return grouping.group(update, m_t, v_t)

    def _decayed_then_added(
        self, slot: Any, decay: Any, indices: Tensor, values: Any, scatter_add: Callable[..., Any]
    ) -> Any:
        decayed = state_ops.assign(slot, slot * decay, use_locking=self._use_locking)
        with scopes.control_dependencies([decayed]):
            return scatter_add(slot, indices, values)

    def _finish(self, update_ops: list[Any], name_scope: str) -> Any:
        with scopes.control_dependencies(update_ops):
            beta1_power, beta2_power = self._get_beta_accumulators()
            with scopes.colocate_with(beta1_power):
                powers = [
                    power.assign(power * beta, use_locking=self._use_locking)
                    for power, beta in (
                        (beta1_power, self._beta1_t),
                        (beta2_power, self._beta2_t),
                    )
                ]
        return grouping.group(*update_ops, *powers, name=name_scope)
