"""Cells of tf.contrib.rnn, two steps of each against formulas in numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import rnn
from tests.contrib.recurrent.arrays import fixed_weights, run, sigmoid, softmax, values

BATCH, SIZE, UNITS = 2, 3, 4
X = values(2, BATCH, SIZE, seed=11)


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        tf.get_variable_scope().set_initializer(fixed_weights())
        yield made


def two_steps(cell: Any, x: Any = X, batch: int = BATCH) -> tuple[Any, Any, dict[str, Any]]:
    """Outputs of both steps, the last state, and the variables below the scope "rnn"."""
    if isinstance(x, tuple):
        inputs: Any = tuple(tf.constant(each.swapaxes(0, 1)) for each in x)
    else:
        inputs = tf.constant(x.swapaxes(0, 1))
    first = cell.zero_state(batch, tf.float32)
    output, state = tf.nn.dynamic_rnn(cell, inputs, initial_state=first)
    (got, last), weights = run(output, state)
    return got.swapaxes(0, 1), last, {k.removeprefix("rnn/"): v for k, v in weights.items()}


def check(cell: Any, step: Any, state: Any, names: set[str], x: Any = X) -> None:
    """The cell gives what `step(weights, x, state)` gives, and has variables of these names."""
    got, last, weights = two_steps(cell, x)
    assert set(weights) == names
    for time in range(2):
        each = tuple(part[time] for part in x) if isinstance(x, tuple) else x[time]
        output, state = step(weights, each, state)
        np.testing.assert_allclose(got[time], output, rtol=2e-4, atol=2e-6)
    for one, other in zip(tf.nest.flatten(last), tf.nest.flatten(state), strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-4, atol=2e-6)


def zeros(*sizes: int) -> Any:
    return tuple(np.zeros([BATCH, size]) for size in sizes)


def cat(*parts: Any) -> Any:
    return np.concatenate(parts, 1)


def normed(weights: dict[str, Any], scope: str, x: Any) -> Any:
    mean, variance = x.mean(1, keepdims=True), x.var(1, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-12) * weights[f"{scope}/gamma"] + weights[
        f"{scope}/beta"
    ]


GATES = ("input", "transform", "forget", "output")


def scoped(prefix: str, names: str) -> set[str]:
    return {f"{prefix}/{name}" for name in names.split()}


@pytest.mark.parametrize("norm", [False, True])
def test_layer_norm_basic_lstm(norm: bool) -> None:
    prefix = "layer_norm_basic_lstm_cell"

    def step(weights: Any, x: Any, state: Any) -> Any:
        sums = cat(x, state[1]) @ weights[f"{prefix}/kernel"]
        if not norm:
            sums = sums + weights[f"{prefix}/bias"]
        parts = np.split(sums, 4, 1)
        if norm:
            parts = [normed(weights, f"{prefix}/{g}", p) for g, p in zip(GATES, parts, strict=True)]
        i, j, f, o = parts
        c = state[0] * sigmoid(f + 0.7) + sigmoid(i) * np.tanh(j)
        if norm:
            c = normed(weights, f"{prefix}/state", c)
        h = np.tanh(c) * sigmoid(o)
        return h, (c, h)

    names = {f"{prefix}/kernel"}
    if norm:
        names |= {f"{prefix}/{g}/{p}" for g in (*GATES, "state") for p in ("gamma", "beta")}
    else:
        names.add(f"{prefix}/bias")
    cell = rnn.LayerNormBasicLSTMCell(
        UNITS, 0.7, layer_norm=norm, norm_gain=0.9, norm_shift=0.1, dropout_keep_prob=1.0
    )
    check(cell, step, zeros(UNITS, UNITS), names)


def test_layer_norm_dropout() -> None:
    cell = rnn.LayerNormBasicLSTMCell(64, dropout_keep_prob=0.5, dropout_prob_seed=3)
    _, state = cell(tf.constant(X[0]), cell.zero_state(BATCH, tf.float32))
    plain = rnn.LayerNormBasicLSTMCell(64, layer_norm=False, dropout_keep_prob=0.5)
    with tf.variable_scope("plain"):
        _, other = plain(tf.constant(X[0]), plain.zero_state(BATCH, tf.float32))
    (_, memory), _ = run(state.c, other.c)
    assert 0.3 < (memory == 0).mean() < 0.7


@pytest.mark.parametrize("norm", [False, True])
@pytest.mark.parametrize("full", [False, True])
def test_layer_norm_lstm(norm: bool, full: bool) -> None:
    prefix = "layer_norm_lstm_cell"
    options: dict[str, Any] = {"layer_norm": norm, "norm_gain": 1.2, "norm_shift": 0.1}
    names = {f"{prefix}/kernel", f"{prefix}/bias"}
    if norm:
        names |= {f"{prefix}/{g}/{p}" for g in (*GATES, "state") for p in ("gamma", "beta")}
    if full:
        options |= {"use_peepholes": True, "cell_clip": 0.4, "num_proj": 3, "proj_clip": 0.3}
        names |= scoped(prefix, "w_f_diag w_i_diag w_o_diag projection/kernel")

    def step(weights: Any, x: Any, state: Any) -> Any:
        w = {k.removeprefix(f"{prefix}/"): v for k, v in weights.items()}
        parts = np.split(cat(x, state[1]) @ w["kernel"] + (0 if norm else w["bias"]), 4, 1)
        if norm:
            parts = [normed(w, g, p) for g, p in zip(GATES, parts, strict=True)]
        i, j, f, o = parts
        see = [w[f"w_{gate}_diag"] if full else 0 for gate in "fio"]
        c = sigmoid(f + 1 + see[0] * state[0]) * state[0]
        c = c + sigmoid(i + see[1] * state[0]) * np.tanh(j)
        c = normed(w, "state", c) if norm else c
        c = np.clip(c, -0.4, 0.4) if full else c
        m = sigmoid(o + see[2] * c) * np.tanh(c)
        m = np.clip(m @ w["projection/kernel"], -0.3, 0.3) if full else m
        return m, (c, m)

    cell = rnn.LayerNormLSTMCell(UNITS, **options)
    check(cell, step, zeros(UNITS, 3 if full else UNITS), names)


@pytest.mark.parametrize("full", [False, True])
def test_weight_norm_lstm(full: bool) -> None:
    prefix = "weight_norm_lstm_cell/wn_lstm_cell"
    names = scoped(prefix, "kernel bias norm_0 norm_1")
    if full:
        names |= scoped(prefix, "w_f_diag w_i_diag w_o_diag projection/kernel projection/norm_0")

    def directed(w: Any, scope: str, sizes: list[int]) -> Any:
        kernel = w[f"{scope}kernel"]
        parts = [
            kernel[:size] / np.sqrt((kernel[:size] ** 2).sum(0)) * w[f"{scope}norm_{index}"]
            for index, size in enumerate(sizes)
        ]
        return np.concatenate(parts)

    def step(weights: Any, x: Any, state: Any) -> Any:
        w = {k.removeprefix(f"{prefix}/"): v for k, v in weights.items()}
        kernel = directed(w, "", [SIZE, state[1].shape[1]])
        i, j, f, o = np.split(cat(x, state[1]) @ kernel + w["bias"], 4, 1)
        see = [w[f"w_{gate}_diag"] if full else 0 for gate in "fio"]
        c = sigmoid(f + 1 + see[0] * state[0]) * state[0]
        c = c + sigmoid(i + see[1] * state[0]) * np.tanh(j)
        c = np.clip(c, -0.4, 0.4) if full else c
        m = sigmoid(o + see[2] * c) * np.tanh(c)
        if full:
            m = np.clip(m @ directed(w, "projection/", [UNITS]), -0.2, 0.2)
        return m, (c, m)

    options: Any = {"use_peepholes": True, "cell_clip": 0.4, "num_proj": 3, "proj_clip": 0.2}
    cell = rnn.WeightNormLSTMCell(UNITS, **(options if full else {}))
    check(cell, step, zeros(UNITS, 3 if full else UNITS), names)


def test_sharded_weights_are_joined_once() -> None:
    with tf.Graph().as_default() as graph:
        cell = rnn.CoupledInputForgetGateLSTMCell(4, num_unit_shards=2, num_proj=4)
        x, state = tf.ones([2, 4]), cell.zero_state(2, tf.float32)
        cell(x, cell(x, state)[1])
        joined = graph.get_collection(tf.GraphKeys.CONCATENATED_VARIABLES)
        name = "coupled_input_forget_gate_lstm_cell/W/concat:0"
        assert [each.name for each in joined] == [name]
        assert len(joined[0].consumers()) == 2


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("norm", [False, True])
def test_coupled_gates(full: bool, norm: bool) -> None:
    prefix = "coupled_input_forget_gate_lstm_cell"
    names = scoped(prefix, "W_0 W_1 B" if full else "W_0 B")
    if full:
        names |= scoped(prefix, "W_F_diag W_O_diag W_P_0 W_P_1")
    gates = ("transform", "forget", "output")
    if norm:
        names |= {f"{prefix}/{g}/{p}" for g in (*gates, "state") for p in ("gamma", "beta")}

    def step(weights: Any, x: Any, state: Any) -> Any:
        w = {k.removeprefix(f"{prefix}/"): v for k, v in weights.items()}
        kernel = np.concatenate([w["W_0"], w["W_1"]]) if full else w["W_0"]
        parts = np.split(cat(x, state[1]) @ kernel + (0 if norm else w["B"]), 3, 1)
        if norm:
            parts = [normed(w, g, p) for g, p in zip(gates, parts, strict=True)]
        j, f, o = parts
        f = sigmoid(f + 1 + (w["W_F_diag"] * state[0] if full else 0))
        c = f * state[0] + (1 - f) * np.tanh(j)
        c = normed(w, "state", c) if norm else c
        m = sigmoid(o + (w["W_O_diag"] * c if full else 0)) * np.tanh(c)
        if full:
            m = np.clip(m @ np.concatenate([w["W_P_0"], w["W_P_1"]]), -0.2, 0.2)
        return m, (c, m)

    options: Any = {
        "use_peepholes": True,
        "num_proj": 3,
        "proj_clip": 0.2,
        "num_unit_shards": 2,
        "num_proj_shards": 2,
    }
    cell = rnn.CoupledInputForgetGateLSTMCell(UNITS, layer_norm=norm, **(options if full else {}))
    check(cell, step, zeros(UNITS, 3 if full else UNITS), names)


@pytest.mark.parametrize("full", [False, True])
def test_nas(full: bool) -> None:
    names = scoped("nas_cell", "kernel recurrent_kernel")
    if full:
        names |= scoped("nas_cell", "bias projection_weights")

    def step(weights: Any, x: Any, state: Any) -> Any:
        of_m = state[1] @ weights["nas_cell/recurrent_kernel"]
        if full:
            of_m = of_m + weights["nas_cell/bias"]
        m, i = np.split(of_m, 8, 1), np.split(x @ weights["nas_cell/kernel"], 8, 1)
        s = [one + other for one, other in zip(m, i, strict=True)]
        one = np.tanh(sigmoid(s[0]) * np.maximum(s[1], 0))
        two = np.tanh(sigmoid(s[2]) + np.maximum(m[3] * i[3], 0))
        three = np.tanh(np.tanh(s[4]) * sigmoid(s[5]))
        four = sigmoid(np.tanh(s[6]) + sigmoid(s[7]))
        c = np.tanh(one + state[0]) * two
        out = np.tanh(c * np.tanh(three + four))
        out = out @ weights["nas_cell/projection_weights"] if full else out
        return out, (c, out)

    cell = rnn.NASCell(UNITS, **({"num_proj": 3, "use_bias": True} if full else {}))
    check(cell, step, zeros(UNITS, 3 if full else UNITS), names)


def test_ugrnn_and_intersection() -> None:
    def update(weights: Any, x: Any, state: Any) -> Any:
        sums = cat(x, state) @ weights["ugrnn_cell/kernel"] + weights["ugrnn_cell/bias"]
        g, c = np.split(sums, 2, 1)
        g = sigmoid(g + 1)
        new = g * state + (1 - g) * np.tanh(c)
        return new, new

    check(rnn.UGRNNCell(UNITS), update, zeros(UNITS)[0], scoped("ugrnn_cell", "kernel bias"))
    prefix = "intersection_rnn_cell"

    def cross(weights: Any, x: Any, state: Any) -> Any:
        w = {k.removeprefix(f"{prefix}/"): v for k, v in weights.items()}
        x = x @ w["in_projection/kernel"] + w["in_projection/bias"]
        gh, h, gy, y = np.split(cat(x, state) @ w["kernel"] + w["bias"], 4, 1)
        gh, gy = sigmoid(gh + 1), sigmoid(gy + 1)
        return gy * x + (1 - gy) * np.maximum(y, 0), gh * state + (1 - gh) * np.tanh(h)

    with tf.Graph().as_default():
        tf.get_variable_scope().set_initializer(fixed_weights())
        check(
            rnn.IntersectionRNNCell(UNITS, num_in_proj=UNITS),
            cross,
            zeros(UNITS)[0],
            scoped(prefix, "kernel bias in_projection/kernel in_projection/bias"),
        )
    with pytest.raises(ValueError, match="Must have input size == output size"):
        rnn.IntersectionRNNCell(UNITS)(tf.constant(X[0]), tf.zeros([BATCH, UNITS]))


def test_sru_and_independent() -> None:
    def sru(weights: Any, x: Any, state: Any) -> Any:
        z, f, r, t = np.split(x @ weights["sru_cell/kernel"], 4, 1)
        f, r = np.split(sigmoid(cat(f, r) + weights["sru_cell/bias"]), 2, 1)
        c = f * state + (1 - f) * z
        return r * np.tanh(c) + (1 - r) * t, c

    def ind(weights: Any, x: Any, state: Any) -> Any:
        w = {k.split("/", 1)[1]: v for k, v in weights.items()}
        new = np.tanh(x @ w["kernel_w"] + state * w["kernel_u"] + w["bias"])
        return new, new

    def gru(weights: Any, x: Any, state: Any) -> Any:
        w = {k.split("/", 1)[1]: v for k, v in weights.items()}
        sums = x @ w["gates/kernel_w"] + np.tile(state, 2) * w["gates/kernel_u"] + w["gates/bias"]
        r, u = np.split(sigmoid(sums), 2, 1)
        c = x @ w["candidate/kernel"] + r * state * w["candidate/kernel_u"] + w["candidate/bias"]
        new = u * state + (1 - u) * np.tanh(c)
        return new, new

    def lstm(weights: Any, x: Any, state: Any) -> Any:
        w = {k.split("/", 1)[1]: v for k, v in weights.items()}
        sums = x @ w["kernel_w"] + np.tile(state[1], 4) * w["kernel_u"] + w["bias"]
        i, j, f, o = np.split(sums, 4, 1)
        c = state[0] * sigmoid(f + 1) + sigmoid(i) * np.tanh(j)
        h = np.tanh(c) * sigmoid(o)
        return h, (c, h)

    gates = "gates/kernel_w gates/kernel_u gates/bias candidate/kernel candidate/kernel_u"
    for cell, step, state, names in (
        (rnn.SRUCell(UNITS), sru, zeros(UNITS)[0], scoped("sru_cell", "kernel bias")),
        (rnn.IndRNNCell(UNITS), ind, zeros(UNITS)[0], "ind_rnn_cell"),
        (rnn.IndyGRUCell(UNITS), gru, zeros(UNITS)[0], "indy_gru_cell"),
        (rnn.IndyLSTMCell(UNITS), lstm, zeros(UNITS, UNITS), "indy_lstm_cell"),
    ):
        with tf.Graph().as_default():
            tf.get_variable_scope().set_initializer(fixed_weights())
            if isinstance(names, str):
                of_gru = f"{gates} candidate/bias"
                names = scoped(names, of_gru if step is gru else "kernel_w kernel_u bias")
            check(cell, step, state, names)


@pytest.mark.parametrize("peepholes", [False, True])
def test_phased_lstm(peepholes: bool) -> None:
    prefix = "phased_lstm_cell"
    times = np.float64([[[1.5], [2.0]], [[7.25], [9.5]]])
    names = scoped(prefix, "period phase ratio_on") | {
        f"{prefix}/{scope}/{part}"
        for scope in ("mask_gates", "new_input", "output_gate")
        for part in ("kernel", "bias")
    }

    def step(weights: Any, x: Any, state: Any) -> Any:
        w = {k.removeprefix(f"{prefix}/"): v for k, v in weights.items()}
        time, x = x
        c, h = state
        seen = cat(x, h, c) if peepholes else cat(x, h)
        gates = sigmoid(seen @ w["mask_gates/kernel"] + w["mask_gates/bias"])
        i, f = np.split(gates, 2, 1)
        new = c * f + i * np.tanh(cat(x, h) @ w["new_input/kernel"] + w["new_input/bias"])
        seen = cat(x, h, new) if peepholes else cat(x, h)
        out = np.tanh(new) * sigmoid(seen @ w["output_gate/kernel"] + w["output_gate/bias"])
        cycle = np.mod(time - w["phase"], w["period"]) / w["period"]
        on = w["ratio_on"]
        up = 2 * cycle / on
        k = np.where(cycle < on / 2, up, np.where(cycle < on, 2 - up, 0.01 * cycle))
        c, h = k * new + (1 - k) * c, k * out + (1 - k) * h
        return h, (c, h)

    cell = rnn.PhasedLSTMCell(
        UNITS,
        use_peepholes=peepholes,
        leak=0.01,
        ratio_on=0.6,
        period_init_min=2.0,
        period_init_max=9.0,
        trainable_ratio_on=False,
    )
    check(cell, step, zeros(UNITS, UNITS), names, (times, X))
    assert "ratio_on" not in " ".join(v.name for v in tf.trainable_variables())


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("skip", [False, True])
def test_conv_lstm(dims: int, skip: bool) -> None:
    size = [3, 4, 2][:dims]
    cell: Any = (rnn.Conv1DLSTMCell, rnn.Conv2DLSTMCell, rnn.Conv3DLSTMCell)[dims - 1](
        input_shape=[*size, 2],
        output_channels=3,
        kernel_shape=[3] * dims,
        skip_connection=skip,
    )
    x = values(2, BATCH, *size, 2, seed=5)
    got, last, weights = two_steps(cell, x)
    prefix = f"conv_{dims}d_lstm_cell"
    assert set(weights) == scoped(prefix, "kernel biases")
    kernel = weights[f"{prefix}/kernel"]
    c = h = np.zeros([BATCH, *size, 3])
    for time in range(2):
        joined = np.concatenate([x[time], h], -1)
        padded = np.pad(joined, [(0, 0), *[(1, 1)] * dims, (0, 0)])
        sums = np.zeros([BATCH, *size, 12]) + weights[f"{prefix}/biases"]
        for place in np.ndindex(*[3] * dims):
            window = padded[
                (slice(None), *[slice(p, p + s) for p, s in zip(place, size, strict=True)])
            ]
            sums = sums + window @ kernel[place]
        i, j, f, o = np.split(sums, 4, -1)
        c = sigmoid(f + 1) * c + sigmoid(i) * np.tanh(j)
        h = np.tanh(c) * sigmoid(o)
        expected = np.concatenate([h, x[time]], -1) if skip else h
        np.testing.assert_allclose(got[time], expected, rtol=2e-4, atol=2e-6)
    np.testing.assert_allclose(last.h, h, rtol=2e-4, atol=2e-6)
    with pytest.raises(ValueError, match="Invalid input_shape"):
        rnn.ConvLSTMCell(dims, [2], 3, [3])


@pytest.mark.parametrize("projected", [False, True])
def test_group_lstm(projected: bool) -> None:
    x = values(2, BATCH, 6, seed=4)
    names = scoped("glstm_cell", "bias_i bias_j bias_f bias_o group0/kernel group1/kernel")
    if projected:
        names.add("glstm_cell/projection/kernel")

    def step(weights: Any, x: Any, state: Any) -> Any:
        w = {k.removeprefix("glstm_cell/"): v for k, v in weights.items()}
        halves = zip(np.split(x, 2, 1), np.split(state[1], 2, 1), strict=True)
        sums = [
            np.split(cat(*pair) @ w[f"group{index}/kernel"], 4, 1)
            for index, pair in enumerate(halves)
        ]
        i, j, f, o = (
            cat(sums[0][n], sums[1][n]) + w[f"bias_{name}"] for n, name in enumerate("ijfo")
        )
        c = sigmoid(f + 1) * state[0] + sigmoid(i) * np.tanh(j)
        m = sigmoid(o) * np.tanh(c)
        m = m @ w["projection/kernel"] if projected else m
        return m, (c, m)

    cell = rnn.GLSTMCell(UNITS, number_of_groups=2, num_proj=2 if projected else None)
    check(cell, step, zeros(UNITS, 2 if projected else UNITS), names, x)
    for options, message in (
        ({"num_units": 3}, "num_units must be divisible"),
        ({"num_units": 4, "num_proj": 3}, "num_proj must be divisible"),
    ):
        with pytest.raises(ValueError, match=message):
            rnn.GLSTMCell(number_of_groups=2, **options)
    with pytest.raises(ValueError, match=r"input size \(3\) must be divisible"):
        rnn.GLSTMCell(UNITS, number_of_groups=2)(tf.constant(X[0]), (tf.zeros([BATCH, UNITS]),) * 2)


@pytest.mark.parametrize("is_tuple", [False, True])
def test_attention_cell(is_tuple: bool) -> None:
    prefix, length = "attention_cell_wrapper", 3
    cell: Any = tf.nn.rnn_cell.GRUCell(UNITS)
    wrapper = rnn.AttentionCellWrapper(cell, length, attn_vec_size=5, state_is_tuple=is_tuple)
    names = {
        f"{prefix}/{name}/{part}"
        for name in ("attn_output_projection", "attention", "gru_cell/gates", "gru_cell/candidate")
        for part in ("kernel", "bias")
    } | scoped(prefix, "kernel bias attention/attn_w attention/attn_v")

    def step(weights: Any, x: Any, state: Any) -> Any:
        w = {k.removeprefix(f"{prefix}/"): v for k, v in weights.items()}
        if not is_tuple:
            state = np.split(state, [UNITS, 2 * UNITS], 1)
        h, seen, last = state
        last = last.reshape(BATCH, length, UNITS)
        x = cat(x, seen) @ w["kernel"] + w["bias"]
        gates = cat(x, h) @ w["gru_cell/gates/kernel"] + w["gru_cell/gates/bias"]
        r, u = np.split(sigmoid(gates), 2, 1)
        c = cat(x, r * h) @ w["gru_cell/candidate/kernel"] + w["gru_cell/candidate/bias"]
        h = u * h + (1 - u) * np.tanh(c)
        y = h @ w["attention/kernel"] + w["attention/bias"]
        scores = (
            w["attention/attn_v"] * np.tanh(last @ w["attention/attn_w"][0, 0] + y[:, None])
        ).sum(-1)
        seen = np.einsum("bl,blu->bu", softmax(scores), last)
        out = cat(h, seen) @ w["attn_output_projection/kernel"] + w["attn_output_projection/bias"]
        last = np.concatenate([last[:, 1:], out[:, None]], 1).reshape(BATCH, -1)
        new = (h, seen, last)
        return out, new if is_tuple else cat(*new)

    sizes = (UNITS, UNITS, UNITS * length)
    state = zeros(*sizes) if is_tuple else zeros(sum(sizes))[0]
    check(wrapper, step, state, names)
    lstm = tf.nn.rnn_cell.LSTMCell(2)
    with pytest.raises(ValueError, match="the flag state_is_tuple is not set"):
        rnn.AttentionCellWrapper(lstm, 3, state_is_tuple=False)
    with pytest.raises(ValueError, match="attn_length should be greater than zero"):
        rnn.AttentionCellWrapper(lstm, 0)
