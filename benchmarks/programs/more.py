"""Programs of other kinds: recurrent cells, factorisation, sampling, sorting, moving of data."""

from __future__ import annotations

from typing import Any

import numpy as np

from programs.program import Build, Program, Step, dense, floats


def _training(tf: Any, session: Any, loss: Any, feeds: dict[Any, Any], rate: float = 0.01) -> Step:
    train = tf.train.GradientDescentOptimizer(rate).minimize(loss)
    session.run(tf.global_variables_initializer())
    return lambda: session.run([train, loss], feeds)


def gru(tf: Any, session: Any) -> Step:
    """A GRU of width 64, unrolled over 16 steps, batch 32: an SGD step."""
    batch, length, width = 32, 16, 64
    x = tf.placeholder(tf.float32, [batch, length, width])
    gates = tf.Variable(floats(0, 2 * width, 2 * width, scale=0.1))
    candidate = tf.Variable(floats(1, 2 * width, width, scale=0.1))
    state = tf.zeros([batch, width])
    for step in tf.unstack(x, axis=1):
        joined = tf.sigmoid(tf.matmul(tf.concat([step, state], 1), gates) + 1.0)
        reset, update = tf.split(joined, 2, 1)
        new = tf.tanh(tf.matmul(tf.concat([step, reset * state], 1), candidate))
        state = update * state + (1.0 - update) * new
    loss = tf.reduce_mean(tf.square(state))
    return _training(tf, session, loss, {x: floats(2, batch, length, width)})


def residual_block(tf: Any, session: Any) -> Step:
    """A bottleneck of convolutions with batch norm and a way around, 8 x 28 x 28 x 128: SGD."""
    x = tf.placeholder(tf.float32, [8, 28, 28, 128])
    y = x
    for index, (size, depth_in, depth_out) in enumerate(((1, 128, 32), (3, 32, 32), (1, 32, 128))):
        kernel = tf.Variable(floats(index, size, size, depth_in, depth_out, scale=0.05))
        y = tf.nn.conv2d(y, kernel, strides=[1, 1, 1, 1], padding="SAME")
        scale, offset = tf.Variable(tf.ones([depth_out])), tf.Variable(tf.zeros([depth_out]))
        y = tf.nn.fused_batch_norm(y, scale, offset)[0]
        y = tf.nn.relu(y if index < 2 else y + x)
    return _training(tf, session, tf.reduce_mean(y), {x: floats(4, 8, 28, 28, 128)})


def factorisation(tf: Any, session: Any) -> Step:
    """2,000 users and 3,000 items, 32 factors: Adagrad on 4,096 ratings."""
    users, items = (tf.placeholder(tf.int32, [None]) for _ in range(2))
    ratings = tf.placeholder(tf.float32, [None])
    u = tf.nn.embedding_lookup(tf.Variable(floats(0, 2000, 32, scale=0.1)), users)
    v = tf.nn.embedding_lookup(tf.Variable(floats(1, 3000, 32, scale=0.1)), items)
    loss = tf.reduce_mean(tf.square(tf.reduce_sum(u * v, 1) - ratings))
    loss += 1e-3 * (tf.nn.l2_loss(u) + tf.nn.l2_loss(v))
    train = tf.train.AdagradOptimizer(0.1).minimize(loss)
    session.run(tf.global_variables_initializer())
    random = np.random.default_rng(0)
    feeds = {
        users: random.integers(0, 2000, 4096),
        items: random.integers(0, 3000, 4096),
        ratings: random.random(4096, np.float32),
    }
    return lambda: session.run([train, loss], feeds)


def sampled_softmax(tf: Any, session: Any) -> Step:
    """A softmax over a vocabulary of 5,000 words of which 64 are sampled, batch 128: SGD."""
    words, labels = tf.placeholder(tf.int32, [128]), tf.placeholder(tf.int64, [128, 1])
    hidden = tf.nn.embedding_lookup(tf.Variable(floats(0, 5000, 64, scale=0.1)), words)
    weights, biases = tf.Variable(floats(1, 5000, 64, scale=0.1)), tf.Variable(tf.zeros([5000]))
    sampled = tf.constant(np.random.default_rng(5).integers(0, 5000, 64))
    true = tf.reduce_sum(hidden * tf.gather(weights, labels[:, 0]), 1, keepdims=True)
    true += tf.gather(biases, labels)
    others = tf.matmul(hidden, tf.gather(weights, sampled), transpose_b=True)
    logits = tf.concat([true, others + tf.gather(biases, sampled)], 1)
    zeros = tf.zeros([128], tf.int32)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=zeros, logits=logits)
    random = np.random.default_rng(0)
    feeds = {words: random.integers(0, 5000, 128), labels: random.integers(0, 5000, (128, 1))}
    return _training(tf, session, tf.reduce_mean(losses), feeds)


def sentences(tf: Any, session: Any) -> Step:
    """32 sentences of 40 words, filters over 3, 4 and 5 of them as wide as words' vectors: SGD."""
    words, labels = tf.placeholder(tf.int32, [32, 40]), tf.placeholder(tf.int32, [32])
    vectors = tf.nn.embedding_lookup(tf.Variable(floats(0, 2000, 64, scale=0.1)), words)[..., None]
    found = []
    for taps in (3, 4, 5):
        filters = tf.Variable(floats(taps, taps, 64, 1, 48, scale=0.1))
        seen = tf.nn.relu(tf.nn.conv2d(vectors, filters, [1, 1, 1, 1], "VALID"))
        found.append(tf.reduce_max(seen, [1, 2]))
    logits = dense(tf, tf.concat(found, 1), 144, 5, 9)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    random = np.random.default_rng(0)
    feeds = {words: random.integers(0, 2000, (32, 40)), labels: random.integers(0, 5, 32)}
    return _training(tf, session, tf.reduce_mean(losses), feeds)


def power_iteration(tf: Any, session: Any) -> Step:
    """The leading eigenvector of a 512 x 512 matrix, by 20 products in a loop."""
    a = floats(0, 512, 512)
    matrix = tf.constant((a + a.T) / 2)
    start = tf.placeholder(tf.float32, [512, 1])

    def body(i: Any, v: Any) -> Any:
        w = tf.matmul(matrix, v)
        return i + 1, w / tf.norm(w)

    _, vector = tf.while_loop(lambda i, _: i < 20, body, [0, start])
    value = tf.matmul(vector, tf.matmul(matrix, vector), transpose_a=True)
    feeds = {start: floats(1, 512, 1)}
    return lambda: session.run(value, feeds)


def logistic_regression(tf: Any, session: Any) -> Step:
    """20,000 x 30 features, in float64 with L2: a step of gradient descent."""
    x, y = tf.placeholder(tf.float64, [None, 30]), tf.placeholder(tf.float64, [None])
    weights = tf.Variable(np.zeros((30, 1)))
    logits = tf.squeeze(tf.matmul(x, weights), 1)
    losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits)
    loss = tf.reduce_mean(losses) + 1e-3 * tf.nn.l2_loss(weights)
    random = np.random.default_rng(0)
    feeds = {x: random.normal(size=(20_000, 30)), y: random.integers(0, 2, 20_000).astype(float)}
    return _training(tf, session, loss, feeds)


def moving(tf: Any, session: Any) -> Step:
    """Transposes, splits, concatenations, strided slices, padding and tiling of 1M floats."""
    x = tf.placeholder(tf.float32, [64, 128, 128])
    y = tf.transpose(x, [2, 0, 1])
    y = tf.concat(tf.split(y, 4, 2)[::-1], 2)
    y = tf.pad(y[:, ::2], [[0, 0], [1, 1], [0, 0]])
    y = tf.tile(tf.reverse(y, [1])[:, :32], [1, 2, 1])
    y = tf.stack(tf.unstack(tf.transpose(y, [1, 2, 0]), axis=0)[:32])
    feeds = {x: floats(0, 64, 128, 128)}
    fetch = tf.reduce_sum(y, 2)
    return lambda: session.run(fetch, feeds)


def choosing(tf: Any, session: Any) -> Step:
    """top_k, one_hot, gather_nd, boolean masks, cumulative sums and argmax of 500 x 1,000."""
    x = tf.placeholder(tf.float32, [500, 1000])
    values, places = tf.nn.top_k(x, 10)
    hot = tf.one_hot(tf.argmax(x, 1), 1000)
    rows = tf.tile(tf.range(500)[:, None], [1, 10])
    picked = tf.gather_nd(x, tf.stack([rows, places], 2))
    running = tf.cumsum(x, 1)
    kept = tf.boolean_mask(running, x > 0.5)
    fetches = [tf.reduce_sum(values - picked), tf.reduce_sum(hot * x), tf.reduce_mean(kept)]
    feeds = {x: np.random.default_rng(0).random((500, 1000), np.float32)}
    return lambda: session.run(fetches, feeds)


def statistics(tf: Any, session: Any) -> Step:
    """Means, variances, extremes and norms of 2M floats along both axes."""
    x = tf.placeholder(tf.float32, [2000, 1000])
    fetches = [
        *(tf.reduce_sum(f) for axis in (0, 1) for f in tf.nn.moments(x, [axis])),
        *(tf.reduce_sum(f(x, 0)) for f in (tf.reduce_max, tf.reduce_min, tf.reduce_logsumexp)),
        tf.norm(x),
    ]
    feeds = {x: floats(0, 2000, 1000)}
    return lambda: session.run(fetches, feeds)


def monte_carlo(tf: Any, session: Any) -> Step:
    """Pi by 500,000 pairs of uniform numbers of a seeded generator."""
    points = tf.random_uniform([500_000, 2], seed=3)
    inside = tf.reduce_sum(tf.square(points), 1) < 1.0
    estimate = 4.0 * tf.reduce_mean(tf.cast(inside, tf.float32))
    return lambda: session.run(estimate)


def inference(rows: int) -> Build:
    """A net 256-512-512-10 with softmax, on many rows at once or on one."""

    def build(tf: Any, session: Any) -> Step:
        x = tf.placeholder(tf.float32, [None, 256])
        hidden = tf.nn.relu(dense(tf, tf.nn.relu(dense(tf, x, 256, 512, 0)), 512, 512, 1))
        fetch = tf.nn.softmax(dense(tf, hidden, 512, 10, 2))
        session.run(tf.global_variables_initializer())
        feeds = {x: floats(4, rows, 256)}
        return lambda: session.run(fetch, feeds)

    return build


MORE = (
    Program("GRU unrolled over 16 steps, SGD", gru),
    Program("residual bottleneck with batch norm, SGD", residual_block),
    Program("matrix factorisation, Adagrad", factorisation),
    Program("softmax over sampled words, SGD", sampled_softmax),
    Program("sentences, filters as wide as their words, SGD", sentences, 0.2),
    Program("power iteration, 512 x 512", power_iteration),
    Program("logistic regression 20,000 x 30, float64", logistic_regression),
    Program("moving 1M floats about", moving),
    Program("top_k, one_hot, masks, cumsum", choosing),
    Program("statistics of 2M floats", statistics),
    Program("pi by 500,000 random points", monte_carlo),
    Program("net 256-512-512-10, 4,096 rows", inference(4096)),
    Program("net 256-512-512-10, one row", inference(1)),
)
