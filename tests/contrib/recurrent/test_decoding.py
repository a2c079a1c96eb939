"""dynamic_decode with the helpers, against loops in numpy."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import seq2seq
from tests.contrib.recurrent.arrays import fixed_weights, ints, run, values

BATCH, TIME, SIZE, UNITS, TOKENS = 3, 5, 4, 4, 6
LENGTHS = ints([5, 2, 3])


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        tf.get_variable_scope().set_initializer(fixed_weights())
        yield made


def steps(inputs: Any, weights: dict[str, Any], state: Any) -> tuple[Any, Any]:
    """Outputs [batch, time, units] and states of a BasicRNNCell behind each step."""
    kernel = weights["decoder/basic_rnn_cell/kernel"]
    outputs = []
    for time in range(inputs.shape[1]):
        state = np.tanh(np.concatenate([inputs[:, time], state], 1) @ kernel)
        outputs.append(state)
    return np.stack(outputs, 1), outputs


def decoder(helper: Any, layer: Any = None, units: int = UNITS) -> Any:
    cell = tf.nn.rnn_cell.BasicRNNCell(units)
    state = cell.zero_state(BATCH, tf.float32)
    return seq2seq.BasicDecoder(cell, helper, state, layer)


@pytest.mark.parametrize("impute", [False, True])
@pytest.mark.parametrize("time_major", [False, True])
def test_training(impute: bool, time_major: bool) -> None:
    x = values(BATCH, TIME, SIZE)
    fed = x.transpose(1, 0, 2) if time_major else x
    helper = seq2seq.TrainingHelper(fed, LENGTHS, time_major=time_major)
    (output, state, lengths), weights = run(
        *seq2seq.dynamic_decode(
            decoder(helper), impute_finished=impute, output_time_major=time_major
        )
    )
    expected, states = steps(
        x * (np.arange(TIME) < TIME)[None, :, None], weights, np.zeros([BATCH, UNITS])
    )
    np.testing.assert_array_equal(lengths, LENGTHS)
    got = output.rnn_output.transpose(1, 0, 2) if time_major else output.rnn_output
    ids = output.sample_id.T if time_major else output.sample_id
    for row, length in enumerate(LENGTHS):
        np.testing.assert_allclose(got[row, :length], expected[row, :length], rtol=1e-5)
        np.testing.assert_array_equal(ids[row, :length], expected[row, :length].argmax(-1))
        if impute:
            assert not got[row, length:].any() and not ids[row, length:].any()
            np.testing.assert_allclose(state[row], states[length - 1][row], rtol=1e-5)


def test_limits() -> None:
    helper = seq2seq.TrainingHelper(values(BATCH, TIME, SIZE), LENGTHS)
    most = tf.placeholder(tf.int32, [])
    output, _, lengths = seq2seq.dynamic_decode(decoder(helper), maximum_iterations=most)
    assert output.rnn_output.shape.as_list() == [BATCH, None, UNITS]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for limit in (0, 1, 3, 9):
            got, ends = session.run([output.rnn_output, lengths], {most: limit})
            assert got.shape == (BATCH, min(limit, TIME), UNITS)
            np.testing.assert_array_equal(ends, np.minimum(LENGTHS, limit))


def test_greedy_and_layer() -> None:
    table = values(TOKENS, SIZE, seed=1)
    helper = seq2seq.GreedyEmbeddingHelper(tf.constant(table), [1, 2, 3], 0)
    layer = tf.layers.Dense(TOKENS, use_bias=False)
    (output, _, lengths), weights = run(
        *seq2seq.dynamic_decode(decoder(helper, layer), maximum_iterations=7)
    )
    kernel, dense = weights["decoder/basic_rnn_cell/kernel"], weights["decoder/dense/kernel"]
    tokens, state, ended = np.array([1, 2, 3]), np.zeros([BATCH, UNITS]), np.zeros(BATCH, bool)
    expected = np.zeros(BATCH, int)
    for time in range(output.sample_id.shape[1]):
        state = np.tanh(np.concatenate([table[tokens], state], 1) @ kernel)
        tokens = (state @ dense).argmax(-1)
        np.testing.assert_array_equal(output.sample_id[:, time], tokens)
        np.testing.assert_allclose(output.rnn_output[:, time], state @ dense, rtol=1e-4)
        expected[~ended] = time + 1
        ended |= tokens == 0
    np.testing.assert_array_equal(lengths, expected)


class Shown(NamedTuple):
    rnn_input: Any
    rnn_output: Any


class ShowingDecoder(seq2seq.BasicDecoder):
    """A program's own decoder, which gives each step's inputs as well."""

    @property
    def output_size(self) -> Any:
        return Shown(tf.TensorShape([SIZE]), self._rnn_output_size())

    @property
    def output_dtype(self) -> Any:
        return Shown(tf.float32, tf.float32)

    def step(self, time: Any, inputs: Any, state: Any, name: Any = None) -> Any:
        outputs, *rest = super().step(time, inputs, state, name)
        return (Shown(inputs, outputs.rnn_output), *rest)


def test_decoder_of_a_program() -> None:
    x = values(BATCH, TIME, SIZE)
    cell, layer = tf.nn.rnn_cell.BasicRNNCell(UNITS), tf.layers.Dense(TOKENS)
    helper = seq2seq.TrainingHelper(x, [TIME] * BATCH)
    made = ShowingDecoder(cell, helper, cell.zero_state(BATCH, tf.float32), layer)
    (output, _, _), _ = run(*seq2seq.dynamic_decode(made))
    np.testing.assert_array_equal(output.rnn_input, x)
    assert output.rnn_output.shape == (BATCH, TIME, TOKENS)


def test_samples_are_drawn() -> None:
    def logits(tokens: Any) -> Any:
        return tf.one_hot(tokens, TOKENS)

    draws = []
    for temperature in (0.01, None):
        helper = seq2seq.SampleEmbeddingHelper(
            logits, tf.fill([BATCH], 2), 0, softmax_temperature=temperature, seed=3
        )
        sampled = helper.sample(0, tf.constant([[0.0, 1, 2, 0, 0, 0]] * BATCH), ())
        with tf.Session() as session:
            draws.append({tuple(session.run(sampled)) for _ in range(20)})
    assert draws[0] == {(2, 2, 2)} and len(draws[1]) > 5


def test_inference_and_custom_helpers() -> None:
    start = values(BATCH, UNITS)
    inference = seq2seq.InferenceHelper(
        sample_fn=lambda outputs: outputs * 2,
        sample_shape=[UNITS],
        sample_dtype=tf.float32,
        start_inputs=start,
        end_fn=lambda sample: tf.fill([BATCH], False),
        next_inputs_fn=lambda sample: sample / 2,
    )
    custom = seq2seq.CustomHelper(
        initialize_fn=lambda: (tf.fill([BATCH], False), tf.constant(start)),
        sample_fn=lambda time, outputs, state: outputs * 2,
        next_inputs_fn=lambda time, outputs, state, sample_ids: (
            tf.fill([BATCH], time >= 3),
            sample_ids / 2,
            state,
        ),
        sample_ids_shape=[UNITS],
        sample_ids_dtype=tf.float32,
    )
    with pytest.raises(ValueError, match="batch_size accessed before initialize"):
        _ = custom.batch_size
    first = seq2seq.dynamic_decode(decoder(inference), maximum_iterations=4)
    with tf.variable_scope("", reuse=True):
        second = seq2seq.dynamic_decode(decoder(custom))
    (one, two), weights = run(first[0], second[0])
    kernel, x, state = weights["decoder/basic_rnn_cell/kernel"], start, np.zeros([BATCH, UNITS])
    for time in range(4):
        x = state = np.tanh(np.concatenate([x, state], 1) @ kernel)
        for output in (one, two):
            np.testing.assert_allclose(output.rnn_output[:, time], state, rtol=1e-5)
            np.testing.assert_allclose(output.sample_id[:, time], 2 * state, rtol=1e-5)


@pytest.mark.parametrize("probability", [0.0, 1.0])
def test_scheduled_embedding(probability: float) -> None:
    x, table = values(BATCH, TIME, SIZE), values(UNITS, SIZE, seed=1)
    helper = seq2seq.ScheduledEmbeddingTrainingHelper(
        x, LENGTHS, tf.constant(table), probability, seed=1, scheduling_seed=2
    )
    (output,), weights = run(seq2seq.dynamic_decode(decoder(helper))[0])
    kernel, state, seen = weights["decoder/basic_rnn_cell/kernel"], 0 * x[:, 0], x[:, 0]
    for time in range(TIME):
        state = np.tanh(np.concatenate([seen, state], 1) @ kernel)
        np.testing.assert_allclose(output.rnn_output[:, time], state, rtol=1e-4)
        ids = output.sample_id[:, time]
        assert (ids == -1).all() if probability == 0 else (ids >= 0).all()
        if time + 1 < TIME:
            seen = x[:, time + 1] if probability == 0 else table[ids]


@pytest.mark.parametrize("probability", [0.0, 1.0])
@pytest.mark.parametrize("auxiliary", [False, True])
@pytest.mark.parametrize("with_layer", [False, True])
def test_scheduled_output(probability: float, auxiliary: bool, with_layer: bool) -> None:
    x, more = values(BATCH, TIME, UNITS), values(BATCH, TIME, 2, seed=7)
    helper = seq2seq.ScheduledOutputTrainingHelper(
        x,
        LENGTHS,
        probability,
        next_inputs_fn=(lambda outputs: outputs * 3) if with_layer else None,
        auxiliary_inputs=more if auxiliary else None,
    )
    (output,), weights = run(seq2seq.dynamic_decode(decoder(helper))[0])
    kernel, state = weights["decoder/basic_rnn_cell/kernel"], np.zeros([BATCH, UNITS])
    for time in range(TIME):
        seen = x[:, time]
        if time and probability:
            seen = state * 3 if with_layer else state
        if auxiliary:
            seen = np.concatenate([seen, more[:, time]], 1)
        state = np.tanh(np.concatenate([seen, state], 1) @ kernel)
        np.testing.assert_allclose(output.rnn_output[:, time], state, rtol=1e-4)
        assert (output.sample_id[:, time] == probability).all()


def test_errors() -> None:
    helper = seq2seq.TrainingHelper(values(BATCH, TIME, SIZE), LENGTHS)
    cell = tf.nn.rnn_cell.BasicRNNCell(UNITS)
    with pytest.raises(TypeError, match="Expected decoder to be type Decoder"):
        seq2seq.dynamic_decode(cell)
    with pytest.raises(TypeError, match="helper must be a Helper, received"):
        seq2seq.BasicDecoder(cell, cell, ())
    with pytest.raises(TypeError, match="output_layer must be a Layer, received"):
        seq2seq.BasicDecoder(cell, helper, (), lambda x: x)
    with pytest.raises(ValueError, match="maximum_iterations must be a scalar"):
        seq2seq.dynamic_decode(decoder(helper), maximum_iterations=[3])
    with pytest.raises(ValueError, match="Expected sequence_length to be a vector"):
        seq2seq.TrainingHelper(values(BATCH, TIME, SIZE), 3)
    with pytest.raises(ValueError, match="start_tokens must be a vector"):
        seq2seq.GreedyEmbeddingHelper(values(3, 2), 3, 0)
    with pytest.raises(ValueError, match="end_token must be a scalar"):
        seq2seq.GreedyEmbeddingHelper(values(3, 2), [3], [0])
    with pytest.raises(ValueError, match="must be either a scalar or a vector"):
        seq2seq.ScheduledOutputTrainingHelper(values(3, 2, 2), [2, 2, 2], [[0.5]])


def losses(logits: Any, targets: Any, weights: Any) -> Any:
    shifted = logits - logits.max(-1, keepdims=True)
    log_probs = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    return -np.take_along_axis(log_probs, targets[..., None], -1)[..., 0] * weights


def test_sequence_loss() -> None:
    logits = values(BATCH, TIME, TOKENS) * 3
    targets = np.random.RandomState(1).randint(0, TOKENS, (BATCH, TIME))
    weights = np.abs(values(BATCH, TIME, seed=2)) * (values(BATCH, TIME, seed=3) > -0.5)
    each = losses(logits, targets, weights)
    cases = {
        (True, True, False, False): each.sum() / weights.sum(),
        (True, False, False, False): each.sum(1) / weights.sum(1),
        (False, True, False, False): each.sum(0) / weights.sum(0),
        (False, False, False, False): each,
        (False, False, True, True): each.sum() / (weights != 0).sum(),
        (False, False, True, False): each.sum(1) / (weights != 0).sum(1),
        (False, False, False, True): each.sum(0) / (weights != 0).sum(0),
    }
    found = [seq2seq.sequence_loss(logits, targets, weights, *options) for options in cases]
    own = seq2seq.sequence_loss(
        logits, targets, weights, softmax_loss_function=lambda labels, logits: logits[:, 0]
    )
    with tf.Session() as session:
        *got, special = session.run([*found, own])
    for value, expected in zip(got, cases.values(), strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-5)
    np.testing.assert_allclose(special, (logits[..., 0] * weights).sum() / weights.sum(), rtol=1e-5)
    for shapes, message in (
        (((3, 2), (3, 2), (3, 2)), "Logits must be"),
        (((3, 2, 4), (3,), (3, 2)), "Targets must be"),
        (((3, 2, 4), (3, 2), (3,)), "Weights must be"),
    ):
        with pytest.raises(ValueError, match=message):
            seq2seq.sequence_loss(*[tf.zeros(shape) for shape in shapes])
    with pytest.raises(ValueError, match="sum_over_batch cannot be set to True"):
        seq2seq.sequence_loss(logits, targets, weights, sum_over_batch=True)
