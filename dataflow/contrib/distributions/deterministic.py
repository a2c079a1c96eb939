"""Distributions that draw always the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.check_values import assert_equal, assert_non_negative
from dataflow.library.distributions.base import NOT_REPARAMETERIZED, Distribution
from dataflow.ops.array.broadcast import tile
from dataflow.ops.array.fill import ones_like, zeros, zeros_like
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.basic.identity import identity
from dataflow.ops.reductions.reduce import reduce_all
from dataflow.values import dtypes


class _Constant(Distribution):
    """All of the probability is at a place, as wide as the tolerances make it."""

    def _begin(
        self,
        loc: Any,
        tolerances: tuple[Any, Any],
        flags: tuple[bool, bool],
        parameters: Mapping[str, Any],
        name: str,
    ) -> None:
        with name_scope(name, values=[loc, *tolerances]) as scope:
            self._loc: Any = convert_to_tensor(loc, name="loc")
            Distribution.__init__(
                self,
                dtype=self._loc.dtype,
                reparameterization_type=NOT_REPARAMETERIZED,
                validate_args=flags[0],
                allow_nan_stats=flags[1],
                parameters=parameters,
                graph_parents=[self._loc],
                name=scope,
            )
            self._atol, self._rtol = (self._tolerance(each) for each in tolerances)
            self._slack: Any = self._atol
            if tolerances[1] is not None:
                self._slack = self._atol + self._rtol * math_unary.abs(self._loc)

    def _tolerance(self, value: Any) -> Any:
        found: Any = convert_to_tensor(0 if value is None else value, dtype=self.dtype)
        if value is None or not self.validate_args:
            return found
        text = "Argument 'tol' must be non-negative"
        return with_dependencies([assert_non_negative(found, message=text)], found)

    @property
    def loc(self) -> Any:
        """What is drawn."""
        return self._loc

    @property
    def atol(self) -> Any:
        """By how much a value may differ."""
        return self._atol

    @property
    def rtol(self) -> Any:
        """By which part of its size a value may differ."""
        return self._rtol

    def _entropy(self) -> Any:
        return zeros(self.batch_shape_tensor(), dtype=self.dtype)

    def _mean(self) -> Any:
        return identity(self._loc)

    _mode = _mean

    def _variance(self) -> Any:
        return zeros_like(self._loc)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        once = ones_like(array_shape.shape(self._loc))
        return tile(self._loc[None, ...], array_concat.concat([[n], once], 0))

    def _is_near(self, x: Any) -> Any:
        return math_unary.abs(x - self._loc) <= self._slack


class Deterministic(_Constant):
    """Draws always the same number."""

    def __init__(
        self,
        loc: Any,
        atol: Any = None,
        rtol: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Deterministic",
    ) -> None:
        """Takes the numbers, and by how much values may differ from them."""
        parameters = dict(locals())
        self._begin(loc, (atol, rtol), (validate_args, allow_nan_stats), parameters, name)

    def _batch_shape_tensor(self) -> Any:
        return array_shape.shape(self._loc)

    def _batch_shape(self) -> Any:
        return self._loc.shape

    def _event_shape_tensor(self) -> Any:
        return constant([], dtype=dtypes.int32)

    def _event_shape(self) -> Any:
        return []

    def _prob(self, x: Any) -> Any:
        return cast(self._is_near(x), self.dtype)

    def _cdf(self, x: Any) -> Any:
        return cast(x >= self._loc - self._slack, self.dtype)


class VectorDeterministic(_Constant):
    """Draws always the same vector."""

    def __init__(
        self,
        loc: Any,
        atol: Any = None,
        rtol: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorDeterministic",
    ) -> None:
        """Takes the vectors, and by how much elements may differ from theirs.

        Raises:
          ValueError: Arguments are checked, and they are no vectors.
        """
        parameters = dict(locals())
        self._begin(loc, (atol, rtol), (validate_args, allow_nan_stats), parameters, name)
        if validate_args and self._loc.shape.rank == 0:
            raise ValueError("Argument loc must be at least rank 1.")

    def _batch_shape_tensor(self) -> Any:
        sizes: Any = array_shape.shape(self._loc)
        return sizes[:-1]

    def _batch_shape(self) -> Any:
        return self._loc.shape[:-1]

    def _event_shape_tensor(self) -> Any:
        sizes: Any = array_shape.shape(self._loc)
        return sizes[-1:]

    def _event_shape(self) -> Any:
        return self._loc.shape[-1:]

    def _prob(self, x: Any) -> Any:
        if self.validate_args:
            sizes: Any = array_shape.shape(x)
            text = "Argument 'x' not defined in the same space R^k as this distribution"
            check = assert_equal(self.event_shape_tensor(), sizes[-1:], message=text)
            x = with_dependencies([check], x)
        return cast(reduce_all(self._is_near(x), -1), self.dtype)
