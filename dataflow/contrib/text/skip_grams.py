"""Skip-grams: words and labels, which stand near them (Mikolov et al., Efficient Estimation of Word
Representations in Vector Space, 2013)."""

from __future__ import annotations

from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.check_types import assert_rank
from dataflow.library.check_values import assert_less_equal, assert_non_negative
from dataflow.library.ragged.ranges import ragged_range
from dataflow.ops.array.gather import gather
from dataflow.ops.array.index import boolean_mask
from dataflow.ops.array.select import where
from dataflow.ops.array.shape import shape, size
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.range import range as numbers
from dataflow.ops.math.binary import maximum, minimum
from dataflow.ops.math.compare import (
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_or,
    not_equal,
)
from dataflow.ops.math.unary import sqrt
from dataflow.ops.random.stateful import random_uniform
from dataflow.training.inputs.batches import batch
from dataflow.values import dtypes

_BATCHES_THAT_WAIT = 100


def skip_gram_sample(
    input_tensor: Any,
    min_skips: Any = 1,
    max_skips: Any = 5,
    start: Any = 0,
    limit: Any = -1,
    emit_self_as_target: Any = False,
    vocab_freq_table: Any = None,
    vocab_min_count: Any = None,
    vocab_subsampling: float | None = None,
    corpus_size: Any = None,
    batch_size: int | None = None,
    batch_capacity: int | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Pairs of words and of those that stand near them.

    Args:
      input_tensor: Words, of rank 1 and any type.
      min_skips: How far a word looks at least; each draws a distance anew.
      max_skips: How far at most.
      start: The first word that counts.
      limit: How many words count; all if negative.
      emit_self_as_target: Whether a word is a label of itself.
      vocab_freq_table: A table of how often words occur; others are left out.
      vocab_min_count: Words that occur less often are left out.
      vocab_subsampling: Frequent words are left out by chance: the share of all words from which on
        they are, between 0 and 1.
      corpus_size: How many words there are in all; comes with it.
      batch_size: How many pairs are given at a time, by a queue; all that there are if None.
      batch_capacity: How many pairs the queue holds; 100 batches if None.
      seed: Of what is drawn.
      name: The name scope.

    Returns:
      Words and labels, two tensors of rank 1 with the type of the input.

    Raises:
      ValueError: There is no table for the arguments that need one, or subsampling comes without
        the size or is no share. When run, InvalidArgumentError: the input is not of rank 1, or
        distances or the start are negative or in the wrong order.
    """
    if vocab_freq_table is None and not (
        vocab_min_count is None and vocab_subsampling is None and corpus_size is None
    ):
        raise ValueError(
            f"vocab_freq_table is not provided, but vocab_min_count={vocab_min_count}, "
            f"vocab_subsampling={vocab_subsampling}, or corpus_size={corpus_size} is not None. "
            "These settings are useless without a vocab_freq_table."
        )
    if (vocab_subsampling is None) != (corpus_size is None):
        raise ValueError(
            f"vocab_subsampling is {vocab_subsampling} while corpus_size is {corpus_size} - both "
            "must be provided in order for subsampling to work."
        )
    values = [input_tensor, min_skips, max_skips, start, limit]
    with name_scope(name, "skip_gram_sample", values):
        words = convert_to_tensor(input_tensor)
        if vocab_freq_table is not None:
            words = _known(
                words, vocab_freq_table, vocab_min_count, vocab_subsampling, corpus_size, seed
            )
        pairs = _pairs(words, min_skips, max_skips, start, limit, emit_self_as_target, seed)
        if batch_size is None or batch_size <= 0:
            return pairs
        if batch_capacity is None or batch_capacity <= 0:
            batch_capacity = _BATCHES_THAT_WAIT * batch_size
        first, second = batch(list(pairs), batch_size, capacity=batch_capacity, enqueue_many=True)
        return first, second


def _pairs(
    words: Tensor, least: Any, most: Any, start: Any, limit: Any, with_self: Any, seed: Any
) -> tuple[Tensor, Tensor]:
    least, most, start, limit = (
        convert_to_tensor(each, dtypes.int32) for each in (least, most, start, limit)
    )
    checks = [
        assert_rank(words, 1, message="input_tensor must be of rank 1"),
        assert_non_negative(least, message="min_skips must be >= 0"),
        assert_non_negative(most, message="max_skips must be >= 0"),
        assert_less_equal(least, most, message="min_skips must be <= max_skips"),
        assert_non_negative(start, message="start must be >= 0"),
    ]
    with control_dependencies(checks):
        count = size(words)
        start = minimum(start, count)
        end = minimum(where(less(limit, 0), count, start + limit), count)
        places = numbers(start, end)
        reach = random_uniform(shape(places), least, most + 1, dtypes.int32, seed=seed)
    near = ragged_range(maximum(places - reach, start), minimum(places + reach + 1, end))
    middle, labels = gather(places, near.value_rowids()), near.flat_values
    kept = logical_or(not_equal(middle, labels), convert_to_tensor(with_self, dtypes.bool))
    return gather(words, boolean_mask(middle, kept)), gather(words, boolean_mask(labels, kept))


def _known(
    words: Tensor, table: Any, least: Any, subsampling: Any, corpus_size: Any, seed: Any
) -> Tensor:
    if not hasattr(table, "default_value"):
        raise ValueError(
            "vocab_freq_table must be a subclass of InitializableLookupTableBase (such as "
            f"HashTable) instead of type {type(table)}."
        )
    with name_scope("filter_vocab"):
        counts = table.lookup(words)
        kept = not_equal(counts, table.default_value)
        if least is not None:
            kept = logical_and(kept, greater_equal(counts, cast(least, counts.dtype)))
        words, counts = boolean_mask(words, kept), boolean_mask(counts, kept)
    if not subsampling:
        return words
    if subsampling < 0 or subsampling > 1:
        raise ValueError(
            f"Invalid vocab_subsampling={subsampling} - it should be within range [0, 1]."
        )
    with name_scope("subsample_vocab"):
        share = cast(corpus_size, dtypes.float64) * subsampling / cast(counts, dtypes.float64)
        draws = random_uniform(shape(counts), dtype=dtypes.float64, seed=seed)
        return boolean_mask(words, less_equal(draws, (sqrt(1.0 / share) + 1.0) * share))
