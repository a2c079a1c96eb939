"""Random numbers: uniform, normal, shuffled, drawn from a categorical distribution."""

from __future__ import annotations

from typing import Any

import dataflow.ops.math.binary as math_binary
from dataflow.graph import random_seed, scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import unchanged, with_rank
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

_SEEDS = ("seed: int = 0", "seed2: int = 0")


def _shape_of_value(c: InferenceContext) -> TensorShape:
    with_rank(c.input(0), 1)
    return c.constant_as_shape(0)


def _scalar_bounds_shape(c: InferenceContext) -> TensorShape:
    with_rank(c.input(1), 0)
    with_rank(c.input(2), 0)
    return _shape_of_value(c)


def multinomial_shape(c: InferenceContext) -> TensorShape:
    """[rows of the logits, number of samples]."""
    logits = with_rank(c.input(0), 2).as_list()
    with_rank(c.input(1), 0)
    count = c.constant(1)
    if count is not None and int(count) < 0:
        raise ValueError(
            f"Dimension size, given by scalar input 1, must be non-negative but is {count}"
        )
    return TensorShape.of((logits[0], None if count is None else int(count)))


for _name, _doc in (
    ("RandomUniform", "Numbers spread evenly over [0, 1)."),
    ("RandomStandardNormal", "Numbers of the normal distribution with mean 0 and deviation 1."),
    ("TruncatedNormal", "Standard normal numbers, those of magnitude 2 or more drawn again."),
):
    define_op(
        _name,
        inputs="shape: T",
        outputs="output: dtype",
        attrs=[*_SEEDS, "dtype: floattype", "T: {int32, int64}"],
        shape=_shape_of_value,
        gradient=NOT_DIFFERENTIABLE,
        doc=_doc,
        stateful=True,
    )

define_op(
    "RandomUniformInt",
    inputs="shape: T, minval: Tout, maxval: Tout",
    outputs="output: Tout",
    attrs=[*_SEEDS, "Tout: {int32, int64}", "T: {int32, int64}"],
    shape=_scalar_bounds_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="Integers spread evenly over [minval, maxval).",
    stateful=True,
)

define_op(
    "RandomShuffle",
    inputs="value: T",
    outputs="output: T",
    attrs=[*_SEEDS, "T: type"],
    shape=unchanged,
    gradient=NOT_DIFFERENTIABLE,
    doc="The rows of a tensor in random order.",
    stateful=True,
)

define_op(
    "Multinomial",
    inputs="logits: T, num_samples: int32",
    outputs="output: output_dtype",
    attrs=[*_SEEDS, "T: realnumbertype", "output_dtype: {int32, int64} = int64"],
    shape=multinomial_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="Draws classes with probabilities softmax(logits), for each row.",
    stateful=True,
)


def shape_tensor(shape: Any) -> Tensor:
    """A shape as a tensor; a list that holds no tensors is int32."""
    wanted = None
    if isinstance(shape, (tuple, list)):
        plain = [dim for dim in shape if not isinstance(dim, Tensor)]
        if not shape or len(plain) == len(shape):
            wanted = dtypes.int32
    return convert_to_tensor(shape, dtype=wanted, name="shape")


def _seed_attrs(seed: int | None) -> dict[str, Any]:
    seed1, seed2 = random_seed.get_seed(seed)
    return {"seed": seed1, "seed2": seed2}


def _scaled_normal(
    op_type: str, shape: Any, mean: Any, stddev: Any, dtype: Any, seed: int | None, name: str
) -> Tensor:
    sizes = shape_tensor(shape)
    mean_tensor = convert_to_tensor(mean, dtype=dtype, name="mean")
    stddev_tensor = convert_to_tensor(stddev, dtype=dtype, name="stddev")
    numbers = apply_op(op_type, sizes, dtype=dtype, **_seed_attrs(seed))
    result: Tensor = math_binary.add(numbers * stddev_tensor, mean_tensor, name=name)
    return result


def random_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Normally distributed numbers of shape `shape`.

    Args:
      shape: Shape of the result, a list or an integer tensor.
      mean: Mean; broadcasts against the result.
      stddev: Standard deviation; broadcasts against the result.
      dtype: A floating type.
      seed: Op-level seed; see `set_random_seed`.
      name: Name of the operation.
    """
    with scopes.name_scope(name, "random_normal", [shape, mean, stddev]) as scope:
        return _scaled_normal("RandomStandardNormal", shape, mean, stddev, dtype, seed, scope)


def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Normally distributed numbers within two standard deviations of the mean.

    Args:
      shape: Shape of the result, a list or an integer tensor.
      mean: Mean before truncation; broadcasts against the result.
      stddev: Standard deviation before truncation; broadcasts against the result.
      dtype: A floating type.
      seed: Op-level seed; see `set_random_seed`.
      name: Name of the operation.
    """
    with scopes.name_scope(name, "truncated_normal", [shape, mean, stddev]) as scope:
        return _scaled_normal("TruncatedNormal", shape, mean, stddev, dtype, seed, scope)


_UNIFORM_TYPES = (
    dtypes.float16,
    dtypes.bfloat16,
    dtypes.float32,
    dtypes.float64,
    dtypes.int32,
    dtypes.int64,
)


def random_uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers spread evenly over [minval, maxval).

    Args:
      shape: Shape of the result, a list or an integer tensor.
      minval: Least value.
      maxval: Bound above; 1 for floating types if None.
      dtype: A floating type, int32 or int64.
      seed: Op-level seed; see `set_random_seed`.
      name: Name of the operation.

    Raises:
      ValueError: The dtype is none of these, or `maxval` is missing for integers.
    """
    dtype = dtypes.as_dtype(dtype)
    if dtype not in _UNIFORM_TYPES:
        raise ValueError(
            f"Argument `dtype` got invalid value {dtype}. Accepted dtypes are {_UNIFORM_TYPES}."
        )
    if maxval is None:
        if dtype.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        maxval = 1
    with scopes.name_scope(name, "random_uniform", [shape, minval, maxval]) as scope:
        sizes = shape_tensor(shape)
        from_zero = isinstance(minval, int) and minval == 0
        to_one = isinstance(maxval, int) and maxval == 1
        if not from_zero or not to_one or dtype.is_integer:
            minval = convert_to_tensor(minval, dtype=dtype, name="min")
            maxval = convert_to_tensor(maxval, dtype=dtype, name="max")
        seeds = _seed_attrs(seed)
        result: Tensor
        if dtype.is_integer:
            result = apply_op("RandomUniformInt", sizes, minval, maxval, name=scope, **seeds)
            return result
        result = apply_op("RandomUniform", sizes, dtype=dtype, **seeds)
        if not from_zero:
            result = math_binary.add(result * (maxval - minval), minval, name=scope)
        elif not to_one:
            result = math_binary.multiply(result, maxval)
        return result


def random_shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Tensor:
    """The rows of `value` (along dimension 0) in random order.

    Args:
      value: A tensor of rank 1 or more.
      seed: Op-level seed; see `set_random_seed`.
      name: Name of the operation.
    """
    result: Tensor = apply_op("RandomShuffle", value, name=name, **_seed_attrs(seed))
    return result


def multinomial(
    logits: Any,
    num_samples: Any,
    seed: int | None = None,
    name: str | None = None,
    output_dtype: Any = None,
) -> Tensor:
    """Draws classes from the distribution softmax(logits) of each row.

    Args:
      logits: Unnormalised log-probabilities, shape [rows, classes].
      num_samples: How many draws for each row, a scalar.
      seed: Op-level seed; see `set_random_seed`.
      name: Name of the operation.
      output_dtype: int32 or int64, by default int64.

    Returns:
      Class numbers, shape [rows, num_samples].

    Raises:
      ValueError: `output_dtype` is another type.
    """
    with scopes.name_scope(name, "multinomial", [logits]):
        return _draw_classes(logits, num_samples, output_dtype, seed)


def categorical(
    logits: Any,
    num_samples: Any,
    dtype: Any = None,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Like `multinomial`, under its newer name."""
    with scopes.name_scope(name, "categorical", [logits]):
        return _draw_classes(logits, num_samples, dtype, seed)


def _draw_classes(logits: Any, num_samples: Any, dtype: Any, seed: int | None) -> Tensor:
    logits = convert_to_tensor(logits, name="logits")
    dtype = dtypes.int64 if dtype is None else dtypes.as_dtype(dtype)
    if dtype not in (dtypes.int32, dtypes.int64):
        raise ValueError(
            f"Argument `dtype` got invalid value {dtype}. Accepted dtypes are "
            f"{(dtypes.int32, dtypes.int64)}."
        )
    result: Tensor = apply_op(
        "Multinomial", logits, num_samples, output_dtype=dtype, **_seed_attrs(seed)
    )
    return result
