"""The stream of random numbers that a stateless op draws from, of its seeds alone."""

from __future__ import annotations

from typing import Any, Final

from dataflow.kernels.random.philox import Philox

_KEY: Final = 0x02461E293EC8F720
_MASK64: Final = 2**64 - 1


def scrambled(seed: Any) -> Philox:
    """The stream of a vector of two seeds: these are mixed, so that near ones give different ones.

    Source: `GenerateKey` in TensorFlow's `core/kernels/stateless_random_ops.cc`.
    """
    first, second = (int(part) for part in seed)
    a, b, c, d = Philox(_KEY, second, first & _MASK64).words(4).tolist()
    return Philox(a | b << 32, c | d << 32)
