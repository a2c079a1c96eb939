"""Cells around cells, grids of cells and nets of tf.contrib.rnn, against formulas in numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import rnn
from tests.contrib.recurrent.arrays import fixed_weights, ints, run, sigmoid, values

BATCH, SIZE, UNITS = 2, 4, 4
X = values(BATCH, SIZE, seed=3)


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        tf.get_variable_scope().set_initializer(fixed_weights())
        yield made


def one(cell: Any, inputs: Any = X) -> tuple[Any, Any, dict[str, Any]]:
    state = cell.zero_state(BATCH, tf.float32)
    output, new = cell(tf.constant(inputs), state)
    (got, last), weights = run(output, new)
    return got, last, weights


def basic(weights: dict[str, Any], x: Any, scope: str = "basic_rnn_cell") -> Any:
    """A BasicRNNCell's first step."""
    return np.tanh(x @ weights[f"{scope}/kernel"][: x.shape[1]])


def cell(units: int = UNITS) -> Any:
    return tf.nn.rnn_cell.BasicRNNCell(units)


def test_projections_and_embedding() -> None:
    got, _, w = one(rnn.InputProjectionWrapper(cell(), 3, activation=tf.nn.relu))
    scope = "input_projection_wrapper"
    seen = np.maximum(X @ w[f"{scope}/kernel"] + w[f"{scope}/bias"], 0)
    np.testing.assert_allclose(got, basic(w, seen, f"{scope}/basic_rnn_cell"), rtol=1e-5)
    with tf.Graph().as_default():
        tf.get_variable_scope().set_initializer(fixed_weights())
        got, last, w = one(rnn.OutputProjectionWrapper(cell(), 3, activation=tf.sigmoid))
        scope = "output_projection_wrapper"
        h = basic(w, X, f"{scope}/basic_rnn_cell")
        expected = sigmoid(h @ w[f"{scope}/kernel"] + w[f"{scope}/bias"])
        np.testing.assert_allclose(got, expected, rtol=1e-5)
        np.testing.assert_allclose(last, h, rtol=1e-5)
    with tf.Graph().as_default():
        wrapper = rnn.EmbeddingWrapper(cell(), embedding_classes=7, embedding_size=500)
        got, _, w = one(wrapper, ints([[3], [6]]))
        table = w["embedding_wrapper/embedding"]
        assert np.abs(table).max() <= 3**0.5 and abs(table.var() - 1) < 0.1
        expected = basic(w, table[[3, 6]], "embedding_wrapper/basic_rnn_cell")
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-6)
    with pytest.raises(ValueError, match="Parameter output_size must be > 0: 0"):
        rnn.OutputProjectionWrapper(cell(), 0)
    with pytest.raises(ValueError, match="Both embedding_classes and embedding_size must be"):
        rnn.EmbeddingWrapper(cell(), 0, 3)
    with pytest.raises(TypeError, match="is not an RNNCell"):
        rnn.InputProjectionWrapper(3, 3)


@pytest.mark.parametrize("coupled", [True, False])
def test_highway(coupled: bool) -> None:
    wrapper = rnn.HighwayWrapper(cell(), couple_carry_transform_gates=coupled, carry_bias_init=0.5)
    got, _, w = one(wrapper)
    carry = sigmoid(X @ w["carry_w"] + w["carry_b"])
    transform = 1 - carry if coupled else sigmoid(X @ w["transform_w"] + w["transform_b"])
    np.testing.assert_allclose(got, X * carry + basic(w, X) * transform, rtol=1e-5)
    np.testing.assert_array_equal(w["carry_b"], np.full(SIZE, 0.5))
    if not coupled:
        np.testing.assert_array_equal(w["transform_b"], np.full(SIZE, -0.5))


def test_compiled() -> None:
    got, _, w = one(rnn.CompiledWrapper(cell()))
    np.testing.assert_allclose(got, basic(w, X), rtol=1e-5)


@pytest.mark.parametrize("peepholes", [False, True])
def test_time_frequency(peepholes: bool) -> None:
    made = rnn.TimeFreqLSTMCell(
        3, peepholes, cell_clip=0.5, feature_size=2, frequency_skip=1, num_unit_shards=2
    )
    state = values(BATCH, 18, seed=8)
    outputs, new = made(tf.constant(X), tf.constant(state))
    (got, last), weights = run(outputs, new)
    w = {k.removeprefix("time_freq_lstm_cell/"): v for k, v in weights.items()}
    kernel, before = np.concatenate([w["W_0"], w["W_1"]]), np.zeros([BATCH, 3])
    see = {gate: w[f"W_{gate}_diag"] if peepholes else 0 for gate in "FIO"}
    for index in range(3):
        c, m = np.split(state[:, 6 * index : 6 * index + 6], 2, 1)
        joined = np.concatenate([X[:, index : index + 2], m, before], 1)
        i, j, f, o = np.split(joined @ kernel + w["B"], 4, 1)
        new_c = sigmoid(f + 1 + see["F"] * c) * c + sigmoid(i + see["I"] * c) * np.tanh(j)
        new_c = np.clip(new_c, -0.5, 0.5)
        before = sigmoid(o + see["O"] * new_c) * np.tanh(new_c)
        np.testing.assert_allclose(got[:, 3 * index : 3 * index + 3], before, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(last[:, 6 * index : 6 * index + 3], new_c, rtol=1e-4, atol=1e-6)


def grid_block(
    w: dict[str, Any], windows: Any, state: Any, block: int, options: dict[str, Any]
) -> tuple[list[Any], list[Any]]:
    """Outputs and state of a block of windows."""
    shared, coupled = options["share_time_frequency_weights"], options["couple_input_forget_gates"]
    m_freq = c_freq = np.zeros([BATCH, 2])
    outputs, states = [], []
    for window, (c_time, m_time) in zip(windows, state, strict=True):
        joined = np.concatenate([window, m_time, m_freq], 1)
        new: dict[str, Any] = {}
        parts = {}
        for way, last in (("f", c_freq), ("t", c_time)):
            used = "f" if shared else way
            sums = joined @ w[f"W_{used}_{block}"] + w[f"B_{used}_{block}"]
            parts[way] = np.split(sums, 3 if coupled else 4, 1)
            long = "freq" if used == "f" else "time"

            def see(gate: str, one: Any, other: Any, long: str = long) -> Any:
                if not options["use_peepholes"]:
                    return 0
                names = [f"W_{gate}_diag_{long}{memory}_{block}" for memory in "ft"]
                return w[names[0]] * one + w[names[1]] * other

            parts[way].append(see)
            i = sigmoid(parts[way][0] + see("I", c_freq, c_time))
            forgets = 1 - i if coupled else sigmoid(parts[way][2] + 1 + see("F", c_freq, c_time))
            new[way] = np.clip(forgets * last + i * np.tanh(parts[way][1]), -0.6, 0.6)
        m_freq, m_time = (
            sigmoid(parts[way][-2] + parts[way][-1]("O", new["f"], new["t"])) * np.tanh(new[way])
            for way in "ft"
        )
        c_freq = new["f"]
        outputs += [m_time, m_freq]
        states += [new["t"], m_time]
    return outputs, states


@pytest.mark.parametrize("peepholes", [False, True])
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("coupled", [False, True])
def test_grid(peepholes: bool, shared: bool, coupled: bool) -> None:
    options: dict[str, Any] = {
        "use_peepholes": peepholes,
        "share_time_frequency_weights": shared,
        "couple_input_forget_gates": coupled,
    }
    more: dict[str, Any] = {"cell_clip": 0.6, "feature_size": 2, "frequency_skip": 1}
    made = rnn.GridLSTMCell(2, num_frequency_blocks=[3], **options, **more)
    first = [values(BATCH, 2, seed=n) for n in range(6)]
    outputs, new = made(tf.constant(X), made.state_tuple_type(*map(tf.constant, first)))
    assert made.state_size._fields[:2] == ("state_f00_b00_c", "state_f00_b00_m")
    (got, last), weights = run(outputs, new)
    w = {k.removeprefix("grid_lstm_cell/").replace("_0_0", "_0"): v for k, v in weights.items()}
    windows = [X[:, n : n + 2] for n in range(3)]
    pairs = list(zip(first[::2], first[1::2], strict=True))
    expected, states = grid_block(w, windows, pairs, 0, options)
    np.testing.assert_allclose(got, np.concatenate(expected, 1), rtol=1e-4, atol=1e-6)
    for mine, theirs in zip(last, states, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-6)


def test_grid_of_several_blocks_in_both_directions() -> None:
    options: dict[str, Any] = {
        "use_peepholes": True,
        "share_time_frequency_weights": False,
        "couple_input_forget_gates": False,
    }
    more: dict[str, Any] = {
        "cell_clip": 0.6,
        "feature_size": 2,
        "frequency_skip": 1,
        "num_frequency_blocks": [2, 1],
        "start_freqindex_list": [0, 2],
        "end_freqindex_list": [3, 4],
    }
    made = rnn.BidirectionalGridLSTMCell(2, backward_slice_offset=1, **options, **more)
    got, _, weights = one(made)
    assert made.output_size == got.shape[1] == 24
    zeros = (np.zeros([BATCH, 2]),) * 2
    expected = []
    padded = np.pad(X, [(0, 0), (0, 1)])
    for way, x in (("fwd", X), ("bwd", padded[:, 1:])):
        prefix = f"bidirectional_grid_lstm_cell/{way}/"
        w = {k.removeprefix(prefix): v for k, v in weights.items() if k.startswith(prefix)}
        w = {(k.removesuffix("_0") if k.startswith(("W_f", "W_t")) else k): v for k, v in w.items()}
        blocks = [[x[:, 0:2], x[:, 1:3]], [x[:, 2:4]]]
        for block, windows in enumerate(blocks):
            ordered = windows[::-1] if way == "bwd" else windows
            expected += grid_block(w, ordered, [zeros] * len(ordered), block, options)[0]
    np.testing.assert_allclose(got, np.concatenate(expected, 1), rtol=1e-4, atol=1e-6)


def test_grid_joined_state_and_errors() -> None:
    more: dict[str, Any] = {"feature_size": 2, "frequency_skip": 1}
    joined = rnn.GridLSTMCell(2, num_frequency_blocks=[3], state_is_tuple=False, **more)
    assert joined.state_size == 12
    got, last, _ = one(joined)
    assert got.shape == (BATCH, 12) and last.shape == (BATCH, 12)
    with pytest.raises(ValueError, match="Must specify num_frequency_blocks"):
        rnn.GridLSTMCell(2)
    with pytest.raises(ValueError, match="Invalid num_frequency_blocks, requires 2 but gets 3"):
        one(rnn.GridLSTMCell(2, num_frequency_blocks=[2], **more))
    with pytest.raises(ValueError, match="Length of num_frequency_blocks is not 1"):
        one(rnn.GridLSTMCell(2, num_frequency_blocks=[2, 1], **more))


TIMES = values(3, BATCH, SIZE, seed=6)
LENGTHS = ints([3, 2])


@pytest.mark.parametrize("lengths", [None, LENGTHS])
@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("dynamic", [False, True])
def test_fused_adaptors(lengths: Any, listed: bool, dynamic: bool) -> None:
    x = tf.constant(TIMES)
    fused = rnn.TimeReversedFusedRNN(rnn.FusedRNNCellAdaptor(cell(), use_dynamic_rnn=dynamic))
    outputs, state = fused(
        tf.unstack(x) if listed else x, dtype=tf.float32, sequence_length=lengths
    )
    (got, last), weights = run(tf.stack(outputs) if listed else outputs, state)
    kernel = weights["rnn/basic_rnn_cell/kernel"]
    for row in range(BATCH):
        h, count = np.zeros(UNITS), 3 if lengths is None else lengths[row]
        for time in reversed(range(count)):
            h = np.tanh(np.concatenate([TIMES[time, row], h]) @ kernel)
            np.testing.assert_allclose(got[time, row], h, rtol=1e-5)
        np.testing.assert_allclose(last[row], h, rtol=1e-5)
        assert not got[count:, row].any()


@pytest.mark.parametrize("dynamic", [False, True])
def test_stacks(dynamic: bool) -> None:
    cells = [[cell(), cell(3)] for _ in range(2)]
    x = tf.constant(TIMES)
    if dynamic:
        outputs, forward, backward = rnn.stack_bidirectional_dynamic_rnn(
            *cells, x, dtype=tf.float32, time_major=True
        )
    else:
        steps, forward, backward = rnn.stack_bidirectional_rnn(
            *cells, tf.unstack(x), dtype=tf.float32
        )
        outputs = tf.stack(steps)
    (got, ends, starts), weights = run(outputs, forward, backward)
    seen: Any = TIMES
    for layer, units in enumerate((UNITS, 3)):
        inner = "bidirectional_rnn/" if dynamic else ""
        ways = []
        for way in ("fw", "bw"):
            scope = f"stack_bidirectional_rnn/cell_{layer}/{inner}{way}"
            kernel = weights[f"{scope}/basic_rnn_cell/kernel"]
            h, found = np.zeros([BATCH, units]), []
            for each in seen if way == "fw" else seen[::-1]:
                h = np.tanh(np.concatenate([each, h], 1) @ kernel)
                found.append(h)
            np.testing.assert_allclose((ends, starts)[way == "bw"][layer], h, rtol=1e-4)
            ways.append(found if way == "fw" else found[::-1])
        seen = np.concatenate([np.stack(way) for way in ways], 2)
    np.testing.assert_allclose(got, seen, rtol=1e-4, atol=1e-6)
    for arguments, message in (
        (([], [cell()]), "Must specify at least one fw cell"),
        (([cell()], cell()), "cells_bw must be a list of RNNCells"),
        (([cell()], [cell(), cell()]), "must have the same depth"),
    ):
        for function in (rnn.stack_bidirectional_rnn, rnn.stack_bidirectional_dynamic_rnn):
            with pytest.raises(ValueError, match=message):
                function(*arguments, x, dtype=tf.float32)


def test_shapes() -> None:
    unknown = tf.placeholder(tf.float32, [None, None, 4])
    assert rnn.best_effort_input_batch_size([unknown, tf.constant(TIMES)]) == BATCH
    assert rnn.transpose_batch_time(tf.constant(TIMES)).shape.as_list() == [BATCH, 3, SIZE]
    assert isinstance(rnn.best_effort_input_batch_size([unknown]), tf.Tensor)


def test_internals() -> None:
    from dataflow.contrib.rnn import internals

    with tf.variable_scope("a"):
        sums = internals._linear([tf.constant(X), tf.constant(X)], 3, True, 0.25)
    (got,), weights = run(sums)
    joined = np.concatenate([X, X], 1)
    np.testing.assert_allclose(got, joined @ weights["a/kernel"] + 0.25, rtol=1e-5, atol=1e-6)
    assert internals._like_rnncell(cell()) and not internals._like_rnncell(len)
    assert internals._concat(2, [3, None], static=True) == [2, 3, None]
    assert internals._zero_state_tensors([2, 3], 4, tf.float32)[1].shape.as_list() == [4, 3]
    for args, message in (
        ([], "`args` must be specified"),
        (tf.zeros([2]), "linear is expecting 2D arguments"),
        (tf.placeholder(tf.float32, [2, None]), "expects shape.1. to be provided"),
    ):
        with pytest.raises(ValueError, match=message):
            internals._linear(args, 3, False)
