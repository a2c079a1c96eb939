"""tf.py_function: a Python function on tensors whose values are at hand, with gradients."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

import numpy as np

from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.python.py_func import call_python
from dataflow.values.dtypes import DType, as_dtype
from dataflow.values.python import functions as python_functions

if TYPE_CHECKING:
    from dataflow.eager.at_hand import GraphAtHand

_KEPT: Final = 16
"""Calls whose gradients may still be asked for."""

_Call = tuple["GraphAtHand", list[Tensor], list[Tensor]]
_calls: Final[dict[str, deque[_Call]]] = {}
"""The last calls in this process, by the key of the function."""


class _Forward:
    """Calls a function with tensors that have the values of arrays."""

    def __init__(self, function: Callable[..., Any], types: Sequence[DType], key: str) -> None:
        self._function = function
        self._types = tuple(types)
        self._key = key
        self.__name__ = getattr(function, "__name__", "py_function")

    def __call__(self, *arrays: Any) -> Any:
        # Sessions are needed only where functions run.
        from dataflow.eager.at_hand import GraphAtHand

        graph = GraphAtHand()
        inputs = graph.place(arrays, [_dtype_of(array) for array in arrays])
        with graph.as_default():
            returned = self._function(*inputs)
            if returned is None:
                graph.run([])
                return None
            many = isinstance(returned, (list, tuple))
            values = returned if many else [returned]
            # As in TensorFlow, what is too much is not looked at.
            made = [_converted(v, d) for v, d in zip(values, self._types, strict=False)]
            outputs = [graph.own(tensor) for tensor in made]
        found = graph.run(outputs)
        _calls.setdefault(self._key, deque(maxlen=_KEPT)).append((graph, inputs, outputs))
        return found


class _Backward:
    """The gradients of the last call, which it forgets."""

    def __init__(self, key: str) -> None:
        self._key = key

    def __call__(self, *arrays: Any) -> Any:
        from dataflow.differentiation.gradients import gradients

        calls = _calls.get(self._key)
        if not calls:
            raise LookupError("The function whose gradients are asked for has not been called.")
        graph, inputs, outputs = calls.pop()
        with graph.as_default():
            floats = [place for place, t in enumerate(outputs) if t.dtype.is_floating]
            ys = [outputs[place] for place in floats]
            slopes = graph.place([arrays[place] for place in floats], [y.dtype for y in ys])
            found = gradients(ys, inputs, slopes) if ys else [None] * len(inputs)
            made = [
                convert_to_tensor(np.zeros(x.shape.as_list(), x.dtype.as_numpy_dtype))
                if slope is None
                else convert_to_tensor(slope)
                for slope, x in zip(found, inputs, strict=True)
            ]
        return graph.run(made)


def _dtype_of(array: Any) -> DType:
    if isinstance(array, bytes) or array.dtype == object:
        return as_dtype("string")
    return as_dtype(array.dtype)


def _converted(value: Any, dtype: DType) -> Tensor:
    from dataflow.variables.base import BaseVariable

    if isinstance(value, BaseVariable):
        raise RuntimeError(
            "Attempting to return a variable from an eagerly executed py_func. Only numeric data "
            "structures like Tensors or NumPy arrays should be returned; to return the value of a "
            "variable, make sure to obtain the Tensor backing it by calling `.read_value()` on the "
            f"variable in question: {value}"
        )
    return convert_to_tensor(value, dtype=dtype)


def py_function(func: Any = None, inp: Any = None, Tout: Any = None, name: Any = None) -> Any:
    """Wraps a Python function on tensors that have values as an operation.

    In the function each tensor has `.numpy()`, can be used as a Python bool or number, and
    operations give such tensors, too. Gradients pass through it where they pass through these
    operations. Each call of it makes a small graph: it is for what is hard to say otherwise, not
    for speed. Otherwise it is as `tf.py_func` says.

    Args:
      func: Takes a tensor for each of `inp`; returns a tensor or what converts to one, a list of
        them, or None for nothing.
      inp: Tensors.
      Tout: Element type of the result, or a list of those of several results.
      name: Name of the operation.

    Returns:
      A tensor, or a list of them if `Tout` is one; the operation if `Tout` is empty.

    Raises:
      ValueError: `func` is not callable. When run: see `tf.py_func`.
    """
    if not callable(func):
        raise ValueError(
            f"Expected func to be callable. Received func={func} of type {type(func)}."
        )
    is_list = isinstance(Tout, (list, tuple))
    types = [as_dtype(dtype) for dtype in (Tout if is_list else [Tout])]
    key = uuid4().hex
    function = python_functions.register(_Forward(func, types, key), _Backward(key))
    made = call_python("EagerPyFunc", function, inp, types, scopes.get_default_graph(), name)
    return made if is_list else made[0]


eager_py_func = py_function
