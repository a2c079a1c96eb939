"""Encoders and decoders over lists, which train and sample side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph.scopes import name_scope
from dataflow.graph.variable_scope_object import get_variable_scope
from dataflow.library.rnn.static import static_rnn
from dataflow.ops.array.concat import stack, unstack
from dataflow.ops.array.fill import zeros
from dataflow.ops.array.shape import shape
from dataflow.ops.nn.losses import softmax_cross_entropy_with_logits
from dataflow.ops.nn.softmax import softmax
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.ops.reductions.sum import add_n
from dataflow.values import dtypes
from dataflow.variables.scope import variable_scope


def sequence_classifier(
    decoding: Sequence[Any],
    labels: Sequence[Any],
    sampling_decoding: Sequence[Any] | None = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Chances of classes step by step, and the sum of their cross entropies.

    Args:
      decoding: Logits of each step, [batch, classes].
      labels: Chances of each step, [batch, classes].
      sampling_decoding: Logits that the chances are taken of; `decoding` if None.
      name: Name scope.

    Returns:
      Chances, [batch, steps, classes], and the loss.
    """
    with name_scope(name, "sequence_classifier", [decoding, labels]):
        predictions, entropies = [], []
        for step, logits in enumerate(decoding):
            entropies.append(
                softmax_cross_entropy_with_logits(
                    labels=labels[step], logits=logits, name=f"sequence_loss/xent_raw{step}"
                )
            )
            predictions.append(softmax(sampling_decoding[step] if sampling_decoding else logits))
        loss = reduce_sum(add_n(entropies, name="sequence_loss/xent"), name="sequence_loss")
        return stack(predictions, axis=1), loss


def seq2seq_inputs(
    x: Any,
    y: Any,
    input_length: int,
    output_length: int,
    sentinel: Any = None,
    name: str | None = None,
) -> tuple[list[Any], list[Any], list[Any]]:
    """What an encoder reads, a decoder reads and a decoder shall give.

    Args:
      x: Inputs, [batch, steps, size].
      y: Outputs, [batch, steps, size].
      input_length: Taken for nothing: the steps of x.
      output_length: Taken for nothing: the steps of y.
      sentinel: What stands before the first and after the last output; zeros if None.
      name: Name scope.

    Returns:
      Lists of steps: the encoder's inputs, the decoder's (sentinel first), its outputs (last).
    """
    del input_length, output_length
    with name_scope(name, "seq2seq_inputs", [x, y]):
        inputs, outputs = unstack(x, axis=1), unstack(y, axis=1)
        if sentinel is None:
            sentinel = zeros(stack([shape(x)[0], outputs[0].shape[1]]))
            sentinel.set_shape(outputs[0].shape)
        return inputs, [sentinel, *outputs], [*outputs, sentinel]


def rnn_decoder(
    decoder_inputs: Sequence[Any], initial_state: Any, cell: Any, scope: Any = None
) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
    """A decoder twice, with the same variables: once it reads inputs, once what it gave before.

    Args:
      decoder_inputs: Inputs of each step of the training.
      initial_state: State before the first step.
      cell: An `RNNCell`.
      scope: Variable scope; "dnn_decoder" by default.

    Returns:
      Outputs and states of the training, outputs and states of the sampling. States begin with
      the initial one.
    """
    with variable_scope(scope or "dnn_decoder"):
        outputs: list[Any] = []
        states: list[Any] = [initial_state]
        with name_scope("training", values=[decoder_inputs, initial_state]):
            for step, given in enumerate(decoder_inputs):
                if step:
                    get_variable_scope().reuse_variables()
                output, state = cell(given, states[-1])
                outputs.append(output)
                states.append(state)
        # Its first step would be the training's, whose state it takes over as TensorFlow does.
        sampled = outputs[:1]
        sampled_states = [initial_state, *states[: len(sampled)]]
        with name_scope("sampling", values=[initial_state]):
            for _ in decoder_inputs[1:]:
                output, state = cell(sampled[-1], sampled_states[-1])
                sampled.append(output)
                sampled_states.append(state)
    return outputs, states, sampled, sampled_states


def rnn_seq2seq(
    encoder_inputs: Sequence[Any],
    decoder_inputs: Sequence[Any],
    encoder_cell: Any,
    decoder_cell: Any = None,
    dtype: Any = dtypes.float32,
    scope: Any = None,
) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
    """`rnn_decoder` that begins with an encoder's last state.

    Args:
      encoder_inputs: Inputs of each step, [batch, size].
      decoder_inputs: See `rnn_decoder`.
      encoder_cell: An `RNNCell`.
      decoder_cell: Another; the encoder's if None.
      dtype: Element type of the first state.
      scope: Variable scope; "rnn_seq2seq" by default.
    """
    with variable_scope(scope or "rnn_seq2seq"):
        _, state = static_rnn(encoder_cell, encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, decoder_cell or encoder_cell)
