"""save_model and load_model."""

from __future__ import annotations

import os
from typing import Any

from dataflow.keras.saving import hdf5


def save_model(
    model: Any,
    filepath: Any,
    overwrite: bool = True,
    include_optimizer: bool = True,
    save_format: str | None = None,
    signatures: Any = None,
) -> None:
    """Writes a model into a file of HDF5.

    Args:
      model: The model.
      filepath: Name of the file, or an open one of h5py.
      overwrite: Whether a file of this name is replaced; otherwise it is an error.
      include_optimizer: Whether the optimizer's state is written.
      save_format: "h5"; a model as "tf" is what `tf.saved_model.simple_save` writes.
      signatures: Not supported.

    Raises:
      FileExistsError: There is such a file, and it may not be replaced.
      NotImplementedError: The model has no configuration, or the format is another.
    """
    if save_format == "tf":
        raise NotImplementedError(
            "dataflow writes models of tf.keras as HDF5; tf.saved_model.simple_save writes graphs."
        )
    if not isinstance(filepath, (str, os.PathLike)):
        hdf5.save_model_to_hdf5(model, filepath, include_optimizer)
        return
    path = os.fspath(filepath)
    check_path(path, overwrite)
    with hdf5.h5py_module().File(path, "w") as file:
        hdf5.save_model_to_hdf5(model, file, include_optimizer)


def check_path(path: str, overwrite: bool) -> None:
    """Raises FileExistsError if there is a file that may not be replaced; makes folders."""
    if os.path.exists(path) and not overwrite:
        raise FileExistsError(f"{path} exists, and overwrite is False.")
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)


def load_model(filepath: Any, custom_objects: Any = None, compile: bool = True) -> Any:
    """The model of a file of HDF5.

    Args:
      filepath: Name of the file, or an open one of h5py.
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
    with hdf5.h5py_module().File(path, "r") as file:
        return hdf5.load_model_from_hdf5(file, custom_objects, compile)
