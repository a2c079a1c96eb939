"""Hyperparameters as messages: HParamDef."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dataflow.proto.hparam_pb2 import HParamDef


def field_name(kind: type, is_list: bool) -> str:
    """The field of HParamType that keeps values of a type, as "int64_list".

    Raises:
      ValueError: If there is none.
    """
    for name, kinds in (
        ("bool", (bool,)),
        ("int64", (int,)),
        ("bytes", (str, bytes)),
        ("float", (float,)),
    ):
        if issubclass(kind, kinds):
            return f"{name}_{'list' if is_list else 'value'}"
    raise ValueError(f"Unsupported parameter type: {kind}")


def written(values: Mapping[str, Any], types: Mapping[str, tuple[type, bool]]) -> HParamDef:
    """A message of values.

    Args:
      values: By name.
      types: Of each the type, or that of its elements, and whether it is a list.

    Raises:
      ValueError: If a value is of a type that has no field.
    """
    made = HParamDef()
    for name, (kind, is_list) in types.items():
        field = field_name(kind, is_list)
        value = values[name]
        if field.startswith("bytes"):
            value = [_bytes(each) for each in value] if is_list else _bytes(value)
        if is_list:
            getattr(made.hparam[name], field).value.extend(value)
        else:
            setattr(made.hparam[name], field, value)
    return made


def read(message: HParamDef) -> Iterator[tuple[str, Any]]:
    """Names and values of a message; bytes become strings.

    Raises:
      TypeError: If it is none.
    """
    if not isinstance(message, HParamDef):
        raise TypeError(f"hparam_def must be an HParamDef, not {message!r}.")
    for name, held in message.hparam.items():
        field = held.WhichOneof("kind")
        if field is None:
            raise ValueError(f"The HParamDef has no value of hyperparameter {name}.")
        value = getattr(held, field)
        values = list(value.value) if field.endswith("_list") else [value]
        if field.startswith("bytes"):
            values = [each.decode() for each in values]
        yield name, values if field.endswith("_list") else values[0]


def _bytes(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else value
