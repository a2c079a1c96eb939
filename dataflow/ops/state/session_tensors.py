"""Tensors that a session keeps between its steps, and the handles by which steps find them."""

from __future__ import annotations

from typing import Any

from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.placeholder import placeholder
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op
from dataflow.schema.shape_functions import no_outputs, scalar, unknown
from dataflow.values import devices, dtypes

define_op(
    "GetSessionHandle",
    inputs="value: T",
    outputs="handle: string",
    attrs=["T: type"],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    stateful=True,
    doc="Keeps a value in the session; gives its handle, 'node;number;device'.",
)

define_op(
    "GetSessionTensor",
    inputs="handle: string",
    outputs="value: dtype",
    attrs=["dtype: type"],
    shape=unknown,
    gradient=NOT_DIFFERENTIABLE,
    stateful=True,
    doc="The value that the session keeps under a handle.",
)

define_op(
    "DeleteSessionTensor",
    inputs="handle: string",
    shape=no_outputs,
    gradient=NOT_DIFFERENTIABLE,
    stateful=True,
    doc="Forgets the value that the session keeps under a handle.",
)


def get_session_handle(data: Any, name: str | None = None) -> Tensor:
    """Keeps a tensor where it is made, for later steps of the session.

    Fetched, it gives a handle object: `eval()` gives the value, `delete()` forgets it, `handle` is
    the text that `get_session_tensor` takes. The object may also be fed in place of a tensor.

    Args:
      data: The tensor.
      name: Name of the operation.

    Returns:
      A scalar string tensor, the handle.

    Raises:
      TypeError: `data` is no tensor.
    """
    if not isinstance(data, Tensor):
        raise TypeError("`data` must be of type Tensor.")
    with scopes.colocate_with(data):
        handle: Tensor = apply_op("GetSessionHandle", data, name=name)
    return handle


def get_session_tensor(handle: Any, dtype: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """A tensor that an earlier step of the session kept.

    Args:
      handle: The text of a handle; says on which device the tensor is.
      dtype: Element type of the tensor.
      name: Name of the operation.

    Returns:
      A placeholder for the text of a handle, and the tensor of the handle that is fed. If that
      one is kept on another device, it is moved first.

    Raises:
      ValueError: The text names no device.
    """
    with scopes.device(device_of(handle)):
        holder = placeholder(dtypes.string)
        return holder, apply_op("GetSessionTensor", holder, dtype=dtype, name=name)


def delete_session_tensor(handle: Any, name: str | None = None) -> tuple[Tensor, Operation]:
    """Forgets a tensor that an earlier step of the session kept.

    Args:
      handle: The text of a handle; says on which device the tensor is.
      name: Name of the operation.

    Returns:
      A placeholder for the text of a handle, and the operation that forgets its tensor.

    Raises:
      ValueError: The text names no device.
    """
    with scopes.device(device_of(handle)):
        holder = placeholder(dtypes.string)
        return holder, apply_op("DeleteSessionTensor", holder, name=name)


def device_of(handle: Any) -> str:
    """The device in the text of a handle.

    Raises:
      ValueError: It is none.
    """
    text = handle.decode() if isinstance(handle, bytes) else str(handle)
    return devices.canonical_name(text.split(";")[-1])
