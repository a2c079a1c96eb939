"""Softmaxes, their losses, normalizations and ranks, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.kernels.sweep.recipe import Recipe, index, normal, positive, whole

_FLOATS = ("float32", "float64")
_CLOSE = 1e-5


def _softmaxes(axes: str) -> Recipe:
    return Recipe(
        f"softmaxes {axes}",
        (normal(axes),),
        lambda tf, x: [tf.nn.softmax(x), tf.nn.log_softmax(x), tf.nn.softmax(x * x) + x],
        dtypes=_FLOATS,
        rtol=_CLOSE,
    )


def _dense(tf: Any, logits: Any, labels: Any) -> Sequence[Any]:
    loss, slope = tf.raw_ops.SoftmaxCrossEntropyWithLogits(features=logits, labels=labels)
    return [loss / tf.reduce_sum(labels, 1), slope]


def _sparse(tf: Any, logits: Any, labels: Any) -> Sequence[Any]:
    return list(tf.raw_ops.SparseSoftmaxCrossEntropyWithLogits(features=logits, labels=labels))


def _norm(is_training: bool) -> Recipe:
    def build(tf: Any, x: Any, scale: Any, offset: Any, mean: Any, variance: Any) -> Sequence[Any]:
        return tf.raw_ops.FusedBatchNormV3(
            x=x,
            scale=scale,
            offset=offset,
            mean=mean,
            variance=variance,
            epsilon=0.1,
            is_training=is_training,
        )[: 3 if is_training else 1]

    operands = normal("nhwc"), normal("c"), normal("c"), normal("c"), positive("c")
    return Recipe(f"batch norm {is_training}", operands, build, is_wide=False, rtol=1e-3)


def _norm_gradient(tf: Any, x: Any, scale: Any, offset: Any, dy: Any) -> Sequence[Any]:
    y, _, _ = tf.nn.fused_batch_norm(x, scale, offset, epsilon=0.1)
    return list(tf.gradients(y, [x, scale, offset], dy))


def _responses(tf: Any, x: Any) -> Sequence[Any]:
    y = tf.nn.lrn(x, depth_radius=2, bias=1.0, alpha=0.1, beta=0.75)
    return [y, *tf.gradients(y, [x])]


RECIPES = (
    _softmaxes("c"),
    _softmaxes("nc"),
    _softmaxes("nhc"),
    Recipe("loss of labels", (normal("nc"), positive("nc")), _dense, dtypes=_FLOATS, rtol=1e-4),
    Recipe(
        "loss of numbered labels",
        (normal("nc"), index("n", "c")),
        _sparse,
        dtypes=_FLOATS,
        rtol=_CLOSE,
    ),
    _norm(True),
    _norm(False),
    Recipe(
        "gradient of batch norm",
        (normal("nhwc"), normal("c"), normal("c"), whole("nhwc")),
        _norm_gradient,
        is_wide=False,
        rtol=1e-3,
    ),
    Recipe(
        "local responses",
        (normal("nhwc"),),
        _responses,
        is_wide=False,
        rtol=_CLOSE,
        most={"c": 600},
    ),
    Recipe(
        "the greatest",
        (whole("nc"),),
        lambda tf, x: [*tf.nn.top_k(x, 1), *tf.nn.top_k(x, tf.minimum(3, tf.shape(x)[1]))],
        dtypes=("float32", "int32", "uint8"),
    ),
    Recipe(
        "among the greatest",
        (normal("nc"), index("n", "c")),
        lambda tf, x, i: [tf.nn.in_top_k(x, i, 2)],
        is_wide=False,
    ),
)
