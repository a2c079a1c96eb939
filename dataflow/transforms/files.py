"""Messages in files whose form the caller knows."""

from __future__ import annotations

import os
from typing import TypeVar

from google.protobuf import text_format
from google.protobuf.message import DecodeError, Message

from dataflow.importing.files import write_graph
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.values import wire_fault

_M = TypeVar("_M", bound=Message)


def read_message(kind: type[_M], path: str, binary: bool) -> _M:
    """The message in a file.

    Raises:
      OSError: There is no such file, or it holds something else.
    """
    with open(path, "rb") as file:
        data = file.read()
    if binary:
        try:
            return kind.FromString(data)
        except DecodeError:
            fault = wire_fault.find(data, kind.DESCRIPTOR)
        raise OSError(f"Cannot parse file {path}: {fault}.")
    try:
        return text_format.Parse(data.decode(), kind())
    except (text_format.ParseError, UnicodeDecodeError) as error:
        reason = str(error)
    except RecursionError:
        reason = "its messages are nested too deeply"
    raise OSError(f"Cannot parse file {path}: {reason}.")


def read_graph(path: str, binary: bool) -> GraphDef:
    """The GraphDef in a file; see `read_message`."""
    return read_message(GraphDef, path, binary)


def write_graph_file(graph_def: GraphDef, path: str, binary: bool) -> None:
    """Writes a GraphDef, whole or not at all."""
    folder, name = os.path.split(path)
    write_graph(graph_def, folder, name, as_text=not binary)
