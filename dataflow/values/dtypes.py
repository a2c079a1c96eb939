"""Element types of tensors: the interned `DType` objects and the conversions to and from numpy."""

from __future__ import annotations

import builtins
from typing import Any, Final

import ml_dtypes
import numpy as np

from dataflow.proto import types_pb2

_REF_OFFSET: Final = 100

# ml_dtypes leaves these two without annotations.
_finfo: Final[Any] = ml_dtypes.finfo
_iinfo: Final[Any] = ml_dtypes.iinfo

# Quantized types are told apart from the integers that carry them by the name of a record field.
_np_qint8 = np.dtype([("qint8", np.int8)])
_np_quint8 = np.dtype([("quint8", np.uint8)])
_np_qint16 = np.dtype([("qint16", np.int16)])
_np_quint16 = np.dtype([("quint16", np.uint16)])
_np_qint32 = np.dtype([("qint32", np.int32)])

# name: (DataType number, numpy type or None, kind)
# kinds: f float, F small float outside `is_numeric`, i signed, u unsigned, I and U their sub-byte
# variants outside `is_numeric`, c complex, q quantized, b bool, s string, h opaque handle
_TYPES: Final[dict[str, tuple[builtins.int, Any, str]]] = {
    "float32": (types_pb2.DT_FLOAT, np.float32, "f"),
    "float64": (types_pb2.DT_DOUBLE, np.float64, "f"),
    "int32": (types_pb2.DT_INT32, np.int32, "i"),
    "uint8": (types_pb2.DT_UINT8, np.uint8, "u"),
    "int16": (types_pb2.DT_INT16, np.int16, "i"),
    "int8": (types_pb2.DT_INT8, np.int8, "i"),
    "string": (types_pb2.DT_STRING, object, "s"),
    "complex64": (types_pb2.DT_COMPLEX64, np.complex64, "c"),
    "int64": (types_pb2.DT_INT64, np.int64, "i"),
    "bool": (types_pb2.DT_BOOL, np.bool_, "b"),
    "qint8": (types_pb2.DT_QINT8, _np_qint8, "q"),
    "quint8": (types_pb2.DT_QUINT8, _np_quint8, "q"),
    "qint32": (types_pb2.DT_QINT32, _np_qint32, "q"),
    "bfloat16": (types_pb2.DT_BFLOAT16, ml_dtypes.bfloat16, "f"),
    "qint16": (types_pb2.DT_QINT16, _np_qint16, "q"),
    "quint16": (types_pb2.DT_QUINT16, _np_quint16, "q"),
    "uint16": (types_pb2.DT_UINT16, np.uint16, "u"),
    "complex128": (types_pb2.DT_COMPLEX128, np.complex128, "c"),
    "float16": (types_pb2.DT_HALF, np.float16, "f"),
    "resource": (types_pb2.DT_RESOURCE, None, "h"),
    "variant": (types_pb2.DT_VARIANT, None, "h"),
    "uint32": (types_pb2.DT_UINT32, np.uint32, "u"),
    "uint64": (types_pb2.DT_UINT64, np.uint64, "u"),
    "float8_e5m2": (types_pb2.DT_FLOAT8_E5M2, ml_dtypes.float8_e5m2, "F"),
    "float8_e4m3fn": (types_pb2.DT_FLOAT8_E4M3FN, ml_dtypes.float8_e4m3fn, "F"),
    "float8_e4m3fnuz": (types_pb2.DT_FLOAT8_E4M3FNUZ, ml_dtypes.float8_e4m3fnuz, "F"),
    "float8_e4m3b11fnuz": (types_pb2.DT_FLOAT8_E4M3B11FNUZ, ml_dtypes.float8_e4m3b11fnuz, "F"),
    "float8_e5m2fnuz": (types_pb2.DT_FLOAT8_E5M2FNUZ, ml_dtypes.float8_e5m2fnuz, "F"),
    "int4": (types_pb2.DT_INT4, ml_dtypes.int4, "I"),
    "uint4": (types_pb2.DT_UINT4, ml_dtypes.uint4, "U"),
    "int2": (types_pb2.DT_INT2, ml_dtypes.int2, "I"),
    "uint2": (types_pb2.DT_UINT2, ml_dtypes.uint2, "U"),
    "float4_e2m1fn": (types_pb2.DT_FLOAT4_E2M1FN, ml_dtypes.float4_e2m1fn, "F"),
}

# Intensity ranges of `DType.limits`: an image convention for floats, the value range for integers.
_LIMITS: Final[dict[Any, tuple[Any, Any]]] = {
    np.bool_: (False, True),
    np.uint8: (0, 2**8 - 1),
    np.uint16: (0, 2**16 - 1),
    np.uint32: (0, 2**32 - 1),
    np.uint64: (0, 2**64 - 1),
    np.int8: (-(2**7), 2**7 - 1),
    np.int16: (-(2**15), 2**15 - 1),
    np.int32: (-(2**31), 2**31 - 1),
    np.int64: (-(2**63), 2**63 - 1),
    np.float32: (-1, 1),
    np.float64: (-1, 1),
}

_INTERNED: Final[dict[builtins.int, DType]] = {}


NO_NUMPY_TYPE: Final = "has no numpy type"
"""What a KeyError says of a handle or a variant, of which there are no arrays."""


class DType:
    """Element type of a tensor, or of a reference to one (`*_ref`).

    Every type exists once, so `is` compares them; `==` also accepts whatever `as_dtype` accepts.
    `DType(number)` returns the interned object of a `DataType` number.

    Attributes:
        name: `"float32"`, `"float32_ref"`, ...
        as_datatype_enum: `DataType` number.
        size: Bytes an element takes in memory; 0 for strings and handles.
        base_dtype: The type referred to, `self` for a type that is no reference.
        is_bool: Whether this is `bool`.
        is_complex: Whether this is a complex type.
        is_floating: Whether this is a non-quantized real floating point type.
        is_integer: Whether this is a non-quantized integer type.
        is_numeric: Whether arithmetic is defined on it; not so for types under a byte and the
            8-bit floats.
        is_quantized: Whether this is a quantized type.
        is_unsigned: Whether this is a non-quantized unsigned integer type.
        is_numpy_compatible: Whether `as_numpy_dtype` exists.

    Raises:
        TypeError: The number names no type.
    """

    __slots__ = (
        "_as_ref",
        "_is_ref_dtype",
        "_numpy",
        "as_datatype_enum",
        "base_dtype",
        "is_bool",
        "is_complex",
        "is_floating",
        "is_integer",
        "is_numeric",
        "is_numpy_compatible",
        "is_quantized",
        "is_unsigned",
        "name",
        "size",
    )

    name: str
    as_datatype_enum: builtins.int
    size: builtins.int
    base_dtype: DType
    is_bool: builtins.bool
    is_complex: builtins.bool
    is_floating: builtins.bool
    is_integer: builtins.bool
    is_numeric: builtins.bool
    is_numpy_compatible: builtins.bool
    is_quantized: builtins.bool
    is_unsigned: builtins.bool
    _as_ref: DType
    _is_ref_dtype: builtins.bool
    _numpy: Any

    def __new__(cls, type_enum: builtins.int) -> DType:
        """Return the interned type of a `DataType` number."""
        try:
            return _INTERNED[builtins.int(type_enum)]
        except KeyError:
            raise TypeError(
                f"{type_enum} does not correspond to a valid tensorflow::DataType"
            ) from None

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"DType is immutable; cannot set {name!r} of {self!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"DType is immutable; cannot delete {name!r} of {self!r}")

    @property
    def real_dtype(self) -> DType:
        """Type of the real part; `self` for a type that is not complex."""
        if self.base_dtype is complex64:
            return float32
        if self.base_dtype is complex128:
            return float64
        return self

    @property
    def as_numpy_dtype(self) -> Any:
        """Numpy scalar type, or a record dtype for a quantized type; `object` for strings.

        Raises:
            KeyError: Resources and variants have no numpy type.
        """
        if self._numpy is None:
            raise KeyError(f"{self.name} {NO_NUMPY_TYPE}")
        return self._numpy

    @property
    def min(self) -> Any:
        """Least finite value, as a numpy scalar or an int.

        Raises:
            TypeError: The type is not ordered or is quantized.
        """
        return self._bound("min", "minimum")

    @property
    def max(self) -> Any:
        """Greatest finite value, as a numpy scalar or an int.

        Raises:
            TypeError: The type is not ordered or is quantized.
        """
        return self._bound("max", "maximum")

    def _bound(self, field: str, what: str) -> Any:
        base = self.base_dtype
        if self.is_quantized or base in (bool, string, complex64, complex128):
            kind = "quantized type" if self.is_quantized else "type"
            raise TypeError(f"Cannot find {what} value of {self} with {kind} {base}.")
        if self.is_floating:
            return getattr(_finfo(self._numpy), field)
        if self.is_integer:
            return getattr(_iinfo(self._numpy), field)
        raise TypeError(f"Cannot find {what} value of {self}.")

    @property
    def limits(self) -> tuple[Any, Any]:
        """Intensity range of an image of this type, its negative part clipped away.

        Raises:
            ValueError: The type has no such range.
        """
        bounds = _LIMITS.get(self.as_numpy_dtype)
        if bounds is None:
            raise ValueError(f"{self} does not have defined limits.")
        return 0, bounds[1]

    def is_compatible_with(self, other: Any) -> builtins.bool:
        """Whether a value of type `other` is accepted where this type is asked for.

        A reference is accepted as its base type, not the other way round.

        Raises:
            TypeError: `other` is no type.
        """
        other = as_dtype(other)
        return self is other or self is other.base_dtype

    def __eq__(self, other: object) -> builtins.bool:
        if self is other:
            return True
        if other is None or type(other) is DType:
            return False
        try:
            return self is as_dtype(other)
        except TypeError:
            return False

    def __ne__(self, other: object) -> builtins.bool:
        return not self.__eq__(other)

    def __hash__(self) -> builtins.int:
        return self.as_datatype_enum

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>"

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return as_dtype, (self.name,)


def _intern(name: str, number: builtins.int, numpy_type: Any, kind: str) -> DType:
    """Create a type and its reference type; the only place that makes `DType` objects."""
    base: DType = object.__new__(DType)
    ref: DType = object.__new__(DType)
    for dtype, is_ref in ((base, False), (ref, True)):
        fields: dict[str, Any] = {
            "name": f"{name}_ref" if is_ref else name,
            "as_datatype_enum": number + _REF_OFFSET if is_ref else number,
            "size": 0 if kind in "sh" else np.dtype(numpy_type).itemsize,
            "base_dtype": base,
            "is_bool": kind == "b",
            "is_complex": kind == "c",
            "is_floating": kind in "fF",
            "is_integer": kind in "iuIU",
            "is_numeric": kind in "fiucq",
            "is_numpy_compatible": kind != "h",
            "is_quantized": kind == "q",
            "is_unsigned": kind in "uU",
            "_as_ref": ref,
            "_is_ref_dtype": is_ref,
            "_numpy": np.object_ if is_ref and kind == "s" else numpy_type,
        }
        for field, value in fields.items():
            object.__setattr__(dtype, field, value)
        _INTERNED[dtype.as_datatype_enum] = dtype
    return base


_BY_NAME: Final[dict[str, DType]] = {
    name: _intern(name, number, numpy_type, kind)
    for name, (number, numpy_type, kind) in _TYPES.items()
}
_BY_NAME.update({dtype.name: dtype for dtype in _INTERNED.values() if dtype._is_ref_dtype})

float16 = half = _BY_NAME["float16"]
float32 = _BY_NAME["float32"]
float64 = double = _BY_NAME["float64"]
bfloat16 = _BY_NAME["bfloat16"]
float8_e5m2 = _BY_NAME["float8_e5m2"]
float8_e4m3fn = _BY_NAME["float8_e4m3fn"]
float8_e4m3fnuz = _BY_NAME["float8_e4m3fnuz"]
float8_e4m3b11fnuz = _BY_NAME["float8_e4m3b11fnuz"]
float8_e5m2fnuz = _BY_NAME["float8_e5m2fnuz"]
float4_e2m1fn = _BY_NAME["float4_e2m1fn"]
int2 = _BY_NAME["int2"]
int4 = _BY_NAME["int4"]
int8 = _BY_NAME["int8"]
int16 = _BY_NAME["int16"]
int32 = _BY_NAME["int32"]
int64 = _BY_NAME["int64"]
uint2 = _BY_NAME["uint2"]
uint4 = _BY_NAME["uint4"]
uint8 = _BY_NAME["uint8"]
uint16 = _BY_NAME["uint16"]
uint32 = _BY_NAME["uint32"]
uint64 = _BY_NAME["uint64"]
complex64 = _BY_NAME["complex64"]
complex128 = _BY_NAME["complex128"]
bool = _BY_NAME["bool"]
string = _BY_NAME["string"]
qint8 = _BY_NAME["qint8"]
quint8 = _BY_NAME["quint8"]
qint16 = _BY_NAME["qint16"]
quint16 = _BY_NAME["quint16"]
qint32 = _BY_NAME["qint32"]
resource = _BY_NAME["resource"]
variant = _BY_NAME["variant"]

QUANTIZED_DTYPES: Final = frozenset(t for t in _INTERNED.values() if t.is_quantized)

_BY_NAME["half"] = float16
_BY_NAME["half_ref"] = float16._as_ref
_BY_NAME["float"] = float32
_BY_NAME["float_ref"] = float32._as_ref
_BY_NAME["double"] = float64
_BY_NAME["double_ref"] = float64._as_ref

# Keys are scalar types, except for the record dtypes of the quantized types.
_FROM_NUMPY: Final[dict[Any, DType]] = {
    dtype._numpy: dtype for dtype in _INTERNED.values() if not dtype._is_ref_dtype and dtype.size
}
_FROM_NUMPY.update({np.object_: string, np.bytes_: string, np.str_: string})
for _platform_int in (np.intc, np.uintc, np.int_, np.uint, np.longlong, np.ulonglong):
    # Several C integer types share a width; numpy keeps a scalar type for each.
    _FROM_NUMPY.setdefault(_platform_int, _BY_NAME[np.dtype(_platform_int).name])
if hasattr(np.dtypes, "StringDType"):
    _FROM_NUMPY[np.dtypes.StringDType()] = string

_FROM_ANY: Final[dict[Any, DType]] = {
    **_INTERNED,
    **_BY_NAME,
    **_FROM_NUMPY,
    builtins.float: float32,
    builtins.bool: bool,
    builtins.object: string,
}


def as_dtype(type_value: Any) -> DType:
    """Convert a type in any of its spellings to a `DType`.

    Args:
        type_value: A `DType`, a `DataType` number, a name, a numpy dtype or scalar type, `float`,
            `bool`, `object`, or anything with a `dtype` attribute that numpy understands.

    Raises:
        TypeError: It names no element type.
    """
    if type(type_value) is DType:
        return type_value
    if isinstance(type_value, np.dtype):
        found = _FROM_NUMPY.get(type_value.type)
        if found is not None:
            return found
    try:
        return _FROM_ANY[type_value]
    except (KeyError, TypeError):  # TypeError: the value is not hashable
        pass
    if hasattr(type_value, "dtype"):
        try:
            return _FROM_NUMPY[np.dtype(type_value.dtype).type]
        except (KeyError, TypeError):
            pass
    raise TypeError(
        f"Cannot convert the argument `type_value`: {type_value!r} to a TensorFlow DType."
    )
