"""One step of beam search: the best continuations of each example's beams."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.contrib.seq2seq.attention_state import AttentionWrapperState
from dataflow.contrib.seq2seq.beam_search_state import (
    BeamSearchDecoderOutput,
    BeamSearchDecoderState,
)
from dataflow.contrib.seq2seq.tiling import gather_beams
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.broadcast import tile
from dataflow.ops.array.concat import concat
from dataflow.ops.array.fill import fill, zeros_like
from dataflow.ops.array.gather import batch_gather
from dataflow.ops.array.select import one_hot, where
from dataflow.ops.array.shape import expand_dims, reshape, shape
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.identity import identity
from dataflow.ops.math.binary import minimum
from dataflow.ops.math.compare import equal, logical_not, logical_or
from dataflow.ops.math.division import floordiv, floormod
from dataflow.ops.math.power import pow as pow_of
from dataflow.ops.math.unary import log
from dataflow.ops.nn.softmax import log_softmax
from dataflow.ops.nn.topk import top_k
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.values import dtypes, nest
from dataflow.values.shapes import dimension_value


def beam_search_step(
    logits: Any,
    next_cell_state: Any,
    beam_state: BeamSearchDecoderState,
    beam_width: int,
    end_token: Any,
    length_penalty_weight: Any,
    coverage_penalty_weight: Any,
    gather: Callable[[Any, Any], Any],
) -> tuple[BeamSearchDecoderOutput, BeamSearchDecoderState]:
    """The outputs of a step and the next state.

    Args:
      logits: Floats [batch, beam, tokens].
      next_cell_state: The cell's state behind the step, [batch, beam, ...].
      beam_state: The state before the step.
      beam_width: Number of beams.
      end_token: int32 scalar.
      length_penalty_weight: See `BeamSearchDecoder`.
      coverage_penalty_weight: See above.
      gather: Takes the values of some beams, int32 [batch, beam], from a part of the cell's state.
    """
    tokens = dimension_value(logits.shape[-1]) or shape(logits)[-1]
    ended = beam_state.finished
    step_log_probs = _only_ends(log_softmax(logits), ended, tokens, end_token)
    total_probs = expand_dims(beam_state.log_probs, 2) + step_log_probs
    # An end token does not count as one more.
    is_no_end = one_hot(
        fill(shape(ended), end_token), tokens, on_value=0, off_value=1, dtype=dtypes.int64
    )
    lengths = expand_dims(beam_state.lengths, 2) + is_no_end * expand_dims(
        cast(logical_not(ended), dtypes.int64), 2
    )
    accumulated = None
    attention = attention_probs(next_cell_state, coverage_penalty_weight)
    if attention is not None:
        attention *= expand_dims(cast(logical_not(ended), attention.dtype), 2)
        accumulated = beam_state.accumulated_attention_probs + attention
    scores = _scores(
        total_probs, lengths, length_penalty_weight, coverage_penalty_weight, ended, accumulated
    )
    flat = reshape(scores, [shape(logits)[0], -1])
    best_scores, places = top_k(flat, k=beam_width)
    chosen_probs = batch_gather(reshape(total_probs, shape(flat)), places)
    words = identity(cast(floormod(places, tokens), dtypes.int32), name="next_beam_word_ids")
    beams = identity(cast(floordiv(places, tokens), dtypes.int32), name="next_beam_parent_ids")
    had_ended = gather_beams(ended, beams)
    next_lengths = gather_beams(beam_state.lengths, beams) + cast(
        logical_not(had_ended), dtypes.int64
    )
    next_state = BeamSearchDecoderState(
        cell_state=nest.map_structure(lambda each: gather(each, beams), next_cell_state),
        log_probs=chosen_probs,
        finished=logical_or(had_ended, equal(words, end_token), name="next_beam_finished"),
        lengths=next_lengths,
        accumulated_attention_probs=(
            () if accumulated is None else gather_beams(accumulated, beams)
        ),
    )
    for each, old in zip(next_state[1:4], beam_state[1:4], strict=True):
        each.set_shape(old.shape)
    if accumulated is not None:
        next_state.accumulated_attention_probs.set_shape(
            beam_state.accumulated_attention_probs.shape
        )
    return BeamSearchDecoderOutput(best_scores, words, beams), next_state


def _only_ends(log_probs: Tensor, ended: Tensor, tokens: Any, end_token: Any) -> Tensor:
    """Probabilities of tokens, where a beam that has ended is followed by the end token only."""
    ending = one_hot(
        end_token, tokens, dtype=log_probs.dtype, on_value=0.0, off_value=log_probs.dtype.min
    )
    sizes = concat([shape(ended), [1]], 0)
    endings = tile(reshape(ending, [1, 1, -1]), sizes)
    ended_all = tile(expand_dims(ended, 2), [1, 1, tokens])
    return where(ended_all, endings, log_probs)


def _scores(
    log_probs: Tensor,
    lengths: Tensor,
    length_weight: Any,
    coverage_weight: Any,
    ended: Tensor,
    accumulated: Any,
) -> Tensor:
    """What beams are compared by: Wu et al., 2016, arXiv:1609.08144, equation 14."""
    scores = log_probs
    weight = convert_to_tensor(length_weight, name="length_penalty_weight")
    weight.shape.assert_is_compatible_with([])
    if constant_value(weight) != 0:
        scores = scores / _length_penalty(lengths, weight)
    if accumulated is None:
        return scores
    coverage_weight = convert_to_tensor(coverage_weight, name="coverage_penalty_weight")
    if coverage_weight.shape.rank != 0:
        raise ValueError(
            f"coverage_penalty_weight should be a scalar, but saw shape: {coverage_weight.shape}"
        )
    coverage = reduce_sum(log(minimum(accumulated, 1.0)), 2)
    # Beams that go on have not seen all that they will see.
    coverage = where(ended, coverage, zeros_like(coverage))
    return scores + expand_dims(coverage * coverage_weight, 2)


def _length_penalty(lengths: Tensor, weight: Tensor) -> Any:
    """`((5 + length) / (5 + 1)) ^ weight`."""
    return pow_of((5.0 + cast(lengths, dtypes.float32)) / 6.0, weight)


def attention_probs(cell_state: Any, coverage_penalty_weight: Any) -> Any:
    """What attention was paid in a step, [batch, beam, places]; None if coverage does not count.

    Raises:
      ValueError: Coverage counts, and nothing pays attention.
    """
    weight = (
        constant_value(coverage_penalty_weight)
        if isinstance(coverage_penalty_weight, Tensor)
        else coverage_penalty_weight
    )
    if weight is not None and weight == 0.0:
        return None
    found = [_alignments(each) for each in _attending(cell_state)]
    if not found:
        raise ValueError(
            "coverage_penalty_weight must be 0.0 if no cell is instance of AttentionWrapper."
        )
    if len(found) == 1:
        return found[0]
    return concat(found, -1)


def _attending(cell_state: Any) -> list[AttentionWrapperState]:
    """The states of attending cells, which may be cells of a `MultiRNNCell`."""
    if isinstance(cell_state, AttentionWrapperState):
        return [cell_state]
    if isinstance(cell_state, tuple | list):
        return [each for each in cell_state if isinstance(each, AttentionWrapperState)]
    return []


def _alignments(state: AttentionWrapperState) -> Tensor:
    found = state.alignments
    return concat(list(found), -1) if isinstance(found, tuple) else found
