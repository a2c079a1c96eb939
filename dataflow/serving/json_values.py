"""Tensors and examples from JSON and tensors as JSON, by TensorFlow Serving's rules."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, Final

import numpy as np

from dataflow.errors import InvalidArgumentError, UnimplementedError
from dataflow.proto.types_pb2 import DataType
from dataflow.serving.signatures import type_name
from dataflow.values.dtypes import as_dtype

_FLOATS: Final = frozenset(
    {DataType.DT_FLOAT, DataType.DT_DOUBLE, DataType.DT_HALF, DataType.DT_BFLOAT16}
)
_INTS: Final = frozenset(
    {
        *(DataType.DT_INT8, DataType.DT_INT16, DataType.DT_INT32, DataType.DT_INT64),
        *(DataType.DT_UINT8, DataType.DT_UINT16, DataType.DT_UINT32, DataType.DT_UINT64),
    }
)
_EXACT: Final = {DataType.DT_FLOAT: 2**24 - 1, DataType.DT_DOUBLE: 2**53 - 1}
"""The largest whole numbers that are certain to be kept."""
_SHOWN: Final = 200
"""Characters of a value that an error shows."""
_KINDS: Final = {dict: "Object", list: "Array", str: "String", int: "Number", float: "Number"}
_FAULTS: Final = {
    "Expecting value": "Invalid value.",
    "Extra data": "The document root must not be followed by other values.",
    "Expecting ',' delimiter": "Missing a comma or ] after an array element.",
    "Expecting ':' delimiter": "Missing a colon after a name of object member.",
    "Expecting property name enclosed in double quotes": "Missing a name for object member.",
    "Unterminated string starting at": "Missing a closing quotation mark in string.",
}


def parse_object(body: bytes) -> dict[str, Any]:
    """The JSON object of a request.

    Raises:
      InvalidArgumentError: It is none.
    """
    if not body:
        raise invalid("JSON Parse error: The document is empty")
    try:
        found = json.loads(body.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise invalid(
            f"JSON Parse error: Invalid encoding in string. at offset: {error.start}"
        ) from None
    except json.JSONDecodeError as error:
        told = _FAULTS.get(error.msg, f"{error.msg}.")
        raise invalid(f"JSON Parse error: {told} at offset: {error.pos}") from None
    except (RecursionError, ValueError) as error:
        raise invalid(f"JSON Parse error: {error}") from None
    if not isinstance(found, dict):
        raise invalid(f"JSON Value: {shown(found)} Is not object")
    return found


def shown(value: Any) -> str:
    """A value as errors show it."""
    try:
        text = json.dumps(value)
    except (ValueError, RecursionError):
        text = type(value).__name__
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def is_binary(value: Any) -> bool:
    """Whether a value is an object of base64."""
    return isinstance(value, dict) and len(value) == 1 and isinstance(value.get("b64"), str)


def decoded(value: Any) -> bytes:
    """The bytes of an object of base64.

    Raises:
      InvalidArgumentError: It is none, or malformed.
    """
    if not is_binary(value):
        raise invalid(f"JSON Value: {shown(value)} not formatted correctly for base64 data")
    text = value["b64"].rstrip("=")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise invalid("Unable to base64 decode") from None


def array_of(value: Any, number: int) -> np.ndarray:
    """The tensor that nested lists describe.

    Args:
      value: A value, or lists of lists of values.
      number: The element type, as messages have it.

    Raises:
      InvalidArgumentError: The lists are ragged, or a value is not of the type.
      UnimplementedError: Values of this type cannot be written in JSON.
    """
    shape, leaf = [], value
    while isinstance(leaf, list):
        shape.append(len(leaf))
        if not leaf:
            break
        leaf = leaf[0]
    if len(shape) > 254:
        raise invalid(f"Encountered list at unexpected level: {len(shape)} expected < 254")
    flat = [value]
    for level, size in enumerate(shape):
        for each in flat:
            _check_list(each, level, size, len(shape))
        flat = list(chain.from_iterable(flat))
    if any(isinstance(each, list) for each in flat):
        raise invalid(f"Encountered list at unexpected level: {len(shape)} expected < {len(shape)}")
    return _leaves(flat, number).reshape(shape)


def _check_list(value: Any, level: int, size: int, rank: int) -> None:
    if not isinstance(value, list):
        raise invalid(
            f"JSON Value: {shown(value)} found at incorrect level: {level + 1} in the JSON DOM. "
            f"Expected at level: {rank}"
        )
    if len(value) != size:
        raise invalid(
            f"Encountered list at unexpected size: {len(value)} at level: {level} expected size: "
            f"{size}"
        )


def _leaves(flat: list[Any], number: int) -> np.ndarray:
    dtype = as_dtype(number).as_numpy_dtype
    kinds = set(map(type, flat))
    if number == DataType.DT_STRING:
        return _strings(flat, kinds)
    if number == DataType.DT_BOOL:
        _check_kinds(flat, kinds, {bool}, number)
    elif number in _FLOATS:
        _check_kinds(flat, kinds, {int, float}, number)
        _check_exact(flat, number)
    elif number in _INTS:
        _check_kinds(flat, kinds, {int}, number)
        bounds = np.iinfo(dtype)
        for each in flat:
            if not bounds.min <= each <= bounds.max:
                raise _type_error(each, number)
    else:
        value = shown(flat[0]) if flat else "[]"
        raise UnimplementedError(
            None, None, f"Conversion of JSON Value: {value} to type: {type_name(number)}"
        )
    return np.array(flat, dtype)


def _strings(flat: list[Any], kinds: set[type]) -> np.ndarray:
    array = np.empty([len(flat)], object)
    if kinds <= {str}:
        array[:] = [each.encode("utf-8", "surrogatepass") for each in flat]
        return array
    for index, each in enumerate(flat):
        if isinstance(each, str):
            array[index] = each.encode("utf-8", "surrogatepass")
        elif isinstance(each, dict):
            array[index] = decoded(each)
        else:
            raise _type_error(each, DataType.DT_STRING)
    return array


def _check_kinds(flat: list[Any], kinds: set[type], allowed: set[type], number: int) -> None:
    if not kinds <= allowed:
        raise _type_error(next(each for each in flat if type(each) not in allowed), number)


def _check_exact(flat: list[Any], number: int) -> None:
    most = _EXACT.get(number)  # type: ignore[call-overload]
    limit = float(as_dtype(number).max)
    for each in flat:
        if type(each) is int:
            lossy = abs(each) > (most if most is not None else limit)
        else:
            lossy = limit < abs(each) < float("inf")
        if lossy:
            kind = type_name(number)
            raise invalid(
                f"Cannot convert JSON value: {shown(each)} to {kind} without loss of precision."
            )


def _type_error(value: Any, number: int) -> InvalidArgumentError:
    kind = (
        {None: "Null", True: "True", False: "False"}.get(value)
        if value is None or isinstance(value, bool)
        else _KINDS[type(value)]
    )
    return invalid(
        f"JSON Value: {shown(value)} Type: {kind} is not of expected type: {type_name(number)}"
    )


def listed(array: np.ndarray, as_bytes: bool) -> Any:
    """A tensor as nested lists that `json.dumps` writes.

    Args:
      array: The tensor.
      as_bytes: Whether strings are written as base64.

    Raises:
      InvalidArgumentError: Values of this type cannot be written in JSON.
    """
    if array.dtype == object:
        flat: list[Any] = [
            {"b64": base64.b64encode(each).decode()}
            if as_bytes
            else bytes(each).decode("utf-8", "replace")
            for each in array.reshape(-1).tolist()
        ]
        values = np.empty([len(flat)], object)
        values[:] = flat
        return values.reshape(array.shape).tolist()
    number = as_dtype(array.dtype).as_datatype_enum
    if number in _FLOATS and number != DataType.DT_DOUBLE:
        return shortest(array.astype(np.float32)).tolist()
    if number in _INTS or number in (DataType.DT_BOOL, DataType.DT_DOUBLE):
        return array.tolist()
    raise invalid(f"Failed to write JSON value for tensor type: {type_name(number)}")


def shortest(array: np.ndarray) -> np.ndarray:
    """Float32 numbers as those doubles that print with the fewest digits that tell them apart."""
    wide = array.astype(np.float64)
    size = np.abs(wide)
    usual = (size > 1e-12) & (size < 1e15)
    if not usual.any():
        return wide
    numbers, kept = wide[usual], array[usual]
    found = numbers.copy()
    exponents = np.floor(np.log10(np.abs(numbers))).astype(np.int64)
    pending = np.ones(numbers.shape, bool)
    for digits in (6, 7, 8, 9):
        shift = digits - 1 - exponents
        up, down = 10.0 ** np.maximum(shift, 0), 10.0 ** np.maximum(-shift, 0)
        rounded = np.rint(numbers * up / down) * down / up
        good = pending & (rounded.astype(np.float32) == kept)
        found[good] = rounded[good]
        pending &= ~good
    wide[usual] = found
    return wide


def feature_lists(content: Mapping[str, Any]) -> dict[str, tuple[str, list[Any]]]:
    """The features of an example: the kind of list, and its values.

    Raises:
      InvalidArgumentError: A value has no place in an example.
    """
    found = {}
    for name, value in content.items():
        values = value if isinstance(value, list) else [value]
        kinds = [_feature(name, each) for each in values]
        for kind, _ in kinds:
            if kind != kinds[0][0]:
                told = {"bytes_list": "bytes", "float_list": "float", "int64_list": "int64"}
                raise invalid(
                    f"Unexpected element type in feature: {name} expecting type: "
                    f"{told[kinds[0][0]]}"
                )
        found[name] = (kinds[0][0] if kinds else "", [each for _, each in kinds])
    return found


def _feature(name: str, value: Any) -> tuple[str, Any]:
    if isinstance(value, bool):
        return "int64_list", int(value)
    if isinstance(value, int):
        if value >= 2**63:
            raise invalid(f"Feature: {name} has uint64 element. Only int64 is supported.")
        if value < -(2**63):
            raise invalid(f"Feature: {name} has an element below those of int64.")
        return "int64_list", value
    if isinstance(value, float):
        _check_exact([value], DataType.DT_FLOAT)
        return "float_list", value
    if isinstance(value, str):
        return "bytes_list", value.encode("utf-8", "surrogatepass")
    if is_binary(value):
        return "bytes_list", decoded(value)
    kind = "Null" if value is None else _KINDS[type(value)]
    raise invalid(f"Feature: {name} has element with unexpected JSON type: {kind}")


def dumped(value: Mapping[str, Any] | Sequence[Any]) -> bytes:
    """JSON as it is sent."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def invalid(message: str) -> InvalidArgumentError:
    """The error of a malformed request."""
    return InvalidArgumentError(None, None, message)
