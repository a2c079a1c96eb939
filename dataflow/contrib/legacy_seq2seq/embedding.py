"""Encoders and decoders over lists of tokens, without attention."""

from __future__ import annotations

import copy
from typing import Any

from dataflow.contrib.legacy_seq2seq.decoding import (
    check_projection,
    fed_if,
    likeliest_embedded,
    rnn_decoder,
    tied_rnn_seq2seq,
)
from dataflow.contrib.rnn.wrapping import EmbeddingWrapper, OutputProjectionWrapper
from dataflow.library.embedding import embedding_lookup
from dataflow.library.rnn.static import static_rnn
from dataflow.variables.scope import get_variable, variable_scope


def embedding_rnn_decoder(
    decoder_inputs: Any,
    initial_state: Any,
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    output_projection: Any = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """`rnn_decoder` of tokens.

    Args:
      decoder_inputs: Tokens of each step, int32 [batch].
      initial_state: State before the first step.
      cell: An `RNNCell`.
      num_symbols: Number of tokens.
      embedding_size: Size of a token's vector.
      output_projection: Weights and bias that make logits of outputs; None if outputs are logits.
      feed_previous: Whether each input but the first is the likeliest token of the last output.
      update_embedding_for_previous: Whether vectors of such tokens are trained.
      scope: Variable scope; "embedding_rnn_decoder" by default.

    Returns:
      The outputs of each step in a list, and the last state.

    Raises:
      ValueError: The projection does not make logits.
    """
    with variable_scope(scope or "embedding_rnn_decoder") as entered:
        check_projection(output_projection, None, num_symbols, entered.dtype)
        embedding = get_variable("embedding", [num_symbols, embedding_size])
        loop_function = None
        if feed_previous:
            loop_function = likeliest_embedded(
                embedding, output_projection, update_embedding_for_previous
            )
        embedded = (embedding_lookup(embedding, each) for each in decoder_inputs)
        return rnn_decoder(embedded, initial_state, cell, loop_function=loop_function)


def embedding_rnn_seq2seq(
    encoder_inputs: Any,
    decoder_inputs: Any,
    cell: Any,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    output_projection: Any = None,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
) -> tuple[Any, Any]:
    """`basic_rnn_seq2seq` of tokens.

    Args:
      encoder_inputs: Tokens of each step, int32 [batch].
      decoder_inputs: The same for the decoder.
      cell: An `RNNCell`.
      num_encoder_symbols: Number of the encoder's tokens.
      num_decoder_symbols: Number of the decoder's tokens.
      embedding_size: Size of a token's vector.
      output_projection: Weights and bias that make logits of outputs; if None, outputs are logits.
      feed_previous: A boolean or a boolean scalar: whether each input of the decoder but the first
        is the likeliest token of its last output.
      dtype: Element type of the state.
      scope: Variable scope; "embedding_rnn_seq2seq" by default.

    Returns:
      The decoder's outputs in a list, and its last state.
    """
    with variable_scope(scope or "embedding_rnn_seq2seq") as entered:
        if dtype is not None:
            entered.set_dtype(dtype)
        encoder = EmbeddingWrapper(copy.deepcopy(cell), num_encoder_symbols, embedding_size)
        _, state = static_rnn(encoder, encoder_inputs, dtype=entered.dtype)
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)

        def decode(feeds: bool, updates: bool = False) -> Any:
            return embedding_rnn_decoder(
                decoder_inputs,
                state,
                cell,
                num_decoder_symbols,
                embedding_size,
                output_projection=output_projection,
                feed_previous=feeds,
                update_embedding_for_previous=updates,
            )

        if isinstance(feed_previous, bool):
            return decode(feed_previous, True)  # type: ignore[no-any-return]
        return fed_if(feed_previous, decode, len(decoder_inputs))


def embedding_tied_rnn_seq2seq(
    encoder_inputs: Any,
    decoder_inputs: Any,
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    num_decoder_symbols: int | None = None,
    output_projection: Any = None,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
) -> tuple[Any, Any]:
    """`tied_rnn_seq2seq` of tokens, whose vectors are shared, too.

    Args:
      encoder_inputs: Tokens of each step, int32 [batch].
      decoder_inputs: The same for the decoder.
      cell: An `RNNCell`.
      num_symbols: Number of tokens.
      embedding_size: Size of a token's vector.
      num_decoder_symbols: Number of tokens that the decoder may say; all of them if None.
      output_projection: Weights and bias that make logits of outputs; if None, outputs are logits.
      feed_previous: See `embedding_rnn_seq2seq`.
      dtype: Element type of the state.
      scope: Variable scope; "embedding_tied_rnn_seq2seq" by default.

    Returns:
      The decoder's outputs in a list, and its last state.

    Raises:
      ValueError: The projection does not make logits.
    """
    with variable_scope(scope or "embedding_tied_rnn_seq2seq", dtype=dtype) as entered:
        check_projection(output_projection, None, num_symbols, entered.dtype)
        embedding = get_variable("embedding", [num_symbols, embedding_size], dtype=entered.dtype)
        of_encoder = [embedding_lookup(embedding, each) for each in encoder_inputs]
        of_decoder = [embedding_lookup(embedding, each) for each in decoder_inputs]
        if output_projection is None:
            said = num_symbols if num_decoder_symbols is None else num_decoder_symbols
            cell = OutputProjectionWrapper(cell, said)

        def decode(feeds: bool, updates: bool = False) -> Any:
            loop_function = (
                likeliest_embedded(embedding, output_projection, updates) if feeds else None
            )
            return tied_rnn_seq2seq(
                of_encoder, of_decoder, cell, loop_function=loop_function, dtype=entered.dtype
            )

        if isinstance(feed_previous, bool):
            return decode(feed_previous, True)  # type: ignore[no-any-return]
        return fed_if(feed_previous, decode, len(decoder_inputs))


def one2many_rnn_seq2seq(
    encoder_inputs: Any,
    decoder_inputs_dict: Any,
    enc_cell: Any,
    dec_cells_dict: Any,
    num_encoder_symbols: int,
    num_decoder_symbols_dict: Any,
    embedding_size: int,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """An encoder, and several decoders that begin with its state.

    Args:
      encoder_inputs: Tokens of each step, int32 [batch].
      decoder_inputs_dict: Name of a decoder -> its tokens of each step.
      enc_cell: The encoder's cell.
      dec_cells_dict: Name of a decoder -> its cell.
      num_encoder_symbols: Number of the encoder's tokens.
      num_decoder_symbols_dict: Name of a decoder -> number of its tokens.
      embedding_size: Size of a token's vector.
      feed_previous: See `embedding_rnn_seq2seq`.
      dtype: Element type of the state.
      scope: Variable scope; "one2many_rnn_seq2seq" by default.

    Returns:
      Name of a decoder -> its outputs in a list, and name -> its last state.
    """
    outputs, states = {}, {}
    with variable_scope(scope or "one2many_rnn_seq2seq", dtype=dtype) as entered:
        encoder = EmbeddingWrapper(enc_cell, num_encoder_symbols, embedding_size)
        _, state = static_rnn(encoder, encoder_inputs, dtype=entered.dtype)
        for name, inputs in decoder_inputs_dict.items():
            symbols = num_decoder_symbols_dict[name]
            with variable_scope(f"one2many_decoder_{name}"):
                cell = OutputProjectionWrapper(dec_cells_dict[name], symbols)

                def decode(
                    feeds: bool,
                    updates: bool = False,
                    inputs: Any = inputs,
                    cell: Any = cell,
                    symbols: int = symbols,
                ) -> Any:
                    return embedding_rnn_decoder(
                        inputs,
                        state,
                        cell,
                        symbols,
                        embedding_size,
                        feed_previous=feeds,
                        update_embedding_for_previous=updates,
                    )

                if isinstance(feed_previous, bool):
                    outputs[name], states[name] = decode(feed_previous, True)
                else:
                    outputs[name], states[name] = fed_if(feed_previous, decode, len(inputs))
    return outputs, states
