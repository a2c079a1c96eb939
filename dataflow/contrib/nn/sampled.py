"""Losses by samples of classes: those of the largest logits, and of one true class each."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.graph.scopes import name_scope
from dataflow.library.embedding import embedding_lookup
from dataflow.library.sampled_losses import sampled_logits, sampled_softmax_loss
from dataflow.ops.array.fill import zeros
from dataflow.ops.array.gather import gather
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.identity import stop_gradient
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.nn.losses import sparse_softmax_cross_entropy_with_logits
from dataflow.ops.nn.topk import top_k
from dataflow.ops.random.candidates import learned_unigram_candidate_sampler
from dataflow.ops.reductions.statistics import reduce_logsumexp
from dataflow.values import dtypes


def rank_sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_resampled: int,
    num_classes: int,
    num_true: int,
    sampled_values: Any,
    resampling_temperature: Any,
    remove_accidental_hits: bool,
    partition_strategy: str,
    name: str | None = None,
) -> Any:
    """`sampled_softmax_loss` of those classes of a sample whose logits are the largest.

    Args:
      weights: See `tf.nn.sampled_softmax_loss`, as for all but the following.
      biases: See there.
      labels: See there.
      inputs: See there.
      num_sampled: How many classes are sampled.
      num_resampled: How many of them are kept: those with the largest sums of exponentials of
        logits over the batch.
      num_classes: See there.
      num_true: See there.
      sampled_values: A sample; that of `learned_unigram_candidate_sampler` if None.
      resampling_temperature: What logits are divided by before classes are kept.
      remove_accidental_hits: See there.
      partition_strategy: See there.
      name: Name scope of the operations.

    Returns:
      The losses of examples, `[batch]`.

    Raises:
      ValueError: The numbers of classes do not go together, or it is another strategy.
    """
    if num_sampled > num_classes:
        raise ValueError(
            f"num_sampled ({num_sampled}) cannot be greater than num_classes ({num_classes})"
        )
    if num_sampled <= num_resampled:
        raise ValueError(
            f"num_resampled ({num_resampled}) must be less than num_sampled ({num_sampled})"
        )
    if partition_strategy not in ("div", "mod"):
        raise ValueError(f"unsupported partition_strategy ({partition_strategy})")
    values = [weights, biases, labels, inputs, sampled_values, resampling_temperature]
    with name_scope(name, "rank_sampled_softmax_loss", values) as scope:
        if not sampled_values:
            sampled_values = learned_unigram_candidate_sampler(
                labels, num_true, num_sampled, True, num_classes
            )
        sampled, of_true, of_sampled = (stop_gradient(each) for each in sampled_values)
        sampled = cast(sampled, dtypes.int64)
        rows = embedding_lookup(weights, sampled, partition_strategy=partition_strategy)
        products = matmul(rows, inputs / resampling_temperature, transpose_b=True)
        logits: Any = reduce_logsumexp(products, axis=1)
        offsets = embedding_lookup(biases, sampled, partition_strategy=partition_strategy)
        logits = logits + array_shape.reshape(offsets, [-1]) / resampling_temperature
        _, kept = top_k(logits, k=num_resampled, sorted=False)
        return sampled_softmax_loss(
            weights,
            biases,
            labels,
            inputs,
            num_resampled,
            num_classes,
            num_true,
            (gather(sampled, kept), of_true, gather(of_sampled, kept)),
            remove_accidental_hits,
            partition_strategy,
            scope,
        )


def sampled_sparse_softmax_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    partition_strategy: str = "mod",
    name: str = "sampled_sparse_softmax_loss",
) -> Any:
    """The softmax cross entropy of one true class and a sample of the others.

    Arguments are those of `tf.nn.sampled_softmax_loss`, with labels `[batch, 1]`.

    Returns:
      The losses of examples, `[batch]`.
    """
    logits, _ = sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        1,
        sampled_values,
        remove_accidental_hits,
        partition_strategy,
        name,
        None,
    )
    sizes: Any = array_shape.shape(logits)
    first = zeros([sizes[0]], dtype=dtypes.int64)
    return sparse_softmax_cross_entropy_with_logits(labels=first, logits=logits)
