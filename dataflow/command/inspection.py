"""What is in a file, as a report."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dataflow.command.models import Signature, model_of
from dataflow.command.recognition import GRAPHS, PROGRAM, recognize
from dataflow.command.weights import shapes_of
from dataflow.errors import InvalidArgumentError
from dataflow.importing.fused_nodes import without_fused_nodes
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.saving.saved_model.assets import assets_of
from dataflow.schema import opdef
from dataflow.session.back_end import device_types_of
from dataflow.values.dtypes import DType

_OF_PYTHON = ("EagerPyFunc", "PyFunc", "PyFuncStateless")


@dataclass(frozen=True)
class Report:
    """What was found."""

    kind: str
    path: str
    bytes: int
    """Of the files."""
    nodes: int
    functions: int
    producer: int
    tags: tuple[tuple[str, ...], ...]
    signatures: Mapping[str, Signature]
    ops: Mapping[str, int]
    """The most frequent first; those in functions too."""
    parameters: int
    """Numbers in variables and constants."""
    tensors: Mapping[str, tuple[str, tuple[int, ...]]]
    """Type and shape by name, of what is saved."""
    assets: tuple[str, ...]
    unsupported: Mapping[str, str]
    """Op -> why it does not run here."""
    cpu_only: tuple[str, ...] = ()
    """Ops that no GPU runs."""


def inspect(path: str, tags: tuple[str, ...] | None = None) -> Report:
    """Looks into a file or folder.

    Raises:
      NotFoundError: There is nothing.
      DataLossError: It is nothing that is known, or damaged.
      InvalidArgumentError: It is a program.
    """
    found = recognize(path)
    if found.kind == PROGRAM:
        raise InvalidArgumentError(
            None, None, f"{path} is a program: `check` says which names it uses that are not here"
        )
    if found.kind not in GRAPHS:
        tensors = shapes_of(found)
        count = sum(math.prod(shape) for _, shape in tensors.values())
        size = _size(found.path)
        return Report(found.kind, found.path, size, 0, 0, 0, (), {}, {}, count, tensors, (), {})
    model = model_of(found, tags)
    tensors = {}
    if model.checkpoint is not None:
        tensors = shapes_of(recognize(model.checkpoint))
    count = sum(math.prod(shape) for _, shape in tensors.values())
    graph_def = model.graph_def
    ops = _ops(graph_def)
    signatures = {k: s for k, s in model.signatures.items() if not k.startswith("__")}
    meta_graph = model.meta_graph
    return Report(
        model.kind,
        model.path,
        _size(path),
        len(graph_def.node),
        len(graph_def.library.function),
        graph_def.versions.producer,
        model.tag_sets,
        signatures or {"(guessed)": model.signature(None)},
        dict(sorted(ops.items(), key=lambda item: (-item[1], item[0]))),
        count + _constants(graph_def),
        tensors,
        tuple(a.filename for a in assets_of(meta_graph)) if meta_graph is not None else (),
        _unsupported(graph_def),
        tuple(op for op in sorted(ops) if device_types_of(op) == ("CPU",)),
    )


def _size(path: str) -> int:
    if os.path.isdir(path):
        files = [os.path.join(folder, f) for folder, _, names in os.walk(path) for f in names]
    elif os.path.exists(path):
        files = [path]
    else:
        folder, name = os.path.split(path)
        files = [
            os.path.join(folder, each)
            for each in os.listdir(folder or ".")
            if each.startswith((f"{name}.data-", f"{name}.index"))
        ]
    return sum(os.path.getsize(each) for each in files)


def _bodies(graph_def: GraphDef) -> list[Any]:
    return [graph_def.node, *(each.node_def for each in graph_def.library.function)]


def _ops(graph_def: GraphDef) -> Counter[str]:
    return Counter(node.op for body in _bodies(graph_def) for node in body)


def _constants(graph_def: GraphDef) -> int:
    """Floating-point numbers in constants."""
    count = 0
    for body in _bodies(graph_def):
        for node in body:
            if node.op == "Const" and "value" in node.attr:
                tensor = node.attr["value"].tensor
                try:
                    floating = DType(tensor.dtype).is_floating
                except TypeError:
                    continue
                if floating:
                    count += math.prod(max(dim.size, 0) for dim in tensor.tensor_shape.dim)
    return count


def _unsupported(graph_def: GraphDef) -> dict[str, str]:
    """Ops that are not here, after what is lowered when a graph is imported was lowered."""
    try:
        plain = without_fused_nodes(graph_def)
    except InvalidArgumentError as error:
        return {"(the graph)": error.message}
    functions = {each.signature.name for each in plain.library.function}
    found = {}
    for op in sorted(_ops(plain)):
        if op in _OF_PYTHON:
            found[op] = "calls a Python function of the program that wrote it"
        elif op not in functions and opdef.find(op) is None:
            found[op] = "dataflow has no such op"
    return found
