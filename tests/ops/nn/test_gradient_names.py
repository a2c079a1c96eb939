"""The graphs of gradients of the tf.nn ops: nodes, names and values as in TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.differentiation.both import assert_same_graph

Program = Callable[[Any], Any]


def _x(tf: Any, *shape: int | None, dtype: str = "float32") -> Any:
    return tf.placeholder(getattr(tf, dtype), list(shape), name="x")


def _filters(tf: Any, *shape: int) -> Any:
    size = int(np.prod(shape))
    return tf.constant(np.linspace(-1, 1, size).reshape(shape), tf.float32, name="filters")


def _of(function: Callable[[Any, Any], Any], *shape: int | None) -> Program:
    """The gradient of a function of one placeholder."""

    def program(tf: Any) -> Any:
        x = _x(tf, *shape)
        return tf.gradients(function(tf, x), x)

    return program


def _twice(function: Callable[[Any, Any], Any], *shape: int) -> Program:
    """The gradient of the gradient."""

    def program(tf: Any) -> Any:
        x = _x(tf, *shape)
        (first,) = tf.gradients(function(tf, x), x)
        return tf.gradients(first, x)

    return program


def _of_both(function: Callable[[Any, Any, Any], Any], x: Any, filters: Any) -> Program:
    def program(tf: Any) -> Any:
        first, second = _x(tf, *x), _filters(tf, *filters)
        grads = tf.gradients(function(tf, first, second), [first, second])
        return [*grads, *tf.gradients(grads, [first, second])]

    return program


_ONES = [1, 1, 1, 1]
_TWO = [1, 2, 2, 1]


def _normalized(tf: Any, x: Any, training: bool, data_format: str) -> Any:
    vectors = [tf.constant([0.5, 1.5, 2.5])] * 4
    return tf.nn.fused_batch_norm(x, *vectors, is_training=training, data_format=data_format)[0]


def _xent(tf: Any, x: Any) -> Any:
    labels = tf.constant([[0.2, 0.3, 0.5], [1, 0, 0]])
    return tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=x)


def _sparse_xent(tf: Any, x: Any) -> Any:
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.constant([2, 0]), logits=x)


def _xent_labels(tf: Any) -> Any:
    x = _x(tf, 2, 3)
    loss = tf.nn.softmax_cross_entropy_with_logits_v2(
        labels=x, logits=tf.constant([[1.0, 2, 3]] * 2)
    )
    return tf.gradients(loss, x)


def _bias(tf: Any, x: Any, filters: Any) -> Any:
    return tf.nn.bias_add(x, filters)


PROGRAMS: dict[str, Program] = {
    "relu": _twice(lambda tf, x: tf.nn.relu(x), 2, 3),
    "relu6": _twice(lambda tf, x: tf.nn.relu6(x), 2, 3),
    "leaky_relu": _twice(lambda tf, x: tf.nn.leaky_relu(x, 0.3), 2, 3),
    "elu": _twice(lambda tf, x: tf.nn.elu(x), 2, 3),
    "selu": _twice(lambda tf, x: tf.nn.selu(x), 2, 3),
    "softplus": _twice(lambda tf, x: tf.nn.softplus(x), 2, 3),
    "softsign": _of(lambda tf, x: tf.nn.softsign(x), 2, 3),
    "crelu": _of(lambda tf, x: tf.nn.crelu(x), 2, 3),
    "swish": _of(lambda tf, x: tf.nn.swish(x), 2, 3),
    "softmax": _twice(lambda tf, x: tf.nn.softmax(x), 2, 3),
    "softmax axis": _of(lambda tf, x: tf.nn.softmax(x, axis=0), 2, 3),
    "log_softmax": _twice(lambda tf, x: tf.nn.log_softmax(x), 2, 3),
    "softmax cross entropy": _twice(_xent, 2, 3),
    "softmax cross entropy labels": _xent_labels,
    "sparse cross entropy": _twice(_sparse_xent, 2, 3),
    "sigmoid cross entropy": _of(
        lambda tf, x: tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=x), 2, 3
    ),
    "bias_add": _of_both(_bias, (2, 3), (3,)),
    "bias_add dynamic": _of_both(_bias, (None, 2, 3), (3,)),
    "bias_add channels first": _of_both(
        lambda tf, x, b: tf.nn.bias_add(x, b, data_format="NCHW"), (2, 3, 2, 2), (3,)
    ),
    "xw_plus_b": _of_both(lambda tf, x, w: tf.nn.xw_plus_b(x, w, [1.0, 2.0]), (2, 3), (3, 2)),
    "conv1d": _of_both(lambda tf, x, w: tf.nn.conv1d(x, w, 2, "SAME"), (2, 7, 3), (3, 3, 2)),
    "conv2d": _of_both(
        lambda tf, x, w: tf.nn.conv2d(x, w, _TWO, "SAME"), (2, 5, 5, 3), (3, 3, 3, 2)
    ),
    "conv2d dynamic": _of_both(
        lambda tf, x, w: tf.nn.conv2d(x, w, _ONES, "SAME"), (None, None, 5, 3), (3, 3, 3, 2)
    ),
    "conv2d explicit": _of_both(
        lambda tf, x, w: tf.nn.conv2d(x, w, _ONES, [[0, 0], [1, 1], [0, 2], [0, 0]]),
        (2, 5, 5, 3),
        (3, 3, 3, 2),
    ),
    "conv2d_transpose": _of_both(
        lambda tf, x, w: tf.nn.conv2d_transpose(x, w, [2, 8, 8, 2], _TWO),
        (2, 4, 4, 3),
        (3, 3, 2, 3),
    ),
    "conv3d": _of_both(
        lambda tf, x, w: tf.nn.conv3d(x, w, [1] * 5, "SAME"), (1, 3, 3, 3, 2), (2, 2, 2, 2, 3)
    ),
    "depthwise": _of_both(
        lambda tf, x, w: tf.nn.depthwise_conv2d(x, w, _ONES, "SAME"), (2, 5, 5, 3), (3, 3, 3, 2)
    ),
    "atrous": _of_both(
        lambda tf, x, w: tf.nn.atrous_conv2d(x, w, 2, "SAME"), (2, 9, 9, 3), (3, 3, 3, 2)
    ),
    "max_pool": _twice(lambda tf, x: tf.nn.max_pool(x, _TWO, _TWO, "SAME") ** 2, 2, 5, 5, 3),
    "max_pool argmax": _of(
        lambda tf, x: tf.nn.max_pool_with_argmax(x, _TWO, _TWO, "SAME")[0], 2, 4, 4, 3
    ),
    "max_pool3d": _twice(lambda tf, x: tf.nn.max_pool3d(x, 2, 2, "SAME") ** 2, 2, 4, 4, 4, 3),
    "avg_pool": _twice(lambda tf, x: tf.nn.avg_pool(x, _TWO, _TWO, "SAME") ** 2, 2, 5, 5, 3),
    "avg_pool3d": _twice(lambda tf, x: tf.nn.avg_pool3d(x, 2, 2, "SAME") ** 2, 2, 4, 4, 4, 3),
    "batch norm training": _of(lambda tf, x: _normalized(tf, x, True, "NHWC") ** 3, 2, 2, 2, 3),
    "batch norm frozen": _of(lambda tf, x: _normalized(tf, x, False, "NHWC"), 2, 2, 2, 3),
    "batch norm frozen, channels first": _of(
        lambda tf, x: _normalized(tf, x, False, "NCHW"), 2, 3, 2, 2
    ),
    "batch norm volumes": _of(lambda tf, x: _normalized(tf, x, False, "NCDHW"), 2, 3, 2, 2, 2),
    "lrn": _of(lambda tf, x: tf.nn.lrn(x, 2), 1, 2, 2, 7),
    "top_k": _of(lambda tf, x: tf.nn.top_k(x, 2)[0], 2, 5),
    "top_k dynamic": _of(lambda tf, x: tf.nn.top_k(x, 2)[0], None, None, 5),
    "moments": _of(lambda tf, x: tf.nn.moments(x, [0])[1], 2, 3),
    "l2_normalize": _of(lambda tf, x: tf.nn.l2_normalize(x, 1), 2, 3),
    "embedding": _of(lambda tf, x: tf.nn.embedding_lookup(x, [2, 0, 2]), 4, 2),
    "embedding in parts": _of(
        lambda tf, x: tf.nn.embedding_lookup([x, x], tf.placeholder(tf.int32, [3])), 2, 2
    ),
    "dilation2d": _of(
        lambda tf, x: tf.nn.dilation2d(x, _filters(tf, 2, 2, 2), _ONES, _ONES, "SAME"), 1, 4, 4, 2
    ),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_gradient_graph_is_tensorflows(program: Program) -> None:
    assert_same_graph(program)
