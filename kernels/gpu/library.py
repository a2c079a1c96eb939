"""The array library of GPU devices: cupy, with what it lacks or does differently from numpy."""

from __future__ import annotations

from typing import Any, Final

import cupy
import ml_dtypes
import numpy as np

from dataflow.kernels.gpu import places

_BFLOAT16: Final = np.dtype(ml_dtypes.bfloat16)


class Scattering:
    """A function of two arrays whose `at` takes all element types, in order where it counts."""

    def __init__(self, name: str) -> None:
        self._function = getattr(cupy, name)
        self._combination = places.COMBINATIONS[name]

    def __call__(self, *operands: Any, **options: Any) -> Any:
        return self._function(*operands, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)

    def at(self, target: Any, rows: Any, values: Any) -> None:
        """Combines values into rows of an array, in place, as numpy's functions do."""
        places.combine(self._combination, target, rows, values)


class _Library:
    """cupy, and in place of some of its functions others."""

    def __getattr__(self, name: str) -> Any:
        found = Scattering(name) if name in places.COMBINATIONS else getattr(cupy, name)
        setattr(self, name, found)
        return found

    def where(self, mask: Any, *sides: Any) -> Any:
        """numpy's `where`, also of bfloat16."""
        arrays = [side for side in sides if isinstance(side, cupy.ndarray)]
        if all(array.dtype != _BFLOAT16 for array in arrays):
            return cupy.where(mask, *sides)
        made = [side if isinstance(side, cupy.ndarray) else _BFLOAT16.type(side) for side in sides]
        return _CHOOSE(mask, *made)

    def remainder(self, x: Any, y: Any, out: Any = None) -> Any:
        """numpy's `remainder`: cupy's is NaN where the divisor is infinite."""
        if x.dtype.kind not in "fV":
            return cupy.remainder(x, y, out=out)
        arguments = (x, y) if out is None else (x, y, out)
        return (_WIDE_REMAINDER if x.dtype.itemsize == 2 else _REMAINDER)(*arguments)

    def argsort(self, array: Any, **options: Any) -> Any:
        """numpy's `argsort`, also of bfloat16."""
        return cupy.argsort(_sortable(array), **options)

    def partition(self, array: Any, kth: Any, axis: int = -1) -> Any:
        """numpy's `partition`, also of bfloat16."""
        found = cupy.partition(_sortable(array), kth, axis=axis)
        return found.astype(array.dtype, copy=False)


def _sortable(array: Any) -> Any:
    """The array, or one with the same order that cupy can sort."""
    return array.astype(np.float32) if array.dtype == _BFLOAT16 else array


_CHOOSE: Final = cupy.ElementwiseKernel("bool mask, T a, T b", "T z", "z = mask ? a : b", "choose")
_WITH_SIGN: Final = "z = r != 0 && (r < 0) != (y < 0) ? r + y : r"
_REMAINDER: Final = cupy.ElementwiseKernel(
    "T x, T y", "T z", f"T r = fmod(x, y); {_WITH_SIGN}", "floor_remainder"
)
_WIDE_REMAINDER: Final = cupy.ElementwiseKernel(
    "T x, T y",
    "T z",
    "float r = fmodf(float(x), float(y)); "
    "z = T(r != 0 && (r < 0) != (float(y) < 0) ? r + float(y) : r)",
    "floor_remainder_of_16_bits",
)

library: Final[Any] = _Library()
"""Stands in for cupy in kernels, which get it as `xp`."""
