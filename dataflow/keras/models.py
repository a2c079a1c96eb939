"""tf.keras.models: models, and how they are copied, written and read."""

from __future__ import annotations

from typing import Any

from dataflow.keras.engine.input_layer import Input, InputLayer
from dataflow.keras.engine.node import history_of
from dataflow.keras.engine.sequential import Sequential as Sequential
from dataflow.keras.engine.training import Model as Model
from dataflow.keras.saving.configs import model_from_config as model_from_config
from dataflow.keras.saving.configs import model_from_json as model_from_json
from dataflow.keras.saving.configs import model_from_yaml as model_from_yaml
from dataflow.keras.saving.models import load_model as load_model
from dataflow.keras.saving.models import save_model as save_model
from dataflow.values import nest


def clone_model(model: Any, input_tensors: Any = None, clone_function: Any = None) -> Any:
    """A model of the same layers, with weights of its own.

    Args:
      model: A model of inputs and outputs, or a `Sequential`.
      input_tensors: Tensors that it begins with; placeholders like the model's if None.
      clone_function: Makes the new layer of each; one of the same configuration if None.

    Raises:
      ValueError: The model is a subclass with a `call` of its own.
    """
    make = clone_function or _again
    if isinstance(model, Sequential):
        beside = {id(each) for each in model._self_beside}
        layers = [make(each) for each in model.layers if id(each) not in beside]
        if input_tensors is not None:
            start = nest.flatten(input_tensors)[0]
            if history_of(start) is None:
                start = Input(tensor=start, name=f"input_wrapper_for_{start.op.name}")
            layers.insert(0, history_of(start).layer)
        elif model._is_graph_network:
            layers.insert(0, _again(history_of(model.inputs[0]).layer))
        again = Sequential(layers, name=model.name)
        if beside:
            values = {id(model.inputs[0]): again.inputs[0]}
            own = [each for each in model.layers if id(each) not in beside]
            for old, new in zip(own, again.layers, strict=True):
                values[id(old.output)] = new.output
            again._insert_beside(_replayed(model, make, values))
        return again
    if not model._is_graph_network:
        raise ValueError(
            "Expected `model` argument to be a functional `Model` instance, but got a subclass "
            "model instead."
        )
    if input_tensors is not None:
        starts = [
            each if history_of(each) is not None else Input(tensor=each)
            for each in nest.flatten(input_tensors)
        ]
    else:
        starts = [
            _again(history_of(each).layer)._inbound_nodes[0].output_tensors[0]
            for each in model.inputs
        ]
    values = {id(old): new for old, new in zip(model.inputs, starts, strict=True)}
    layers = _replayed(model, make, values)
    ends = [
        nest.map_structure(lambda item: values.get(id(item), item), each)
        for each in (model._nested_inputs, model._nested_outputs)
    ]
    clone = Model(*ends, name=model.name)
    clone._insert_beside(layers)
    return clone


def _replayed(model: Any, make: Any, values: dict[int, Any]) -> list[Any]:
    """Calls new layers as a model's were called where a result is not there yet.

    Args:
      model: The model.
      make: Makes a new layer of one.
      values: The id of a tensor of the model -> the one in its place; is given the results.

    Returns:
      The new layers.
    """
    made: dict[int, Any] = {}

    def changed(item: Any) -> Any:
        return values.get(id(item), item)

    for node in model._ordered_nodes:
        layer = node.outbound_layer
        old = nest.flatten(node.output_tensors)
        if isinstance(layer, InputLayer) or all(id(each) in values for each in old):
            continue
        if id(layer) not in made:
            made[id(layer)] = make(layer)
        given = nest.map_structure(changed, node.arguments) if node.arguments else {}
        outputs = made[id(layer)](nest.map_structure(changed, node.input_tensors), **given)
        values.update(zip(map(id, old), nest.flatten(outputs), strict=True))
    return list(made.values())


def _again(layer: Any) -> Any:
    if isinstance(layer, Model):
        return clone_model(layer)
    return type(layer).from_config(layer.get_config())
