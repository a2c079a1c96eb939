"""Pooling functions for one, two and three axes: the greatest or the mean of windows."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.graph.apply_op import apply_op
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.ops.nn.arguments import channel_index_of, per_dimension, split_padding
from dataflow.values import dtypes
from dataflow.values.deprecated_args import renamed


def max_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """The greatest element of each window of images.

    Args:
      value: Images.
      ksize: Size of the window: one number, one a spatial dimension, or one a dimension.
      strides: Steps of the window, in the forms of `ksize`.
      padding: "SAME", "VALID", or a list of pairs.
      data_format: "NHWC" or "NCHW".
      name: Name of the operation.
      input: Other name of `value`.

    Raises:
      ValueError: A size is zero, or an argument has a wrong length.
    """
    value = renamed("input", input, "value", value)
    with name_scope(name, "MaxPool", [value]) as scope:
        attrs = _window_2d(ksize, strides, data_format)
        kind, explicit = split_padding(padding)
        if any(size == 0 for size in attrs["ksize"]):
            raise ValueError("ksize cannot be zero.")
        return single(
            "MaxPool", value, padding=kind, explicit_paddings=explicit, name=scope, **attrs
        )


def max_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The greatest element of each window of images; arguments as those of max_pool."""
    with name_scope(name, "MaxPool2d", [input]) as scope:
        attrs = _window_2d(ksize, strides, data_format)
        kind, explicit = split_padding(padding)
        return single(
            "MaxPool", input, padding=kind, explicit_paddings=explicit, name=scope, **attrs
        )


def max_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NWC",
    name: str | None = None,
) -> Tensor:
    """The greatest element of each window along one axis.

    Args:
      input: Tensor (batch, width, channels).
      ksize: Size of the window.
      strides: Steps of the window.
      padding: "SAME", "VALID", or a list of three pairs.
      data_format: "NWC" or "NCW".
      name: Name of the operation.
    """
    with name_scope(name, "MaxPool1d", [input]) as scope:
        attrs, axis = _window_1d(ksize, strides, data_format)
        kind, explicit = split_padding(padding, 3)
        if kind == "EXPLICIT":
            explicit = [0, 0, *explicit]
        images = array_shape.expand_dims(input, axis)
        result = single(
            "MaxPool", images, padding=kind, explicit_paddings=explicit, name=scope, **attrs
        )
        return array_shape.squeeze(result, axis)


def max_pool3d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The greatest element of each window of volumes.

    Args:
      input: Volumes.
      ksize: Size of the window: one number, one a spatial dimension, or one a dimension.
      strides: Steps of the window, in the forms of `ksize`.
      padding: "SAME" or "VALID".
      data_format: "NDHWC" or "NCDHW".
      name: Name of the operation.
    """
    with name_scope(name, "MaxPool3D", [input]) as scope:
        attrs = _window_3d(ksize, strides, data_format)
        return single("MaxPool3D", input, padding=padding, name=scope, **attrs)


def avg_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """The mean of each window of images, which padding does not count for.

    Args:
      value: Images.
      ksize: Size of the window: one number, one a spatial dimension, or one a dimension.
      strides: Steps of the window, in the forms of `ksize`.
      padding: "SAME" or "VALID".
      data_format: "NHWC" or "NCHW".
      name: Name of the operation.
      input: Other name of `value`.
    """
    with name_scope(name, "AvgPool", [value]) as scope:
        value = renamed("input", input, "value", value)
        attrs = _window_2d(ksize, strides, data_format)
        return single("AvgPool", value, padding=padding, name=scope, **attrs)


avg_pool2d = avg_pool


def avg_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window along one axis; arguments as those of max_pool1d."""
    with name_scope(name, "AvgPool1D", [input]) as scope:
        attrs, axis = _window_1d(ksize, strides, data_format)
        images = array_shape.expand_dims(input, axis)
        result = single("AvgPool", images, padding=padding, name=scope, **attrs)
        return array_shape.squeeze(result, axis)


def avg_pool3d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of volumes; arguments as those of max_pool3d."""
    with name_scope(name, "AvgPool3D", [input]) as scope:
        attrs = _window_3d(ksize, strides, data_format)
        return single("AvgPool3D", input, padding=padding, name=scope, **attrs)


def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    Targmax: Any = None,
    name: str | None = None,
    output_dtype: Any = None,
    include_batch_in_index: bool = False,
) -> Any:
    """The greatest element of each window, and its place in the flattened image.

    Args:
      input: Images, channels last.
      ksize: One number a dimension.
      strides: One number a dimension.
      padding: "SAME" or "VALID".
      data_format: "NHWC".
      Targmax: Type of the places, int64 by default.
      name: Name of the operation.
      output_dtype: Other name of `Targmax`.
      include_batch_in_index: Places are those in the flattened batch.

    Returns:
      The pair (output, argmax).

    Raises:
      ValueError: The data format is another one.
    """
    if data_format != "NHWC":
        raise ValueError("Data formats other than 'NHWC' are not yet supported")
    target = renamed("output_dtype", output_dtype, "Targmax", Targmax)
    return apply_op(
        "MaxPoolWithArgmax",
        input,
        ksize=ksize,
        strides=strides,
        padding=padding,
        Targmax=dtypes.int64 if target is None else target,
        include_batch_in_index=include_batch_in_index,
        name=name,
    )


def _window_2d(ksize: Any, strides: Any, data_format: str | None) -> dict[str, Any]:
    data_format = "NHWC" if data_format is None else data_format
    index = channel_index_of(data_format, 2)
    return {
        "ksize": per_dimension(ksize, 2, index, "ksize"),
        "strides": per_dimension(strides, 2, index, "strides"),
        "data_format": data_format,
    }


def _window_3d(ksize: Any, strides: Any, data_format: str | None) -> dict[str, Any]:
    data_format = "NDHWC" if data_format is None else data_format
    index = channel_index_of(data_format, 3)
    return {
        "ksize": per_dimension(ksize, 3, index, "ksize"),
        "strides": per_dimension(strides, 3, index, "strides"),
        "data_format": data_format,
    }


def _window_1d(ksize: Any, strides: Any, data_format: str | None) -> tuple[dict[str, Any], int]:
    """The attrs for images of one row, and the axis of the rows."""
    data_format = "NWC" if data_format is None else data_format
    index = channel_index_of(data_format, 1)
    attrs = {
        "ksize": [1, *per_dimension(ksize, 1, index, "ksize")],
        "strides": [1, *per_dimension(strides, 1, index, "strides")],
        "data_format": "NHWC" if data_format == "NWC" else "NCHW",
    }
    return attrs, 1 if data_format == "NWC" else 2
