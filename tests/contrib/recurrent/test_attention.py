"""Attention mechanisms and the cell around a cell, against formulas in numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import seq2seq
from tests.contrib.recurrent.arrays import (
    fixed_weights,
    floats,
    ints,
    run,
    sigmoid,
    softmax,
    values,
)

BATCH, PLACES, SIZE, UNITS = 2, 4, 3, 5
LENGTHS = ints([4, 2])
MASK = np.arange(PLACES) < LENGTHS[:, None]
MEMORY = values(BATCH, PLACES, SIZE)
QUERY = values(BATCH, UNITS, seed=1)


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        tf.get_variable_scope().set_initializer(fixed_weights())
        yield made


def scores(kind: str, weights: dict[str, Any], query: Any, option: bool, scope: str) -> Any:
    keys = (MEMORY * MASK[..., None]) @ weights["memory_layer/kernel"]
    if kind == "luong":
        found = np.einsum("bu,bpu->bp", query, keys)
        return found * weights[f"{scope}/attention_g"] if option else found
    v = weights[f"{scope}/attention_v"]
    sums = keys + (query @ weights[f"{scope}/query_layer/kernel"])[:, None]
    if option:
        v = weights[f"{scope}/attention_g"] * v / np.sqrt((v**2).sum())
        sums = sums + weights[f"{scope}/attention_b"]
    return (v * np.tanh(sums)).sum(-1)


def mechanism(kind: str, option: bool, **more: Any) -> Any:
    if kind == "luong":
        return seq2seq.LuongAttention(UNITS, MEMORY, LENGTHS, scale=option, **more)
    return seq2seq.BahdanauAttention(UNITS, MEMORY, LENGTHS, normalize=option, **more)


@pytest.mark.parametrize("kind", ["luong", "bahdanau"])
@pytest.mark.parametrize("option", [False, True])
def test_alignments(kind: str, option: bool) -> None:
    made = mechanism(kind, option)
    assert made.alignments_size == made.state_size == PLACES and made.batch_size == BATCH
    first = made.initial_state(BATCH, tf.float32)
    (got, state, start), weights = run(*made(tf.constant(QUERY), first), first)
    found = scores(kind, weights, QUERY, option, f"{kind}_attention")
    expected = softmax(np.where(MASK, found, -np.inf))
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-7)
    np.testing.assert_array_equal(got, state)
    assert not start.any()
    if option:
        g = weights[f"{kind}_attention/attention_g"]
        np.testing.assert_allclose(g, 1.0 if kind == "luong" else UNITS**-0.5, rtol=1e-6)


def test_other_probabilities_and_mask() -> None:
    made = mechanism(
        "luong",
        False,
        probability_fn=seq2seq.hardmax,
        score_mask_value=1000.0,
        custom_key_value_fn=lambda keys, values: (keys * 2, values * 3),
    )
    (got, seen), _ = run(made(tf.constant(QUERY), None)[0], made.values)
    np.testing.assert_array_equal(got[1], [0, 0, 1, 0])
    np.testing.assert_allclose(seen, MEMORY * MASK[..., None] * 3, rtol=1e-6)


def place_by_place(p: Any, previous: Any) -> Any:
    """The chance that each place is taken, by walking along the places."""
    found = np.zeros_like(p)
    for row in range(p.shape[0]):
        for start in range(p.shape[1]):
            here = previous[row, start]
            for place in range(start, p.shape[1]):
                found[row, place] += here * p[row, place]
                here *= 1 - p[row, place]
    return found


@pytest.mark.parametrize("mode", ["recursive", "parallel", "hard"])
def test_monotonic(mode: str) -> None:
    p = sigmoid(values(3, 6) * 2)
    previous = softmax(values(3, 6, seed=1))
    if mode == "hard":
        p = (p > 0.5).astype(np.float32)
        previous = np.eye(6, dtype=np.float32)[[0, 2, 5]]
    (got,), _ = run(seq2seq.monotonic_attention(p, previous, mode))
    np.testing.assert_allclose(got, place_by_place(p, previous), rtol=1e-4, atol=1e-6)


def test_safe_cumprod_and_hardmax() -> None:
    x = floats([[0.5, 0.0, 0.7], [1.0, 0.25, 0.5]])
    (product, hard), _ = run(
        seq2seq.safe_cumprod(x, axis=1, exclusive=True), seq2seq.hardmax([[1.0, 3, 3], [5, 1, 1]])
    )
    np.testing.assert_allclose(product, [[1, 0.5, 0], [1, 1, 0.25]], atol=1e-6)
    np.testing.assert_array_equal(hard, [[0, 1, 0], [1, 0, 0]])
    with pytest.raises(ValueError, match="mode must be 'recursive', 'parallel', or 'hard'"):
        seq2seq.monotonic_attention(x, x, "soft")


@pytest.mark.parametrize("kind", ["luong", "bahdanau"])
@pytest.mark.parametrize("option", [False, True])
@pytest.mark.parametrize("mode", ["recursive", "hard"])
def test_monotonic_mechanisms(kind: str, option: bool, mode: str) -> None:
    if kind == "luong":
        made: Any = seq2seq.LuongMonotonicAttention(
            UNITS, MEMORY, LENGTHS, scale=option, score_bias_init=0.3, mode=mode
        )
    else:
        made = seq2seq.BahdanauMonotonicAttention(
            UNITS, MEMORY, LENGTHS, normalize=option, score_bias_init=0.3, mode=mode
        )
    first = made.initial_state(BATCH, tf.float32)
    (got, start), weights = run(made(tf.constant(QUERY), first)[0], first)
    scope = f"{kind}_monotonic_attention"
    found = scores(kind, weights, QUERY, option, scope) + weights[f"{scope}/attention_score_bias"]
    found = np.where(MASK, found, -np.inf)
    p = (found > 0).astype(np.float32) if mode == "hard" else sigmoid(found)
    np.testing.assert_array_equal(start, [[1, 0, 0, 0]] * 2)
    np.testing.assert_allclose(got, place_by_place(p, start), rtol=1e-5, atol=1e-6)
    assert np.isclose(weights[f"{scope}/attention_score_bias"], 0.3)


@pytest.mark.parametrize("layer_size", [None, 6])
@pytest.mark.parametrize("output_attention", [False, True])
def test_wrapper(layer_size: int | None, output_attention: bool) -> None:
    made = mechanism("bahdanau", False)
    cell = seq2seq.AttentionWrapper(
        tf.nn.rnn_cell.BasicRNNCell(UNITS),
        made,
        attention_layer_size=layer_size,
        alignment_history=True,
        output_attention=output_attention,
    )
    state = cell.zero_state(BATCH, tf.float32)
    x = values(2, BATCH, SIZE, seed=4)
    outputs = []
    with tf.variable_scope("decoder"):
        for each in x:
            output, state = cell(tf.constant(each), state)
            outputs.append(output)
    attention_size = layer_size or SIZE
    assert cell.output_size == (attention_size if output_attention else UNITS)
    assert cell.state_size.attention == attention_size
    fetched, weights = run(outputs, state.alignments, state.alignment_history.stack(), state.time)
    got, last, history, time = fetched
    scope = "decoder/attention_wrapper"
    kernel = weights[f"{scope}/basic_rnn_cell/kernel"]
    attention, memory = np.zeros([BATCH, attention_size]), MEMORY * MASK[..., None]
    hidden = np.zeros([BATCH, UNITS])
    for index in range(2):
        hidden = np.tanh(np.concatenate([x[index], attention, hidden], 1) @ kernel)
        found = scores("bahdanau", weights, hidden, False, f"{scope}/bahdanau_attention")
        alignments = softmax(np.where(MASK, found, -np.inf))
        attention = np.einsum("bp,bps->bs", alignments, memory)
        if layer_size:
            attention = (
                np.concatenate([hidden, attention], 1) @ weights[f"{scope}/attention_layer/kernel"]
            )
        expected = attention if output_attention else hidden
        np.testing.assert_allclose(got[index], expected, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(history[index], alignments, rtol=1e-4, atol=1e-6)
    np.testing.assert_array_equal(last, history[1])
    assert time == 2


def test_several_mechanisms_and_state() -> None:
    made = [mechanism("bahdanau", False), mechanism("luong", False)]
    first = tf.constant(values(BATCH, UNITS, seed=9))
    cell = seq2seq.AttentionWrapper(
        tf.nn.rnn_cell.GRUCell(UNITS),
        made,
        attention_layer_size=[2, 3],
        cell_input_fn=lambda inputs, attention: attention,
        initial_cell_state=first,
        name="both",
    )
    state = cell.zero_state(BATCH, tf.float32)
    output, after = cell(tf.zeros([BATCH, 9]), state)
    assert output.shape.as_list() == [BATCH, 5] and len(after.alignments) == 2
    cloned = state.clone(cell_state=tf.ones([BATCH, UNITS]))
    (given, changed), weights = run(state.cell_state, cloned.cell_state)
    np.testing.assert_array_equal(given, values(BATCH, UNITS, seed=9))
    assert (changed == 1).all()
    assert {"both/attention_layer/kernel", "both/attention_layer_1/kernel"} <= set(weights)
    assert weights["both/gru_cell/gates/kernel"].shape == (5 + UNITS, 2 * UNITS)
    with pytest.raises(ValueError, match="incompatible"):
        state.clone(cell_state=tf.ones([BATCH, UNITS + 1]))


def test_errors() -> None:
    cell, made = tf.nn.rnn_cell.GRUCell(UNITS), mechanism("luong", False)
    wrapper = seq2seq.AttentionWrapper
    with pytest.raises(TypeError, match="must be an AttentionMechanism or list of multiple"):
        wrapper(cell, cell)
    with pytest.raises(TypeError, match="attention_mechanism must contain only instances"):
        wrapper(cell, [made, cell])
    with pytest.raises(TypeError, match="cell_input_fn must be callable"):
        wrapper(cell, made, cell_input_fn=3)
    with pytest.raises(ValueError, match="exactly one integer per attention_mechanism, saw: 2"):
        wrapper(cell, made, attention_layer_size=[2, 3])
    with pytest.raises(ValueError, match="exactly one layer per attention_mechanism, saw: 2 vs 1"):
        wrapper(cell, made, attention_layer=[tf.layers.Dense(2), tf.layers.Dense(3)])
    with pytest.raises(ValueError, match="Only one of attention_layer_size and attention_layer"):
        wrapper(cell, made, 3, attention_layer=tf.layers.Dense(3))
    with pytest.raises(TypeError, match="instance of AttentionWrapperState"):
        wrapper(cell, made)(tf.zeros([BATCH, 2]), tf.zeros([BATCH, UNITS]))
    with pytest.raises(ValueError, match="Perhaps you need to set num_units to the keys'"):
        made(tf.zeros([BATCH, UNITS + 1]), None)
    with pytest.raises(ValueError, match="to have fully defined inner dims"):
        seq2seq.LuongAttention(UNITS, tf.placeholder(tf.float32, [2, 3, None]))
    with pytest.raises(TypeError, match="probability_fn must be callable"):
        seq2seq.attention.BaseAttentionMechanism(None, MEMORY, 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Are you using the BeamSearchDecoder"):
        run(
            wrapper(cell, made)
            .zero_state(tf.placeholder_with_default(3, []), tf.float32)
            .cell_state
        )
    lengths = tf.placeholder_with_default(ints([0, 2]), [2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="must greater than zero"):
        run(seq2seq.LuongAttention(UNITS, MEMORY, lengths)(tf.constant(QUERY), None)[0])
