"""Small programs of the kind that people trained with these parts: they learn what they should."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import crf, legacy_seq2seq, rnn, seq2seq
from dataflow.contrib.training import HParams
from tests.contrib.recurrent.arrays import ints

TOKENS, GO, END = 8, 0, 1


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        tf.set_random_seed(7)
        yield made


def trained(session: Any, train: Any, loss: Any, steps: int, feed: Any = None) -> tuple[Any, Any]:
    """The loss before and behind some steps."""
    session.run(tf.global_variables_initializer())
    feed = feed or (dict)
    before = session.run(loss, feed())
    for _ in range(steps):
        session.run(train, feed())
    return before, session.run(loss, feed())


def test_reversing_with_attention_and_beams() -> None:
    """An encoder and an attending decoder learn to say a sequence backwards."""
    batch, length, units, width = 16, 4, 24, 3
    random = np.random.RandomState(0)
    source = tf.placeholder(tf.int32, [batch, length])
    ends = tf.fill([batch, 1], END)
    target = tf.concat([tf.reverse(source, [1]), ends], 1)
    embedding = tf.get_variable("embedding", [TOKENS, 12])
    forward, backward = (tf.nn.rnn_cell.GRUCell(units // 2) for _ in range(2))
    encoded, states = tf.nn.bidirectional_dynamic_rnn(
        forward, backward, tf.nn.embedding_lookup(embedding, source), dtype=tf.float32
    )
    memory, first = tf.concat(encoded, 2), tf.concat(states, 1)
    layer = tf.layers.Dense(TOKENS, use_bias=False, name="out")

    def decoder_cell(tiles: int) -> tuple[Any, Any]:
        attention = seq2seq.LuongAttention(
            units,
            seq2seq.tile_batch(memory, tiles),
            memory_sequence_length=tf.fill([batch * tiles], length),
            scale=True,
        )
        cell = seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(units), attention, units)
        state = cell.zero_state(batch * tiles, tf.float32)
        return cell, state.clone(cell_state=seq2seq.tile_batch(first, tiles))

    with tf.variable_scope("decode"):
        cell, state = decoder_cell(1)
        fed = tf.concat([tf.fill([batch, 1], GO), target[:, :-1]], 1)
        helper = seq2seq.TrainingHelper(
            tf.nn.embedding_lookup(embedding, fed), tf.fill([batch], length + 1)
        )
        output, _, _ = seq2seq.dynamic_decode(seq2seq.BasicDecoder(cell, helper, state, layer))
    with tf.variable_scope("decode", reuse=True):
        cell, state = decoder_cell(1)
        greedy = seq2seq.GreedyEmbeddingHelper(embedding, tf.fill([batch], GO), END)
        said, _, lengths = seq2seq.dynamic_decode(
            seq2seq.BasicDecoder(cell, greedy, state, layer), maximum_iterations=8
        )
    with tf.variable_scope("decode", reuse=True):
        cell, state = decoder_cell(width)
        search = seq2seq.BeamSearchDecoder(
            cell, embedding, tf.fill([batch], GO), END, state, width, layer
        )
        found, _, _ = seq2seq.dynamic_decode(search, maximum_iterations=8)
    weights = tf.ones([batch, length + 1])
    loss = seq2seq.sequence_loss(output.rnn_output, target, weights)
    optimizer = tf.train.AdamOptimizer(0.02)
    slopes, variables = zip(*optimizer.compute_gradients(loss), strict=True)
    train = optimizer.apply_gradients(
        zip(tf.clip_by_global_norm(slopes, 5.0)[0], variables, strict=True)
    )

    def feed() -> Any:
        return {source: random.randint(2, TOKENS, (batch, length))}

    with tf.Session() as session:
        before, after = trained(session, train, loss, 150, feed)
        assert after < 0.2 < 1 < before
        seen = feed()
        wanted, ids, counts, beams = session.run(
            [target, said.sample_id, lengths, found.predicted_ids], seen
        )
        assert (counts == length + 1).mean() > 0.8
        steps = min(ids.shape[1], length + 1)
        assert (ids[:, :steps] == wanted[:, :steps]).mean() > 0.85
        assert (beams[:, : length + 1, 0] == wanted).mean() > 0.85


def test_tagger_of_bilstm_and_crf() -> None:
    """Tags that depend on the last word as well as on this one are learned."""
    batch, time, words, tags = 12, 6, 7, 3
    random = np.random.RandomState(1)
    sentences = random.randint(0, words, (batch, time))
    before = np.concatenate([np.zeros([batch, 1], int), sentences[:, :-1]], 1)
    right = (sentences + before) % tags
    lengths = ints(random.randint(2, time + 1, batch))
    embedded = tf.nn.embedding_lookup(tf.get_variable("words", [words, 8]), sentences)
    cells = [rnn.LayerNormBasicLSTMCell(10), rnn.CoupledInputForgetGateLSTMCell(10)]
    outputs, _ = tf.nn.bidirectional_dynamic_rnn(
        *cells, embedded, sequence_length=lengths, dtype=tf.float32
    )
    scores = tf.layers.dense(tf.concat(outputs, 2), tags)
    likelihood, transitions = crf.crf_log_likelihood(scores, right, lengths)
    loss = tf.reduce_mean(-likelihood)
    found, _ = crf.crf_decode(scores, transitions, lengths)
    train = tf.train.AdamOptimizer(0.05).minimize(loss)
    with tf.Session() as session:
        first, last = trained(session, train, loss, 60)
        assert last < first / 5
        got, matrix, rows = session.run([found, transitions, scores])
        for row, length in enumerate(lengths):
            np.testing.assert_array_equal(got[row, :length], right[row, :length])
            in_numpy, _ = crf.viterbi_decode(rows[row, :length], matrix)
            np.testing.assert_array_equal(got[row, :length], in_numpy)


def test_characters_by_legacy_decoder() -> None:
    """A net over a text, one character after the other, then says the text itself."""
    text = "hello world. " * 6
    letters = sorted(set(text))
    codes = ints([letters.index(letter) for letter in text])
    steps, batch, units = 13, 4, 32
    count = (len(codes) - 1) // (steps * batch)
    x = codes[: count * steps * batch].reshape(batch, -1)
    y = codes[1 : count * steps * batch + 1].reshape(batch, -1)
    cell = tf.nn.rnn_cell.MultiRNNCell(
        [tf.nn.rnn_cell.BasicLSTMCell(units), rnn.LSTMBlockCell(units)]
    )
    table = tf.get_variable("embedding", [len(letters), units])
    softmax_w = tf.get_variable("softmax_w", [units, len(letters)])
    softmax_b = tf.get_variable("softmax_b", [len(letters)], initializer=tf.zeros_initializer())

    def again(last: Any, _: int) -> Any:
        logits = tf.matmul(last, softmax_w) + softmax_b
        return tf.nn.embedding_lookup(table, tf.stop_gradient(tf.argmax(logits, 1)))

    def logits_of(tokens: Any, loops: bool) -> Any:
        inputs = tf.split(tf.nn.embedding_lookup(table, tokens), tokens.shape[1], 1)
        outputs, _ = legacy_seq2seq.rnn_decoder(
            [tf.squeeze(each, [1]) for each in inputs],
            cell.zero_state(tokens.shape[0], tf.float32),
            cell,
            loop_function=again if loops else None,
            scope="rnnlm",
        )
        return tf.matmul(tf.reshape(tf.concat(outputs, 1), [-1, units]), softmax_w) + softmax_b

    logits = logits_of(x[:, :steps], False)
    with tf.variable_scope("", reuse=True):
        said = tf.argmax(logits_of(x[:1, :steps], True), 1)
    loss = legacy_seq2seq.sequence_loss_by_example(
        [logits], [tf.reshape(y[:, :steps], [-1])], [tf.ones([batch * steps])]
    )
    cost = tf.reduce_mean(loss)
    train = tf.train.AdamOptimizer(0.02).minimize(cost)
    with tf.Session() as session:
        before, after = trained(session, train, cost, 80)
        assert after < before / 5
        np.testing.assert_array_equal(session.run(said), y[0, :steps])


def test_dilated_convolutions() -> None:
    """Gated causal convolutions see as far back as their dilations say, and no further."""
    channels, length = 8, 32

    def causal(x: Any, filters: int, dilation: int, name: str) -> Any:
        padded = tf.pad(x, [[0, 0], [dilation, 0], [0, 0]])
        return tf.layers.conv1d(padded, filters, 2, dilation_rate=dilation, name=name)

    def net(x: Any) -> Any:
        x, skips = causal(x, channels, 1, "first"), []
        for index, dilation in enumerate((1, 2, 4, 8)):
            shown = tf.tanh(causal(x, channels, dilation, f"filter{index}"))
            gate = tf.sigmoid(causal(x, channels, dilation, f"gate{index}"))
            skips.append(tf.layers.conv1d(shown * gate, channels, 1, name=f"skip{index}"))
            x = x + tf.layers.conv1d(shown * gate, channels, 1, name=f"dense{index}")
        return tf.layers.conv1d(tf.nn.relu(tf.add_n(skips)), 1, 1, name="last")

    wave = np.sin(np.arange(length + 1) * 0.5).astype(np.float32)[None, :, None]
    inputs = tf.constant(wave[:, :-1])
    outputs = net(inputs)
    loss = tf.reduce_mean(tf.square(outputs - wave[:, 1:]))
    slope = tf.gradients(outputs[0, -1, 0], inputs)[0]
    train = tf.train.AdamOptimizer(0.01).minimize(loss)
    with tf.Session() as session:
        before, after = trained(session, train, loss, 80)
        assert after < before / 5
        seen = np.flatnonzero(session.run(slope)[0, :, 0])
        assert seen.min() == length - (1 + 1 + 1 + 2 + 4 + 8) and seen.max() == length - 1


def attention(x: Any, heads: int) -> tuple[Any, Any]:
    """Masked self-attention of several heads, and its keys and values."""
    size = x.shape[-1]
    c = tf.layers.dense(x, 3 * int(size), name="c_attn")

    def parted(each: Any) -> Any:
        count = tf.shape(each)
        split = tf.reshape(each, [count[0], count[1], heads, int(size) // heads])
        return tf.transpose(split, [0, 2, 1, 3])

    q, k, v = map(parted, tf.split(c, 3, axis=2))
    w = tf.matmul(q, k, transpose_b=True) * tf.rsqrt(tf.cast(int(size) // heads, q.dtype))
    rows, columns = tf.shape(w)[2], tf.shape(w)[3]
    mask = tf.cast(tf.range(rows)[:, None] >= tf.range(columns) - columns + rows, w.dtype)
    w = tf.nn.softmax(w * mask - 1e10 * (1 - mask))
    joined = tf.transpose(tf.matmul(w, v), [0, 2, 1, 3])
    merged = tf.reshape(joined, [tf.shape(x)[0], -1, int(size)])
    return tf.layers.dense(merged, int(size), name="c_proj"), tf.stack([k, v], 1)


def norm(x: Any, scope: str) -> Any:
    with tf.variable_scope(scope):
        size = x.shape[-1]
        g = tf.get_variable("g", [size], initializer=tf.constant_initializer(1))
        b = tf.get_variable("b", [size], initializer=tf.constant_initializer(0))
        mean = tf.reduce_mean(x, axis=-1, keepdims=True)
        spread = tf.reduce_mean(tf.square(x - mean), axis=-1, keepdims=True)
        return (x - mean) * tf.rsqrt(spread + 1e-5) * g + b


def model(hparams: HParams, tokens: Any, reuse: Any = False) -> Any:
    """Logits of the next token."""
    with tf.variable_scope("model", reuse=reuse):
        wpe = tf.get_variable("wpe", [hparams.n_ctx, hparams.n_embd])
        wte = tf.get_variable("wte", [hparams.n_vocab, hparams.n_embd])
        h = tf.gather(wte, tokens) + tf.gather(wpe, tf.range(tf.shape(tokens)[1]))
        for layer in range(hparams.n_layer):
            with tf.variable_scope(f"h{layer}"):
                a, _ = attention(norm(h, "ln_1"), hparams.n_head)
                h = h + a
                m = tf.layers.dense(norm(h, "ln_2"), 4 * hparams.n_embd, tf.nn.relu, name="c_fc")
                h = h + tf.layers.dense(m, hparams.n_embd, name="m_proj")
        flat = tf.reshape(norm(h, "ln_f"), [-1, hparams.n_embd])
        logits = tf.matmul(flat, wte, transpose_b=True)
        return tf.reshape(logits, [tf.shape(tokens)[0], -1, hparams.n_vocab])


def top_k_logits(logits: Any, k: int) -> Any:
    values, _ = tf.nn.top_k(logits, k=k)
    least = values[:, -1, tf.newaxis]
    return tf.where(logits < least, tf.ones_like(logits, dtype=logits.dtype) * -1e10, logits)


def test_transformer_that_samples() -> None:
    """A decoder of transformer blocks learns a loop of tokens and then goes round in it."""
    hparams = HParams(n_vocab=6, n_ctx=16, n_embd=16, n_head=2, n_layer=2)
    hparams.override_from_dict({"n_layer": 1})
    loop = np.tile([0, 3, 1, 4, 2, 5], 4)
    batch = np.stack([loop[n : n + 12] for n in range(6)])
    logits = model(hparams, tf.constant(batch[:, :-1]))
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=batch[:, 1:], logits=logits)
    )
    train = tf.train.AdamOptimizer(0.02).minimize(loss)
    start = tf.constant(batch[:2, :3], tf.int32)

    def body(count: Any, output: Any) -> Any:
        last = model(hparams, output, reuse=tf.AUTO_REUSE)[:, -1, :]
        drawn = tf.multinomial(top_k_logits(last, 2), num_samples=1, output_dtype=tf.int32)
        return [count + 1, tf.concat([output, drawn], axis=1)]

    _, said = tf.while_loop(
        lambda *_: True,
        body,
        loop_vars=[0, start],
        maximum_iterations=9,
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([2, None])],
        back_prop=False,
    )
    with tf.Session() as session:
        before, after = trained(session, train, loss, 100)
        assert after < 0.1 < 1 < before
        found = session.run(said)
        np.testing.assert_array_equal(found, batch[:2])
