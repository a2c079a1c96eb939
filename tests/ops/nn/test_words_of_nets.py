"""Refusals of convolutions, pools, losses, norms, sums and orders in the words of 1.15."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import pytest

import dataflow as tf
from dataflow.porting.v2 import nn as newer


def _of(*shape: int) -> Any:
    return tf.constant(np.sin(np.arange(np.prod(shape, dtype=int))).reshape(shape), tf.float32)


_LENGTH: Final = "{} should be of length 1, 2 or 4 but was {}"
_PAIR: Final = "When padding is a list, each element of padding must be a list/tuple of size 2. "
_FORMAT: Final = 'data_format must be "NWC" or "NCW".'
_POSITIVE: Final = "all values of dilation_rate must be positive"
_TOGETHER: Final = "strides > 1 not supported in conjunction with dilation_rate > 1"
_RATE: Final = "rate must be a scalar tensor or a float in the range [0, 1), got {}"
_ASCENDING: Final = "spatial_dims must be a montonically increasing sequence of positive integers"


def _conv(strides: Any = 1, padding: Any = "SAME", **kwargs: Any) -> Callable[[], Any]:
    return lambda: tf.nn.conv2d(_of(1, 4, 5, 2), _of(2, 2, 2, 3), strides, padding, **kwargs)


def _conv1(*args: Any, **kwargs: Any) -> Callable[[], Any]:
    return lambda: tf.nn.conv1d(_of(1, 4, 2), _of(2, 2, 1), *args, **kwargs)


def _any(*shape: int, **kwargs: Any) -> Callable[[], Any]:
    filters = {2: (3, 2), 3: (3, 2, 2), 4: (3, 2, 2, 2), 6: (1, 1, 1, 1, 2, 2)}[len(shape)]
    return lambda: tf.nn.convolution(_of(*shape), _of(*filters), "VALID", **kwargs)


def _pool(window: Any, padding: str = "SAME", **kwargs: Any) -> Callable[[], Any]:
    return lambda: tf.nn.pool(_of(1, 4, 5, 2), window, "MAX", padding, **kwargs)


def _batches(rate: Any, padding: str = "SAME", *args: Any, **kwargs: Any) -> Callable[[], Any]:
    return lambda: tf.nn.with_space_to_batch(
        _of(1, 9, 8, 2), rate, padding, lambda x, *_: x, *args, **kwargs
    )


def _atrous(filters: Any, sizes: Any, rate: int = 2, padding: str = "SAME") -> Callable[[], Any]:
    return lambda: tf.nn.atrous_conv2d_transpose(
        _of(1, 5, 6, 2), _of(3, 3, 2, filters), sizes, rate, padding
    )


def _dropout(*args: Any, x: Any = (0.5, 0.5), **kwargs: Any) -> Callable[[], Any]:
    return lambda: tf.nn.dropout(tf.constant(x), *args, **kwargs)


def _einsum(equation: str, *shapes: tuple[int, ...], **kwargs: Any) -> Callable[[], Any]:
    return lambda: tf.einsum(equation, *[_of(*shape) for shape in shapes], **kwargs)


_TWO: Final = ((2, 3), (3, 4))
_VALUES: Final[Mapping[str, tuple[Callable[[], Any], str]]] = {
    "strides": (_conv([2, 1, 1]), _LENGTH.format("strides", 3)),
    "more strides": (_conv([1] * 5), _LENGTH.format("strides", 5)),
    "dilations": (_conv(dilations=[1, 2, 1]), _LENGTH.format("dilations", 3)),
    "no pair": (_conv(1, [0, 1]), f"{_PAIR}Element with index 0 of padding is not a list/tuple"),
    "single": (_conv(1, [[0, 0], [1]]), f"{_PAIR}Element with index 1 of padding has size 1"),
    "pads": (
        _conv(1, [[0, 0], [1, 1]]),
        "When padding is a list, it must be of size 4. Got padding of size: 2",
    ),
    "stride of one": (_conv1([1, 2], "VALID"), "stride should be of length 1, 1 or 3 but was 2"),
    "format": (_conv1(1, "SAME", data_format="CWN"), _FORMAT),
    "format of transposed": (
        lambda: tf.nn.conv1d_transpose(_of(2, 3, 3), _of(3, 2, 3), [2, 6, 2], 2, "SAME", "NHWC"),
        _FORMAT,
    ),
    "transposed": (
        lambda: tf.nn.conv_transpose(_of(2, 4, 3), _of(3, 2, 3), [2, 8], 2),
        "output_shape must be of length 3, 4 or 5 but was 2.",
    ),
    "transposed, not known": (
        lambda: tf.nn.conv_transpose(_of(2, 4, 3), _of(3, 2, 3), tf.placeholder(tf.int32), 2),
        "output_shape must be of length 3, 4 or 5 but was ?.",
    ),
    "rank 2": (_any(1, 9), "Input tensor must be of rank 3, 4 or 5 but was 2."),
    "rank 6": (_any(1, 2, 2, 2, 2, 2), "Input tensor must be of rank 3, 4 or 5 but was 6."),
    "no rank": (
        lambda: tf.nn.convolution(tf.placeholder(tf.float32), tf.placeholder(tf.float32), "SAME"),
        "rank of input or filter must be known",
    ),
    "rate": (_any(1, 9, 8, 2, dilation_rate=[0, 1]), _POSITIVE),
    "both": (_any(1, 9, 8, 2, strides=[2, 1], dilation_rate=[2, 1]), _TOGETHER),
    "channels in": (
        _atrous(3, [1, 5, 6, 2]),
        "value's input channels does not match filters' input channels, 2 != 3",
    ),
    "channels out": (
        _atrous(2, [1, 5, 6, 3]),
        "output_shape does not match filter's output channels, 3 != 2",
    ),
    "atrous rate": (_atrous(2, [1, 5, 6, 2], 0), "rate 0 cannot be less than one"),
    "atrous pads": (
        _atrous(2, [1, 5, 6, 2], padding="FOO"),
        "padding must be either VALID or SAME: FOO",
    ),
    "atrous sizes": (_atrous(2, [1, 5, 6]), "output_shape must have shape (4,), got (3,)"),
    "batches": (_batches([2, 2]), "filter_shape must be specified for SAME padding"),
    "batches' rate": (_batches([2, 0], "SAME", [3, 3]), "dilation_rate must be positive"),
    "batches' rates": (_batches([[2, 2]], "SAME", [3, 3]), "rate must be rank 1"),
    "batches' order": (_batches([2, 2], "SAME", [3, 3], spatial_dims=[2, 1]), _ASCENDING),
    "batches' rank": (
        lambda: tf.nn.with_space_to_batch(_of(1, 9), [2, 2], "SAME", lambda x, *_: x, [3, 3]),
        "input tensor must have rank 3 at least",
    ),
    "batches' pads": (_batches([2, 2], "FOO", [3, 3]), "Invalid padding method 'FOO'"),
    "window": (
        lambda: tf.nn.max_pool(_of(1, 4, 5, 2), [2, 2, 1], 2, "SAME"),
        _LENGTH.format("ksize", 3),
    ),
    "no window": (
        lambda: tf.nn.max_pool(_of(1, 4, 5, 2), [1, 0, 1, 1], [1, 1, 1, 1], "SAME"),
        "ksize cannot be zero.",
    ),
    "places": (
        lambda: tf.nn.max_pool_with_argmax(
            _of(1, 4, 4, 1), [1, 2, 2, 1], [1, 1, 1, 1], "SAME", data_format="NCHW"
        ),
        "Data formats other than 'NHWC' are not yet supported",
    ),
    "newer rank": (
        lambda: newer.max_pool(_of(6, 2), 2, 2, "SAME"),
        "Input tensor must be of rank 3, 4 or 5 but was 2.",
    ),
    "pool's pads": (
        _pool([2, 2], dilation_rate=[2, 1]),
        "pooling with SAME padding is not implemented for dilation_rate > 1",
    ),
    "pool, both": (_pool([2, 2], "VALID", strides=[2, 2], dilation_rate=[2, 2]), _TOGETHER),
    "pool's strides": (
        _pool([2, 2], strides=[3, 2]),
        "strides > window_shape not supported due to inconsistency between CPU and GPU "
        "implementations",
    ),
    "pool's dims": (
        lambda: tf.nn.pool(_of(1, 2, 2, 2, 2, 2), [2] * 4, "MAX", "SAME"),
        "It is required that 1 <= num_spatial_dims <= 3.",
    ),
    "pool's count": (_pool([2, 2], strides=[3]), "len(strides)=1 but should be 2"),
    "pool's rate": (_pool([2, 2], dilation_rate=[0, 1]), _POSITIVE),
    "fractions": (
        lambda: newer.fractional_max_pool(_of(1, 8, 8, 2), [1, 2, 3], seed=2),
        _LENGTH.format("pooling_ratio", 3),
    ),
    "newer dilation": (
        lambda: newer.dilation2d(_of(1, 4, 4, 2), _of(2, 2, 2), [1] * 4, "SAME", "NCHW", [1] * 4),
        "Data formats other than NHWC are not yet supported",
    ),
    "bias": (
        lambda: tf.nn.bias_add(_of(2, 3), _of(3), data_format="FOO"),
        "data_format must be of the form `N...C` or `NC...`",
    ),
    "kept": (_dropout(-1.0), _RATE.format("2")),
    "kept more": (_dropout(1.1), _RATE.format("-0.1")),
    "all dropped": (_dropout(rate=1), _RATE.format("1")),
    "kept list": (
        _dropout([0.0, 1.0]),
        "keep_prob must be a floating point number or Tensor (got [0.0, 1.0])",
    ),
    "kept tensor": (
        lambda: tf.nn.dropout(_of(3), tf.placeholder(tf.float32, [2])),
        "Shape (2,) must have rank 0",
    ),
    "no rate": (_dropout(), "You must provide a rate to dropout."),
    "ints": (
        _dropout(0.5, x=(1, 1)),
        "x has to be a floating point tensor since it's going to be scaled. Got a "
        "<dtype: 'int32'> tensor instead.",
    ),
    "logits only": (
        lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(logits=_of(2, 3)),
        "Both labels and logits must be provided.",
    ),
    "losses": (
        lambda: tf.nn.sigmoid_cross_entropy_with_logits(labels=_of(2, 3), logits=_of(3)),
        "logits and labels must have the same shape ((3,) vs (2, 3))",
    ),
    "blank": (
        lambda: tf.nn.ctc_loss_v2(
            tf.SparseTensor([[0, 0]], [1], [1, 1]), _of(4, 1, 3), None, [4], blank_index=None
        ),
        "blank_index must be given when using SparseTensor labels.",
    ),
    "order": (
        lambda: tf.sort(_of(2), direction="FOO"),
        "FOO should be one of ASCENDING, DESCENDING",
    ),
    "arrows": (_einsum("ij,jk->ijk->ik", *_TWO), "Indices have incorrect format: ij,jk->ijk->ik"),
    "operands": (
        _einsum("ij,jk->ik", (2, 3)),
        'Got 1 arguments for equation "ij,jk->ik", expecting 2',
    ),
    "new label": (_einsum("ij->kj", (2, 3)), "Invalid equation: ij->kj"),
    "same label": (_einsum("ij,jk->ii", *_TWO), "Invalid equation: ij,jk->ii"),
    "exponentials": (
        lambda: tf.linalg.expm(tf.constant([[1, 0], [0, 1]])),
        "tf.linalg.expm does not support matrices of type <dtype: 'int32'>",
    ),
    "slices": (
        lambda: tf.convert_to_tensor(tf.IndexedSlices(_of(2, 2), [0, 2], [3, 2]), tf.int32),
        "Tensor conversion requested dtype int32 for IndexedSlices with dtype float32",
    ),
    "method": (
        lambda: (lambda x: tf.gradients([x * 2, x * 3], x, aggregation_method=9))(_of(3)),
        "Invalid aggregation_method specified 9.",
    ),
}
_TYPES: Final[Mapping[str, tuple[Callable[[], Any], str]]] = {
    "dense labels": (
        lambda: tf.nn.ctc_loss([[0, 1]], _of(4, 1, 3), [4]),
        "Expected labels (first argument) to be a SparseTensor",
    ),
    "rows": (lambda: tf.eye([2]), "num_rows and num_columns must be positive integer values."),
    "einsum": (
        _einsum("ij,jk->ik", *_TWO, foo=1),
        "invalid keyword arguments for this function: foo",
    ),
    "sum": (
        lambda: tf.accumulate_n([_of(2)], tensor_dtype=tf.int32),
        "tensor_dtype is <dtype: 'int32'>, but input is of type <dtype: 'float32'>",
    ),
}


@pytest.mark.parametrize("name", _VALUES)
def test_values_are_refused_in_1_15s_words(name: str) -> None:
    call, text = _VALUES[name]
    with tf.Graph().as_default(), pytest.raises(ValueError) as raised:
        call()
    assert str(raised.value) == text


@pytest.mark.parametrize("name", _TYPES)
def test_types_are_refused_in_1_15s_words(name: str) -> None:
    call, text = _TYPES[name]
    with tf.Graph().as_default(), pytest.raises(TypeError) as raised:
        call()
    assert str(raised.value) == text


def test_axis_beyond_the_logits() -> None:
    with tf.Graph().as_default(), pytest.raises(tf.errors.InvalidArgumentError) as raised:
        tf.nn.softmax(_of(3, 4, 2), axis=3)
    assert raised.value.message == (
        "Dimension (3) must be in the range [-3, 3) where 3 is the number of dimensions in the "
        "input."
    )


def test_shape_of_a_sum_is_what_is_said() -> None:
    with tf.Graph().as_default():
        parts = [tf.placeholder(tf.float32) for _ in range(2)]
        assert tf.accumulate_n(parts, shape=[2, None]).shape.as_list() == [2, None]


def test_newer_fractional_pools_repeat_their_windows_with_a_seed_only() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        image = _of(1, 40, 40, 1)
        seeded, wide, free, mean = (
            newer.fractional_max_pool(image, 1.5, seed=2),
            newer.fractional_max_pool(image, [1, 1.5, 1.5, 1], seed=2),
            newer.fractional_max_pool(image, [1.5, 2]),
            newer.fractional_avg_pool(image, [1, 1.5, 1.5, 1], seed=2),
        )
        seeds = [seeded[0].op.get_attr(name) for name in ("deterministic", "seed", "seed2")]
        assert seeds == [True, 87654321, 2]
        assert [free[0].op.get_attr(name) for name in ("deterministic", "seed")] == [False, 0]
        assert free[0].shape.as_list() == [1, 26, 20, 1]
        again = [session.run([seeded, wide[0], mean[1]]) for _ in range(2)]
    np.testing.assert_array_equal(again[0][0].output, again[1][0].output)
    np.testing.assert_array_equal(again[0][0].output, again[0][1])
    np.testing.assert_array_equal(again[0][0].row_pooling_sequence, again[0][2])
