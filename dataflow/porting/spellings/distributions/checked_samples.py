"""What tests of distributions draw, beside what the distributions say."""

from __future__ import annotations

from collections.abc import Callable
from math import gamma, pi
from typing import Any

import numpy as np

import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.range import range as range_
from dataflow.ops.linalg.norm import norm
from dataflow.ops.reductions.bincount import histogram_fixed_width
from dataflow.ops.reductions.reduce import reduce_max, reduce_mean, reduce_min
from dataflow.values import dtypes
from dataflow.variables.variable import global_variables_initializer


class DiscreteScalarDistributionTestHelpers:
    """A part of a test case, for distributions of single integers."""

    assertAllClose: Callable[..., None]

    def run_test_sample_consistent_log_prob(
        self,
        sess_run_fn: Callable[[Any], Any],
        dist: Any,
        num_samples: int = 100000,
        num_threshold: int = 1000,
        seed: int | None = 42,
        batch_size: int | None = None,
        rtol: float = 1e-2,
        atol: float = 0.0,
    ) -> None:
        """Each integer is drawn as often as it should be, if it is drawn often.

        Args:
          sess_run_fn: Computes values.
          dist: The distribution.
          num_samples: How many are drawn.
          num_threshold: How often an integer has to be drawn to count.
          seed: Of what is drawn.
          batch_size: How many distributions it is; asked for by a step if None.
          rtol: How far apart both may be, relative to what was drawn.
          atol: And absolute.

        Raises:
          ValueError: The threshold is below 1.
        """
        if num_threshold < 1:
            raise ValueError(f"num_threshold({num_threshold}) must be at least 1.")
        drawn = sess_run_fn(dist.sample(num_samples, seed=seed)).reshape(num_samples, -1)
        axes = [1] * len(sess_run_fn(dist.batch_shape_tensor()))
        for index in range(batch_size or drawn.shape[1]):
            values, counts = np.unique(drawn[:, index], return_counts=True)
            values, counts = values[counts > num_threshold], counts[counts > num_threshold]
            logs = sess_run_fn(dist.log_prob(values.reshape([-1, *axes])))
            found = np.exp(logs).reshape(len(values), -1)
            found = np.broadcast_to(found, [len(values), drawn.shape[1]])[:, index]
            self.assertAllClose(found, counts / num_samples, rtol=rtol, atol=atol)

    def run_test_sample_consistent_mean_variance(
        self,
        sess_run_fn: Callable[[Any], Any],
        dist: Any,
        num_samples: int = 100000,
        seed: int | None = 24,
        rtol: float = 1e-2,
        atol: float = 0.0,
    ) -> None:
        """Mean, variance and deviation are those of what is drawn."""
        told = [dist.mean(), dist.variance(), dist.stddev()]
        drawn, *found = sess_run_fn([dist.sample(num_samples, seed=seed), *told])
        drawn = drawn.astype(np.float32)
        wanted = [drawn.mean(0), drawn.var(0), drawn.std(0)]
        for each, of_samples in zip(found, wanted, strict=True):
            self.assertAllClose(each, of_samples, rtol=rtol, atol=atol)

    def histogram(
        self, x: Any, value_range: Any = None, nbins: Any = None, name: str | None = None
    ) -> tuple[Any, Any]:
        """How often values are in bins of one width.

        Args:
          x: The values.
          value_range: The first and the end of the last bin: all values if None.
          nbins: How many, one for each integer if None.
          name: A name scope.

        Returns:
          The counts, and where each bin begins.
        """
        with name_scope(name, "histogram", [x]):
            values: Any = convert_to_tensor(x, name="x")
            if value_range is None:
                value_range = [reduce_min(values), 1 + reduce_max(values)]
            ends: Any = convert_to_tensor(value_range, name="value_range")
            low, high = ends[0], ends[1]
            if nbins is None:
                nbins = cast(high - low, dtypes.int32)
            width = (high - low) / cast(nbins, ends.dtype.base_dtype)
            edges = range_(low, high, width, dtype=values.dtype.base_dtype)
            return histogram_fixed_width(values, ends, nbins=nbins), edges


class VectorDistributionTestHelpers:
    """A part of a test case, for distributions of vectors."""

    assertAllClose: Callable[..., None]

    def run_test_sample_consistent_log_prob(
        self,
        sess_run_fn: Callable[[Any], Any],
        dist: Any,
        num_samples: int = 100000,
        radius: float = 1.0,
        center: Any = 0.0,
        seed: int | None = 42,
        rtol: float = 1e-2,
        atol: float = 0.0,
    ) -> None:
        """The volume of a ball, of what is drawn in it and of its densities.

        Args:
          sess_run_fn: Computes values.
          dist: The distribution.
          num_samples: How many are drawn.
          radius: Of the ball.
          center: Of the ball.
          seed: Of what is drawn.
          rtol: How far apart both may be, relative to what was drawn.
          atol: And absolute.
        """
        drawn = dist.sample(num_samples, seed=seed)
        distances: Any = norm(drawn - center, axis=-1)
        inside = cast(distances <= radius, drawn.dtype)
        volume = reduce_mean(math_unary.exp(-dist.log_prob(drawn)) * inside, axis=0)
        # Layers of bijectors make their variables when densities are asked for.
        sess_run_fn(global_variables_initializer())
        batch, event, found = sess_run_fn(
            [dist.batch_shape_tensor(), dist.event_shape_tensor(), volume]
        )
        axes = int(event[0])
        wanted = pi ** (axes / 2) / gamma(1 + axes / 2) * radius**axes
        self.assertAllClose(np.full(batch, wanted), found, rtol=rtol, atol=atol)

    def run_test_sample_consistent_mean_covariance(
        self,
        sess_run_fn: Callable[[Any], Any],
        dist: Any,
        num_samples: int = 100000,
        seed: int | None = 24,
        rtol: float = 1e-2,
        atol: float = 0.1,
        cov_rtol: float | None = None,
        cov_atol: float | None = None,
    ) -> None:
        """Mean, covariance, variance and deviation are those of what is drawn."""
        drawn: Any = dist.sample(num_samples, seed=seed)
        mean: Any = reduce_mean(drawn, axis=0)
        gaps = array_shape.expand_dims(drawn - mean, -1)
        spread = reduce_mean(gaps * (drawn - mean)[..., None, :], axis=0)
        told = [dist.mean(), dist.covariance(), dist.variance(), dist.stddev()]
        of_mean, of_spread, *found = sess_run_fn([mean, spread, *told])
        variances = np.diagonal(of_spread, axis1=-2, axis2=-1)
        self.assertAllClose(found[0], of_mean, rtol=rtol, atol=atol)
        self.assertAllClose(found[1], of_spread, rtol=cov_rtol or rtol, atol=cov_atol or atol)
        self.assertAllClose(found[2], variances, rtol=rtol, atol=atol)
        self.assertAllClose(found[3], np.sqrt(variances), rtol=rtol, atol=atol)
