"""Kernels that call Python functions of the program, and make tensors of what these return."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from dataflow.errors import (
    InternalError,
    InvalidArgumentError,
    OpError,
    OutOfRangeError,
    ResourceExhaustedError,
    UnimplementedError,
    UnknownError,
)
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.type_names import type_name
from dataflow.values.dtypes import DType, as_dtype

_ERRORS: Final[tuple[tuple[type[Exception], Any], ...]] = (
    (ValueError, InvalidArgumentError),
    (TypeError, InvalidArgumentError),
    (StopIteration, OutOfRangeError),
    (MemoryError, ResourceExhaustedError),
    (NotImplementedError, UnimplementedError),
)
"""What becomes of an exception; of all others UnknownError."""


@kernel("PyFunc", "PyFuncStateless", "EagerPyFunc", device="CPU", needs_step=True, cost=1e-3)
def py_func(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """Needs a step, so that it is never computed beforehand, where the function may not be."""
    token = node.attr("token").decode(errors="backslashreplace")
    find, types = node.python_functions.find, tuple(node.output_dtypes)

    def run(step: Any, *inputs: Any) -> Any:
        function = find(token)
        if function is None:
            unknown = ValueError(f"Could not find callback with key={token} in the registry.")
            raise _as_op_error(unknown)
        given = list(map(_own, inputs))
        try:
            returned = function.call(*given)
        except Exception as error:
            raise _as_op_error(error) from error
        values = _tensors(returned)
        if len(values) != len(types):
            raise invalid(
                f"{token} returns {len(values)} values, but expects to see {len(types)} values."
            )
        for place, (value, dtype) in enumerate(zip(values, types, strict=True)):
            _check_type(token, place, value, dtype)
        return tuple(values) if len(values) > 1 else values[0] if values else None

    kept: list[Any] = []

    def once(step: Any) -> Any:
        if not kept:
            kept.append(run(step))
        return kept[0]

    return once if node.op == "PyFuncStateless" and not node.input_dtypes else run


def _own(value: Any) -> Any:
    """An input as the function gets it: it may write to arrays; those of shape [] are scalars."""
    if type(value) is not np.ndarray:
        return value
    return np.array(value) if value.ndim else value[()]


def _tensors(returned: Any) -> list[Any]:
    """What a function has returned, as tensors."""
    if returned is None:
        return []
    if isinstance(returned, (tuple, list)):
        return list(map(_tensor, returned))
    return [_tensor(returned)]


def _tensor(value: Any) -> Any:
    """An array or scalar that nobody else holds."""
    try:
        array = np.array(value, order="C")
    except Exception as error:
        raise _as_op_error(error) from error
    if array.dtype.kind in "SUO":
        # numpy's strings have a fixed width, and drop zeros at their ends.
        array = _encoded(np.asarray(value, object))
    return array if array.ndim or array.dtype == object else array[()]


def _encoded(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Texts as bytes."""
    made = np.empty(array.shape, object)
    flat = made.reshape(-1)
    for place, item in enumerate(array.reshape(-1).tolist()):
        if isinstance(item, str):
            item = item.encode(errors="surrogateescape")
        if not isinstance(item, bytes):
            raise InternalError(None, None, f"Unsupported object type {type(item).__name__}")
        flat[place] = item
    return made


def _check_type(token: str, place: int, value: Any, dtype: DType) -> None:
    try:
        found = type_name(as_dtype("string" if value.dtype == object else value.dtype))
    except TypeError:
        text = f"Unsupported numpy data type {value.dtype}"
        raise InternalError(None, None, text) from None
    if found != type_name(dtype):
        raise invalid(
            f"{place}-th value returned by {token} is {found}, but expects {type_name(dtype)}"
        )


def _as_op_error(error: Exception) -> OpError:
    """The error of a step for one that a function has raised, with the way through the function."""
    kind = next((made for raised, made in _ERRORS if isinstance(error, raised)), UnknownError)
    # The first frame is the one above.
    trace = error.__traceback__ and error.__traceback__.tb_next
    lines: Sequence[str] = traceback.format_exception(type(error), error, trace)
    text = f"{type(error).__name__}: {error}\n" + "\n".join(lines) + "\n"
    made: OpError = kind(None, None, text)
    return made
