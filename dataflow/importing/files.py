"""Graphs in files: binary GraphDef, or protobuf text."""

from __future__ import annotations

import os
import uuid
from typing import Any

from google.protobuf import text_format
from google.protobuf.message import DecodeError, Message

from dataflow.errors import DataLossError, InvalidArgumentError, NotFoundError
from dataflow.graph.graph import Graph
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.values import wire_fault

_LIMIT = 2**31 - 1
_TEXT_SUFFIXES = (".pbtxt", ".txt")


def write_graph(
    graph_or_graph_def: Any, logdir: str | os.PathLike[str], name: str, as_text: bool = True
) -> str:
    """Writes a graph to a file, whole or not at all.

    Args:
      graph_or_graph_def: A Graph or a GraphDef.
      logdir: Folder, made if missing.
      name: Name of the file in it.
      as_text: Writes protobuf text rather than binary.

    Returns:
      The path of the file.

    Raises:
      TypeError: `graph_or_graph_def` is neither.
    """
    if isinstance(graph_or_graph_def, Graph):
        graph_def: Message = graph_or_graph_def.as_graph_def()
    elif isinstance(graph_or_graph_def, Message):
        graph_def = graph_or_graph_def
    else:
        raise TypeError(
            "graph_or_graph_def must be a Graph or a GraphDef, "
            f"not a {type(graph_or_graph_def).__name__}."
        )
    if as_text:
        data = text_format.MessageToString(graph_def).encode()
    else:
        data = graph_def.SerializeToString(deterministic=True)
    path = os.path.join(logdir, name)
    folder = os.path.dirname(path) or "."
    os.makedirs(folder, exist_ok=True)
    temporary = f"{path}.tmp{uuid.uuid4().hex}"
    try:
        with open(temporary, "xb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise
    return path


def load_graph_def(source: str | os.PathLike[str] | bytes) -> GraphDef:
    """Reads a graph that `write_graph`, or TensorFlow, wrote.

    Args:
      source: Path of a file, protobuf text if it ends in ".pbtxt" or ".txt" and else binary; or
        the bytes of a binary one.

    Raises:
      NotFoundError: There is no such file.
      DataLossError: The bytes are no GraphDef; the message names file and place.
      InvalidArgumentError: The text is no GraphDef; the message names file, line and column.
    """
    if isinstance(source, bytes):
        return _from_binary(source, f"{len(source)} bytes")
    path = os.fspath(source)
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > _LIMIT:
                raise DataLossError(
                    None,
                    None,
                    f"{path}: not a GraphDef: {size} bytes, a message of protobuf has at most 2 GB",
                )
            data = file.read()
    except FileNotFoundError:
        raise NotFoundError(None, None, f"{path}; No such file or directory") from None
    if path.endswith(_TEXT_SUFFIXES):
        return _from_text(data, path)
    return _from_binary(data, path)


def _from_text(data: bytes, path: str) -> GraphDef:
    try:
        return text_format.Parse(data.decode(), GraphDef())
    except (text_format.ParseError, UnicodeDecodeError) as error:
        reason = str(error)
    except RecursionError:
        reason = "its messages are nested too deeply"
    raise InvalidArgumentError(None, None, f"{path}: not a GraphDef in protobuf text: {reason}")


def _from_binary(data: bytes, where: str) -> GraphDef:
    try:
        return GraphDef.FromString(data)
    except DecodeError:
        fault = wire_fault.find(data, GraphDef.DESCRIPTOR)
    raise DataLossError(None, None, f"{where}: not a GraphDef: {fault}")
