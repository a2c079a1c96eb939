"""Numbers of normal distributions between bounds."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

import dataflow.ops.array.broadcast_gradient as array_broadcast_gradient
from dataflow.graph import random_seed, scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.ops.random.stateful import shape_tensor
from dataflow.ops.random.stateless import shape_of_seed
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import broadcast_shapes, with_rank, with_rank_at_most
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

_NAMES: Final = ("means", "stddevs", "minvals", "maxvals")


def _tensors(values: list[Any], dtype: Any) -> list[Tensor]:
    return [
        convert_to_tensor(value, dtype=dtype, name=argument)
        for value, argument in zip(values, _NAMES, strict=True)
    ]


def _of_rows(c: InferenceContext) -> TensorShape:
    with_rank(c.input(0), 1)
    for place in range(1, 5):
        with_rank_at_most(c.input(place), 1)
    return c.constant_as_shape(0)


def _of_seed(c: InferenceContext) -> TensorShape:
    drawn = shape_of_seed(c)
    known = c.input(2)
    for place in range(3, 6):
        known = broadcast_shapes(known, c.input(place))
    return drawn


def _below(x: Any) -> Any:
    """How likely a standard normal number is smaller."""
    return 0.5 * single("Erfc", x * -math.sqrt(0.5))


def _gradient(op: Operation, grad: Any) -> Any:
    """Figurnov, Mohamed and Mnih, Implicit reparameterization gradients (2018)."""
    mean, deviation, least, most = op.inputs[2:]
    drawn: Any = op.outputs[0]
    x, low, high = ((each - mean) / deviation for each in (drawn, least, most))
    part: Any = (_below(x) - _below(low)) / (_below(high) - _below(low))
    kind = np.finfo(drawn.dtype.as_numpy_dtype)
    part = single("Maximum", single("Minimum", part, 1 - kind.eps), kind.tiny)
    by_least: Any = single("Exp", 0.5 * (x * x - low * low) + single("Log1p", -part))
    by_most: Any = single("Exp", 0.5 * (x * x - high * high) + single("Log", part))
    slopes = (grad, grad * x, grad * by_least, grad * by_most)
    return [
        None,
        None,
        *(
            array_broadcast_gradient.reduce_gradients(parameter, drawn, slope, None)[0]
            for parameter, slope in zip(op.inputs[2:], slopes, strict=True)
        ),
    ]


define_op(
    "ParameterizedTruncatedNormal",
    inputs="shape: T, means: dtype, stdevs: dtype, minvals: dtype, maxvals: dtype",
    outputs="output: dtype",
    attrs=[
        "seed: int = 0",
        "seed2: int = 0",
        "dtype: {half, bfloat16, float32, float64}",
        "T: {int32, int64}",
    ],
    shape=_of_rows,
    gradient=NOT_DIFFERENTIABLE,
    doc="Normal numbers between bounds; each row may have its own distribution.",
    stateful=True,
)

define_op(
    "StatelessParameterizedTruncatedNormal",
    inputs=("shape: S, seed: Tseed, means: dtype, stddevs: dtype, minvals: dtype, maxvals: dtype"),
    outputs="output: dtype",
    attrs=[
        "S: {int32, int64}",
        "Tseed: {int32, int64} = int64",
        "dtype: {half, float32, float64}",
    ],
    shape=_of_seed,
    gradient=_gradient,
    doc="Normal numbers between bounds, of two seeds.",
)


def parameterized_truncated_normal(
    shape: Any,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Normally distributed numbers between bounds, those outside drawn again.

    Args:
      shape: Shape of the result, a list or an integer tensor, not empty.
      means: Means before truncation: a scalar, or a vector with one for each row of the result.
      stddevs: Standard deviations before truncation, likewise.
      minvals: The least numbers, likewise; one of a pair of bounds may be infinite.
      maxvals: The greatest numbers, likewise.
      dtype: float16, float32 or float64.
      seed: Op-level seed; see `set_random_seed`. Of more than 100 numbers TensorFlow draws others
        with several threads.
      name: Name of the operation.

    Raises:
      InvalidArgumentError: When run: a deviation is not positive, a pair of bounds holds nothing or
        everything, or a vector has another length than 1 or the result's first.
    """
    given = [shape, means, stddevs, minvals, maxvals]
    with scopes.name_scope(name, "parameterized_truncated_normal", given) as own:
        sizes = shape_tensor(shape)
        parameters = _tensors(given[1:], dtype)
        seed1, seed2 = random_seed.get_seed(seed)
        return single(
            "ParameterizedTruncatedNormal", sizes, *parameters, seed=seed1, seed2=seed2, name=own
        )


def stateless_parameterized_truncated_normal(
    shape: Any,
    seed: Any,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    name: str | None = None,
) -> Tensor:
    """Normally distributed numbers between bounds, the same ones for the same two seeds.

    Gradients by all parameters pass through them.

    Args:
      shape: Shape of the result, which ends with that to which the parameters broadcast.
      seed: Two integers.
      means: Means before truncation.
      stddevs: Standard deviations before truncation.
      minvals: The least numbers; one of a pair of bounds may be infinite.
      maxvals: The greatest numbers.
      name: Name of the scope of the operations.

    Raises:
      InvalidArgumentError: When run: a deviation is not positive, or a pair of bounds holds nothing
        or everything.
    """
    given = [shape, means, stddevs, minvals, maxvals]
    with scopes.name_scope(name, "stateless_parameterized_truncated_normal", given):
        sizes = shape_tensor(shape)
        parameters = _tensors(given[1:], None)
        return single("StatelessParameterizedTruncatedNormal", sizes, seed, *parameters)
