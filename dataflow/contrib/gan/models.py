"""Builds generators and discriminators, and what they make of one another's outputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.contrib.framework.variables import get_trainable_variables
from dataflow.contrib.gan.tuples import (
    ACGANModel,
    CycleGANModel,
    GANModel,
    InfoGANModel,
    StarGANModel,
)
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.variable_scope_object import AUTO_REUSE
from dataflow.ops.array.concat import concat
from dataflow.ops.array.select import one_hot
from dataflow.ops.random.stateful import random_uniform
from dataflow.values import dtypes
from dataflow.variables.scope import variable_scope

Net = Callable[..., Any]


def gan_model(
    generator_fn: Net,
    discriminator_fn: Net,
    real_data: Any,
    generator_inputs: Any,
    generator_scope: Any = "Generator",
    discriminator_scope: Any = "Discriminator",
    check_shapes: bool = True,
) -> GANModel:
    """A generator, and a discriminator of its data and of real ones.

    Args:
      generator_fn: Makes data of inputs.
      discriminator_fn: Makes outputs of data and of the generator's inputs.
      real_data: The real data.
      generator_inputs: A tensor, a list or a dictionary of them.
      generator_scope: The variable scope of the generator.
      discriminator_scope: The variable scope of the discriminator.
      check_shapes: Whether generated data must have the shape of real ones.

    Raises:
      ValueError: They have another shape.
    """
    with variable_scope(generator_scope, reuse=AUTO_REUSE) as gen_scope:
        inputs = tensors_of(generator_inputs)
        generated = generator_fn(inputs)
    with variable_scope(discriminator_scope, reuse=AUTO_REUSE) as dis_scope:
        of_generated = discriminator_fn(generated, inputs)
    with variable_scope(dis_scope, reuse=True):
        real = tensors_of(real_data)
        of_real = discriminator_fn(real, inputs)
    if check_shapes:
        _check_shapes(generated, real)
    return GANModel(
        inputs,
        generated,
        get_trainable_variables(gen_scope),
        gen_scope,
        generator_fn,
        real,
        of_real,
        of_generated,
        get_trainable_variables(dis_scope),
        dis_scope,
        discriminator_fn,
    )


def infogan_model(
    generator_fn: Net,
    discriminator_fn: Net,
    real_data: Any,
    unstructured_generator_inputs: Any,
    structured_generator_inputs: Any,
    generator_scope: Any = "Generator",
    discriminator_scope: Any = "Discriminator",
) -> InfoGANModel:
    """A model whose discriminator also predicts the structured inputs (Chen et al., 2016).

    Args:
      generator_fn: Makes data of a list of inputs.
      discriminator_fn: Makes outputs, and distributions of the structured inputs, of data and of
        the generator's inputs.
      real_data: The real data.
      unstructured_generator_inputs: Tensors of noise.
      structured_generator_inputs: Tensors that the discriminator is to tell.
      generator_scope: The variable scope of the generator.
      discriminator_scope: The variable scope of the discriminator.

    Raises:
      ValueError: Generated data have another shape than real ones, or there is not a distribution
        for each structured input.
    """
    with variable_scope(generator_scope) as gen_scope:
        structured = tensors_of(structured_generator_inputs)
        inputs = tensors_of(unstructured_generator_inputs) + structured
        generated = generator_fn(inputs)
    with variable_scope(discriminator_scope) as dis_scope:
        of_generated, predicted = discriminator_fn(generated, inputs)
    if not isinstance(predicted, tuple | list):
        raise ValueError(
            f"`predicted_distributions` must be a list. Instead, found {type(predicted)}."
        )
    if len(predicted) != len(structured):
        raise ValueError(
            f"Length of `predicted_distributions` {len(predicted)} must be the same as the length "
            f"of structured noise {len(structured)}."
        )
    with variable_scope(dis_scope, reuse=True):
        real = convert_to_tensor(real_data)
        of_real, _ = discriminator_fn(real, inputs)
    _check_shapes(generated, real)
    return InfoGANModel(
        inputs,
        generated,
        get_trainable_variables(gen_scope),
        gen_scope,
        generator_fn,
        real,
        of_real,
        of_generated,
        get_trainable_variables(dis_scope),
        dis_scope,
        lambda x, y: discriminator_fn(x, y)[0],
        structured,
        predicted,
        discriminator_fn,
    )


def acgan_model(
    generator_fn: Net,
    discriminator_fn: Net,
    real_data: Any,
    generator_inputs: Any,
    one_hot_labels: Any,
    generator_scope: Any = "Generator",
    discriminator_scope: Any = "Discriminator",
    check_shapes: bool = True,
) -> ACGANModel:
    """A model whose discriminator also tells classes (Odena et al., 2016).

    Args:
      generator_fn: Makes data of inputs.
      discriminator_fn: Makes outputs, and logits of the classes, of data and of the generator's
        inputs.
      real_data: The real data.
      generator_inputs: A tensor, a list or a dictionary of them.
      one_hot_labels: The classes of the data.
      generator_scope: The variable scope of the generator.
      discriminator_scope: The variable scope of the discriminator.
      check_shapes: Whether generated data must have the shape of real ones.

    Raises:
      ValueError: They have another shape.
      TypeError: The discriminator does not make two outputs.
    """
    with variable_scope(generator_scope) as gen_scope:
        inputs = tensors_of(generator_inputs)
        generated = generator_fn(inputs)
    with (
        variable_scope(discriminator_scope) as dis_scope,
        scopes.name_scope(f"{dis_scope.name}/generated/"),
    ):
        of_generated, generated_logits = _pair(discriminator_fn(generated, inputs))
    with variable_scope(dis_scope, reuse=True), scopes.name_scope(f"{dis_scope.name}/real/"):
        real = convert_to_tensor(real_data)
        of_real, real_logits = _pair(discriminator_fn(real, inputs))
    if check_shapes:
        _check_shapes(generated, real)
    return ACGANModel(
        inputs,
        generated,
        get_trainable_variables(gen_scope),
        gen_scope,
        generator_fn,
        real,
        of_real,
        of_generated,
        get_trainable_variables(dis_scope),
        dis_scope,
        discriminator_fn,
        one_hot_labels,
        real_logits,
        generated_logits,
    )


def cyclegan_model(
    generator_fn: Net,
    discriminator_fn: Net,
    data_x: Any,
    data_y: Any,
    generator_scope: Any = "Generator",
    discriminator_scope: Any = "Discriminator",
    model_x2y_scope: Any = "ModelX2Y",
    model_y2x_scope: Any = "ModelY2X",
    check_shapes: bool = True,
) -> CycleGANModel:
    """Models from one kind of data to another and back (Zhu et al., 2017).

    Args:
      generator_fn: Makes data of one kind of data of the other.
      discriminator_fn: See `gan_model`.
      data_x: Data of one kind.
      data_y: Data of the other kind.
      generator_scope: The variable scope of a generator, in that of its model.
      discriminator_scope: The variable scope of a discriminator.
      model_x2y_scope: The variable scope of the model from x to y.
      model_y2x_scope: The variable scope of the model from y to x.
      check_shapes: Whether generated data must have the shape of real ones.

    Raises:
      ValueError: They have another shape.
    """
    models = []
    for scope, given, wanted in (
        (model_x2y_scope, data_x, data_y),
        (model_y2x_scope, data_y, data_x),
    ):
        with variable_scope(scope):
            models.append(
                gan_model(
                    generator_fn,
                    discriminator_fn,
                    wanted,
                    given,
                    generator_scope,
                    discriminator_scope,
                    check_shapes,
                )
            )
    x2y, y2x = models
    back = []
    for first, second in ((x2y, y2x), (y2x, x2y)):
        with variable_scope(second.generator_scope, reuse=True):
            back.append(second.generator_fn(first.generated_data))
    return CycleGANModel(x2y, y2x, *back)


def stargan_model(
    generator_fn: Net,
    discriminator_fn: Net,
    input_data: Any,
    input_data_domain_label: Any,
    generator_scope: Any = "Generator",
    discriminator_scope: Any = "Discriminator",
) -> StarGANModel:
    """A model between many kinds of data (Choi et al., 2018).

    Args:
      generator_fn: Makes data of data and of the kind that they are to be of.
      discriminator_fn: Makes outputs, and logits of the kind, of data and of the number of kinds.
      input_data: A tensor, or a list of them that are joined.
      input_data_domain_label: Their kinds, as one-hot rows; of a known shape.
      generator_scope: The variable scope of the generator.
      discriminator_scope: The variable scope of the discriminator.

    Raises:
      ValueError: The labels are no matrix of a known shape.
    """
    data, labels = tensors_of(input_data), tensors_of(input_data_domain_label)
    if isinstance(data, list):
        data = concat(data, 0)
    if isinstance(labels, list):
        labels = concat(labels, 0)
    labels.shape.assert_has_rank(2)
    labels.shape.assert_is_fully_defined()
    batch_size, kinds = labels.shape.as_list()
    with variable_scope(generator_scope) as gen_scope:
        chosen = random_uniform([batch_size], minval=0, maxval=kinds, dtype=dtypes.int32)
        target = one_hot(chosen, kinds)
        generated = generator_fn(data, target)
    with variable_scope(gen_scope, reuse=True):
        back = generator_fn(generated, labels)
    with variable_scope(discriminator_scope) as dis_scope:
        generated_source, generated_domain = discriminator_fn(generated, kinds)
    with variable_scope(dis_scope, reuse=True):
        source, domain = discriminator_fn(data, kinds)
    return StarGANModel(
        data,
        labels,
        generated,
        target,
        back,
        source,
        generated_source,
        domain,
        generated_domain,
        get_trainable_variables(gen_scope),
        gen_scope,
        generator_fn,
        get_trainable_variables(dis_scope),
        dis_scope,
        discriminator_fn,
    )


def tensors_of(values: Any) -> Any:
    """A tensor of a value, or a list or dictionary of tensors of such."""
    if isinstance(values, list | tuple):
        return [convert_to_tensor(value) for value in values]
    if isinstance(values, dict):
        return {name: convert_to_tensor(value) for name, value in values.items()}
    return convert_to_tensor(values)


def _check_shapes(generated: Any, real: Any) -> None:
    if not generated.shape.is_compatible_with(real.shape):
        raise ValueError(
            f"Generator output shape ({generated.shape}) must be the same shape as real data "
            f"({real.shape})."
        )


def _pair(outputs: Any) -> tuple[Any, Any]:
    try:
        first, second = outputs
    except (TypeError, ValueError):
        raise TypeError(
            "A discriminator function for ACGAN must output a tuple consisting of (discrimination "
            "logits, classification logits)."
        ) from None
    return first, second
