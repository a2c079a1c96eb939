"""tf.compat.v2.nn's convolutions, pools and other functions of windows."""

from __future__ import annotations

from typing import Any

from dataflow.graph.random_seed import get_seed as _get_seed
from dataflow.porting.v2.respell import respelled
from dataflow.values import dtypes as _dtypes

conv1d = respelled(
    "nn.conv1d",
    "input filters stride padding",
    data_format="NWC",
    dilations=None,
    name=None,
)
conv2d = respelled(
    "nn.conv2d",
    "input filters strides padding",
    data_format="NHWC",
    dilations=None,
    name=None,
)
conv2d_transpose = respelled(
    "nn.conv2d_transpose",
    "input filters output_shape strides",
    padding="SAME",
    data_format="NHWC",
    dilations=None,
    name=None,
)
conv3d = respelled(
    "nn.conv3d",
    "input filters strides padding",
    data_format="NDHWC",
    dilations=None,
    name=None,
)
conv3d_transpose = respelled(
    "nn.conv3d_transpose",
    "input:value filters:filter output_shape strides",
    padding="SAME",
    data_format="NDHWC",
    dilations=None,
    name=None,
)
convolution = respelled(
    "nn.convolution",
    "input filters:filter",
    strides=None,
    padding="VALID",
    data_format=None,
    dilations=None,
    name=None,
)
depth_to_space = respelled("nn.depth_to_space", "input block_size", data_format="NHWC", name=None)
depthwise_conv2d = respelled(
    "nn.depthwise_conv2d",
    "input filter strides padding",
    data_format=None,
    dilations=None,
    name=None,
)
_fractional_arguments = (
    "value pooling_ratio pseudo_random overlapping deterministic seed seed2 name"
)
_fractional_avg_pool = respelled("nn.fractional_avg_pool", _fractional_arguments)
_fractional_max_pool = respelled("nn.fractional_max_pool", _fractional_arguments)
_max_pool_with_argmax = respelled(
    "nn.max_pool_with_argmax",
    "input ksize strides padding data_format output_dtype include_batch_in_index name",
)
pool = respelled(
    "nn.pool",
    "input window_shape pooling_type",
    strides=None,
    padding="VALID",
    data_format=None,
    dilations=None,
    name=None,
)
separable_conv2d = respelled(
    "nn.separable_conv2d",
    "input depthwise_filter pointwise_filter strides padding",
    data_format=None,
    dilations=None,
    name=None,
)
space_to_batch = respelled("space_to_batch_nd", "input block_shape paddings", name=None)
space_to_depth = respelled("nn.space_to_depth", "input block_size", data_format="NHWC", name=None)
_dilation2d = respelled("nn.dilation2d", "input filter strides rates padding name")
_erosion2d = respelled("nn.erosion2d", "value kernel strides rates padding name")


def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    output_dtype: Any = _dtypes.int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> Any:
    """`tf.nn.max_pool_with_argmax`, whose windows may be given as a number, or one or two."""
    return _max_pool_with_argmax(
        input,
        _window(ksize, "ksize"),
        _window(strides, "strides"),
        padding,
        data_format,
        output_dtype,
        include_batch_in_index,
        name,
    )


def fractional_max_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> Any:
    """`tf.nn.fractional_max_pool`; with a seed, each run takes the same windows."""
    first, second = (0, 0) if seed == 0 else _get_seed(seed)
    return _fractional_max_pool(
        value,
        _window(pooling_ratio, "pooling_ratio"),
        pseudo_random,
        overlapping,
        seed != 0,
        first,
        second,
        name,
    )


def fractional_avg_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> Any:
    """`tf.nn.fractional_avg_pool`; with a seed, each run takes the same windows."""
    first, second = (0, 0) if seed == 0 else _get_seed(seed)
    return _fractional_avg_pool(
        value, pooling_ratio, pseudo_random, overlapping, seed != 0, first, second, name
    )


def _window(value: Any, what: str) -> list[Any]:
    sizes = [1] if value is None else [value] if isinstance(value, (int, float)) else list(value)
    if len(sizes) not in (1, 2, 4):
        raise ValueError(f"{what} should be of length 1, 2 or 4 but was {len(sizes)}")
    if len(sizes) == 4:
        return sizes
    return [1, sizes[0], sizes[-1], 1]


def dilation2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str,
    dilations: Any,
    name: str | None = None,
) -> Any:
    """`tf.nn.dilation2d`.

    Raises:
      ValueError: `data_format` is not "NHWC".
    """
    _must_be_nhwc(data_format)
    return _dilation2d(input, filters, strides, dilations, padding, name)


def erosion2d(
    value: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str,
    dilations: Any,
    name: str | None = None,
) -> Any:
    """`tf.nn.erosion2d`.

    Raises:
      ValueError: `data_format` is not "NHWC".
    """
    _must_be_nhwc(data_format)
    return _erosion2d(value, filters, strides, dilations, padding, name)


def _must_be_nhwc(data_format: str) -> None:
    if data_format != "NHWC":
        raise ValueError("Data formats other than NHWC are not yet supported")
