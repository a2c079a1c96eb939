"""A net of 8-bit integers, node by node as TensorFlow 1's tools rewrote float nets."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

_RAW = tf.raw_ops


def _quantized(x: Any) -> tuple[Any, Any, Any]:
    """Values as steps of the range that they have."""
    flat = tf.reshape(x, [-1])
    low, high = tf.reduce_min(flat), tf.reduce_max(flat)
    return tuple(
        _RAW.QuantizeV2(input=x, min_range=low, max_range=high, T=tf.quint8, mode="MIN_FIRST")
    )


def _stored(values: np.ndarray) -> tuple[Any, Any, Any]:
    """Weights as steps of the range that they have, as files hold them."""
    low, high = min(values.min(), 0.0), values.max()
    steps = np.rint((values - low) * (255 / (high - low))).astype(np.uint8)
    carrier = tf.quint8.as_numpy_dtype
    return tf.constant(steps.view(carrier), tf.quint8), np.float32(low), np.float32(high)


def _narrowed(x: Any, low: Any, high: Any) -> tuple[Any, Any, Any]:
    """Sums of 32 bits as 8 bits."""
    new_low, new_high = _RAW.RequantizationRange(input=x, input_min=low, input_max=high)
    return tuple(
        _RAW.Requantize(
            input=x,
            input_min=low,
            input_max=high,
            requested_output_min=new_low,
            requested_output_max=new_high,
            out_type=tf.quint8,
        )
    )


def _biased(x: Any, low: Any, high: Any, bias: np.ndarray) -> tuple[Any, Any, Any]:
    steps, low_bias, high_bias = _stored(bias)
    return _narrowed(
        *_RAW.QuantizedBiasAdd(
            input=x,
            bias=steps,
            min_input=low,
            max_input=high,
            min_bias=low_bias,
            max_bias=high_bias,
            out_type=tf.qint32,
        )
    )


def _convolved(x: Any, low: Any, high: Any, weights: Any, bias: Any) -> tuple[Any, Any, Any]:
    steps, low_filter, high_filter = _stored(weights)
    sums = _RAW.QuantizedConv2D(
        input=x,
        filter=steps,
        min_input=low,
        max_input=high,
        min_filter=low_filter,
        max_filter=high_filter,
        strides=[1, 1, 1, 1],
        padding="SAME",
    )
    x, low, high = _biased(*_narrowed(*sums), bias)
    x, low, high = _RAW.QuantizedRelu(features=x, min_features=low, max_features=high)
    pooled = _RAW.QuantizedMaxPool(
        input=x,
        min_input=low,
        max_input=high,
        ksize=[1, 2, 2, 1],
        strides=[1, 2, 2, 1],
        padding="VALID",
    )
    return tuple(pooled)


def function(random: np.random.Generator) -> Any:
    """The net, as a function of images of 8 x 8 x 3."""
    first, second, dense = (
        random.normal(0, 0.3, shape) for shape in ((3, 3, 3, 8), (3, 3, 8, 16), (64, 10))
    )
    biases = [random.normal(0, 0.3, size) for size in (8, 16, 10)]

    def call(images: Any) -> Any:
        values = _convolved(*_quantized(images), first, biases[0])
        x, low, high = _convolved(*values, second, biases[1])
        shape = [tf.shape(images)[0], 64]
        x, low, high = _RAW.QuantizedReshape(tensor=x, shape=shape, input_min=low, input_max=high)
        steps, low_b, high_b = _stored(dense)
        sums = _RAW.QuantizedMatMul(
            a=x, b=steps, min_a=low, max_a=high, min_b=low_b, max_b=high_b, Toutput=tf.qint32
        )
        x, low, high = _biased(*_narrowed(*sums), biases[2])
        return _RAW.Dequantize(input=x, min_range=low, max_range=high, mode="MIN_FIRST")

    return call
