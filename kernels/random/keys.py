"""The streams of stateless random ops: a key and a counter say where they start."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dataflow.errors import InvalidArgumentError
from dataflow.kernels.random.philox import Philox

_MASK: Final = 2**64 - 1
_SCRAMBLING: Final = 0x02461E293EC8F720
"""The key under which two seeds are mixed."""
PHILOX: Final = 1
CHOOSE: Final = 3
"""Numbers of algorithms; Philox is chosen."""


def key_and_counter(seed: Any) -> tuple[int, int]:
    """The key and the upper half of the counter that two seeds make.

    Raises:
      InvalidArgumentError: There are not two seeds.
    """
    if np.shape(seed) != (2,):
        shape = str(list(np.shape(seed))).replace(" ", "")
        raise InvalidArgumentError(None, None, f"seed must have shape [2], not {shape}")
    low, high = (int(each) & _MASK for each in seed)
    words = [int(word[0]) for word in Philox(_SCRAMBLING, high, low).blocks(1)]
    return words[0] | words[1] << 32, words[2] | words[3] << 32


def stream_of_seed(seed: Any) -> Philox:
    """The stream that two seeds stand for."""
    key, counter = key_and_counter(seed)
    return Philox(key, counter)


def stream_of_key(key: Any, counter: Any, alg: Any) -> Philox:
    """The stream of a key and a counter.

    Raises:
      InvalidArgumentError: The algorithm is not Philox, or the key or the counter no vector of one
        or two numbers.
    """
    if np.ndim(alg):
        shape = str(list(np.shape(alg))).replace(" ", "")
        raise InvalidArgumentError(None, None, f"input 3 (0-based) must have shape [], not {shape}")
    if np.shape(key) != (1,):
        shape = str(list(np.shape(key))).replace(" ", "")
        raise InvalidArgumentError(
            None,
            None,
            f"key must have shape [1], not {shape}. (Note that batched keys are not supported "
            "yet.)",
        )
    number = int(alg)
    if number not in (PHILOX, CHOOSE):
        raise InvalidArgumentError(None, None, f"Unsupported algorithm id: {number}")
    if np.ndim(counter) != 1 or len(counter) < 2:
        shape = str(list(np.shape(counter))).replace(" ", "")
        raise InvalidArgumentError(
            None,
            None,
            f"counter must be a vector with length at least 2; got shape: {shape}. (Note that "
            "batched counters are not supported yet.)",
        )
    return Philox(int(key[0]), int(counter[1]), int(counter[0]))
