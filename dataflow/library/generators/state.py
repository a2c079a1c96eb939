"""The state of a generator: a place in its stream, and a key."""

from __future__ import annotations

from typing import Any, Final

import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.binary as math_binary
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.concat import concat
from dataflow.ops.array.fill import zeros
from dataflow.ops.basic.cast import cast
from dataflow.ops.random.seeded import algorithm_number
from dataflow.values import dtypes, nest

_SIZES: Final = {1: 3, 2: 2, 3: 3}
"""Words of the state of each algorithm: the last one is the key."""
_WORD: Final = 2**64


def state_size(algorithm: int) -> int:
    """How many words of 64 bits the state of an algorithm has."""
    return _SIZES[algorithm]


def state_tensor(value: Any) -> Any:
    """Words as int64: those from 2**63 on are what they are modulo 2**64."""
    return cast(nest.map_structure(_signed, value), dtypes.int64)


def _signed(value: Any) -> Any:
    return value - _WORD if isinstance(value, int) and value >= _WORD // 2 else value


def create_rng_state(seed: Any, alg: Any) -> Tensor:
    """The state that a seed stands for.

    Args:
      seed: An integer of any size, or a vector of integers; what is short is filled up with zeros,
        and what is too much is left out.
      alg: The algorithm, by name or number, or an `Algorithm`.

    Returns:
      int64, as many as the algorithm's state has.

    Raises:
      ValueError: There is no such algorithm.
    """
    size = state_size(algorithm_number(alg))
    if isinstance(seed, int):
        seed = [seed >> 64 * word & _WORD - 1 for word in range(size)]
    words: Any = array_shape.reshape(state_tensor(seed), [-1])[:size]
    known = words.shape[0].value
    have: Any = array_shape.shape(words)[0] if known is None else known
    # Zeros go in front: a short seed is a key, whose streams differ, and not a place in one.
    missing = math_binary.maximum(size - have, 0)
    state = concat([zeros([missing], dtypes.int64), words], 0)
    state.set_shape([size])
    return state
