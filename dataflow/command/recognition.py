"""What a file or folder is: told by what is in it, whatever its name."""

from __future__ import annotations

import ast
import os
import re
import warnings
from dataclasses import dataclass
from typing import Any

from google.protobuf import text_format
from google.protobuf.message import DecodeError, Message

from dataflow.errors import DataLossError, NotFoundError
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.meta_graph_pb2 import MetaGraphDef
from dataflow.proto.saved_model_pb2 import SavedModel
from dataflow.saving.saved_model.files import maybe_saved_model_directory, parse_saved_model
from dataflow.saving.state import checkpoint_exists, latest_checkpoint

SAVED_MODEL, META_GRAPH, GRAPH = "SavedModel", "MetaGraph", "graph"
CHECKPOINT, SAFETENSORS, NPZ, HDF5 = "checkpoint", "safetensors", "npz", "HDF5"
PROGRAM = "program"

GRAPHS = (SAVED_MODEL, META_GRAPH, GRAPH)
WEIGHTS = (CHECKPOINT, SAFETENSORS, NPZ, HDF5)

_NAME = re.compile(r"[A-Za-z0-9.>_][A-Za-z0-9_.\\/>-]*")
_TABLE_MAGIC = bytes.fromhex("57fb808b247547db")
_LIMIT = 2**31 - 1
_LONGEST_PROGRAM = 10**7


@dataclass(frozen=True)
class Recognized:
    """A file's kind, where it is, and the message that was read of it."""

    kind: str
    path: str
    """Of a checkpoint its prefix, of a SavedModel its folder."""
    message: Any = None


def recognize(path: str) -> Recognized:
    """The kind of a file, a folder or the prefix of a checkpoint.

    Raises:
      NotFoundError: There is nothing.
      DataLossError: It is nothing that is known.
      OSError: It cannot be read.
    """
    if os.path.isdir(path):
        return _folder(path)
    if not os.path.exists(path):
        if checkpoint_exists(path):
            return Recognized(CHECKPOINT, path)
        raise NotFoundError(None, None, f"there is no {path}")
    if os.path.getsize(path) == 0:
        raise DataLossError(None, None, f"{path} is empty")
    with open(path, "rb") as file:
        head = file.read(8)
        file.seek(-8, os.SEEK_END) if os.path.getsize(path) > 8 else None
        tail = file.read(8)
    if tail == _TABLE_MAGIC:
        return Recognized(CHECKPOINT, path.removesuffix(".index"))
    if head == b"\x89HDF\r\n\x1a\n":
        return Recognized(HDF5, path)
    if head[:4] == b"PK\x03\x04":
        return Recognized(NPZ, path)
    if _is_safetensors(path, head):
        return Recognized(SAFETENSORS, path)
    if found := _message(path):
        if found.kind == SAVED_MODEL:
            return Recognized(SAVED_MODEL, os.path.dirname(path) or ".", found.message)
        return found
    if os.path.exists(f"{re.sub(r'[.]data-[0-9-of]+$', '', path)}.index") and ".data-" in path:
        return Recognized(CHECKPOINT, path[: path.rindex(".data-")])
    if _is_python(path):
        return Recognized(PROGRAM, path)
    raise DataLossError(
        None,
        None,
        f"{path} is no graph, MetaGraph, SavedModel, checkpoint, safetensors, npz, HDF5 or program",
    )


def _folder(path: str) -> Recognized:
    if maybe_saved_model_directory(path):
        return Recognized(SAVED_MODEL, path, parse_saved_model(path))
    if os.path.exists(os.path.join(path, "__main__.py")):
        return Recognized(PROGRAM, path)
    latest = latest_checkpoint(path)
    if latest is None:
        raise NotFoundError(None, None, f"in {path} is no SavedModel, checkpoint or __main__.py")
    return Recognized(CHECKPOINT, latest)


def _is_safetensors(path: str, head: bytes) -> bool:
    """Eight bytes with the size of a header in JSON, and the header."""
    size = int.from_bytes(head, "little")
    if len(head) < 8 or not 2 <= size <= os.path.getsize(path) - 8:
        return False
    with open(path, "rb") as file:
        file.seek(8)
        return file.read(1) == b"{"


def _message(path: str) -> Recognized | None:
    if os.path.getsize(path) > _LIMIT:
        return None
    with open(path, "rb") as file:
        data = file.read()
    kinds: tuple[tuple[str, type[Message]], ...] = (
        (SAVED_MODEL, SavedModel),
        (META_GRAPH, MetaGraphDef),
        (GRAPH, GraphDef),
    )
    for kind, message in kinds:
        found = _parsed(data, message)
        if found is not None and _makes_sense(found):
            return Recognized(kind, path, found)
    return None


def _parsed(data: bytes, message: type[Message]) -> Message | None:
    try:
        return message.FromString(data)
    except DecodeError:
        pass
    try:
        return text_format.Parse(data.decode(), message())
    except (text_format.ParseError, UnicodeDecodeError, RecursionError):
        return None


def _makes_sense(message: Any) -> bool:
    """The bytes of one message may be those of another: then names are none."""
    if isinstance(message, SavedModel):
        return bool(message.meta_graphs) and all(map(_makes_sense, message.meta_graphs))
    if isinstance(message, MetaGraphDef):
        return message.HasField("graph_def") and _makes_sense(message.graph_def)
    nodes = message.node
    return bool(nodes) and all(
        _NAME.fullmatch(node.name) and _NAME.fullmatch(node.op) for node in nodes
    )


def _is_python(path: str) -> bool:
    if path.endswith(".py"):
        return True
    if os.path.getsize(path) > _LONGEST_PROGRAM:
        return False
    try:
        with open(path, "rb") as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return bool(ast.parse(file.read(), path).body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
