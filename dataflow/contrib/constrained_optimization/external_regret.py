"""An optimizer by Lagrange multipliers."""

from __future__ import annotations

from typing import Any

from dataflow.contrib.constrained_optimization.optimizer import RegretOptimizer
from dataflow.contrib.constrained_optimization.projections import onto_ball
from dataflow.ops.array.fill import zeros
from dataflow.ops.basic.cast import cast
from dataflow.ops.linalg.tensordot import tensordot
from dataflow.ops.math.binary import maximum
from dataflow.values import dtypes
from dataflow.variables.variable import Variable


class AdditiveExternalRegretOptimizer(RegretOptimizer):
    """Minimizes the Lagrangian while multipliers grow with what is violated."""

    def __init__(
        self,
        optimizer: Any,
        constraint_optimizer: Any = None,
        maximum_multiplier_radius: float | None = None,
    ) -> None:
        """Takes optimizers.

        Args:
          optimizer: Of the model.
          constraint_optimizer: Of the multipliers; `optimizer` if None.
          maximum_multiplier_radius: The most that multipliers may add up to; any if None.

        Raises:
          ValueError: The radius is not positive.
        """
        super().__init__(optimizer, constraint_optimizer)
        if maximum_multiplier_radius and maximum_multiplier_radius <= 0.0:
            raise ValueError("maximum_multiplier_radius must be strictly positive")
        self._radius = maximum_multiplier_radius

    def _game(self, objective: Any, constraints: Any, proxies: Any) -> tuple[Any, Any, Any]:
        count = constraints.shape[0].value
        state = Variable(
            lambda: zeros((count,), dtype=dtypes.float32),
            trainable=False,
            name="external_regret_optimizer_state",
        )
        loss = objective + tensordot(cast(state, proxies.dtype), proxies, 1)
        return loss, state, cast(constraints, dtypes.float32)

    def _projected(self, weights: Any) -> Any:
        return onto_ball(weights, self._radius) if self._radius else maximum(weights, 0.0)
