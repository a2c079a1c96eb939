"""QuantizedDistribution: what another distribution draws, rounded up."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow.ops.math.unary as math_unary
from dataflow.contrib.distributions import checks
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.check_values import assert_less
from dataflow.library.distributions.base import NOT_REPARAMETERIZED, Distribution
from dataflow.library.distributions.shapes import check_same_type
from dataflow.ops.array.fill import ones_like, zeros_like
from dataflow.ops.array.select import where_v2
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.math.binary import maximum, minimum
from dataflow.ops.math.rounding import ceil, floor


class QuantizedDistribution(Distribution):
    """What another distribution draws, rounded up to whole numbers, and cut off at bounds."""

    def __init__(
        self,
        distribution: Distribution,
        low: Any = None,
        high: Any = None,
        validate_args: bool = False,
        name: str = "QuantizedDistribution",
    ) -> None:
        """Takes the other distribution, and the least and the greatest number, or None.

        Raises:
          ValueError: The bounds are of another type than the distribution.
        """
        parameters = dict(locals())
        self._dist = distribution
        with name_scope(name, values=[*distribution._graph_parents, low, high]) as scope:
            ends = [
                None if end is None else convert_to_tensor(end, name=what, dtype=distribution.dtype)
                for end, what in ((low, "low"), (high, "high"))
            ]
            check_same_type(distribution, *(end for end in ends if end is not None))
            text = "value has non-integer components."
            whole = [
                None if end is None else checks.integer_form(end, validate_args, text)
                for end in ends
            ]
            if validate_args and None not in whole:
                text = "low must be strictly less than high."
                whole[0] = with_dependencies(
                    [assert_less(whole[0], whole[1], message=text)], whole[0]
                )
            self._low: Any = whole[0]
            self._high: Any = whole[1]
        super().__init__(
            dtype=distribution.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=distribution.allow_nan_stats,
            parameters=parameters,
            graph_parents=[
                *distribution._graph_parents,
                *(end for end in whole if end is not None),
            ],
            name=scope,
        )

    @property
    def distribution(self) -> Distribution:
        """The other distribution."""
        return self._dist

    @property
    def low(self) -> Any:
        """The least number, or None."""
        return self._low

    @property
    def high(self) -> Any:
        """The greatest number, or None."""
        return self._high

    def _batch_shape_tensor(self) -> Any:
        return self._dist.batch_shape_tensor()

    def _batch_shape(self) -> Any:
        return self._dist.batch_shape

    def _event_shape_tensor(self) -> Any:
        return self._dist.event_shape_tensor()

    def _event_shape(self) -> Any:
        return self._dist.event_shape

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        drawn: Any = ceil(self._dist.sample(n, seed=seed))
        drawn = drawn if self._low is None else maximum(drawn, self._low)
        return drawn if self._high is None else minimum(drawn, self._high)

    def _bounded(self, what: str, whole: Any, ends: tuple[float, float]) -> Any:
        """What the other distribution tells at whole numbers; fixed values below and above."""
        found: Any = getattr(self._dist, what)(whole)
        wide: Any = whole + zeros_like(found)
        below, above = (end * ones_like(found) for end in ends)
        if self._low is not None:
            found = where_v2(wide < self._low, below, found)
        return found if self._high is None else where_v2(wide >= self._high, above, found)

    def _log_cdf(self, y: Any) -> Any:
        return self._bounded("log_cdf", floor(y), (-np.inf, 0.0))

    def _cdf(self, y: Any) -> Any:
        return self._bounded("cdf", floor(y), (0.0, 1.0))

    def _log_survival_function(self, y: Any) -> Any:
        return self._bounded("log_survival_function", ceil(y), (0.0, -np.inf))

    def _survival_function(self, y: Any) -> Any:
        return self._bounded("survival_function", ceil(y), (1.0, 0.0))

    def _whole(self, y: Any) -> Any:
        return checks.integer_form(y, self.validate_args, "value has non-integer components.")

    def _log_prob(self, y: Any) -> Any:
        # Of the two tails, the shorter one keeps its digits.
        y = self._whole(y)
        above: Any = self._log_survival_function(y)
        below: Any = self._log_cdf(y)
        is_upper = above < below
        big: Any = where_v2(is_upper, self._log_survival_function(y - 1.0), below)
        small: Any = where_v2(is_upper, above, self._log_cdf(y - 1.0))
        return big + math_unary.log(1.0 - math_unary.exp(small - big))

    def _prob(self, y: Any) -> Any:
        y = self._whole(y)
        above: Any = self._survival_function(y)
        below: Any = self._cdf(y)
        upper: Any = self._survival_function(y - 1.0) - above
        lower: Any = below - self._cdf(y - 1.0)
        return where_v2(above < below, upper, lower)
