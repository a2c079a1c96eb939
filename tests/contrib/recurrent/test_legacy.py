"""tf.contrib.legacy_seq2seq against formulas in numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import legacy_seq2seq as legacy
from tests.contrib.recurrent.arrays import fixed_weights, floats, ints, run, softmax, values

BATCH, SIZE, UNITS, TOKENS, VECTOR = 2, 3, 4, 5, 6
ENCODED = [ints([1, 2]), ints([3, 0]), ints([4, 4])]
DECODED = [ints([0, 1]), ints([2, 3])]


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        tf.get_variable_scope().set_initializer(fixed_weights())
        yield made


def cell() -> Any:
    return tf.nn.rnn_cell.BasicRNNCell(UNITS)


def tokens(steps: list[Any]) -> list[Any]:
    return [tf.constant(each) for each in steps]


class Net:
    """A BasicRNNCell by the variables of a scope, and a projection around it."""

    def __init__(self, weights: dict[str, Any], scope: str, inner: str = "basic_rnn_cell") -> None:
        self.w = {k.removeprefix(scope): v for k, v in weights.items() if k.startswith(scope)}
        self.kernel = self.w[f"{inner}/kernel"]
        self.bias = self.w[f"{inner}/bias"]

    def __call__(self, x: Any, h: Any) -> Any:
        return np.tanh(np.concatenate([x, h], 1) @ self.kernel + self.bias)


def test_plain_decoders() -> None:
    x = [values(BATCH, SIZE, seed=n) for n in range(3)]
    y = [values(BATCH, SIZE, seed=n) for n in (5, 6)]
    fed = [tf.constant(each) for each in x], [tf.constant(each) for each in y]
    basic = legacy.basic_rnn_seq2seq(*fed, cell())
    tied = legacy.tied_rnn_seq2seq(*fed, cell(), loop_function=lambda last, i: last[:, :SIZE] * i)
    (one, other), weights = run(basic, tied)
    scope = "basic_rnn_seq2seq/"
    encoder = Net(weights, f"{scope}rnn/")
    decoder = Net(weights, f"{scope}rnn_decoder/")
    shared = Net(weights, "combined_tied_rnn_seq2seq/tied_rnn_seq2seq/")
    assert len(weights) == 6
    h = g = np.zeros([BATCH, UNITS])
    for each in x:
        h, g = encoder(each, h), shared(each, g)
    for step, each in enumerate(y):
        h, g = decoder(each, h), shared(each if step == 0 else g[:, :SIZE], g)
        np.testing.assert_allclose(one[0][step], h, rtol=1e-5)
        np.testing.assert_allclose(other[0][step], g, rtol=1e-5)
    np.testing.assert_allclose(one[1], h, rtol=1e-5)
    np.testing.assert_allclose(other[1], g, rtol=1e-5)


def projected(net: Net, name: str, h: Any) -> Any:
    return h @ net.w[f"{name}kernel"] + net.w[f"{name}bias"]


@pytest.mark.parametrize("feeds", [False, True])
@pytest.mark.parametrize("as_tensor", [False, True])
def test_embedding_decoders(feeds: bool, as_tensor: bool) -> None:
    feed: Any = tf.placeholder_with_default(feeds, []) if as_tensor else feeds
    plain = legacy.embedding_rnn_seq2seq(
        tokens(ENCODED), tokens(DECODED), cell(), TOKENS, TOKENS, VECTOR, feed_previous=feed
    )
    tied = legacy.embedding_tied_rnn_seq2seq(
        tokens(ENCODED), tokens(DECODED), cell(), TOKENS, VECTOR, feed_previous=feed
    )
    (one, other), weights = run(plain, tied)
    scope = "embedding_rnn_seq2seq/"
    encoder = Net(weights, f"{scope}rnn/embedding_wrapper/")
    decoder = Net(
        weights,
        f"{scope}embedding_rnn_decoder/rnn_decoder/output_projection_wrapper/",
    )
    table = weights[f"{scope}embedding_rnn_decoder/embedding"]
    shared = Net(
        weights,
        "embedding_tied_rnn_seq2seq/combined_tied_rnn_seq2seq/tied_rnn_seq2seq/"
        "output_projection_wrapper/",
    )
    both = weights["embedding_tied_rnn_seq2seq/embedding"]
    h = g = np.zeros([BATCH, UNITS])
    for each in ENCODED:
        h, g = encoder(encoder.w["embedding"][each], h), shared(both[each], g)
    said = told = DECODED[0]
    for step, each in enumerate(DECODED):
        if not feeds:
            said = told = each
        h, g = decoder(table[said], h), shared(both[told], g)
        logits, others = projected(decoder, "", h), projected(shared, "", g)
        np.testing.assert_allclose(one[0][step], logits, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(other[0][step], others, rtol=1e-4, atol=1e-6)
        said, told = logits.argmax(1), others.argmax(1)
    np.testing.assert_allclose(one[1], h, rtol=1e-4)


def attended(net: Net, heads: int, h: Any, places: Any) -> list[Any]:
    found = []
    for head in range(heads):
        y = projected(net, f"Attention_{head}/", h)
        features = places @ net.w[f"AttnW_{head}"][0, 0]
        scores = (net.w[f"AttnV_{head}"] * np.tanh(features + y[:, None])).sum(-1)
        found.append(np.einsum("bp,bps->bs", softmax(scores), places))
    return found


@pytest.mark.parametrize("heads", [1, 2])
@pytest.mark.parametrize("initial", [False, True])
@pytest.mark.parametrize("feeds", [False, True])
def test_attention(heads: int, initial: bool, feeds: bool) -> None:
    feed: Any = tf.placeholder_with_default(feeds, []) if heads == 1 else feeds
    outputs, _ = legacy.embedding_attention_seq2seq(
        tokens(ENCODED),
        tokens(DECODED),
        cell(),
        TOKENS,
        TOKENS,
        VECTOR,
        num_heads=heads,
        feed_previous=feed,
        initial_state_attention=initial,
    )
    (got,), weights = run(outputs)
    scope = "embedding_attention_seq2seq/"
    encoder = Net(weights, f"{scope}rnn/embedding_wrapper/")
    inner = f"{scope}embedding_attention_decoder/"
    net = Net(weights, f"{inner}attention_decoder/", "output_projection_wrapper/basic_rnn_cell")
    h, encoded = np.zeros([BATCH, UNITS]), []
    for each in ENCODED:
        h = encoder(encoder.w["embedding"][each], h)
        encoded.append(h)
    places, said = np.stack(encoded, 1), DECODED[0]
    seen = attended(net, heads, h, places) if initial else [np.zeros([BATCH, UNITS])] * heads
    for step, each in enumerate(DECODED):
        vectors = weights[f"{inner}embedding"][said if feeds else each]
        x = projected(net, "", np.concatenate([vectors, *seen], 1))
        h = net(x, h)
        seen = attended(net, heads, h, places)
        output = projected(net, "output_projection_wrapper/", h)
        logits = projected(net, "AttnOutputProjection/", np.concatenate([output, *seen], 1))
        np.testing.assert_allclose(got[step], logits, rtol=2e-4, atol=1e-5)
        said = logits.argmax(1)


@pytest.mark.parametrize("as_tensor", [False, True])
def test_output_projection_and_many(as_tensor: bool) -> None:
    feed: Any = tf.placeholder_with_default(True, []) if as_tensor else True
    projection = (tf.constant(values(UNITS, TOKENS)), tf.zeros([TOKENS]))
    states = tf.constant(values(BATCH, 3, UNITS))
    outputs, _ = legacy.embedding_attention_decoder(
        tokens(DECODED),
        tf.zeros([BATCH, UNITS]),
        states,
        cell(),
        TOKENS,
        VECTOR,
        output_projection=projection,
        feed_previous=True,
    )
    assert [each.shape.as_list() for each in outputs] == [[BATCH, UNITS]] * 2
    plain, _ = legacy.embedding_rnn_seq2seq(
        tokens(ENCODED), tokens(DECODED), cell(), TOKENS, TOKENS, VECTOR, projection, feed
    )
    several, last = legacy.one2many_rnn_seq2seq(
        tokens(ENCODED),
        {"a": tokens(DECODED), "b": tokens(DECODED[:1])},
        cell(),
        {"a": cell(), "b": tf.nn.rnn_cell.BasicRNNCell(UNITS)},
        TOKENS,
        {"a": TOKENS, "b": 3},
        VECTOR,
        feed_previous=feed,
    )
    (one, many, _), weights = run(plain, several, last)
    assert [each.shape for each in one] == [(BATCH, UNITS)] * 2
    assert [len(many["a"]), many["b"][0].shape] == [2, (BATCH, 3)]
    name = "one2many_rnn_seq2seq/one2many_decoder_b/embedding_rnn_decoder/embedding"
    assert weights[name].shape == (3, VECTOR)
    with pytest.raises(ValueError, match="compatible"):
        legacy.embedding_rnn_decoder(
            tokens(DECODED), states[:, 0], cell(), TOKENS + 1, VECTOR, output_projection=projection
        )


def test_losses_and_buckets() -> None:
    logits = [values(BATCH, TOKENS, seed=n) for n in range(3)]
    targets = [ints([0, 1]), ints([4, 2]), ints([3, 3])]
    weights = [floats([1, 0.5]), floats([0.25, 0]), floats([1, 1])]
    each = sum(
        -np.log(softmax(one))[[0, 1], target] * weight
        for one, target, weight in zip(logits, targets, weights, strict=True)
    )
    total = sum(weights)
    of = [[tf.constant(x) for x in given] for given in (logits, targets, weights)]
    rows = legacy.sequence_loss_by_example(*of)
    sums = legacy.sequence_loss_by_example(*of, average_across_timesteps=False)
    mean, whole = legacy.sequence_loss(*of), legacy.sequence_loss(*of, average_across_batch=False)
    own = legacy.sequence_loss(*of, softmax_loss_function=lambda labels, logits: logits[:, 0])

    def model(encoder: Any, decoder: Any) -> Any:
        return legacy.embedding_rnn_seq2seq(encoder, decoder, cell(), TOKENS, TOKENS, VECTOR)

    outputs, losses = legacy.model_with_buckets(
        tokens(ENCODED),
        tokens(DECODED),
        of[1],
        of[2],
        [(1, 1), (3, 2)],
        model,
        per_example_loss=True,
    )
    (got, found, (short, long)), _ = run([rows, sums, mean, whole, own], losses, outputs)
    expected = [each / total, each, (each / total).mean(), (each / total).sum()]
    for value, wanted in zip(got, expected, strict=False):
        np.testing.assert_allclose(value, wanted, rtol=1e-5)
    first = sum(one[:, 0] * weight for one, weight in zip(logits, weights, strict=True))
    np.testing.assert_allclose(got[4], (first / total).mean(), rtol=1e-4, atol=1e-6)
    assert (len(short), len(long)) == (1, 2)
    wanted = -np.log(softmax(short[0]))[[0, 1], targets[0]]
    np.testing.assert_allclose(found[0], wanted, rtol=1e-5)
    with pytest.raises(ValueError, match="Lengths of logits, weights, and targets"):
        legacy.sequence_loss(of[0][:2], of[1], of[2])
    with pytest.raises(ValueError, match=r"Length of targets \(3\) must be at least that of last"):
        legacy.model_with_buckets(of[0] * 2, of[0], of[1], of[2], [(4, 4)], model)
    with pytest.raises(ValueError, match="Must provide at least 1 input"):
        legacy.attention_decoder([], tf.zeros([2, 4]), tf.zeros([2, 3, 4]), cell())
    with pytest.raises(ValueError, match="With less than 1 heads"):
        legacy.attention_decoder(of[0], tf.zeros([2, 4]), tf.zeros([2, 3, 4]), cell(), num_heads=0)
