"""Small groups of operators that programs repeat: normalizations, activations, cells, distances."""

from __future__ import annotations

from typing import Any

from survey.program import Operator, below, normal, positive

_WORDS = (32, 128, 256)


def _standardized(tf: Any, x: Any, axes: list[int]) -> Any:
    mean, variance = tf.nn.moments(x, axes, keep_dims=True)
    return (x - mean) * tf.rsqrt(variance + 1e-5)


def _group_norm(tf: Any, x: Any) -> Any:
    groups = tf.reshape(x, [8, 28, 28, 8, 8])
    return tf.reshape(_standardized(tf, groups, [1, 2, 4]), [8, 28, 28, 64])


def _attention(tf: Any, x: Any, weights: Any, last: Any) -> Any:
    parts = tf.split(tf.tensordot(x, weights, 1), 3, 2)
    q, k, v = (tf.transpose(tf.reshape(part, [8, 128, 4, 64]), [0, 2, 1, 3]) for part in parts)
    seen = tf.matmul(tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / 8.0), v)
    return tf.tensordot(tf.reshape(tf.transpose(seen, [0, 2, 1, 3]), [8, 128, 256]), last, 1)


def _huber(tf: Any, x: Any, y: Any) -> Any:
    apart = tf.abs(x - y)
    return tf.where(apart < 1.0, 0.5 * apart * apart, apart - 0.5)


def _conv(tf: Any, x: Any, w: Any) -> Any:
    return tf.nn.conv2d(x, w, strides=[1, 1, 1, 1], padding="SAME")


def _inverted_bottleneck(tf: Any, x: Any, wide: Any, depthwise: Any, narrow: Any) -> Any:
    y = tf.nn.relu6(_conv(tf, x, wide))
    y = tf.nn.relu6(tf.nn.depthwise_conv2d(y, depthwise, [1, 1, 1, 1], "SAME"))
    return x + _conv(tf, y, narrow)


def _squeeze(tf: Any, x: Any, down: Any, up: Any) -> Any:
    seen = tf.nn.relu(tf.matmul(tf.reduce_mean(x, [1, 2]), down))
    return x * tf.sigmoid(tf.matmul(seen, up))[:, None, None, :]


def _lstm_cell(tf: Any, x: Any, state: Any, cell: Any, weights: Any) -> Any:
    gates = tf.split(tf.matmul(tf.concat([x, state], 1), weights), 4, 1)
    into, new, forget, out = gates
    cell = cell * tf.sigmoid(forget + 1.0) + tf.sigmoid(into) * tf.tanh(new)
    return tf.tanh(cell) * tf.sigmoid(out)


def _graph_convolution(tf: Any, x: Any, sources: Any, targets: Any, weights: Any) -> Any:
    seen = tf.unsorted_segment_sum(tf.gather(x, sources), targets, 1000)
    return tf.nn.relu(tf.matmul(seen, weights))


def _triplets(tf: Any, x: Any) -> Any:
    apart = tf.reduce_sum(tf.square(x[:, None] - x[None]), 2)
    return tf.nn.softplus(apart[:, :, None] - apart[:, None, :])


def _masked_mean(tf: Any, x: Any, lengths: Any) -> Any:
    mask = tf.sequence_mask(lengths, 50, tf.float32)[:, :, None]
    return tf.reduce_sum(x * mask, 1) / (tf.reduce_sum(mask, 1) + 1e-6)


GROUPS: tuple[Operator, ...] = (
    Operator(
        "layer norm",
        [normal(*_WORDS), normal(256), normal(256)],
        lambda tf, x, s, o: _standardized(tf, x, [-1]) * s + o,
    ),
    Operator("group norm", [normal(8, 28, 28, 64)], _group_norm),
    Operator("instance norm", [normal(8, 28, 28, 64)], lambda tf, x: _standardized(tf, x, [1, 2])),
    Operator(
        "batch norm by hand",
        [normal(64, 28, 28, 32), normal(32)],
        lambda tf, x, s: _standardized(tf, x, [0, 1, 2]) * s,
    ),
    Operator("gelu", [normal(*_WORDS)], lambda tf, x: 0.5 * x * (1.0 + tf.erf(x / 1.4142135))),
    Operator("swish", [normal(*_WORDS)], lambda tf, x: x * tf.sigmoid(x)),
    Operator("mish", [normal(*_WORDS)], lambda tf, x: x * tf.tanh(tf.nn.softplus(x))),
    Operator("huber loss", [normal(*_WORDS), normal(*_WORDS)], _huber),
    Operator(
        "attention of 4 heads",
        [normal(8, 128, 256), normal(256, 768), normal(256, 256)],
        _attention,
    ),
    Operator(
        "residual block",
        [normal(8, 14, 14, 128), normal(3, 3, 128, 128), normal(3, 3, 128, 128)],
        lambda tf, x, a, b: tf.nn.relu(x + _conv(tf, tf.nn.relu(_conv(tf, x, a)), b)),
    ),
    Operator(
        "inverted bottleneck",
        [
            *(normal(8, 28, 28, 32), normal(1, 1, 32, 192)),
            *(normal(3, 3, 192, 1), normal(1, 1, 192, 32)),
        ],
        _inverted_bottleneck,
    ),
    Operator(
        "squeeze and excite", [normal(8, 28, 28, 64), normal(64, 16), normal(16, 64)], _squeeze
    ),
    Operator(
        "LSTM cell",
        [normal(128, 100), normal(128, 128), normal(128, 128), normal(228, 512)],
        _lstm_cell,
    ),
    Operator(
        "highway layer",
        [normal(256, 128), normal(128, 128), normal(128, 128)],
        lambda tf, x, a, b: x + tf.sigmoid(tf.matmul(x, b)) * (tf.nn.relu(tf.matmul(x, a)) - x),
    ),
    Operator(
        "graph convolution",
        [normal(1000, 64), below(1000, 5000), below(1000, 5000), normal(64, 32)],
        _graph_convolution,
    ),
    Operator(
        "squared distances",
        [normal(300, 32), normal(400, 32)],
        lambda tf, x, y: tf.reduce_sum(tf.square(x[:, None] - y[None]), 2),
    ),
    Operator("triplets", [normal(128, 64)], _triplets),
    Operator("mean of words", [normal(64, 50, 128), below(49, 64)], _masked_mean),
    Operator(
        "factorisation machine",
        [normal(512, 39, 16)],
        lambda tf, x: tf.reduce_sum(
            tf.square(tf.reduce_sum(x, 1)) - tf.reduce_sum(tf.square(x), 1), 1
        ),
    ),
    Operator(
        "focal loss",
        [normal(4096), positive(4096)],
        lambda tf, x, y: -y * tf.pow(1.0 - tf.sigmoid(x), 2.0) * tf.log_sigmoid(x),
    ),
    Operator(
        "gram matrix",
        [normal(2, 1024, 64)],
        lambda tf, x: tf.matmul(x, x, transpose_a=True),
    ),
)
