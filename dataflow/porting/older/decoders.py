"""Decoders as functions, which tf.contrib.seq2seq had in TensorFlow 1.0 and 1.1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.contrib.layers import linear
from dataflow.control_flow.cond import cond
from dataflow.control_flow.tensor_array import TensorArray
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.graph.variable_scope_object import get_variable_scope
from dataflow.library.rnn.lstm import LSTMStateTuple
from dataflow.library.rnn.raw import raw_rnn
from dataflow.ops.array.concat import concat
from dataflow.ops.array.fill import fill, ones, zeros, zeros_like
from dataflow.ops.array.gather import gather
from dataflow.ops.array.shape import expand_dims, reshape, shape
from dataflow.ops.array.transpose import transpose
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.identity import identity
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.math.compare import equal, greater
from dataflow.ops.math.trig import tanh
from dataflow.ops.nn.softmax import softmax
from dataflow.ops.reductions.arg import argmax
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.values import dtypes, nest
from dataflow.values.shapes import dimension_value
from dataflow.variables.scope import get_variable, variable_scope

DecoderFn = Callable[[Any, Any, Any, Any, Any], tuple[Any, Any, Any, Any, Any]]
"""Of the time, the cell's state, its next input, its output and a state of one's own; gives which
examples have ended, or None, and the four as they go on."""


def dynamic_rnn_decoder(
    cell: Any,
    decoder_fn: DecoderFn,
    inputs: Any = None,
    sequence_length: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Any, Any]:
    """Runs a cell whose inputs and outputs a function decides about.

    Args:
      cell: The cell.
      decoder_fn: The function.
      inputs: For training, [batch, time, depth]: what the function is given as the next inputs.
        None if it makes them itself.
      sequence_length: How many steps each example takes, if the function says None of it; all
        that there are if None.
      parallel_iterations: Of the loop.
      swap_memory: Of the loop.
      time_major: Whether inputs and outputs have the time first.
      scope: Variable scope of the cell.
      name: Name scope; "dynamic_rnn_decoder" if None.

    Returns:
      The outputs, the cell's last state and the function's last state.

    Raises:
      ValueError: The inputs have less than three dimensions or no known depth, or the lengths are
        no vector.
    """
    with name_scope(name, "dynamic_rnn_decoder"):
        if sequence_length is not None:
            sequence_length = cast(sequence_length, dtypes.int32)
            if sequence_length.shape.rank not in (None, 1):
                raise ValueError(
                    "sequence_length must be a vector of length batch_size, but saw shape: "
                    f"{sequence_length.shape}"
                )
            sequence_length = identity(sequence_length, name="sequence_length")
        given = None if inputs is None else _Inputs(convert_to_tensor(inputs), time_major)
        if given is not None and sequence_length is None:
            sequence_length = fill([given.batch], given.max_time)

        def next_step(time: Any, output: Any, state: Any, loop_state: Any) -> tuple[Any, ...]:
            own = loop_state[1] if isinstance(loop_state, tuple) else None
            following = None if given is None else given.at(time, is_first=state is None)
            done, state, following, output, own = decoder_fn(time, state, following, output, own)
            if done is None:
                done = time >= sequence_length
            return done, following, state, output, done if own is None else (done, own)

        outputs, last, loop_state = raw_rnn(
            cell, next_step, parallel_iterations, swap_memory, scope
        )
        stacked = outputs.stack()
        if not time_major:
            stacked = transpose(stacked, [1, 0, 2])
        return stacked, last, loop_state[1] if isinstance(loop_state, tuple) else None


class _Inputs:
    """Inputs step by step, and zeros behind them."""

    def __init__(self, inputs: Tensor, time_major: bool) -> None:
        if inputs.shape.rank is not None and inputs.shape.rank < 3:
            raise ValueError("Inputs must have at least three dimensions")
        if dimension_value(inputs.shape[-1]) is None:
            raise ValueError("Inputs must not be `None` in the feature (3'rd) dimension")
        if not time_major:
            inputs = transpose(inputs, [1, 0, 2])
        time, batch, self._depth = (dimension_value(size) for size in inputs.shape)
        self.max_time = shape(inputs)[0] if time is None else time
        self.batch = shape(inputs)[1] if batch is None else batch
        self._dtype = inputs.dtype
        self._steps = TensorArray(inputs.dtype, size=self.max_time).unstack(inputs)

    def at(self, time: Any, is_first: bool) -> Tensor:
        if is_first:
            first: Tensor = self._steps.read(0)
            return first
        found: Tensor = cond(
            equal(time, self.max_time),
            lambda: zeros([self.batch, self._depth], self._dtype),
            lambda: self._steps.read(time),
        )
        return found


def simple_decoder_fn_train(encoder_state: Any, name: str | None = None) -> DecoderFn:
    """A function for `dynamic_rnn_decoder` that begins with a state and takes the given inputs."""

    def decoder_fn(time: Any, state: Any, given: Any, output: Any, own: Any) -> Any:
        with name_scope(name, "simple_decoder_fn_train"):
            return None, encoder_state if state is None else state, given, output, own

    return decoder_fn


def simple_decoder_fn_inference(
    output_fn: Callable[[Any], Any] | None,
    encoder_state: Any,
    embeddings: Any,
    start_of_sequence_id: Any,
    end_of_sequence_id: Any,
    maximum_length: Any,
    num_decoder_symbols: Any,
    dtype: Any = dtypes.int32,
    name: str | None = None,
) -> DecoderFn:
    """A function for `dynamic_rnn_decoder` that goes on with the likeliest symbol.

    Args:
      output_fn: Makes logits of the cell's output; that itself if None.
      encoder_state: The state to begin with.
      embeddings: [symbols, depth].
      start_of_sequence_id: The symbol to begin with.
      end_of_sequence_id: The symbol that ends an example.
      maximum_length: After how many steps all end.
      num_decoder_symbols: How many symbols there are.
      dtype: Type of symbols.
      name: Name scope of its operations.
    """
    with name_scope(name, "simple_decoder_fn_inference"):
        greedy = _Greedy(
            output_fn,
            encoder_state,
            embeddings,
            [start_of_sequence_id, end_of_sequence_id, maximum_length, num_decoder_symbols],
            dtype,
        )

    def decoder_fn(time: Any, state: Any, given: Any, output: Any, own: Any) -> Any:
        with name_scope(name, "simple_decoder_fn_inference"):
            greedy.check(given)
            done, state, following, output = greedy.step(time, state, output)
            return done, state, following, output, own

    return decoder_fn


class _Greedy:
    """Decides what comes next by the likeliest symbol."""

    def __init__(
        self, output_fn: Any, encoder_state: Any, embeddings: Any, numbers: list[Any], dtype: Any
    ) -> None:
        self._start, self._end, self._most, self._count = (
            convert_to_tensor(number, dtype) for number in numbers
        )
        self._output_fn = output_fn or (lambda output: output)
        self._encoder_state = encoder_state
        self._embeddings = embeddings
        self._dtype = dtype
        first = nest.flatten(encoder_state)[0]
        batch = dimension_value(first.shape[0])
        self._batch = shape(first)[0] if batch is None else batch

    @staticmethod
    def check(given: Any) -> None:
        if given is not None:
            raise ValueError(f"Expected cell_input to be None, but saw: {given}")

    def step(self, time: Any, state: Any, output: Any) -> tuple[Any, Any, Any, Any]:
        if output is None:
            symbols = ones([self._batch], self._dtype) * self._start
            done = zeros([self._batch], dtypes.bool)
            state, output = self._encoder_state, zeros([self._count], dtypes.float32)
        else:
            output = self._output_fn(output)
            symbols = cast(argmax(output, 1), self._dtype)
            done = equal(symbols, self._end)
        following = gather(self._embeddings, symbols)
        ended = cond(
            greater(time, self._most), lambda: ones([self._batch], dtypes.bool), lambda: done
        )
        return ended, state, following, output


def attention_decoder_fn_train(
    encoder_state: Any,
    attention_keys: Any,
    attention_values: Any,
    attention_score_fn: Any,
    attention_construct_fn: Callable[..., Any],
    name: str | None = None,
) -> DecoderFn:
    """`simple_decoder_fn_train` with attention beside the inputs; see `prepare_attention`."""

    def decoder_fn(time: Any, state: Any, given: Any, output: Any, own: Any) -> Any:
        with name_scope(name, "attention_decoder_fn_train"):
            if state is None:
                state, attention = encoder_state, _no_attention(encoder_state)
            else:
                attention = attention_construct_fn(output, attention_keys, attention_values)
                output = attention
            return None, state, concat([given, attention], 1), output, own

    return decoder_fn


def attention_decoder_fn_inference(
    output_fn: Callable[[Any], Any] | None,
    encoder_state: Any,
    attention_keys: Any,
    attention_values: Any,
    attention_score_fn: Any,
    attention_construct_fn: Callable[..., Any],
    embeddings: Any,
    start_of_sequence_id: Any,
    end_of_sequence_id: Any,
    maximum_length: Any,
    num_decoder_symbols: Any,
    dtype: Any = dtypes.int32,
    name: str | None = None,
) -> DecoderFn:
    """`simple_decoder_fn_inference` with attention beside the inputs; see `prepare_attention`."""
    with name_scope(name, "attention_decoder_fn_inference"):
        greedy = _Greedy(
            output_fn,
            encoder_state,
            embeddings,
            [start_of_sequence_id, end_of_sequence_id, maximum_length, num_decoder_symbols],
            dtype,
        )

    def decoder_fn(time: Any, state: Any, given: Any, output: Any, own: Any) -> Any:
        with name_scope(name, "attention_decoder_fn_inference"):
            greedy.check(given)
            if output is None:
                attention = _no_attention(encoder_state)
            else:
                output = attention = attention_construct_fn(
                    output, attention_keys, attention_values
                )
            done, state, following, output = greedy.step(time, state, output)
            return done, state, concat([following, attention], 1), output, own

    return decoder_fn


def prepare_attention(
    attention_states: Tensor, attention_option: str, num_units: int, reuse: Any = False
) -> tuple[Tensor, Tensor, Callable[..., Tensor], Callable[..., Tensor]]:
    """What the functions with attention take: keys, values, and how to score and to combine.

    Args:
      attention_states: What is attended to, [batch, length, num_units].
      attention_option: "luong" or "bahdanau".
      num_units: Size of the cell's outputs.
      reuse: Whether the variables are shared.

    Raises:
      ValueError: While decoding, if the option is another.
    """
    with variable_scope("attention_keys", reuse=reuse) as scope:
        keys = linear(attention_states, num_units, biases_initializer=None, scope=scope)
    with variable_scope("attention_score", reuse=reuse):
        if attention_option == "bahdanau":
            query_weights = get_variable("attnW", [num_units, num_units], dtype=dtypes.float32)
            weights = get_variable("attnV", [num_units], dtype=dtypes.float32)

    def score(query: Any, keys: Any, values: Any) -> Tensor:
        if attention_option == "bahdanau":
            query = reshape(matmul(query, query_weights), [-1, 1, num_units])
            scores = reduce_sum(weights * tanh(keys + query), [2])
        elif attention_option == "luong":
            scores = reduce_sum(keys * reshape(query, [-1, 1, num_units]), [2])
        else:
            raise ValueError(f"Unknown attention option {attention_option}!")
        context = reduce_sum(expand_dims(softmax(scores), 2) * values, [1])
        context.set_shape([None, num_units])
        return context

    with variable_scope("attention_construct", reuse=reuse) as of_construct:

        def construct(query: Any, keys: Any, values: Any) -> Tensor:
            joined = concat([query, score(query, keys, values)], 1)
            # In TensorFlow 1.0 a scope that is entered again shares where the one around it does.
            shared = get_variable_scope().reuse or None
            made: Tensor = linear(
                joined, num_units, biases_initializer=None, reuse=shared, scope=of_construct
            )
            return made

    return keys, attention_states, score, construct


def _no_attention(encoder_state: Any) -> Tensor:
    top = encoder_state
    if isinstance(top, tuple) and not isinstance(top, LSTMStateTuple):
        top = top[-1]
    return zeros_like(top.h if isinstance(top, LSTMStateTuple) else top)
