"""What estimators of two nets share: nets that are told the mode, and specs of models."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from dataflow.contrib.gan.training import IN_TURN, Hooks, gan_train_ops
from dataflow.contrib.gan.tuples import GANLoss
from dataflow.estimation.functions import argument_names
from dataflow.estimation.model_spec import EstimatorSpec, ModeKeys
from dataflow.graph import scopes
from dataflow.library.metrics.means import mean

Metrics = Callable[[Any], Any]
"""Makes metrics of a model."""


def told(net: Callable[..., Any], mode: str) -> Callable[..., Any]:
    """The function of a net, which is given the mode if it takes one."""
    return functools.partial(net, mode=mode) if "mode" in argument_names(net) else net


def check_hooks_and_summaries(get_hooks_fn: Any, use_loss_summaries: Any) -> None:
    """Checks two arguments of estimators and heads.

    Raises:
      ValueError: `use_loss_summaries` is neither a bool nor None.
      TypeError: `get_hooks_fn` is neither callable nor None.
    """
    if use_loss_summaries not in (True, False, None):
        raise ValueError("use_loss_summaries must be True, False or None.")
    if get_hooks_fn is not None and not callable(get_hooks_fn):
        raise TypeError("get_hooks_fn must be callable.")


def check_mode(mode: Any) -> None:
    """Checks the mode of a model function.

    Raises:
      ValueError: It is none of `ModeKeys`.
    """
    if mode not in (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.PREDICT):
        raise ValueError(f"Mode not recognized: {mode}")


def add_summaries_of(model: Any, chosen: Any, kinds: Mapping[Any, Callable[[Any], None]]) -> None:
    """Adds the summaries that were chosen, outside of any name scope.

    Args:
      model: The model.
      chosen: Keys of `kinds`, one, or a list of them; nothing if None.
      kinds: What adds the summaries of each kind.
    """
    if not chosen:
        return
    with scopes.name_scope(None):
        for each in chosen if isinstance(chosen, tuple | list) else [chosen]:
            kinds[each](model)


def evaluation_spec(
    model: Any, loss: GANLoss, get_eval_metric_ops_fn: Metrics | None, name: str | None = None
) -> EstimatorSpec:
    """The means of both losses, and the metrics that a function makes.

    Args:
      model: The model.
      loss: Its losses.
      get_eval_metric_ops_fn: Makes a dictionary of metrics of the model.
      name: Ends the names of the losses' means, behind a slash.

    Raises:
      TypeError: The metrics are no dictionary.
    """
    end = f"/{name}" if name else ""
    with scopes.name_scope(None, "metrics", list(loss)):
        metrics = {
            f"generator_loss{end}": mean(loss.generator_loss),
            f"discriminator_loss{end}": mean(loss.discriminator_loss),
        }
        if get_eval_metric_ops_fn is not None:
            more = get_eval_metric_ops_fn(model)
            if not isinstance(more, dict):
                raise TypeError(f"get_eval_metric_ops_fn must return a dict, received: {more}")
            metrics.update(more)
    return EstimatorSpec(
        ModeKeys.EVAL,
        predictions=model.generated_data,
        loss=loss.generator_loss + loss.discriminator_loss,
        eval_metric_ops=metrics,
    )


def training_spec(
    model: Any,
    loss: GANLoss,
    optimizers: tuple[Any, Any],
    get_hooks_fn: Hooks | None,
    train_op_fn: Callable[..., Any] = gan_train_ops,
    **kwargs: Any,
) -> EstimatorSpec:
    """A count of steps, whose hooks train both nets.

    Args:
      model: The model.
      loss: Its losses.
      optimizers: Those of the generator and of the discriminator.
      get_hooks_fn: Makes the hooks that train; each net has one step in turn if None.
      train_op_fn: Makes steps of model, losses and optimizers.
      **kwargs: For `train_op_fn`.
    """
    ops = train_op_fn(model, loss, *optimizers, **kwargs)
    return EstimatorSpec(
        ModeKeys.TRAIN,
        loss=loss.generator_loss + loss.discriminator_loss,
        train_op=ops.global_step_inc_op,
        training_hooks=(get_hooks_fn or IN_TURN)(ops),
    )


def made(optimizer: Any) -> Any:
    """An optimizer, made by a function if it is one."""
    return optimizer() if callable(optimizer) else optimizer
