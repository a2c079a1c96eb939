"""Graphs in files: binary GraphDef, or protobuf text."""

from __future__ import annotations

import os
import tempfile
from typing import Any

from google.protobuf import text_format
from google.protobuf.message import DecodeError

from dataflow.errors import DataLossError, InvalidArgumentError, NotFoundError
from dataflow.graph import Graph
from dataflow.proto.graph_pb2 import GraphDef


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
    """
    if isinstance(graph_or_graph_def, Graph):
        graph_def = graph_or_graph_def.as_graph_def()
    else:
        graph_def = graph_or_graph_def
    if as_text:
        data = text_format.MessageToString(graph_def).encode()
    else:
        data = graph_def.SerializeToString()
    path = os.path.join(logdir, name)
    folder = os.path.dirname(path)
    os.makedirs(folder, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    return path


def read_graph(path: str | os.PathLike[str]) -> GraphDef:
    """Reads a graph that `write_graph`, or TensorFlow, wrote: ".pbtxt" is text, others binary.

    Raises:
      NotFoundError: There is no such file.
      DataLossError: The bytes are no GraphDef; the text names the file.
      InvalidArgumentError: The text is no GraphDef; the message names file, line and column.
    """
    try:
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        raise NotFoundError(None, None, f"{os.fspath(path)}; No such file or directory") from None
    if os.fspath(path).endswith((".pbtxt", ".txt")):
        try:
            return text_format.Parse(data, GraphDef())
        except (text_format.ParseError, UnicodeDecodeError) as error:
            message = f"{os.fspath(path)}: not a GraphDef in protobuf text: {error}"
            raise InvalidArgumentError(None, None, message) from None
    try:
        return GraphDef.FromString(data)
    except DecodeError as error:
        message = f"{os.fspath(path)}: {len(data)} bytes that are no GraphDef: {error}"
        raise DataLossError(None, None, message) from None
