"""Dumps of single tensors, and what is in them."""

from __future__ import annotations

import os
from typing import Any, Final

import numpy as np
from google.protobuf.message import DecodeError

from dataflow.errors import DataLossError, OpError
from dataflow.proto.event_pb2 import Event
from dataflow.records.dumps import DEVICE_PREFIX
from dataflow.values import dtypes
from dataflow.values.tensor_proto import MakeNdarray

_OPAQUE: Final = frozenset({dtypes.resource, dtypes.variant})


class InconvertibleTensorProto:
    """A value that no array can hold, or one that a variable did not have yet.

    Attributes:
      initialized: Whether there was a value.
    """

    def __init__(self, tensor_proto: Any, initialized: bool = True) -> None:
        """Takes the message."""
        self._proto = tensor_proto
        self.initialized = initialized

    def __str__(self) -> str:
        return f"{'' if self.initialized else 'Uninitialized tensor:'}\n{self._proto}".lstrip("\n")


def read_event(path: str) -> Event:
    """The event that is all of a file.

    Raises:
      DataLossError: The file holds none.
      OSError: It cannot be read.
    """
    with open(path, "rb") as file:
        data = file.read()
    try:
        return Event.FromString(data)
    except DecodeError:
        raise DataLossError(None, None, f"{path} is no dump: it holds no Event.") from None


def load_tensor_from_event(event: Event) -> Any:
    """The array in an event, or an `InconvertibleTensorProto`."""
    if not event.summary.value:
        raise DataLossError(None, None, "The event is no dump of a tensor: it has no value.")
    proto = event.summary.value[0].tensor
    is_empty = any(dim.size == 0 for dim in proto.tensor_shape.dim)
    if not (proto.tensor_content or proto.string_val or is_empty):
        return InconvertibleTensorProto(proto, False)
    if dtypes.as_dtype(proto.dtype) in _OPAQUE:
        return InconvertibleTensorProto(proto)
    return MakeNdarray(proto)


def load_tensor_from_event_file(event_file_path: str) -> Any:
    """The array that a file holds, or an `InconvertibleTensorProto`.

    Raises:
      DataLossError: The file is no dump.
      OSError: It cannot be read.
    """
    event = read_event(event_file_path)
    try:
        return load_tensor_from_event(event)
    except (ValueError, TypeError, OpError) as error:
        said = error.message if isinstance(error, OpError) else error
        raise DataLossError(None, None, f"{event_file_path} holds no tensor: {said}") from None


def has_inf_or_nan(datum: Any, tensor: Any) -> bool:
    """Whether a tensor's value, an array or None, has an element that is infinite or no number.

    Args:
      datum: The `DebugTensorDatum`; not looked at.
      tensor: Its value.
    """
    if not isinstance(tensor, np.ndarray) or not np.issubdtype(tensor.dtype, np.inexact):
        return False
    return not bool(np.isfinite(tensor).all())


class DebugTensorDatum:
    """A dumped tensor: its file, and what the file's name tells.

    Attributes:
      device_name: The device that made it.
      node_name: The node that made it.
      output_slot: Which of the node's outputs it is.
      debug_op: "DebugIdentity".
      timestamp: When it was dumped, in microseconds.
      extended_timestamp: The same as text, with "-1", "-2" ... where several would be the same.
      file_path: The file.
      dump_size_bytes: How long that is.
    """

    def __init__(self, dump_root: str, debug_dump_rel_path: str) -> None:
        """Reads the name of a file.

        Args:
          dump_root: The folder of the step.
          debug_dump_rel_path: The path in it, which begins with the folder of a device.

        Raises:
          ValueError: No dump is named so.
        """
        folder, *scopes, base = os.path.normpath(debug_dump_rel_path).split(os.sep)
        parts = base.rsplit("_", 3)
        number = parts[-1].partition("-")[0]
        if len(parts) < 4 or not (parts[1].isdecimal() and number.isdecimal()):
            raise ValueError(f"Dump file path does not conform to the naming pattern: {base}")
        name, slot, self.debug_op, self.extended_timestamp = parts
        self.device_name = _device(folder)
        self.node_name = "/".join((*scopes, name))
        self.output_slot = int(slot)
        self.timestamp = int(number)
        self.file_path = os.path.join(dump_root, debug_dump_rel_path)
        found = os.path.exists(self.file_path)
        self.dump_size_bytes = os.path.getsize(self.file_path) if found else None

    @property
    def tensor_name(self) -> str:
        """ "node:0"."""
        return f"{self.node_name}:{self.output_slot}"

    @property
    def watch_key(self) -> str:
        """ "node:0:DebugIdentity"."""
        return f"{self.tensor_name}:{self.debug_op}"

    def get_tensor(self) -> Any:
        """The value; see `load_tensor_from_event_file`."""
        return load_tensor_from_event_file(self.file_path)

    def __repr__(self) -> str:
        return (
            f"{{DebugTensorDatum ({self.device_name}) {self.tensor_name} @ {self.debug_op} @ "
            f"{self.timestamp}}}"
        )


def _device(folder: str) -> str:
    parts = folder.removeprefix(DEVICE_PREFIX).split(",")
    return "/".join(part.replace("device_", "device:").replace("_", ":", 1) for part in parts)
