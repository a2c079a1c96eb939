"""Losses of weights."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.keys import GraphKeys
from dataflow.ops.basic.constant import constant
from dataflow.ops.math.binary import multiply
from dataflow.ops.math.unary import abs as absolute
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.ops.reductions.statistics import l2_loss
from dataflow.ops.reductions.sum import add_n
from dataflow.values.logging import info

Regularizer = Callable[[Any], Any]


def _checked(scale: Any, end: str = "") -> None:
    _checked_type(scale, "scale")
    if isinstance(scale, numbers.Real) and float(scale) < 0.0:
        raise ValueError(f"Setting a scale less than 0 on a regularizer: {scale:g}{end}")


def _checked_type(scale: Any, name: str) -> None:
    if isinstance(scale, numbers.Integral):
        raise ValueError(f"{name} cannot be an integer: {scale}")


def _scaled(scale: Any, norm: Callable[[Any], Any], scope: str | None, default: str) -> Regularizer:
    if isinstance(scale, numbers.Real) and scale == 0.0:
        info("Scale of 0 disables regularizer.")
        return lambda _: None

    def regularize(weights: Any, name: str | None = None) -> Any:
        with scopes.name_scope(scope, default, [weights]) as inside:
            factor = convert_to_tensor(scale, weights.dtype.base_dtype, name="scale")
            return multiply(factor, norm(weights), name=name or inside)

    return regularize


def l1_regularizer(scale: Any, scope: str | None = None) -> Regularizer:
    """A function of weights: the sum of their absolute values, times a scale.

    Raises:
      ValueError: If the scale is negative, or an integer.
    """
    _checked(scale)
    return _scaled(scale, lambda weights: reduce_sum(absolute(weights)), scope, "l1_regularizer")


def l2_regularizer(scale: Any, scope: str | None = None) -> Regularizer:
    """A function of weights: half the sum of their squares, times a scale.

    Raises:
      ValueError: If the scale is negative, or an integer.
    """
    _checked(scale, end=".")
    return _scaled(scale, l2_loss, scope, "l2_regularizer")


def l1_l2_regularizer(
    scale_l1: Any = 1.0, scale_l2: Any = 1.0, scope: str | None = None
) -> Regularizer | None:
    """The sum of both.

    Raises:
      ValueError: If a scale is negative, or an integer.
    """
    _checked_type(scale_l1, "scale_l1")
    _checked_type(scale_l2, "scale_l2")
    name = scope or "l1_l2_regularizer"
    if isinstance(scale_l1, numbers.Real) and scale_l1 == 0.0:
        return l2_regularizer(scale_l2, name)
    if isinstance(scale_l2, numbers.Real) and scale_l2 == 0.0:
        return l1_regularizer(scale_l1, name)
    return sum_regularizer([l1_regularizer(scale_l1), l2_regularizer(scale_l2)], name)


def sum_regularizer(
    regularizer_list: Sequence[Regularizer | None], scope: str | None = None
) -> Regularizer | None:
    """A function of weights that sums what several give; None if there are none."""
    wanted = [each for each in regularizer_list if each is not None]
    if not wanted:
        return None

    def regularize(weights: Any) -> Any:
        with scopes.name_scope(scope, "sum_regularizer", [weights]) as inside:
            losses = [loss for each in wanted if (loss := each(weights)) is not None]
            return add_n(losses, name=inside) if losses else None

    return regularize


def apply_regularization(regularizer: Regularizer, weights_list: Any = None) -> Any:
    """The sum of the losses of weights, added to REGULARIZATION_LOSSES.

    Args:
      regularizer: A function of weights.
      weights_list: The collection WEIGHTS if None.

    Raises:
      ValueError: If there are no weights.
    """
    if not weights_list:
        weights_list = scopes.get_collection(GraphKeys.WEIGHTS)
    if not weights_list:
        raise ValueError("No weights to regularize.")
    with scopes.name_scope("get_regularization_penalty", values=weights_list) as scope:
        losses = [regularizer(weights) for weights in weights_list]
        losses = [constant(0.0) if loss is None else loss for loss in losses]
        for loss in losses:
            if loss.shape.rank != 0:
                raise ValueError(
                    f"regularizer must return a scalar Tensor instead of a Tensor with rank "
                    f"{loss.shape.rank}."
                )
        summed = add_n(losses, name=scope)
        scopes.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, summed)
        return summed
