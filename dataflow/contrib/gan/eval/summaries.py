"""Summaries of models: images, variables, what regularises."""

from __future__ import annotations

from typing import Any

from dataflow.contrib.gan.eval.grids import image_grid, image_reshaper
from dataflow.contrib.gan.tuples import CycleGANModel
from dataflow.graph import scopes
from dataflow.library.losses.collection import get_regularization_loss
from dataflow.library.map_fn import map_fn
from dataflow.library.summaries.values import histogram, image, scalar
from dataflow.ops.array.broadcast import tile
from dataflow.ops.array.concat import unstack
from dataflow.ops.array.fill import zeros_like
from dataflow.ops.array.select import one_hot
from dataflow.ops.array.shape import expand_dims, squeeze
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.unary import abs as absolute
from dataflow.values import dtypes
from dataflow.variables.scope import variable_scope


def add_gan_model_image_summaries(
    gan_model: Any, grid_size: int = 4, model_summaries: bool = True
) -> None:
    """Real and generated images in grids.

    Args:
      gan_model: The model.
      grid_size: How many images are in a row, and in a column.
      model_summaries: Whether there are those of `add_gan_model_summaries`, too.

    Raises:
      ValueError: It is a CycleGANModel, or its data are no images.
    """
    if isinstance(gan_model, CycleGANModel):
        raise ValueError(
            "`add_gan_model_image_summaries` does not take CycleGANModels. Please use "
            "`add_cyclegan_image_summaries` instead."
        )
    _check_images(gan_model.real_data, gan_model.generated_data)
    for name, data in (
        ("real_data", gan_model.real_data),
        ("generated_data", gan_model.generated_data),
    ):
        _, height, width, channels = data.shape.as_list()
        grid = image_grid(data[: grid_size**2], (grid_size, grid_size), (height, width), channels)
        image(name, grid, max_outputs=1)
    if model_summaries:
        add_gan_model_summaries(gan_model)


def add_image_comparison_summaries(
    gan_model: Any, num_comparisons: int = 2, display_diffs: bool = False
) -> None:
    """Inputs, what is made of them and real images, one below the other.

    Args:
      gan_model: A model whose inputs are images.
      num_comparisons: How many.
      display_diffs: Whether the differences of the last two are there, too.

    Raises:
      ValueError: The data are no images, or of unequal shapes.
    """
    given, made, real = gan_model.generator_inputs, gan_model.generated_data, gan_model.real_data
    _check_images(given, made, real)
    made.shape.assert_is_compatible_with(given.shape)
    real.shape.assert_is_compatible_with(made.shape)
    rows = [unstack(each[:num_comparisons]) for each in (given, made, real)]
    if display_diffs:
        pairs = zip(rows[1], rows[2], strict=True)
        rows.append([absolute(cast(a, dtypes.float32) - cast(b, dtypes.float32)) for a, b in pairs])
    images = image_reshaper([each for row in rows for each in row], num_comparisons)
    image("image_comparison", images, max_outputs=1)


def add_cyclegan_image_summaries(cyclegan_model: Any) -> None:
    """Inputs, what is made of them, and what comes back, side by side.

    Raises:
      ValueError: It is another model, or its data are no images.
    """
    if not isinstance(cyclegan_model, CycleGANModel):
        raise ValueError(
            f"`cyclegan_model` was not a CycleGANModel. Instead, was {type(cyclegan_model)}"
        )
    for name, model, back in (
        ("x2y", cyclegan_model.model_x2y, cyclegan_model.reconstructed_x),
        ("y2x", cyclegan_model.model_y2x, cyclegan_model.reconstructed_y),
    ):
        parts = (model.generator_inputs, model.generated_data, back)
        _check_images(*parts)
        with scopes.name_scope(f"{name}_image_comparison_summaries"):
            images = [each for part in parts for each in unstack(part[:1])]
            image("image_comparison", image_reshaper(images, len(images)), max_outputs=1)


def add_stargan_image_summaries(
    stargan_model: Any, num_images: int = 2, display_diffs: bool = False
) -> None:
    """Images, and what is made of each for every kind, side by side.

    Args:
      stargan_model: The model.
      num_images: How many images.
      display_diffs: Whether the changes are there, too, in a second row.

    Raises:
      ValueError: The data are no images, or their kinds no rows of a known width.
    """
    _check_images(stargan_model.input_data)
    labels = stargan_model.input_data_domain_label
    labels.shape.assert_has_rank(2)
    labels.shape[1:].assert_is_fully_defined()
    kinds = labels.shape.as_list()[-1]

    def of_all_kinds(picture: Any) -> Any:
        given = tile(expand_dims(picture, axis=0), [kinds, 1, 1, 1])
        with variable_scope(stargan_model.generator_scope, reuse=True):
            made = stargan_model.generator_fn(given, one_hot(list(range(kinds)), kinds))
            pictures = [picture, *unstack(made, kinds)]
            if display_diffs:
                pictures += [zeros_like(picture), *unstack(made - given, kinds)]
            return squeeze(image_reshaper(pictures, num_cols=kinds + 1), axis=[0])

    pictures = map_fn(
        of_all_kinds,
        stargan_model.input_data[:num_images],
        parallel_iterations=num_images,
        back_prop=False,
        swap_memory=True,
    )
    image("stargan_image_generation", pictures, max_outputs=num_images)


def add_gan_model_summaries(gan_model: Any) -> None:
    """The variables of both nets."""
    if isinstance(gan_model, CycleGANModel):
        for name, model in (("x2y", gan_model.model_x2y), ("y2x", gan_model.model_y2x)):
            with scopes.name_scope(f"cyclegan_{name}_summaries"):
                add_gan_model_summaries(model)
        return
    for net in ("generator", "discriminator"):
        with scopes.name_scope(f"{net}_variables"):
            for variable in getattr(gan_model, f"{net}_variables"):
                histogram(variable.name, variable)


def add_regularization_loss_summaries(gan_model: Any) -> None:
    """What regularises both nets."""
    if isinstance(gan_model, CycleGANModel):
        for name, model in (("x2y", gan_model.model_x2y), ("y2x", gan_model.model_y2x)):
            with scopes.name_scope(f"cyclegan_{name}_regularization_loss_summaries"):
                add_regularization_loss_summaries(model)
        return
    for net in ("generator", "discriminator"):
        scope = getattr(gan_model, f"{net}_scope")
        if scope:
            scalar(f"{net}_regularization_loss", get_regularization_loss(scope.name))


def _check_images(*data: Any) -> None:
    for each in data:
        each.shape.assert_has_rank(4)
        each.shape[1:].assert_is_fully_defined()
