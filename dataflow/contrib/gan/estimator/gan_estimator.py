"""An estimator of a generator and a discriminator."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from dataflow.contrib.framework.variables import get_trainable_variables
from dataflow.contrib.gan.estimator.specs import (
    Metrics,
    add_summaries_of,
    check_hooks_and_summaries,
    check_mode,
    evaluation_spec,
    made,
    told,
    training_spec,
)
from dataflow.contrib.gan.eval.summaries import (
    add_gan_model_image_summaries,
    add_gan_model_summaries,
    add_image_comparison_summaries,
)
from dataflow.contrib.gan.models import gan_model, tensors_of
from dataflow.contrib.gan.training import Hooks
from dataflow.contrib.gan.tuples import GANLoss, GANModel
from dataflow.estimation.estimator import Estimator
from dataflow.estimation.model_spec import EstimatorSpec, ModeKeys
from dataflow.estimation.run_config import RunConfig
from dataflow.variables.scope import variable_scope


class SummaryType(enum.IntEnum):
    """What an estimator writes of a model."""

    NONE = 0
    VARIABLES = 1
    IMAGES = 2
    IMAGE_COMPARISON = 3


_SUMMARIES: dict[SummaryType, Callable[[Any], None]] = {
    SummaryType.VARIABLES: add_gan_model_summaries,
    SummaryType.IMAGES: add_gan_model_image_summaries,
    SummaryType.IMAGE_COMPARISON: add_image_comparison_summaries,
}


class GANEstimator(Estimator):
    """Trains both nets, evaluates their losses, and generates data.

    Features are the generator's inputs, labels the real data; there are none when it predicts.
    """

    def __init__(
        self,
        model_dir: Any = None,
        generator_fn: Callable[..., Any] | None = None,
        discriminator_fn: Callable[..., Any] | None = None,
        generator_loss_fn: Callable[..., Any] | None = None,
        discriminator_loss_fn: Callable[..., Any] | None = None,
        generator_optimizer: Any = None,
        discriminator_optimizer: Any = None,
        get_hooks_fn: Hooks | None = None,
        get_eval_metric_ops_fn: Metrics | None = None,
        add_summaries: Any = None,
        use_loss_summaries: bool | None = True,
        config: RunConfig | None = None,
        warm_start_from: Any = None,
        is_chief: bool = True,
    ) -> None:
        """Makes an estimator.

        Args:
          model_dir: Folder of checkpoints and summaries.
          generator_fn: Makes data of inputs, see `gan_model`; is given `mode` if it takes it.
          discriminator_fn: Makes outputs of data and of the generator's inputs; is given `mode` if
            it takes it.
          generator_loss_fn: Makes a loss of a model, and takes `add_summaries`.
          discriminator_loss_fn: So does this.
          generator_optimizer: Trains the generator: an optimizer, or a function that makes it.
          discriminator_optimizer: Trains the discriminator.
          get_hooks_fn: Makes the hooks that train of what `gan_train_ops` gives; each net has one
            step in turn if None.
          get_eval_metric_ops_fn: Makes a dictionary of metrics of a model.
          add_summaries: A `SummaryType`, or a list of them.
          use_loss_summaries: What the losses are given as `add_summaries`.
          config: How to run.
          warm_start_from: See `tf.estimator.Estimator`.
          is_chief: Whether this task is the chief, of optimizers that synchronise replicas.

        Raises:
          ValueError: A loss is not callable, or `use_loss_summaries` neither a bool nor None.
          TypeError: `get_hooks_fn` is not callable.
        """
        if not callable(generator_loss_fn):
            raise ValueError("generator_loss_fn must be callable.")
        if not callable(discriminator_loss_fn):
            raise ValueError("discriminator_loss_fn must be callable.")
        check_hooks_and_summaries(get_hooks_fn, use_loss_summaries)

        def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
            check_mode(mode)
            if mode == ModeKeys.PREDICT:
                model = _generator_alone(generator_fn, features, labels)
                return EstimatorSpec(mode, predictions=model.generated_data)
            model = gan_model(
                told(generator_fn, mode),  # type: ignore[arg-type]
                told(discriminator_fn, mode),  # type: ignore[arg-type]
                labels,
                features,
                check_shapes=False,
            )
            add_summaries_of(model, add_summaries, _SUMMARIES)
            loss = GANLoss(
                generator_loss_fn(model, add_summaries=use_loss_summaries),
                discriminator_loss_fn(model, add_summaries=use_loss_summaries),
            )
            if mode == ModeKeys.EVAL:
                return evaluation_spec(model, loss, get_eval_metric_ops_fn)
            optimizers = made(generator_optimizer), made(discriminator_optimizer)
            return training_spec(model, loss, optimizers, get_hooks_fn, is_chief=is_chief)

        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


def _generator_alone(generator_fn: Any, generator_inputs: Any, real_data: Any) -> GANModel:
    if real_data is not None:
        raise ValueError(
            f"`labels` must be `None` when mode is `predict`. Instead, found {real_data}"
        )
    generator_fn = told(generator_fn, ModeKeys.PREDICT)
    with variable_scope("Generator") as scope:
        inputs = tensors_of(generator_inputs)
        generated = generator_fn(inputs)
    nothing = dict.fromkeys(GANModel._fields[5:])
    return GANModel(
        inputs, generated, get_trainable_variables(scope), scope, generator_fn, **nothing
    )
