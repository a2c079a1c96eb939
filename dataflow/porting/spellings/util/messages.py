"""tensorflow.python.util.protobuf.compare: messages as tests compare them; and as JSON."""

from __future__ import annotations

import difflib
from typing import Any

import numpy as np
from google.protobuf import text_format

from dataflow.values.shapes import Dimension, TensorShape


def assertProtoEqual(
    self: Any,
    a: Any,
    b: Any,
    check_initialized: bool = True,
    normalize_numbers: bool = False,
    msg: str | None = None,
) -> None:
    """Two messages, or one and the text of one, are equal.

    Args:
      self: The test.
      a: A message, or its text.
      b: A message.
      check_initialized: Whether both must have what they require.
      normalize_numbers: Whether floats need be equal to six digits only.
      msg: What else to say if they are not.
    """
    if isinstance(a, str):
        a = text_format.Merge(a, type(b)())
    if check_initialized:
        for which, each in (("first", a), ("second", b)):
            if missing := each.FindInitializationErrors():
                self.fail(f"Initialization errors: {missing}\n{which}: {each}")
    if normalize_numbers:
        a, b = (
            NormalizeNumberFields(type(each).FromString(each.SerializeToString()))
            for each in (a, b)
        )
    first, second = (text_format.MessageToString(each) for each in (a, b))
    if first != second:
        lines = difflib.unified_diff(first.splitlines(), second.splitlines(), lineterm="")
        self.fail("\n".join([*([msg] if msg else []), *lines]))


def NormalizeNumberFields(pb: Any) -> Any:
    """A message, with its floats rounded to seven digits."""
    for field, value in pb.ListFields():
        kind = field.cpp_type
        repeated = not isinstance(value, (int, float, str, bytes)) and hasattr(value, "__len__")
        if kind in (field.CPPTYPE_FLOAT, field.CPPTYPE_DOUBLE):
            if repeated and not hasattr(value, "items"):
                value[:] = [float(f"{each:.6g}") for each in value]
            elif not repeated:
                setattr(pb, field.name, float(f"{value:.6g}"))
        elif kind == field.CPPTYPE_MESSAGE:
            items = value.values() if hasattr(value, "values") and repeated else value
            for each in items if repeated else [value]:
                if hasattr(each, "ListFields"):
                    NormalizeNumberFields(each)
    return pb


def ProtoEq(a: Any, b: Any) -> bool:
    """Whether two messages, or fields of ones, are equal."""
    return bool(a == b)


class ProtoAssertions:
    """What a test derives from that compares messages."""

    def assertProtoEqual(self, *args: Any, **kwargs: Any) -> None:
        """As the function of this name."""
        assertProtoEqual(self, *args, **kwargs)


def get_json_type(obj: Any) -> Any:
    """What JSON holds for a value that it has no type for.

    Raises:
      TypeError: There is nothing.
    """
    if hasattr(obj, "get_config"):
        return {"class_name": type(obj).__name__, "config": obj.get_config()}
    if type(obj).__module__ == np.__name__:
        return obj.tolist() if isinstance(obj, np.ndarray) else obj.item()
    if callable(obj) or isinstance(obj, type):
        return obj.__name__
    if isinstance(obj, Dimension):
        return obj.value
    if isinstance(obj, TensorShape):
        return obj.as_list()
    if isinstance(obj, dict):
        return {**obj}
    raise TypeError("Not JSON Serializable:", obj)
