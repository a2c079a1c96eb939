"""Random numbers that depend on two seeds alone: the functions."""

from __future__ import annotations

import enum
from typing import Any

import dataflow.ops.array.broadcast as array_broadcast
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.binary as math_binary
from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.concat import stack
from dataflow.ops.basic.single import single
from dataflow.ops.random.gamma import at_least_tiny
from dataflow.ops.random.stateful import shape_tensor
from dataflow.values import dtypes


class Algorithm(enum.Enum):
    """Algorithms that make random numbers."""

    PHILOX = 1
    """Philox4x32-10, see Salmon et al. (2011)."""
    THREEFRY = 2
    """ThreeFry, which CPUs have not here, nor in TensorFlow."""
    AUTO_SELECT = 3
    """What the device prefers: Philox."""


_NAMES = {"philox": 1, "threefry": 2, "auto_select": 3}


def algorithm_number(alg: Any) -> int:
    """The number of an algorithm.

    Raises:
      ValueError: There is none of that name or number.
    """
    if isinstance(alg, Algorithm):
        return int(alg.value)
    if isinstance(alg, str):
        if alg not in _NAMES:
            raise ValueError(
                f"Argument `alg` got unsupported value {alg}. Supported values are philox for the "
                "Philox algorithm, threefry for the ThreeFry algorithm, and auto_select for "
                "auto-selection."
            )
        return _NAMES[alg]
    if alg not in _NAMES.values():
        raise ValueError(
            f"Argument `alg` got unsupported value {alg}. Supported values are 1 for the Philox "
            "algorithm, 2 for the ThreeFry algorithm, and 3 for auto-selection."
        )
    return int(alg)


def _key_and_counter(seed: Any, alg: Any) -> tuple[Any, Any, int]:
    number = algorithm_number(alg)
    key, counter = apply_op("StatelessRandomGetKeyCounter", seed)
    return key, counter, 1 if number == 3 else number


_UNIFORM_TYPES = (
    dtypes.float16,
    dtypes.bfloat16,
    dtypes.float32,
    dtypes.float64,
    dtypes.int32,
    dtypes.int64,
    dtypes.uint32,
    dtypes.uint64,
)


def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Numbers spread evenly over [minval, maxval), the same ones for the same seeds.

    Args:
      shape: Shape of the result, a list or an integer tensor.
      seed: Two integers.
      minval: Least value; None, with `maxval` None, for all numbers of an integer type.
      maxval: Bound above; 1 for floating types if None.
      dtype: A floating type, or one of integers of 32 or 64 bits.
      name: Name of the operation.
      alg: Algorithm, by name or number, or an `Algorithm`.

    Raises:
      ValueError: The dtype is none of these, or the bounds do not fit it.
    """
    dtype = dtypes.as_dtype(dtype)
    if dtype not in _UNIFORM_TYPES:
        raise ValueError(
            f"Argument `dtype` got invalid value {dtype}. Accepted dtypes are {_UNIFORM_TYPES}."
        )
    if dtype.is_integer:
        if (minval is None) != (maxval is None):
            raise ValueError(
                f"For integer `dtype` argument {dtype}, argument `minval` and `maxval` must be "
                f"both None or not None. Got `minval`={minval} and `maxval`={maxval}."
            )
        if minval is not None and dtype in (dtypes.uint32, dtypes.uint64):
            raise ValueError(
                f"Argument `dtype` got invalid value {dtype} when argument `minval` is not None. "
                "Please don't use unsigned integers in this case."
            )
    elif maxval is None:
        maxval = 1
    with scopes.name_scope(name, "stateless_random_uniform", [shape, seed, minval, maxval]) as own:
        sizes = shape_tensor(shape)
        if dtype.is_integer and minval is None:
            key, counter, number = _key_and_counter(seed, alg)
            return single(
                "StatelessRandomUniformFullIntV2",
                sizes,
                key,
                counter,
                number,
                dtype=dtype,
                name=own,
            )
        low: Any = convert_to_tensor(minval, dtype=dtype, name="min")
        high: Any = convert_to_tensor(maxval, dtype=dtype, name="max")
        key, counter, number = _key_and_counter(seed, alg)
        if dtype.is_integer:
            return single(
                "StatelessRandomUniformIntV2", sizes, key, counter, number, low, high, name=own
            )
        drawn: Any = single("StatelessRandomUniformV2", sizes, key, counter, number, dtype=dtype)
        return math_binary.add(drawn * (high - low), low, name=own)


def _scaled(
    op: str,
    default: str,
    shape: Any,
    seed: Any,
    mean: Any,
    stddev: Any,
    dtype: Any,
    name: Any,
    alg: Any,
) -> Tensor:
    with scopes.name_scope(name, default, [shape, seed, mean, stddev]) as own:
        sizes = shape_tensor(shape)
        mean = convert_to_tensor(mean, dtype=dtype, name="mean")
        stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
        key, counter, number = _key_and_counter(seed, alg)
        drawn: Any = single(op, sizes, key, counter, number, dtype=dtype)
        return math_binary.add(drawn * stddev, mean, name=own)


def stateless_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Normally distributed numbers, the same ones for the same two seeds; see `random_normal`."""
    return _scaled(
        "StatelessRandomNormalV2",
        "stateless_random_normal",
        shape,
        seed,
        mean,
        stddev,
        dtype,
        name,
        alg,
    )


def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Normally distributed numbers within two deviations of the mean; see `stateless_normal`."""
    return _scaled(
        "StatelessTruncatedNormalV2",
        "stateless_truncated_normal",
        shape,
        seed,
        mean,
        stddev,
        dtype,
        name,
        alg,
    )


def stateless_multinomial(
    logits: Any,
    num_samples: Any,
    seed: Any,
    output_dtype: Any = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Draws classes from softmax(logits) of each row, the same ones for the same two seeds.

    Args:
      logits: Shape [rows, classes].
      num_samples: How many draws for each row, a scalar.
      seed: Two integers.
      output_dtype: int32 or int64.
      name: Name of the scope of the operations.
    """
    with scopes.name_scope(name, "stateless_multinomial", [logits, seed]):
        return _classes(logits, num_samples, seed, output_dtype)


def stateless_categorical(
    logits: Any,
    num_samples: Any,
    seed: Any,
    dtype: Any = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Like `stateless_multinomial`, under its newer name."""
    with scopes.name_scope(name, "stateless_categorical", [logits, seed]):
        return _classes(logits, num_samples, seed, dtype)


def _classes(logits: Any, num_samples: Any, seed: Any, dtype: Any) -> Tensor:
    logits = convert_to_tensor(logits, name="logits")
    dtype = dtypes.int64 if dtype is None else dtypes.as_dtype(dtype)
    return single("StatelessMultinomial", logits, num_samples, seed, output_dtype=dtype)


def stateless_gamma(
    shape: Any,
    seed: Any,
    alpha: Any,
    beta: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Numbers of gamma distributions, the same ones for the same two seeds.

    Args:
      shape: Shape of the result, which ends with that of the parameters.
      seed: Two integers.
      alpha: The shape parameters.
      beta: The inverse scales, which broadcast against `alpha`; 1 if None.
      dtype: float16, float32 or float64.
      name: Name of the scope of the operations.
    """
    with scopes.name_scope(name, "stateless_random_gamma", [shape, seed, alpha, beta]):
        sizes = shape_tensor(shape)
        alpha = convert_to_tensor(alpha, dtype=dtype, name="alpha")
        inverse: Any = convert_to_tensor(1 if beta is None else beta, dtype=dtype, name="beta")
        both = array_broadcast.broadcast_dynamic_shape(
            array_shape.shape(alpha), array_shape.shape(inverse)
        )
        alpha = array_broadcast.broadcast_to(alpha, both)
        key, counter, number = _key_and_counter(seed, "auto_select")
        drawn: Any = single("StatelessRandomGammaV3", sizes, key, counter, number, alpha)
        return at_least_tiny(drawn / inverse)


def stateless_poisson(
    shape: Any, seed: Any, lam: Any, dtype: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """Numbers of Poisson distributions, the same ones for the same two seeds.

    Args:
      shape: Shape of the result, which ends with that of `lam`.
      seed: Two integers.
      lam: The means.
      dtype: float16, float32, float64, int32 or int64.
      name: Name of the scope of the operations.
    """
    with scopes.name_scope(name, "stateless_random_poisson", [shape, seed, lam]):
        sizes = shape_tensor(shape)
        return single("StatelessRandomPoisson", sizes, seed, lam, dtype=dtype)


def stateless_shuffle(
    value: Any, seed: Any, alg: Any = "auto_select", name: str | None = None
) -> Tensor:
    """A tensor in a random order along its first axis, the same one for the same two seeds.

    Args:
      value: The tensor.
      seed: Two integers.
      alg: The algorithm, by name or number, or an `Algorithm`.
      name: Name of the scope of the operations.
    """
    with scopes.name_scope(name, "stateless_shuffle", [value, seed]):
        return single("StatelessShuffle", value, *_key_and_counter(seed, alg))


def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Tensor:
    """Two new seeds, of two seeds and a number.

    Args:
      seed: Two integers, int32 or int64.
      data: An integer, a scalar.
      alg: Algorithm; see `stateless_uniform`.
    """
    data = convert_to_tensor(data)
    first: Any = stateless_uniform(
        [1], seed=seed, dtype=data.dtype, minval=None, maxval=None, alg=alg
    )
    return stack([first[0], data])


def split(seed: Any, num: int = 2, alg: Any = "auto_select") -> Tensor:
    """So many pairs of new seeds, of two seeds: shape [num, 2].

    Args:
      seed: Two integers, int32 or int64.
      num: How many pairs.
      alg: Algorithm; see `stateless_uniform`.
    """
    seed = convert_to_tensor(seed)
    return stateless_uniform(
        [num, 2], seed=seed, dtype=seed.dtype, minval=None, maxval=None, alg=alg
    )
