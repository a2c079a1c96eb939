"""BeamSearchDecoder: follows the likeliest sequences of tokens, several for each example."""

from __future__ import annotations

import math
from typing import Any

from dataflow.contrib.seq2seq.basic_decoder import check_layer
from dataflow.contrib.seq2seq.beam_search_state import (
    BeamSearchDecoderOutput,
    BeamSearchDecoderState,
    FinalBeamSearchDecoderOutput,
)
from dataflow.contrib.seq2seq.beam_search_step import attention_probs, beam_search_step
from dataflow.contrib.seq2seq.decoder import Decoder
from dataflow.contrib.seq2seq.inference_inputs import embedding_of
from dataflow.contrib.seq2seq.tiling import gather_beams, gather_tree, gather_tree_from_array
from dataflow.control_flow.cond import cond
from dataflow.functions.flow import is_tensor_array
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.rnn.cell import assert_like_rnncell
from dataflow.library.rnn.sizes import shape_of_size
from dataflow.ops.array.broadcast import tile
from dataflow.ops.array.concat import concat
from dataflow.ops.array.fill import zeros
from dataflow.ops.array.select import one_hot
from dataflow.ops.array.shape import expand_dims, reshape, shape, size
from dataflow.ops.basic.cast import cast
from dataflow.ops.reductions.reduce import reduce_all, reduce_max
from dataflow.values import dtypes, nest
from dataflow.values.shapes import TensorShape, dimension_value


class BeamSearchDecoder(Decoder):
    """Searches for the sequences with the best scores.

    A cell that attends to a memory needs the memory, its lengths and the encoder's state tiled by
    `tile_batch`, and a `zero_state` for all beams.

    Args:
      cell: An `RNNCell`.
      embedding: Makes vectors of tokens: a function, or the `params` of `tf.nn.embedding_lookup`.
      start_tokens: First tokens, int32 [batch].
      end_token: Token behind which a sequence has ended, an int32 scalar.
      initial_state: The cell's state before the first step, [batch * beam_width, ...].
      beam_width: Number of beams.
      output_layer: A `tf.layers.Layer` that makes logits of the cell's outputs, or None.
      length_penalty_weight: How much longer sequences are preferred; 0 for not at all.
      coverage_penalty_weight: How much a sequence is preferred that has seen the whole memory.
      reorder_tensor_arrays: Whether TensorArrays of the cell's state, such as a history of
        alignments, are put in the order of whole beams in the end.

    Raises:
      TypeError: `cell` is no cell, or `output_layer` no layer.
      ValueError: `start_tokens` is no vector, or `end_token` no scalar.
    """

    def __init__(
        self,
        cell: Any,
        embedding: Any,
        start_tokens: Any,
        end_token: Any,
        initial_state: Any,
        beam_width: int,
        output_layer: Any = None,
        length_penalty_weight: Any = 0.0,
        coverage_penalty_weight: Any = 0.0,
        reorder_tensor_arrays: bool = True,
    ) -> None:
        assert_like_rnncell("cell", cell)
        check_layer(output_layer)
        self._cell = cell
        self._output_layer = output_layer
        self._reorder_tensor_arrays = reorder_tensor_arrays
        self._embedding_fn = embedding_of(embedding)
        self._start_tokens = convert_to_tensor(
            start_tokens, dtype=dtypes.int32, name="start_tokens"
        )
        if self._start_tokens.shape.rank != 1:
            raise ValueError("start_tokens must be a vector")
        self._end_token = convert_to_tensor(end_token, dtype=dtypes.int32, name="end_token")
        if self._end_token.shape.rank != 0:
            raise ValueError("end_token must be a scalar")
        self._batch_size = size(self._start_tokens)
        self._beam_width = beam_width
        self._length_penalty_weight = length_penalty_weight
        self._coverage_penalty_weight = coverage_penalty_weight
        self._initial_cell_state = nest.map_structure(
            self._split, initial_state, self._cell.state_size
        )
        tiled = tile(expand_dims(self._start_tokens, 1), [1, beam_width])
        self._start_inputs = self._embedding_fn(tiled)
        self._finished = one_hot(
            zeros([self._batch_size], dtype=dtypes.int32),
            depth=beam_width,
            on_value=False,
            off_value=True,
            dtype=dtypes.bool,
        )

    @property
    def batch_size(self) -> Any:
        """Number of examples, a scalar."""
        return self._batch_size

    @property
    def tracks_own_finished(self) -> bool:
        """True: beams change places, with their ends."""
        return True

    @property
    def output_size(self) -> Any:
        """That many beams of each."""
        each = TensorShape([self._beam_width])
        return BeamSearchDecoderOutput(each, each, each)

    @property
    def output_dtype(self) -> Any:
        """The state's element type for scores, and int32."""
        dtype = nest.flatten(self._initial_cell_state)[0].dtype
        return BeamSearchDecoderOutput(dtype, dtypes.int32, dtypes.int32)

    def initialize(self, name: Any = None) -> Any:
        """One beam for each example, from which all of them come in the first step."""
        dtype = nest.flatten(self._initial_cell_state)[0].dtype
        log_probs = one_hot(
            zeros([self._batch_size], dtype=dtypes.int32),
            depth=self._beam_width,
            on_value=0.0,
            off_value=-math.inf,
            dtype=dtype,
        )
        attention = attention_probs(self._initial_cell_state, self._coverage_penalty_weight)
        state = BeamSearchDecoderState(
            cell_state=self._initial_cell_state,
            log_probs=log_probs,
            finished=self._finished,
            lengths=zeros([self._batch_size, self._beam_width], dtype=dtypes.int64),
            accumulated_attention_probs=() if attention is None else attention,
        )
        return self._finished, self._start_inputs, state

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        """The whole beams, and the last state with its TensorArrays in their order."""
        longest = cast(reduce_max(final_state.lengths, axis=1), dtypes.int32)
        predicted_ids = gather_tree(
            outputs.predicted_ids, outputs.parent_ids, longest, self._end_token
        )
        if self._reorder_tensor_arrays:
            final_state = final_state._replace(
                cell_state=nest.map_structure(
                    lambda each: self._ordered(each, outputs.parent_ids, final_state.lengths),
                    final_state.cell_state,
                )
            )
        return FinalBeamSearchDecoderOutput(predicted_ids, outputs), final_state

    def step(self, time: Any, inputs: Any, state: Any, name: Any = None) -> Any:
        """One step of all beams."""
        with name_scope(name, "BeamSearchDecoderStep", (time, inputs, state)):
            cell_inputs = nest.map_structure(_merged, inputs)
            cell_state = nest.map_structure(_merged, state.cell_state)
            outputs, next_cell_state = self._cell(cell_inputs, cell_state)
            sizes = nest.map_structure(lambda each: each.shape[1:], outputs)
            outputs = nest.map_structure(self._split, outputs, sizes)
            next_cell_state = nest.map_structure(
                self._split, next_cell_state, self._cell.state_size
            )
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            step_outputs, next_state = beam_search_step(
                logits=outputs,
                next_cell_state=next_cell_state,
                beam_state=state,
                beam_width=self._beam_width,
                end_token=self._end_token,
                length_penalty_weight=self._length_penalty_weight,
                coverage_penalty_weight=self._coverage_penalty_weight,
                gather=_chosen,
            )
            next_inputs = cond(
                reduce_all(next_state.finished),
                lambda: self._start_inputs,
                lambda: self._embedding_fn(step_outputs.predicted_ids),
            )
        return step_outputs, next_state, next_inputs, next_state.finished

    def _split(self, value: Any, size: Any) -> Any:
        """[batch * beam, ...] as [batch, beam, ...]; what has no batch stays."""
        if is_tensor_array(value) or _rank(value) == 0:
            return value
        sizes = concat([[self._batch_size, self._beam_width], shape(value)[1:]], 0)
        split = reshape(value, sizes)
        batch = constant_value(self._batch_size)
        known = TensorShape([None if batch is None else int(batch), self._beam_width])
        expected = known.concatenate(shape_of_size(size))
        if not split.shape.is_compatible_with(expected):
            raise ValueError(
                "Unexpected behavior when reshaping between beam width and batch size.  The "
                f"reshaped tensor has shape: {split.shape}.  We expected it to have shape "
                f"(batch_size, beam_width, depth) == {expected}.  Perhaps you forgot to create a "
                "zero_state with batch_size=encoder_batch_size * beam_width?"
            )
        split.set_shape(expected)
        return split

    def _ordered(self, value: Any, parent_ids: Any, lengths: Any) -> Any:
        """A TensorArray's values in the order of whole beams; other values as they are."""
        if not is_tensor_array(value):
            return value
        return gather_tree_from_array(value, parent_ids, lengths)


def _rank(value: Any) -> Any:
    rank = value.shape.rank
    if rank is None:
        raise ValueError(f"Expected tensor ({value}) to have known rank, but ndims == None.")
    return rank


def _merged(value: Any) -> Any:
    """[batch, beam, ...] as [batch * beam, ...]; what has no beams stays."""
    if is_tensor_array(value) or _rank(value) < 2:
        return value
    sizes = shape(value)
    merged = reshape(value, concat([[sizes[0] * sizes[1]], sizes[2:]], 0))
    batch, beams = map(dimension_value, value.shape[:2])
    first = None if batch is None or beams is None else batch * beams
    merged.set_shape(TensorShape([first]).concatenate(value.shape[2:]))
    return merged


def _chosen(value: Any, beams: Tensor) -> Any:
    """The values of some beams; what has no beams stays."""
    if is_tensor_array(value) or _rank(value) < 2:
        return value
    taken = gather_beams(value, beams)
    taken.set_shape(value.shape)
    return taken
