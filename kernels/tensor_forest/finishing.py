"""Whether a leaf may split before it has seen enough, and which candidates are given up."""

from __future__ import annotations

import heapq
import math
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.tensor_forest.impurity import two_best
from dataflow.kernels.tensor_forest.parameters import at_depth
from dataflow.proto.tensor_forest_params_pb2 import (
    SPLIT_FINISH_BASIC,
    SPLIT_FINISH_DOMINATE_HOEFFDING,
    SPLIT_PRUNE_10_PERCENT,
    SPLIT_PRUNE_HALF,
    SPLIT_PRUNE_HOEFFDING,
    SPLIT_PRUNE_NONE,
    SPLIT_PRUNE_QUARTER,
    TensorForestParams,
)

_FRACTIONS: Final = {
    SPLIT_PRUNE_HALF: np.float32(0.5),
    SPLIT_PRUNE_QUARTER: np.float32(0.25),
    SPLIT_PRUNE_10_PERCENT: np.float32(0.10),
}


def is_plain(params: TensorForestParams) -> bool:
    """Whether leaves only split when they have seen enough, and keep their candidates till then."""
    finishes_late = params.finish_type.type == SPLIT_FINISH_BASIC
    return finishes_late and params.pruning_type.type == SPLIT_PRUNE_NONE


class Early:
    """When a leaf was last looked at."""

    def __init__(self, params: TensorForestParams, depth: int, enough: int) -> None:
        """Looks for the first time when there is as much as the parameters say.

        Raises:
          InvalidArgumentError: A parameter is missing, or has no meaning.
        """
        self.is_finished = False
        self._params = params
        self._finish = params.finish_type.type
        self._prune = params.pruning_type.type
        self._dominating = np.float32(0)
        if self._finish == SPLIT_FINISH_BASIC:
            self._least, self._finish_turn, self._finish_every = enough, 1, 2 * enough
        else:
            if not params.HasField("dominate_fraction") or not params.HasField("min_split_samples"):
                raise invalid(
                    "dominate_fraction and min_split_samples are required for early-finish"
                    " strategy; min_split_samples can be set in param_file"
                )
            self._least = int(at_depth(params.min_split_samples, depth, "min_split_samples"))
            every = at_depth(params.finish_type.check_every_steps, depth, "check_every_steps")
            self._finish_every = int(every)
            if not self._finish_every:
                raise invalid("An early-finish strategy needs check_every_steps")
            self._finish_turn = self._least // self._finish_every
            self._set_dominating(depth)
            if not 0 < self._dominating <= 1:
                raise invalid(f"Invalid dominate fraction {self._dominating:g}")
        self._prune_turn, self._prune_every = 1, 2 * enough
        if self._prune != SPLIT_PRUNE_NONE:
            every = at_depth(params.pruning_type.prune_every_samples, depth, "prune_every_samples")
            self._prune_every = int(every)
        if self._prune == SPLIT_PRUNE_HOEFFDING:
            self._set_dominating(depth)

    def _set_dominating(self, depth: int) -> None:
        found = at_depth(self._params.dominate_fraction, depth, "dominate_fraction")
        self._dominating = found

    @property
    def _log_of_rest(self) -> float:
        rest = 1.0 - float(self._dominating)
        return math.log(1.0 / rest) if rest > 0 else math.inf

    def looks_for_end(self, weight: np.float32) -> bool:
        """Whether it is time to compare the best candidates."""
        if weight < self._least or weight < self._finish_turn * self._finish_every:
            return False
        self._finish_turn += 1
        return self._finish != SPLIT_FINISH_BASIC

    def compare(self, scores: Any, weight: np.float32, classes: int) -> None:
        """Lets the leaf finish if its best candidate is better beyond doubt.

        By Hoeffding's bound that may be. TensorFlow's bootstrap compares what two candidates'
        samples give with 0 and 99, and never lets a leaf finish; nor is any sampled here.
        """
        if self._finish != SPLIT_FINISH_DOMINATE_HOEFFDING:
            self.is_finished = False
            return
        spread = np.float32(np.float32(0.25 * classes) * weight)
        bound = np.float32(spread * math.sqrt(self._log_of_rest / (2.0 * float(weight))))
        best, second = two_best(scores)
        self.is_finished = bool(second - best > bound)

    def looks_for_worst(self, weight: np.float32) -> bool:
        """Whether it is time to give up candidates."""
        if self._prune == SPLIT_PRUNE_NONE or weight < self._prune_turn * self._prune_every:
            return False
        self._prune_turn += 1
        return True

    def worst(self, scores: np.ndarray, weight: np.float32, classes: int) -> list[int]:
        """The candidates that are given up, the last one first."""
        if self._prune == SPLIT_PRUNE_HOEFFDING:
            half_log = np.float32(0.5 * self._log_of_rest)
            spread = np.float32(float(weight) * (1.0 - 1.0 / classes))
            bound = np.float32(spread * np.sqrt(np.float32(half_log / weight)))
            above = scores - scores.min(initial=np.finfo(np.float32).max) > bound
            return [int(place) for place in np.flatnonzero(above)[::-1]]
        count = int(np.float32(len(scores)) * _FRACTIONS.get(self._prune, np.float32(0)))
        worst: list[tuple[float, int]] = []
        for place, score in enumerate(scores.tolist()) if count else ():
            if len(worst) < count:
                heapq.heappush(worst, (score, place))
            elif worst[0][0] < score:
                heapq.heapreplace(worst, (score, place))
        return sorted((place for _, place in worst), reverse=True)
