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
        layers = [make(each) for each in model.layers]
        if input_tensors is not None:
            start = nest.flatten(input_tensors)[0]
            if history_of(start) is None:
                start = Input(tensor=start, name=f"input_wrapper_for_{start.op.name}")
            layers.insert(0, history_of(start).layer)
        elif model._is_graph_network:
            layers.insert(0, _again(history_of(model.inputs[0]).layer))
        return Sequential(layers, name=model.name)
    if not model._is_graph_network:
        raise ValueError(
            "Expected `model` argument to be a functional `Model` instance, but got a subclass "
            "model instead."
        )
    made: dict[int, Any] = {}
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

    def changed(item: Any) -> Any:
        return values.get(id(item), item)

    for node in model._ordered_nodes:
        layer = node.outbound_layer
        if isinstance(layer, InputLayer):
            continue
        if id(layer) not in made:
            made[id(layer)] = make(layer)
        given = nest.map_structure(changed, node.arguments) if node.arguments else {}
        outputs = made[id(layer)](nest.map_structure(changed, node.input_tensors), **given)
        old = nest.flatten(node.output_tensors)
        values.update(zip(map(id, old), nest.flatten(outputs), strict=True))

    ends = [
        nest.map_structure(changed, each) for each in (model._nested_inputs, model._nested_outputs)
    ]
    clone = Model(*ends, name=model.name)
    clone._insert_beside(made.values())
    return clone


def _again(layer: Any) -> Any:
    if isinstance(layer, Model):
        return clone_model(layer)
    return type(layer).from_config(layer.get_config())
