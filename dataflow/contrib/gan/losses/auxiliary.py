"""Losses beside the adversarial one: penalties of gradients, information, cycles; sums of both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.contrib.framework.variables import get_trainable_variables
from dataflow.differentiation.gradients import gradients
from dataflow.graph import scopes
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.keys import GraphKeys
from dataflow.graph.variable_scope_object import AUTO_REUSE
from dataflow.library.clipping import global_norm
from dataflow.library.losses.regression import absolute_difference
from dataflow.library.losses.weighted import Reduction, compute_weighted_loss
from dataflow.library.summaries.values import scalar
from dataflow.ops.array.shape import shape
from dataflow.ops.basic.identity import stop_gradient
from dataflow.ops.math.binary import maximum
from dataflow.ops.math.unary import abs as absolute
from dataflow.ops.math.unary import sqrt, square
from dataflow.ops.random.stateful import random_uniform
from dataflow.ops.reductions.reduce import reduce_max, reduce_mean, reduce_sum
from dataflow.variables.scope import variable_scope


def wasserstein_gradient_penalty(
    real_data: Any,
    generated_data: Any,
    generator_inputs: Any,
    discriminator_fn: Any,
    discriminator_scope: Any,
    epsilon: float = 1e-10,
    target: float = 1.0,
    one_sided: bool = False,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    add_summaries: bool = False,
) -> Any:
    """How far the discriminator's slope between real and generated data is from a target.

    Gulrajani et al. (2017).

    Args:
      real_data: Of a known rank.
      generated_data: Of the same shape.
      generator_inputs: The second argument of `discriminator_fn`.
      discriminator_fn: The discriminator; the first of its outputs is taken if there are more.
      discriminator_scope: Its variable scope.
      epsilon: Is added to squared slopes.
      target: What slopes should be.
      one_sided: Whether lower slopes are as good.
      weights: Of the examples.
      scope: Name scope of the operations.
      loss_collection: Where the loss is added.
      reduction: How the losses of the examples are added up.
      add_summaries: Whether there is a summary of the loss.

    Raises:
      ValueError: The rank of the data is not known.
    """
    values = (real_data, generated_data)
    with scopes.name_scope(scope, "wasserstein_gradient_penalty", values) as name:
        real, generated = convert_to_tensor(real_data), convert_to_tensor(generated_data)
        for data, which in ((real, "real_data"), (generated, "generated_data")):
            if data.shape.ndims is None:
                raise ValueError(f"`{which}` can't have unknown rank.")
        differences = generated - real
        batch_size = differences.shape.as_list()[0] or shape(differences)[0]
        share = random_uniform([batch_size] + [1] * (len(differences.shape) - 1))
        between = real + share * differences
        with (
            scopes.name_scope(""),
            variable_scope(discriminator_scope, "gpenalty_dscope", reuse=AUTO_REUSE),
        ):
            outputs = discriminator_fn(between, generator_inputs)
        if isinstance(outputs, tuple):
            outputs = outputs[0]
        gradient = gradients(outputs, between)[0]
        squares = reduce_sum(square(gradient), axis=list(range(1, gradient.shape.ndims)))
        if isinstance(batch_size, int):
            squares.set_shape([batch_size, *squares.shape.as_list()[1:]])
        penalties = sqrt(squares + epsilon) / target - 1.0
        if one_sided:
            penalties = maximum(0.0, penalties)
        penalty = compute_weighted_loss(
            square(penalties), weights, name, loss_collection, reduction
        )
        if add_summaries:
            scalar("gradient_penalty_loss", penalty)
        return penalty


def mutual_information_penalty(
    structured_generator_inputs: Any,
    predicted_distributions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    add_summaries: bool = False,
) -> Any:
    """How unlikely the structured inputs are by the distributions predicted (Chen et al., 2016).

    Raises:
      ValueError: There is not a distribution for each input.
    """
    if not isinstance(predicted_distributions, list | tuple):
        raise ValueError(
            "`distributions` must be a list or tuple. Instead, found "
            f"{type(predicted_distributions)}."
        )
    for each in predicted_distributions:
        if not callable(getattr(each, "log_prob", None)):
            raise ValueError(
                f"`distributions` must be a list of `Distributions`. Instead, found {type(each)}."
            )
    if len(structured_generator_inputs) != len(predicted_distributions):
        raise ValueError(
            f"`structured_generator_inputs` length {len(structured_generator_inputs)} must be the "
            f"same as `predicted_distributions` length {len(predicted_distributions)}."
        )
    with scopes.name_scope(scope, "mutual_information_loss") as name:
        pairs = zip(predicted_distributions, structured_generator_inputs, strict=True)
        likely = [reduce_mean(each.log_prob(noise)) for each, noise in pairs]
        loss = -1 * compute_weighted_loss(likely, weights, name, loss_collection, reduction)
        if add_summaries:
            scalar("mutual_information_penalty", loss)
    return loss


def cycle_consistency_loss(
    data_x: Any,
    reconstructed_data_x: Any,
    data_y: Any,
    reconstructed_data_y: Any,
    scope: str | None = None,
    add_summaries: bool = False,
) -> Any:
    """The mean distance of data to what comes back of them, of both kinds (Zhu et al., 2017)."""
    values = [data_x, reconstructed_data_x, data_y, reconstructed_data_y]
    with scopes.name_scope(scope, "cycle_consistency_loss", values):
        of_x = absolute_difference(data_x, reconstructed_data_x)
        of_y = absolute_difference(data_y, reconstructed_data_y)
        loss = (of_x + of_y) / 2.0
        if add_summaries:
            scalar("cycle_consistency_loss_x2x", of_x)
            scalar("cycle_consistency_loss_y2y", of_y)
            scalar("cycle_consistency_loss", loss)
    return loss


def combine_adversarial_loss(
    main_loss: Any,
    adversarial_loss: Any,
    weight_factor: Any = None,
    gradient_ratio: Any = None,
    gradient_ratio_epsilon: float = 1e-6,
    variables: Sequence[Any] | None = None,
    scalar_summaries: bool = True,
    gradient_summaries: bool = True,
    scope: str | None = None,
) -> Any:
    """A loss and an adversarial one, weighed by a factor or by the norms of their gradients.

    Args:
      main_loss: A scalar.
      adversarial_loss: A scalar.
      weight_factor: Of the adversarial loss; either this or `gradient_ratio`.
      gradient_ratio: How many times as long the gradient of the main loss is to be.
      gradient_ratio_epsilon: Is added to the norm of the adversarial gradient.
      variables: Of the gradients; all that are trained if None.
      scalar_summaries: Whether there are summaries of the losses.
      gradient_summaries: Whether there are summaries of the norms.
      scope: Name scope of the operations.

    Raises:
      ValueError: Both weights are given, or none, or a loss is no scalar.
    """
    for loss in (main_loss, adversarial_loss):
        loss.shape.assert_is_compatible_with([])
    if weight_factor is None and gradient_ratio is None:
        raise ValueError("`weight_factor` and `gradient_ratio` cannot both be `None.`")
    if weight_factor is not None and gradient_ratio is not None:
        raise ValueError("`weight_factor` and `gradient_ratio` cannot both be specified.")
    if variables is None:
        variables = get_trainable_variables()
    with scopes.name_scope(scope, "adversarial_loss", [main_loss, adversarial_loss]):
        if gradient_summaries or gradient_ratio is not None:
            main_norm = _stable_norm(gradients(main_loss, variables))
            adversarial_norm = _stable_norm(gradients(adversarial_loss, variables))
        if scalar_summaries:
            scalar("main_loss", main_loss)
            scalar("adversarial_loss", adversarial_loss)
        if gradient_summaries:
            scalar("main_loss_gradients", main_norm)
            scalar("adversarial_loss_gradients", adversarial_norm)
        weight = gradient_ratio if weight_factor is None else weight_factor
        if constant_value(convert_to_tensor(weight)) == 0:
            return main_loss
        if weight_factor is None:
            weight = main_norm / (adversarial_norm + gradient_ratio_epsilon) / gradient_ratio
            scalar("adversarial_coefficient", weight)
        return main_loss + stop_gradient(weight) * adversarial_loss


def _stable_norm(tensors: Sequence[Any]) -> Any:
    """The norm of some tensors together, as parts of the largest of all elements."""
    there = [each for each in tensors if each is not None]
    if not there:
        return 0.0
    most = reduce_max([reduce_max(absolute(each)) for each in there])
    return most * global_norm([each / most for each in there])
