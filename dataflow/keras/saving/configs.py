"""Models as plain values: their layers, and how these are called."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from dataflow.keras.engine.node import history_of
from dataflow.keras.objects import serialize_keras_object
from dataflow.values import nest

VERSION = "2.2.4-tf"
"""Of Keras, as files tell it."""


def network_config(network: Any) -> dict[str, Any]:
    """The layers of a network, and for each of its calls what it is called on."""
    nodes = {id(each) for each in network._ordered_nodes}
    numbers: dict[int, int] = {}
    for layer in network.layers:
        own = [each for each in layer._inbound_nodes if id(each) in nodes]
        numbers |= {id(each): place for place, each in enumerate(own)}

    def place(tensor: Any) -> list[Any]:
        layer, at, index = history_of(tensor)
        node = layer._inbound_nodes[at]
        return [layer.name, numbers.get(id(node), 0), index]

    layers = []
    for layer in network.layers:
        calls = []
        for node in layer._inbound_nodes:
            if id(node) not in nodes or not node.sources():
                continue
            if node.input_tensors is node.output_tensors:
                continue
            told = nest.map_structure(_plain(place), node.arguments) if node.arguments else {}
            calls.append([[*place(each), told] for each in nest.flatten(node.input_tensors)])
        layers.append({**serialize_keras_object(layer), "name": layer.name, "inbound_nodes": calls})
    return {
        "name": network.name,
        "layers": layers,
        "input_layers": _placed(place, network._nested_inputs),
        "output_layers": _placed(place, network._nested_outputs),
    }


def _placed(place: Any, tensors: Any) -> Any:
    """Tensors in their structure, one alone as a list of one."""
    placed = nest.map_structure(place, tensors)
    if isinstance(tensors, tuple):
        return list(placed)
    return placed if isinstance(tensors, (list, dict)) else [placed]


def _plain(place: Any) -> Any:
    def plain(value: Any) -> Any:
        if history_of(value) is not None:
            return {"keras_tensor": place(value)}
        return value.tolist() if hasattr(value, "tolist") else value

    return plain


def network_of(cls: type, config: dict[str, Any], custom_objects: Any = None) -> Any:
    """The network of what `network_config` told."""
    from dataflow.keras.layers import deserialize

    layers: dict[str, Any] = {}
    waiting: list[tuple[Any, list[Any]]] = []
    for each in config["layers"]:
        layer = layers[each["name"]] = deserialize(each, custom_objects)
        waiting += [(layer, call) for call in each["inbound_nodes"]]
    starts = {name: len(layer._inbound_nodes) for name, layer in layers.items()}
    for name, layer in layers.items():
        # A layer that holds a network has the call that made it.
        starts[name] = 1 if getattr(layer, "_is_graph_network", False) else 0

    def tensor(told: Any) -> Any:
        layer = layers[told[0]]
        at = told[1] if layer.__class__.__name__ == "InputLayer" else told[1] + starts[told[0]]
        if at >= len(layer._inbound_nodes):
            raise IndexError(told)
        return nest.flatten(layer._inbound_nodes[at].output_tensors)[told[2]]

    while waiting:
        later: list[tuple[Any, list[Any]]] = []
        blocked: set[int] = set()
        for layer, call in waiting:
            try:
                if id(layer) in blocked:
                    raise IndexError
                inputs = [tensor(told) for told in call]
                given = _restored(call[0][3] if len(call[0]) > 3 else {}, tensor)
            except IndexError:
                blocked.add(id(layer))
                later.append((layer, call))
                continue
            layer(inputs[0] if len(inputs) == 1 else inputs, **given)
        if len(later) == len(waiting):
            raise ValueError("The calls of the model's layers wait for each other.")
        waiting = later

    def ends(told: Any) -> Any:
        if isinstance(told, dict):
            return {key: ends(each) for key, each in told.items()}
        if told and isinstance(told[0], str):
            return tensor(told)
        found = [ends(each) for each in told]
        return found[0] if len(found) == 1 else found

    network = cls(
        inputs=ends(config["input_layers"]),
        outputs=ends(config["output_layers"]),
        name=config.get("name"),
    )
    network._insert_beside(layers.values())
    return network


def _restored(value: Any, tensor: Any) -> Any:
    if isinstance(value, dict):
        if set(value) == {"keras_tensor"}:
            return tensor(value["keras_tensor"])
        return {key: _restored(each, tensor) for key, each in value.items()}
    if isinstance(value, list):
        return [_restored(each, tensor) for each in value]
    return value


def json_value(value: Any) -> Any:
    """A value that JSON has no form of, as one that it has."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        # What stands for a dictionary that is an attribute.
        return {**value}
    if hasattr(value, "get_config"):
        return serialize_keras_object(value)
    if hasattr(value, "as_list"):
        return value.as_list()
    if hasattr(value, "name"):
        return value.name
    if isinstance(value, type) or callable(value):
        return value.__name__
    if hasattr(value, "value"):
        return value.value
    raise TypeError(f"Not JSON Serializable: {value}")


def model_config(model: Any) -> dict[str, Any]:
    """The class and configuration of a model, and who wrote them."""
    return {
        "class_name": type(model).__name__,
        "config": model.get_config(),
        "keras_version": VERSION,
        "backend": "tensorflow",
    }


def model_to_json(model: Any, **kwargs: Any) -> str:
    """The same as JSON."""
    return json.dumps(model_config(model), default=json_value, **kwargs)


def model_from_config(config: Any, custom_objects: Any = None) -> Any:
    """The model of a class and configuration.

    Raises:
      TypeError: It is a list.
    """
    from dataflow.keras.layers import deserialize

    if isinstance(config, list):
        raise TypeError(
            "`model_from_config` expects a dictionary, not a list. Maybe you meant to use "
            f"`Sequential.from_config(config)`? {config}"
        )
    return deserialize(config, custom_objects)


def model_from_json(json_string: str, custom_objects: Any = None) -> Any:
    """The model of what `to_json` gave, with new weights."""
    return model_from_config(json.loads(json_string), custom_objects)


def model_from_yaml(yaml_string: str, custom_objects: Any = None) -> Any:
    """The model of what `to_yaml` gave.

    Raises:
      ValueError: It is YAML that is no JSON.
    """
    try:
        return model_from_json(yaml_string, custom_objects)
    except json.JSONDecodeError:
        raise ValueError("dataflow reads models as JSON: `model_from_json`.") from None


def training_config(model: Any) -> dict[str, Any] | None:
    """What a model was compiled with, or None if it was not, or with an optimizer of tf.train."""
    optimizer = getattr(model, "optimizer", None)
    if optimizer is None or type(optimizer).__name__ == "TFOptimizer":
        return None
    return {
        "optimizer_config": {
            "class_name": type(optimizer).__name__,
            "config": optimizer.get_config(),
        },
        "loss": model.loss,
        "metrics": model._given_metrics,
        "weighted_metrics": model._given_weighted,
        "sample_weight_mode": model.sample_weight_mode,
        "loss_weights": model.loss_weights,
    }


def compile_as_told(model: Any, training: dict[str, Any], custom_objects: Any = None) -> None:
    """Compiles a model with what `training_config` told."""
    from dataflow.keras import losses, metrics, optimizers
    from dataflow.keras.objects import CustomObjectScope

    def metric(given: Any) -> Any:
        return given if isinstance(given, str) else metrics.get(given)

    with CustomObjectScope(custom_objects or {}):
        model.compile(
            optimizer=optimizers.deserialize(training["optimizer_config"], custom_objects),
            loss=_each(training["loss"], losses.get),
            metrics=_each(training.get("metrics"), metric),
            loss_weights=training.get("loss_weights"),
            sample_weight_mode=training.get("sample_weight_mode"),
            weighted_metrics=_each(training.get("weighted_metrics"), metric),
        )


def _each(given: Any, make: Any) -> Any:
    """Losses or metrics in the structure in which they were given."""
    if isinstance(given, dict) and "class_name" not in given:
        return {key: _each(each, make) for key, each in given.items()}
    if isinstance(given, list):
        return [_each(each, make) for each in given]
    return None if given is None else make(given)
