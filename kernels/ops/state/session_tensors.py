"""Kernels of tensors that a session keeps between its steps."""

from __future__ import annotations

from collections.abc import Callable
from sys import getrefcount
from typing import Any

import numpy as np

from dataflow.errors import InternalError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.resources import HANDED_OVER, snapshot
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.contract.type_names import type_name
from dataflow.values.dtypes import DType


@kernel("GetSessionHandle", host_outputs=("handle",))
def get_session_handle(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """Keeps a snapshot of the value."""
    kept, name, device, dtype = node.session_tensors, node.name, node.device, node.attr("T")

    def run(value: Any) -> Any:
        is_handed_over = getrefcount(value) <= HANDED_OVER
        handle = np.empty((), object)
        handle[()] = kept.keep(name, device, (dtype, snapshot(value, is_handed_over)))
        return handle

    return run


@kernel("GetSessionTensor", host_inputs=("handle",))
def get_session_tensor(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """The value that is kept."""
    kept, wanted, name = node.session_tensors, node.attr("dtype"), node.name

    def run(handle: Any) -> Any:
        held: tuple[DType, Any] = kept.get(_text(handle))
        dtype, value = held
        if dtype is not wanted:
            raise InternalError(
                None,
                None,
                f"Output 0 of type {type_name(dtype)} does not match declared output type "
                f"{type_name(wanted)} for node {{{{node {name}}}}}",
            )
        return value

    return run


@kernel("DeleteSessionTensor", host_inputs=("handle",))
def delete_session_tensor(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """Forgets the value."""
    kept = node.session_tensors
    return lambda handle: kept.delete(_text(handle))


def _text(handle: Any) -> bytes:
    if np.ndim(handle):
        raise invalid(f"A handle is a scalar, not a tensor of shape {shape_text(np.shape(handle))}")
    return bytes(np.asarray(handle, object).item())
