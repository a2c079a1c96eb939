"""Models from one form into another, and weights with or without their graph."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dataflow.command import weights as weight_files
from dataflow.command.models import Model, model_of
from dataflow.command.recognition import (
    CHECKPOINT,
    GRAPHS,
    META_GRAPH,
    NPZ,
    PROGRAM,
    SAFETENSORS,
    SAVED_MODEL,
    WEIGHTS,
    recognize,
)
from dataflow.command.tables import with_contents
from dataflow.errors import AlreadyExistsError, DataLossError, InvalidArgumentError
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.importing.body_freezing import constant
from dataflow.importing.files import write_graph
from dataflow.importing.sub_graphs import convert_variables_to_constants
from dataflow.ops.basic.grouping import group
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.meta_graph_pb2 import MetaGraphDef
from dataflow.proto.saved_model_pb2 import SavedModel
from dataflow.saving.meta_graph.export import export_meta_graph
from dataflow.saving.saved_model.assets import get_asset_tensors
from dataflow.saving.saved_model.builder import SavedModelBuilder
from dataflow.saving.saved_model.constants import (
    ASSETS_DIRECTORY,
    EXTRA_ASSETS_DIRECTORY,
    SAVED_MODEL_SCHEMA_VERSION,
)
from dataflow.saving.saved_model.files import write_saved_model
from dataflow.saving.saved_model.paths import get_or_create_variables_dir, get_variables_path
from dataflow.saving.saved_model.signature_defs import build_signature_def
from dataflow.saving.saved_model.tensor_infos import build_tensor_info
from dataflow.saving.saver import Saver
from dataflow.session.session import Session
from dataflow.values import dtypes
from dataflow.values.dtypes import as_dtype
from dataflow.values.tensor_proto import make_ndarray, make_tensor_proto

FROZEN, TEXT = "frozen", "text"
TARGETS = {
    "frozen": FROZEN,
    "text": TEXT,
    "saved_model": SAVED_MODEL,
    "meta_graph": META_GRAPH,
    "checkpoint": CHECKPOINT,
    "safetensors": SAFETENSORS,
    "npz": NPZ,
}
"""What `--to` may be -> the form."""
_SUFFIXES = {
    ".pb": FROZEN,
    ".pbtxt": TEXT,
    ".meta": META_GRAPH,
    ".ckpt": CHECKPOINT,
    ".safetensors": SAFETENSORS,
    ".npz": NPZ,
}
_VARIABLES = ("Variable", "VariableV2", "VarHandleOp")
_SUFFIX_OF_OBJECTS = "/.ATTRIBUTES/VARIABLE_VALUE"


@dataclass(frozen=True)
class Conversion:
    """What is converted into what."""

    source: str
    target: str
    to: str | None = None
    """A key of TARGETS; told by the suffix of `target` if None, and else a SavedModel."""
    tags: tuple[str, ...] | None = None
    signature: str | None = None
    outputs: tuple[str, ...] = ()
    """Names of tensors or nodes, instead of those of a signature."""
    weights: str | None = None
    """A file with other values for the variables, or the constants of a frozen graph."""


@dataclass(frozen=True)
class Converted:
    """What was written."""

    kind: str
    target: str
    tensors: int
    """How many are in it as weights; 0 for a frozen graph."""
    outputs: tuple[str, ...] = ()
    """What a frozen graph is for, by names of tensors or nodes."""
    start: str | None = None
    """The node of a frozen graph that fills its tables; `dataflow run` does so by itself."""


def convert(job: Conversion) -> Converted:
    """Reads the source and writes the target.

    Raises:
      InvalidArgumentError: The source has nothing of what the target needs.
      AlreadyExistsError: The target is a folder that is not empty.
    """
    kind = _form(job)
    found = recognize(job.source)
    if found.kind == PROGRAM:
        raise InvalidArgumentError(None, None, f"{job.source} is a program, and no model")
    to_weights = kind in WEIGHTS
    if to_weights and found.kind in (*WEIGHTS, SAVED_MODEL, META_GRAPH):
        return _weights_only(job, kind)
    model = model_of(found, job.tags)
    if to_weights:
        return _constants(job, kind, model)
    if job.weights is not None and model.checkpoint is None:
        model = _with_values(job, model)
    with Graph().as_default() as graph, Session(graph=graph) as session:
        saver = model.load(session)
        if job.weights is not None and model.checkpoint is not None:
            _put(job, model, session, saver)
        writer = {FROZEN: _frozen, TEXT: _frozen, SAVED_MODEL: _saved_model}.get(kind, _meta_graph)
        return writer(job, kind, model, session, saver)


def _form(job: Conversion) -> str:
    if job.to is not None:
        return TARGETS[job.to]
    return _SUFFIXES.get(os.path.splitext(job.target)[1], SAVED_MODEL)


def _weights_only(job: Conversion, kind: str) -> Converted:
    found = recognize(job.source)
    if found.kind in GRAPHS:
        model = model_of(found, job.tags)
        if model.checkpoint is None:
            return _constants(job, kind, model)
        found = recognize(model.checkpoint)
    tensors = weight_files.read(found)
    if kind in (SAFETENSORS, NPZ):
        tensors = {k: v for k, v in tensors.items() if _number(v)}
    _write_weights(job, kind, tensors)
    return Converted(kind, job.target, len(tensors))


def _constants(job: Conversion, kind: str, model: Model) -> Converted:
    """The floating-point constants of a frozen graph, by the names of their nodes."""
    tensors = {}
    for node in model.graph_def.node:
        if node.op != "Const":
            continue
        try:
            value = make_ndarray(node.attr["value"].tensor)
        except (InvalidArgumentError, TypeError, ValueError) as error:
            raise DataLossError(None, None, f"constant '{node.name}': {error}") from None
        if value.ndim and as_dtype(value.dtype).is_floating:
            tensors[node.name] = value
    if not tensors:
        raise InvalidArgumentError(None, None, f"{job.source} has no weights")
    _write_weights(job, kind, tensors)
    return Converted(kind, job.target, len(tensors))


def _write_weights(job: Conversion, kind: str, tensors: weight_files.Tensors) -> None:
    try:
        weight_files.write(kind, job.target, tensors)
    except FileExistsError:
        raise AlreadyExistsError(None, None, f"{job.target} is being written already") from None


def _with_values(job: Conversion, model: Model) -> Model:
    """A model without variables, whose constants have other values."""
    if model.kind == SAVED_MODEL:
        raise InvalidArgumentError(None, None, f"{job.source} has no variables")
    graph_def = _with_constants(job, model.graph_def, _values(job))
    meta_graph = None
    if model.meta_graph is not None:
        meta_graph = MetaGraphDef()
        meta_graph.CopyFrom(model.meta_graph)
        meta_graph.graph_def.CopyFrom(graph_def)
    return replace(model, graph_def=graph_def, meta_graph=meta_graph)


def _values(job: Conversion) -> weight_files.Tensors:
    found = weight_files.read(recognize(str(job.weights)))
    return {name: value for name, value in found.items() if _number(value)}


def _put(job: Conversion, model: Model, session: Any, saver: Any) -> None:
    """Gives the variables of a session other values."""
    tensors = weight_files.read(recognize(str(model.checkpoint)))
    for name, value in _values(job).items():
        if name not in tensors:
            raise InvalidArgumentError(
                None, None, f"{job.source} has no variable '{name}' ({job.weights})"
            )
        _check_shape(name, value, tensors[name].shape)
        tensors[name] = value.astype(tensors[name].dtype)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "weights")
        weight_files.write(CHECKPOINT, path, tensors)
        saver.restore(session, path)


def _number(value: np.ndarray) -> bool:
    """Strings say how a checkpoint of TensorFlow 2 was made; they are no weights."""
    return value.dtype.kind not in "OSU"


def _with_constants(job: Conversion, graph_def: GraphDef, values: weight_files.Tensors) -> GraphDef:
    result = GraphDef()
    result.CopyFrom(graph_def)
    constants = {node.name: node for node in result.node if node.op == "Const"}
    for name, value in values.items():
        if name not in constants:
            raise InvalidArgumentError(
                None, None, f"{job.source} has no constant '{name}' ({job.weights})"
            )
        tensor = constants[name].attr["value"].tensor
        _check_shape(name, value, tuple(dim.size for dim in tensor.tensor_shape.dim))
        tensor.CopyFrom(make_tensor_proto(value, dtype=tensor.dtype))
    return result


def _check_shape(name: str, value: np.ndarray, shape: tuple[int, ...]) -> None:
    if value.shape != shape:
        raise InvalidArgumentError(
            None, None, f"'{name}' has shape {list(value.shape)}, and {list(shape)} in the model"
        )


def _wanted(job: Conversion, model: Model) -> Sequence[str]:
    if job.outputs:
        return job.outputs
    if job.signature is None and "serving_default" not in model.signatures:
        # What any signature needs is kept.
        shown = [s for key, s in model.signatures.items() if not key.startswith("__")]
        found = [value.name for each in shown for value in each.outputs.values()]
        if found:
            return found
    return [value.name for value in model.signature(job.signature).outputs.values()]


def _frozen(job: Conversion, kind: str, model: Model, session: Any, saver: Any) -> Converted:
    outputs = tuple(_wanted(job, model))
    names = [name.removeprefix("^").split(":")[0] for name in outputs]
    if not names:
        raise InvalidArgumentError(None, None, "there are no outputs: name some by --output")
    known = {node.name for node in model.graph_def.node}
    for name in names:
        if name not in known:
            raise InvalidArgumentError(None, None, f"{job.source} has no node '{name}'")
    graph_def = _with_asset_paths(model.graph_def, model)
    if any(node.op in _VARIABLES for node in graph_def.node):
        try:
            graph_def = convert_variables_to_constants(session, graph_def, names)
        except ValueError as error:
            raise InvalidArgumentError(
                None,
                None,
                f"{error} A model that keeps state in variables is converted into a folder (a "
                "SavedModel) or FILE.meta instead; --output NAME freezes a part of it.",
            ) from None
    graph_def, start = with_contents(session, graph_def)
    folder, name = os.path.split(job.target)
    write_graph(graph_def, folder, name, as_text=kind == TEXT)
    return Converted(kind, job.target, 0, outputs, start)


def _saver(session: Any, saver: Any) -> Saver:
    graph = session.graph
    if saver is not None:
        return saver  # type: ignore[no-any-return]
    variables = graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
    return Saver(variables, allow_empty=True)


def _saved_model(job: Conversion, kind: str, model: Model, session: Any, saver: Any) -> Converted:
    if os.path.isdir(job.target) and os.listdir(job.target):
        raise AlreadyExistsError(None, None, f"the folder {job.target} is not empty")
    if model.kind == SAVED_MODEL:
        return _saved_again(job, kind, model, session, saver)
    tables = session.graph.get_collection(GraphKeys.TABLE_INITIALIZERS)
    with session.graph.as_default():
        builder = SavedModelBuilder(job.target)
        builder.add_meta_graph_and_variables(
            session,
            model.tags or ("serve",),
            _definitions(session.graph, model),
            main_op=None if not tables else group(*tables),
            saver=_saver(session, saver),
        )
        builder.save()
    return Converted(kind, job.target, _count(model.graph_def))


def _saved_again(job: Conversion, kind: str, model: Model, session: Any, saver: Any) -> Converted:
    """The same graph, files beside it, and the variables that the session has."""
    for folder in (ASSETS_DIRECTORY, EXTRA_ASSETS_DIRECTORY):
        source = os.path.join(model.path, folder)
        if os.path.isdir(source):
            shutil.copytree(source, os.path.join(job.target, folder))
    if saver is not None and model.checkpoint is not None:
        get_or_create_variables_dir(job.target)
        path = get_variables_path(job.target)
        saver.save(session, path, write_meta_graph=False, write_state=False)
    assert model.meta_graph is not None
    saved = SavedModel(
        saved_model_schema_version=SAVED_MODEL_SCHEMA_VERSION, meta_graphs=[model.meta_graph]
    )
    write_saved_model(saved, job.target, as_text=False)
    return Converted(kind, job.target, _count(model.graph_def))


def _with_asset_paths(graph_def: GraphDef, model: Model) -> GraphDef:
    """The graph, whose paths of files are those in the SavedModel."""
    if model.kind != SAVED_MODEL or model.meta_graph is None:
        return graph_def
    folder = os.path.abspath(model.path)
    paths = get_asset_tensors(folder, model.meta_graph)
    result = GraphDef()
    result.CopyFrom(graph_def)
    for node in result.node:
        path = paths.get(f"{node.name}:0")
        if path is not None:
            # It may be a placeholder, which loading feeds.
            node.CopyFrom(constant(node.name, path, dtypes.string.as_datatype_enum))
    return result


def _definitions(graph: Graph, model: Model) -> dict[str, Any]:
    """The signatures of a model; if it has none, what its graph looks like."""
    saved = model.meta_graph.signature_def if model.meta_graph is not None else {}
    known = {key: each for key, each in saved.items() if not key.startswith("__")}
    if known:
        return known
    guessed = model.signature(None)
    inputs, outputs = (
        {
            key: build_tensor_info(graph.get_tensor_by_name(value.name))
            for key, value in each.items()
        }
        for each in (guessed.inputs, guessed.outputs)
    )
    method = "tensorflow/serving/predict"
    return {"serving_default": build_signature_def(inputs, outputs, method)}


def _meta_graph(job: Conversion, kind: str, model: Model, session: Any, saver: Any) -> Converted:
    prefix = job.target.removesuffix(".meta")
    with session.graph.as_default():
        writer = _saver(session, saver)
        count = _count(model.graph_def)
        if count:
            writer.save(session, prefix, write_meta_graph=False, write_state=False)
        meta_graph = writer.export_meta_graph() if count else export_meta_graph()
    meta_graph.graph_def.CopyFrom(_with_asset_paths(meta_graph.graph_def, model))
    if model.signatures:
        for key, definition in _definitions(session.graph, model).items():
            meta_graph.signature_def[key].CopyFrom(definition)
    folder, name = os.path.split(f"{prefix}.meta")
    write_graph(meta_graph, folder, name, as_text=False)
    return Converted(kind, f"{prefix}.meta", count)


def _count(graph_def: GraphDef) -> int:
    return sum(node.op in _VARIABLES for node in graph_def.node)
