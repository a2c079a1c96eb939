"""Numbers of gamma and Poisson distributions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

import dataflow.ops.array.broadcast as array_broadcast
import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.binary as math_binary
from dataflow.graph import random_seed, scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.ops.random.stateless import shape_of_key, shape_of_seed
from dataflow.schema.opdef import (
    MISSING_GRADIENT,
    NOT_DIFFERENTIABLE,
    InferenceContext,
    define_op,
)
from dataflow.schema.shape_functions import broadcast, with_rank
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

_SEEDS: Final = ("seed: int = 0", "seed2: int = 0")
_FLOATS: Final = "{half, float32, float64}"
_COUNTS: Final = "{half, float32, float64, int32, int64}"
_SEED: Final = "Tseed: {int32, int64} = int64"


def _before_parameters(c: InferenceContext) -> TensorShape:
    with_rank(c.input(0), 1)
    return c.constant_as_shape(0).concatenate(c.input(1))


def _slopes(op: Operation, grad: Any, alpha: Any, count: Any) -> Tensor:
    """The gradient by the parameter: samples of each, along the first `count` axes, are summed."""
    sizes: Any = array_shape.shape(alpha)
    ones = array_fill.fill(array_shape.reshape(count, [1]), 1)
    wide = array_shape.reshape(alpha, array_concat.concat([ones, sizes], 0))
    slope: Any = grad * single("RandomGammaGrad", wide, op.outputs[0])
    return single("Sum", slope, single("Range", 0, count, 1))


def _gamma_gradient(op: Operation, grad: Any) -> Any:
    """Figurnov, Mohamed and Mnih, Implicit reparameterization gradients (2018)."""
    alpha = op.inputs[1]
    return None, _slopes(op, grad, alpha, array_shape.size(op.inputs[0]))


def _stateless_gradient(place: int) -> Callable[[Operation, Any], Any]:
    def gradient(op: Operation, grad: Any) -> Any:
        alpha = op.inputs[place]
        rank: Any = array_shape.rank(alpha)
        count = array_shape.size(op.inputs[0]) - rank
        return (*[None] * place, _slopes(op, grad, alpha, count))

    return gradient


define_op(
    "RandomGamma",
    inputs="shape: S, alpha: T",
    outputs="output: T",
    attrs=[*_SEEDS, "S: {int32, int64}", f"T: {_FLOATS}"],
    shape=_before_parameters,
    gradient=_gamma_gradient,
    doc="Numbers of gamma distributions of scale 1.",
    stateful=True,
)

define_op(
    "RandomGammaGrad",
    inputs="alpha: T, sample: T",
    outputs="output: T",
    attrs=["T: {float32, float64}"],
    shape=broadcast,
    gradient=MISSING_GRADIENT,
    doc="How numbers of gamma distributions change with the parameter.",
)

define_op(
    "RandomPoisson",
    inputs="shape: S, rate: dtype",
    outputs="output: dtype",
    attrs=[*_SEEDS, "S: {int32, int64}", f"dtype: {_FLOATS}"],
    shape=_before_parameters,
    gradient=MISSING_GRADIENT,
    doc="The former form of RandomPoissonV2.",
    stateful=True,
)

define_op(
    "RandomPoissonV2",
    inputs="shape: S, rate: R",
    outputs="output: dtype",
    attrs=[
        *_SEEDS,
        "S: {int32, int64}",
        f"R: {_COUNTS} = float64",
        f"dtype: {_COUNTS} = int64",
    ],
    shape=_before_parameters,
    gradient=MISSING_GRADIENT,
    doc="Numbers of Poisson distributions.",
    stateful=True,
)

define_op(
    "StatelessRandomGammaV2",
    inputs="shape: T, seed: Tseed, alpha: dtype",
    outputs="output: dtype",
    attrs=[f"dtype: {_FLOATS}", "T: {int32, int64}", _SEED],
    shape=shape_of_seed,
    gradient=_stateless_gradient(2),
    doc="Numbers of gamma distributions of scale 1, of two seeds.",
)

define_op(
    "StatelessRandomGammaV3",
    inputs="shape: shape_dtype, key: uint64, counter: uint64, alg: int32, alpha: dtype",
    outputs="output: dtype",
    attrs=[f"dtype: {_FLOATS}", "shape_dtype: {int32, int64} = int32"],
    shape=shape_of_key,
    gradient=_stateless_gradient(4),
    doc="Numbers of gamma distributions of scale 1, of a key and a counter.",
)

define_op(
    "StatelessRandomPoisson",
    inputs="shape: T, seed: Tseed, lam: Rtype",
    outputs="output: dtype",
    attrs=[f"Rtype: {_COUNTS}", f"dtype: {_COUNTS}", "T: {int32, int64}", _SEED],
    shape=shape_of_seed,
    gradient=NOT_DIFFERENTIABLE,
    doc="Numbers of Poisson distributions, of two seeds.",
)


def random_gamma(
    shape: Any,
    alpha: Any,
    beta: Any = None,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers of gamma distributions; gradients by both parameters pass through them.

    Args:
      shape: How many of each distribution, a vector.
      alpha: The shape parameters.
      beta: The inverse scales, which broadcast against `alpha`; 1 if None.
      dtype: float16, float32 or float64.
      seed: Op-level seed; see `set_random_seed`.
      name: Name of the scope of the operations.

    Returns:
      Of shape `shape`, and behind it that which `alpha` and `beta` broadcast to.
    """
    with scopes.name_scope(name, "random_gamma", [shape, alpha, beta]):
        shape = convert_to_tensor(shape, name="shape", dtype=dtypes.int32)
        alpha = convert_to_tensor(alpha, name="alpha", dtype=dtype)
        inverse: Any = convert_to_tensor(1 if beta is None else beta, name="beta", dtype=dtype)
        both = array_broadcast.broadcast_dynamic_shape(
            array_shape.shape(alpha), array_shape.shape(inverse)
        )
        alpha = array_broadcast.broadcast_to(alpha, both)
        seed1, seed2 = random_seed.get_seed(seed)
        drawn: Any = single("RandomGamma", shape, alpha, seed=seed1, seed2=seed2)
        return at_least_tiny(drawn / inverse)


def at_least_tiny(drawn: Any) -> Tensor:
    """Numbers that rounding has made zero become the smallest there are."""
    return math_binary.maximum(np.finfo(drawn.dtype.as_numpy_dtype).tiny, drawn)


def random_poisson(
    lam: Any,
    shape: Any,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers of Poisson distributions.

    Args:
      lam: The means.
      shape: How many of each distribution, a vector.
      dtype: float16, float32, float64, int32 or int64.
      seed: Op-level seed; see `set_random_seed`.
      name: Name of the scope of the operations.

    Returns:
      Of shape `shape`, and behind it that of `lam`.
    """
    with scopes.name_scope(name, "random_poisson", [lam, shape]):
        shape = convert_to_tensor(shape, name="shape", dtype=dtypes.int32)
        seed1, seed2 = random_seed.get_seed(seed)
        return single("RandomPoissonV2", shape, lam, dtype=dtype, seed=seed1, seed2=seed2)
