"""How kernels reach a tensor array: a handle is the array itself, or a name that the step knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.errors import NotFoundError
from dataflow.kernels.contract.element_types import ANY
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import Bind, KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.lists.tensor_array import TensorArray
from dataflow.values import dtypes
from dataflow.values.dtypes import DType

WRITTEN: Final = (*ANY, dtypes.variant, dtypes.resource)
"""Element types that can be written."""


def _by_name(bind: Bind) -> Bind:
    """The kernel of an op whose handle is a name that the step knows."""

    def bind_old(node: KernelNode, xp: Any) -> Callable[..., Any]:
        call = bind(node, xp)
        return lambda step, handle, *inputs: call(find_array(step, handle), *inputs)

    return bind_old


def find_array(step: Any, handle: Any) -> TensorArray:
    """The array that a step knows by the name in a handle.

    Raises:
      InvalidArgumentError: The handle has another form.
      NotFoundError: The step has no such array.
    """
    names = np.asarray(handle).reshape(-1).tolist()
    if len(names) != 2:
        raise invalid(
            "Tensor array handle must be 2-element vector, but had shape: "
            f"{shape_text(np.shape(handle))}"
        )
    key = b"".join(names).decode(errors="backslashreplace")
    array: TensorArray | None = step.resources.lookup("", key, TensorArray)
    if array is None:
        raise NotFoundError(None, None, f"TensorArray {key} does not exist in this step.")
    return array


def keep_array(step: Any, array: TensorArray) -> TensorArray:
    """Lets the step know the array by name."""
    found: TensorArray = step.resources.lookup_or_create(
        "", array.container + array.name, TensorArray, lambda: array
    )
    return found


def array_of(handle: Any) -> TensorArray:
    """The array behind a handle of dtype resource, which may come from anywhere.

    Raises:
      InvalidArgumentError: The handle stands for something else.
    """
    if type(handle) is TensorArray:
        return handle
    raise invalid(
        "Trying to access resource using the wrong type. Expected tensorflow::TensorArray got "
        f"{type(handle).__name__}"
    )


def register_forms(name: str, **options: Any) -> Callable[[Bind], Bind]:
    """Registers a kernel for an op's three forms: handle as resource, as name, as reference."""

    def register(bind: Bind) -> Bind:
        kernel(f"{name}V3", name, **options)(bind)
        kernel(f"{name}V2", needs_step=True, **options)(_by_name(bind))
        return bind

    return register


def wrong_write(array: TensorArray, dtype: DType) -> Exception:
    """The error of a kernel that writes elements of another type."""
    return invalid(
        f"TensorArray dtype is {type_name(array.dtype)} but Op is trying to write dtype "
        f"{type_name(dtype)}."
    )


def wrong_read(array: TensorArray, dtype: DType) -> Exception:
    """The error of a kernel that reads elements of another type."""
    return invalid(
        f"TensorArray dtype is {type_name(array.dtype)} but Op requested dtype {type_name(dtype)}."
    )
