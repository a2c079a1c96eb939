"""The losses of whole models."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Final

from dataflow.contrib.gan.losses import of_models as losses
from dataflow.contrib.gan.losses import wargs
from dataflow.contrib.gan.tuples import (
    ACGANModel,
    CycleGANLoss,
    CycleGANModel,
    GANLoss,
    GANModel,
    InfoGANModel,
)
from dataflow.graph import scopes
from dataflow.graph.tensor import Tensor
from dataflow.library.check_values import assert_greater_equal
from dataflow.library.losses.classification import softmax_cross_entropy
from dataflow.library.losses.collection import get_regularization_loss
from dataflow.library.losses.regression import absolute_difference
from dataflow.library.losses.weighted import Reduction
from dataflow.library.summaries.values import scalar
from dataflow.ops.basic.identity import identity
from dataflow.ops.reductions.reduce import reduce_mean, reduce_sum
from dataflow.variables.scope import variable_scope

Loss = Callable[..., Any]

_STAR_GENERATOR: Final = losses.stargan_generator_loss_wrapper(wargs.wasserstein_generator_loss)
_STAR_DISCRIMINATOR: Final = losses.stargan_discriminator_loss_wrapper(
    wargs.wasserstein_discriminator_loss
)


def gan_loss(
    model: Any,
    generator_loss_fn: Loss = losses.wasserstein_generator_loss,
    discriminator_loss_fn: Loss = losses.wasserstein_discriminator_loss,
    gradient_penalty_weight: Any = None,
    gradient_penalty_epsilon: float = 1e-10,
    gradient_penalty_target: float = 1.0,
    gradient_penalty_one_sided: bool = False,
    mutual_information_penalty_weight: Any = None,
    aux_cond_generator_weight: Any = None,
    aux_cond_discriminator_weight: Any = None,
    tensor_pool_fn: Callable[[Any], Any] | None = None,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    add_summaries: bool = True,
) -> GANLoss:
    """The losses of both nets, with penalties and what regularises them.

    Args:
      model: A GANModel, InfoGANModel or ACGANModel.
      generator_loss_fn: Makes the generator's loss of the model.
      discriminator_loss_fn: Makes the discriminator's loss of the model.
      gradient_penalty_weight: Of `wasserstein_gradient_penalty`; None or 0 for none of it.
      gradient_penalty_epsilon: See `wasserstein_gradient_penalty`.
      gradient_penalty_target: The same.
      gradient_penalty_one_sided: The same.
      mutual_information_penalty_weight: Of `mutual_information_penalty`, of an InfoGANModel.
      aux_cond_generator_weight: Of `acgan_generator_loss`, of an ACGANModel.
      aux_cond_discriminator_weight: Of `acgan_discriminator_loss`, of an ACGANModel.
      tensor_pool_fn: Gives the discriminator generated data of earlier steps as well; see
        `features.tensor_pool`.
      reduction: How the losses of the examples are added up.
      add_summaries: Whether there are summaries of the losses.

    Raises:
      ValueError: A weight is below zero, or the model is not of the type that it needs.
    """
    penalty_weight = _weight(gradient_penalty_weight, "gradient_penalty_weight")
    information_weight = _weight(mutual_information_penalty_weight, "infogan_weight")
    generator_weight = _weight(aux_cond_generator_weight, "aux_cond_generator_weight")
    discriminator_weight = _weight(aux_cond_discriminator_weight, "aux_cond_discriminator_weight")
    if _is_used(information_weight) and not isinstance(model, InfoGANModel):
        raise ValueError(
            "When `mutual_information_penalty_weight` is provided, `model` must be an "
            f"`InfoGANModel`. Instead, was {type(model)}."
        )
    if (_is_used(generator_weight) or _is_used(discriminator_weight)) and not isinstance(
        model, ACGANModel
    ):
        raise ValueError(
            "When `aux_cond_generator_weight` or `aux_cond_discriminator_weight` is provided, "
            f"`model` must be an `ACGANModel`. Instead, was {type(model)}."
        )
    pooled = _pooled(model, tensor_pool_fn) if tensor_pool_fn else model
    options = {"reduction": reduction, "add_summaries": add_summaries}
    of_generator = generator_loss_fn(model, **_taken(generator_loss_fn, options))
    of_discriminator = discriminator_loss_fn(pooled, **_taken(discriminator_loss_fn, options))
    if _is_used(penalty_weight):
        penalty = losses.wasserstein_gradient_penalty(
            pooled,
            epsilon=gradient_penalty_epsilon,
            target=gradient_penalty_target,
            one_sided=gradient_penalty_one_sided,
            **options,
        )
        of_discriminator += penalty_weight * penalty
    if _is_used(information_weight):
        information = losses.mutual_information_penalty(model, **options)
        of_generator += information_weight * information
        if tensor_pool_fn is not None:
            information = losses.mutual_information_penalty(pooled, **options)
        of_discriminator += information_weight * information
    if _is_used(generator_weight):
        of_generator += generator_weight * losses.acgan_generator_loss(model, **options)
    if _is_used(discriminator_weight):
        classes = losses.acgan_discriminator_loss(pooled, **options)
        of_discriminator += discriminator_weight * classes
    return GANLoss(
        of_generator + _regularization(model.generator_scope),
        of_discriminator + _regularization(model.discriminator_scope),
    )


def cyclegan_loss(
    model: Any,
    generator_loss_fn: Loss = losses.least_squares_generator_loss,
    discriminator_loss_fn: Loss = losses.least_squares_discriminator_loss,
    cycle_consistency_loss_fn: Loss = losses.cycle_consistency_loss,
    cycle_consistency_loss_weight: Any = 10.0,
    **kwargs: Any,
) -> CycleGANLoss:
    """The losses of both models of a CycleGANModel.

    Args:
      model: The model.
      generator_loss_fn: See `gan_loss`.
      discriminator_loss_fn: See `gan_loss`.
      cycle_consistency_loss_fn: Makes a loss of the model that both generators have besides.
      cycle_consistency_loss_weight: Of that loss.
      **kwargs: Of `gan_loss`.

    Raises:
      ValueError: It is another model, or the weight is below zero.
    """
    if not isinstance(model, CycleGANModel):
        raise ValueError(f"`model` must be a `CycleGANModel`. Instead, was {type(model)}.")
    cycle = cycle_consistency_loss_fn(model, add_summaries=kwargs.get("add_summaries", True))
    cycle *= _weight(cycle_consistency_loss_weight, "cycle_consistency_loss_weight")
    found = []
    for scope, part in (("x2y", model.model_x2y), ("y2x", model.model_y2x)):
        with scopes.name_scope(f"cyclegan_loss_{scope}"):
            loss = gan_loss(part, generator_loss_fn, discriminator_loss_fn, **kwargs)
            found.append(loss._replace(generator_loss=loss.generator_loss + cycle))
    return CycleGANLoss(*found)


def stargan_loss(
    model: Any,
    generator_loss_fn: Loss = _STAR_GENERATOR,
    discriminator_loss_fn: Loss = _STAR_DISCRIMINATOR,
    gradient_penalty_weight: Any = 10.0,
    gradient_penalty_epsilon: float = 1e-10,
    gradient_penalty_target: float = 1.0,
    gradient_penalty_one_sided: bool = False,
    reconstruction_loss_fn: Loss = absolute_difference,
    reconstruction_loss_weight: Any = 10.0,
    classification_loss_fn: Loss = softmax_cross_entropy,
    classification_loss_weight: Any = 1.0,
    classification_one_hot: bool = True,
    add_summaries: bool = True,
) -> GANLoss:
    """The losses of both nets of a StarGANModel.

    Args:
      model: The model.
      generator_loss_fn: Makes the generator's loss of the model.
      discriminator_loss_fn: Makes the discriminator's loss of the model.
      gradient_penalty_weight: Of the penalty of gradients; None or 0 for none.
      gradient_penalty_epsilon: See `wasserstein_gradient_penalty`.
      gradient_penalty_target: The same.
      gradient_penalty_one_sided: The same.
      reconstruction_loss_fn: Makes a loss of inputs and of what comes back of them.
      reconstruction_loss_weight: Of that loss.
      classification_loss_fn: Makes a loss of `onehot_labels` and `logits`.
      classification_loss_weight: Of that loss.
      classification_one_hot: Whether data are of one kind; else the kinds' losses are added up.
      add_summaries: Whether there are summaries of the losses.
    """

    def of_classes(labels: Any, logits: Any, name: str) -> Any:
        with scopes.name_scope(name, values=(labels, logits)):
            loss = classification_loss_fn(onehot_labels=labels, logits=logits)
            if not classification_one_hot:
                loss = reduce_sum(loss, axis=1)
            loss = reduce_mean(loss)
            if add_summaries:
                scalar(name, loss)
            return loss * classification_loss_weight

    model.input_data_domain_label.shape.assert_has_rank(2)
    model.input_data_domain_label.shape[1:].assert_is_fully_defined()
    of_generator = generator_loss_fn(model, add_summaries=add_summaries)
    of_discriminator = discriminator_loss_fn(model, add_summaries=add_summaries)
    if _is_used(gradient_penalty_weight):
        penalty_of = losses.stargan_gradient_penalty_wrapper(wargs.wasserstein_gradient_penalty)
        penalty = penalty_of(
            model,
            epsilon=gradient_penalty_epsilon,
            target=gradient_penalty_target,
            one_sided=gradient_penalty_one_sided,
            add_summaries=add_summaries,
        )
        of_discriminator += penalty * gradient_penalty_weight
    back = reconstruction_loss_fn(model.input_data, model.reconstructed_data)
    of_generator += back * reconstruction_loss_weight
    if add_summaries:
        scalar("reconstruction_loss", back)
    of_generator += of_classes(
        model.generated_data_domain_target,
        model.discriminator_generated_data_domain_predication,
        "generator_classification_loss",
    )
    of_discriminator += of_classes(
        model.input_data_domain_label,
        model.discriminator_input_data_domain_predication,
        "discriminator_classification_loss",
    )
    return GANLoss(of_generator, of_discriminator)


def _weight(weight: Any, name: str) -> Any:
    if isinstance(weight, Tensor):
        weight.shape.assert_is_compatible_with([])
        with scopes.control_dependencies([assert_greater_equal(weight, 0.0)]):
            return identity(weight)
    if weight is not None and weight < 0:
        raise ValueError(f"`{name}` must be greater than 0. Instead, was {weight}")
    return weight


def _is_used(weight: Any) -> bool:
    return isinstance(weight, Tensor) or (weight is not None and weight > 0)


def _taken(function: Loss, options: dict[str, Any]) -> dict[str, Any]:
    """Those of some options that a function takes."""
    parameters = inspect.signature(function).parameters
    if any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        return options
    return {name: value for name, value in options.items() if name in parameters}


def _regularization(scope: Any) -> Any:
    return get_regularization_loss(scope.name) if scope else 0


def _pooled(model: Any, pool: Callable[[Any], Any]) -> Any:
    """A model whose discriminator has seen other generated data."""
    given = (model.generator_inputs, model.generated_data)
    if isinstance(model, InfoGANModel):
        inputs, data, structured = pool((*given, model.structured_generator_inputs))
        with variable_scope(model.discriminator_scope, reuse=True):
            outputs, predicted = model.discriminator_and_aux_fn(data, inputs)
        others = {
            "structured_generator_inputs": structured,
            "predicted_distributions": predicted,
        }
    elif isinstance(model, GANModel | ACGANModel):
        inputs, data = pool(given)
        with variable_scope(model.discriminator_scope, reuse=True):
            outputs = model.discriminator_fn(data, inputs)
        others = {}
        if isinstance(model, ACGANModel):
            outputs, logits = outputs
            others = {"discriminator_gen_classification_logits": logits}
    else:
        raise ValueError(f"Tensor pool does not support `model`: {type(model)}.")
    return model._replace(
        generator_inputs=inputs,
        generated_data=data,
        discriminator_gen_outputs=outputs,
        **others,
    )
