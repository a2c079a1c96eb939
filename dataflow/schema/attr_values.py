"""Python values passed for attrs, checked and brought into their decoded form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.proto.attr_value_pb2 import NameAttrList as NameAttrListProto
from dataflow.proto.tensor_pb2 import TensorProto
from dataflow.schema.arguments import AttrDef
from dataflow.values import dtypes, tensor_proto
from dataflow.values.attrs import NameAttrList
from dataflow.values.shapes import TensorShape, as_shape


def make_attr(op: str, attr: AttrDef, value: Any) -> Any:
    """The decoded form of a value passed for an attr.

    Raises:
      TypeError: The value is of another kind than the attr.
      ValueError: The value is not among those the attr allows.
    """
    if not attr.kind.startswith("list("):
        made = _MAKERS[attr.kind](value, attr.name)
        _check_value(op, attr, made)
        return made
    if not isinstance(value, (list, tuple)):
        if not isinstance(value, (np.ndarray, TensorShape)):
            raise TypeError(
                f"Expected list for attr {attr.name}, obtained {type(value).__name__} instead."
            )
        value = list(value)
    maker = _MAKERS[attr.kind[5:-1]]
    items = tuple(maker(item, attr.name) for item in value)
    if attr.minimum is not None and len(items) < attr.minimum:
        raise ValueError(
            f"Attr '{attr.name}' of '{op}' Op passed list of length {len(items)} less than minimum "
            f"{attr.minimum}."
        )
    for item in items:
        _check_allowed(op, attr, item)
    return items


def _check_value(op: str, attr: AttrDef, value: Any) -> None:
    _check_allowed(op, attr, value)
    if attr.minimum is not None and value < attr.minimum:
        raise ValueError(
            f"Attr '{attr.name}' of '{op}' Op passed {value} less than minimum {attr.minimum}."
        )


def _check_allowed(op: str, attr: AttrDef, value: Any) -> None:
    if attr.allowed is None or value in attr.allowed:
        return
    if isinstance(value, bytes):
        allowed = '", "'.join(v.decode() for v in attr.allowed_in_order)
        raise ValueError(
            f"Attr '{attr.name}' of '{op}' Op passed string '{value.decode()}' not in: "
            f'"{allowed}".'
        )
    raise TypeError(
        f"Value passed to parameter '{attr.name}' has DataType {value.name} not in list of "
        f"allowed values: {', '.join(d.name for d in attr.allowed_in_order)}"
    )


def _make_float(value: Any, name: str) -> float:
    if isinstance(value, (bool, str, bytes)) or not isinstance(value, (int, float, np.number)):
        raise TypeError(f"Expected float for argument '{name}' not {value!r}.")
    return float(np.float32(value)) if isinstance(value, float) else float(value)


def _make_int(value: Any, name: str) -> int:
    if isinstance(value, str):
        raise TypeError(f"Expected int for argument '{name}' not {value!r}.")
    try:
        return int(value)
    except (ValueError, TypeError):
        raise TypeError(f"Expected int for argument '{name}' not {value!r}.") from None


def _make_string(value: Any, name: str) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if not isinstance(value, bytes):
        raise TypeError(f"Expected string for argument '{name}' not {value!r}.")
    return value


def _make_bool(value: Any, name: str) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"Expected bool for argument '{name}' not {value!r}.")
    return bool(value)


def _make_type(value: Any, name: str) -> Any:
    try:
        return dtypes.as_dtype(value).base_dtype
    except TypeError:
        raise TypeError(f"Expected DataType for argument '{name}' not {value!r}.") from None


def _make_shape(value: Any, name: str) -> TensorShape:
    try:
        return as_shape(value)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"Error converting {name} to a TensorShape: {error}.") from None


def _make_tensor(value: Any, name: str) -> np.ndarray:
    if isinstance(value, TensorProto):
        return tensor_proto.decode_tensor(value)
    if isinstance(value, np.ndarray):
        return value
    raise TypeError(f"Don't know how to convert {value!r} to a TensorProto for argument '{name}'")


def _make_func(value: Any, name: str) -> NameAttrList:
    if isinstance(value, NameAttrList):
        return value
    if isinstance(value, NameAttrListProto):
        return NameAttrList.from_proto(value)
    if isinstance(value, (str, bytes)):
        return NameAttrList(_make_string(value, name).decode(), ())
    raise TypeError(f"Don't know how to convert {value!r} to a func for argument {name}")


_MAKERS: dict[str, Callable[[Any, str], Any]] = {
    "float": _make_float,
    "int": _make_int,
    "string": _make_string,
    "bool": _make_bool,
    "type": _make_type,
    "shape": _make_shape,
    "tensor": _make_tensor,
    "func": _make_func,
}
