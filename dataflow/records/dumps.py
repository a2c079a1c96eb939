"""Dumps of a step's tensors: the files that TensorFlow's debugger reads, below one folder."""

from __future__ import annotations

import hashlib
import os
import time
from typing import Any

import numpy as np

from dataflow.errors import InvalidArgumentError
from dataflow.proto.event_pb2 import Event, LogMessage
from dataflow.proto.tensor_pb2 import TensorProto
from dataflow.proto.types_pb2 import DataType
from dataflow.values import dtypes

PREFIX = "_tfdbg_"
DEVICE_PREFIX = f"{PREFIX}device_"
GRAPH_PREFIX = f"{PREFIX}graph_"
CORE_PREFIX = f"{PREFIX}core_metadata_"
FETCHES_NAME = f"{PREFIX}fetches_info_"
FEEDS_NAME = f"{PREFIX}feed_keys_info_"
DEBUG_OP = "DebugIdentity"


def device_folder(device: str) -> str:
    """The name of the folder with the dumps of a device."""
    return DEVICE_PREFIX + ",".join(part.replace(":", "_") for part in device.split("/"))


def dump_tensor(root: str, device: str, node: str, slot: int, value: Any) -> None:
    """Writes a value as "node_slot_DebugIdentity_microseconds" below the folder of the device.

    Args:
      root: The folder of the step.
      device: The full name of the device.
      node: The node that made the value; each "/" begins a folder.
      slot: Which of its outputs it is.
      value: An array.

    Raises:
      InvalidArgumentError: The node's name leads out of the folder.
      OSError: It cannot be written.
    """
    if ".." in node.split("/"):
        raise InvalidArgumentError(
            None,
            None,
            f"{node}:{slot} cannot be dumped: a file of that name would lie outside of {root}. "
            "Leave the node out of what is watched, or call it something else.",
        )
    array = np.asarray(value)
    name = f"{node}:{slot}:{DEBUG_OP}"
    event = Event()
    item = event.summary.value.add(tag=node, node_name=name)
    item.tensor.CopyFrom(_proto(array))
    item.metadata.plugin_data.plugin_name = "debugger"
    path = os.path.join(root, device_folder(device), f"{node}_{slot}_{DEBUG_OP}")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    _write_new(path, event)


def dump_graph(root: str, device: str, graph: bytes) -> None:
    """Writes the graph that a device runs, a GraphDef, among its dumps.

    Raises:
      OSError: It cannot be written.
    """
    folder = os.path.join(root, device_folder(device))
    os.makedirs(folder, exist_ok=True)
    number = int.from_bytes(hashlib.sha256(graph).digest()[:8], "little")
    _write_new(os.path.join(folder, f"{GRAPH_PREFIX}hash{number}"), Event(graph_def=graph))


def dump_text(path: str, text: str, is_new: bool = False) -> None:
    """Writes a text as an event.

    Args:
      path: The file.
      text: The text.
      is_new: Adds the time to the name.

    Raises:
      OSError: It cannot be written.
    """
    os.makedirs(os.path.dirname(path), exist_ok=True)
    event = Event(log_message=LogMessage(message=text))
    if is_new:
        _write_new(path, event)
    else:
        with open(path, "wb") as file:
            file.write(event.SerializeToString())


def _write_new(path: str, event: Event) -> None:
    """Writes to a file that has the time in its name, and a number if there is one already."""
    now = time.time_ns() // 1000
    event.wall_time = now
    data = event.SerializeToString()
    name, count = f"{path}_{now}", 0
    while True:
        try:
            with open(name, "xb") as file:
                file.write(data)
            return
        except FileExistsError:
            count += 1
            name = f"{path}_{now}-{count}"


def _proto(array: Any) -> TensorProto:
    """The value with its bytes: readers take a tensor without any for one that has no value."""
    is_text = array.dtype.kind in "OSU"
    dtype = dtypes.string if is_text else dtypes.as_dtype(array.dtype)
    proto = TensorProto(dtype=DataType.Name(dtype.as_datatype_enum))
    for size in array.shape:
        proto.tensor_shape.dim.add(size=size)
    if is_text:
        proto.string_val.extend(
            text if isinstance(text, bytes) else str(text).encode() for text in array.flat
        )
    else:
        proto.tensor_content = np.ascontiguousarray(array).tobytes()
    return proto
