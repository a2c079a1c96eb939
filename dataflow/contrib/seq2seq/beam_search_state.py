"""What beam search carries from step to step, and what it returns."""

from __future__ import annotations

from typing import Any, NamedTuple


class BeamSearchDecoderState(NamedTuple):
    """State of a `BeamSearchDecoder`.

    `cell_state` is [batch, beam, ...]; `log_probs` (floats), `finished` (booleans) and `lengths`
    (int64) are [batch, beam]; `accumulated_attention_probs` is [batch, beam, places], or () where
    coverage does not count.
    """

    cell_state: Any
    log_probs: Any
    finished: Any
    lengths: Any
    accumulated_attention_probs: Any


class BeamSearchDecoderOutput(NamedTuple):
    """Of each step, [batch, beam]: scores, tokens, and the beams of the last step they continue."""

    scores: Any
    predicted_ids: Any
    parent_ids: Any


class FinalBeamSearchDecoderOutput(NamedTuple):
    """Tokens [batch, time, beam] of whole beams, the best first, and the outputs of all steps."""

    predicted_ids: Any
    beam_search_decoder_output: Any
