"""Handles of tensors that a session keeps: what a fetched one is, and how one is fed."""

from __future__ import annotations

import dataclasses
import logging
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from dataflow.errors import InvalidArgumentError, OpError
from dataflow.graph.apply_op import apply_op
from dataflow.graph.graph import Graph
from dataflow.graph.tensor import Tensor
from dataflow.proto.resource_handle_pb2 import ResourceHandleProto
from dataflow.runtime.signature import StepSignature
from dataflow.session.errors import raise_with_details
from dataflow.session.fetches import FetchMap
from dataflow.session.link import SessionLink
from dataflow.values import devices, dtypes
from dataflow.values.dtypes import DType

_LOGGER = logging.getLogger("dataflow")

DEAD_HANDLES: Final = 10
"""So many tensors that no handle refers to are forgotten together."""

_Nodes = dict[tuple[str, ...], tuple[str, str]]
_nodes: weakref.WeakKeyDictionary[Graph, _Nodes] = weakref.WeakKeyDictionary()


class TensorHandle:
    """A tensor that a session keeps until this object is gone, or deletes it.

    Args:
      handle: Its text, "node;number;device".
      dtype: Element type of the tensor.
      link: The session that keeps it.
    """

    def __init__(self, handle: Any, dtype: DType, link: SessionLink) -> None:
        self._handle: str = handle.decode() if isinstance(handle, bytes) else str(handle)
        self._dtype = dtype
        self._link = link
        self._is_kept = True

    def __del__(self) -> None:
        # Garbage is collected at any moment: so only take a note.
        if self._is_kept:
            self._link.dead_handles.append(self._handle)

    def __str__(self) -> str:
        return self._handle

    @property
    def handle(self) -> str:
        """The text."""
        return self._handle

    def eval(self) -> Any:
        """The value of the tensor.

        Raises:
          TypeError: It was deleted, or its raw handle was taken.
          RuntimeError: The session is closed.
          OpError: The step fails.
        """
        self._check_kept()
        return _read(self._link, self._handle, self._dtype)

    def delete(self) -> None:
        """Forgets the tensor.

        Raises:
          TypeError: It was deleted, or its raw handle was taken.
          RuntimeError: The session is closed.
          OpError: The step fails.
        """
        self._check_kept()
        self._is_kept = False
        _delete(self._link, [self._handle])

    def get_raw_handle(self) -> str:
        """The text; from now on the caller sees to it that the tensor is forgotten."""
        self._is_kept = False
        return self._handle

    def to_numpy_array(self) -> np.ndarray:
        """A serialized `ResourceHandleProto` that stands for the tensor, as an array of bytes."""
        proto = ResourceHandleProto(
            device=self._handle.split(";")[-1], container="TensorHandle", name=self._handle
        )
        return np.frombuffer(proto.SerializeToString(), np.uint8)

    def text_array(self) -> np.ndarray:
        """The text, as it is fed to a placeholder for handles."""
        return _text_array(self._handle)

    def fed_to(self, tensor: Tensor) -> Any:
        """The value, to be fed in the place of a tensor.

        Raises:
          InvalidArgumentError: The element types differ, or the tensor is kept no more.
        """
        wanted = tensor.dtype.base_dtype
        if wanted is not self._dtype:
            raise InvalidArgumentError(
                None,
                None,
                f"The handle fed for Tensor {tensor.name} is of another type: expects arg[0] to be "
                f"{wanted.name} but {self._dtype.name} is provided",
            )
        return _read(self._link, self._handle, self._dtype)

    def _check_kept(self) -> None:
        if not self._is_kept:
            raise TypeError(f"Persistent tensor {self._handle} may have already been deleted.")


def with_handles(link: SessionLink, fetch_map: FetchMap) -> FetchMap:
    """A fetch argument that gives handle objects for what `GetSessionHandle` makes."""
    kept = [
        (index, element.op.inputs[0].dtype.base_dtype)
        for index, element in enumerate(fetch_map.elements)
        if isinstance(element, Tensor) and element.op.type == "GetSessionHandle"
    ]
    if not kept:
        return fetch_map
    build = fetch_map.build

    def build_with_handles(values: list[Any]) -> Any:
        values = list(values)
        for index, dtype in kept:
            values[index] = TensorHandle(values[index], dtype, link)
        _forget_dead(link)
        return build(values)

    return dataclasses.replace(fetch_map, build=build_with_handles)


def mover(link: SessionLink, tensor: Tensor) -> Callable[[Any], TensorHandle | None] | None:
    """Brings what is fed to a placeholder of `get_session_tensor` to its device.

    Returns:
      A function from the fed array to a handle on the device, or to None if nothing need be moved;
      None if the tensor is no such placeholder.
    """
    if tensor.op.type != "Placeholder":
        return None
    readers = [op for op in tensor.consumers() if op.type == "GetSessionTensor"]
    if not readers or not tensor.op.device:
        return None
    dtype, wanted = readers[0].outputs[0].dtype, tensor.op.device

    def move(handle: np.ndarray) -> TensorHandle | None:
        if handle.ndim:
            return None
        text = handle.item().decode(errors="backslashreplace")
        device = text.split(";")[-1]
        if device == wanted or not device.startswith("/job:"):
            return None
        holder, moved = _made(
            link, ("mover", tensor.op.name, text.split(";")[0], device), device, dtype, wanted
        )
        (result,) = _run(link, (holder,), (text,), (moved,))
        return TensorHandle(result, dtype, link)

    return move


def _device(handle: str) -> str:
    return devices.canonical_name(handle.split(";")[-1])


def _read(link: SessionLink, handle: str, dtype: DType) -> Any:
    device = _device(handle)
    holder, reader = _made(link, ("reader", handle.split(";")[0], device), device, dtype)
    (value,) = _run(link, (holder,), (handle,), (reader,))
    return value


def _delete(link: SessionLink, handles: Sequence[str]) -> None:
    holders, deleters = [], []
    for index, handle in enumerate(handles):
        device = _device(handle)
        holder, deleter = _made(link, ("deleter", str(index), device), device)
        holders.append(holder)
        deleters.append(deleter)
    _run(link, holders, handles, (), deleters)


def _forget_dead(link: SessionLink) -> None:
    dead = link.dead_handles
    if len(dead) < DEAD_HANDLES:
        return
    handles = [dead.popleft() for _ in range(DEAD_HANDLES)]
    try:
        _delete(link, handles)
    except (OpError, RuntimeError) as error:
        # Nobody asked for it now: a device may be gone with what it kept, a graph be finalized.
        _LOGGER.debug("Forgetting tensors that the session keeps failed: %s", error)


def _made(
    link: SessionLink,
    key: tuple[str, ...],
    device: str,
    dtype: DType | None = None,
    moved_to: str | None = None,
) -> tuple[str, str]:
    """The names of a placeholder for handles, and of what takes it; made once in each graph."""
    graph = link.graph
    with graph._lock:
        nodes = _nodes.setdefault(graph, {})
        found = nodes.get(key)
        if found is not None:
            return found
        with graph.as_default(), graph.control_dependencies(None), graph.device(device):
            holder = apply_op("Placeholder", dtype=dtypes.string)
            if dtype is None:
                made = apply_op("DeleteSessionTensor", holder)
            else:
                made = apply_op("GetSessionTensor", holder, dtype=dtype)
        if moved_to is not None:
            with graph.as_default(), graph.control_dependencies(None), graph.device(moved_to):
                made = apply_op("GetSessionHandle", made)
        found = nodes[key] = holder.name, made.name
        return found


def _run(
    link: SessionLink,
    feeds: Sequence[str],
    values: Sequence[str],
    fetches: Sequence[str],
    targets: Sequence[str] = (),
) -> list[Any]:
    if link.closed:
        raise RuntimeError("Attempted to use a closed Session.")
    link.check_process()
    fed = sorted(zip(feeds, values, strict=True))
    signature = StepSignature(
        tuple(name for name, _ in fed), tuple(fetches), tuple(sorted(targets)), feeds_fit=True
    )
    try:
        link.send_new_nodes()
        return link.plan(signature).call([_text_array(text) for _, text in fed])
    except OpError as error:
        raise_with_details(error, link.graph)


def _text_array(text: str) -> np.ndarray:
    array = np.empty((), object)
    array[()] = text.encode()
    return array
