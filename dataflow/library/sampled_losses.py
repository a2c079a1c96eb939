"""Losses of classifiers with many classes, estimated from a sample of the classes."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.slice as array_slice
import dataflow.ops.linalg.matmul as linalg_matmul
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.unary as math_unary
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.embedding import embedding_lookup
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.identity import stop_gradient
from dataflow.ops.basic.single import single
from dataflow.ops.nn.losses import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
)
from dataflow.ops.random.candidates import compute_accidental_hits, log_uniform_candidate_sampler
from dataflow.values import dtypes
from dataflow.variables.partitioned import PartitionedVariable


def nce_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = False,
    partition_strategy: str = "mod",
    name: str = "nce_loss",
) -> Tensor:
    """The loss of noise-contrastive estimation: true classes are told from sampled ones.

    Args:
      weights: A row for each class, `[num_classes, dim]`, or a list of parts of them.
      biases: Of each class: `[num_classes]`.
      labels: The true classes, int64, of shape `[batch, num_true]`.
      inputs: What is classified, `[batch, dim]`.
      num_sampled: How many classes are sampled for the batch.
      num_classes: How many there are.
      num_true: How many true classes each example has.
      sampled_values: What a candidate sampler gave; that of `log_uniform_candidate_sampler` if
        None, for which classes should be numbered by how often they occur.
      remove_accidental_hits: Whether a sampled class that is a true one is left out.
      partition_strategy: How rows are dealt out to parts; see `embedding_lookup`.
      name: Name of the operations.

    Returns:
      The loss of each example, `[batch]`.
    """
    logits, targets = sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        partition_strategy,
        name,
        None,
    )
    losses = sigmoid_cross_entropy_with_logits(labels=targets, logits=logits, name="sampled_losses")
    return _row_sums(losses)


def sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    partition_strategy: str = "mod",
    name: str = "sampled_softmax_loss",
    seed: int | None = None,
) -> Tensor:
    """The softmax cross entropy over the true classes and a sample of the others.

    It is below that over all classes, and good for training only. Arguments are those of
    `nce_loss`, and the seed of the sampler.
    """
    logits, targets = sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        partition_strategy,
        name,
        seed,
    )
    targets = stop_gradient(targets, name="labels_stop_gradient")
    losses: Tensor = softmax_cross_entropy_with_logits_v2(labels=targets, logits=logits)
    return losses


def _row_sums(x: Any) -> Tensor:
    """The sum of each row, as a product with ones."""
    sizes: Any = array_shape.shape(x)
    ones = array_fill.ones(array_concat.stack([sizes[1], 1]), x.dtype)
    return array_shape.reshape(linalg_matmul.matmul(x, ones), [-1])


def sampled_logits(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int,
    sampled_values: Any,
    removes_hits: bool,
    strategy: str,
    name: str | None,
    seed: int | None,
    subtracts: bool = True,
) -> tuple[Any, Any]:
    """The logits of true and sampled classes, less the log of how often each was expected.

    That is left out where `subtracts` is false.

    Returns:
      The logits and their targets, both `[batch, num_true + num_sampled]`.
    """
    parts = list(weights) if isinstance(weights, (list, PartitionedVariable)) else [weights]
    with name_scope(name, "compute_sampled_logits", [*parts, biases, inputs, labels]):
        if labels.dtype != dtypes.int64:
            labels = cast(labels, dtypes.int64)
        flat = array_shape.reshape(labels, [-1])
        if sampled_values is None:
            sampled_values = log_uniform_candidate_sampler(
                labels, num_true, num_sampled, True, num_classes, seed
            )
        sampled, of_true, of_sampled = (stop_gradient(each) for each in sampled_values)
        sampled = cast(sampled, dtypes.int64)
        ids = array_concat.concat([flat, sampled], 0)
        rows = _looked_up(parts, ids, strategy, inputs.dtype)
        true_rows = array_slice.slice(rows, [0, 0], array_concat.stack([_count(flat), -1]))
        sampled_rows = array_slice.slice(rows, array_concat.stack([_count(flat), 0]), [-1, -1])
        sampled_logits: Any = linalg_matmul.matmul(inputs, sampled_rows, transpose_b=True)
        offsets = _looked_up(biases, ids, strategy, inputs.dtype)
        true_offsets = array_slice.slice(offsets, [0], array_shape.shape(flat))
        sampled_offsets = array_slice.slice(offsets, array_shape.shape(flat), [-1])
        true_logits: Any = _true_logits(inputs, true_rows, num_true)
        true_logits += array_shape.reshape(true_offsets, [-1, num_true])
        sampled_logits += sampled_offsets
        if removes_hits:
            sampled_logits += _without_hits(labels, sampled, num_true, num_sampled, sampled_logits)
        if subtracts:
            true_logits -= math_unary.log(of_true)
            sampled_logits -= math_unary.log(of_sampled)
        logits = array_concat.concat([true_logits, sampled_logits], 1)
        ones: Any = array_fill.ones_like(true_logits)
        shares = ones / num_true
        zeros = array_fill.zeros_like(sampled_logits)
        return logits, array_concat.concat([shares, zeros], 1)


def _count(flat: Tensor) -> Tensor:
    sizes: Any = array_shape.shape(flat)
    count: Tensor = sizes[0]
    return count


def _looked_up(table: Any, ids: Tensor, strategy: str, dtype: Any) -> Tensor:
    rows = embedding_lookup(table, ids, partition_strategy=strategy)
    return rows if rows.dtype == dtype else cast(rows, dtype)


def _true_logits(inputs: Any, rows: Any, num_true: int) -> Tensor:
    """The products of each input with the rows of its true classes, `[batch, num_true]`."""
    sizes: Any = array_shape.shape(rows)
    dim = sizes[1:2]
    whole = array_concat.concat([[-1, num_true], dim], 0)
    products = math_binary.multiply(
        array_shape.expand_dims(inputs, 1), array_shape.reshape(rows, whole)
    )
    flat = array_shape.reshape(products, array_concat.concat([[-1], dim], 0))
    return array_shape.reshape(_row_sums(flat), [-1, num_true])


def _without_hits(
    labels: Any, sampled: Any, num_true: int, num_sampled: int, logits: Any
) -> Tensor:
    """What takes sampled classes out where they are true ones: the lowest float, else 0."""
    examples, places, lowest = compute_accidental_hits(labels, sampled, num_true=num_true)
    rows = array_shape.reshape(examples, [-1, 1])
    columns = array_shape.reshape(cast(places, dtypes.int32), [-1, 1])
    indices = array_concat.concat([rows, columns], 1, "sparse_indices")
    sizes: Any = array_shape.shape(labels)
    shape = array_concat.concat([sizes[:1], array_shape.expand_dims(num_sampled, 0)], 0)
    if logits.dtype != lowest.dtype:
        lowest = cast(lowest, logits.dtype)
    return single("SparseToDense", indices, shape, lowest, 0.0, validate_indices=False)
