"""Normalization of each example: over its channels by themselves, or in groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
from dataflow.contrib.framework.arg_scope import add_arg_scope
from dataflow.contrib.framework.variables import model_variable
from dataflow.contrib.layers.collections import collect_named_outputs, get_variable_collections
from dataflow.graph.convert import convert_to_tensor
from dataflow.ops.nn.moments import (
    batch_normalization,
    moments,
    normalize_moments,
    sufficient_statistics,
)
from dataflow.variables.initializers import Ones, Zeros
from dataflow.variables.scope import variable_scope


@add_arg_scope
def instance_norm(
    inputs: Any,
    center: bool = True,
    scale: bool = True,
    epsilon: float = 1e-6,
    activation_fn: Any = None,
    param_initializers: Mapping[str, Any] | None = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    data_format: str = "NHWC",
    scope: Any = None,
) -> Any:
    """Instance normalization (Ulyanov, Vedaldi, Lempitsky, 2016): each channel of each example.

    Args:
      inputs: A tensor with channels last, or second if `data_format` says so.
      center: Whether `beta` is added.
      scale: Whether there is a factor `gamma`.
      epsilon: Added to the variance.
      activation_fn: A function of the output, or None.
      param_initializers: Of "beta" and "gamma".
      reuse: Whether variables of the scope are shared.
      variables_collections: Where variables are put: a list for all, or a dictionary of lists.
      outputs_collections: Where the output is put.
      trainable: Whether optimizers train the variables.
      data_format: "NHWC" or "NCHW".
      scope: Of the variables; "InstanceNorm" if None.

    Raises:
      ValueError: If the format is neither, or the rank or the channels are not known.
    """
    inputs = convert_to_tensor(inputs)
    rank = inputs.shape.rank
    if rank is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank.")
    if data_format not in ("NHWC", "NCHW"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    with variable_scope(scope, "InstanceNorm", [inputs], reuse=reuse) as inside:
        channels = 1 if data_format == "NCHW" else rank - 1
        shape = inputs.shape[channels : channels + 1]
        if not shape.is_fully_defined():
            raise ValueError(f"Inputs {inputs.name} has undefined channels dimension {shape}.")
        axes = [axis for axis in range(1, rank) if axis != channels]
        aligned = None if channels == rank - 1 else [1, shape[0], *[1] * (rank - 2)]
        beta, gamma = _parameters(
            shape, inputs.dtype, center, scale, param_initializers, variables_collections, trainable
        )
        if aligned is not None:
            beta, gamma = (
                None if each is None else array_shape.reshape(each, aligned)
                for each in (beta, gamma)
            )
        mean, variance = moments(inputs, axes, keep_dims=True)
        outputs = batch_normalization(
            inputs, mean, variance, beta, gamma, epsilon, name="instancenorm"
        )
        outputs.set_shape(inputs.shape)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, inside.name, outputs)


@add_arg_scope
def group_norm(
    inputs: Any,
    groups: int = 32,
    channels_axis: int = -1,
    reduction_axes: Sequence[int] = (-3, -2),
    center: bool = True,
    scale: bool = True,
    epsilon: float = 1e-6,
    activation_fn: Any = None,
    param_initializers: Mapping[str, Any] | None = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
    mean_close_to_zero: bool = False,
) -> Any:
    """Group normalization (Wu and He, 2018): groups of channels of each example.

    Args:
      inputs: A tensor.
      groups: How many groups.
      channels_axis: The axis of channels.
      reduction_axes: The other axes that are normalized over.
      center: Whether `beta` is added.
      scale: Whether there is a factor `gamma`.
      epsilon: Added to the variance.
      activation_fn: A function of the output, or None.
      param_initializers: Of "beta" and "gamma".
      reuse: Whether variables of the scope are shared.
      variables_collections: Where variables are put: a list for all, or a dictionary of lists.
      outputs_collections: Where the output is put.
      trainable: Whether optimizers train the variables.
      scope: Of the variables; "GroupNorm" if None.
      mean_close_to_zero: Whether sums of squares are precise enough.

    Raises:
      ValueError: If dimensions are not known, axes do not fit, or groups do not divide channels.
    """
    inputs = convert_to_tensor(inputs)
    rank = inputs.shape.rank
    if rank is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank.")
    if channels_axis > rank - 1:
        raise ValueError("Axis is out of bounds.")
    at = channels_axis + rank if channels_axis < 0 else channels_axis
    known = inputs.shape.as_list()
    channels = known[at]
    if channels is None:
        raise ValueError(f"Inputs {inputs.name} has undefined channel dimension: {at}.")
    axes = [axis + rank if axis < 0 else axis for axis in reduction_axes]
    for axis in axes:
        if axis > rank:
            raise ValueError("Axis is out of bounds.")
        if known[axis] is None:
            raise ValueError(f"Inputs {inputs.name} has undefined dimensions {axis}.")
        if axis == at:
            raise ValueError("reduction_axis must be mutually exclusive with channels_axis")
    if groups > channels:
        raise ValueError(f"Invalid groups {groups} for {channels} channels.")
    if channels % groups != 0:
        raise ValueError(f"{channels} channels is not commensurate with {groups} groups.")
    dynamic: Any = array_shape.shape(inputs)
    shape = [dynamic[i] if size is None else size for i, size in enumerate(known)]
    in_groups = [groups, channels // groups]
    grouped: Any = array_shape.reshape(inputs, [*shape[:at], *in_groups, *shape[at + 1 :]])
    over = [at + 1, *(axis + 1 if axis > at else axis for axis in axes)]
    with variable_scope(scope, "GroupNorm", [inputs], reuse=reuse) as inside:
        beta, gamma = (
            None
            if each is None
            else array_shape.reshape(each, [*[1] * at, *in_groups, *[1] * (rank - at - 1)])
            for each in _parameters(
                [channels],
                inputs.dtype,
                center,
                scale,
                param_initializers,
                variables_collections,
                trainable,
            )
        )
        if mean_close_to_zero:
            counts, sums, squares, _ = sufficient_statistics(grouped, over, keep_dims=True)
            mean, variance = normalize_moments(counts, sums, squares, shift=None)
        else:
            mean, variance = moments(grouped, over, keep_dims=True)
        gain: Any = math_unary.rsqrt(variance + epsilon)
        offset: Any = -mean * gain
        if gamma is not None:
            gain, offset = gain * gamma, offset * gamma
        if beta is not None:
            offset = offset + beta
        outputs = array_shape.reshape(grouped * gain + offset, shape)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, inside.name, outputs)


def _parameters(
    shape: Any,
    dtype: Any,
    center: bool,
    scale: bool,
    initializers: Mapping[str, Any] | None,
    collections: Any,
    trainable: bool,
) -> tuple[Any, Any]:
    """`beta` and `gamma`, None where not wanted."""

    def parameter(name: str, default: Any) -> Any:
        return model_variable(
            name,
            shape=shape,
            dtype=dtype.base_dtype,
            initializer=(initializers or {}).get(name, default),
            collections=get_variable_collections(collections, name),
            trainable=trainable,
        )

    beta = parameter("beta", Zeros()) if center else None
    return beta, parameter("gamma", Ones()) if scale else None
