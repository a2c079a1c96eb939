"""adaptive_clipping_fn: gradients are cut where their norm is much greater than it used to be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dataflow.graph.indexed_slices import scaled
from dataflow.library.clipping import global_norm
from dataflow.library.summaries.values import scalar
from dataflow.ops.array.fill import ones_like
from dataflow.ops.array.select import where
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.binary import maximum, minimum
from dataflow.ops.math.unary import exp, log, sqrt, square
from dataflow.training.moving_averages import assign_moving_average
from dataflow.values.dtypes import float32
from dataflow.variables.initializers import Zeros
from dataflow.variables.scope import get_variable, variable_scope

_Pairs = Sequence[tuple[Any, Any]]


def adaptive_clipping_fn(
    std_factor: Any = 2.0,
    decay: Any = 0.95,
    static_max_norm: Any = None,
    global_step: Any = None,
    report_summary: bool = False,
    epsilon: float = 1e-8,
    name: str | None = None,
) -> Callable[[_Pairs], list[tuple[Any, Any]]]:
    """A function that cuts gradients, as `optimize_loss` takes it for `clip_gradients`.

    It keeps moving averages of the logarithm of the norm of all gradients and of its square. Where
    the norm is greater than exp(mean + std_factor * deviation), gradients get the norm exp(mean):
    section 3.2.1 of https://arxiv.org/abs/1412.1602.

    Args:
      std_factor: How many deviations above the mean the logarithm may be.
      decay: Of the averages.
      static_max_norm: The most that the norm may be; None for no bound.
      global_step: If it is given, n, the decay is at most n / (n + 1).
      report_summary: Whether there is a summary of the bound.
      epsilon: The least variance, which is added to norms, too.
      name: Scope of the averages; "AdaptiveMaxNorm" if None.

    Returns:
      A function of pairs of gradient and variable that gives such pairs.
    """

    def clip(grads_and_vars: _Pairs) -> list[tuple[Any, Any]]:
        norm = global_norm([grad for grad, _ in grads_and_vars])
        bound, log_mean = _bound(norm, std_factor, decay, global_step, epsilon, name)
        if report_summary:
            scalar("global_norm/adaptive_max_gradient_norm", bound)
        factor = where(norm < bound, ones_like(norm), exp(log_mean) / norm)
        if static_max_norm is not None:
            factor = minimum(static_max_norm / norm, factor)
        return [(scaled(grad, factor), var) for grad, var in grads_and_vars]

    return clip


def _bound(
    norm: Any, std_factor: Any, decay: Any, step: Any, epsilon: float, name: str | None
) -> tuple[Any, Any]:
    """The most that the norm may be, and the mean of its logarithm."""

    def average(of: str, value: Any) -> Any:
        kept = get_variable(
            of, value.shape, dtype=value.dtype, initializer=Zeros(), trainable=False
        )
        return assign_moving_average(kept, value, decay, zero_debias=False)

    with variable_scope(name, "AdaptiveMaxNorm", [norm]):
        log_norm = log(norm + epsilon)
        if step is not None:
            count = cast(step, float32)
            decay = minimum(decay, count / (count + 1.0))
        mean = average("mean", log_norm)
        variance = average("sq_mean", square(log_norm)) - square(mean)
        deviation = sqrt(maximum(epsilon, variance))
        return exp(mean + std_factor * deviation), mean
