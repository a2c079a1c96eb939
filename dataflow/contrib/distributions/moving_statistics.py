"""Averages and variances of values that come one after the other."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.math.unary as math_unary
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.keys import GraphKeys
from dataflow.ops.array.fill import ones_like
from dataflow.ops.reductions.statistics import reduce_logsumexp
from dataflow.ops.state.reference import assign_add, assign_sub
from dataflow.variables.initializers import Zeros
from dataflow.variables.scope import get_variable, variable_scope


def assign_moving_mean_variance(
    mean_var: Any, variance_var: Any, value: Any, decay: Any, name: str | None = None
) -> tuple[Any, Any]:
    """Moves a mean and a variance towards a value (Finch, 2009).

    Args:
      mean_var: The mean, a variable of a floating type.
      variance_var: The variance, a variable of the same type.
      value: The value.
      decay: By what both are multiplied, from 0 to 1.
      name: A name scope.

    Returns:
      Both after the change.

    Raises:
      TypeError: The variables are of no floating type, or of two types.
    """
    with (
        scopes.name_scope(
            name, "assign_moving_mean_variance", [variance_var, mean_var, value, decay]
        ),
        scopes.colocate_with(variance_var),
        scopes.colocate_with(mean_var),
    ):
        dtype = _floating(mean_var, "mean_var")
        if dtype != variance_var.dtype.base_dtype:
            raise TypeError(
                f"mean_var.base_dtype({dtype.name}) != "
                f"variance_var.base_dtype({variance_var.dtype.base_dtype.name})"
            )
        value = convert_to_tensor(value, dtype=dtype, name="value")
        decay = convert_to_tensor(decay, dtype=dtype, name="decay")
        gap: Any = value - mean_var
        # The variance is changed by how far the value was from the old mean.
        with scopes.control_dependencies([gap]):
            mean = assign_add(mean_var, (1.0 - decay) * gap)
            spread = decay * math_unary.square(gap)
            variance = assign_sub(variance_var, (1.0 - decay) * (variance_var - spread))
        return mean, variance


def assign_log_moving_mean_exp(
    log_mean_exp_var: Any, log_value: Any, decay: Any, name: str | None = None
) -> Any:
    """Moves the logarithm of a mean of exponentials towards a value.

    Args:
      log_mean_exp_var: The logarithm, a variable of a floating type.
      log_value: The logarithm of a value.
      decay: By what the mean is multiplied, from 0 to 1.
      name: A name scope.

    Returns:
      What `log(decay exp(log_mean_exp_var) + (1 - decay) exp(log_value))` is, which is assigned.

    Raises:
      TypeError: The variable is of no floating type.
    """
    with (
        scopes.name_scope(name, "assign_log_moving_mean_exp", [log_mean_exp_var, log_value, decay]),
        scopes.colocate_with(log_mean_exp_var),
    ):
        dtype = _floating(log_mean_exp_var, "log_mean_exp_var")
        log_value = convert_to_tensor(log_value, dtype=dtype, name="log_value")
        decay = convert_to_tensor(decay, dtype=dtype, name="decay")
        gap: Any = (log_value - log_mean_exp_var)[None, ...]
        kept: Any = math_unary.log(decay)
        both = array_concat.concat([kept * ones_like(gap), gap + math_unary.log1p(-decay)], axis=0)
        return log_mean_exp_var.assign_add(reduce_logsumexp(both, axis=0))


def moving_mean_variance(
    value: Any, decay: Any, collections: Any = None, name: str | None = None
) -> tuple[Any, Any]:
    """`assign_moving_mean_variance` of variables that it makes, which begin with 0.

    Args:
      value: The value, of a floating type.
      decay: By what both are multiplied, from 0 to 1.
      collections: Of the variables; that of global ones if None.
      name: Their variable scope, "moving_mean_variance" if None.

    Raises:
      TypeError: The value is of no floating type.
    """
    if collections is None:
        collections = [GraphKeys.GLOBAL_VARIABLES]
    with variable_scope(name, "moving_mean_variance", [value, decay]):
        value = convert_to_tensor(value, name="value")
        dtype = _floating(value, "value")
        decay = convert_to_tensor(decay, dtype=dtype, name="decay")
        variance, mean = (
            get_variable(
                f"moving_{which}",
                shape=value.shape,
                dtype=value.dtype,
                initializer=Zeros(),
                trainable=False,
                collections=collections,
            )
            for which in ("variance", "mean")
        )
        return assign_moving_mean_variance(mean, variance, value, decay)


def _floating(value: Any, name: str) -> Any:
    dtype = value.dtype.base_dtype
    if not dtype.is_floating:
        raise TypeError(f"{name}.base_dtype({dtype.name}) does not have float type `dtype`.")
    return dtype
