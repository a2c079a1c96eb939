"""Many tensors as one, and one as many: for tensor arrays and lists of tensors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from dataflow.kernels.memory import aligned
from dataflow.kernels.memory.packing import pack_into
from dataflow.values import dtypes
from dataflow.values.dtypes import DType

_OBJECT: Final = np.dtype(object)
_STRINGS: Final = {bytes}


def numpy_type(dtype: DType) -> np.dtype[Any]:
    """Element type of the arrays that hold such tensors; handles and lists are objects."""
    if dtype in (dtypes.resource, dtypes.variant):
        return _OBJECT
    found: np.dtype[Any] = np.dtype(dtype.as_numpy_dtype)
    return found


def stack_elements(xp: Any, values: Sequence[Any], dtype: DType) -> Any:
    """Stacks tensors of one shape along a new first dimension; there is at least one."""
    shape, kind = np.shape(values[0]), numpy_type(dtype)
    if shape:
        if xp is np and not values[0].flags.c_contiguous:
            stacked = aligned.empty((len(values), *shape), kind)
            for target, value in zip(stacked, values, strict=True):
                pack_into(target, value)
            return stacked
        # One copy, and none of the views that `stack` makes of each tensor.
        return xp.concatenate(values).reshape((len(values), *shape))
    if kind is not _OBJECT:
        return np.array(values, kind) if xp is np else xp.stack(values)
    stacked = np.empty(len(values), object)
    if dtype is dtypes.string and type(values[0]) is bytes and set(map(type, values)) == _STRINGS:
        stacked[:] = values
        return stacked
    for place, value in enumerate(values):
        stacked[place] = value[()] if type(value) is np.ndarray else value
    return stacked


def concatenate_elements(xp: Any, values: Sequence[Any]) -> Any:
    """Joins tensors along their first dimension; there is at least one."""
    return xp.concatenate(values)


def slices_of(value: Any, dtype: DType) -> Iterable[Any]:
    """The slices of a tensor along its first dimension, as views of it."""
    if value.ndim > 1 or dtype is not dtypes.string:
        return list(value)
    return [value[place : place + 1].reshape(()) for place in range(len(value))]


def zeros_of(xp: Any, value: Any, dtype: DType) -> Any:
    """Zeros in the shape of a tensor; of a list of tensors, a list of zeros."""
    if dtype is dtypes.variant:
        return value.zeros_like(xp)
    if dtype is not dtypes.string and not isinstance(value, (np.ndarray, np.generic)):
        return np.zeros_like(value)  # An array of the device on which it lies.
    return make_zeros(xp, np.shape(value), dtype)


def make_zeros(xp: Any, shape: Sequence[int], dtype: DType) -> Any:
    """Zeros as kernels return them, empty strings for strings: numpy scalars where rank is 0."""
    if dtype is dtypes.string:
        return np.full(tuple(shape), b"", object)
    zeros = xp.zeros(tuple(shape), numpy_type(dtype))
    return zeros if shape or xp is not np else zeros[()]
