"""tf.contrib.constrained_optimization: training under constraints, as a game of two players (Cotter
et al., Two-Player Games for Efficient Non-Convex Constrained Optimization, 2018)."""

from dataflow.contrib.constrained_optimization.candidates import (
    find_best_candidate_distribution as find_best_candidate_distribution,
)
from dataflow.contrib.constrained_optimization.candidates import (
    find_best_candidate_index as find_best_candidate_index,
)
from dataflow.contrib.constrained_optimization.external_regret import (
    AdditiveExternalRegretOptimizer as AdditiveExternalRegretOptimizer,
)
from dataflow.contrib.constrained_optimization.optimizer import (
    ConstrainedOptimizer as ConstrainedOptimizer,
)
from dataflow.contrib.constrained_optimization.problem import (
    ConstrainedMinimizationProblem as ConstrainedMinimizationProblem,
)
from dataflow.contrib.constrained_optimization.swap_regret import (
    AdditiveSwapRegretOptimizer as AdditiveSwapRegretOptimizer,
)
from dataflow.contrib.constrained_optimization.swap_regret import (
    MultiplicativeSwapRegretOptimizer as MultiplicativeSwapRegretOptimizer,
)
