"""Losses of lists of logits, and models with several lengths."""

from __future__ import annotations

from typing import Any

from dataflow.graph.scopes import name_scope
from dataflow.graph.variable_scope_object import get_variable_scope
from dataflow.ops.array.shape import reshape, shape
from dataflow.ops.basic.cast import cast
from dataflow.ops.nn.losses import sparse_softmax_cross_entropy_with_logits
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.ops.reductions.sum import add_n
from dataflow.variables.scope import variable_scope


def sequence_loss_by_example(
    logits: Any,
    targets: Any,
    weights: Any,
    average_across_timesteps: bool = True,
    softmax_loss_function: Any = None,
    name: Any = None,
) -> Any:
    """The weighted cross-entropy of each sequence.

    Args:
      logits: Floats [batch, classes] of each step.
      targets: Classes, int32 [batch], of each step.
      weights: Floats [batch] of each step.
      average_across_timesteps: Whether sums are divided by those of the weights.
      softmax_loss_function: Makes losses [batch] of `labels` and `logits`; the sparse softmax
        cross-entropy if None.
      name: Name scope.

    Returns:
      Floats [batch].

    Raises:
      ValueError: The lists differ in length.
    """
    if len(targets) != len(logits) or len(weights) != len(logits):
        raise ValueError(
            "Lengths of logits, weights, and targets must be the same "
            f"{len(logits)}, {len(weights)}, {len(targets)}."
        )
    with name_scope(name, "sequence_loss_by_example", [*logits, *targets, *weights]):
        losses = []
        for logit, target, weight in zip(logits, targets, weights, strict=True):
            if softmax_loss_function is None:
                loss: Any = sparse_softmax_cross_entropy_with_logits(
                    labels=reshape(target, [-1]), logits=logit
                )
            else:
                loss = softmax_loss_function(labels=target, logits=logit)
            losses.append(loss * weight)
        total: Any = add_n(losses)
        if average_across_timesteps:
            total = total / (add_n(weights) + 1e-12)
    return total


def sequence_loss(
    logits: Any,
    targets: Any,
    weights: Any,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    softmax_loss_function: Any = None,
    name: Any = None,
) -> Any:
    """The sum or the mean of `sequence_loss_by_example`.

    Args:
      logits: See `sequence_loss_by_example`, as for the rest.
      targets: See above.
      weights: See above.
      average_across_timesteps: See above.
      average_across_batch: Whether it is the mean.
      softmax_loss_function: See above.
      name: Name scope.

    Returns:
      A scalar.

    Raises:
      ValueError: The lists differ in length.
    """
    with name_scope(name, "sequence_loss", [*logits, *targets, *weights]):
        cost = reduce_sum(
            sequence_loss_by_example(
                logits,
                targets,
                weights,
                average_across_timesteps=average_across_timesteps,
                softmax_loss_function=softmax_loss_function,
            )
        )
        if average_across_batch:
            return cost / cast(shape(targets[0])[0], cost.dtype)
        return cost


def model_with_buckets(
    encoder_inputs: Any,
    decoder_inputs: Any,
    targets: Any,
    weights: Any,
    buckets: Any,
    seq2seq: Any,
    softmax_loss_function: Any = None,
    per_example_loss: bool = False,
    name: Any = None,
) -> tuple[list[Any], list[Any]]:
    """A model for each of several lengths, with the same weights.

    Args:
      encoder_inputs: Inputs of each step of the encoder, as many as the last bucket has.
      decoder_inputs: Those of the decoder.
      targets: Classes, int32 [batch], of each step.
      weights: Floats [batch] of each step.
      buckets: Pairs of lengths, the longest last.
      seq2seq: Of both lists of inputs, returns outputs in a list, and a state.
      softmax_loss_function: See `sequence_loss_by_example`.
      per_example_loss: Whether losses are those of each sequence, not their mean.
      name: Name scope.

    Returns:
      The outputs, and the losses, of each bucket.

    Raises:
      ValueError: A list is shorter than the last bucket.
    """
    source, target = buckets[-1]
    for what, given, least in (
        ("encoder_inputs", encoder_inputs, source),
        ("targets", targets, target),
        ("weights", weights, target),
    ):
        if len(given) < least:
            raise ValueError(
                f"Length of {what} ({len(given)}) must be at least that of last bucket ({least})."
            )
    loss_of = sequence_loss_by_example if per_example_loss else sequence_loss
    outputs, losses = [], []
    with name_scope(name, "model_with_buckets", [*encoder_inputs, *decoder_inputs]):
        for index, (source, target) in enumerate(buckets):
            with variable_scope(get_variable_scope(), reuse=True if index > 0 else None):
                found, _ = seq2seq(encoder_inputs[:source], decoder_inputs[:target])
                outputs.append(found)
                losses.append(
                    loss_of(
                        found,
                        targets[:target],
                        weights[:target],
                        softmax_loss_function=softmax_loss_function,
                    )
                )
    return outputs, losses
