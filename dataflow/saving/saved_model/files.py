"""Reads and writes the file of a SavedModel."""

from __future__ import annotations

import os
from typing import Any

from google.protobuf import text_format
from google.protobuf.message import DecodeError

from dataflow.importing.files import write_graph
from dataflow.proto.saved_model_pb2 import SavedModel
from dataflow.saving.saved_model import constants
from dataflow.saving.saved_model.paths import (
    folder_path,
    get_saved_model_pb_path,
    get_saved_model_pbtxt_path,
)
from dataflow.values import wire_fault

_OURS, _THEIRS, _ASSET = "dataflow", "tensorflow", "AssetFileDef"


def parse_saved_model(export_dir: Any) -> SavedModel:
    """The graphs of a SavedModel, of its binary file, or else of the one in text.

    Args:
      export_dir: The folder.

    Raises:
      OSError: There is no such file, or it holds no SavedModel.
    """
    folder = folder_path(export_dir)
    binary, text = get_saved_model_pb_path(folder), get_saved_model_pbtxt_path(folder)
    if os.path.exists(binary):
        return _with_assets_of(_OURS, _from_binary(binary))
    if os.path.exists(text):
        return _with_assets_of(_OURS, _from_text(text))
    raise OSError(
        f"SavedModel file does not exist at: {folder}{os.path.sep}"
        f"{{{constants.SAVED_MODEL_FILENAME_PBTXT}|{constants.SAVED_MODEL_FILENAME_PB}}}"
    )


def _from_binary(path: str) -> SavedModel:
    with open(path, "rb") as file:
        data = file.read()
    try:
        return SavedModel.FromString(data)
    except DecodeError:
        fault = wire_fault.find(data, SavedModel.DESCRIPTOR)
    raise OSError(f"Cannot parse file {path}: {fault}.")


def _from_text(path: str) -> SavedModel:
    with open(path, "rb") as file:
        data = file.read()
    try:
        return text_format.Parse(data.decode(), SavedModel())
    except (text_format.ParseError, UnicodeDecodeError) as error:
        reason = str(error)
    except RecursionError:
        reason = "its messages are nested too deeply"
    raise OSError(f"Cannot parse file {path}: {reason}.")


def write_saved_model(saved_model: SavedModel, export_dir: Any, as_text: bool) -> str:
    """Writes the file, whole or not at all, and returns its path.

    Args:
      saved_model: What is written.
      export_dir: The folder, made if missing.
      as_text: Writes protobuf text rather than binary.
    """
    name = constants.SAVED_MODEL_FILENAME_PBTXT if as_text else constants.SAVED_MODEL_FILENAME_PB
    written = SavedModel()
    written.CopyFrom(saved_model)
    _with_assets_of(_THEIRS, written)
    return write_graph(written, folder_path(export_dir), name, as_text=as_text)


def _with_assets_of(package: str, saved_model: SavedModel) -> SavedModel:
    """Packs assets as messages of a package: of ours for programs, of TensorFlow's in files."""
    for meta_graph in saved_model.meta_graphs:
        if constants.ASSETS_KEY not in meta_graph.collection_def:
            continue
        for packed in meta_graph.collection_def[constants.ASSETS_KEY].any_list.value:
            if packed.type_url.rpartition("/")[2] in (f"{_OURS}.{_ASSET}", f"{_THEIRS}.{_ASSET}"):
                packed.type_url = f"type.googleapis.com/{package}.{_ASSET}"
    return saved_model


def maybe_saved_model_directory(export_dir: Any) -> bool:
    """Whether a folder has a file of the name that a SavedModel's has; nothing is read."""
    folder = folder_path(export_dir)
    names = (
        constants.SAVED_MODEL_FILENAME_PBTXT,
        constants.SAVED_MODEL_FILENAME_PB,
        constants.SAVED_MODEL_FILENAME_CPB,
    )
    return any(os.path.exists(os.path.join(folder, name)) for name in names)
