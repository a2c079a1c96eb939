"""Layers of products: fully connected ones and convolutions."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from dataflow.contrib.framework.arg_scope import add_arg_scope
from dataflow.contrib.layers.collections import (
    add_variable,
    collect_named_outputs,
    variable_getter,
)
from dataflow.contrib.layers.initializers import xavier_initializer
from dataflow.graph.convert import convert_to_tensor
from dataflow.library.layers.convolution import Conv1D, Conv2D, Conv3D
from dataflow.library.layers.dense import Dense
from dataflow.library.layers.transposed import Conv2DTranspose, Conv3DTranspose
from dataflow.ops.nn.activation import relu
from dataflow.variables.initializers import Zeros
from dataflow.variables.scope import variable_scope

_FORMATS = (None, "NWC", "NCW", "NHWC", "NCHW", "NDHWC", "NCDHW")
_RENAMED = {"kernel": "weights", "bias": "biases"}


def _finished(
    outputs: Any,
    name: str,
    activation_fn: Any,
    normalizer_fn: Any,
    normalizer_params: Any,
    outputs_collections: Any,
) -> Any:
    if normalizer_fn is not None:
        outputs = normalizer_fn(outputs, **(normalizer_params or {}))
    if activation_fn is not None:
        outputs = activation_fn(outputs)
    return collect_named_outputs(outputs_collections, name, outputs)


@add_arg_scope
def fully_connected(
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
    """The product with `weights`, plus `biases`, normalized or activated.

    Args:
      inputs: A tensor of shape (batch, ..., depth).
      num_outputs: The last dimension of the output.
      activation_fn: A function of the output, or None.
      normalizer_fn: A function of the product that takes the place of the biases, or None.
      normalizer_params: Its arguments.
      weights_initializer: Of `weights`.
      weights_regularizer: Makes a loss of them.
      biases_initializer: Of `biases`; None for no biases.
      biases_regularizer: Makes a loss of them.
      reuse: Whether variables of the scope are shared.
      variables_collections: Where variables are put: a list for all, or a dictionary of lists.
      outputs_collections: Where the output is put.
      trainable: Whether optimizers train the variables.
      scope: Of the variables; "fully_connected" if None.

    Raises:
      ValueError: If `num_outputs` is no integer.
    """
    return connected(
        Dense,
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


def connected(
    kind: Any,
    inputs: Any,
    num_outputs: Any,
    activation_fn: Any,
    normalizer_fn: Any,
    normalizer_params: Any,
    weights_initializer: Any,
    weights_regularizer: Any,
    biases_initializer: Any,
    biases_regularizer: Any,
    reuse: Any,
    variables_collections: Any,
    outputs_collections: Any,
    trainable: bool,
    scope: Any,
) -> Any:
    """What `fully_connected` does, by a layer of a class, `Dense` or one made of it."""
    if not isinstance(num_outputs, int | np.integer):
        raise ValueError(f"num_outputs type should be one of {[int]}, got {type(num_outputs)}.")
    with variable_scope(
        scope, "fully_connected", [inputs], reuse=reuse, custom_getter=variable_getter(_RENAMED)
    ) as inside:
        inputs = convert_to_tensor(inputs)
        layer = kind(
            int(num_outputs),
            use_bias=not normalizer_fn and bool(biases_initializer),
            kernel_initializer=weights_initializer,
            bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer,
            trainable=trainable,
            name=inside.name,
            dtype=inputs.dtype.base_dtype,
            _scope=inside,
            _reuse=reuse,
        )
        outputs = layer.apply(inputs)
        add_variable(layer.kernel, variables_collections, "weights")
        if layer.use_bias:
            add_variable(layer.bias, variables_collections, "biases")
        return _finished(
            outputs,
            inside.name,
            activation_fn,
            normalizer_fn,
            normalizer_params,
            outputs_collections,
        )


def convolved(
    kind: Any,
    default_scope: str,
    inputs: Any,
    num_outputs: int,
    kernel_size: Any,
    stride: Any,
    padding: str,
    data_format: str | None,
    activation_fn: Any,
    normalizer_fn: Any,
    normalizer_params: Any,
    weights_initializer: Any,
    weights_regularizer: Any,
    biases_initializer: Any,
    biases_regularizer: Any,
    reuse: Any,
    variables_collections: Any,
    outputs_collections: Any,
    trainable: bool,
    scope: Any,
    **more: Any,
) -> Any:
    """What `convolution` does, by a layer of the class that a function gives for the inputs."""
    if data_format not in _FORMATS:
        raise ValueError(f"Invalid data_format: {data_format!r}")
    with variable_scope(
        scope, default_scope, [inputs], reuse=reuse, custom_getter=variable_getter(_RENAMED)
    ) as inside:
        inputs = convert_to_tensor(inputs)
        layer = kind(inputs)(
            filters=num_outputs,
            kernel_size=kernel_size,
            strides=stride,
            padding=padding,
            data_format="channels_first"
            if data_format and data_format.startswith("NC")
            else "channels_last",
            use_bias=not normalizer_fn and bool(biases_initializer),
            kernel_initializer=weights_initializer,
            bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer,
            trainable=trainable,
            name=inside.name,
            dtype=inputs.dtype.base_dtype,
            _scope=inside,
            _reuse=reuse,
            **more,
        )
        outputs = layer.apply(inputs)
        add_variable(layer.kernel, variables_collections, "weights")
        if layer.use_bias:
            add_variable(layer.bias, variables_collections, "biases")
        return _finished(
            outputs,
            inside.name,
            activation_fn,
            normalizer_fn,
            normalizer_params,
            outputs_collections,
        )


@add_arg_scope
def convolution(
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
    conv_dims: int | None = None,
) -> Any:
    """A convolution over one, two or three dimensions, as the input has; see `fully_connected`.

    Args:
      inputs: A tensor of shape (batch, sizes ..., channels), or as `data_format` says.
      num_outputs: The number of filters.
      kernel_size: One size, or one for each dimension.
      stride: One step, or one for each dimension.
      padding: "SAME" or "VALID".
      data_format: None or "NHWC" and its like, or with "C" behind "N".
      rate: Dilation: one, or one for each dimension.
      activation_fn: See `fully_connected`, as for the rest.
      normalizer_fn: See above.
      normalizer_params: See above.
      weights_initializer: See above.
      weights_regularizer: See above.
      biases_initializer: See above.
      biases_regularizer: See above.
      reuse: See above.
      variables_collections: See above.
      outputs_collections: See above.
      trainable: See above.
      scope: "Conv" if None.
      conv_dims: The number of dimensions that the input must have.

    Raises:
      ValueError: If the input has another rank, or the format is unknown.
    """

    def kind(inputs: Any) -> Any:
        rank = inputs.shape.rank
        if conv_dims is not None and conv_dims + 2 != rank:
            raise ValueError(f"Convolution expects input with rank {conv_dims + 2}, got {rank}")
        try:
            return {3: Conv1D, 4: Conv2D, 5: Conv3D}[rank]
        except KeyError:
            raise ValueError("Convolution not supported for input with rank", rank) from None

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


@add_arg_scope
def conv2d_transpose(
    inputs: Any,
    num_outputs: int,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str | None = "NHWC",
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
    """The gradient of a convolution over two dimensions; arguments as `convolution` has."""
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    return convolved(
        lambda _: Conv2DTranspose,
        "Conv2d_transpose",
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
    )


@add_arg_scope
def conv3d_transpose(
    inputs: Any,
    num_outputs: int,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str | None = "NDHWC",
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
    """The gradient of a convolution over three dimensions; arguments as `convolution` has."""
    if data_format not in ("NCDHW", "NDHWC"):
        raise ValueError("data_format has to be either NCDHW or NDHWC.")
    return convolved(
        lambda _: Conv3DTranspose,
        "Conv3d_transpose",
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
    )


def _of_rank(dimensions: int) -> Any:
    @add_arg_scope
    @functools.wraps(inspect.unwrap(convolution))
    def convolve(*args: Any, **kwargs: Any) -> Any:
        return inspect.unwrap(convolution)(*args, conv_dims=dimensions, **kwargs)

    convolve.__name__ = convolve.__qualname__ = f"convolution{dimensions}d"
    return convolve


convolution1d = _of_rank(1)
convolution2d = _of_rank(2)
convolution3d = _of_rank(3)
