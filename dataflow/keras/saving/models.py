"""save_model and load_model."""

from __future__ import annotations

import os
from typing import Any

from dataflow.keras.saving import hdf5, saved_model
from dataflow.keras.saving.files import check_path


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
      filepath: Name of the file or of the SavedModel's folder, or an open file of h5py.
      overwrite: Whether one of this name is replaced; otherwise it is an error.
      include_optimizer: Whether what the model was compiled with is written, in HDF5 with the
        optimizer's state.
      save_format: "h5"; or "tf" for a SavedModel, whose graph gives the predictions.
      signatures: Not supported: a SavedModel has that of the predictions.

    Raises:
      FileExistsError: There is such a file, and it may not be replaced.
      NotImplementedError: The model has no configuration, which HDF5 needs.
      ValueError: There is no such format.
    """
    if save_format == "tf":
        if os.path.exists(filepath) and not overwrite:
            raise FileExistsError(f"{filepath} exists, and overwrite is False.")
        saved_model.write_saved_model(
            model, filepath, with_training=include_optimizer, overwrite=overwrite
        )
        return
    if save_format not in (None, "h5"):
        raise ValueError(f'Unknown format "{save_format}". Was expecting one of {{"tf", "h5"}}.')
    if not isinstance(filepath, (str, os.PathLike)):
        hdf5.save_model_to_hdf5(model, filepath, include_optimizer)
        return
    path = os.fspath(filepath)
    check_path(path, overwrite)
    with hdf5.h5py_module().File(path, "w") as file:
        hdf5.save_model_to_hdf5(model, file, include_optimizer)


def load_model(filepath: Any, custom_objects: Any = None, compile: bool = True) -> Any:
    """The model of a file of HDF5, or of a SavedModel.

    Args:
      filepath: Name of the file or of the SavedModel's folder, or an open file of h5py.
      custom_objects: Name -> function or class of a program's own.
      compile: Whether it is compiled as it was.

    Raises:
      OSError: There is no such file.
      ValueError: It holds no model.
    """
    if not isinstance(filepath, (str, os.PathLike)):
        return hdf5.load_model_from_hdf5(filepath, custom_objects, compile)
    path = os.fspath(filepath)
    if not os.path.exists(path):
        raise OSError(f"SavedModel file does not exist at: {path}")
    if os.path.isdir(path):
        return saved_model.read_saved_model(path, custom_objects, compile)
    with hdf5.h5py_module().File(path, "r") as file:
        return hdf5.load_model_from_hdf5(file, custom_objects, compile)
