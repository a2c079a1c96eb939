"""Names of numpy 1 that numpy 2 has dropped; `np.bool` and `np.long` it has, as scalar types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np


def _asscalar(a: Any) -> Any:
    return np.asarray(a).item()


def _array(*args: Any, copy: Any = True, **kwargs: Any) -> Any:
    return _ARRAY(*args, copy=None if copy is False else copy, **kwargs)


def _fromstring(string: Any, dtype: Any = float, count: int = -1, *, sep: str = "") -> Any:
    if sep:
        return _TEXT(string, dtype, count, sep=sep)
    data = string.encode("latin-1") if isinstance(string, str) else string
    return np.frombuffer(data, dtype, count).copy()


def _in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    return np.isin(np.ravel(ar1), ar2, assume_unique=assume_unique, invert=invert)


def _asfarray(a: Any, dtype: Any = np.float64) -> Any:
    return np.asarray(a, dtype if np.issubdtype(dtype, np.inexact) else np.float64)


def _msort(a: Any) -> Any:
    return np.sort(a, axis=0)


def _issubclass(arg1: Any, arg2: Any) -> bool:
    return isinstance(arg1, type) and issubclass(arg1, arg2)


def _obj2sctype(rep: Any, default: Any = None) -> Any:
    try:
        return np.dtype(rep).type
    except TypeError:
        return default


def _tostring(self: Any, order: Any = "C") -> bytes:
    return bytes(self.tobytes(order))


def _itemset(self: Any, *args: Any) -> None:
    *at, item = args
    index = at[0] if len(at) == 1 else tuple(at)
    if isinstance(index, tuple):
        self[index] = item
    else:
        self.flat[index] = item


def _newbyteorder(self: Any, new_order: str = "S") -> Any:
    return self.view(self.dtype.newbyteorder(new_order))


_ARRAY = np.array
_TEXT = np.fromstring
_KINDS: Final = {
    "int": "int8 int16 int32 int64",
    "uint": "uint8 uint16 uint32 uint64",
    "float": "float16 float32 float64 longdouble",
    "complex": "complex64 complex128 clongdouble",
    "others": "bool_ object_ bytes_ str_ void",
}

NAMES: Final[Mapping[str, Any]] = {
    "int": int,
    "float": float,
    "object": object,
    "str": str,
    "complex": complex,
    "unicode": str,
    "bool8": np.bool_,
    "int0": np.intp,
    "uint0": np.uintp,
    "object0": np.object_,
    "str0": np.str_,
    "bytes0": np.bytes_,
    "void0": np.void,
    "float_": np.float64,
    "longfloat": np.longdouble,
    "complex_": np.complex128,
    "cfloat": np.complex128,
    "singlecomplex": np.complex64,
    "clongfloat": np.clongdouble,
    "longcomplex": np.clongdouble,
    "string_": np.bytes_,
    "unicode_": np.str_,
    "sctypes": {
        kind: [getattr(np, name) for name in names.split()] for kind, names in _KINDS.items()
    },
    "typeDict": np.sctypeDict,
    "Inf": np.inf,
    "Infinity": np.inf,
    "infty": np.inf,
    "PINF": np.inf,
    "NINF": -np.inf,
    "NaN": np.nan,
    "PZERO": 0.0,
    "NZERO": -0.0,
    "product": np.prod,
    "cumproduct": np.cumprod,
    "sometrue": np.any,
    "alltrue": np.all,
    "round_": np.round,
    "in1d": _in1d,
    "row_stack": np.vstack,
    "trapz": np.trapezoid,
    "asscalar": _asscalar,
    "rank": np.ndim,
    "alen": len,
    "msort": _msort,
    "mat": np.asmatrix,
    "asfarray": _asfarray,
    "find_common_type": lambda array_types, scalar_types: np.result_type(
        *array_types, *scalar_types
    ),
    "issubclass_": _issubclass,
    "issubsctype": np.issubdtype,
    "obj2sctype": _obj2sctype,
}
"""What `numpy` had under a name."""

CHANGED: Final[Mapping[str, Any]] = {"array": _array, "fromstring": _fromstring}
"""What `numpy` has still, but does otherwise: `copy=False` copied where it must, `fromstring` read
bytes."""

METHODS: Final[Mapping[str, Any]] = {
    "tostring": _tostring,
    "itemset": _itemset,
    "ptp": np.ptp,
    "newbyteorder": _newbyteorder,
}
"""Methods that arrays had."""
