"""Optimizers that weigh the objective and constraints by a distribution, which a matrix keeps."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any

import numpy as np

from dataflow.contrib.constrained_optimization.optimizer import RegretOptimizer
from dataflow.contrib.constrained_optimization.projections import (
    maximal_eigenvector,
    onto_distributions,
    onto_log_distributions,
)
from dataflow.ops.array.concat import concat
from dataflow.ops.array.fill import zeros
from dataflow.ops.array.shape import expand_dims
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.linalg.tensordot import tensordot
from dataflow.ops.math.binary import maximum
from dataflow.ops.math.unary import abs as absolute
from dataflow.ops.math.unary import exp
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.values import dtypes
from dataflow.variables.variable import Variable


class _SwapRegretOptimizer(RegretOptimizer):
    @abstractmethod
    def _initial(self, size: int) -> np.ndarray:
        """The state at first."""

    @abstractmethod
    def _matrix(self, state: Any) -> Any:
        """The matrix, whose columns are distributions."""

    def _game(self, objective: Any, constraints: Any, proxies: Any) -> tuple[Any, Any, Any]:
        initial = self._initial(constraints.shape[0].value + 1).astype(np.float32)
        state = Variable(
            lambda: constant(initial), trainable=False, name="swap_regret_optimizer_state"
        )
        kept = absolute(maximal_eigenvector(self._matrix(state.value())))
        kept /= reduce_sum(kept)
        both = concat((expand_dims(objective, 0), proxies), axis=0)
        violated = concat((zeros((1,), dtype=constraints.dtype), constraints), axis=0)
        loss = tensordot(cast(kept, both.dtype), both, 1)
        gradient = matmul(expand_dims(cast(violated, dtypes.float32), 1), expand_dims(kept, 0))
        return loss, state, gradient


class AdditiveSwapRegretOptimizer(_SwapRegretOptimizer):
    """Adds what is violated to the matrix."""

    def _initial(self, size: int) -> np.ndarray:
        return np.eye(size, 1) * np.ones(size)

    def _matrix(self, state: Any) -> Any:
        return state

    def _projected(self, weights: Any) -> Any:
        return onto_distributions(weights)


class MultiplicativeSwapRegretOptimizer(_SwapRegretOptimizer):
    """Multiplies the matrix by exponentials of what is violated."""

    def __init__(
        self,
        optimizer: Any,
        constraint_optimizer: Any = None,
        minimum_multiplier_radius: float = 1e-3,
        initial_multiplier_radius: float | None = None,
    ) -> None:
        """Takes optimizers.

        Args:
          optimizer: Of the model.
          constraint_optimizer: Of the matrix; `optimizer` if None.
          minimum_multiplier_radius: No element is less than this, divided by the matrix's size.
          initial_multiplier_radius: What the weights of constraints are at first, in the same
            measure; the least if None.

        Raises:
          ValueError: A number lies outside of its range.
        """
        super().__init__(optimizer, constraint_optimizer)
        least = minimum_multiplier_radius
        if not 0.0 < least < 1.0:
            raise ValueError("minimum_multiplier_radius must be in the range (0,1)")
        first = least if initial_multiplier_radius is None else initial_multiplier_radius
        if not least <= first <= 1.0:
            raise ValueError(
                "initial_multiplier_radius must be in the range [minimum_multiplier_radius,1]"
            )
        self._least, self._first = least, first

    def _initial(self, size: int) -> np.ndarray:
        found = np.full((size, size), math.log(self._first / size))
        found[0] = math.log(1.0 - self._first * (size - 1) / size)
        return found

    def _matrix(self, state: Any) -> Any:
        return exp(state)

    def _projected(self, weights: Any) -> Any:
        least = math.log(self._least / weights.shape[0].value)
        return maximum(onto_log_distributions(weights), least)
