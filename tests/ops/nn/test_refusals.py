"""What tf.nn refuses, and with which words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.schema import opdef
from tests.differentiation.both import assert_same_refusal, oracle, refusal
from tests.words import as_in_tensorflow_1

Program = Callable[[Any], Any]

_ONES = [1, 1, 1, 1]


def _x(tf: Any, *shape: int | None, dtype: str = "float32") -> Any:
    return tf.placeholder(getattr(tf, dtype), list(shape), name="x")


def _conv(tf: Any, **changed: Any) -> Any:
    arguments = {
        "input": _x(tf, 1, 5, 5, 2),
        "filter": _x(tf, 3, 3, 2, 2),
        "strides": 1,
        "padding": "SAME",
    }
    return tf.nn.conv2d(**{**arguments, **changed})


WHILE_BUILDING: dict[str, Program] = {
    "softmax two axes": lambda tf: tf.nn.softmax(_x(tf, 2, 3), axis=1, dim=1),
    "bias format": lambda tf: tf.nn.bias_add(_x(tf, 2, 3), [1.0, 2, 3], data_format="HWC"),
    "cross entropy without labels": lambda tf: tf.nn.softmax_cross_entropy_with_logits(
        logits=_x(tf, 2, 3)
    ),
    "cross entropy axis and dim": lambda tf: tf.nn.softmax_cross_entropy_with_logits(
        labels=_x(tf, 2, 3), logits=_x(tf, 2, 3), axis=1
    ),
    "sparse cross entropy rank": lambda tf: tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=_x(tf, 2, 1, dtype="int32"), logits=_x(tf, 2, 3)
    ),
    "sparse cross entropy shape": lambda tf: tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=_x(tf, 2, dtype="int32"), logits=_x(tf, 3, 3)
    ),
    "sigmoid cross entropy shape": lambda tf: tf.nn.sigmoid_cross_entropy_with_logits(
        labels=_x(tf, 2, 3), logits=_x(tf, 3, 2)
    ),
    "weighted cross entropy shape": lambda tf: tf.nn.weighted_cross_entropy_with_logits(
        labels=_x(tf, 2, 3), logits=_x(tf, 3, 2), pos_weight=1.0
    ),
    "poisson shape": lambda tf: tf.nn.log_poisson_loss(_x(tf, 2, 3), _x(tf, 3, 2)),
    "conv2d strides": lambda tf: _conv(tf, strides=[1, 2, 3]),
    "conv2d dilations": lambda tf: _conv(tf, dilations=[1, 2, 3, 4, 5]),
    "conv2d explicit": lambda tf: _conv(tf, padding="EXPLICIT"),
    "conv2d pair": lambda tf: _conv(tf, padding=[[0, 0], [1], [1, 1], [0, 0]]),
    "conv2d no pair": lambda tf: _conv(tf, padding=[[0, 0], 1, [1, 1], [0, 0]]),
    "conv2d pairs": lambda tf: _conv(tf, padding=[[0, 0], [1, 1]]),
    "conv2d two filters": lambda tf: _conv(tf, filters=_x(tf, 3, 3, 2, 2)),
    "conv1d format": lambda tf: tf.nn.conv1d(
        _x(tf, 1, 5, 2), _x(tf, 3, 2, 2), 1, "SAME", data_format="CNW"
    ),
    "convolution rank": lambda tf: tf.nn.convolution(
        _x(tf, 1, 2, 2, 2, 2, 2), _x(tf, 1, 1, 1, 1, 2, 2), "SAME"
    ),
    "convolution strides and rates": lambda tf: tf.nn.convolution(
        _x(tf, 1, 9, 9, 2), _x(tf, 3, 3, 2, 2), "SAME", strides=[2, 2], dilation_rate=[2, 2]
    ),
    "conv_transpose length": lambda tf: tf.nn.conv_transpose(
        _x(tf, 1, 5, 2), _x(tf, 3, 2, 2), [1, 5], 1
    ),
    "atrous transpose rate": lambda tf: tf.nn.atrous_conv2d_transpose(
        _x(tf, 1, 5, 5, 2), _x(tf, 3, 3, 2, 2), [1, 5, 5, 2], 0, "SAME"
    ),
    "atrous transpose channels": lambda tf: tf.nn.atrous_conv2d_transpose(
        _x(tf, 1, 5, 5, 3), _x(tf, 3, 3, 2, 2), [1, 5, 5, 2], 2, "SAME"
    ),
    "separable taps": lambda tf: tf.nn.separable_conv2d(
        _x(tf, 1, 5, 5, 2), _x(tf, 3, 3, 2, 1), _x(tf, 2, 1, 2, 2), _ONES, "SAME"
    ),
    "max_pool zero": lambda tf: tf.nn.max_pool(_x(tf, 1, 5, 5, 2), [0, 2], 1, "SAME"),
    "max_pool window": lambda tf: tf.nn.max_pool(_x(tf, 1, 5, 5, 2), [1, 2, 2], 1, "SAME"),
    "max_pool_v2 rank": lambda tf: tf.nn.max_pool_v2(_x(tf, 1, 2), 2, 1, "SAME"),
    "argmax format": lambda tf: tf.nn.max_pool_with_argmax(
        _x(tf, 1, 5, 5, 2), _ONES, _ONES, "SAME", data_format="NCHW"
    ),
    "pool type": lambda tf: tf.nn.pool(_x(tf, 1, 5, 2), [2], "MIN", "SAME"),
    "pool same rates": lambda tf: tf.nn.pool(
        _x(tf, 1, 5, 2), [2], "MAX", "SAME", dilation_rate=[2]
    ),
    "pool strides": lambda tf: tf.nn.pool(_x(tf, 1, 5, 2), [2], "MAX", "SAME", strides=[3]),
    "pool window": lambda tf: tf.nn.pool(_x(tf, 1, 5, 2), [2] * 4, "MAX", "SAME"),
    "pool strides and rates": lambda tf: tf.nn.pool(
        _x(tf, 1, 5, 2), [2], "MAX", "VALID", strides=[2], dilation_rate=[2]
    ),
    "space to batch rate": lambda tf: tf.nn.with_space_to_batch(
        _x(tf, 1, 8, 8, 2), [0, 2], "VALID", None
    ),
    "space to batch dims": lambda tf: tf.nn.with_space_to_batch(
        _x(tf, 1, 8, 8, 2), [2, 2], "VALID", None, spatial_dims=[2, 1]
    ),
    "space to batch filter": lambda tf: tf.nn.with_space_to_batch(
        _x(tf, 1, 8, 8, 2), [2, 2], "SAME", None
    ),
    "space to batch padding": lambda tf: tf.nn.with_space_to_batch(
        _x(tf, 1, 8, 8, 2), [2, 2], "FULL", None
    ),
    "batch norm without mean": lambda tf: tf.nn.fused_batch_norm(
        _x(tf, 1, 2, 2, 2), [1.0, 2], [1.0, 2], is_training=False
    ),
    "dropout without rate": lambda tf: tf.nn.dropout(_x(tf, 2)),
    "dropout rate": lambda tf: tf.nn.dropout(_x(tf, 2), rate=1.0),
    "dropout rate and keep_prob": lambda tf: tf.nn.dropout(_x(tf, 2), 0.5, rate=0.5),
    "dropout keep_prob": lambda tf: tf.nn.dropout(_x(tf, 2), "half"),
    "dropout of integers": lambda tf: tf.nn.dropout(_x(tf, 2, dtype="int32"), rate=0.5),
    "dropout rate text": lambda tf: tf.nn.dropout(_x(tf, 2), rate="half"),
    "embedding without tables": lambda tf: tf.nn.embedding_lookup([], [1]),
    "embedding without params": lambda tf: tf.nn.embedding_lookup(None, [1]),
    "embedding strategy": lambda tf: tf.nn.embedding_lookup(
        [_x(tf, 2, 2), _x(tf, 2, 2)], [1], partition_strategy="all"
    ),
}


@pytest.mark.parametrize("program", WHILE_BUILDING.values(), ids=WHILE_BUILDING.keys())
def test_refusal_is_tensorflows(program: Program) -> None:
    assert_same_refusal(program)


def test_softmax_axis_is_refused_as_in_tensorflow() -> None:
    errors = [
        refusal(library, lambda tf: tf.nn.softmax(_x(tf, 2, 3), axis=2)) for library in (tf, oracle)
    ]
    assert isinstance(errors[0], tf.errors.InvalidArgumentError)
    assert isinstance(errors[1], oracle.errors.InvalidArgumentError)
    assert str(errors[0]) == as_in_tensorflow_1(str(errors[1]))


def _run(op: str, *arrays: Any, **attrs: Any) -> str:
    """The text with which a kernel refuses arrays whose shapes are not known while building."""
    with tf.Graph().as_default(), tf.Session() as session:
        tensors = [tf.placeholder(tf.as_dtype(np.asarray(a).dtype), None) for a in arrays]
        definition = opdef.find(op)
        assert definition is not None
        names = [arg.name for arg in definition.inputs]
        fetch = getattr(tf.raw_ops, op)(**dict(zip(names, tensors, strict=True)), **attrs)
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(fetch, dict(zip(tensors, arrays, strict=True)))
    return str(caught.value)


def _zeros(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


def _sizes(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


_SLIDE = {"strides": [1, 1, 1, 1], "padding": "SAME"}
_SLIDE_3D = {"strides": [1] * 5, "padding": "SAME"}
_POOL = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}

# TensorFlow's kernels, with oneDNN, abort the process or read past their inputs here; the words are
# those of its kernels without it.
WHILE_RUNNING: dict[str, tuple[str, tuple[Any, ...], dict[str, Any], str]] = {
    "convolution rank": (
        "Conv2D",
        (_zeros(5, 5, 2), _zeros(3, 3, 2, 2)),
        _SLIDE,
        "convolution input must be 4-dimensional: [5,5,2]",
    ),
    "convolution filter rank": (
        "Conv2D",
        (_zeros(1, 5, 5, 2), _zeros(3, 3, 2)),
        _SLIDE,
        "convolution filter must be 4-dimensional: [3,3,2]",
    ),
    "convolution groups": (
        "Conv2D",
        (_zeros(1, 5, 5, 6), _zeros(3, 3, 2, 4)),
        _SLIDE,
        "output depth must be evenly divisible by number of groups: 4 vs 3",
    ),
    "convolution window": (
        "Conv2D",
        (_zeros(1, 2, 5, 2), _zeros(5, 3, 2, 2)),
        {**_SLIDE, "padding": "VALID"},
        "Computed output size would be negative: -2 [input_size: 2, effective_filter_size: 5, "
        "stride: 1]",
    ),
    "input gradient sizes": (
        "Conv2DBackpropInput",
        (_sizes(5, 5, 2), _zeros(3, 3, 2, 4), _zeros(1, 5, 5, 4)),
        _SLIDE,
        "Conv2DBackpropInput requires input_sizes to contain 4 values or 2 values, but got: 3",
    ),
    "input gradient batch": (
        "Conv2DBackpropInput",
        (_sizes(2, 5, 5, 2), _zeros(3, 3, 2, 4), _zeros(1, 5, 5, 4)),
        _SLIDE,
        "Conv2DCustomBackpropInput: input and out_backprop must have the same batch size. Input "
        "batch: 2, outbackprop batch: 1, batch_dim: 0",
    ),
    "input gradient space": (
        "Conv2DBackpropInput",
        (_sizes(1, 6, 5, 2), _zeros(3, 3, 2, 4), _zeros(1, 5, 5, 4)),
        _SLIDE,
        "Conv2DCustomBackpropInput: Size of out_backprop doesn't match computed: actual = 5, "
        "computed = 6 spatial_dim: 1 input: 6 filter: 3 output: 5 stride: 1 dilation: 1",
    ),
    "input gradient depth": (
        "Conv2DBackpropInput",
        (_sizes(1, 5, 5, 2), _zeros(3, 3, 2, 3), _zeros(1, 5, 5, 4)),
        _SLIDE,
        "Conv2DCustomBackpropInput: filter and out_backprop must have the same out_depth",
    ),
    "input gradient negative size": (
        "Conv2DBackpropInput",
        (_sizes(1, -5, 5, 2), _zeros(3, 3, 2, 4), _zeros(1, 5, 5, 4)),
        _SLIDE,
        "Conv2DBackpropInput: input_sizes must be >= 0, got [1, -5, 5, 2]",
    ),
    "filter gradient sizes": (
        "Conv2DBackpropFilter",
        (_zeros(1, 5, 5, 2), _sizes(3, 3, 2), _zeros(1, 5, 5, 4)),
        _SLIDE,
        "Conv2DCustomBackpropFilter: filter_sizes must contain 4 values, but got: 3",
    ),
    "filter gradient space": (
        "Conv2DBackpropFilter",
        (_zeros(1, 6, 5, 2), _sizes(3, 3, 2, 4), _zeros(1, 5, 5, 4)),
        _SLIDE,
        "Conv2DCustomBackpropFilter: Size of out_backprop doesn't match computed: actual = 5, "
        "computed = 6 spatial_dim: 1",
    ),
    "volume rank": (
        "Conv3D",
        (_zeros(3, 3, 3, 2), _zeros(2, 3, 3, 2, 4)),
        _SLIDE_3D,
        "convolution input must be 5-dimensional: [3,3,3,2]",
    ),
    "volume gradient": (
        "Conv3DBackpropInputV2",
        (_sizes(1, 4, 5, 6, 2), _zeros(2, 3, 3, 2, 4), _zeros(1, 4, 5, 5, 4)),
        _SLIDE_3D,
        "Conv3DBackpropInputOp: Size of out_backprop doesn't match computed: actual = 5, computed "
        "= 6 spatial_dim: 3 input: 6 filter: 3 output: 5 stride: 1 dilation: 1",
    ),
    "depthwise depth": (
        "DepthwiseConv2dNative",
        (_zeros(1, 9, 9, 3), _zeros(3, 3, 2, 4)),
        _SLIDE,
        "input and filter must have the same depth: 3 vs 2",
    ),
    "depthwise rank": (
        "DepthwiseConv2dNative",
        (_zeros(9, 9, 3), _zeros(3, 3, 3, 4)),
        _SLIDE,
        "input must be 4-dimensional: [9,9,3]",
    ),
    "depthwise gradient rows": (
        "DepthwiseConv2dNativeBackpropInput",
        (_sizes(1, 8, 9, 2), _zeros(3, 3, 2, 4), _zeros(1, 9, 9, 8)),
        _SLIDE,
        "DepthwiseConv2DBackpropInput: Number of rows of out_backprop doesn't match computed: "
        "actual = 9, computed = 8",
    ),
    "depthwise gradient depth": (
        "DepthwiseConv2dNativeBackpropInput",
        (_sizes(1, 9, 9, 2), _zeros(3, 3, 2, 4), _zeros(1, 9, 9, 7)),
        _SLIDE,
        "DepthwiseConv2DBackpropInput: depth_multiplier * in_depth not equal to out_depth",
    ),
    "depthwise filter gradient batch": (
        "DepthwiseConv2dNativeBackpropFilter",
        (_zeros(2, 9, 9, 2), _sizes(3, 3, 2, 4), _zeros(1, 9, 9, 8)),
        _SLIDE,
        "DepthwiseConv2DBackpropFilter: input and out_backprop must have the same batch size",
    ),
    "depthwise filter gradient sizes": (
        "DepthwiseConv2dNativeBackpropFilter",
        (_zeros(1, 9, 9, 2), _sizes(3, 3, 2), _zeros(1, 9, 9, 8)),
        _SLIDE,
        "DepthwiseConv2DBackpropFilter: filter must be 4-dimensional",
    ),
    "pooling rank": ("MaxPool", (_zeros(3, 3, 1),), _POOL, "tensor_in must be 4-dimensional"),
    "mean gradient shape": (
        "AvgPoolGrad",
        (_sizes(4, 4, 1), _zeros(1, 2, 2, 1)),
        _POOL,
        "orig_input_shape must be 1-dimensional and 4 elements",
    ),
    "mean gradient rank": (
        "AvgPoolGrad",
        (_sizes(1, 4, 4, 1), _zeros(1, 2, 2)),
        _POOL,
        "out_backprop must be 4-dimensional",
    ),
    "mean gradient size": (
        "AvgPoolGrad",
        (_sizes(1, 5, 4, 1), _zeros(1, 2, 2, 1)),
        _POOL,
        "Expected grad shape to be [1,3,2,1], but got [1,2,2,1]",
    ),
    "argmax out of range": (
        "MaxPoolGradWithArgmax",
        (_zeros(1, 2, 2, 1), _zeros(1, 1, 1, 1), np.full((1, 1, 1, 1), 9)),
        _POOL,
        "argmax must be in [0, 4), but has values from 9 to 9",
    ),
    "softmax of a scalar": ("Softmax", (_zeros(),), {}, "logits must have >= 1 dimension, got []"),
}


@pytest.mark.parametrize("case", WHILE_RUNNING.values(), ids=WHILE_RUNNING.keys())
def test_kernel_says_what_does_not_fit(case: tuple[Any, ...]) -> None:
    op, arrays, attrs, text = case
    assert text in _run(op, *arrays, **attrs)
