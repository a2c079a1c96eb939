"""tf.contrib.learn.ops and models: names, shapes and values as TensorFlow 1.15 gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import learn

X = np.arange(6, dtype="float32").reshape(3, 2) / 6
Y = np.arange(24, dtype="float32").reshape(2, 3, 4) / 24


def run(make: Callable[[], Any]) -> tuple[Any, list[str], Any]:
    """What it makes, the variables' names, and its values where variables are sines."""
    with tf.Graph().as_default():
        made = make()
        variables = tf.global_variables()
        with tf.Session() as session:
            for each in variables:
                size = int(np.prod(each.shape.as_list()))
                each.load(np.sin(np.arange(size) + 1).reshape(each.shape.as_list()), session)
            return made, [each.op.name for each in variables], session.run(made)


def test_regressions() -> None:
    (predictions, loss), names, (values, error) = run(
        lambda: learn.models.linear_regression(tf.constant(X), tf.constant([1.0, 2.0, 3.0]))
    )
    assert names == ["linear_regression/weights", "linear_regression/bias"]
    assert predictions.op.name == "linear_regression/mean_squared_error_regressor/Squeeze"
    assert loss.op.name.endswith("mean_squared_error_regressor/mean_squared_error/value")
    expected = X @ np.sin([1, 2]) + np.sin(1)
    np.testing.assert_allclose(values, expected, rtol=1e-6)
    np.testing.assert_allclose(error, np.mean((expected - [1, 2, 3]) ** 2), rtol=1e-5)

    def weighed() -> Any:
        tf.constant([0.5, 2.0], name="class_weight")
        return learn.models.logistic_regression(tf.constant(X), tf.constant([[1.0, 0.0]] * 3))

    (chances, _), names, (values, _) = run(weighed)
    assert names == ["logistic_regression/weights", "logistic_regression/bias"]
    assert chances.op.name == "logistic_regression/softmax_classifier/Softmax"
    raw = np.exp((X @ np.sin([[1, 2], [3, 4]]) + np.sin([1, 2])) * [0.5, 2])
    np.testing.assert_allclose(values, raw / raw.sum(1, keepdims=True), rtol=1e-5)
    given = np.float32([3, 0.25])
    raw = np.exp((X @ np.sin([[1, 2], [3, 4]]) + np.sin([1, 2])) * given)
    _, _, (values, _) = run(
        lambda: learn.models.logistic_regression(
            tf.constant(X), tf.constant([[1.0, 0.0]] * 3), class_weight=tf.constant(given)
        )
    )
    np.testing.assert_allclose(values, raw / raw.sum(1, keepdims=True), rtol=1e-5)


def test_regressions_that_begin_at_a_mean() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        learn.models.linear_regression_zero_init(tf.constant(X), tf.constant([[1.0], [2.0], [3.0]]))
        learn.models.logistic_regression(
            tf.constant(X), tf.constant([[1.0, 0.0]] * 3), init_mean=0.5, init_stddev=0.0
        )
        session.run(tf.global_variables_initializer())
        found = [session.run(each).ravel().tolist() for each in tf.global_variables()]
        assert found == [[0, 0], [0], [0.5] * 4, [0.5] * 2]
        assert len(tf.get_collection(tf.GraphKeys.SUMMARIES)) == 8


def test_embeddings() -> None:
    found, names, values = run(
        lambda: learn.ops.categorical_variable(tf.constant([[1, 2], [0, 3]]), 5, 3, "my")
    )
    assert names == ["my/my_embeddings"] and found.op.name == "my/embedding_lookup/Reshape_1"
    assert found.shape == [2, 2, 3]
    rows = np.sin(np.arange(15) + 1).reshape(5, 3)
    np.testing.assert_allclose(values, rows[[[1, 2], [0, 3]]], rtol=1e-6)


def test_an_encoder_with_a_decoder() -> None:
    def make() -> Any:
        read, given, wanted = learn.ops.seq2seq_inputs(tf.constant(Y), tf.constant(Y[:, :2]), 3, 2)
        cells = tf.nn.rnn_cell.BasicRNNCell(4), tf.nn.rnn_cell.GRUCell(4)
        outputs, states, sampled, sampled_states = learn.ops.rnn_seq2seq(read, given, *cells)
        assert len(read) == len(given) == len(wanted) == 3 and len(sampled_states) == 4
        chances, loss = learn.ops.sequence_classifier(outputs, wanted, sampled)
        plain, _ = learn.ops.sequence_classifier(outputs, wanted)
        return outputs[2], states[0], sampled[:2], chances, loss, plain

    made, _, values = run(make)
    assert made[0].op.name == "rnn_seq2seq/dnn_decoder/training/gru_cell/add_2"
    assert made[1].op.name == "rnn_seq2seq/rnn/basic_rnn_cell/Tanh_2"
    assert made[2][1].op.name == "rnn_seq2seq/dnn_decoder/training/gru_cell/add_3"
    assert made[3].op.name == "sequence_classifier/stack"
    assert made[4].op.name == "sequence_classifier/sequence_loss"
    # What TensorFlow 1.15 prints.
    np.testing.assert_allclose(values[0][0], [0.72481, 0.78318, 0.11001, -0.68354], atol=1e-5)
    np.testing.assert_allclose(values[3][0, 1], [0.2848, 0.4035, 0.19989, 0.11181], atol=1e-5)
    np.testing.assert_allclose(values[5][0, 1], [0.34557, 0.37719, 0.19066, 0.08657], atol=1e-5)
    np.testing.assert_allclose(values[4], 10.25924, atol=1e-5)


def net(**options: Any) -> Any:
    model = learn.models.get_rnn_model(
        **{
            "rnn_size": 3,
            "cell_type": "gru",
            "num_layers": 2,
            "input_op_fn": lambda x: tf.unstack(x, axis=1),
            "bidirectional": False,
            "target_predictor_fn": learn.models.logistic_regression,
            "sequence_length": None,
            "initial_state": None,
            "attn_length": None,
            "attn_size": None,
            "attn_vec_size": None,
            **options,
        }
    )
    return model(tf.constant(Y), tf.constant([[1.0, 0.0], [0.0, 1.0]]))


@pytest.mark.parametrize(
    ("options", "loss"),
    [
        ({"cell_type": "lstm", "bidirectional": True}, 0.58404),
        ({"cell_type": "rnn", "attn_length": 2, "attn_size": 3, "attn_vec_size": 3}, 0.72521),
    ],
)
def test_nets(options: Any, loss: float) -> None:
    _, names, values = run(lambda: net(**options))
    np.testing.assert_allclose(values[1], loss, atol=1e-5)
    assert names[-1] == "logistic_regression/bias"
    if options.get("bidirectional"):
        assert names[0] == "BiRNN_FW/rnn/multi_rnn_cell/cell_0/basic_lstm_cell/kernel"


def test_the_net_from_the_end_reads_what_is_there() -> None:
    def make(length: int, lengths: Any) -> Any:
        cells = tf.nn.rnn_cell.GRUCell(2), tf.nn.rnn_cell.GRUCell(2)
        steps = tf.unstack(tf.constant(Y[:, :length]), axis=1)
        outputs, state = learn.models.bidirectional_rnn(
            *cells, steps, dtype=tf.float32, sequence_length=lengths
        )
        return tf.stack(outputs, 1), state

    _, _, (outputs, state) = run(lambda: make(3, [2, 3]))
    _, _, (short, short_state) = run(lambda: make(2, None))
    np.testing.assert_allclose(outputs[0, :2], short[0], rtol=1e-6)
    np.testing.assert_allclose(state[0], short_state[0], rtol=1e-6)
    assert not outputs[0, 2].any()


def test_what_is_refused() -> None:
    gru = tf.nn.rnn_cell.GRUCell(2)
    for cells, inputs, error, text in (
        ((1, gru), [1], TypeError, "cell_fw must be an instance of RNNCell"),
        ((gru, 1), [1], TypeError, "cell_bw must be an instance of RNNCell"),
        ((gru, gru), 3, TypeError, "inputs must be a list"),
        ((gru, gru), [], ValueError, "inputs must not be empty"),
    ):
        with pytest.raises(error, match=text):
            learn.models.bidirectional_rnn(*cells, inputs)
    with pytest.raises(ValueError, match="cell_type x is not supported"):
        net(cell_type="x")
