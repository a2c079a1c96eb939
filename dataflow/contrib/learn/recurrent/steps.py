"""What is made of the logits of the steps of sequences."""

from __future__ import annotations

from typing import Any

from dataflow.contrib.layers.targets import ProblemType
from dataflow.contrib.learn.heads.keys import PredictionKey
from dataflow.graph.scopes import name_scope
from dataflow.ops.array.concat import concat
from dataflow.ops.array.gather import gather
from dataflow.ops.array.index import boolean_mask
from dataflow.ops.array.select import sequence_mask
from dataflow.ops.array.shape import reshape, shape
from dataflow.ops.basic.range import range as number_range
from dataflow.ops.reductions.arg import argmax


def select_last_activations(activations: Any, sequence_lengths: Any) -> Any:
    """The last step of each sequence.

    Args:
      activations: [batch, steps, size].
      sequence_lengths: How long each is, [batch]; all are whole if None.

    Returns:
      [batch, size].
    """
    with name_scope("select_last_activations", values=[activations, sequence_lengths]):
        sizes: Any = shape(activations)
        batch, steps, size = sizes[0], sizes[1], sizes[2]
        flat = reshape(activations, [-1, size])
        lengths = steps if sequence_lengths is None else sequence_lengths
        ends: Any = number_range(batch)
        found = gather(flat, ends * steps + lengths - 1)
        found.set_shape([activations.shape[0], activations.shape[2]])
        return found


def mask_activations_and_labels(
    activations: Any, labels: Any, sequence_lengths: Any
) -> tuple[Any, Any]:
    """The steps of all sequences in one row, without what lies beyond their ends.

    Args:
      activations: [batch, steps, size].
      labels: [batch, steps].
      sequence_lengths: How long each is, [batch]; all are whole if None.

    Returns:
      [sum of lengths, size] and [sum of lengths].
    """
    with name_scope("mask_activations_and_labels", values=[activations, labels, sequence_lengths]):
        sizes: Any = shape(labels)
        batch, steps = sizes[0], sizes[1]
        if sequence_lengths is None:
            count = steps * batch
            return reshape(activations, [count, -1]), reshape(labels, [count])
        mask = sequence_mask(sequence_lengths, steps)
        return boolean_mask(activations, mask), boolean_mask(labels, mask)


def multi_value_predictions(
    activations: Any, target_column: Any, problem_type: int, predict_probabilities: bool
) -> dict[str, Any]:
    """Predictions of each step, by name.

    Args:
      activations: Logits, [batch, steps, size].
      target_column: A target of tf.contrib.layers.
      problem_type: Of `ProblemType`.
      predict_probabilities: Whether chances of classes are given, too.
    """
    with name_scope("MultiValuePrediction"):
        sizes: Any = shape(activations)
        flat = reshape(activations, [-1, sizes[2]])
        found = {}
        if predict_probabilities:
            chances = target_column.logits_to_predictions(flat, proba=True)
            predictions = argmax(chances, 1)
            of_all = concat([sizes[:2], [2]], 0) if target_column.num_label_columns == 1 else sizes
            key = PredictionKey.PROBABILITIES
            found[key] = reshape(chances, of_all, name=key)
        else:
            predictions = target_column.logits_to_predictions(flat, proba=False)
        key = predictions_key(problem_type)
        found[key] = reshape(predictions, [sizes[0], sizes[1]], name=key)
        return found


def single_value_predictions(
    activations: Any,
    sequence_length: Any,
    target_column: Any,
    problem_type: int,
    predict_probabilities: bool,
) -> dict[str, Any]:
    """Predictions of each sequence, by name; see `multi_value_predictions`."""
    with name_scope("SingleValuePrediction"):
        last = select_last_activations(activations, sequence_length)
        key = predictions_key(problem_type)
        if not predict_probabilities:
            return {key: target_column.logits_to_predictions(last, proba=False)}
        chances = target_column.logits_to_predictions(last, proba=True)
        return {PredictionKey.PROBABILITIES: chances, key: argmax(chances, 1)}


def predictions_key(problem_type: int) -> str:
    """The name of what is predicted."""
    is_classes = problem_type == ProblemType.CLASSIFICATION
    return PredictionKey.CLASSES if is_classes else PredictionKey.SCORES
