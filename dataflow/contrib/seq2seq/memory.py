"""What attention looks at: the memory, its masks and the scores of its places."""

from __future__ import annotations

import math
from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import control_dependencies
from dataflow.graph.tensor import Tensor
from dataflow.library.check_values import assert_positive
from dataflow.ops.array.concat import concat
from dataflow.ops.array.fill import ones, ones_like
from dataflow.ops.array.select import sequence_mask, where
from dataflow.ops.array.shape import expand_dims, rank, reshape, shape, squeeze
from dataflow.ops.basic.cast import cast
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.math.trig import tanh
from dataflow.ops.math.unary import rsqrt, square
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.values import dtypes, nest
from dataflow.values.shapes import dimension_value
from dataflow.variables.initializers import Constant, Ones, Zeros
from dataflow.variables.scope import get_variable


def masked_memory(memory: Any, lengths: Any, checks_sizes: bool) -> tuple[Any, Any]:
    """The memory, zero behind the ends of its sequences, and their lengths as a tensor.

    Args:
      memory: A tensor [batch, places, ...], or a structure of them.
      lengths: Lengths of the sequences, int [batch], or None.
      checks_sizes: Whether dimensions behind the second must be known.

    Raises:
      ValueError: One is not.
    """
    memory = nest.map_structure(lambda each: convert_to_tensor(each, name="memory"), memory)
    if lengths is not None:
        lengths = convert_to_tensor(lengths, name="memory_sequence_length")
    if checks_sizes:
        for each in nest.flatten(memory):
            if not each.shape[2:].is_fully_defined():
                raise ValueError(
                    f"Expected memory {each.name} to have fully defined inner dims, but saw "
                    f"shape: {each.shape}"
                )
    if lengths is None:
        return memory, None
    first = nest.flatten(memory)[0]
    mask = sequence_mask(lengths, maxlen=shape(first)[1], dtype=first.dtype)
    batch = dimension_value(lengths.shape[0]) or shape(lengths)[0]

    def masked(each: Tensor) -> Tensor:
        found = each.shape
        static_batch = dimension_value(found[0])
        if isinstance(batch, int) and static_batch not in (None, batch):
            raise ValueError(
                f"The first dimension of the memory, {static_batch}, is not the number of "
                f"lengths, {batch}"
            )
        inner = ones(concat([shape(mask), ones([rank(each) - 2], dtypes.int32)], 0), each.dtype)
        if found.rank is not None:
            inner = reshape(
                cast(mask, each.dtype), concat([shape(mask), [1] * (found.rank - 2)], 0)
            )
        return each * inner

    return nest.map_structure(masked, memory), lengths


def masked_score(score: Tensor, lengths: Any, value: Any) -> Tensor:
    """Scores with `value` behind the ends of sequences.

    Args:
      score: Floats [batch, places].
      lengths: int [batch], or None.
      value: A number.
    """
    if lengths is None:
        return score
    message = "All values in memory_sequence_length must greater than zero."
    with control_dependencies([assert_positive(lengths, message=message)]):
        mask = sequence_mask(lengths, maxlen=shape(score)[1])
        return where(mask, score, value * ones_like(score))


def bahdanau_score(query: Tensor, keys: Tensor, normalize: bool, dtype: Any) -> Tensor:
    """`v . tanh(query + key)` for each key (Bahdanau et al., 2014); makes its variables.

    Args:
      query: Floats [batch, units].
      keys: Floats [batch, places, units].
      normalize: Whether `v` is a direction and a length of its own (Salimans and Kingma, 2016).
      dtype: Element type.

    Raises:
      ValueError: The number of units is not known.
    """
    units = dimension_value(keys.shape[2])
    if units is None:
        raise ValueError(f"The size of keys must be known, but saw shape: {keys.shape}")
    v = get_variable("attention_v", [units], dtype=dtype)
    sums = keys + expand_dims(query, 1)
    if not normalize:
        return reduce_sum(v * tanh(sums), [2])
    g = get_variable(
        "attention_g", dtype=dtype, shape=(), initializer=Constant(math.sqrt(1.0 / units))
    )
    b = get_variable("attention_b", [units], dtype=dtype, initializer=Zeros())
    direction = g * v * rsqrt(reduce_sum(square(v)))
    return reduce_sum(direction * tanh(sums + b), [2])


def luong_score(query: Tensor, keys: Tensor, scale: bool, dtype: Any) -> Tensor:
    """`query . key` for each key (Luong et al., 2015).

    Args:
      query: Floats [batch, units].
      keys: Floats [batch, places, units].
      scale: Whether scores are multiplied by a variable.
      dtype: Element type.

    Raises:
      ValueError: Query and keys differ in size.
    """
    depth, units = dimension_value(query.shape[-1]), dimension_value(keys.shape[-1])
    if depth != units:
        raise ValueError(
            "Incompatible or unknown inner dimensions between query and keys.  "
            f"Query ({query}) has units: {depth}.  Keys ({keys}) have units: {units}.  "
            f"Perhaps you need to set num_units to the keys' dimension ({units})?"
        )
    score = squeeze(matmul(expand_dims(query, 1), keys, transpose_b=True), [1])
    if scale:
        score = score * get_variable("attention_g", dtype=dtype, initializer=Ones(), shape=())
    return score
