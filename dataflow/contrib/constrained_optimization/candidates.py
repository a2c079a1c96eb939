"""The best of several solutions, or of mixtures of them."""

from __future__ import annotations

from typing import Any

import numpy as np


def find_best_candidate_distribution(
    objective_vector: Any, constraints_matrix: Any, epsilon: float = 0.0
) -> Any:
    """Chances of n solutions so that the mean objective is the least that constraints allow.

    If no mixture keeps all constraints, they are loosened as little as can be.

    Args:
      objective_vector: Objectives [n].
      constraints_matrix: How much constraints are violated [m, n]; negative where they are kept.
      epsilon: How exactly the least violation is found.

    Returns:
      Chances [n], at most m + 1 of them more than zero. scipy finds them.

    Raises:
      ValueError: Shapes do not agree, or `epsilon` is negative.
    """
    if epsilon < 0.0:
        raise ValueError("epsilon must be nonnegative")
    objective, constraints = _checked(objective_vector, constraints_matrix)
    found = _mixture(objective, constraints, 0.0)
    if found is not None:
        return found
    lower, upper = 0.0, float(np.min(np.amax(constraints, axis=0)))
    best = _mixture(objective, constraints, upper)
    while True:
        middle = 0.5 * (lower + upper)
        if middle - lower <= epsilon or upper - middle <= epsilon:
            return best
        found = _mixture(objective, constraints, middle)
        if found is None:
            lower = middle
        else:
            best, upper = found, middle


def find_best_candidate_index(
    objective_vector: Any, constraints_matrix: Any, rank_objectives: bool = False
) -> int:
    """The solution whose worst rank is the best, and of these the one with the least objective.

    Args:
      objective_vector: Objectives [n].
      constraints_matrix: How much constraints are violated [m, n]; negative where they are kept.
      rank_objectives: Whether objectives have ranks, too.

    Raises:
      ValueError: Shapes do not agree.
    """
    objective, constraints = _checked(objective_vector, constraints_matrix)
    ranked = [np.maximum(0.0, row) for row in constraints]
    ranked += [objective] if rank_objectives else []
    worst = np.zeros(len(objective))
    for values in ranked:
        worst = np.maximum(worst, np.searchsorted(np.sort(values), values) + 1)
    # Of equal ones it is the last.
    order = np.lexsort((-np.arange(len(objective)), objective, worst))
    return int(order[0])


def _checked(objective_vector: Any, constraints_matrix: Any) -> tuple[np.ndarray, np.ndarray]:
    objective = np.asarray(objective_vector, np.float64)
    constraints = np.asarray(constraints_matrix, np.float64)
    if constraints.ndim != 2 or objective.shape != (constraints.shape[1],):
        raise ValueError(
            "objective_vector must have shape (n,), and constraints_matrix (m, n), where n is the "
            "number of candidates, and m is the number of constraints"
        )
    return objective, constraints


def _mixture(objective: np.ndarray, constraints: np.ndarray, most: float) -> Any:
    import scipy.optimize

    count = len(objective)
    found = scipy.optimize.linprog(
        objective,
        A_ub=constraints,
        b_ub=np.full(len(constraints), most),
        A_eq=np.ones((1, count)),
        b_eq=[1.0],
        bounds=(0, None),
    )
    return found.x if found.success else None
