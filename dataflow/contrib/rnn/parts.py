"""Parts that several cells have: sharded weights, layer normalization, random periods."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dataflow.graph.keys import GraphKeys
from dataflow.graph.scopes import add_to_collection, get_collection
from dataflow.graph.tensor import Tensor
from dataflow.graph.variable_scope_object import get_variable_scope
from dataflow.library.rnn.cell import RNNCell
from dataflow.library.rnn.lstm import LSTMStateTuple
from dataflow.ops.array.concat import concat
from dataflow.ops.math.unary import exp, log
from dataflow.ops.nn.moments import batch_normalization, moments
from dataflow.ops.random.stateful import random_uniform
from dataflow.values import dtypes
from dataflow.values.shapes import dimension_value
from dataflow.variables.initializers import Constant
from dataflow.variables.scope import get_variable, variable_scope


def sharded_variable(name: str, size: Sequence[int], dtype: Any, shards: int) -> Any:
    """Weights `name_0`, `name_1` ... one below the other.

    Raises:
      ValueError: There are more shards than rows.
    """
    rows, *rest = size
    if shards > rows:
        raise ValueError(f"Too many shards: shape={list(size)}, num_shards={shards}")
    share, more = divmod(rows, shards)
    parts = [
        get_variable(f"{name}_{index}", [share + (index < more), *rest], dtype=dtype)
        for index in range(shards)
    ]
    if shards == 1:
        return parts[0]
    # Whoever comes first in a scope joins them, for all.
    full_name = f"{get_variable_scope().name}/{name}/concat:0"
    for joined in get_collection(GraphKeys.CONCATENATED_VARIABLES):
        if joined.name == full_name:
            return joined
    joined = concat(parts, 0, name=f"{name}/concat")
    add_to_collection(GraphKeys.CONCATENATED_VARIABLES, joined)
    return joined


def layer_normalized(inputs: Tensor, scope: str, gain: float, shift: float) -> Any:
    """Rows with mean 0 and variance 1, times `gamma` plus `beta` (Ba et al., 2016).

    Args:
      inputs: Floats [batch, size].
      scope: Variable scope of `gamma` and `beta`.
      gain: Initial value of `gamma`.
      shift: Initial value of `beta`.
    """
    with variable_scope(scope):
        size = inputs.shape[-1:]
        gamma = get_variable("gamma", size, dtype=inputs.dtype, initializer=Constant(gain))
        beta = get_variable("beta", size, dtype=inputs.dtype, initializer=Constant(shift))
        mean, variance = moments(inputs, [1], keep_dims=True)
        epsilon = 1e-3 if inputs.dtype == dtypes.float16 else 1e-12
        result = batch_normalization(inputs, mean, variance, beta, gamma, epsilon)
        result.set_shape(inputs.shape)
        return result


def log_uniform(low: Any, high: Any) -> Callable[..., Any]:
    """An initializer of numbers whose logarithms are uniform."""

    def initializer(shape: Any, dtype: Any = dtypes.float32, partition_info: Any = None) -> Any:
        return exp(random_uniform(shape, log(low), log(high), dtype))

    return initializer


def input_size(inputs: Tensor) -> int:
    """The size of inputs [batch, size].

    Raises:
      ValueError: It is not known.
    """
    size = dimension_value(inputs.shape.with_rank(2)[1])
    if size is None:
        raise ValueError("Could not infer input size from inputs.get_shape()[-1]")
    return size


def lstm_sizes(units: int, projected: int | None) -> LSTMStateTuple:
    """Sizes of memory and output."""
    return LSTMStateTuple(units, projected or units)


class LSTMLike(RNNCell):
    """A cell whose state is a memory and an output.

    Args:
      num_units: Size of the memory.
      num_proj: Size of the output, for which it is projected; None for no projection.
      reuse: Whether variables that exist in the cell's scope are shared.
      **kwargs: See `RNNCell`.
    """

    def __init__(self, num_units: int, num_proj: int | None, reuse: Any, **kwargs: Any) -> None:
        super().__init__(_reuse=reuse, **kwargs)
        self._num_units = num_units
        self._num_proj = num_proj

    @property
    def state_size(self) -> Any:
        """Sizes of memory and output."""
        return lstm_sizes(self._num_units, self._num_proj)

    @property
    def output_size(self) -> Any:
        """Size of the output."""
        return self._num_proj or self._num_units
