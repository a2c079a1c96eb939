"""Layers of tf.contrib.layers whose weights are masked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dataflow.contrib.framework.arg_scope import add_arg_scope
from dataflow.contrib.layers.initializers import xavier_initializer
from dataflow.contrib.layers.linear import connected, convolved
from dataflow.contrib.model_pruning.masked import MaskedConv2D, MaskedFullyConnected
from dataflow.ops.nn.activation import relu
from dataflow.variables.initializers import Zeros


@add_arg_scope
def masked_convolution(
    inputs: Any,
    num_outputs: int,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str | None = None,
    rate: Any = 1,
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
    """A convolution over two dimensions with masked weights; see `tf.contrib.layers.conv2d`.

    Raises:
      ValueError: The input has another rank than 4, or the format is unknown.
    """

    def kind(inputs: Any) -> Any:
        if inputs.shape.rank != 4:
            raise ValueError(
                "Sparse Convolution not supported for input with rank", inputs.shape.rank
            )
        if data_format not in (None, "NHWC", "NCHW"):
            raise ValueError("Unsupported data format", data_format)
        return MaskedConv2D

    return convolved(
        kind,
        "Conv",
        inputs,
        num_outputs,
        kernel_size,
        stride,
        padding,
        data_format,
        activation_fn,
        normalizer_fn,
        normalizer_params,
        weights_initializer,
        weights_regularizer,
        biases_initializer,
        biases_regularizer,
        reuse,
        variables_collections,
        outputs_collections,
        trainable,
        scope,
        dilation_rate=rate,
    )


masked_conv2d = masked_convolution


@add_arg_scope
def masked_fully_connected(
    inputs: Any,
    num_outputs: Any,
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
    """The product with masked weights; see `tf.contrib.layers.fully_connected`.

    Raises:
      ValueError: `num_outputs` is no integer.
    """
    return connected(
        MaskedFullyConnected,
        inputs,
        num_outputs,
        activation_fn,
        normalizer_fn,
        normalizer_params,
        weights_initializer,
        weights_regularizer,
        biases_initializer,
        biases_regularizer,
        reuse,
        variables_collections,
        outputs_collections,
        trainable,
        scope,
    )
