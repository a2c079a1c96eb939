"""Encoders and decoders over lists of inputs, without attention."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from dataflow.control_flow.cond import cond
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.variable_scope_object import get_variable_scope
from dataflow.library.embedding import embedding_lookup
from dataflow.library.rnn.static import static_rnn
from dataflow.ops.basic.identity import stop_gradient
from dataflow.ops.nn.bias import xw_plus_b
from dataflow.ops.reductions.arg import argmax
from dataflow.values import dtypes, nest
from dataflow.variables.scope import variable_scope


def rnn_decoder(
    decoder_inputs: Any, initial_state: Any, cell: Any, loop_function: Any = None, scope: Any = None
) -> tuple[list[Any], Any]:
    """Runs a cell over a list of inputs, or over what is made of its own outputs.

    Args:
      decoder_inputs: Inputs of each step, [batch, size].
      initial_state: State before the first step.
      cell: An `RNNCell`.
      loop_function: Of the last output and the number of the step, makes the input in place of that
        given, but for the first; None to take those given.
      scope: Variable scope; "rnn_decoder" by default.

    Returns:
      The outputs of each step in a list, and the last state.
    """
    with variable_scope(scope or "rnn_decoder"):
        state, outputs, last = initial_state, [], None
        for index, each in enumerate(decoder_inputs):
            if loop_function is not None and last is not None:
                with variable_scope("loop_function", reuse=True):
                    each = loop_function(last, index)
            if index > 0:
                get_variable_scope().reuse_variables()
            last, state = cell(each, state)
            outputs.append(last)
    return outputs, state


def basic_rnn_seq2seq(
    encoder_inputs: Any,
    decoder_inputs: Any,
    cell: Any,
    dtype: Any = dtypes.float32,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """An encoder, and a decoder of its own weights that begins with the encoder's state.

    Args:
      encoder_inputs: Inputs of each step, [batch, size].
      decoder_inputs: The same for the decoder.
      cell: An `RNNCell`; the encoder has a copy.
      dtype: Element type of the state.
      scope: Variable scope; "basic_rnn_seq2seq" by default.

    Returns:
      The decoder's outputs in a list, and its last state.
    """
    with variable_scope(scope or "basic_rnn_seq2seq"):
        _, state = static_rnn(copy.deepcopy(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


def tied_rnn_seq2seq(
    encoder_inputs: Any,
    decoder_inputs: Any,
    cell: Any,
    loop_function: Any = None,
    dtype: Any = dtypes.float32,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """`basic_rnn_seq2seq` whose encoder and decoder have the same weights.

    Args:
      encoder_inputs: Inputs of each step, [batch, size].
      decoder_inputs: The same for the decoder.
      cell: An `RNNCell`.
      loop_function: See `rnn_decoder`.
      dtype: Element type of the state.
      scope: Variable scope; "tied_rnn_seq2seq" by default.

    Returns:
      The decoder's outputs in a list, and its last state.
    """
    with variable_scope("combined_tied_rnn_seq2seq"):
        scope = scope or "tied_rnn_seq2seq"
        _, state = static_rnn(cell, encoder_inputs, dtype=dtype, scope=scope)
        get_variable_scope().reuse_variables()
        return rnn_decoder(decoder_inputs, state, cell, loop_function=loop_function, scope=scope)


def likeliest_embedded(
    embedding: Any, output_projection: Any = None, update_embedding: bool = True
) -> Callable[[Any, int], Any]:
    """A loop function: the vector of the likeliest token.

    Args:
      embedding: Vectors of the tokens.
      output_projection: Weights and bias that make logits of outputs; None if outputs are logits.
      update_embedding: Whether the vectors are trained by it.
    """

    def loop_function(last: Any, _: int) -> Any:
        if output_projection is not None:
            last = xw_plus_b(last, output_projection[0], output_projection[1])
        embedded = embedding_lookup(embedding, argmax(last, 1))
        return embedded if update_embedding else stop_gradient(embedded)

    return loop_function


def check_projection(projection: Any, rows: Any, symbols: int, dtype: Any) -> None:
    """Fails unless weights and bias of a projection, if there is one, make that many logits.

    Raises:
      ValueError: They have other shapes.
    """
    if projection is None:
        return
    weights = convert_to_tensor(projection[0], dtype=dtype)
    weights.shape.assert_is_compatible_with([rows, symbols])
    biases = convert_to_tensor(projection[1], dtype=dtype)
    biases.shape.assert_is_compatible_with([symbols])


def fed_if(feed_previous: Any, decode: Callable[[bool], Any], steps: int) -> tuple[Any, Any]:
    """What a decoder gives, which feeds itself if a boolean tensor says so.

    Args:
      feed_previous: Boolean scalar.
      decode: Of whether it feeds itself, returns outputs and state.
      steps: Number of outputs.
    """
    structure: Any = None

    def flat(feeds: bool) -> list[Any]:
        nonlocal structure
        with variable_scope(get_variable_scope(), reuse=None if feeds else True):
            outputs, structure = decode(feeds)
        return [*outputs, *nest.flatten(structure)]

    found = cond(feed_previous, lambda: flat(True), lambda: flat(False))
    state = found[steps:]
    packed = nest.pack_sequence_as(structure, state) if nest.is_nested(structure) else state[0]
    return found[:steps], packed
