"""Models: graphs with their signatures, loaded into a session with their variables."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dataflow.command.recognition import CHECKPOINT, GRAPHS, META_GRAPH, SAVED_MODEL, Recognized
from dataflow.command.recognition import recognize as _recognize
from dataflow.command.tables import fills
from dataflow.errors import FailedPreconditionError, InvalidArgumentError
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.importing.import_graph import import_graph_def
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.meta_graph_pb2 import MetaGraphDef
from dataflow.saving.import_meta_graph import import_meta_graph
from dataflow.saving.saved_model.loader import SavedModelLoader, get_init_op
from dataflow.saving.saver import Saver
from dataflow.saving.state import checkpoint_exists
from dataflow.schema.node_validation import parse_input
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

_INPUTS = ("Placeholder", "PlaceholderV2", "PlaceholderWithDefault")
_NO_OUTPUTS = frozenset(
    {"Assert", "Assign", "AssignVariableOp", "NoOp", "RestoreV2", "SaveV2", "Switch"}
)


@dataclass(frozen=True)
class Value:
    """An input or output."""

    name: str
    """Of its tensor."""
    dtype: str
    shape: tuple[int | None, ...] | None


@dataclass(frozen=True)
class Signature:
    """What is fed and fetched, by the names that it has in the signature."""

    inputs: Mapping[str, Value]
    outputs: Mapping[str, Value]
    method: str = ""


@dataclass(frozen=True)
class Model:
    """A graph that can be loaded."""

    kind: str
    path: str
    graph_def: GraphDef
    meta_graph: MetaGraphDef | None = None
    checkpoint: str | None = None
    tags: tuple[str, ...] = ()
    tag_sets: tuple[tuple[str, ...], ...] = ()
    signatures: Mapping[str, Signature] = field(default_factory=dict)

    def signature(self, name: str | None) -> Signature:
        """A signature; by default "serving_default", the only one, or what the graph looks like.

        Raises:
          InvalidArgumentError: There is none of that name.
        """
        shown = {key: s for key, s in self.signatures.items() if not key.startswith("__")}
        if name is None:
            if "serving_default" in shown:
                return shown["serving_default"]
            if len(shown) == 1:
                return next(iter(shown.values()))
            return _guessed(self.graph_def)
        if name not in self.signatures:
            there = ", ".join(sorted(shown)) or "none"
            raise InvalidArgumentError(
                None, None, f"{self.path} has no signature '{name}'; there are: {there}"
            )
        return self.signatures[name]

    def load(self, session: Any) -> Saver | None:
        """Adds the graph to a session's, gives its variables their values and fills its tables.

        Raises:
          FailedPreconditionError: There are variables and no checkpoint.
        """
        with session.graph.as_default():
            if self.kind == SAVED_MODEL and self.meta_graph is not None:
                loader = SavedModelLoader(self.path)
                saver, _ = loader.load_graph(session.graph, self.tags)
                loader.restore_variables(session, saver)
                loader.run_init_ops(session, self.tags)
                _fill_later(
                    session.graph, [get_init_op(loader.get_meta_graph_def_from_tags(self.tags))]
                )
                return saver
            if self.meta_graph is None:
                import_graph_def(self.graph_def, name="")
                names = fills(self.graph_def)
                _fill_later(session.graph, [session.graph.get_operation_by_name(n) for n in names])
                saver = None
            else:
                saver = import_meta_graph(self.meta_graph, clear_devices=True)
            if saver is not None:
                if self.checkpoint is None:
                    raise FailedPreconditionError(
                        None, None, f"beside {self.path} is no checkpoint with its variables"
                    )
                saver.restore(session, self.checkpoint)
            tables = session.graph.get_collection(GraphKeys.TABLE_INITIALIZERS)
            if tables:
                session.run(tables)
            return saver


def _fill_later(graph: Graph, operations: Sequence[Any]) -> None:
    """Has a MetaGraph of the graph fill its tables."""
    known = graph.get_collection(GraphKeys.TABLE_INITIALIZERS)
    for each in operations:
        if each is not None and each not in known:
            graph.add_to_collection(GraphKeys.TABLE_INITIALIZERS, each)


def open_model(path: str, tags: Sequence[str] | None = None) -> Model:
    """The model in a file or folder.

    Args:
      path: A SavedModel, a MetaGraph, a graph, or a checkpoint that has a MetaGraph beside it.
      tags: Which graph of a SavedModel; if None "serve", or the only one.

    Raises:
      NotFoundError: There is nothing, or no graph of these tags.
      DataLossError: It is nothing that is known.
      InvalidArgumentError: It is no model.
    """
    return model_of(_recognize(path), tags)


def model_of(found: Recognized, tags: Sequence[str] | None = None) -> Model:
    """The model that was recognized; see `open_model`."""
    if found.kind == CHECKPOINT and os.path.exists(f"{found.path}.meta"):
        found = _recognize(f"{found.path}.meta")
    if found.kind not in GRAPHS:
        raise InvalidArgumentError(
            None, None, f"{found.path} is a {found.kind}, and no graph that could run"
        )
    if found.kind == SAVED_MODEL:
        return _of_saved_model(found, tags)
    if found.kind == META_GRAPH:
        prefix = found.path.removesuffix(".meta")
        return Model(
            found.kind,
            found.path,
            found.message.graph_def,
            found.message,
            prefix if prefix != found.path and checkpoint_exists(prefix) else None,
            signatures=_signatures(found.message),
        )
    return Model(found.kind, found.path, found.message)


def _of_saved_model(found: Recognized, tags: Sequence[str] | None) -> Model:
    sets = tuple(tuple(sorted(m.meta_info_def.tags)) for m in found.message.meta_graphs)
    wanted = tuple(sorted(tags)) if tags else ("serve",)
    if tags is None and wanted not in sets and len(sets) == 1:
        wanted = sets[0]
    if wanted not in sets:
        there = "; ".join(",".join(each) for each in sets)
        raise InvalidArgumentError(
            None,
            None,
            f"{found.path} has no graph with tags {','.join(wanted)}; there are: {there}",
        )
    meta_graph = found.message.meta_graphs[sets.index(wanted)]
    prefix = os.path.join(found.path, "variables", "variables")
    return Model(
        found.kind,
        found.path,
        meta_graph.graph_def,
        meta_graph,
        prefix if checkpoint_exists(prefix) else None,
        wanted,
        sets,
        _signatures(meta_graph),
    )


def _signatures(meta_graph: MetaGraphDef) -> dict[str, Signature]:
    return {
        key: Signature(_values(each.inputs), _values(each.outputs), each.method_name)
        for key, each in sorted(meta_graph.signature_def.items())
    }


def _values(infos: Mapping[str, Any]) -> dict[str, Value]:
    found = {}
    for key, info in sorted(infos.items()):
        match info.WhichOneof("encoding"):
            case "coo_sparse":
                rank = None if info.tensor_shape.unknown_rank else len(info.tensor_shape.dim)
                sparse = info.coo_sparse
                for part, name, dtype, shape in (
                    ("indices", sparse.indices_tensor_name, "int64", (None, rank)),
                    ("values", sparse.values_tensor_name, _type_name(info.dtype), (None,)),
                    ("dense_shape", sparse.dense_shape_tensor_name, "int64", (rank,)),
                ):
                    found[f"{key}/{part}"] = Value(name, dtype, shape)
            case "composite_tensor":
                parts = info.composite_tensor.components
                named = {f"{key}/{number}": part for number, part in enumerate(parts)}
                found.update(_values(named))
            case _:
                found[key] = Value(info.name, _type_name(info.dtype), _shape(info.tensor_shape))
    return found


def _type_name(number: int) -> str:
    try:
        return DType(number).name
    except TypeError:
        return "unknown"


def _shape(proto: Any) -> tuple[int | None, ...] | None:
    try:
        return TensorShape(proto).dims_tuple
    except ValueError:
        return None


def _guessed(graph_def: GraphDef) -> Signature:
    """Placeholders, and what nothing takes but the branches of a cond, of which one is dead."""
    taken = {parse_input(text)[0] for node in graph_def.node for text in node.input}
    switches = {node.name for node in graph_def.node if node.op == "Switch"}
    inputs, outputs = {}, {}
    for node in graph_def.node:
        if node.op in _INPUTS:
            shape = _shape(node.attr["shape"].shape) if "shape" in node.attr else None
            kind = _type_name(node.attr["dtype"].type) if "dtype" in node.attr else "unknown"
            inputs[node.name] = Value(f"{node.name}:0", kind, shape)
            continue
        is_end = node.input and node.name not in taken and node.op not in _NO_OUTPUTS
        if is_end and parse_input(node.input[0])[0] not in switches:
            outputs[node.name] = Value(f"{node.name}:0", "unknown", None)
    return Signature(inputs, outputs)
