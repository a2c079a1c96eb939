"""An estimator of a generator from and to many kinds of data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.contrib.gan.estimator.gan_estimator import SummaryType as SummaryType
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
    add_gan_model_summaries,
    add_stargan_image_summaries,
)
from dataflow.contrib.gan.models import stargan_model, tensors_of
from dataflow.contrib.gan.training import Hooks
from dataflow.estimation.estimator import Estimator
from dataflow.estimation.model_spec import EstimatorSpec, ModeKeys
from dataflow.estimation.run_config import RunConfig
from dataflow.variables.scope import variable_scope

_SUMMARIES: dict[SummaryType, Callable[[Any], None]] = {
    SummaryType.VARIABLES: add_gan_model_summaries,
    SummaryType.IMAGES: add_stargan_image_summaries,
}


class StarGANEstimator(Estimator):
    """Trains both nets, evaluates their losses, and makes data of other kinds.

    Features are data, labels their kinds. When it predicts, features are both, see
    `stargan_prediction_input_fn_wrapper`, and the kinds are the wanted ones.
    """

    def __init__(
        self,
        model_dir: Any = None,
        generator_fn: Callable[..., Any] | None = None,
        discriminator_fn: Callable[..., Any] | None = None,
        loss_fn: Callable[[Any], Any] | None = None,
        generator_optimizer: Any = None,
        discriminator_optimizer: Any = None,
        get_hooks_fn: Hooks | None = None,
        get_eval_metric_ops_fn: Metrics | None = None,
        add_summaries: Any = None,
        use_loss_summaries: bool | None = True,
        config: RunConfig | None = None,
    ) -> None:
        """Makes an estimator.

        Args:
          model_dir: Folder of checkpoints and summaries.
          generator_fn: Makes data of data and of the kinds that they are to be of; is given `mode`
            if it takes it.
          discriminator_fn: Makes outputs, and logits of the kinds, of data and of the number of
            kinds; is given `mode` if it takes it.
          loss_fn: Makes a `GANLoss` of a model.
          generator_optimizer: Trains the generator: an optimizer, or a function that makes it.
          discriminator_optimizer: Trains the discriminator.
          get_hooks_fn: See `GANEstimator`, as for all that follow.
          get_eval_metric_ops_fn: Makes a dictionary of metrics of a model.
          add_summaries: A `SummaryType`, or a list of them.
          use_loss_summaries: Is looked at by nothing.
          config: How to run.

        Raises:
          ValueError: The loss is not callable, or `use_loss_summaries` neither a bool nor None.
          TypeError: `get_hooks_fn` is not callable.
        """
        if not callable(loss_fn):
            raise ValueError("loss_fn must be callable.")
        check_hooks_and_summaries(get_hooks_fn, use_loss_summaries)

        def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
            check_mode(mode)
            if mode == ModeKeys.PREDICT:
                with variable_scope("Generator"):
                    data, kinds = (tensors_of(each) for each in features)
                    made_of_them = told(generator_fn, mode)(data, kinds)  # type: ignore[arg-type]
                return EstimatorSpec(mode, predictions=made_of_them)
            model = stargan_model(
                told(generator_fn, mode),  # type: ignore[arg-type]
                told(discriminator_fn, mode),  # type: ignore[arg-type]
                features,
                labels,
            )
            add_summaries_of(model, add_summaries, _SUMMARIES)
            loss = loss_fn(model)
            if mode == ModeKeys.EVAL:
                return evaluation_spec(model, loss, get_eval_metric_ops_fn)
            optimizers = made(generator_optimizer), made(discriminator_optimizer)
            return training_spec(model, loss, optimizers, get_hooks_fn)

        super().__init__(model_fn, model_dir, config)


def stargan_prediction_input_fn_wrapper(fn: Callable[[], Any]) -> Callable[[], Any]:
    """An `input_fn` of predictions whose features are what another's features and labels are."""

    def features_and_labels() -> Any:
        return fn(), None

    return features_and_labels
