"""Dropout: sets activations to zero at random."""

from __future__ import annotations

import numbers
from typing import Any

import dataflow.ops.array.select as array_select
import dataflow.ops.array.shape as array_shape
import dataflow.ops.random.stateful as random_ops
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import dispatched
from dataflow.graph.random_seed import get_seed
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.single import single
from dataflow.values.deprecated_args import renamed
from dataflow.values.shapes import TensorShape, as_shape


@dispatched
def dropout(
    x: Any,
    keep_prob: Any = None,
    noise_shape: Any = None,
    seed: int | None = None,
    name: str | None = None,
    rate: Any = None,
) -> Tensor:
    """Sets elements to zero at random and scales the others, so that the expected sum stays.

    Args:
      x: Floating tensor.
      keep_prob: Former form of `rate`: 1 - rate.
      noise_shape: Shape of the random decisions, broadcast against `x`; that of `x` by default.
      seed: Seed of the operation.
      name: Name of the scope.
      rate: Share of elements set to zero: a number or a scalar tensor.

    Raises:
      ValueError: The rate is missing or not in [0, 1), or `x` is not floating.
    """
    try:
        from_keep_prob = None if keep_prob is None else 1.0 - keep_prob
    except TypeError:
        raise ValueError(
            f"keep_prob must be a floating point number or Tensor (got {keep_prob!r})"
        ) from None
    rate = renamed("rate", rate, "keep_prob", from_keep_prob)
    if rate is None:
        raise ValueError("You must provide a rate to dropout.")
    with name_scope(name, "dropout", [x]):
        is_number = isinstance(rate, numbers.Real)
        if is_number and not 0 <= rate < 1:
            raise ValueError(
                f"rate must be a scalar tensor or a float in the range [0, 1), got {rate:g}"
            )
        values = convert_to_tensor(x, name="x")
        dtype = values.dtype
        if not dtype.is_floating:
            raise ValueError(
                "x has to be a floating point tensor since it's going to be scaled. Got a "
                f"{dtype} tensor instead."
            )
        if is_number and rate == 0:
            # What follows gets the seeds it would have with any other rate.
            get_seed(seed)
            return values
        scaled, rate = _scaled(values, rate, is_number)
        shape = _noise_shape(values, noise_shape)
        noise: Any = random_ops.random_uniform(shape, seed=seed, dtype=dtype)
        kept = noise >= rate
        zero = constant(0, dtype=dtype)
        result = array_select.where_v2(kept, scaled, zero)
        result.set_shape(values.shape)
        return result


def _scaled(values: Tensor, rate: Any, is_number: bool) -> tuple[Tensor, Any]:
    """The values over 1 - rate, and the rate in their type."""
    dtype = values.dtype
    if is_number:
        factor = convert_to_tensor(1 / (1 - rate), dtype=dtype)
        return single("Mul", values, factor), rate
    if not hasattr(rate, "graph"):
        raise ValueError(f"`rate` must be a scalar or scalar tensor. Received: rate={rate}")
    rate.shape.assert_has_rank(0)
    if rate.dtype != dtype:
        if not rate.dtype.is_compatible_with(dtype):
            raise ValueError(
                "`x.dtype` must be compatible with `rate.dtype`. Received: "
                f"x.dtype={dtype} and rate.dtype={rate.dtype}"
            )
        rate = single("Cast", rate, DstT=dtype, name="rate")
    one = constant(1, dtype=dtype)
    return single("RealDiv", values, single("Sub", one, rate)), rate


def _noise_shape(values: Tensor, given: Any) -> Any:
    if given is None:
        return array_shape.shape(values)
    try:
        shape = as_shape(given)
    except (TypeError, ValueError):
        return given
    have, want = values.shape.dims_tuple, shape.dims_tuple
    if have is None or want is None or len(have) != len(want):
        return given
    return TensorShape.of(tuple(h if w is None else w for h, w in zip(have, want, strict=True)))
