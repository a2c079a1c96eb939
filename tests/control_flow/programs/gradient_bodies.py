"""Programs that take gradients through one op after the other, in the body of a loop."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tests.control_flow.programs.programs import PROGRAMS, place, times

BODIES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "batch_matmul": lambda tf, v, w: tf.einsum("ij,jk->ik", v, w),
    "bias": lambda tf, v, w: tf.nn.bias_add(v, w[0]),
    "cast": lambda tf, v, w: tf.cast(tf.cast(v, tf.float64) * 2.0, tf.float32) * w,
    "clip": lambda tf, v, w: tf.clip_by_value(v * w, 0.1, 1.2),
    "clip_by_norm": lambda tf, v, w: tf.clip_by_norm(v * w, 1.0),
    "concat_negative": lambda tf, v, w: tf.concat([v[:, :1], w[:, 1:]], -1),
    "cumsum": lambda tf, v, w: tf.cumsum(v, 1) * w,
    "division": lambda tf, v, w: v / (w + 1.0),
    "dropout_like": lambda tf, v, w: tf.where(v > 0.8, v * w, tf.zeros_like(v)),
    "expand": lambda tf, v, w: tf.squeeze(tf.expand_dims(v, 1) * w[0], [1]),
    "gather": lambda tf, v, w: tf.gather(v, [1, 0]) * w,
    "gather_nd": lambda tf, v, w: v + tf.gather_nd(w, [[0, 1], [1, 0]])[:, None],
    "layer_norm": lambda tf, v, w: v - tf.reduce_mean(v, 1, keepdims=True) * tf.sqrt(w),
    "log_softmax": lambda tf, v, w: tf.nn.log_softmax(v) * w,
    "maximum": lambda tf, v, w: tf.maximum(v, w) + tf.minimum(v, w * 0.5),
    "moments": lambda tf, v, w: v * tf.nn.moments(w, [1], keep_dims=True)[1],
    "outer_sum": lambda tf, v, w: v + tf.reduce_sum(w),
    "pad": lambda tf, v, w: tf.pad(v * w, [[0, 0], [1, 0]])[:, :2],
    "power": lambda tf, v, w: tf.pow(v, w),
    "product": lambda tf, v, w: v * tf.reduce_prod(w, 0),
    "reduce_max": lambda tf, v, w: v + tf.reduce_max(v * w, 1, keepdims=True),
    "reshape": lambda tf, v, w: tf.reshape(tf.reshape(v, [-1]) * w[0, 0], [2, 2]),
    "reverse": lambda tf, v, w: tf.reverse(v, [0]) * w,
    "scatter": lambda tf, v, w: v + tf.scatter_nd([[0], [1]], w, [2, 2]),
    "segment": lambda tf, v, w: v * tf.unsorted_segment_sum(w, [0, 0], 2),
    "select": lambda tf, v, w: tf.where(w > 0.9, v, w),
    "sigmoid": lambda tf, v, w: tf.sigmoid(v) * tf.tanh(w),
    "slice": lambda tf, v, w: tf.slice(v, [0, 0], [1, 2]) * w,
    "softmax_loss": lambda tf, v, w: (
        v * tf.nn.softmax_cross_entropy_with_logits_v2(labels=w, logits=v)[:, None]
    ),
    "sparse_loss": lambda tf, v, w: (
        v + tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 1], logits=w)[:, None]
    ),
    "split": lambda tf, v, w: tf.concat(tf.split(v * w, 2, 1)[::-1], 1),
    "squared_difference": lambda tf, v, w: tf.squared_difference(v, w),
    "stack": lambda tf, v, w: tf.stack(tf.unstack(v * w, 2)[::-1]),
    "strided": lambda tf, v, w: v[::-1, ::1] * w[:, 0:1],
    "tile": lambda tf, v, w: tf.tile(v[:1], [2, 1]) * w,
    "transpose": lambda tf, v, w: tf.transpose(v) * w,
}
"""Name -> `f(library, v, w)`: a body for square matrices, which the tests put into a loop."""


def _add_bodies() -> None:
    for name, body in BODIES.items():
        for kind, shape in (("static", (2, 2)), ("dynamic", (None, None))):
            PROGRAMS[f"{name}_{kind}"] = functools.partial(_body_in_loop, body, shape)


def _body_in_loop(body: Callable[[Any, Any, Any], Any], shape: Any, tf: Any) -> Any:
    x, w = place(tf, *shape), place(tf, *shape, name="w")
    anything = (tf.TensorShape([]), tf.TensorShape(None if shape[0] is None else shape))
    y = times(tf, 3, lambda i, v: body(tf, v, w), x, shape_invariants=anything)
    return tf.gradients(y, [x, w])


_add_bodies()
