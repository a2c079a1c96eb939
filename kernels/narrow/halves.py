"""float16 to float32 and back, by instructions or by passes over the bits of whole blocks.

A float16's bits, moved to where float32 has its fraction, are a float32 that is 2**112 times too
small; a product repairs that, and makes numbers of what is subnormal in float16. On the way back an
addition rounds: next to 2**(e + 13), which it adds to a number of 2**e ... 2**(e + 1), float32 has
as many bits left as float16 has, and ties go to even. The lowest bits are then the fraction.
"""

from __future__ import annotations

import functools
from typing import Any, Final

import numpy as np

from dataflow.kernels.memory.workspace import workspace
from dataflow.kernels.narrow.instructions import convert

_SIGN_AND_REST: Final = np.int32(-0x7000_2000)
"""The bits that a float32 has which has been a float16."""
_SCALE: Final = np.float32(2.0**112)
_ODD: Final = np.float32(65536)
"""What infinity is then; NaNs are larger."""
_BEYOND: Final = np.float32(65520)
"""From here on rounding gives infinity."""
_EXPONENT: Final = np.int32(0x7F80_0000)
_LEAST_EXPONENT: Final = np.int32(113 << 23)
"""That of the least normal float16."""
_ADDED: Final = np.int32(13 << 23)
_BIAS: Final = np.uint16(0x0800)
"""By what the exponents of both types differ, in 16 bits."""
_SIGN: Final = np.uint16(0x8000)


def widen(halves: Any, wide: np.ndarray) -> None:
    """Fills a contiguous float32 array with the numbers of a float16 array of its shape."""
    if convert(halves, wide):
        return
    bits = wide.view(np.int32)
    np.copyto(bits, halves.view(np.int16))
    np.left_shift(bits, 13, out=bits)
    np.bitwise_and(bits, _SIGN_AND_REST, out=bits)
    np.multiply(wide, _SCALE, out=wide)
    if not (wide.max() < _ODD and wide.min() > -_ODD):
        odd = np.absolute(wide) >= _ODD
        wide[odd] = halves[odd]


def narrow(wide: np.ndarray, halves: Any) -> None:
    """Rounds a contiguous float32 array to a float16 array of its shape, as numpy does."""
    if convert(wide, halves):
        return
    shape, size = wide.shape, wide.size
    rest, step = (workspace(np, f"halves {n}", shape, np.float32) for n in ("rest", "step"))
    other = workspace(np, "halves other", shape, np.uint16)
    np.absolute(wide, out=rest)
    is_plain = rest.max() < _BEYOND
    exponents = step.view(np.int32)
    np.bitwise_and(rest.view(np.int32), _EXPONENT, out=exponents)
    np.maximum(exponents, _least_exponents(size).reshape(shape), out=exponents)
    np.add(exponents, _ADDED, out=exponents)
    np.add(rest, step, out=rest)
    bits = halves.view(np.uint16)
    np.copyto(bits, rest.view(np.int32), casting="unsafe")
    np.right_shift(exponents, 13, out=exponents)
    np.copyto(other, exponents, casting="unsafe")
    np.add(bits, other, out=bits)
    np.add(bits, _BIAS, out=bits)
    np.right_shift(wide.view(np.int32), 16, out=exponents)
    np.copyto(other, exponents, casting="unsafe")
    np.bitwise_and(other, _SIGN, out=other)
    np.bitwise_or(bits, other, out=bits)
    if not is_plain:
        odd = ~(np.absolute(wide) < _BEYOND)
        with np.errstate(over="ignore"):
            halves[odd] = wide[odd]


@functools.lru_cache(maxsize=16)
def _least_exponents(size: int) -> np.ndarray:
    """An array in the place of a number, with which an extreme takes four times as long."""
    return np.full(size, _LEAST_EXPONENT)
