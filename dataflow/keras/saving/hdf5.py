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


def _write_names(group: Any, name: str, names: list[bytes]) -> None:
    longest = max((len(each) for each in names), default=1)
    per_part = max(1, _MOST // longest)
    if len(names) <= per_part:
        group.attrs[name] = names
        return
    for part, start in enumerate(range(0, len(names), per_part)):
        group.attrs[f"{name}{part}"] = names[start : start + per_part]


def _read_names(group: Any, name: str) -> list[str]:
    found: list[Any] = []
    if name in group.attrs:
        found = list(group.attrs[name])
    else:
        part = 0
        while f"{name}{part}" in group.attrs:
            found += list(group.attrs[f"{name}{part}"])
            part += 1
    return [each.decode() if isinstance(each, bytes) else str(each) for each in found]


def _weights_of(layer: Any) -> list[Any]:
    """The variables of a layer in the order in which files have them."""
    return [*layer.trainable_weights, *layer.non_trainable_weights]


def save_weights_to_group(group: Any, layers: Any) -> None:
    """Writes the weights of layers, each layer's in a group of its name."""
    _write_names(group, "layer_names", [each.name.encode() for each in layers])
    group.attrs["backend"] = b"tensorflow"
    group.attrs["keras_version"] = VERSION.encode()
    for layer in layers:
        own = group.create_group(layer.name)
        weights = _weights_of(layer)
        values = K.batch_get_value(weights)
        names = [each.name.encode() for each in weights]
        _write_names(own, "weight_names", names)
        for name, value in zip(names, values, strict=True):
            own.create_dataset(name.decode(), data=np.asarray(value))


def load_weights_from_group(group: Any, layers: Any) -> None:
    """Reads the weights of layers in their order.

    Raises:
      ValueError: The file has others.
    """
    wanted = [each for each in layers if each.weights]
    names = [
        name
        for name in _read_names(group, "layer_names")
        if _read_names(group[name], "weight_names")
    ]
    if len(names) != len(wanted):
        raise ValueError(
            f"You are trying to load a weight file containing {len(names)} layers into a model "
            f"with {len(wanted)} layers."
        )
    pairs = []
    for index, (name, layer) in enumerate(zip(names, wanted, strict=True)):
        weights, values = _weights_of(layer), _values(group[name], layer)
        if len(values) != len(weights):
            raise ValueError(
                f'Layer #{index} (named "{layer.name}" in the current model) was found to '
                f"correspond to layer {name} in the save file. However the new layer "
                f"{layer.name} expects {len(weights)} weights, but the saved weights have "
                f"{len(values)} elements."
            )
        pairs += list(zip(weights, values, strict=True))
    _check_shapes(pairs)
    K.batch_set_value(pairs)


def load_weights_by_name(group: Any, layers: Any) -> None:
    """Reads the weights of layers of the same names.

    Raises:
      ValueError: A layer has another number of them, or another shape.
    """
    there = set(_read_names(group, "layer_names"))
    pairs = []
    for layer in layers:
        if layer.name not in there:
            continue
        weights, values = _weights_of(layer), _values(group[layer.name], layer)
        if len(values) != len(weights):
            raise ValueError(
                f'Layer (named "{layer.name}") expects {len(weights)} weight(s), but the saved '
                f"weights have {len(values)} element(s)."
            )
        pairs += list(zip(weights, values, strict=True))
    _check_shapes(pairs)
    K.batch_set_value(pairs)


def _values(group: Any, layer: Any) -> list[Any]:
    values = [np.asarray(group[name]) for name in _read_names(group, "weight_names")]
    convert = getattr(layer, "_converted_weights", None)
    return convert(values) if convert else values


def _check_shapes(pairs: list[Any]) -> None:
    for variable, value in pairs:
        if tuple(variable.shape.as_list()) != tuple(value.shape):
            raise ValueError(
                f"Shapes {tuple(variable.shape.as_list())} and {tuple(value.shape)} are "
                f"incompatible: weight {variable.name}"
            )


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
    save_weights_to_group(file.create_group("model_weights"), model.layers)
    training = training_config(model) if include_optimizer else None
    if training is None:
        return
    file.attrs["training_config"] = json.dumps(training, default=json_value).encode()
    optimizer = model.optimizer
    if optimizer.weights:
        group = file.create_group("optimizer_weights")
        names = [each.name.encode() for each in optimizer.weights]
        _write_names(group, "weight_names", names)
        values = K.batch_get_value(optimizer.weights)
        for name, value in zip(names, values, strict=True):
            group.create_dataset(name.decode(), data=np.asarray(value))


def load_model_from_hdf5(file: Any, custom_objects: Any = None, compile: bool = True) -> Any:
    """Reads a model.

    Raises:
      ValueError: The file has no configuration.
    """
    told = file.attrs.get("model_config")
    if told is None:
        raise ValueError("No model found in config file.")
    model = model_from_config(json.loads(_text(told)), custom_objects)
    load_weights_from_group(file["model_weights"], model.layers)
    trained = file.attrs.get("training_config")
    if not compile or trained is None:
        return model
    compile_as_told(model, json.loads(_text(trained)), custom_objects)
    if "optimizer_weights" in file and model.inputs is not None:
        model._make_train_function()
        group = file["optimizer_weights"]
        values = [np.asarray(group[name]) for name in _read_names(group, "weight_names")]
        model.optimizer.set_weights(values)
    return model


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
