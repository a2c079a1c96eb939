"""What is no array but can be read as one becomes a constant, as in TensorFlow."""

from __future__ import annotations

import array
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.words import as_in_tensorflow_1

_VALUES = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)


class _Named:
    def __repr__(self) -> str:
        return type(self).__name__


class _ByMethod(_Named):
    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return _VALUES if dtype is None else _VALUES.astype(dtype)


class _ByInterface(_Named):
    __array_interface__ = _VALUES.__array_interface__


_MAKERS: dict[str, Callable[[], Any]] = {
    "__array__": _ByMethod,
    "__array_interface__": _ByInterface,
    "a buffer": lambda: array.array("f", [1.0, 2.0]),
    "a view": lambda: memoryview(_VALUES),
    "in a list": lambda: [_ByMethod(), _ByInterface()],
    "buffers in a list": lambda: [array.array("i", [1]), array.array("i", [2])],
}


@pytest.mark.parametrize("dtype", [None, "float32", "float64"])
@pytest.mark.parametrize("kind", _MAKERS)
def test_a_constant(kind: str, dtype: str | None) -> None:
    ours, theirs = (_constant(library, _MAKERS[kind](), dtype) for library in (tf, oracle))
    assert ours == theirs


def _constant(library: Any, value: Any, dtype: str | None) -> Any:
    with library.Graph().as_default():
        try:
            node = library.constant(value, dtype).op.node_def
        except (TypeError, ValueError) as error:
            return type(error), as_in_tensorflow_1(str(error))
    return oracle.NodeDef.FromString(node.SerializeToString())


@pytest.mark.parametrize("values", [_VALUES, [1, 2], "text"], ids=["floats", "integers", "string"])
def test_a_message_has_its_own_type_and_shape(values: Any) -> None:
    nodes = []
    for library in (tf, oracle):
        message = library.make_tensor_proto(values)
        with library.Graph().as_default():
            constants = [
                library.constant(message),
                library.constant(message, library.float64, [4, 1]),
                library.convert_to_tensor(message),
            ]
            with pytest.raises(RuntimeError, match="requested = float64"):
                library.convert_to_tensor(message, library.float64)
        nodes.append(
            [oracle.NodeDef.FromString(x.op.node_def.SerializeToString()) for x in constants]
        )
    assert nodes[0] == nodes[1]
