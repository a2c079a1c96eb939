"""Operators of the survey that nets are made of: convolutions, pooling, normalization, losses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from survey.program import Operator, below, normal, positive

_CONVOLUTIONS = (
    # size, input channels, output channels, taps, batch, stride, padding
    (56, 64, 64, 3, 2, 1, "SAME"),
    (28, 128, 128, 3, 4, 1, "SAME"),
    (8, 512, 512, 3, 8, 1, "SAME"),
    (14, 256, 256, 3, 8, 1, "VALID"),
    (112, 3, 64, 7, 2, 2, "SAME"),
    (64, 16, 16, 3, 8, 1, "SAME"),
    (28, 64, 64, 5, 8, 2, "VALID"),
    (32, 3, 32, 3, 64, 1, "SAME"),
    (84, 4, 32, 8, 32, 4, "VALID"),
    (28, 1, 16, 3, 128, 1, "SAME"),
    (35, 48, 64, 5, 4, 1, "SAME"),
    (12, 64, 64, 3, 1, 1, "SAME"),
    (28, 192, 32, 1, 8, 1, "SAME"),
    (14, 256, 512, 1, 8, 1, "SAME"),
    (56, 64, 128, 1, 4, 2, "SAME"),
)
_DEPTHWISE = ((56, 64, 3, 1), (56, 96, 3, 2), (14, 240, 5, 1))
_POOLS = ((2, 2, "SAME"), (3, 2, "VALID"), (3, 1, "SAME"))


def _convolutions() -> Iterator[Operator]:
    for size, depth, width, taps, batch, stride, padding in _CONVOLUTIONS:
        yield Operator(
            f"conv2d {taps}x{taps}/{stride}, {batch} x {size} x {size} x {depth} to {width}",
            [normal(batch, size, size, depth), normal(taps, taps, depth, width)],
            lambda tf, x, w, s=stride, p=padding: tf.nn.conv2d(
                x, w, strides=[1, s, s, 1], padding=p
            ),
        )
    for size, depth, taps, stride in _DEPTHWISE:
        yield Operator(
            f"depthwise {taps}x{taps}/{stride}, 8 x {size} x {size} x {depth}",
            [normal(8, size, size, depth), normal(taps, taps, depth, 1)],
            lambda tf, x, w, s=stride: tf.nn.depthwise_conv2d(x, w, [1, s, s, 1], "SAME"),
        )
    yield Operator(
        "conv2d, dilated",
        [normal(8, 28, 28, 32), normal(3, 3, 32, 32)],
        lambda tf, x, w: tf.nn.conv2d(
            x, w, strides=[1, 1, 1, 1], padding="SAME", dilations=[1, 2, 2, 1]
        ),
    )
    yield Operator(
        "conv2d_transpose",
        [normal(8, 14, 14, 64), normal(4, 4, 32, 64)],
        lambda tf, x, w: tf.nn.conv2d_transpose(x, w, [8, 28, 28, 32], [1, 2, 2, 1], "SAME"),
    )
    yield Operator(
        "conv1d",
        [normal(32, 100, 64), normal(5, 64, 64)],
        lambda tf, x, w: tf.nn.conv1d(x, w, 1, "SAME"),
    )
    yield Operator(
        "conv3d",
        [normal(2, 16, 16, 16, 16), normal(3, 3, 3, 16, 16)],
        lambda tf, x, w: tf.nn.conv3d(x, w, [1, 1, 1, 1, 1], "SAME"),
    )


def _layers() -> Iterator[Operator]:
    for name in ("max_pool", "avg_pool"):
        for size, stride, padding in _POOLS:

            def pool(
                tf: Any, x: Any, n: str = name, k: int = size, s: int = stride, p: str = padding
            ) -> Any:
                return getattr(tf.nn, n)(x, [1, k, k, 1], [1, s, s, 1], p)

            what = f"{name} {size}x{size}/{stride} {padding}"
            yield Operator(what, [normal(8, 56, 56, 32)], pool)
    images, numbers = normal(16, 28, 28, 64), positive(64)
    yield Operator("bias_add", [images, normal(64)], lambda tf, x, b: tf.nn.bias_add(x, b))
    yield Operator("lrn", [normal(8, 28, 28, 64)], lambda tf, x: tf.nn.lrn(x))
    yield Operator(
        "fused_batch_norm",
        [images, numbers, normal(64)],
        lambda tf, x, s, o: tf.nn.fused_batch_norm(x, s, o)[0],
    )
    yield Operator(
        "batch_normalization",
        [images, normal(64), numbers],
        lambda tf, x, m, v: tf.nn.batch_normalization(x, m, v, None, None, 1e-3),
    )
    yield Operator("l2_normalize", [normal(1000, 1000)], lambda tf, x: tf.nn.l2_normalize(x, 1))
    yield Operator("norm", [normal(1000, 1000)], lambda tf, x: tf.norm(x, axis=1))


def _losses() -> Iterator[Operator]:
    for rows, classes in ((256, 10), (64, 1000), (32, 10_000), (1000, 1000)):
        logits = normal(rows, classes)
        yield Operator(f"softmax {rows} x {classes}", [logits], lambda tf, x: tf.nn.softmax(x))
        yield Operator(
            f"sparse softmax cross entropy {rows} x {classes}",
            [logits, below(classes, rows)],
            lambda tf, x, y: tf.nn.sparse_softmax_cross_entropy_with_logits(logits=x, labels=y),
        )
    yield Operator(
        "softmax cross entropy",
        [normal(1000, 1000), positive(1000, 1000)],
        lambda tf, x, y: tf.nn.softmax_cross_entropy_with_logits(
            logits=x, labels=y / tf.reduce_sum(y, 1, keepdims=True)
        ),
    )
    yield Operator(
        "sigmoid cross entropy",
        [normal(1000, 1000), positive(1000, 1000)],
        lambda tf, x, y: tf.nn.sigmoid_cross_entropy_with_logits(logits=x, labels=y),
    )


NETS: tuple[Operator, ...] = (*_convolutions(), *_layers(), *_losses())
