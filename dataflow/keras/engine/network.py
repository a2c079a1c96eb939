"""Network: layers that are called together, as one layer."""

from __future__ import annotations

from typing import Any

from dataflow.keras import backend, ops
from dataflow.keras.engine import context
from dataflow.keras.engine.ancillary import Extensible
from dataflow.keras.engine.base_layer import Layer
from dataflow.keras.engine.building import call_on_placeholders
from dataflow.keras.engine.graph_of_layers import map_graph
from dataflow.keras.engine.history import create_keras_history
from dataflow.keras.engine.holding import Overridable, kept, layers_of, trained
from dataflow.keras.engine.input_layer import InputLayer
from dataflow.keras.engine.measured import is_metric
from dataflow.keras.engine.node import Node, history_of
from dataflow.keras.engine.refusals import refuse_legacy
from dataflow.keras.engine.summary import print_summary
from dataflow.library.layers.tracked import once
from dataflow.values import nest

_OF_TENSORS = ("inputs", "outputs", "name", "trainable")


class _Appendable(list[Any]):
    """A list that passes on what is appended."""

    def __init__(self, items: list[Any], appended: list[Any]) -> None:
        super().__init__(items)
        self._appended = appended

    def append(self, item: Any) -> None:
        super().append(item)
        self._appended.append(item)


class Network(Extensible):
    """A model without its training: made of inputs and outputs, or of a subclass's `call`.

    Args:
      *args: `inputs` and `outputs`, tensors or structures of them; nothing for a subclass.
      **kwargs: The same by name, `name` and `trainable`.
    """

    _self_layers_of_graph: Any = ()
    _tells_held_metrics = True
    inputs: Any
    outputs: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        named = dict(zip(("inputs", "outputs", "name"), args, strict=False)) | kwargs
        is_graph = "inputs" in named and "outputs" in named
        if not is_graph and "inputs" not in kwargs:
            # A subclass may have given itself, which TensorFlow's does not look at.
            named = dict(kwargs)
        unknown = [each for each in named if is_graph and each not in _OF_TENSORS]
        if unknown:
            raise TypeError(
                "Functional models may only specify `name` and `trainable` keyword arguments "
                f"during initialization. Got an unexpected argument: {unknown[0]}"
            )
        super().__init__(
            trainable=named.pop("trainable", True),
            name=named.pop("name", None),
            **({} if is_graph else named),
        )
        self._is_graph_network = False
        self.inputs = self.outputs = None
        self._self_layers_of_graph = []
        self._layers_appended: list[Any] = []
        self._ordered_nodes: list[Node] = []
        if is_graph:
            self._init_graph_network(named.pop("inputs"), named.pop("outputs"))

    def _init_graph_network(self, inputs: Any, outputs: Any, name: Any = None) -> None:
        self._nested_inputs, self._nested_outputs = _single(inputs), _single(outputs)
        self.inputs, self.outputs = nest.flatten(inputs), nest.flatten(outputs)
        if len({id(each) for each in self.inputs}) != len(self.inputs):
            raise ValueError(
                "The list of inputs passed to the model is redundant. All inputs should only "
                f"appear once. Found: {self.inputs}"
            )
        if any(history_of(each) is None for each in self.outputs):
            create_keras_history(self.outputs)
        for each in (*self.inputs, *self.outputs):
            if history_of(each) is None:
                raise ValueError(
                    f"Tensors of {type(self).__name__} must come from `tf.keras.Input` or layers "
                    f"(thus holding past layer metadata), found: {each}"
                )
        graph = map_graph(self.inputs, self.outputs)
        refuse_legacy(graph.layers)
        self._ordered_nodes, self._self_layers_of_graph = graph.nodes, graph.layers
        self._is_graph_network = True
        self.built = True
        self._name_ends()
        Node(self, self._nested_inputs, self._nested_outputs, {})
        self._self_keep_call(self._nested_inputs, self._nested_outputs)

    def _name_ends(self) -> None:
        self.input_names = [history_of(each).layer.name for each in self.inputs]
        self.output_names = [history_of(each).layer.name for each in self.outputs]
        for names in (self.input_names, self.output_names):
            for index, name in enumerate(names):
                if names.index(name) != index:
                    names[index] = f"{name}_{names[:index].count(name)}"

    def _self_held(self) -> list[Any]:
        return self._self_groups() if self._is_graph_network else super()._self_held()

    def _self_groups(self) -> list[Any]:
        if not self._is_graph_network:
            return super()._self_groups()
        # What a model of tensors gets as an attribute is no part of it.
        return once([*self._self_layers_of_graph, *self._layers_appended])

    @property
    def _layers(self) -> list[Any]:
        """The layers, as a list that subclasses may append to."""
        return _Appendable(self._self_sublayers(), self._layers_appended)

    @_layers.setter
    def _layers(self, layers: Any) -> None:
        self._layers_appended = list(layers)

    @property
    def layers(self) -> list[Any]:
        """The layers, first to last."""
        found: list[Any] = self._self_sublayers()
        return found

    @Overridable
    def _input_layers(self) -> list[Any]:
        return [history_of(each).layer for each in self.inputs]

    @Overridable
    def _output_layers(self) -> list[Any]:
        return [history_of(each).layer for each in self.outputs]

    @property
    def input(self) -> Any:
        """The tensors that the model begins with."""
        return self._self_ends("inputs", 0)

    @property
    def output(self) -> Any:
        """The tensors that the model ends with."""
        return self._self_ends("outputs", 1)

    def _self_ends(self, what: str, place: int) -> Any:
        if self._is_graph_network:
            return (self._nested_inputs, self._nested_outputs)[place]
        known = getattr(self, what)
        if known is None:
            missing = ("is not connected, no input to return.", "has no inbound nodes.")[place]
            raise AttributeError(f"Layer {self.name} {missing}")
        return known[0] if len(known) == 1 else known

    @property
    def input_shape(self) -> Any:
        """The sizes of the inputs."""
        return self._sizes_of_ends("input", 0)

    @property
    def output_shape(self) -> Any:
        """The sizes of the outputs."""
        return self._sizes_of_ends("output", 1)

    def _sizes_of_ends(self, what: str, place: int) -> Any:
        if not self._is_graph_network and getattr(self, f"{what}s") is None:
            raise AttributeError(
                f"The layer has never been called and thus has no defined {what} shape."
            )
        return nest.map_structure(backend.int_shape, self._self_ends(f"{what}s", place))

    def __setattr__(self, name: str, value: Any) -> None:
        if "_trainable_weights" not in vars(self) and any(
            isinstance(each, Layer) for each in nest.flatten(value)
        ):
            raise RuntimeError(
                "It looks like you are subclassing `Model` and you forgot to call "
                "`super(YourClass, self).__init__()`. Always start with this line."
            )
        super().__setattr__(name, value)

    def _assert_weights_created(self) -> None:
        """Raises ValueError if variables are yet to be made by the model's own `build`."""
        builds_itself = "build" in vars(type(self)) and not self._is_graph_network
        if builds_itself and not self.built and not self.dynamic:
            raise ValueError(
                f"Weights for model {self.name} have not yet been created. Weights are created "
                "when the Model is first called on inputs or `build()` is called with an "
                "`input_shape`."
            )

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables that are trained: those of the layers, then the model's own."""
        self._assert_weights_created()
        if not self.trainable:
            return []
        inner = [each for part in layers_of(self._self_held()) for each in trained(part)]
        return once([*inner, *self._trainable_weights])

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The other variables, in the same order."""
        self._assert_weights_created()
        parts = layers_of(self._self_held())
        others = [each for part in parts for each in kept(part)]
        others += self._non_trainable_weights
        if self.trainable:
            return once(others)
        frozen = [each for part in parts for each in trained(part)]
        return once([*frozen, *self._trainable_weights, *others])

    @property
    def weights(self) -> list[Any]:
        """The variables of the layers, one layer after the other, then the model's own.

        Of layers in one list or dictionary those that are trained come first.

        Raises:
          ValueError: There are none yet.
        """
        self._assert_weights_created()
        inner = []
        for group in self._self_held():
            if isinstance(group, list):
                found = [each for part in group for each in (*trained(part), *kept(part))]
                own = [each for part in group for each in trained(part)]
                first = {id(each) for each in own}
                if not self.trainable:
                    # Weights keep their places when the whole model is frozen.
                    first = {id(each) for each in found if each.trainable}
                found.sort(key=lambda each: id(each) not in first)
                inner += found
            else:
                inner += group.weights
        return once([*inner, *self._trainable_weights, *self._non_trainable_weights])

    @property
    def state_updates(self) -> list[Any]:
        """The updates that are made outside of training, too: those of layers that keep states."""
        return [
            update
            for layer in self.layers
            if getattr(layer, "stateful", False)
            for update in layer.updates
        ]

    @property
    def updates(self) -> list[Any]:
        """Updates of the layers, at all their calls, each once."""
        return once(super().updates)

    def _numbered_layers(self) -> list[Any]:
        """The layers that checkpoints know by their numbers."""
        return list(self._self_layers_of_graph) if self._is_graph_network else []

    def _checkpoint_children(self) -> dict[str, Any]:
        """The layers by their numbers, among those with weights and among all, and other parts."""
        found: dict[str, Any] = {}
        weighted = 0
        for number, layer in enumerate(self._numbered_layers()):
            if layer.weights:
                found[f"layer_with_weights-{weighted}"] = layer
                weighted += 1
            found[f"layer-{number}"] = layer
        found |= super()._checkpoint_children()
        optimizer = vars(self).get("optimizer")
        return found if optimizer is None else {**found, "optimizer": optimizer}

    def get_layer(self, name: str | None = None, index: int | None = None) -> Any:
        """A layer by its name or number.

        Raises:
          ValueError: There is none.
        """
        layers = self.layers
        if index is not None:
            if len(layers) <= index:
                raise ValueError(
                    f"Was asked to retrieve layer at index {index} but model only has "
                    f"{len(layers)} layers."
                )
            return layers[index]
        if not name:
            raise ValueError("Provide either a layer name or layer index.")
        for each in layers:
            if each.name == name:
                return each
        raise ValueError(f"No such layer: {name}")

    def reset_states(self) -> None:
        """Sets the states of recurrent layers that keep them to zero."""
        for each in self.layers:
            if hasattr(each, "reset_states") and getattr(each, "stateful", False):
                each.reset_states()

    @property
    def stateful(self) -> bool:
        """Whether some layer keeps states."""
        layers = [each for each in self._self_sublayers() if not is_metric(each)]
        return any(getattr(each, "stateful", False) for each in layers)

    @stateful.setter
    def stateful(self, value: bool) -> None:
        pass

    def build(self, input_shape: Any) -> None:
        """Makes the variables for inputs of a shape, by a call on placeholders.

        Raises:
          ValueError: The shape is none, or the call does not take it.
        """
        if self._is_graph_network or self.built:
            self.built = True
            return
        if input_shape is None:
            raise ValueError(
                "Input shape must be defined when calling build on a model subclass network."
            )
        is_valid = isinstance(input_shape, (tuple, list, ops.TensorShape))
        if not is_valid and not context.in_call():
            raise ValueError(
                "Specified input shape is not one of the valid types. Please specify a batch input "
                "shape of type tuple or list of input shapes. User provided input type: "
                f"{type(input_shape)}"
            )
        if type(self).call is not Network.call and not context.in_call():
            call_on_placeholders(self.call, input_shape)
        self.built = True

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The outputs for other inputs; see `Layer`."""
        outputs = super().__call__(inputs, *args, **kwargs)
        if not self._is_graph_network and self.inputs is None:
            self._self_set_ends(inputs, outputs)
        return outputs

    def _self_set_ends(self, inputs: Any, outputs: Any) -> None:
        """Takes the tensors of the first call of a subclass as those of the model."""
        self.inputs, self.outputs = nest.flatten(inputs), nest.flatten(outputs)
        if isinstance(inputs, dict):
            self.input_names = sorted(inputs)
        else:
            self.input_names = [f"input_{place + 1}" for place in range(len(self.inputs))]
        self.output_names = [f"output_{place + 1}" for place in range(len(self.outputs))]

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """The outputs for other inputs: all calls of layers once more.

        Of a dictionary the inputs are taken by their names, or in the order of its keys if it lacks
        one; what is left over is not used.

        Raises:
          NotImplementedError: A subclass has no `call`.
          AssertionError: There are too few inputs.
        """
        if not self._is_graph_network:
            raise NotImplementedError(
                "When subclassing the `Model` class, you should implement a `call` method."
            )
        by_name = isinstance(inputs, dict) and not isinstance(self._nested_inputs, dict)
        if by_name and all(name in inputs for name in self.input_names):
            inputs = [inputs[name] for name in self.input_names]
        flat = nest.flatten(inputs)
        if len(flat) < len(self.inputs):
            raise AssertionError(f"Could not compute output {self.outputs[0]}")
        values = dict(zip(map(id, self.inputs), flat, strict=False))
        masks = [None] * len(values) if mask is None else nest.flatten(mask)
        for value, each in zip(values.values(), masks, strict=False):
            if each is not None:
                value._keras_mask = each

        def changed(item: Any) -> Any:
            return values.get(id(item), item)

        for node in self._ordered_nodes:
            layer = node.outbound_layer
            made = nest.flatten(node.output_tensors)
            if isinstance(layer, InputLayer) or all(id(each) in values for each in made):
                if isinstance(layer, InputLayer) and id(made[0]) not in values:
                    values[id(made[0])] = made[0]
                continue
            arguments = nest.map_structure(changed, node.arguments) if node.arguments else {}
            if training is not None and "training" in getattr(layer, "_self_call_names", ()):
                arguments.setdefault("training", training)
            outputs = layer(nest.map_structure(changed, node.input_tensors), **arguments)
            # A layer whose `__call__` is its own may hand out fewer things than its `call` made.
            for old, new in zip(made, nest.flatten(outputs), strict=False):
                values[id(old)] = new
        return nest.map_structure(lambda each: values[id(each)], self._nested_outputs)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The masks that the outputs carry."""
        if not self._is_graph_network:
            return None
        return nest.map_structure(
            lambda each: getattr(each, "_keras_mask", None), self._nested_outputs
        )

    def _pass_masks(self, inputs: Any, outputs: Any, masks: Any) -> None:
        """The layers inside have put masks on the outputs."""

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shapes of the outputs for inputs of some shapes."""
        if not self._is_graph_network:
            return super().compute_output_shape(input_shape)
        given = [ops.TensorShape(each) for each in _listed(input_shape)]
        shapes = dict(zip(map(id, self.inputs), given, strict=True))
        for node in self._ordered_nodes:
            if isinstance(node.outbound_layer, InputLayer):
                continue
            found = nest.map_structure(lambda each: shapes[id(each)], node.input_tensors)
            result = node.outbound_layer.compute_output_shape(found)
            made = nest.flatten(node.output_tensors)
            for tensor, shape in zip(made, _listed(result), strict=True):
                shapes[id(tensor)] = ops.TensorShape(shape)
        return nest.map_structure(lambda each: shapes[id(each)], self._nested_outputs)

    def summary(
        self, line_length: int | None = None, positions: Any = None, print_fn: Any = None
    ) -> None:
        """Prints a table of the layers.

        Raises:
          ValueError: The model is not built.
        """
        if not self.built:
            raise ValueError(
                "This model has not yet been built. Build the model first by calling `build()` or "
                "calling `fit()` with some data, or specify an `input_shape` argument in the first "
                "layer(s) for automatic build."
            )
        print_summary(self, line_length, positions, print_fn)

    def get_config(self) -> dict[str, Any]:
        """The layers and how they are called.

        Raises:
          NotImplementedError: For a subclass with a `call` of its own.
        """
        from dataflow.keras.saving.configs import network_config

        if not self._is_graph_network:
            raise NotImplementedError(
                f"{type(self).__name__} has a `call` of its own, which no configuration tells; "
                "save its weights by `save_weights` and make the model by its class."
            )
        return network_config(self)

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """A model of what `get_config` gave."""
        from dataflow.keras.saving.configs import network_of

        return network_of(cls, config, custom_objects)

    def to_json(self, **kwargs: Any) -> str:
        """What `model_from_json` makes the model of again, without its weights."""
        from dataflow.keras.saving.configs import model_to_json

        return model_to_json(self, **kwargs)

    def to_yaml(self, **kwargs: Any) -> str:
        """What `model_from_yaml` makes the model of again: JSON, which is YAML."""
        return self.to_json()

    def save(
        self,
        filepath: Any,
        overwrite: bool = True,
        include_optimizer: bool = True,
        save_format: str | None = None,
        signatures: Any = None,
    ) -> None:
        """Writes the model into a file; see `tf.keras.models.save_model`."""
        from dataflow.keras.saving.models import save_model

        save_model(self, filepath, overwrite, include_optimizer, save_format, signatures)

    def save_weights(self, filepath: Any, overwrite: bool = True, save_format: Any = None) -> None:
        """Writes the weights: HDF5 if the name ends in .h5 or .keras, else a checkpoint."""
        from dataflow.keras.saving.weights import save_weights

        save_weights(self, filepath, overwrite, save_format)

    def load_weights(self, filepath: Any, by_name: bool = False) -> Any:
        """Reads the weights that `save_weights` wrote; `by_name` those of layers of equal names."""
        from dataflow.keras.saving.weights import load_weights

        return load_weights(self, filepath, by_name)


def _single(structure: Any) -> Any:
    """What a list of one tensor holds."""
    if isinstance(structure, (list, tuple)) and len(structure) == 1:
        return structure[0]
    return structure


def _listed(shapes: Any) -> list[Any]:
    """The shapes of tensors in the order in which the tensors lie in such a structure."""
    if isinstance(shapes, dict):
        return [shapes[name] for name in sorted(shapes)]
    return shapes if isinstance(shapes, list) else [shapes]
