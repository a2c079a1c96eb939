"""Weights of models in files: HDF5, or checkpoints of objects."""

from __future__ import annotations

import os
from typing import Any

from dataflow.errors import DataLossError
from dataflow.graph.keys import GraphKeys
from dataflow.keras import backend as K
from dataflow.keras.saving import hdf5
from dataflow.keras.saving.files import HDF5_EXTENSIONS, may_write
from dataflow.saving.checkpoint.load_status import NameStatus, ObjectStatus
from dataflow.saving.checkpoint.object_graph import nodes_below
from dataflow.saving.checkpoint.object_saver import ObjectSaver
from dataflow.saving.reading import new_checkpoint_reader
from dataflow.saving.saver import Saver
from dataflow.saving.state import latest_checkpoint, update_checkpoint_state

_FORMATS = {"hdf5": "h5", "h5": "h5", "keras": "h5", "tensorflow": "tf", "tf": "tf"}


def save_weights(
    model: Any, filepath: Any, overwrite: bool = True, save_format: str | None = None
) -> None:
    """Writes the weights of a model, and what its optimizer keeps if it is a checkpoint.

    Raises:
      EOFError: There is a file already that may not be replaced, and nobody to ask.
      ValueError: There is no such format, it does not go with the name, or the model has no weights
        yet.
    """
    path = os.fspath(filepath)
    model._assert_weights_created()
    chosen: str | None = "h5" if path.endswith(HDF5_EXTENSIONS) else "tf"
    if save_format is not None:
        chosen = _FORMATS.get(save_format.lower().strip())
        if chosen is None:
            raise ValueError(
                f'Unknown format "{save_format}". Was expecting one of {{"tf", "h5"}}.'
            )
        if chosen == "tf" and path.endswith(HDF5_EXTENSIONS):
            raise ValueError(
                'save_weights got save_format="tf"/"tensorflow", but the filepath '
                f'("{path}") looks like an HDF5 file. Omit the ".h5"/".keras" when saving in '
                "TensorFlow format."
            )
    if not may_write(path, overwrite, f"{path}.index" if chosen == "tf" else path):
        return
    if chosen == "h5":
        with hdf5.h5py_module().File(path, "w") as file:
            hdf5.save_weights_to_hdf5_group(file, model.layers)
        return
    _saver_of(model).write(path, K.get_session())
    update_checkpoint_state(os.path.dirname(path) or ".", path)


def _saver_of(model: Any) -> ObjectSaver:
    saver: ObjectSaver | None = vars(model).get("_object_saver")
    if saver is None:
        saver = model._object_saver = ObjectSaver(model)
    return saver


def savers_names(model: Any) -> dict[str, Any]:
    """The variables of a model by the names that they have in checkpoints."""
    return {node.key: node.value for node in nodes_below(model) if node.attribute}


def load_weights(model: Any, filepath: Any, by_name: bool = False) -> Any:
    """Reads the weights of a model.

    Values of a checkpoint for variables that are made later are given to them then.

    Returns:
      What the checkpoint's `restore` returns; None for HDF5.

    Raises:
      AssertionError: The checkpoint has nothing for the model.
      NotImplementedError: A checkpoint is to be read `by_name`.
      ValueError: The model has no weights yet, or the file has others.
    """
    path = os.fspath(filepath)
    if os.path.isdir(path) and not os.path.exists(f"{path}.index"):
        path = latest_checkpoint(path) or path
    if not path.endswith(HDF5_EXTENSIONS) and _is_checkpoint(path):
        if by_name:
            raise NotImplementedError(
                "Weights may only be loaded based on topology into Models when loading "
                "TensorFlow-formatted weights (got by_name=True to load_weights)."
            )
        return _load_checkpoint(model, path)
    model._assert_weights_created()
    with hdf5.h5py_module().File(path, "r") as file:
        is_model = "layer_names" not in file.attrs and "model_weights" in file
        group = file["model_weights"] if is_model else file
        if by_name:
            hdf5.load_weights_from_hdf5_group_by_name(group, model.layers)
        else:
            hdf5.load_weights_from_hdf5_group(group, model.layers)
    return None


def _is_checkpoint(path: str) -> bool:
    """Whether there is a checkpoint, and no file of another kind.

    Raises:
      NotFoundError: There is nothing.
    """
    try:
        new_checkpoint_reader(path)
    except DataLossError:
        return False
    return True


class _Streaming:
    """Gives variables that are made later their values of a checkpoint."""

    def __init__(self, status: ObjectStatus) -> None:
        self._status = status
        self._graph = K.get_graph()
        self._count = self._made()

    def _made(self) -> int:
        return len(self._graph.get_collection_ref(GraphKeys.GLOBAL_VARIABLES))

    def __call__(self, session: Any) -> None:
        made = self._made()
        if session.graph is self._graph and made != self._count:
            self._count = made
            self._status.restore_new(session)


def _load_checkpoint(model: Any, path: str) -> Any:
    session = K.get_session()
    status = _saver_of(model).restore(path)
    if isinstance(status, NameStatus):
        _load_names(model, path, session)
        return status
    status.run_restore_ops(session)
    status.assert_nontrivial_match()
    if isinstance(status, ObjectStatus):
        model._streaming = _Streaming(status)
        K.restore_later(model._streaming)
    return status


def _load_names(model: Any, path: str, session: Any) -> None:
    """Reads a checkpoint that does not tell of objects: by keys of objects, or names of nodes.

    Raises:
      ValueError: A variable has no value.
    """
    there = new_checkpoint_reader(path).get_variable_to_shape_map()
    found = {}
    for key, variable in savers_names(model).items():
        known = key if key in there else variable.op.name
        if known not in there:
            raise ValueError(f"The checkpoint {path} has no values for {variable.name}.")
        found[known] = variable
    if found:
        Saver(found).restore(session, path)
