"""The first form of fully connected layers, and those with an activation of their own."""

from __future__ import annotations

import functools
from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.nn.activation as activation
from dataflow.contrib.layers.initializers import xavier_initializer
from dataflow.contrib.layers.linear import fully_connected
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.keys import GraphKeys
from dataflow.ops.array.concat import concat
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.nn.bias import bias_add
from dataflow.variables.initializers import Zeros
from dataflow.variables.scope import get_variable, variable_scope


def legacy_fully_connected(
    x: Any,
    num_output_units: int,
    activation_fn: Any = None,
    weight_init: Any = xavier_initializer(),  # noqa: B008
    bias_init: Any = Zeros(),  # noqa: B008
    name: str | None = None,
    weight_collections: Any = (GraphKeys.WEIGHTS,),
    bias_collections: Any = (GraphKeys.BIASES,),
    output_collections: Any = (GraphKeys.ACTIVATIONS,),
    trainable: bool = True,
    weight_regularizer: Any = None,
    bias_regularizer: Any = None,
) -> Any:
    """The product with `weights`, plus `bias`.

    Args:
      x: A tensor of rank 2 or more.
      num_output_units: The last dimension of the output.
      activation_fn: A function of the output, or None.
      weight_init: Of `weights`.
      bias_init: Of `bias`; None for no bias.
      name: Scope of the variables; "fully_connected" if None.
      weight_collections: Where `weights` is put.
      bias_collections: Where `bias` is put.
      output_collections: Where the output is put.
      trainable: Whether optimizers train the variables.
      weight_regularizer: Makes a loss of `weights`.
      bias_regularizer: Makes a loss of `bias`.

    Raises:
      ValueError: The rank or the last dimension is not known, or the rank is less than 2.
    """
    with variable_scope(name, "fully_connected", [x]):
        x = convert_to_tensor(x)
        rank = x.shape.rank
        if rank is None:
            raise ValueError("dims of x must be known but is None")
        if rank < 2:
            raise ValueError(f"rank of x must be at least 2 not: {rank}")
        units = x.shape.as_list()[-1]
        if units is None:
            raise ValueError("last dimension of x must be known but is None")

        def variable(kind: str, shape: Any, initializer: Any, collections: Any, loss: Any) -> Any:
            return get_variable(
                kind,
                shape=shape,
                dtype=x.dtype.base_dtype,
                initializer=initializer,
                collections=[*(collections or ()), GraphKeys.GLOBAL_VARIABLES],
                regularizer=loss,
                trainable=trainable,
            )

        weights = variable(
            "weights",
            [units, num_output_units],
            weight_init,
            weight_collections,
            weight_regularizer,
        )
        y = matmul(x if rank == 2 else array_shape.reshape(x, [-1, units]), weights)
        if bias_init is not None:
            bias = variable(
                "bias", [num_output_units], bias_init, bias_collections, bias_regularizer
            )
            y = bias_add(y, bias)
        if rank > 2:
            y = array_shape.reshape(y, concat([array_shape.shape(x)[:-1], [num_output_units]], 0))
            y.set_shape([*x.shape.as_list()[:-1], num_output_units])
        if activation_fn is not None:
            y = activation_fn(y)
        scopes.add_to_collections(list(output_collections or []), y)
        return y


elu = functools.partial(fully_connected, activation_fn=activation.elu)
legacy_linear = functools.partial(legacy_fully_connected, activation_fn=None)
legacy_relu = functools.partial(legacy_fully_connected, activation_fn=activation.relu)
linear = functools.partial(fully_connected, activation_fn=None)
relu = functools.partial(fully_connected, activation_fn=activation.relu)
relu6 = functools.partial(fully_connected, activation_fn=activation.relu6)
