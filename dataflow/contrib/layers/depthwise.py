"""Convolutions of each channel by itself: separable ones, and one kernel for all channels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dataflow.contrib.framework.arg_scope import add_arg_scope
from dataflow.contrib.framework.variables import model_variable
from dataflow.contrib.layers.collections import (
    add_variable,
    collect_named_outputs,
    get_variable_collections,
    variable_getter,
)
from dataflow.contrib.layers.initializers import xavier_initializer
from dataflow.graph.convert import convert_to_tensor
from dataflow.library.layers.separable import SeparableConv2D
from dataflow.ops.array.broadcast import tile
from dataflow.ops.nn.activation import relu
from dataflow.ops.nn.bias import bias_add
from dataflow.ops.nn.separable import depthwise_conv2d
from dataflow.variables.initializers import Zeros
from dataflow.variables.scope import variable_scope

_RENAMED = {
    "bias": "biases",
    "depthwise_kernel": "depthwise_weights",
    "pointwise_kernel": "pointwise_weights",
}


def _pair(value: Any) -> tuple[int, int]:
    first, second = (value, value) if isinstance(value, int) else value
    return int(first), int(second)


@add_arg_scope
def separable_convolution2d(
    inputs: Any,
    num_outputs: int | None,
    kernel_size: Any,
    depth_multiplier: int = 1,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str = "NHWC",
    rate: Any = 1,
    activation_fn: Any = relu,
    normalizer_fn: Any = None,
    normalizer_params: Mapping[str, Any] | None = None,
    weights_initializer: Any = xavier_initializer(),  # noqa: B008
    pointwise_initializer: Any = None,
    weights_regularizer: Any = None,
    biases_initializer: Any = Zeros(),  # noqa: B008
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """A convolution of each channel, and then a mixture of them.

    Args:
      inputs: A tensor of shape (batch, height, width, channels), or as `data_format` says.
      num_outputs: How many channels the mixture has; None leaves the channels unmixed.
      kernel_size: One size, or height and width.
      depth_multiplier: How many channels are made of each.
      stride: One step, or one for each.
      padding: "SAME" or "VALID".
      data_format: "NHWC" or "NCHW".
      rate: How far apart what the kernel sees is; one number, or one for each.
      activation_fn: A function of the output, or None.
      normalizer_fn: A function of the convolution that takes the place of the biases, or None.
      normalizer_params: Its arguments.
      weights_initializer: Of `depthwise_weights`.
      pointwise_initializer: Of `pointwise_weights`; the same if None.
      weights_regularizer: Makes a loss of them.
      biases_initializer: Of `biases`; None for no biases.
      biases_regularizer: Makes a loss of them.
      reuse: Whether variables of the scope are shared.
      variables_collections: Where variables are put: a list for all, or a dictionary of lists.
      outputs_collections: Where the output is put.
      trainable: Whether optimizers train the variables.
      scope: Of the variables; "SeparableConv2d" if None.

    Raises:
      ValueError: If the format is neither.
    """
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    with variable_scope(
        scope, "SeparableConv2d", [inputs], reuse=reuse, custom_getter=variable_getter(_RENAMED)
    ) as inside:
        inputs = convert_to_tensor(inputs)
        if num_outputs is not None:
            layer = SeparableConv2D(
                filters=num_outputs,
                kernel_size=kernel_size,
                strides=stride,
                padding=padding,
                data_format="channels_first" if data_format == "NCHW" else "channels_last",
                dilation_rate=_pair(rate),
                depth_multiplier=depth_multiplier,
                use_bias=not normalizer_fn and bool(biases_initializer),
                depthwise_initializer=weights_initializer,
                pointwise_initializer=pointwise_initializer or weights_initializer,
                bias_initializer=biases_initializer,
                depthwise_regularizer=weights_regularizer,
                pointwise_regularizer=weights_regularizer,
                bias_regularizer=biases_regularizer,
                trainable=trainable,
                name=inside.name,
                dtype=inputs.dtype.base_dtype,
                _scope=inside,
                _reuse=reuse,
            )
            outputs = layer.apply(inputs)
            add_variable(layer.depthwise_kernel, variables_collections, "weights")
            add_variable(layer.pointwise_kernel, variables_collections, "weights")
            if layer.use_bias:
                add_variable(layer.bias, variables_collections, "biases")
            if normalizer_fn is not None:
                outputs = normalizer_fn(outputs, **(normalizer_params or {}))
        else:
            channels = _channels(inputs, data_format)
            weights = model_variable(
                "depthwise_weights",
                shape=[*_pair(kernel_size), channels, depth_multiplier],
                dtype=inputs.dtype.base_dtype,
                initializer=weights_initializer,
                regularizer=weights_regularizer,
                trainable=trainable,
                collections=get_variable_collections(variables_collections, "weights"),
            )
            steps = _pair(stride)
            outputs = depthwise_conv2d(
                inputs,
                weights,
                [1, 1, *steps] if data_format == "NCHW" else [1, *steps, 1],
                padding,
                rate=_pair(rate),
                data_format=data_format,
            )
            outputs = _normalized_or_biased(
                outputs,
                channels * depth_multiplier,
                data_format,
                normalizer_fn,
                normalizer_params,
                biases_initializer,
                biases_regularizer,
                variables_collections,
                trainable,
            )
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, inside.name, outputs)


@add_arg_scope
def convolution2d_in_plane(
    inputs: Any,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    activation_fn: Any = relu,
    normalizer_fn: Any = None,
    normalizer_params: Mapping[str, Any] | None = None,
    weights_initializer: Any = xavier_initializer(),  # noqa: B008
    weights_regularizer: Any = None,
    biases_initializer: Any = Zeros(),  # noqa: B008
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """The same small kernel for each channel; arguments as `separable_convolution2d` has."""
    with variable_scope(scope, "ConvInPlane", [inputs], reuse=reuse) as inside:
        inputs = convert_to_tensor(inputs)
        channels = _channels(inputs, "NHWC")
        weights = model_variable(
            "weights",
            shape=[*_pair(kernel_size), 1, 1],
            dtype=inputs.dtype.base_dtype,
            initializer=weights_initializer,
            regularizer=weights_regularizer,
            trainable=trainable,
            collections=get_variable_collections(variables_collections, "weights"),
        )
        outputs = depthwise_conv2d(
            inputs, tile(weights, [1, 1, channels, 1]), [1, *_pair(stride), 1], padding
        )
        outputs = _normalized_or_biased(
            outputs,
            channels,
            "NHWC",
            normalizer_fn,
            normalizer_params,
            biases_initializer,
            biases_regularizer,
            variables_collections,
            trainable,
        )
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, inside.name, outputs)


def _channels(inputs: Any, data_format: str) -> int:
    found = inputs.shape.as_list()[1 if data_format == "NCHW" else -1]
    if found is None:
        raise ValueError("The channel dimension of the inputs should be defined")
    return int(found)


def _normalized_or_biased(
    outputs: Any,
    channels: int,
    data_format: str,
    normalizer_fn: Any,
    normalizer_params: Any,
    biases_initializer: Any,
    biases_regularizer: Any,
    variables_collections: Any,
    trainable: bool,
) -> Any:
    if normalizer_fn is not None:
        return normalizer_fn(outputs, **(normalizer_params or {}))
    if biases_initializer is None:
        return outputs
    biases = model_variable(
        "biases",
        shape=[channels],
        dtype=outputs.dtype.base_dtype,
        initializer=biases_initializer,
        regularizer=biases_regularizer,
        trainable=trainable,
        collections=get_variable_collections(variables_collections, "biases"),
    )
    return bias_add(outputs, biases, data_format=data_format)
