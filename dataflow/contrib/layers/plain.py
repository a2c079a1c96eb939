"""Layers without weights, and layers of layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dataflow.contrib.framework.arg_scope import add_arg_scope
from dataflow.contrib.framework.variables import model_variable
from dataflow.contrib.layers.arguments import last_dimension
from dataflow.contrib.layers.collections import (
    collect_named_outputs,
    get_variable_collections,
    variable_getter,
)
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.library.layers.dropout import Dropout
from dataflow.library.layers.flatten import flatten as plain_flatten
from dataflow.library.layers.pooling import AveragePooling2D, MaxPooling2D
from dataflow.ops.array.gather import gather_nd
from dataflow.ops.array.select import one_hot, where
from dataflow.ops.array.shape import reshape, shape
from dataflow.ops.math.compare import not_equal
from dataflow.ops.nn.bias import bias_add as plain_bias_add
from dataflow.ops.nn.softmax import softmax as plain_softmax
from dataflow.values import dtypes
from dataflow.variables.initializers import Zeros
from dataflow.variables.scope import variable_scope


def _pooled(
    kind: Any,
    default: str,
    inputs: Any,
    kernel_size: Any,
    stride: Any,
    padding: str,
    data_format: str,
    outputs_collections: Any,
    scope: str | None,
) -> Any:
    if data_format not in ("NHWC", "NCHW"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    with scopes.name_scope(scope, default, [inputs]) as inside:
        layer = kind(
            pool_size=kernel_size,
            strides=stride,
            padding=padding,
            data_format="channels_first" if data_format == "NCHW" else "channels_last",
            _scope=inside,
        )
        outputs = layer.apply(convert_to_tensor(inputs))
        return collect_named_outputs(outputs_collections, inside, outputs)


@add_arg_scope
def max_pool2d(
    inputs: Any,
    kernel_size: Any,
    stride: Any = 2,
    padding: str = "VALID",
    data_format: str = "NHWC",
    outputs_collections: Any = None,
    scope: str | None = None,
) -> Any:
    """The largest of each window.

    Args:
      inputs: A tensor of shape (batch, height, width, channels), or as `data_format` says.
      kernel_size: One size, or height and width.
      stride: One step, or one for each.
      padding: "SAME" or "VALID".
      data_format: "NHWC" or "NCHW".
      outputs_collections: Where the output is put.
      scope: "MaxPool2D" if None.

    Raises:
      ValueError: If the format is neither.
    """
    return _pooled(
        MaxPooling2D,
        "MaxPool2D",
        inputs,
        kernel_size,
        stride,
        padding,
        data_format,
        outputs_collections,
        scope,
    )


@add_arg_scope
def avg_pool2d(
    inputs: Any,
    kernel_size: Any,
    stride: Any = 2,
    padding: str = "VALID",
    data_format: str = "NHWC",
    outputs_collections: Any = None,
    scope: str | None = None,
) -> Any:
    """The mean of each window; arguments as `max_pool2d` has."""
    return _pooled(
        AveragePooling2D,
        "AvgPool2D",
        inputs,
        kernel_size,
        stride,
        padding,
        data_format,
        outputs_collections,
        scope,
    )


@add_arg_scope
def dropout(
    inputs: Any,
    keep_prob: Any = 0.5,
    noise_shape: Any = None,
    is_training: Any = True,
    outputs_collections: Any = None,
    scope: Any = None,
    seed: int | None = None,
) -> Any:
    """Sets elements to 0 at random in training, and scales the others up.

    Args:
      inputs: A tensor.
      keep_prob: The share that is kept; may be a tensor.
      noise_shape: A shape that broadcasts to the input's: elements that go together.
      is_training: Whether it does anything; may be a tensor.
      outputs_collections: Where the output is put.
      scope: "Dropout" if None.
      seed: Of the random numbers.
    """
    with variable_scope(scope, "Dropout", [inputs], custom_getter=variable_getter()) as inside:
        inputs = convert_to_tensor(inputs)
        layer = Dropout(
            rate=1 - keep_prob, noise_shape=noise_shape, seed=seed, name=inside.name, _scope=inside
        )
        outputs = layer.apply(inputs, training=is_training)
        return collect_named_outputs(outputs_collections, inside.name, outputs)


@add_arg_scope
def flatten(inputs: Any, outputs_collections: Any = None, scope: str | None = None) -> Any:
    """All dimensions but the first as one.

    Args:
      inputs: A tensor of rank 1 or more.
      outputs_collections: Where the output is put.
      scope: "Flatten" if None.
    """
    with scopes.name_scope(scope, "Flatten", [inputs]) as inside:
        outputs = plain_flatten(convert_to_tensor(inputs))
        return collect_named_outputs(outputs_collections, inside, outputs)


@add_arg_scope
def bias_add(
    inputs: Any,
    activation_fn: Any = None,
    initializer: Any = Zeros(),  # noqa: B008
    regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    data_format: str = "NHWC",
    scope: Any = None,
) -> Any:
    """Adds a number to each channel: the variable `biases`.

    Args:
      inputs: A tensor of rank 2 or more.
      activation_fn: A function of the sum, or None.
      initializer: Of the variable.
      regularizer: Makes a loss of it.
      reuse: Whether it is shared.
      variables_collections: Where it is put.
      outputs_collections: Where the output is put.
      trainable: Whether optimizers train it.
      data_format: "NHWC" or "NCHW".
      scope: "BiasAdd" if None.

    Raises:
      ValueError: If the format is neither, or the number of channels is not known.
    """
    if data_format not in ("NHWC", "NCHW"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    with variable_scope(scope, "BiasAdd", [inputs], reuse=reuse) as inside:
        inputs = convert_to_tensor(inputs)
        channels = inputs.shape[1 if data_format == "NCHW" else -1]
        if channels.value is None:
            raise ValueError("`C` dimension must be known but is None")
        biases = model_variable(
            "biases",
            shape=[channels.value],
            dtype=inputs.dtype.base_dtype,
            initializer=initializer,
            regularizer=regularizer,
            collections=get_variable_collections(variables_collections, "biases"),
            trainable=trainable,
        )
        outputs = plain_bias_add(inputs, biases, data_format=data_format)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, inside.name, outputs)


@add_arg_scope
def one_hot_encoding(
    labels: Any,
    num_classes: int,
    on_value: float = 1.0,
    off_value: float = 0.0,
    outputs_collections: Any = None,
    scope: str | None = None,
) -> Any:
    """Labels as rows of ones and zeros, or of two other values."""
    with scopes.name_scope(scope, "OneHotEncoding", [labels, num_classes]) as inside:
        outputs = one_hot(
            convert_to_tensor(labels), num_classes, on_value=on_value, off_value=off_value
        )
        return collect_named_outputs(outputs_collections, inside, outputs)


@add_arg_scope
def dense_to_sparse(
    tensor: Any, eos_token: int = 0, outputs_collections: Any = None, scope: Any = None
) -> Any:
    """The elements that are no ends of sentences, as a SparseTensor: labels for `tf.nn.ctc_loss`.

    Args:
      tensor: Integers.
      eos_token: What stands at the end of a sentence.
      outputs_collections: Where the result goes.
      scope: The variable scope.
    """
    with variable_scope(scope, "dense_to_sparse", [tensor]) as inside:
        tensor = convert_to_tensor(tensor)
        indices = where(not_equal(tensor, eos_token))
        lengths = shape(tensor, out_type=dtypes.int64)
        outputs = SparseTensor(indices, gather_nd(tensor, indices), lengths)
        return collect_named_outputs(outputs_collections, inside.name, outputs)


@add_arg_scope
def softmax(logits: Any, scope: Any = None) -> Any:
    """The softmax over the last dimension.

    Raises:
      ValueError: The rank is unknown or 1, or the last dimension is unknown.
    """
    with variable_scope(scope, "softmax", [logits]):
        rows = reshape(logits, [-1, last_dimension(logits.shape, min_rank=2)])
        found = reshape(plain_softmax(rows), shape(logits))
        found.set_shape(logits.shape)
        return found


@add_arg_scope
def repeat(
    inputs: Any, repetitions: int, layer: Callable[..., Any], *args: Any, **kwargs: Any
) -> Any:
    """A layer applied to its own output, some times, in scopes of their own.

    Args:
      inputs: A tensor.
      repetitions: How many times.
      layer: A function of a tensor that takes `scope`.
      *args: Its further arguments.
      **kwargs: The same; `scope` is the outer one, and names the inner ones.
    """
    scope = kwargs.pop("scope", None)
    with variable_scope(scope, "Repeat", [inputs]):
        outputs = convert_to_tensor(inputs)
        name = scope if scope is not None else _name_of(layer, "repeat")
        for index in range(repetitions):
            outputs = layer(outputs, *args, **{**kwargs, "scope": f"{name}_{index + 1}"})
        return outputs


@add_arg_scope
def stack(inputs: Any, layer: Callable[..., Any], stack_args: Sequence[Any], **kwargs: Any) -> Any:
    """A layer applied to its own output with other arguments each time.

    Args:
      inputs: A tensor.
      layer: A function of a tensor that takes `scope`.
      stack_args: For each time the argument, or a list of them.
      **kwargs: Arguments of each; `scope` is the outer one, and names the inner ones.

    Raises:
      ValueError: If `stack_args` is neither a list nor a tuple.
    """
    scope = kwargs.pop("scope", None)
    if not isinstance(stack_args, list | tuple):
        raise ValueError("stack_args need to be a list or tuple")
    with variable_scope(scope, "Stack", [inputs]):
        outputs = convert_to_tensor(inputs)
        name = scope if scope is not None else _name_of(layer, "stack")
        for index, each in enumerate(stack_args):
            given = each if isinstance(each, list | tuple) else [each]
            outputs = layer(outputs, *given, **{**kwargs, "scope": f"{name}_{index + 1}"})
        return outputs


def _name_of(layer: Any, default: str) -> str:
    """The name of a function, also of one that has some of its arguments."""
    found: str = getattr(getattr(layer, "func", layer), "__name__", default)
    return found
