"""Decoders over lists of inputs that attend to what an encoder gave."""

from __future__ import annotations

import copy
from typing import Any

from dataflow.contrib.legacy_seq2seq.decoding import check_projection, fed_if, likeliest_embedded
from dataflow.contrib.rnn.linear import linear
from dataflow.contrib.rnn.wrapping import EmbeddingWrapper, OutputProjectionWrapper
from dataflow.graph.tensor import Tensor
from dataflow.graph.variable_scope_object import get_variable_scope
from dataflow.library.embedding import embedding_lookup
from dataflow.library.rnn.static import static_rnn
from dataflow.ops.array.concat import concat, stack
from dataflow.ops.array.fill import zeros
from dataflow.ops.array.shape import reshape, shape
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.trig import tanh
from dataflow.ops.nn.convolution import conv2d
from dataflow.ops.nn.softmax import softmax
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.values import nest
from dataflow.values.shapes import dimension_value
from dataflow.variables.scope import get_variable, variable_scope


def attention_decoder(
    decoder_inputs: Any,
    initial_state: Any,
    attention_states: Any,
    cell: Any,
    output_size: int | None = None,
    num_heads: int = 1,
    loop_function: Any = None,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> tuple[list[Any], Any]:
    """`rnn_decoder` with attention (Vinyals et al., 2014, arXiv:1412.7449).

    Args:
      decoder_inputs: Inputs of each step, [batch, size].
      initial_state: State before the first step.
      attention_states: What is attended to, [batch, places, size].
      cell: An `RNNCell`.
      output_size: Size of the outputs; that of the cell's if None.
      num_heads: How often it attends, with weights of its own each time.
      loop_function: See `rnn_decoder`.
      dtype: Element type of the first attention.
      scope: Variable scope; "attention_decoder" by default.
      initial_state_attention: Whether the first attention is that of the initial state, not zero.

    Returns:
      The outputs of each step in a list, and the last state.

    Raises:
      ValueError: There are no inputs or no heads, or a size is not known.
    """
    if not decoder_inputs:
        raise ValueError("Must provide at least 1 input to attention decoder.")
    if num_heads < 1:
        raise ValueError("With less than 1 heads, use a non-attention decoder.")
    if dimension_value(attention_states.shape[2]) is None:
        raise ValueError(f"Shape[2] of attention_states must be known: {attention_states.shape}")
    if output_size is None:
        output_size = cell.output_size
    with variable_scope(scope or "attention_decoder", dtype=dtype) as entered:
        heads = _Heads(attention_states, num_heads)
        state, outputs, last = initial_state, [], None
        attentions = heads.none(shape(decoder_inputs[0])[0], entered.dtype)
        if initial_state_attention:
            attentions = heads.attend(initial_state)
        for index, each in enumerate(decoder_inputs):
            if index > 0:
                get_variable_scope().reuse_variables()
            if loop_function is not None and last is not None:
                with variable_scope("loop_function", reuse=True):
                    each = loop_function(last, index)
            size = dimension_value(each.shape.with_rank(2)[1])
            if size is None:
                raise ValueError(f"Could not infer input size from input: {each.name}")
            seen = linear([cast(each, entered.dtype), *attentions], size, True)
            output, state = cell(seen, state)
            if index == 0 and initial_state_attention:
                with variable_scope(get_variable_scope(), reuse=True):
                    attentions = heads.attend(state)
            else:
                attentions = heads.attend(state)
            with variable_scope("AttnOutputProjection"):
                last = linear([cast(output, entered.dtype), *attentions], output_size, True)
            outputs.append(last)
    return outputs, state


class _Heads:
    """What attends to an encoder's outputs, whose variables are made where the object is."""

    def __init__(self, states: Tensor, count: int) -> None:
        self._size = dimension_value(states.shape[2])
        self._length = dimension_value(states.shape[1]) or shape(states)[1]
        self._hidden = reshape(states, [-1, self._length, 1, self._size])
        self._heads = []
        for head in range(count):
            kernel = get_variable(f"AttnW_{head}", [1, 1, self._size, self._size])
            features = conv2d(self._hidden, kernel, [1, 1, 1, 1], "SAME")
            self._heads.append((features, get_variable(f"AttnV_{head}", [self._size])))

    def none(self, batch: Any, dtype: Any) -> list[Any]:
        """What is seen before the first step."""
        found = [zeros(stack([batch, self._size]), dtype=dtype) for _ in self._heads]
        for each in found:
            each.set_shape([None, self._size])
        return found

    def attend(self, state: Any) -> list[Any]:
        """What each head sees, [batch, size]."""
        query = concat(nest.flatten(state), 1) if nest.is_nested(state) else state
        found = []
        for head, (features, v) in enumerate(self._heads):
            with variable_scope(f"Attention_{head}"):
                y = reshape(linear(query, self._size, True), [-1, 1, 1, self._size])
                scores = reduce_sum(v * tanh(features + y), [2, 3])
                weights = reshape(softmax(scores), [-1, self._length, 1, 1])
                seen = reduce_sum(weights * self._hidden, [1, 2])
                found.append(reshape(seen, [-1, self._size]))
        return found


def embedding_attention_decoder(
    decoder_inputs: Any,
    initial_state: Any,
    attention_states: Any,
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_size: int | None = None,
    output_projection: Any = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> tuple[list[Any], Any]:
    """`attention_decoder` of tokens.

    Args:
      decoder_inputs: Tokens of each step, int32 [batch].
      initial_state: State before the first step.
      attention_states: What is attended to, [batch, places, size].
      cell: An `RNNCell`.
      num_symbols: Number of tokens.
      embedding_size: Size of a token's vector.
      num_heads: See `attention_decoder`.
      output_size: See above.
      output_projection: Weights and bias that make logits of outputs; None if outputs are logits.
      feed_previous: Whether each input but the first is the likeliest token of the last output.
      update_embedding_for_previous: Whether vectors of such tokens are trained.
      dtype: Element type of the first attention.
      scope: Variable scope; "embedding_attention_decoder" by default.
      initial_state_attention: See `attention_decoder`.

    Returns:
      The outputs of each step in a list, and the last state.

    Raises:
      ValueError: The projection does not make logits; see above.
    """
    if output_size is None:
        output_size = cell.output_size
    with variable_scope(scope or "embedding_attention_decoder", dtype=dtype) as entered:
        check_projection(output_projection, output_size, num_symbols, entered.dtype)
        embedding = get_variable("embedding", [num_symbols, embedding_size])
        loop_function = None
        if feed_previous:
            loop_function = likeliest_embedded(
                embedding, output_projection, update_embedding_for_previous
            )
        return attention_decoder(
            [embedding_lookup(embedding, each) for each in decoder_inputs],
            initial_state,
            attention_states,
            cell,
            output_size=output_size,
            num_heads=num_heads,
            loop_function=loop_function,
            initial_state_attention=initial_state_attention,
        )


def embedding_attention_seq2seq(
    encoder_inputs: Any,
    decoder_inputs: Any,
    cell: Any,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_projection: Any = None,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> tuple[Any, Any]:
    """`embedding_rnn_seq2seq` whose decoder attends to the encoder's outputs.

    Args:
      encoder_inputs: Tokens of each step, int32 [batch].
      decoder_inputs: The same for the decoder.
      cell: An `RNNCell`.
      num_encoder_symbols: Number of the encoder's tokens.
      num_decoder_symbols: Number of the decoder's tokens.
      embedding_size: Size of a token's vector.
      num_heads: See `attention_decoder`.
      output_projection: Weights and bias that make logits of outputs; if None, outputs are logits.
      feed_previous: See `embedding_rnn_seq2seq`.
      dtype: Element type of the state.
      scope: Variable scope; "embedding_attention_seq2seq" by default.
      initial_state_attention: See `attention_decoder`.

    Returns:
      The decoder's outputs in a list, and its last state.
    """
    with variable_scope(scope or "embedding_attention_seq2seq", dtype=dtype) as entered:
        encoder = EmbeddingWrapper(copy.deepcopy(cell), num_encoder_symbols, embedding_size)
        encoded, state = static_rnn(encoder, encoder_inputs, dtype=entered.dtype)
        places = concat([reshape(each, [-1, 1, cell.output_size]) for each in encoded], 1)
        output_size = None
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)
            output_size = num_decoder_symbols

        def decode(feeds: bool, updates: bool = False) -> Any:
            return embedding_attention_decoder(
                decoder_inputs,
                state,
                places,
                cell,
                num_decoder_symbols,
                embedding_size,
                num_heads=num_heads,
                output_size=output_size,
                output_projection=output_projection,
                feed_previous=feeds,
                update_embedding_for_previous=updates,
                initial_state_attention=initial_state_attention,
            )

        if isinstance(feed_previous, bool):
            return decode(feed_previous, True)  # type: ignore[no-any-return]
        return fed_if(feed_previous, decode, len(decoder_inputs))
