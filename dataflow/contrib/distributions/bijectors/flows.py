"""RealNVP: a part of a vector moves and stretches the rest (Dinh et al., 2017)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.math.unary as math_unary
from dataflow.contrib.distributions.bijectors.base import Bijector
from dataflow.graph import scopes
from dataflow.library.layers.dense import dense
from dataflow.ops.array.split import split
from dataflow.ops.basic.constant import constant
from dataflow.ops.nn.activation import relu
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.values.shapes import dimension_value
from dataflow.variables.template import Template, make_template


def moved(x: Any, shift: Any, log_scale: Any) -> Any:
    """`x exp(log_scale) + shift`, of which None is 0."""
    y = x if log_scale is None else x * math_unary.exp(log_scale)
    return y if shift is None else y + shift


def moved_back(y: Any, shift: Any, log_scale: Any) -> Any:
    """The inverse of `moved`."""
    x = y if shift is None else y - shift
    return x if log_scale is None else x * math_unary.exp(-log_scale)


def log_volume(x: Any, log_scale: Any, name: str) -> Any:
    """By what `moved` multiplies volumes, its logarithm."""
    if log_scale is None:
        return constant(0.0, dtype=x.dtype, name=name)
    return reduce_sum(log_scale, axis=-1)


class RealNVP(Bijector):
    """Keeps the first elements of vectors, and moves and stretches the others by them."""

    def __init__(
        self,
        num_masked: int,
        shift_and_log_scale_fn: Callable[..., Any],
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        """Takes how many elements are kept, and what makes shifts and scales of them.

        Args:
          num_masked: How many of the first elements are kept.
          shift_and_log_scale_fn: Takes them and the number of the others; gives what is added to
            the others and the logarithms of their factors, of which each may be None.
          is_constant_jacobian: Whether volumes change alike everywhere.
          validate_args: Is looked at by nothing.
          name: Name of the scope of the operations.

        Raises:
          ValueError: The number is not positive.
        """
        if num_masked <= 0:
            raise ValueError("num_masked must be a positive integer.")
        self._num_masked = num_masked
        self._input_depth: int | None = None
        self._shift_and_log_scale_fn = shift_and_log_scale_fn
        super().__init__(
            forward_min_event_ndims=1,
            is_constant_jacobian=is_constant_jacobian,
            validate_args=validate_args,
            name=name or "real_nvp",
        )

    def _others(self, x: Any) -> int:
        """How many elements are moved.

        Raises:
          NotImplementedError: The size of vectors is not known.
          ValueError: They have no more elements than are kept.
        """
        if self._input_depth is None:
            self._input_depth = dimension_value(x.shape.with_rank_at_least(1)[-1])
            if self._input_depth is None:
                raise NotImplementedError(
                    "Rightmost dimension must be known prior to graph execution."
                )
            if self._num_masked >= self._input_depth:
                raise ValueError("Number of masked units must be smaller than the event size.")
        return self._input_depth - self._num_masked

    def _parts(self, x: Any) -> tuple[Any, Any, Any, Any]:
        others = self._others(x)
        kept, rest = x[..., : self._num_masked], x[..., self._num_masked :]
        return kept, rest, *self._shift_and_log_scale_fn(kept, others)

    def _forward(self, x: Any) -> Any:
        kept, rest, shift, log_scale = self._parts(x)
        return array_concat.concat([kept, moved(rest, shift, log_scale)], axis=-1)

    def _inverse(self, y: Any) -> Any:
        kept, rest, shift, log_scale = self._parts(y)
        return array_concat.concat([kept, moved_back(rest, shift, log_scale)], axis=-1)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return -log_volume(y, self._parts(y)[3], "ildj")

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return log_volume(x, self._parts(x)[3], "fldj")


def real_nvp_default_template(
    hidden_layers: Sequence[int],
    shift_only: bool = False,
    activation: Any = relu,
    name: str | None = None,
    *args: Any,
    **kwargs: Any,
) -> Template:
    """A net of dense layers for `RealNVP`.

    Args:
      hidden_layers: How many numbers each hidden layer gives.
      shift_only: Whether there is no scale.
      activation: Of hidden layers.
      name: A name scope.
      *args: For `tf.layers.dense`, after the number of outputs.
      **kwargs: For `tf.layers.dense`.

    Returns:
      What `RealNVP` takes; its variables are made by the first call, and shared.
    """
    with scopes.name_scope(name, "real_nvp_default_template"):

        def shift_and_log_scale(x: Any, output_units: int) -> tuple[Any, Any]:
            for units in hidden_layers:
                x = dense(x, units, activation, *args, **kwargs)
            outputs = output_units if shift_only else 2 * output_units
            x = dense(x, outputs, None, *args, **kwargs)
            if shift_only:
                return x, None
            shift, log_scale = split(x, 2, axis=-1)
            return shift, log_scale

        return make_template("real_nvp_default_template", shift_and_log_scale)
