"""Heads whose arguments stood in another order, and an optimizer that bounds gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.contrib.opt.wrappers import Wrapper
from dataflow.estimation.functions import argument_names
from dataflow.estimation.heads.numbers import PoissonRegressionHead, RegressionHead
from dataflow.library.clipping import clip_by_global_norm
from dataflow.library.losses.weighted import Reduction
from dataflow.training.optimizer import Optimizer


def regression_head(
    weight_column: Any = None,
    label_dimension: int = 1,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    loss_fn: Callable[..., Any] | None = None,
    inverse_link_fn: Callable[[Any], Any] | None = None,
    name: str | None = None,
) -> RegressionHead:
    """See `RegressionHead`."""
    return RegressionHead(
        label_dimension, weight_column, loss_reduction, loss_fn, inverse_link_fn, name
    )


def poisson_regression_head(
    weight_column: Any = None,
    label_dimension: int = 1,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    compute_full_loss: bool = True,
    name: str | None = None,
) -> PoissonRegressionHead:
    """See `PoissonRegressionHead`."""
    return PoissonRegressionHead(
        label_dimension, weight_column, loss_reduction, compute_full_loss, name
    )


def call_logit_fn(
    logit_fn: Callable[..., Any], features: Any, mode: Any, params: Any, config: Any
) -> Any:
    """Calls a function of features and of what it wants of `mode`, `params` and `config`."""
    given = {"mode": mode, "params": params, "config": config}
    names = argument_names(logit_fn)
    return logit_fn(features=features, **{n: v for n, v in given.items() if n in names})


def clip_gradients_by_norm(optimizer: Optimizer, clip_norm: float) -> Optimizer:
    """An optimizer that bounds the common norm of all gradients before it applies them."""
    return _ClipByNorm(optimizer, clip_norm)


class _ClipByNorm(Wrapper):
    def __init__(self, optimizer: Optimizer, clip_norm: float) -> None:
        super().__init__(optimizer, False, f"ClipByNorm{optimizer.get_name()}")
        self._clip_norm = clip_norm

    def apply_gradients(
        self,
        grads_and_vars: Any,
        global_step: Any = None,
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
    ) -> Any:
        """See `Optimizer`."""
        gradients, variables = zip(*grads_and_vars, strict=True)
        clipped, _ = clip_by_global_norm(gradients, self._clip_norm)
        pairs = list(zip(clipped, variables, strict=True))
        return self._optimizer.apply_gradients(pairs, global_step, name)
