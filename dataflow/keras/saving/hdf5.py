"""Weights and models in files of HDF5, laid out as Keras does."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from dataflow.keras import backend as K
from dataflow.keras.saving.configs import (
    VERSION,
    compile_as_told,
    json_value,
    model_config,
    model_from_config,
    training_config,
)
from dataflow.keras.saving.converted import (
    preprocess_weights_for_loading as preprocess_weights_for_loading,
)
from dataflow.values.logging import warning

_MOST = 64512
"""Bytes of an attribute: longer lists are split."""


def h5py_module() -> Any:
    """The package h5py.

    Raises:
      ImportError: It is not installed.
    """
    import importlib

    try:
        return importlib.import_module("h5py")
    except ImportError:
        raise ImportError("Models in HDF5 need h5py: pip install 'dataflow-ray[weights]'") from None


def save_attributes_to_hdf5_group(group: Any, name: str, data: Any) -> None:
    """Writes a list of byte strings as an attribute, or in parts if it is too long for one.

    Raises:
      RuntimeError: A string alone is too long.
    """
    long = [each for each in data if len(each) > _MOST]
    if long:
        raise RuntimeError(
            "The following attributes cannot be saved to HDF5 file because they are larger than "
            f"{_MOST} bytes: {', '.join(map(str, long))}"
        )
    longest = max((len(each) for each in data), default=1)
    per_part = max(1, _MOST // longest)
    if len(data) <= per_part:
        group.attrs[name] = data
        return
    for part, start in enumerate(range(0, len(data), per_part)):
        group.attrs[f"{name}{part}"] = data[start : start + per_part]


def load_attributes_from_hdf5_group(group: Any, name: str) -> list[str]:
    """The strings of such an attribute."""
    found: list[Any] = []
    if name in group.attrs:
        found = list(group.attrs[name])
    else:
        part = 0
        while f"{name}{part}" in group.attrs:
            found += list(group.attrs[f"{name}{part}"])
            part += 1
    return [_text(each) for each in found]


def _weights_of(layer: Any) -> list[Any]:
    """The variables of a layer in the order in which files have them."""
    return [*layer.trainable_weights, *layer.non_trainable_weights]


def save_weights_to_hdf5_group(group: Any, layers: Any) -> None:
    """Writes the weights of layers, each layer's in a group of its name."""
    save_attributes_to_hdf5_group(group, "layer_names", [each.name.encode() for each in layers])
    group.attrs["backend"] = b"tensorflow"
    group.attrs["keras_version"] = VERSION.encode()
    for layer in layers:
        own = group.create_group(layer.name)
        weights = _weights_of(layer)
        values = K.batch_get_value(weights)
        names = [each.name.encode() for each in weights]
        save_attributes_to_hdf5_group(own, "weight_names", names)
        for name, value in zip(names, values, strict=True):
            own.create_dataset(name.decode(), data=np.asarray(value))


def load_weights_from_hdf5_group(group: Any, layers: Any) -> None:
    """Reads the weights of layers in their order.

    Raises:
      ValueError: The file has others.
    """
    wanted = [each for each in layers if each.weights]
    names = [
        name
        for name in load_attributes_from_hdf5_group(group, "layer_names")
        if load_attributes_from_hdf5_group(group[name], "weight_names")
    ]
    if len(names) != len(wanted):
        raise ValueError(
            f"You are trying to load a weight file containing {len(names)} layers into a model "
            f"with {len(wanted)} layers."
        )
    pairs = []
    for index, (name, layer) in enumerate(zip(names, wanted, strict=True)):
        weights, values = _weights_of(layer), _values(group, name, layer)
        if len(values) != len(weights):
            raise ValueError(
                f'Layer #{index} (named "{layer.name}" in the current model) was found to '
                f"correspond to layer {name} in the save file. However the new layer "
                f"{layer.name} expects {len(weights)} weights, but the saved weights have "
                f"{len(values)} elements."
            )
        pairs += list(zip(weights, values, strict=True))
    for variable, value in pairs:
        if tuple(variable.shape.as_list()) != tuple(value.shape):
            raise ValueError(
                f"Shapes {tuple(variable.shape.as_list())} and {tuple(value.shape)} are "
                f"incompatible: weight {variable.name}"
            )
    K.batch_set_value(pairs)


def load_weights_from_hdf5_group_by_name(group: Any, layers: Any) -> None:
    """Reads the weights of layers of the same names.

    Raises:
      ValueError: A layer has another number of them, or another shape.
    """
    named: dict[str, list[Any]] = {}
    for layer in layers:
        named.setdefault(layer.name, []).append(layer)
    pairs = []
    for index, name in enumerate(load_attributes_from_hdf5_group(group, "layer_names")):
        for layer in named.get(name, ()):
            place = f'Layer #{index} (named "{layer.name}")'
            weights, values = _weights_of(layer), _values(group, name, layer)
            if len(values) != len(weights):
                raise ValueError(
                    f"{place} expects {len(weights)} weight(s), but the saved weights have "
                    f"{len(values)} element(s)."
                )
            for variable, value in zip(weights, values, strict=True):
                shape = tuple(variable.shape.as_list())
                if shape != tuple(value.shape):
                    raise ValueError(
                        f"{place}, weight {variable} has shape {shape}, but the saved weight has "
                        f"shape {tuple(value.shape)}."
                    )
                pairs.append((variable, value))
    K.batch_set_value(pairs)


def _values(group: Any, name: str, layer: Any) -> list[Any]:
    """The arrays of a layer's group, as this layer has them."""
    own = group[name]
    names = load_attributes_from_hdf5_group(own, "weight_names")
    version = _text(group.attrs["keras_version"]) if "keras_version" in group.attrs else "1"
    written_by = _text(group.attrs["backend"]) if "backend" in group.attrs else None
    arrays = [np.asarray(own[each]) for each in names]
    return preprocess_weights_for_loading(layer, arrays, version, written_by)


def save_model_to_hdf5(model: Any, file: Any, include_optimizer: bool = True) -> None:
    """Writes a model into an open file: configuration, weights, and what trains it."""
    for key, value in model_config(model).items():
        if key in ("class_name", "config"):
            continue
        file.attrs[key] = value.encode()
    config = {
        key: value for key, value in model_config(model).items() if key in ("class_name", "config")
    }
    file.attrs["model_config"] = json.dumps(config, default=json_value).encode()
    save_weights_to_hdf5_group(file.create_group("model_weights"), model.layers)
    training = training_config(model) if include_optimizer else None
    if training is None:
        return
    file.attrs["training_config"] = json.dumps(training, default=json_value).encode()
    save_optimizer_weights_to_hdf5_group(file, model.optimizer)


def save_optimizer_weights_to_hdf5_group(group: Any, optimizer: Any) -> None:
    """Writes the variables of an optimizer, if it has some, into a group of theirs."""
    if not optimizer.weights:
        return
    own = group.create_group("optimizer_weights")
    names = [each.name.encode() for each in optimizer.weights]
    save_attributes_to_hdf5_group(own, "weight_names", names)
    for name, value in zip(names, K.batch_get_value(optimizer.weights), strict=True):
        own.create_dataset(name.decode(), data=np.asarray(value))


def load_optimizer_weights_from_hdf5_group(group: Any) -> list[Any]:
    """The values of an optimizer's variables."""
    own = group["optimizer_weights"]
    names = load_attributes_from_hdf5_group(own, "weight_names")
    return [np.asarray(own[name]) for name in names]


def load_model_from_hdf5(file: Any, custom_objects: Any = None, compile: bool = True) -> Any:
    """Reads a model.

    Raises:
      ValueError: The file has no configuration.
    """
    told = file.attrs.get("model_config")
    if told is None:
        raise ValueError("No model found in config file.")
    model = model_from_config(json.loads(_text(told)), custom_objects)
    load_weights_from_hdf5_group(file["model_weights"], model.layers)
    trained = file.attrs.get("training_config")
    if not compile or trained is None:
        return model
    compile_as_told(model, json.loads(_text(trained)), custom_objects)
    if "optimizer_weights" in file and model._is_graph_network:
        model._make_train_function()
        try:
            model.optimizer.set_weights(load_optimizer_weights_from_hdf5_group(file))
        except ValueError:
            warning(
                "Error in loading the saved optimizer state. As a result, your model is starting "
                "with a freshly initialized optimizer."
            )
    return model


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
