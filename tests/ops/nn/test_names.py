"""The graphs that the functions of tf.nn make: nodes, names and values as in TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.differentiation.both import assert_same_graph

Program = Callable[[Any], Any]


def _x(tf: Any, *shape: int | None, dtype: str = "float32") -> Any:
    return tf.placeholder(getattr(tf, dtype), list(shape), name="x")


def _unknown(tf: Any) -> Any:
    return tf.placeholder(tf.float32, None, name="x")


def _filters(tf: Any, *shape: int) -> Any:
    size = int(np.prod(shape))
    values = np.linspace(-1, 1, size).reshape(shape)
    return tf.constant(values, tf.float32, name="filters")


ACTIVATIONS: dict[str, Program] = {
    "relu": lambda tf: [tf.nn.relu(_x(tf, 2, 3)), tf.nn.relu([1.0, -1.0], name="r")],
    "relu6": lambda tf: [tf.nn.relu6(_x(tf, 2, 3)), tf.nn.relu6([1.0, -1.0], name="r")],
    "elu": lambda tf: tf.nn.elu(_x(tf, 2, 3), name="e"),
    "selu": lambda tf: tf.nn.selu([0.5, -0.5]),
    "softplus": lambda tf: tf.nn.softplus([0.5, -0.5], name="s"),
    "softsign": lambda tf: tf.nn.softsign([0.5, -0.5]),
    "leaky_relu": lambda tf: [
        tf.nn.leaky_relu([0.5, -0.5]),
        tf.nn.leaky_relu([1, -1], alpha=0.1),
        tf.nn.leaky_relu(_x(tf, 2), alpha=np.array(0.5), name="l"),
    ],
    "crelu": lambda tf: [tf.nn.crelu(_x(tf, 2, 3)), tf.nn.crelu([[1.0]], axis=0, name="c")],
    "swish": lambda tf: [tf.nn.swish(_x(tf, 2, 3)), tf.nn.silu([1.0, -1.0], beta=2.0)],
    "sigmoid": lambda tf: [tf.nn.sigmoid(_x(tf, 2)), tf.nn.tanh([0.5], name="t")],
    "softmax": lambda tf: [tf.nn.softmax(_x(tf, 2, 3)), tf.nn.softmax(_x(tf, 2, 3), name="s")],
    "softmax unknown": lambda tf: tf.nn.softmax(_unknown(tf)),
    "softmax first axis": lambda tf: tf.nn.softmax(_x(tf, 2, 3, 4), axis=0),
    "softmax dim": lambda tf: tf.nn.softmax(_x(tf, 2, 3, 4), dim=-2, name="s"),
    "softmax axis 2": lambda tf: tf.nn.softmax(_x(tf, 2, None, 4), axis=2),
    "softmax tensor axis": lambda tf: tf.nn.softmax(_x(tf, 2, 3, 4), tf.constant(1)),
    "log_softmax": lambda tf: [
        tf.nn.log_softmax(_x(tf, 2, 3)),
        tf.nn.log_softmax(_x(tf, 2, 3), axis=0, name="l"),
    ],
}

BIASES: dict[str, Program] = {
    "bias_add": lambda tf: tf.nn.bias_add(_x(tf, 2, 3), [1.0, 2.0, 3.0]),
    "bias_add formats": lambda tf: [
        tf.nn.bias_add(_x(tf, 2, 3, 2, 2), [1.0, 2.0, 3.0], data_format="NCHW", name="b"),
        tf.nn.bias_add(_x(tf, 2, 2, 3), [1.0, 2.0, 3.0], data_format="NWC"),
    ],
    "bias_add values": lambda tf: tf.nn.bias_add([[1, 2]], [3, 4]),
    "xw_plus_b": lambda tf: [
        tf.nn.xw_plus_b(_x(tf, 2, 3), _filters(tf, 3, 2), [1.0, 2.0]),
        tf.nn.xw_plus_b([[1.0, 2.0]], [[1.0], [2.0]], [3.0], name="n"),
    ],
    "relu_layer": lambda tf: tf.nn.relu_layer(_x(tf, 2, 3), _filters(tf, 3, 2), [1.0, 2.0]),
}

LOSSES: dict[str, Program] = {
    "softmax v1": lambda tf: tf.nn.softmax_cross_entropy_with_logits(
        labels=_x(tf, 2, 3), logits=_x(tf, 2, 3)
    ),
    "softmax v1 axis": lambda tf: tf.nn.softmax_cross_entropy_with_logits(
        labels=_x(tf, 2, 3), logits=_x(tf, 2, 3), dim=0, name="loss"
    ),
    "softmax v2": lambda tf: tf.nn.softmax_cross_entropy_with_logits_v2(
        labels=[[0.0, 1.0]], logits=[[3.0, 4.0]]
    ),
    "softmax v2 dynamic": lambda tf: tf.nn.softmax_cross_entropy_with_logits_v2(
        labels=_x(tf, 2, None, 3), logits=_x(tf, 2, None, 3)
    ),
    "softmax v2 unknown": lambda tf: tf.nn.softmax_cross_entropy_with_logits_v2(
        labels=_x(tf, 2, 3), logits=tf.placeholder_with_default([[1.0, 2, 3], [4, 5, 6]], None)
    ),
    "softmax v2 dim": lambda tf: tf.nn.softmax_cross_entropy_with_logits_v2(
        labels=_x(tf, 2, 3, 4), logits=_x(tf, 2, 3, 4), dim=1, name="loss"
    ),
    "softmax v2 half": lambda tf: tf.nn.softmax_cross_entropy_with_logits_v2(
        labels=_x(tf, 2, 3), logits=_x(tf, 2, 3, dtype="float16")
    ),
    "sparse": lambda tf: tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=_x(tf, 2, dtype="int32"), logits=_x(tf, 2, 3), name="loss"
    ),
    "sparse values": lambda tf: tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=[0, 1], logits=[[1.0, 2.0], [3.0, 4.0]]
    ),
    "sparse static": lambda tf: tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=_x(tf, 2, 4, dtype="int64"), logits=_x(tf, 2, 4, 3)
    ),
    "sparse dynamic": lambda tf: tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=_x(tf, None, None, dtype="int32"), logits=_x(tf, None, None, 3)
    ),
    "sparse half": lambda tf: [
        tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=_x(tf, 2, dtype="int32"), logits=_x(tf, 2, 3, dtype="float16")
        ),
        tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=_x(tf, 2, 1, dtype="int32"), logits=_x(tf, 2, 1, 3, dtype="float16")
        ),
    ],
    "sigmoid": lambda tf: tf.nn.sigmoid_cross_entropy_with_logits(
        labels=_x(tf, 2, 3), logits=_x(tf, 2, 3)
    ),
    "sigmoid values": lambda tf: tf.nn.sigmoid_cross_entropy_with_logits(
        labels=[0.0, 1.0], logits=[-3.0, 30.0], name="loss"
    ),
    "weighted": lambda tf: tf.nn.weighted_cross_entropy_with_logits(
        labels=_x(tf, 2, 3), logits=_x(tf, 2, 3), pos_weight=2.0
    ),
    "weighted targets": lambda tf: tf.nn.weighted_cross_entropy_with_logits(
        targets=[0.0, 1.0], logits=[-3.0, 3.0], pos_weight=tf.constant(3.0), name="loss"
    ),
    "log_poisson": lambda tf: [
        tf.nn.log_poisson_loss(_x(tf, 2), _x(tf, 2)),
        tf.nn.log_poisson_loss([0.5, 3.0], [0.1, 2.0], compute_full_loss=True, name="loss"),
    ],
    "l2_loss": lambda tf: tf.nn.l2_loss(_x(tf, 2, 3), name="loss"),
}

_ONES = [1, 1, 1, 1]

CONVOLUTIONS: dict[str, Program] = {
    "conv1d": lambda tf: tf.nn.conv1d(_x(tf, 2, 7, 3), _filters(tf, 3, 3, 2), 2, "SAME"),
    "conv1d unknown batch": lambda tf: tf.nn.conv1d(
        _x(tf, None, None, 3), _filters(tf, 3, 3, 2), stride=1, padding="SAME", dilations=2
    ),
    "conv1d batches": lambda tf: tf.nn.conv1d(
        _x(tf, 2, 3, 7, 3), _filters(tf, 3, 3, 2), 1, "SAME", name="c"
    ),
    "conv2d": lambda tf: tf.nn.conv2d(_x(tf, 2, 5, 5, 3), _filters(tf, 3, 3, 3, 2), _ONES, "SAME"),
    "conv2d numbers": lambda tf: [
        tf.nn.conv2d(
            _x(tf, None, None, 6, 3), filters=_filters(tf, 3, 3, 3, 2), strides=2, padding="SAME"
        ),
        tf.nn.conv2d(
            _x(tf, 2, 6, 6, 3),
            _filters(tf, 3, 3, 3, 2),
            [1, 2],
            [[0, 0], [1, 1], [0, 2], [0, 0]],
            name="c",
        ),
        tf.nn.conv2d(
            _x(tf, 2, 9, 9, 3),
            _filters(tf, 3, 3, 3, 2),
            [1],
            "VALID",
            use_cudnn_on_gpu=False,
            dilations=[2, 3],
        ),
    ],
    "conv2d batches": lambda tf: tf.nn.conv2d(
        _x(tf, 2, 2, 5, 5, 3), _filters(tf, 3, 3, 3, 2), _ONES, "SAME", name="c"
    ),
    "conv2d dynamic batches": lambda tf: tf.nn.conv2d(
        _x(tf, None, 2, None, 5, 3), _filters(tf, 3, 3, 3, 2), _ONES, "SAME"
    ),
    "conv2d backprops": lambda tf: [
        tf.nn.conv2d_backprop_input(
            [2, 5, 5, 3], _filters(tf, 3, 3, 3, 2), _x(tf, 2, 5, 5, 2), _ONES, "SAME"
        ),
        tf.nn.conv2d_backprop_filter(
            _x(tf, 2, 5, 5, 3), [3, 3, 3, 2], _x(tf, 2, 3, 3, 2), _ONES, "VALID", name="b"
        ),
    ],
    "conv3d": lambda tf: tf.nn.conv3d(
        _x(tf, 1, 4, 4, 4, 2), _filters(tf, 2, 2, 2, 2, 3), [1, 1, 2, 1, 1], "SAME", name="c"
    ),
    "conv3d backprop": lambda tf: tf.nn.conv3d_backprop_filter_v2(
        _x(tf, 1, 4, 4, 4, 2), [2, 2, 2, 2, 3], _x(tf, 1, 4, 4, 4, 3), [1] * 5, "SAME"
    ),
    "convolution 1": lambda tf: tf.nn.convolution(_x(tf, 2, 7, 3), _filters(tf, 3, 3, 2), "SAME"),
    "convolution 2": lambda tf: tf.nn.convolution(
        _x(tf, 2, 7, 7, 3), _filters(tf, 3, 3, 3, 2), "VALID", strides=[2, 1], name="c"
    ),
    "convolution 3": lambda tf: tf.nn.convolution(
        _x(tf, 1, 4, 4, 4, 2), _filters(tf, 2, 2, 2, 2, 3), "SAME"
    ),
    "convolution values": lambda tf: tf.nn.convolution(
        np.ones((1, 4, 1), np.float32), np.ones((2, 1, 1), np.float32), "SAME"
    ),
    "convolution dilated 1": lambda tf: tf.nn.convolution(
        _x(tf, 2, 9, 3), _filters(tf, 3, 3, 2), "SAME", dilation_rate=[2]
    ),
    "convolution dilated 2": lambda tf: tf.nn.convolution(
        _x(tf, 2, 9, 8, 3), _filters(tf, 3, 3, 3, 2), "VALID", dilations=[2, 3], name="c"
    ),
    "convolution dilated 3": lambda tf: tf.nn.convolution(
        _x(tf, 1, 5, 5, 5, 2), _filters(tf, 2, 2, 2, 2, 3), "SAME", dilation_rate=[1, 2, 2]
    ),
    "convolution dilated dynamic": lambda tf: tf.nn.convolution(
        _x(tf, None, None, 8, 3), _filters(tf, 3, 3, 3, 2), "SAME", dilation_rate=[2, 2]
    ),
    "atrous": lambda tf: [
        tf.nn.atrous_conv2d(_x(tf, 2, 9, 8, 3), _filters(tf, 3, 3, 3, 2), 2, "SAME"),
        tf.nn.atrous_conv2d(_x(tf, 2, 9, 8, 3), _filters(tf, 3, 3, 3, 2), 1, "VALID", name="a"),
    ],
}

TRANSPOSES: dict[str, Program] = {
    "conv1d": lambda tf: tf.nn.conv1d_transpose(
        _x(tf, 2, 4, 3), _filters(tf, 3, 2, 3), [2, 8, 2], 2
    ),
    "conv2d": lambda tf: [
        tf.nn.conv2d_transpose(
            _x(tf, 2, 4, 4, 3), _filters(tf, 3, 3, 2, 3), [2, 8, 8, 2], [1, 2, 2, 1]
        ),
        tf.nn.conv2d_transpose(
            _x(tf, 2, 4, 4, 3),
            _filters(tf, 3, 3, 2, 3),
            output_shape=tf.constant([2, 6, 6, 2]),
            strides=1,
            padding="VALID",
            name="t",
        ),
    ],
    "conv2d dynamic": lambda tf: tf.nn.conv2d_transpose(
        x := _x(tf, None, 4, 4, 3), _filters(tf, 3, 3, 2, 3), [tf.shape(x)[0], 8, 8, 2], 2
    ),
    "conv3d": lambda tf: tf.nn.conv3d_transpose(
        _x(tf, 1, 2, 2, 2, 3), _filters(tf, 2, 2, 2, 2, 3), [1, 4, 4, 4, 2], 2, name="t"
    ),
    "conv": lambda tf: [
        tf.nn.conv_transpose(_x(tf, 2, 4, 3), _filters(tf, 3, 2, 3), [2, 8, 2], 2),
        tf.nn.conv_transpose(_x(tf, 2, 4, 4, 3), _filters(tf, 3, 3, 2, 3), [2, 8, 8, 2], 2),
    ],
    "atrous": lambda tf: [
        tf.nn.atrous_conv2d_transpose(
            _x(tf, 1, 5, 5, 3), _filters(tf, 3, 3, 2, 3), [1, 9, 9, 2], 2, "VALID"
        ),
        tf.nn.atrous_conv2d_transpose(
            _x(tf, 1, 6, 6, 3), _filters(tf, 3, 3, 2, 3), (1, 6, 6, 2), 2, "SAME", name="t"
        ),
        tf.nn.atrous_conv2d_transpose(
            _x(tf, 1, 5, 5, 3), _filters(tf, 3, 3, 2, 3), [1, 5, 5, 2], 1, "SAME"
        ),
    ],
}

SEPARABLES: dict[str, Program] = {
    "native": lambda tf: [
        tf.nn.depthwise_conv2d_native(
            _x(tf, 2, 5, 5, 3), _filters(tf, 3, 3, 3, 2), [1, 2, 2, 1], "SAME"
        ),
        tf.nn.depthwise_conv2d_native_backprop_input(
            [2, 5, 5, 3], _filters(tf, 3, 3, 3, 2), _x(tf, 2, 5, 5, 6), _ONES, "SAME"
        ),
        tf.nn.depthwise_conv2d_native_backprop_filter(
            _x(tf, 2, 5, 5, 3), [3, 3, 3, 2], _x(tf, 2, 5, 5, 6), _ONES, "SAME"
        ),
    ],
    "depthwise": lambda tf: tf.nn.depthwise_conv2d(
        _x(tf, 2, 5, 5, 3), _filters(tf, 3, 3, 3, 2), _ONES, "SAME"
    ),
    "depthwise rate": lambda tf: tf.nn.depthwise_conv2d(
        _x(tf, 2, 9, 9, 3), _filters(tf, 3, 3, 3, 2), _ONES, "VALID", rate=[2, 2], name="d"
    ),
    "depthwise rate same": lambda tf: tf.nn.depthwise_conv2d(
        _x(tf, 2, 9, 9, 3), _filters(tf, 3, 3, 3, 2), _ONES, "SAME", dilations=[2, 2]
    ),
    "separable": lambda tf: tf.nn.separable_conv2d(
        _x(tf, 2, 5, 5, 3), _filters(tf, 3, 3, 3, 2), _filters(tf, 1, 1, 6, 4), _ONES, "SAME"
    ),
    "separable rate": lambda tf: tf.nn.separable_conv2d(
        _x(tf, 2, 9, 9, 3),
        _filters(tf, 3, 3, 3, 1),
        _filters(tf, 1, 1, 3, 4),
        _ONES,
        "VALID",
        rate=[2, 2],
        name="s",
    ),
}

_WINDOW = ([1, 2, 2, 1], [1, 2, 2, 1])

POOLINGS: dict[str, Program] = {
    "max": lambda tf: [
        tf.nn.max_pool(_x(tf, 2, 5, 5, 3), *_WINDOW, "SAME"),
        tf.nn.max_pool(_x(tf, 2, None, 5, 3), 2, 1, "VALID", name="p"),
        tf.nn.max_pool(
            input=_x(tf, 2, 5, 5, 3),
            ksize=[3, 2],
            strides=2,
            padding=[[0, 0], [1, 0], [1, 1], [0, 0]],
            value=None,
        ),
    ],
    "max by rank": lambda tf: [
        tf.nn.max_pool1d(_x(tf, 2, 5, 3), 2, 2, "SAME"),
        tf.nn.max_pool2d(_x(tf, 2, 5, 5, 3), 2, 2, "SAME", name="p"),
        tf.nn.max_pool3d(_x(tf, 2, 4, 4, 4, 3), 2, 2, "SAME"),
        tf.nn.max_pool_v2(_x(tf, 2, 5, 3), 2, 2, "SAME"),
        tf.nn.max_pool_v2(_x(tf, 2, 5, 5, 3), 2, 2, "SAME"),
        tf.nn.max_pool_v2(_x(tf, 2, 4, 4, 4, 3), 2, 2, "SAME", name="q"),
    ],
    "avg": lambda tf: [
        tf.nn.avg_pool(_x(tf, 2, 5, 5, 3), *_WINDOW, "SAME"),
        tf.nn.avg_pool(_x(tf, None, 5, 5, 3), 2, [1, 2], "VALID", name="p"),
        tf.nn.avg_pool1d(_x(tf, 2, 5, 3), 2, 2, "SAME"),
        tf.nn.avg_pool2d(_x(tf, 2, 5, 5, 3), 2, 2, "SAME"),
        tf.nn.avg_pool3d(_x(tf, 2, 4, 4, 4, 3), 2, 2, "SAME"),
        tf.nn.avg_pool_v2(_x(tf, 2, 5, 3), 2, 2, "SAME"),
        tf.nn.avg_pool_v2(_x(tf, 2, 5, 5, 3), 2, 2, "SAME"),
        tf.nn.avg_pool_v2(_x(tf, 2, 4, 4, 4, 3), 2, 2, "SAME"),
    ],
    "argmax": lambda tf: [
        tf.nn.max_pool_with_argmax(_x(tf, 2, 4, 4, 3), *_WINDOW, "SAME"),
        tf.nn.max_pool_with_argmax(
            _x(tf, 2, 4, 4, 3), *_WINDOW, "SAME", output_dtype=tf.int32, name="p"
        ),
    ],
    "pool": lambda tf: [
        tf.nn.pool(_x(tf, 2, 5, 3), [2], "MAX", "SAME"),
        tf.nn.pool(_x(tf, 2, 5, 5, 3), [2, 3], "AVG", "VALID", strides=[2, 1], name="p"),
        tf.nn.pool(_x(tf, 2, 4, 4, 4, 3), [2, 2, 2], "MAX", "SAME"),
        tf.nn.pool(_x(tf, 2, 9, 9, 3), [2, 2], "MAX", "VALID", dilation_rate=[2, 3]),
        tf.nn.pool(_x(tf, 2, 9, 3), [2], "AVG", "VALID", dilations=[2]),
    ],
    "dilation": lambda tf: [
        tf.nn.dilation2d(_x(tf, 1, 5, 5, 2), _filters(tf, 2, 2, 2), _ONES, _ONES, "SAME"),
        tf.nn.erosion2d(_x(tf, 1, 5, 5, 2), _filters(tf, 2, 2, 2), _ONES, _ONES, "VALID"),
    ],
}


def _space_to_batch(tf: Any) -> Any:
    def op(tensor: Any, rank: int, padding: str) -> Any:
        return tf.nn.max_pool(tensor, [1, 2, 2, 1], _ONES, padding)

    return [
        tf.nn.with_space_to_batch(_x(tf, 1, 8, 8, 2), [2, 2], "VALID", op),
        tf.nn.with_space_to_batch(_x(tf, 1, 8, 8, 2), [2, 2], "SAME", op, filter_shape=[2, 2]),
        tf.nn.with_space_to_batch(_x(tf, 1, 8, 8, 2), [2], "VALID", op, spatial_dims=[2]),
        tf.nn.with_space_to_batch(
            tf.placeholder_with_default(np.ones((1, 8, 8, 2), np.float32), [1, 8, None, 2]),
            tf.placeholder_with_default([2, 2], [2]),
            "VALID",
            op,
        ),
    ]


NORMALIZATIONS: dict[str, Program] = {
    "moments": lambda tf: [
        *tf.nn.moments(_x(tf, 2, 3), [0]),
        *tf.nn.moments(_x(tf, None, 3), [0, 1], keep_dims=True, name="m"),
        *tf.nn.moments(_x(tf, 2, 3, dtype="float16"), [1]),
    ],
    "weighted_moments": lambda tf: [
        *tf.nn.weighted_moments(_x(tf, 2, 3), [0], [[1.0], [2.0]]),
        *tf.nn.weighted_moments(_x(tf, 2, 3), [1], 2, keepdims=True, name="m"),
        *tf.nn.weighted_moments(_x(tf, 2, 3, dtype="float16"), [1], [[0.5]]),
    ],
    "sufficient_statistics": lambda tf: [
        *tf.nn.sufficient_statistics(_x(tf, 2, 3), [0, 1])[:3],
        *tf.nn.sufficient_statistics(_x(tf, None, 3), [0, -1], shift=1.0, name="s"),
        *tf.nn.sufficient_statistics(_x(tf, 2, 3), [1], keep_dims=True)[:3],
    ],
    "normalize_moments": lambda tf: [
        *tf.nn.normalize_moments(tf.constant(4.0), [2.0], [3.0], None),
        *tf.nn.normalize_moments(tf.constant(4.0), [2.0], [3.0], tf.constant(1.0), name="n"),
    ],
    "batch_normalization": lambda tf: [
        tf.nn.batch_normalization(_x(tf, 2, 3), *[tf.constant([1.0, 2, 3])] * 4, 0.1),
        tf.nn.batch_normalization(
            _x(tf, 2, 3), *[tf.constant([1.0, 2, 3])] * 2, None, None, 0.1, name="n"
        ),
        tf.nn.batch_norm_with_global_normalization(
            _x(tf, 2, 3), *[tf.constant([1.0, 2, 3])] * 4, 0.1, True
        ),
    ],
    "fused_batch_norm": lambda tf: [
        *tf.nn.fused_batch_norm(_x(tf, 2, 2, 2, 3), [1.0, 2, 3], [4.0, 5, 6]),
        tf.nn.fused_batch_norm(
            _x(tf, 2, 2, 2, 3), *[tf.constant([1.0, 2, 3])] * 4, is_training=False, name="f"
        )[0],
    ],
    "l2_normalize": lambda tf: [
        tf.nn.l2_normalize(_x(tf, 2, 3)),
        tf.nn.l2_normalize(_x(tf, 2, 3), dim=1, name="n"),
        tf.nn.l2_normalize(tf.complex(_x(tf, 2, 3), _x(tf, 2, 3)), [0, 1], 1e-3),
    ],
    "lrn": lambda tf: [
        tf.nn.lrn(_x(tf, 1, 2, 2, 7)),
        tf.nn.local_response_normalization(_x(tf, 1, 2, 2, 7), 2, 1.5, 0.5, 0.75, name="n"),
    ],
    "top_k": lambda tf: [
        *tf.nn.top_k(_x(tf, 2, 5)),
        *tf.nn.top_k(_x(tf, 2, 5), k=tf.constant(3), index_type=tf.int64, name="t"),
        tf.nn.in_top_k(_x(tf, 2, 5), [1, 2], 2),
        tf.nn.in_top_k(_x(tf, 2, 5), [1, 2], tf.constant(3), name="i"),
    ],
    "with_space_to_batch": _space_to_batch,
}

EMBEDDINGS: dict[str, Program] = {
    "one": lambda tf: [
        tf.nn.embedding_lookup(_filters(tf, 5, 2), [[0, 3], [4, 1]]),
        tf.nn.embedding_lookup([_filters(tf, 5, 2)], [1], name="e"),
        tf.nn.embedding_lookup(_filters(tf, 5, 2), [1, 2], max_norm=0.3),
    ],
    "mod": lambda tf: tf.nn.embedding_lookup(
        [_filters(tf, 3, 2), _filters(tf, 2, 2)], [[0, 3], [4, 1]]
    ),
    "div": lambda tf: tf.nn.embedding_lookup(
        [_filters(tf, 3, 2), _filters(tf, 2, 2)], [0, 3, 4, 1], "div", name="e", max_norm=0.5
    ),
    "dynamic": lambda tf: [
        tf.nn.embedding_lookup(
            [_x(tf, None, 2), _x(tf, None, 2)], [0, 3, 2, 1], partition_strategy=strategy
        )
        for strategy in ("div", "mod")
    ],
    "unknown rows": lambda tf: tf.nn.embedding_lookup(
        [_x(tf, 2, None), _x(tf, 2, None)], _x(tf, None, dtype="int32")
    ),
    "variable": lambda tf: tf.nn.embedding_lookup(
        tf.Variable(np.arange(6, dtype=np.float32).reshape(3, 2), name="table"), [2, 0]
    ),
    "resource variable": lambda tf: tf.nn.embedding_lookup(
        tf.Variable(np.arange(6, dtype=np.float32).reshape(3, 2), use_resource=True), [2, 0]
    ),
    "variables": lambda tf: tf.nn.embedding_lookup(
        [tf.Variable(np.ones((2, 2), np.float32) * i) for i in range(3)], [5, 0, 2]
    ),
    "resource variables": lambda tf: tf.nn.embedding_lookup(
        [tf.Variable(np.ones((2, 2), np.float32) * i, use_resource=True) for i in range(3)],
        [5, 0, 2],
        partition_strategy="div",
    ),
    "partitioned variable": lambda tf: tf.nn.embedding_lookup(
        tf.get_variable(
            "table",
            [5, 2],
            initializer=tf.ones_initializer(),
            partitioner=tf.fixed_size_partitioner(2),
        ),
        [4, 0, 2],
        "div",
    ),
}

PROGRAMS = {
    f"{group}: {name}": program
    for group, programs in (
        ("activation", ACTIVATIONS),
        ("bias", BIASES),
        ("loss", LOSSES),
        ("convolution", CONVOLUTIONS),
        ("transpose", TRANSPOSES),
        ("separable", SEPARABLES),
        ("pooling", POOLINGS),
        ("normalization", NORMALIZATIONS),
        ("embedding", EMBEDDINGS),
    )
    for name, program in programs.items()
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_graph_is_tensorflows(program: Program) -> None:
    assert_same_graph(program)


DROPOUTS: dict[str, Program] = {
    "rate": lambda tf: tf.nn.dropout(_x(tf, 2, 3), rate=0.5, seed=3),
    "keep_prob": lambda tf: tf.nn.dropout(_x(tf, 2, 3), 0.75, name="d"),
    "noise shape": lambda tf: tf.nn.dropout(_x(tf, 2, None), rate=0.5, noise_shape=[2, 1]),
    "noise shape partly": lambda tf: tf.nn.dropout(_x(tf, 2, 3), rate=0.5, noise_shape=[None, 1]),
    "tensor": lambda tf: tf.nn.dropout(_x(tf, None, 3), rate=tf.placeholder(tf.float32, [])),
    "tensor keep_prob": lambda tf: tf.nn.dropout(_x(tf, 2, 3), tf.constant(0.5)),
    "nothing": lambda tf: tf.nn.dropout(_x(tf, 2, 3), rate=0),
    "half": lambda tf: tf.nn.dropout(_x(tf, 2, 3, dtype="float16"), rate=0.5),
}


@pytest.mark.parametrize("program", DROPOUTS.values(), ids=DROPOUTS.keys())
def test_dropout_graph_is_tensorflows(program: Program) -> None:
    assert_same_graph(program, values=False)
