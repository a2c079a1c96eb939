"""save_model and load_model."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from dataflow.keras.engine.sequential import Sequential
from dataflow.keras.saving import hdf5, saved_model
from dataflow.keras.saving.files import HDF5_EXTENSIONS, may_write


def save_model(
    model: Any,
    filepath: Any,
    overwrite: bool = True,
    include_optimizer: bool = True,
    save_format: str | None = None,
    signatures: Any = None,
) -> None:
    """Writes a model into a file of HDF5, or as a SavedModel.

    Args:
      model: The model.
      filepath: Name of the file or of the SavedModel's folder, or an open file, of h5py or of
        bytes.
      overwrite: Whether one of this name is replaced; otherwise it is an error.
      include_optimizer: Whether what the model was compiled with is written, in HDF5 with the
        optimizer's state.
      save_format: "h5"; or "tf" for a SavedModel, whose graph gives the predictions.
      signatures: Not supported: a SavedModel has that of the predictions.

    Raises:
      EOFError: There is a file already that may not be replaced, and nobody to ask.
      NotImplementedError: The model has a `call` of its own, which HDF5 cannot tell.
      ValueError: There is no such format.
    """
    if save_format not in (None, "h5", "tf"):
        raise ValueError(f'Unknown format "{save_format}". Was expecting one of {{"tf", "h5"}}.')
    is_path = isinstance(filepath, (str, os.PathLike))
    path = os.fspath(filepath) if is_path else ""
    if save_format == "tf" and is_path and not path.endswith(HDF5_EXTENSIONS):
        if may_write(path, overwrite):
            saved_model.write_saved_model(
                model, path, with_training=include_optimizer, overwrite=True
            )
        return
    if not (model._is_graph_network or isinstance(model, Sequential)):
        raise NotImplementedError(
            "Saving the model to HDF5 format requires the model to be a Functional model or a "
            "Sequential model. It does not work for subclassed models, because such models are "
            "defined via the body of a Python method, which isn't safely serializable. Consider "
            'saving to the Tensorflow SavedModel format (by setting save_format="tf") or using '
            "`save_weights`."
        )
    if not is_path:
        with _opened(filepath, "w") as file:
            hdf5.save_model_to_hdf5(model, file, include_optimizer)
    elif may_write(path, overwrite):
        with hdf5.h5py_module().File(path, "w") as file:
            hdf5.save_model_to_hdf5(model, file, include_optimizer)


def load_model(filepath: Any, custom_objects: Any = None, compile: bool = True) -> Any:
    """The model of a file of HDF5, or of a SavedModel.

    Args:
      filepath: Name of the file or of the SavedModel's folder, or an open file, of h5py or of
        bytes.
      custom_objects: Name -> function or class of a program's own.
      compile: Whether it is compiled as it was.

    Raises:
      OSError: There is no such file.
      ValueError: It holds no model.
    """
    if not isinstance(filepath, (str, os.PathLike)):
        with _opened(filepath, "r") as file:
            return hdf5.load_model_from_hdf5(file, custom_objects, compile)
    path = os.fspath(filepath)
    if not os.path.exists(path):
        raise OSError(f"SavedModel file does not exist at: {path}")
    if os.path.isdir(path):
        return saved_model.read_saved_model(path, custom_objects, compile)
    with hdf5.h5py_module().File(path, "r") as file:
        return hdf5.load_model_from_hdf5(file, custom_objects, compile)


def _opened(file: Any, mode: str) -> AbstractContextManager[Any]:
    """A file of h5py as it is, left open; a file of bytes as one of h5py."""
    return nullcontext(file) if hasattr(file, "attrs") else hdf5.h5py_module().File(file, mode)
