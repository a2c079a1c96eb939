"""Mixtures of Gaussians: the graph of expectation maximization."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar, Final

import numpy as np

from dataflow.control_flow.cond import cond
from dataflow.graph.scopes import control_dependencies
from dataflow.graph.tensor import Tensor
from dataflow.library.check_values import assert_less_equal
from dataflow.library.embedding import embedding_lookup
from dataflow.ops.array.broadcast import tile
from dataflow.ops.array.shape import expand_dims, reshape, shape, squeeze
from dataflow.ops.array.transpose import transpose
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.identity import identity, no_op
from dataflow.ops.linalg.cholesky import cholesky
from dataflow.ops.linalg.diag import eye, matrix_diag_part
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.linalg.solve import matrix_triangular_solve
from dataflow.ops.math.binary import squared_difference
from dataflow.ops.math.unary import exp, log, square
from dataflow.ops.random.stateful import random_uniform
from dataflow.ops.reductions.arg import argmax
from dataflow.ops.reductions.reduce import reduce_mean, reduce_sum
from dataflow.ops.reductions.statistics import reduce_logsumexp
from dataflow.ops.reductions.sum import add_n
from dataflow.ops.state.reference import assign
from dataflow.values import dtypes
from dataflow.variables.variable import Variable

FULL_COVARIANCE: Final = "full"
DIAG_COVARIANCE: Final = "diag"
_LEAST_VARIANCE: Final = 1e-3
"""Is added to variances, so that no cluster falls together."""
_EPSILON: Final = float(np.finfo(float).eps)


class GmmAlgorithm:
    """Expectation maximization of a mixture of Gaussians (Bishop, Pattern Recognition and Machine
    Learning, 9.2), on parts of the points."""

    CLUSTERS_WEIGHT: ClassVar[str] = "alphas"
    CLUSTERS_VARIABLE: ClassVar[str] = "clusters"
    CLUSTERS_COVS_VARIABLE: ClassVar[str] = "clusters_covs"

    def __init__(
        self,
        data: Sequence[Any],
        num_classes: int,
        initial_means: Any = None,
        params: str = "wmc",
        covariance_type: str = FULL_COVARIANCE,
        random_seed: int = 0,
    ) -> None:
        """Adds variables and the graph of a step.

        Args:
          data: Parts of the points, each float32 [points, dimensions].
          num_classes: How many Gaussians.
          initial_means: Their means, float32 [num_classes, dimensions]; random points if None.
          params: What a step changes: "w" weights, "m" means, "c" covariances.
          covariance_type: "full" or "diag".
          random_seed: Of the random points.

        Raises:
          ValueError: There is no such kind of covariance.
        """
        if covariance_type not in (FULL_COVARIANCE, DIAG_COVARIANCE):
            raise ValueError(f"programmer error: Invalid covariance type: {covariance_type}")
        self._is_full = covariance_type == FULL_COVARIANCE
        self._params = params
        self._num_classes = num_classes
        self._dimensions = shape(data[0])[1]
        nothing = constant([], dtypes.float32)
        self._means = Variable(nothing, name=self.CLUSTERS_VARIABLE, validate_shape=False)
        self._covs = Variable(nothing, name=self.CLUSTERS_COVS_VARIABLE, validate_shape=False)
        equal = tile([1.0 / num_classes], [num_classes])
        self._alpha = Variable(equal, name=self.CLUSTERS_WEIGHT, validate_shape=False)
        self._initialized = Variable(False, dtype=dtypes.bool, name="initialized")
        if initial_means is None:
            initial_means = _random_points(data, num_classes, random_seed)
        self._init_op = self._begin(data[0], expand_dims(initial_means, 1))
        self._prior: list[Tensor] = []
        self._shares: list[Tensor] = []
        for points in data:
            self._expect(points)
        self._train_op = self._maximize(data)

    def init_ops(self) -> Any:
        """Sets means and covariances, if they are not."""
        return self._init_op

    def training_ops(self) -> Any:
        """A step."""
        return self._train_op

    def is_initialized(self) -> Variable:
        """A bool: whether there are means and covariances."""
        return self._initialized

    def alphas(self) -> Variable:
        """Weights [num_classes]."""
        return self._alpha

    def clusters(self) -> Variable:
        """Means [num_classes, 1, dimensions]."""
        return self._means

    def covariances(self) -> Variable:
        """Covariances [num_classes, dimensions, dimensions], or [num_classes, dimensions]."""
        return self._covs

    def assignments(self) -> list[Tensor]:
        """For each part the likeliest Gaussian of each point."""
        return [argmax(share, 1) for share in self._shares]

    def scores(self) -> Tensor:
        """The log likelihood of each point."""
        each = [prior + log(share) for prior, share in zip(self._prior, self._shares, strict=True)]
        return squeeze(reduce_logsumexp(each, axis=2, keepdims=True), axis=0)

    def log_likelihood_op(self) -> Tensor:
        """The logarithm of the sum of all points' likelihoods."""
        return reduce_logsumexp([reduce_logsumexp(prior) for prior in self._prior])

    def _begin(self, points: Tensor, means: Tensor) -> Any:
        centered = points - reduce_mean(points, 0, keepdims=True)
        count = cast(shape(points)[0], dtypes.float32) - 1
        if self._is_full:
            covariance = matmul(centered, centered, transpose_a=True) / count
            covariance += self._least()
        else:
            covariance = reduce_sum(square(centered), 0) / count + _LEAST_VARIANCE
        repeats = [self._num_classes] + [1] * (2 if self._is_full else 1)
        covariances = tile(expand_dims(covariance, 0), repeats)
        with control_dependencies([means, covariances]):
            is_set = identity(self._initialized)

        def begin() -> Any:
            both = [
                assign(self._means, means, validate_shape=False),
                assign(self._covs, covariances, validate_shape=False),
            ]
            with control_dependencies(both):
                return group(assign(self._initialized, True))

        return cond(is_set, no_op, begin).op

    def _least(self) -> Tensor:
        return eye(self._dimensions) * _LEAST_VARIANCE

    def _expect(self, points: Tensor) -> None:
        """Adds how likely each Gaussian is for each point."""
        dimensions = cast(self._dimensions, dtypes.float32)
        if self._is_full:
            factor = cholesky(self._covs + self._least())
            size = 2.0 * reduce_sum(log(matrix_diag_part(factor)), 1)
            away = transpose(expand_dims(points, 0) - self._means, perm=[0, 2, 1])
            distance = reduce_sum(square(matrix_triangular_solve(factor, away, lower=True)), 1)
        else:
            variances = self._covs + _LEAST_VARIANCE
            size = reduce_sum(log(variances), 1)
            away = squared_difference(expand_dims(points, 0), self._means)
            distance = squeeze(matmul(away, expand_dims(1.0 / variances, 2)), [2])
        chances = -0.5 * (transpose(distance) + dimensions * math.log(2 * math.pi) + size)
        chances += log(self._alpha)
        prior = reduce_logsumexp(chances, axis=1, keepdims=True)
        self._prior.append(prior)
        self._shares.append(reshape(exp(chances - prior), [shape(points)[0], self._num_classes]))

    def _maximize(self, data: Sequence[Tensor]) -> Any:
        """The step that makes the points likelier."""
        with control_dependencies(self._shares):
            counts = add_n([reduce_sum(share, 0) for share in self._shares])
        columns = reshape(counts, [self._num_classes, 1, 1]) + _EPSILON
        firsts, seconds = [], []
        for points, share in zip(data, self._shares, strict=True):
            firsts.append(expand_dims(matmul(share, points, transpose_a=True), 1))
            weighted = expand_dims(transpose(share), 2) * expand_dims(points, 0)
            if self._is_full:
                repeated = tile(expand_dims(points, 0), [self._num_classes, 1, 1])
                seconds.append(matmul(weighted, repeated, transpose_a=True))
            else:
                seconds.append(reduce_sum(weighted * points, 1))
        steps = []
        if "w" in self._params:
            shares = counts / len(data)
            steps.append(self._alpha.assign(shares / (reduce_sum(shares) + _EPSILON)))
        means: Any = self._means.value()
        if "m" in self._params:
            # Covariances are those around the new means.
            means = self._means.assign(add_n(firsts) / columns)
            steps.append(means)
        if "c" in self._params:
            if self._is_full:
                new = add_n(seconds) / columns - matmul(means, means, transpose_a=True)
                new += self._least()
            else:
                new = add_n(seconds) / squeeze(columns, [2]) - square(squeeze(means, [1]))
                new += _LEAST_VARIANCE
            with control_dependencies(seconds):
                steps.append(assign(self._covs, new, validate_shape=False))
        return group(*steps)


def gmm(
    inp: Any,
    initial_clusters: Any,
    num_clusters: int,
    random_seed: int,
    covariance_type: str = FULL_COVARIANCE,
    params: str = "wmc",
) -> tuple[Any, ...]:
    """A mixture of Gaussians.

    Args:
      inp: Points as rows, or a list of parts of them.
      initial_clusters: Means as rows, or "random".
      num_clusters: How many Gaussians.
      random_seed: Of random means.
      covariance_type: "full" or "diag".
      params: What a step changes: "w" weights, "m" means, "c" covariances.

    Returns:
      The log likelihood, that of each point, a list of the list of assignments for each part, a
      step, the operation that begins, and the variable that says whether it has.
    """
    means = None
    if isinstance(initial_clusters, Tensor):
        means = initial_clusters
    elif not (isinstance(initial_clusters, str) and initial_clusters == "random"):
        means = constant(initial_clusters, dtypes.float32)
    parts = inp if isinstance(inp, list) else [inp]
    model = GmmAlgorithm(parts, num_clusters, means, params, covariance_type, random_seed)
    return (
        model.log_likelihood_op(),
        model.scores(),
        [model.assignments()],
        model.training_ops(),
        model.init_ops(),
        model.is_initialized(),
    )


def _random_points(data: Sequence[Tensor], count: int, seed: int) -> Tensor:
    points = add_n([shape(part)[0] for part in data])
    check = assert_less_equal(count, points)
    with control_dependencies([check]):
        end = cast(points, dtypes.int64)
        chosen = random_uniform([count], 0, end, dtypes.int64, seed=seed)
    return embedding_lookup(list(data), chosen, partition_strategy="div")
