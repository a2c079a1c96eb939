"""Weights of models in files: HDF5, or checkpoints."""

from __future__ import annotations

import os
from typing import Any

from dataflow.checkpoints.writer import BundleWriter
from dataflow.keras import backend as K
from dataflow.keras.saving import hdf5
from dataflow.keras.saving.files import check_path
from dataflow.saving.reading import new_checkpoint_reader
from dataflow.saving.state import latest_checkpoint, update_checkpoint_state
from dataflow.values.dtypes import as_dtype
from dataflow.variables.base import BaseVariable

_SUFFIX = "/.ATTRIBUTES/VARIABLE_VALUE"
_H5 = (".h5", ".keras", ".hdf5")


def save_weights(
    model: Any, filepath: Any, overwrite: bool = True, save_format: str | None = None
) -> None:
    """Writes the weights of a model.

    Raises:
      ValueError: There is no such format, or the model has no weights yet.
    """
    path = os.fspath(filepath)
    chosen = save_format or ("h5" if path.endswith(_H5) else "tf")
    chosen = {"hdf5": "h5", "keras": "h5", "tensorflow": "tf"}.get(chosen, chosen)
    if chosen not in ("h5", "tf"):
        raise ValueError(f'Unknown format "{save_format}". Was expecting one of {{"tf", "h5"}}.')
    if not model.built:
        raise ValueError(
            f"Unable to save weights of {model.name}: the model has not been built, so it has none."
        )
    check_path(path, overwrite)
    if chosen == "h5":
        with hdf5.h5py_module().File(path, "w") as file:
            hdf5.save_weights_to_group(file, model.layers)
        return
    named = paths_of(model)
    values = K.batch_get_value(list(named.values()))
    writer = BundleWriter(path)
    for name, value in sorted(zip(named, values, strict=True), key=lambda pair: pair[0]):
        writer.add(name + _SUFFIX, as_dtype(value.dtype), value)
    writer.finish()
    update_checkpoint_state(os.path.dirname(path) or ".", path)


def paths_of(model: Any) -> dict[str, Any]:
    """Each variable by the attributes that lead to it, layers of a model by their number."""
    found: dict[str, Any] = {}
    seen: set[int] = set()

    def walk(layer: Any, prefix: str) -> None:
        if isinstance(getattr(layer, "layers", None), list):
            weighted = [each for each in layer.layers if each.weights]
            for number, each in enumerate(weighted):
                walk(each, f"{prefix}layer_with_weights-{number}/")
            return
        for name, value in vars(layer).items():
            if (
                isinstance(value, BaseVariable)
                and id(value) not in seen
                and not name.startswith("_")
            ):
                seen.add(id(value))
                found[prefix + name] = value
        for name, value in vars(layer).items():
            if hasattr(value, "weights") and hasattr(value, "call") and value is not layer:
                walk(value, f"{prefix}{name}/")
        rest = [each for each in layer.weights if id(each) not in seen]
        for number, each in enumerate(rest):
            seen.add(id(each))
            found[f"{prefix}_weights/{number}"] = each

    walk(model, "")
    return found


def savers_names(model: Any) -> dict[str, Any]:
    """The variables of a model by the names that they have in checkpoints."""
    return {name + _SUFFIX: each for name, each in paths_of(model).items()}


def load_weights(model: Any, filepath: Any, by_name: bool = False) -> Any:
    """Reads the weights of a model.

    Raises:
      ValueError: The model has no weights yet, or the file has others.
    """
    path = os.fspath(filepath)
    if not model.built:
        raise ValueError(
            "Unable to load weights saved in HDF5 format into a subclassed Model which has not "
            "created its variables yet. Call the Model first, then load the weights."
        )
    if os.path.isdir(path):
        path = latest_checkpoint(path) or path
    if os.path.exists(f"{path}.index"):
        if by_name:
            raise NotImplementedError(
                "Weights may only be loaded based on topology into Models when loading "
                "TensorFlow-formatted weights (got by_name=True to load_weights)."
            )
        return _load_checkpoint(model, path)
    with hdf5.h5py_module().File(path, "r") as file:
        group = file.get("model_weights", file)
        load = hdf5.load_weights_by_name if by_name else hdf5.load_weights_from_group
        load(group, model.layers)
    return None


class LoadStatus:
    """What `load_weights` of a checkpoint gives: everything has been read."""

    def assert_consumed(self) -> LoadStatus:
        """Nothing: what the model lacks is an error already."""
        return self

    assert_existing_objects_matched = expect_partial = assert_consumed

    def initialize_or_restore(self, session: Any = None) -> None:
        """Nothing: the values are there."""


def _load_checkpoint(model: Any, path: str) -> LoadStatus:
    reader = new_checkpoint_reader(path)
    there = reader.get_variable_to_shape_map()
    pairs = []
    for name, variable in paths_of(model).items():
        key = name + _SUFFIX
        if key not in there:
            key = variable.op.name
        if key not in there:
            raise ValueError(f"The checkpoint {path} has no values for {variable.name}.")
        pairs.append((variable, reader.get_tensor(key)))
    K.batch_set_value(pairs)
    return LoadStatus()
