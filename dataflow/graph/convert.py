"""convert_to_tensor and the registry behind it: what kinds of values can become tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dataflow.graph.tensor import Tensor
from dataflow.graph.tracebacks import shorten
from dataflow.values import dtypes
from dataflow.values.dtypes import DType

ConversionFunction = Callable[..., Any]
"""`f(value, dtype=None, name=None, as_ref=False)`; NotImplemented passes the value on."""

_CONVERSIONS: list[tuple[int, int, Any, ConversionFunction]] = []


def register_tensor_conversion_function(
    base_type: Any, conversion_func: ConversionFunction, priority: int = 100
) -> None:
    """Registers how values of a type become tensors.

    Args:
      base_type: A class or a tuple of classes.
      conversion_func: `f(value, dtype, name, as_ref)`; NotImplemented lets the next one try.
      priority: Lower goes first; registration order decides among equals.

    Raises:
      TypeError: `base_type` is not a class or tuple of classes, or the function not callable.
    """
    types = base_type if isinstance(base_type, tuple) else (base_type,)
    if not all(isinstance(t, type) for t in types):
        raise TypeError("base_type must be a type or a tuple of types.")
    if not callable(conversion_func):
        raise TypeError("conversion_func must be callable.")
    _CONVERSIONS.append((priority, len(_CONVERSIONS), types, conversion_func))
    _CONVERSIONS.sort(key=lambda entry: entry[:2])


def convert_to_tensor(
    value: Any,
    dtype: Any = None,
    name: str | None = None,
    preferred_dtype: Any = None,
    dtype_hint: Any = None,
    as_ref: bool = False,
) -> Tensor:
    """Converts a value to a tensor.

    Args:
      value: A tensor, variable, numpy array, Python number, string, list, ...
      dtype: Element type the result must have.
      name: Name of the operation that may have to be made.
      preferred_dtype: Element type tried first where `dtype` is None; it need not succeed.
      dtype_hint: Like `preferred_dtype`, which it goes before.
      as_ref: Whether a variable gives its reference rather than its value.

    Raises:
      TypeError: No conversion is registered for the value's type, or it fails with this dtype.
      ValueError: A tensor of another dtype is passed, or the value has no fixed shape.
      RuntimeError: A conversion function gives something of another type than asked for.
    """
    try:
        wanted = None if dtype is None else dtypes.as_dtype(dtype)
        if isinstance(value, Tensor):
            return _checked(value, wanted, name)
        preferred = dtype_hint if dtype_hint is not None else preferred_dtype
        return _converted(value, wanted, name, preferred, as_ref)
    except Exception as error:
        shorten(error)
        raise


def _converted(
    value: Any, wanted: DType | None, name: str | None, preferred: Any, as_ref: bool
) -> Tensor:
    for _, _, types, function in _CONVERSIONS:
        if not isinstance(value, types):
            continue
        if wanted is None and preferred is not None:
            result = _convert_as_preferred(function, value, preferred, name, as_ref)
            if result is not None:
                return result
        result = function(value, dtype=wanted, name=name, as_ref=as_ref)
        if result is NotImplemented:
            continue
        if not isinstance(result, Tensor):
            raise RuntimeError(
                f"{_prefix(name)}Conversion function {function!r} for type {types} returned "
                f"non-Tensor: {result!r}"
            )
        if wanted is not None and not wanted.is_compatible_with(result.dtype):
            raise RuntimeError(
                f"{_prefix(name)}Conversion function {function!r} for type {types} returned "
                f"incompatible dtype: requested = {wanted.base_dtype.name}, "
                f"actual = {result.dtype.name}"
            )
        return result
    raise TypeError(
        f"{_prefix(name)}Cannot convert {value!r} with type {type(value)} to Tensor: "
        "no conversion function registered."
    )


def _checked(value: Tensor, wanted: DType | None, name: str | None) -> Tensor:
    if wanted is not None and not wanted.is_compatible_with(value.dtype):
        raise ValueError(
            f"{_prefix(name)}Tensor conversion requested dtype {wanted.name} for Tensor with dtype "
            f"{value.dtype.name}: {value!r}"
        )
    return value


def _convert_as_preferred(
    function: ConversionFunction, value: Any, preferred: Any, name: str | None, as_ref: bool
) -> Tensor | None:
    dtype = dtypes.as_dtype(preferred)
    try:
        result = function(value, dtype=dtype, name=name, as_ref=as_ref)
    except (TypeError, ValueError):
        return None
    if isinstance(result, Tensor) and result.dtype.base_dtype == dtype.base_dtype:
        return result
    return None


def _prefix(name: str | None) -> str:
    return f"{name}: " if name else ""


def convert_n_to_tensor(
    values: Sequence[Any],
    dtype: Any = None,
    name: str | None = None,
    preferred_dtype: Any = None,
    as_ref: bool = False,
) -> list[Tensor]:
    """Converts several values, naming what is made `name_0`, `name_1`, ...

    Raises:
      TypeError: `values` is no sequence.
    """
    if not isinstance(values, Sequence):
        raise TypeError("values must be a sequence.")
    return [
        convert_to_tensor(
            value,
            dtype=dtype,
            name=None if name is None else f"{name}_{index}",
            preferred_dtype=preferred_dtype,
            as_ref=as_ref,
        )
        for index, value in enumerate(values)
    ]


def is_dense_tensor_like(value: Any) -> bool:
    """True for tensors and for objects, such as variables, that stand for one."""
    return isinstance(value, Tensor) or getattr(value, "_is_dense_tensor_like", False) is True
