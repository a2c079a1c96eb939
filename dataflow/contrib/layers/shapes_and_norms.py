"""Layers that reorder or rescale: maxout, norms, images as sequences, places of features."""

from __future__ import annotations

import math
from typing import Any, Final

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.slice as array_slice
import dataflow.ops.array.transpose as array_transpose
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.unary as math_unary
import dataflow.ops.reductions.reduce as reductions
from dataflow.contrib.framework.arg_scope import add_arg_scope
from dataflow.contrib.framework.variables import model_variable
from dataflow.contrib.layers.collections import collect_named_outputs, get_variable_collections
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.library.check_types import assert_rank_at_least
from dataflow.ops.array.broadcast import tile
from dataflow.ops.array.repeat import meshgrid
from dataflow.ops.basic.identity import stop_gradient
from dataflow.ops.math.division import divide
from dataflow.ops.math.linspace import linspace
from dataflow.ops.nn.softmax import softmax
from dataflow.ops.sparse.reshape import sparse_reshape
from dataflow.values import dtypes
from dataflow.variables.initializers import Constant, Ones
from dataflow.variables.scope import variable_scope

DATA_FORMAT_NCHW: Final = "NCHW"
DATA_FORMAT_NHWC: Final = "NHWC"
DATA_FORMAT_NCDHW: Final = "NCDHW"
DATA_FORMAT_NDHWC: Final = "NDHWC"


@add_arg_scope
def maxout(inputs: Any, num_units: int, axis: int = -1, scope: str | None = None) -> Any:
    """The largest of each group of channels (Goodfellow et al., Maxout networks, 2013).

    Args:
      inputs: A tensor.
      num_units: How many groups, which divides the channels.
      axis: The axis of channels. Where it is not the last one, the groups are still of elements
        behind one another in memory: the output is that of the inputs reshaped.
      scope: "MaxOut" if None.

    Raises:
      ValueError: It does not.
    """
    with scopes.name_scope(scope, "MaxOut", [inputs]):
        inputs = convert_to_tensor(inputs)
        shape = inputs.shape.as_list()
        channels = shape[axis]
        if channels % num_units:
            raise ValueError(
                f"number of features({channels}) is not a multiple of num_units({num_units})"
            )
        shape[axis] = num_units
        dynamic: Any = array_shape.shape(inputs)
        sizes = [dynamic[i] if size is None else size for i, size in enumerate(shape)]
        # Groups are of neighbours in memory, whichever the axis, as in TensorFlow.
        grouped = array_shape.reshape(inputs, [*sizes, channels // num_units])
        outputs = reductions.reduce_max(grouped, -1)
        outputs.set_shape(shape)
        return outputs


@add_arg_scope
def unit_norm(inputs: Any, dim: int, epsilon: float = 1e-7, scope: str | None = None) -> Any:
    """Vectors of length 1 along one axis.

    Args:
      inputs: A tensor of known rank.
      dim: The axis.
      epsilon: Added to the sum of squares.
      scope: "UnitNorm" if None.

    Raises:
      ValueError: The axis is negative, or too large.
    """
    with scopes.name_scope(scope, "UnitNorm", [inputs]):
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.rank
        if not rank:
            raise ValueError("The input rank must be known.")
        if dim < 0 or dim >= rank:
            raise ValueError("dim must be positive but smaller than the input rank.")
        squares: Any = reductions.reduce_sum(math_unary.square(inputs), dim, keepdims=True)
        lengths = math_unary.sqrt(squares + epsilon)
        times: list[Any] = [1] * rank
        size = inputs.shape.as_list()[dim]
        times[dim] = array_shape.shape(inputs)[dim] if size is None else size
        return divide(inputs, tile(lengths, times))


def poincare_normalize(
    x: Any, axis: int = 1, epsilon: float = 1e-5, name: str | None = None
) -> Any:
    """Vectors cut to a length just below 1 (Nickel and Kiela, Poincaré embeddings, 2017).

    Args:
      x: A tensor.
      axis: Of the vectors.
      epsilon: How far below.
      name: Name of the operations.
    """
    with scopes.name_scope(name, "poincare_normalize", [x]) as inside:
        x = convert_to_tensor(x, name="x")
        squares: Any = reductions.reduce_sum(math_unary.square(x), axis, keepdims=True)
        inverse: Any = math_unary.rsqrt(squares)
        inverse = math_binary.minimum((1.0 - epsilon) * inverse, 1.0)
        return math_binary.multiply(x, inverse, name=inside)


def scale_gradient(inputs: Any, gradient_multiplier: float) -> Any:
    """The same value, whose gradient is multiplied by a number."""
    inputs = convert_to_tensor(inputs)
    return gradient_multiplier * inputs + stop_gradient((1.0 - gradient_multiplier) * inputs)


@add_arg_scope
def images_to_sequence(
    inputs: Any, data_format: str = "NHWC", outputs_collections: Any = None, scope: Any = None
) -> Any:
    """Columns as steps: (batch, height, width, channels) to (width, batch * height, channels).

    Args:
      inputs: Images.
      data_format: "NHWC" or "NCHW".
      outputs_collections: Where the output is put.
      scope: "ImagesToSequence" if None.

    Raises:
      ValueError: If the format is neither.
    """
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    with scopes.name_scope(scope, "ImagesToSequence", [inputs]) as inside:
        inputs = convert_to_tensor(inputs)
        if data_format == "NCHW":
            inputs = array_transpose.transpose(inputs, [0, 2, 3, 1])
        _, _, width, depth = inputs.shape.as_list()
        swapped = array_transpose.transpose(inputs, [2, 0, 1, 3])
        dynamic: Any = array_shape.shape(inputs)
        outputs = array_shape.reshape(
            swapped,
            [dynamic[2] if width is None else width, -1, dynamic[3] if depth is None else depth],
        )
        return collect_named_outputs(outputs_collections, inside, outputs)


@add_arg_scope
def sequence_to_images(
    inputs: Any,
    height: int,
    output_data_format: str = "channels_last",
    outputs_collections: Any = None,
    scope: Any = None,
) -> Any:
    """The way back: (width, batch * height, channels) to images.

    Args:
      inputs: Steps.
      height: Of the images.
      output_data_format: "channels_last" or "channels_first".
      outputs_collections: Where the output is put.
      scope: "SequenceToImages" if None.
    """
    with scopes.name_scope(scope, "SequenceToImages", [inputs]) as inside:
        inputs = convert_to_tensor(inputs)
        width, batches, depth = inputs.shape.as_list()
        count = -1 if batches is None else batches // height
        dynamic: Any = array_shape.shape(inputs)
        rows = [dynamic[0] if width is None else width, count, height, depth]
        order = [1, 3, 2, 0] if output_data_format == "channels_first" else [1, 2, 0, 3]
        outputs = array_transpose.transpose(array_shape.reshape(inputs, rows), order)
        return collect_named_outputs(outputs_collections, inside, outputs)


@add_arg_scope
def spatial_softmax(
    features: Any,
    temperature: float | None = None,
    name: str | None = None,
    variables_collections: Any = None,
    trainable: bool = True,
    data_format: str = "NHWC",
) -> Any:
    """Where each channel is large: its mean place, by a softmax, from -1 to 1.

    Finn et al., Learning visual feature spaces for robotic manipulation, 2015.

    Args:
      features: A tensor of shape (batch, height, width, channels).
      temperature: Divides the features; a trained variable that begins with it, or 1.
      name: Scope of the variable; "spatial_softmax" if None.
      variables_collections: Where it is put.
      trainable: Whether optimizers train it.
      data_format: "NHWC" or "NCHW".

    Returns:
      A tensor of shape (batch, 2 * channels): for each channel the row and the column.

    Raises:
      ValueError: If the format is neither, or the channels are not known.
    """
    with variable_scope(name, "spatial_softmax"):
        if data_format not in ("NCHW", "NHWC"):
            raise ValueError("data_format has to be either NCHW or NHWC.")
        features = convert_to_tensor(features)
        shape: Any = array_shape.shape(features)
        first = data_format == "NCHW"
        channels = features.shape.as_list()[1 if first else 3]
        height, width = (shape[2], shape[3]) if first else (shape[1], shape[2])
        if channels is None:
            raise ValueError(
                "The num_channels dimension of the inputs to `spatial_softmax` should be defined. "
                "Found `None`."
            )
        with scopes.name_scope("spatial_softmax_op", "spatial_softmax_op", [features]):
            grids = meshgrid(
                linspace(-1.0, 1.0, num=height), linspace(-1.0, 1.0, num=width), indexing="ij"
            )
            rows, columns = (array_shape.reshape(each, [height * width]) for each in grids)
            factor = model_variable(
                "temperature",
                shape=(),
                dtype=dtypes.float32,
                initializer=Ones() if temperature is None else Constant(temperature),
                collections=(
                    get_variable_collections(variables_collections, "temperature")
                    if trainable
                    else None
                ),
                trainable=trainable,
            )
            if not first:
                features = array_transpose.transpose(features, [0, 3, 1, 2])
            flat: Any = array_shape.reshape(features, [-1, height * width])
            attention = softmax(flat / factor)
            places = [
                reductions.reduce_sum(each * attention, [1], keepdims=True)
                for each in (rows, columns)
            ]
            found = array_shape.reshape(array_concat.concat(places, 1), [-1, channels * 2])
            found.set_shape([None, channels * 2])
            return found


def inner_flatten(
    inputs: Any, new_rank: Any, output_collections: Any = None, scope: str | None = None
) -> Any:
    """A tensor whose last dimensions have become one.

    Args:
      inputs: A tensor or SparseTensor.
      new_rank: How many dimensions the result has: a number, or a scalar tensor.
      output_collections: Collections that get the result.
      scope: Name scope.

    Raises:
      ValueError: The tensor has fewer dimensions.
    """
    with scopes.name_scope(scope, "InnerFlatten", [inputs, new_rank]) as inside:
        if isinstance(inputs, SparseTensor):
            made = _of_sparse(inputs, new_rank)
        else:
            made = _of_dense(convert_to_tensor(inputs), new_rank)
    return collect_named_outputs(output_collections, inside, made)


_inner_flatten = inner_flatten


def _of_sparse(inputs: SparseTensor, new_rank: int) -> Any:
    rank = inputs.dense_shape.shape.as_list()[0]
    if rank is not None and rank < new_rank:
        raise ValueError(
            f"Inputs has rank less than new_rank. {inputs} must have rank at least {new_rank}. "
            f"Received rank {rank}, shape {inputs.get_shape()}"
        )
    kept, joined = inputs.dense_shape[: new_rank - 1], inputs.dense_shape[new_rank - 1 :]
    return sparse_reshape(inputs, array_concat.concat((kept, [reductions.reduce_prod(joined)]), 0))


def _of_dense(inputs: Any, new_rank: Any) -> Any:
    check = assert_rank_at_least(inputs, new_rank, message="inputs has rank less than new_rank")
    with scopes.control_dependencies([check]):
        kept = array_slice.strided_slice(array_shape.shape(inputs), [0], [new_rank - 1])
        made = array_shape.reshape(inputs, array_concat.concat((kept, [-1]), 0))
    if isinstance(new_rank, int) and inputs.shape.rank is not None:
        sizes = inputs.shape.as_list()
        joined = sizes[new_rank - 1 :]
        known = None if None in joined else math.prod(joined)
        made.set_shape([*sizes[: new_rank - 1], known])
    return made
