"""Sequential: a model of layers one behind the other."""

from __future__ import annotations

from typing import Any

import dataflow.library.layers.base as library
from dataflow.keras.engine.input_layer import Input, InputLayer
from dataflow.keras.engine.node import Node
from dataflow.keras.engine.refusals import refuse_legacy
from dataflow.keras.engine.training import Model
from dataflow.keras.objects import serialize_keras_object
from dataflow.values import nest


class Sequential(Model):
    """Layers one behind the other.

    The variables are made at once if the first layer knows the shape of its inputs, else when the
    model is called or trained first.

    Args:
      layers: The layers.
      name: Name of the model.
    """

    _self_stack: Any = ()

    def __init__(self, layers: Any = None, name: str | None = None) -> None:
        super().__init__(name=name)
        self._self_stack = []
        self._self_beside: list[Any] = []
        self._was_deferred = False
        self.supports_masking = True
        for each in layers if isinstance(layers, (list, tuple)) else [layers]:
            if each is not None:
                self.add(each)

    @property
    def layers(self) -> list[Any]:
        """The layers, without the one of the input."""
        return [each for each in self._self_stack if not isinstance(each, InputLayer)]

    def _self_groups(self) -> list[Any]:
        return list(self._self_stack)

    def _self_held(self) -> list[Any]:
        return self._self_groups()

    def _self_insert(self, nodes: list[Node], layers: list[Any]) -> None:
        known = {id(each) for each in self._self_stack}
        super()._self_insert(nodes, layers)
        further = [each for each in layers if id(each) not in known]
        self._self_stack += further
        self._self_beside += further

    def _numbered_layers(self) -> list[Any]:
        # Layers got their numbers before there was one for the input.
        return self.layers if self._was_deferred else super()._numbered_layers()

    def _checkpoint_children(self) -> dict[str, Any]:
        """The layers by their numbers; see `Network`."""
        found = super()._checkpoint_children()
        if not self._was_deferred:
            return found
        return dict(sorted(found.items(), key=lambda each: each[0].startswith("layer_with_w")))

    def add(self, layer: Any) -> None:
        """Puts a layer behind the others; a tensor of `Input` stands for the layer that gives it.

        Raises:
          TypeError: It is no layer, or gives several tensors.
          ValueError: It is the first one, and gives several tensors.
        """
        made_by = getattr(getattr(layer, "_keras_history", None), "layer", None)
        if isinstance(made_by, InputLayer):
            layer = made_by
        if not isinstance(layer, library.BaseLayer):
            raise TypeError(f"The added layer must be an instance of class Layer. Found: {layer}")
        refuse_legacy([layer])
        self.built = False
        if not self._self_stack and not isinstance(layer, InputLayer):
            shape, kind = _first_shape(layer)
            if shape is not None:
                start = Input(batch_shape=shape, dtype=kind, name=f"{layer.name}_input")
                self._self_stack.append(start._keras_history.layer)
                self.outputs = [start]
        if isinstance(layer, InputLayer):
            self.outputs = nest.flatten(layer._inbound_nodes[-1].output_tensors)
        elif self.outputs is not None:
            made = layer(self.outputs[0])
            if isinstance(made, (list, tuple)):
                error = TypeError if self.layers else ValueError
                raise error(
                    "All layers in a Sequential model should have a single output tensor. For "
                    "multi-output layers, use the functional API."
                )
            self.outputs = [made]
        # Called on placeholders of a batch's shape, it is still no network of tensors.
        was_called = bool(self._self_stack) and not isinstance(self._self_stack[0], InputLayer)
        self._self_stack.append(layer)
        self._was_deferred |= self.outputs is None
        if was_called and self.outputs is not None:
            self._self_set_ends(self.inputs, self.outputs)
            self.built = True
        elif self.outputs is not None:
            self._self_connect()

    def _self_connect(self) -> None:
        # Losses and metrics that were added belong to the outputs that there were.
        beside = {id(each) for each in self._self_beside}
        self._self_stack = [each for each in self._self_stack if id(each) not in beside]
        self._self_beside = []
        start = self._self_stack[0]._inbound_nodes[0].output_tensors
        self._inbound_nodes.clear()
        self._self_calls.clear()
        self._init_graph_network(start, self.outputs[0])

    def pop(self) -> None:
        """Takes the last layer away.

        Raises:
          TypeError: There is none.
        """
        if not self.layers:
            raise TypeError("There are no layers in the model.")
        self._self_stack.pop()
        self._is_graph_network = self.built = False
        if not self.layers:
            self._self_stack.clear()
            self.inputs = self.outputs = None
        elif self.outputs is not None:
            self.outputs = [self._self_stack[-1].output]
            self._self_stack[-1]._outbound_nodes = []
            self._self_connect()

    def build(self, input_shape: Any = None) -> None:
        """Makes the variables for inputs of a shape.

        Raises:
          ValueError: There is no shape.
        """
        if self._is_graph_network:
            self.built = True
            return
        if input_shape is None:
            raise ValueError("You must provide an `input_shape` argument.")
        from dataflow.keras.engine import context

        self._build_input_shape = input_shape
        if context.in_call():
            self.built = True
            return
        if not self.built:
            stack, self._self_stack = self._self_stack, []
            start = Input(batch_shape=tuple(_sizes(input_shape)))
            self.add(start._keras_history.layer)
            for each in stack:
                self.add(each)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of what the last layer gives."""
        for each in self.layers:
            input_shape = each.compute_output_shape(input_shape)
        return input_shape

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """The outputs for other inputs."""
        if self._is_graph_network:
            return super().call(inputs, training=training, mask=mask)
        result = inputs
        for each in self.layers:
            names = getattr(each, "_self_call_names", ())
            more = {}
            if "training" in names and training is not None:
                more["training"] = training
            if "mask" in names and mask is not None:
                more["mask"] = mask
            result = each(result, **more)
            mask = getattr(result, "_keras_mask", None)
        return result

    def predict_proba(self, x: Any, batch_size: int = 32, verbose: int = 0) -> Any:
        """What `predict` gives."""
        return self.predict(x, batch_size, verbose)

    def predict_classes(self, x: Any, batch_size: int = 32, verbose: int = 0) -> Any:
        """The likeliest classes."""
        found = self.predict(x, batch_size=batch_size, verbose=verbose)
        if found.shape[-1] > 1:
            return found.argmax(axis=-1)
        return (found > 0.5).astype("int32")

    def get_config(self) -> dict[str, Any]:
        """The layers."""
        config: dict[str, Any] = {
            "name": self.name,
            "layers": [serialize_keras_object(each) for each in self.layers],
        }
        if hasattr(self, "_build_input_shape"):
            config["build_input_shape"] = self._build_input_shape
        return config

    @classmethod
    def from_config(cls, config: Any, custom_objects: Any = None) -> Any:
        """A model of what `get_config` gave."""
        from dataflow.keras.layers import deserialize

        if isinstance(config, list):
            config = {"layers": config}
        model = cls(name=config.get("name"))
        for each in config["layers"]:
            model.add(deserialize(each, custom_objects=custom_objects))
        if not model.inputs and config.get("build_input_shape"):
            model.build(config["build_input_shape"])
        return model


def _first_shape(layer: Any) -> tuple[Any, Any]:
    """The shape of the inputs that a layer, or the first layer of a model, was made for."""
    first = layer
    while isinstance(first, Model):
        if not first.layers:
            raise ValueError("Cannot add an empty model to a `Sequential` model.")
        if first._is_graph_network:
            first = first.inputs[0]._keras_history.layer
            break
        first = first.layers[0]
    return getattr(first, "_batch_input_shape", None), first.dtype


def _sizes(shape: Any) -> list[Any]:
    return [getattr(each, "value", each) for each in shape]
