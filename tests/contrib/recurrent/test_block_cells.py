"""Cells that are one op, against those that are many; gradients against finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import rnn
from tests.contrib.recurrent.arrays import fixed_weights, ints, run, values

BATCH, SIZE, UNITS, STEPS = 3, 2, 4, 5
X = values(STEPS, BATCH, SIZE, seed=2)
LENGTHS = ints([5, 0, 3])


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        tf.get_variable_scope().set_initializer(fixed_weights())
        yield made


def with_gradients(net: Any) -> tuple[list[Any], list[Any], list[str]]:
    """Results of a net, gradients of all variables and the inputs, and variables' names."""
    inputs = tf.constant(X)
    outputs, state = net(inputs)
    flat = tf.nest.flatten(state)
    loss = tf.reduce_sum(tf.sin(outputs * 3)) + sum(tf.reduce_sum(tf.cos(each)) for each in flat)
    sources = tf.trainable_variables()
    gradients = tf.gradients(loss, [inputs, *sources])
    (results, grads), _ = run([outputs, *flat], gradients)
    return results, grads, [v.name for v in sources]


def plain(cell: Any, lengths: Any = None) -> Any:
    return lambda x: tf.nn.dynamic_rnn(
        cell, x, sequence_length=lengths, dtype=tf.float32, time_major=True
    )


def same(one: Any, other: Any) -> None:
    with tf.Graph().as_default():
        tf.get_variable_scope().set_initializer(fixed_weights())
        first, first_grads, _ = with_gradients(one)
    with tf.Graph().as_default():
        tf.get_variable_scope().set_initializer(fixed_weights())
        second, second_grads, _ = with_gradients(other)
    for mine, theirs in zip([*first, *first_grads], [*second, *second_grads], strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("lengths", [None, LENGTHS])
def test_lstm(lengths: Any) -> None:
    def fused(x: Any) -> Any:
        cell = rnn.LSTMBlockFusedCell(UNITS, forget_bias=0.4)
        return cell(x, dtype=tf.float32, sequence_length=lengths)

    basic = lambda x: plain(tf.nn.rnn_cell.BasicLSTMCell(UNITS, 0.4), lengths)(x)  # noqa: E731
    same(lambda x: plain(rnn.LSTMBlockCell(UNITS, forget_bias=0.4), lengths)(x), basic)
    same(fused, basic)


def test_peepholes_and_clip() -> None:
    options: Any = {"use_peepholes": True, "cell_clip": 0.3}
    block: Any = {"use_peephole": True, "cell_clip": 0.3}

    def values_of(net: Any) -> Any:
        with tf.Graph().as_default():
            tf.get_variable_scope().set_initializer(fixed_weights())
            return run(*net(tf.constant(X)))[0]

    expected, last = values_of(lambda x: plain(tf.nn.rnn_cell.LSTMCell(UNITS, **options))(x))
    for net in (
        lambda x: plain(rnn.LSTMBlockCell(UNITS, **block))(x),
        lambda x: rnn.LSTMBlockFusedCell(UNITS, **block)(x, dtype=tf.float32),
    ):
        got, state = values_of(net)
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(state, last, rtol=1e-5, atol=1e-6)


def test_gru() -> None:
    same(
        lambda x: plain(rnn.GRUBlockCellV2(UNITS))(x),
        lambda x: plain(tf.nn.rnn_cell.GRUCell(UNITS))(x),
    )
    _, _, names = with_gradients(plain(rnn.GRUBlockCell(UNITS)))
    assert names == [f"rnn/gru_cell/{name}:0" for name in ("w_ru", "b_ru", "w_c", "b_c")]
    for options in ({}, {"num_units": 2, "cell_size": 2}):
        with pytest.raises(ValueError, match="num_units"):
            rnn.GRUBlockCell(**options)


def test_names_and_lists() -> None:
    cell = rnn.LSTMBlockFusedCell(UNITS, use_peephole=True)
    steps = tf.unstack(tf.constant(X))
    outputs, state = cell(steps, dtype=tf.float32)
    again, _ = cell(tf.constant(X), initial_state=(tf.zeros([BATCH, UNITS]),) * 2)
    assert isinstance(outputs, list) and len(outputs) == STEPS
    (listed, whole, last), weights = run(outputs, again, state)
    np.testing.assert_array_equal(np.stack(listed), whole)
    np.testing.assert_array_equal(last.h, whole[-1])
    names = "kernel bias w_i_diag w_f_diag w_o_diag"
    assert set(weights) == {f"lstm_fused_cell/{name}" for name in names.split()}
    with pytest.raises(ValueError, match="Either initial_state or dtype needs to be"):
        cell(tf.constant(X))
    with pytest.raises(ValueError, match="initial_state to be a tuple with length 2"):
        cell(tf.constant(X), initial_state=(tf.zeros([BATCH, UNITS]),))


def test_second_version_against_differences() -> None:
    sizes = ((STEPS, BATCH, SIZE), (BATCH, UNITS), (BATCH, UNITS), (SIZE + UNITS, 4 * UNITS))
    arrays = [values(*size, seed=n) for n, size in enumerate((*sizes, *[(UNITS,)] * 3, (16,)))]
    names = ["x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b"]
    fed = [tf.constant(each) for each in arrays]
    outputs = tf.raw_ops.BlockLSTMV2(
        seq_len_max=np.int64(4), **dict(zip(names, fed, strict=True)), use_peephole=True
    )
    weights = values(STEPS, BATCH, UNITS, seed=9)
    loss = tf.reduce_sum(outputs[6] * weights + outputs[1] * weights**2)
    gradients = tf.gradients(loss, fed)
    with tf.Session() as session:
        for tensor, value, gradient in zip(fed, arrays, session.run(gradients), strict=True):
            direction = values(*value.shape, seed=33)
            ends = [session.run(loss, {tensor: value + e * direction}) for e in (0.01, -0.01)]
            slope = (float(ends[0]) - float(ends[1])) / 0.02
            np.testing.assert_allclose((gradient * direction).sum(), slope, rtol=5e-3, atol=2e-3)


def test_malformed_steps() -> None:
    def lstm(longest: Any, **changed: Any) -> Any:
        sizes = {
            "x": (STEPS, BATCH, SIZE),
            "cs_prev": (BATCH, UNITS),
            "h_prev": (BATCH, UNITS),
            "w": (SIZE + UNITS, 4 * UNITS),
            "wci": (UNITS,),
            "wcf": (UNITS,),
            "wco": (UNITS,),
            "b": (4 * UNITS,),
        } | changed
        arrays = {
            name: tf.placeholder_with_default(np.zeros(size, np.float32), None)
            for name, size in sizes.items()
        }
        fed = tf.placeholder_with_default(np.int64(longest), None)
        return tf.raw_ops.BlockLSTM(seq_len_max=fed, **arrays)

    for longest, changed, text in (
        (6, {}, "seq_len_max must be between 0 and 5 but is 6"),
        (-1, {}, "seq_len_max must be between 0 and 5 but is -1"),
        ([1], {}, "seq_len_max must be a scalar"),
        (1, {"x": (STEPS, BATCH)}, "x must be rank 3 but is rank 2"),
        (1, {"h_prev": (BATCH,)}, "h_prev must be rank 2 but is rank 1"),
        (1, {"wci": (3,)}, "wci.dim_size"),
        (1, {"b": (3,)}, "b.dim_size"),
        (1, {"w": (3, 3)}, "w.dim_size"),
        (1, {"cs_prev": (2, UNITS)}, "cs_prev.dims"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            run(lstm(longest, **changed)[0])
    assert run(lstm(0, x=(0, BATCH, SIZE))[0])[0][0].shape == (0, BATCH, UNITS)
