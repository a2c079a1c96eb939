"""Names of numpy 1 that numpy 2 has dropped; `np.bool` and `np.long` it has, as scalar types."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Mapping
from typing import Any, Final

import numpy as np


def _asscalar(a: Any) -> Any:
    return np.asarray(a).item()


def _array(*args: Any, copy: Any = True, **kwargs: Any) -> Any:
    try:
        return _ARRAY(*args, copy=None if copy is False else copy, **kwargs)
    except ValueError as error:
        return _of_objects(error, *args, **kwargs)


def _asarray(*args: Any, **kwargs: Any) -> Any:
    try:
        return _ASARRAY(*args, **kwargs)
    except ValueError as error:
        return _of_objects(error, *args, **kwargs)


def _of_objects(error: ValueError, a: Any, dtype: Any = None, *args: Any, **kwargs: Any) -> Any:
    """What sequences of unequal lengths made for a program; this library refuses them as ever."""
    asked_by = sys._getframe(2).f_globals.get("__name__", "")
    if dtype is not None or "inhomogeneous" not in str(error) or asked_by.startswith("dataflow."):
        raise error
    return _ARRAY(a, np.object_, *args, **kwargs)


def _fromstring(string: Any, dtype: Any = float, count: int = -1, *, sep: str = "") -> Any:
    if sep:
        return _TEXT(string, dtype, count, sep=sep)
    data = string.encode("latin-1") if isinstance(string, str) else string
    return np.frombuffer(data, dtype, count).copy()


def _in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    return np.isin(np.ravel(ar1), ar2, assume_unique=assume_unique, invert=invert)


def _issubdtype(arg1: Any, arg2: Any) -> bool:
    try:
        return _SUBTYPE(arg1, _KIND_OF.get(arg2, arg2))
    except TypeError:  # What cannot be a key, as a list of fields, names no kind.
        return _SUBTYPE(arg1, arg2)


def _asfarray(a: Any, dtype: Any = np.float64) -> Any:
    return np.asarray(a, dtype if np.issubdtype(dtype, np.inexact) else np.float64)


def _msort(a: Any) -> Any:
    return np.sort(a, axis=0)


def _issubclass(arg1: Any, arg2: Any) -> bool:
    return isinstance(arg1, type) and issubclass(arg1, arg2)


class _Casts:
    def __getitem__(self, dtype: Any) -> Any:
        return lambda x: np.asarray(x).astype(dtype)


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
_ASARRAY = np.asarray
_TEXT = np.fromstring
_SUBTYPE = np.issubdtype
_KIND_OF: Final[Mapping[Any, Any]] = {
    int: np.signedinteger,
    float: np.floating,
    complex: np.complexfloating,
    "int": np.signedinteger,
    "float": np.floating,
    "complex": np.complexfloating,
}
"""What the second argument of `issubdtype` meant, where it names a type of Python's."""
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
    "math": math,
    "sys": sys,
    "warnings": warnings,
    **{name: getattr(np.exceptions, name) for name in np.exceptions.__all__},
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
    "NAN": np.nan,
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
    "cast": _Casts(),
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

CHANGED: Final[Mapping[str, Any]] = {
    "array": _array,
    "asarray": _asarray,
    "fromstring": _fromstring,
    "issubdtype": _issubdtype,
}
"""What `numpy` has still, but does otherwise: `copy=False` copied where it must, sequences of
unequal lengths were arrays of objects, `fromstring` read bytes, float32 was a kind of float."""

METHODS: Final[Mapping[str, Any]] = {
    "tostring": _tostring,
    "itemset": _itemset,
    "ptp": np.ptp,
    "newbyteorder": _newbyteorder,
}
"""Methods that arrays had."""


def _index(self: Any) -> int:
    return int(self)


TRUTH_METHODS: Final[Mapping[str, Any]] = {"__index__": _index}
"""Methods that truth values had: they were numbers for lists, `range` and messages of protobuf."""


def _of_one_element(convert: Any) -> Any:
    def converted(self: Any) -> Any:
        return convert(np.asarray(self).reshape(()) if self.size == 1 else self)

    return converted


def _false_if_empty(convert: Any) -> Any:
    def converted(self: Any) -> Any:
        return self.size > 0 and convert(self)

    return converted


CONVERSIONS: Final[Mapping[str, Any]] = {
    **{
        name: _of_one_element(getattr(np.ndarray, name))
        for name in ("__int__", "__float__", "__complex__")
    },
    "__bool__": _false_if_empty(np.ndarray.__bool__),
}
"""Methods behind `int(array)` and others, which took arrays of any rank with one element, and
behind `if array`, which took an empty one as false."""
