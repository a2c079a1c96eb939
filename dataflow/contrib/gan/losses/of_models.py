"""The losses as functions of models."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from dataflow.contrib.gan.losses import adversarial, auxiliary
from dataflow.contrib.gan.tuples import CycleGANModel

Loss = Callable[..., Any]


def of_model(loss_fn: Loss) -> Loss:
    """A loss that takes of a model what it has by the names of the arguments.

    The other arguments are given by name.
    """
    parameters = inspect.signature(loss_fn).parameters

    def of_parts(gan_model: Any, **kwargs: Any) -> Any:
        """The loss of a model; the other arguments by name."""
        has = {name: getattr(gan_model, name) for name in gan_model._fields}
        for name, parameter in parameters.items():
            if parameter.default is parameter.empty and name not in has and name not in kwargs:
                raise ValueError(f"`{name}` must be supplied to {loss_fn.__name__} loss function.")
        if twice := has.keys() & kwargs.keys():
            raise ValueError(
                "The following args are present in both the tuple and keyword args for "
                f"{loss_fn.__name__}: {twice}"
            )
        taken = {
            name: has[name]
            for name, parameter in parameters.items()
            if name in has and (has[name] is not None or parameter.default is parameter.empty)
        }
        return loss_fn(**taken, **kwargs)

    return _named(of_parts, loss_fn)


def _named(function: Loss, after: Loss) -> Loss:
    function.__name__, function.__module__ = after.__name__, after.__module__
    return function


acgan_discriminator_loss = of_model(adversarial.acgan_discriminator_loss)
acgan_generator_loss = of_model(adversarial.acgan_generator_loss)
least_squares_discriminator_loss = of_model(adversarial.least_squares_discriminator_loss)
least_squares_generator_loss = of_model(adversarial.least_squares_generator_loss)
minimax_discriminator_loss = of_model(adversarial.minimax_discriminator_loss)
minimax_generator_loss = of_model(adversarial.minimax_generator_loss)
modified_discriminator_loss = of_model(adversarial.modified_discriminator_loss)
modified_generator_loss = of_model(adversarial.modified_generator_loss)
mutual_information_penalty = of_model(auxiliary.mutual_information_penalty)
wasserstein_discriminator_loss = of_model(adversarial.wasserstein_discriminator_loss)
wasserstein_generator_loss = of_model(adversarial.wasserstein_generator_loss)
wasserstein_gradient_penalty = of_model(auxiliary.wasserstein_gradient_penalty)
wasserstein_hinge_discriminator_loss = of_model(adversarial.wasserstein_hinge_discriminator_loss)
wasserstein_hinge_generator_loss = of_model(adversarial.wasserstein_hinge_generator_loss)


def combine_adversarial_loss(
    gan_loss: Any,
    gan_model: Any,
    non_adversarial_loss: Any,
    weight_factor: Any = None,
    gradient_ratio: Any = None,
    gradient_ratio_epsilon: float = 1e-6,
    scalar_summaries: bool = True,
    gradient_summaries: bool = True,
) -> Any:
    """The losses of a model, whose generator has another loss besides.

    Args:
      gan_loss: The losses.
      gan_model: The model.
      non_adversarial_loss: The other loss.
      weight_factor: See `wargs.combine_adversarial_loss`; so are the others.
      gradient_ratio: How many times as long its gradient is to be.
      gradient_ratio_epsilon: Is added to the norm of the adversarial gradient.
      scalar_summaries: Whether there are summaries of the losses.
      gradient_summaries: Whether there are summaries of the norms.
    """
    combined = auxiliary.combine_adversarial_loss(
        non_adversarial_loss,
        gan_loss.generator_loss,
        weight_factor,
        gradient_ratio,
        gradient_ratio_epsilon,
        gan_model.generator_variables,
        scalar_summaries,
        gradient_summaries,
    )
    return gan_loss._replace(generator_loss=combined)


def cycle_consistency_loss(
    cyclegan_model: Any, scope: str | None = None, add_summaries: bool = False
) -> Any:
    """The mean distance of a model's inputs to what comes back of them.

    Raises:
      ValueError: It is no CycleGANModel.
    """
    if not isinstance(cyclegan_model, CycleGANModel):
        raise ValueError(
            f"`cyclegan_model` must be a `CycleGANModel`. Instead, was {type(cyclegan_model)}."
        )
    return auxiliary.cycle_consistency_loss(
        cyclegan_model.model_x2y.generator_inputs,
        cyclegan_model.reconstructed_x,
        cyclegan_model.model_y2x.generator_inputs,
        cyclegan_model.reconstructed_y,
        scope,
        add_summaries,
    )


def stargan_generator_loss_wrapper(loss_fn: Loss) -> Loss:
    """A generator's loss as a function of a StarGANModel."""

    def of_star(stargan_model: Any, **kwargs: Any) -> Any:
        return loss_fn(stargan_model.discriminator_generated_data_source_predication, **kwargs)

    return _named(of_star, loss_fn)


def stargan_discriminator_loss_wrapper(loss_fn: Loss) -> Loss:
    """A discriminator's loss as a function of a StarGANModel."""

    def of_star(stargan_model: Any, **kwargs: Any) -> Any:
        return loss_fn(
            stargan_model.discriminator_input_data_source_predication,
            stargan_model.discriminator_generated_data_source_predication,
            **kwargs,
        )

    return _named(of_star, loss_fn)


def stargan_gradient_penalty_wrapper(loss_fn: Loss) -> Loss:
    """A penalty of gradients as a function of a StarGANModel."""

    def of_star(stargan_model: Any, **kwargs: Any) -> Any:
        return loss_fn(
            real_data=stargan_model.input_data,
            generated_data=stargan_model.generated_data,
            generator_inputs=stargan_model.input_data_domain_label.shape.as_list()[-1],
            discriminator_fn=stargan_model.discriminator_fn,
            discriminator_scope=stargan_model.discriminator_scope,
            **kwargs,
        )

    return _named(of_star, loss_fn)
