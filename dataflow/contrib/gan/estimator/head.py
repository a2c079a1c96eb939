"""A head whose logits are a model of two nets."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from dataflow.contrib.gan.estimator.specs import (
    Metrics,
    check_hooks_and_summaries,
    check_mode,
    evaluation_spec,
    training_spec,
)
from dataflow.contrib.gan.training import IN_TURN, Hooks, gan_train_ops
from dataflow.contrib.gan.tuples import GANLoss, GANModel
from dataflow.estimation.export_outputs import PredictOutput
from dataflow.estimation.model_spec import EstimatorSpec, ModeKeys
from dataflow.graph import scopes


def gan_head(
    generator_loss_fn: Callable[..., Any],
    discriminator_loss_fn: Callable[..., Any],
    generator_optimizer: Any,
    discriminator_optimizer: Any,
    use_loss_summaries: bool | None = True,
    get_hooks_fn: Hooks | None = IN_TURN,
    get_eval_metric_ops_fn: Metrics | None = None,
    name: str | None = None,
) -> GANHead:
    """See `GANHead`."""
    return GANHead(
        generator_loss_fn,
        discriminator_loss_fn,
        generator_optimizer,
        discriminator_optimizer,
        use_loss_summaries,
        get_hooks_fn,
        get_eval_metric_ops_fn,
        name,
    )


class GANHead:
    """Makes what a model function gives of a `GANModel`."""

    def __init__(
        self,
        generator_loss_fn: Callable[..., Any],
        discriminator_loss_fn: Callable[..., Any],
        generator_optimizer: Any,
        discriminator_optimizer: Any,
        use_loss_summaries: bool | None = True,
        get_hooks_fn: Hooks | None = None,
        get_eval_metric_ops_fn: Metrics | None = None,
        name: str | None = None,
    ) -> None:
        """Takes losses and optimizers.

        Args:
          generator_loss_fn: Makes a loss of a model.
          discriminator_loss_fn: So does this.
          generator_optimizer: Trains the generator.
          discriminator_optimizer: Trains the discriminator.
          use_loss_summaries: What the losses are given as `add_summaries`, if it is not None.
          get_hooks_fn: Makes the hooks that train; each net has one step in turn if None.
          get_eval_metric_ops_fn: Makes a dictionary of metrics of a model.
          name: Ends the names of the losses' means.

        Raises:
          TypeError: A function is not callable, or the name no text.
          ValueError: `use_loss_summaries` is neither a bool nor None.
        """
        if not callable(generator_loss_fn):
            raise TypeError("generator_loss_fn must be callable.")
        if not callable(discriminator_loss_fn):
            raise TypeError("discriminator_loss_fn must be callable.")
        check_hooks_and_summaries(get_hooks_fn, use_loss_summaries)
        if name is not None and not isinstance(name, str):
            raise TypeError("name must be string.")
        options = {} if use_loss_summaries is None else {"add_summaries": use_loss_summaries}
        self._losses = [
            functools.partial(each, **options)
            for each in (generator_loss_fn, discriminator_loss_fn)
        ]
        self._optimizers = generator_optimizer, discriminator_optimizer
        self._get_hooks_fn = get_hooks_fn
        self._get_eval_metric_ops_fn = get_eval_metric_ops_fn
        self._name = name

    @property
    def name(self) -> str | None:
        """Ends the names of the losses' means."""
        return self._name

    @property
    def logits_dimension(self) -> None:
        """None: logits are a model."""
        return None

    def create_loss(self, features: Any, mode: Any, logits: Any, labels: Any) -> GANLoss:
        """The losses of a model.

        Args:
          features: Is looked at by nothing.
          mode: Nor is this.
          logits: The `GANModel`.
          labels: None.

        Raises:
          ValueError: There are labels, or `logits` is no `GANModel`.
        """
        _check(logits, labels)
        return GANLoss(*(loss(logits) for loss in self._losses))

    def create_estimator_spec(
        self,
        features: Any,
        mode: Any,
        logits: Any,
        labels: Any = None,
        train_op_fn: Callable[..., Any] | None = gan_train_ops,
    ) -> EstimatorSpec:
        """What a model function gives.

        Args:
          features: None.
          mode: One of `tf.estimator.ModeKeys`.
          logits: The `GANModel`.
          labels: None.
          train_op_fn: Makes steps of model, losses and both optimizers, as `gan_train_ops` does.

        Raises:
          ValueError: There are features, labels or no way to train, or `logits` is no `GANModel`.
        """
        _check(logits, labels)
        if features is not None:
            raise ValueError(f"`features` should be `None`. Instead, found: {features}")
        check_mode(mode)
        with scopes.name_scope("GANHead"):
            if mode == ModeKeys.PREDICT:
                data = logits.generated_data
                return EstimatorSpec(
                    mode, predictions=data, export_outputs={"predict": PredictOutput(data)}
                )
            if mode == ModeKeys.TRAIN and train_op_fn is None:
                raise ValueError("train_op_fn can not be None.")
            loss = self.create_loss(None, mode, logits, None)
            if mode == ModeKeys.EVAL:
                return evaluation_spec(logits, loss, self._get_eval_metric_ops_fn, self._name)
            return training_spec(
                logits,
                loss,
                self._optimizers,
                self._get_hooks_fn,
                train_op_fn,  # type: ignore[arg-type]
            )


def _check(logits: Any, labels: Any) -> None:
    if labels is not None:
        raise ValueError(
            "`GANHead`'s `create_estimator_spec` input `labels` must be `None`. Instead, found: "
            f"{labels}"
        )
    if not isinstance(logits, GANModel):
        raise ValueError(
            "`GANHead`'s `create_estimator_spec` input `logits` must be an instnace of a "
            f"`GANModel`. Instead, found: {logits}"
        )
