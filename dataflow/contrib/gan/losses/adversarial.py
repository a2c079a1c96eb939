"""Losses of generators and discriminators, as functions of the discriminator's outputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.keys import GraphKeys
from dataflow.library.losses.classification import sigmoid_cross_entropy, softmax_cross_entropy
from dataflow.library.losses.collection import add_loss
from dataflow.library.losses.weighted import Reduction, compute_weighted_loss
from dataflow.library.summaries.values import scalar
from dataflow.ops.array.fill import ones_like, zeros_like
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.binary import squared_difference
from dataflow.ops.nn.activation import relu
from dataflow.values import dtypes


def _floats(*values: Any) -> list[Any]:
    found = [cast(value, dtypes.float32) for value in values]
    for other in found[1:]:
        found[0].shape.assert_is_compatible_with(other.shape)
    return found


def _added(on_real: Any, on_generated: Any, collection: Any, kind: str, summaries: bool) -> Any:
    """The loss of a discriminator out of its parts."""
    loss = on_generated + on_real
    add_loss(loss, collection)
    _told(
        summaries,
        {
            f"discriminator_gen_{kind}_loss": on_generated,
            f"discriminator_real_{kind}_loss": on_real,
            f"discriminator_{kind}_loss": loss,
        },
    )
    return loss


def _told(summaries: bool, values: Mapping[str, Any]) -> None:
    if summaries:
        for name, value in values.items():
            scalar(name, value)


def wasserstein_generator_loss(
    discriminator_gen_outputs: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    add_summaries: bool = False,
) -> Any:
    """Minus what the discriminator says of generated data (Arjovsky et al., 2017)."""
    values = (discriminator_gen_outputs, weights)
    with scopes.name_scope(scope, "generator_wasserstein_loss", values) as name:
        (outputs,) = _floats(discriminator_gen_outputs)
        loss = compute_weighted_loss(-outputs, weights, name, loss_collection, reduction)
        _told(add_summaries, {"generator_wass_loss": loss})
    return loss


wasserstein_hinge_generator_loss = wasserstein_generator_loss


def wasserstein_discriminator_loss(
    discriminator_real_outputs: Any,
    discriminator_gen_outputs: Any,
    real_weights: Any = 1.0,
    generated_weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    add_summaries: bool = False,
) -> Any:
    """What it says of generated data, less what it says of real data (Arjovsky et al., 2017)."""
    values = (
        discriminator_real_outputs,
        discriminator_gen_outputs,
        real_weights,
        generated_weights,
    )
    with scopes.name_scope(scope, "discriminator_wasserstein_loss", values) as name:
        real, generated = _floats(discriminator_real_outputs, discriminator_gen_outputs)
        on_generated = compute_weighted_loss(generated, generated_weights, name, None, reduction)
        on_real = compute_weighted_loss(real, real_weights, name, None, reduction)
        loss = on_generated - on_real
        add_loss(loss, loss_collection)
        _told(
            add_summaries,
            {
                "discriminator_gen_wass_loss": on_generated,
                "discriminator_real_wass_loss": on_real,
                "discriminator_wass_loss": loss,
            },
        )
    return loss


def wasserstein_hinge_discriminator_loss(
    discriminator_real_outputs: Any,
    discriminator_gen_outputs: Any,
    real_weights: Any = 1.0,
    generated_weights: Any = 1.0,
    real_hinge: float = 1.0,
    generated_hinge: float = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    add_summaries: bool = False,
) -> Any:
    """How far its outputs fall short of the hinges (Miyato et al., 2018)."""
    values = (
        discriminator_real_outputs,
        discriminator_gen_outputs,
        real_weights,
        generated_weights,
    )
    with scopes.name_scope(scope, "discriminator_wasserstein_loss", values) as name:
        real, generated = _floats(discriminator_real_outputs, discriminator_gen_outputs)
        short, over = relu(real_hinge - real), relu(generated_hinge + generated)
        on_real = compute_weighted_loss(short, real_weights, name, None, reduction)
        on_generated = compute_weighted_loss(over, generated_weights, name, None, reduction)
        return _added(on_real, on_generated, loss_collection, "wass_hinge", add_summaries)


def acgan_discriminator_loss(
    discriminator_real_classification_logits: Any,
    discriminator_gen_classification_logits: Any,
    one_hot_labels: Any,
    label_smoothing: float = 0.0,
    real_weights: Any = 1.0,
    generated_weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    add_summaries: bool = False,
) -> Any:
    """How badly it tells classes (Odena et al., 2016)."""
    values = (
        discriminator_real_classification_logits,
        discriminator_gen_classification_logits,
        one_hot_labels,
    )
    with scopes.name_scope(scope, "acgan_discriminator_loss", values) as name:
        on_generated = softmax_cross_entropy(
            one_hot_labels,
            discriminator_gen_classification_logits,
            weights=generated_weights,
            scope=name,
            loss_collection=None,
            reduction=reduction,
        )
        on_real = softmax_cross_entropy(
            one_hot_labels,
            discriminator_real_classification_logits,
            weights=real_weights,
            label_smoothing=label_smoothing,
            scope=name,
            loss_collection=None,
            reduction=reduction,
        )
        return _added(on_real, on_generated, loss_collection, "ac", add_summaries)


def acgan_generator_loss(
    discriminator_gen_classification_logits: Any,
    one_hot_labels: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    add_summaries: bool = False,
) -> Any:
    """How badly the classes of generated data can be told (Odena et al., 2016)."""
    values = (discriminator_gen_classification_logits, one_hot_labels)
    with scopes.name_scope(scope, "acgan_generator_loss", values) as name:
        loss = softmax_cross_entropy(
            one_hot_labels,
            discriminator_gen_classification_logits,
            weights=weights,
            scope=name,
            loss_collection=loss_collection,
            reduction=reduction,
        )
        _told(add_summaries, {"generator_ac_loss": loss})
    return loss


def minimax_discriminator_loss(
    discriminator_real_outputs: Any,
    discriminator_gen_outputs: Any,
    label_smoothing: float = 0.25,
    real_weights: Any = 1.0,
    generated_weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    add_summaries: bool = False,
) -> Any:
    """The cross entropies of real data as ones and generated ones as zeros."""
    values = (
        discriminator_real_outputs,
        discriminator_gen_outputs,
        real_weights,
        generated_weights,
        label_smoothing,
    )
    with scopes.name_scope(scope, "discriminator_minimax_loss", values) as name:
        on_real = sigmoid_cross_entropy(
            ones_like(discriminator_real_outputs),
            discriminator_real_outputs,
            real_weights,
            label_smoothing,
            name,
            loss_collection=None,
            reduction=reduction,
        )
        on_generated = sigmoid_cross_entropy(
            zeros_like(discriminator_gen_outputs),
            discriminator_gen_outputs,
            generated_weights,
            scope=name,
            loss_collection=None,
            reduction=reduction,
        )
        return _added(on_real, on_generated, loss_collection, "minimax", add_summaries)


def minimax_generator_loss(
    discriminator_gen_outputs: Any,
    label_smoothing: float = 0.0,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    add_summaries: bool = False,
) -> Any:
    """Minus the discriminator's loss (Goodfellow et al., 2014)."""
    with scopes.name_scope(scope, "generator_minimax_loss") as name:
        loss = -minimax_discriminator_loss(
            ones_like(discriminator_gen_outputs),
            discriminator_gen_outputs,
            label_smoothing,
            weights,
            weights,
            name,
            loss_collection,
            reduction,
        )
    _told(add_summaries, {"generator_minimax_loss": loss})
    return loss


def modified_discriminator_loss(
    discriminator_real_outputs: Any,
    discriminator_gen_outputs: Any,
    label_smoothing: float = 0.25,
    real_weights: Any = 1.0,
    generated_weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    add_summaries: bool = False,
) -> Any:
    """The same as `minimax_discriminator_loss`."""
    return minimax_discriminator_loss(
        discriminator_real_outputs,
        discriminator_gen_outputs,
        label_smoothing,
        real_weights,
        generated_weights,
        scope or "discriminator_modified_loss",
        loss_collection,
        reduction,
        add_summaries,
    )


def modified_generator_loss(
    discriminator_gen_outputs: Any,
    label_smoothing: float = 0.0,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    add_summaries: bool = False,
) -> Any:
    """The cross entropy of generated data as ones (Goodfellow et al., 2014)."""
    with scopes.name_scope(scope, "generator_modified_loss", [discriminator_gen_outputs]) as name:
        loss = sigmoid_cross_entropy(
            ones_like(discriminator_gen_outputs),
            discriminator_gen_outputs,
            weights,
            label_smoothing,
            name,
            loss_collection,
            reduction,
        )
        _told(add_summaries, {"generator_modified_loss": loss})
    return loss


def least_squares_generator_loss(
    discriminator_gen_outputs: Any,
    real_label: float = 1,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    add_summaries: bool = False,
) -> Any:
    """Half the squared distance of its outputs to those of real data (Mao et al., 2016)."""
    values = (discriminator_gen_outputs, real_label)
    with scopes.name_scope(scope, "lsq_generator_loss", values) as name:
        (outputs,) = _floats(discriminator_gen_outputs)
        loss = squared_difference(outputs, real_label) / 2.0
        loss = compute_weighted_loss(loss, weights, name, loss_collection, reduction)
    _told(add_summaries, {"generator_lsq_loss": loss})
    return loss


def least_squares_discriminator_loss(
    discriminator_real_outputs: Any,
    discriminator_gen_outputs: Any,
    real_label: float = 1,
    fake_label: float = 0,
    real_weights: Any = 1.0,
    generated_weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    add_summaries: bool = False,
) -> Any:
    """Half the squared distances of its outputs to the labels (Mao et al., 2016)."""
    values = (discriminator_gen_outputs, real_label)
    with scopes.name_scope(scope, "lsq_discriminator_loss", values) as name:
        real, generated = _floats(discriminator_real_outputs, discriminator_gen_outputs)
        real_losses = squared_difference(real, real_label) / 2.0
        fake_losses = squared_difference(generated, fake_label) / 2.0
        on_real = compute_weighted_loss(real_losses, real_weights, name, None, reduction)
        on_generated = compute_weighted_loss(fake_losses, generated_weights, name, None, reduction)
        return _added(on_real, on_generated, loss_collection, "lsq", add_summaries)
