"""Layers around layers: for each step of sequences, and in both directions."""

from __future__ import annotations

import inspect
from typing import Any

from dataflow.keras import backend as K
from dataflow.keras import ops
from dataflow.keras.engine.base_layer import Layer
from dataflow.keras.layers.recurrent.rnn import of_layers
from dataflow.keras.objects import serialize_keras_object
from dataflow.library.layers.input_spec import InputSpec
from dataflow.values import nest
from dataflow.values.shapes import TensorShape, as_shape


class Wrapper(Layer):
    """A layer around another, `layer`, that is built with it."""

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        """Takes the layer."""
        super().__init__(**kwargs)
        self.layer = layer

    def build(self, input_shape: Any = None) -> None:
        """Builds the layer inside, unless it is built."""
        if not self.layer.built:
            self.layer.build(input_shape)
            self.layer.built = True
        self.built = True

    def get_config(self) -> dict[str, Any]:
        """The layer inside."""
        return {**self._base_config(), "layer": serialize_keras_object(self.layer)}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """The layer once more."""
        from dataflow.keras.layers import deserialize

        config = dict(config)
        return cls(deserialize(config.pop("layer"), custom_objects), **config)


def is_builtin(layer: Any) -> bool:
    """Whether a layer's class is one of the library's, and not a program's own."""
    return type(layer).__module__.startswith("dataflow.")


def _takes(layer: Any, name: str) -> bool:
    return name in inspect.signature(layer.call).parameters


class TimeDistributed(Wrapper):
    """A layer, called on each step of sequences."""

    supports_masking = True

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        if not isinstance(layer, Layer):
            raise ValueError(
                "Please initialize `TimeDistributed` layer with a `Layer` instance. You passed: "
                f"{layer}"
            )
        super().__init__(layer, **kwargs)
        # What a program's own layer does may depend on the size of the batch.
        self._always_use_reshape = is_builtin(layer) and not getattr(layer, "stateful", False)
        self._input_map: dict[int, Any] = {}

    def build(self, input_shape: Any = None) -> None:
        """Builds the layer inside for one step."""
        shape = as_shape(input_shape).as_list()
        if len(shape) < 3:
            raise ValueError(
                "`TimeDistributed` Layer should be passed an `input_shape ` with at least 3 "
                f"dimensions, received: {shape}"
            )
        self.input_spec = InputSpec(shape=[None, None, *shape[2:]])
        super().build(TensorShape([shape[0], *shape[2:]]))

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The shape of the inner layer's output, with the steps behind the batch."""
        batch, steps, *rest = as_shape(input_shape).as_list()
        inner = as_shape(self.layer.compute_output_shape(TensorShape([batch, *rest]))).as_list()
        return TensorShape([inner[0], steps, *inner[1:]])

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """The outputs of all steps."""
        given: dict[str, Any] = {}
        if training is not None and _takes(self.layer, "training"):
            given["training"] = training
        shape, known = ops.shape(inputs), inputs.shape.as_list()
        if known[0] and not self._always_use_reshape:
            return K.rnn(lambda x, _: (self.layer(x, **given), []), inputs, [])[1]
        steps = shape[1] if known[1] is None else known[1]
        rest = [shape[at] if size is None else size for at, size in enumerate(known)][2:]
        flat = ops.reshape(inputs, [-1, *rest])
        flat.set_shape([None, *known[2:]])
        self._input_map[id(inputs)] = flat
        if mask is not None and _takes(self.layer, "mask"):
            given["mask"] = _without_steps(mask)
        made = self.layer(flat, **given)
        after = made.shape.as_list()
        size = ops.shape(made)
        tail = [size[at] if each is None else each for at, each in enumerate(after)][1:]
        result = ops.reshape(made, [-1, steps, *tail])
        result.set_shape([known[0], known[1], *after[1:]])
        return result

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The inner layer's mask of each step, or else whether a step has anything not masked."""
        if inputs.shape[0].value:
            return mask
        inner = None if mask is None else _without_steps(mask)
        found = self.layer.compute_mask(self._input_map.get(id(inputs), inputs), inner)
        if found is not None:
            shape = ops.shape(inputs)
            rest = [ops.shape(found)[at] for at in range(1, found.shape.rank)]
            return ops.reshape(found, [-1, shape[1], *rest])
        if mask is not None:
            for _ in range(2, mask.shape.rank):
                mask = K.any(mask, axis=-1)
        return mask


def _without_steps(mask: Any) -> Any:
    """A mask of samples and steps as one of samples."""
    return ops.reshape(mask, [-1, *[ops.shape(mask)[at] for at in range(2, mask.shape.rank)]])


class Bidirectional(Wrapper):
    """A recurrent layer in both directions of sequences.

    Args:
      layer: A recurrent layer.
      merge_mode: How both outputs become one: "sum", "mul", "ave", "concat", or None for a list.
      weights: Initial values of the variables.
      backward_layer: The layer of the way back; one like `layer` if None.
      **kwargs: See `Layer`.
    """

    supports_masking = True
    forward_layer: Any = None
    backward_layer: Any = None

    def __init__(
        self,
        layer: Any,
        merge_mode: str | None = "concat",
        weights: Any = None,
        backward_layer: Any = None,
        **kwargs: Any,
    ) -> None:
        if not isinstance(layer, Layer):
            raise ValueError(
                "Please initialize `Bidirectional` layer with a `Layer` instance. You passed: "
                f"{layer}"
            )
        if merge_mode not in ("sum", "mul", "ave", "concat", None):
            raise ValueError(
                'Invalid merge mode. Merge mode should be one of {"sum", "mul", "ave", "concat", '
                "None}"
            )
        super().__init__(layer, **kwargs)
        known: Any = layer
        self.forward_layer = _again(layer)
        self._own_backward = None if backward_layer is None else backward_layer.get_config()
        self.backward_layer = backward_layer or _again(layer, not known.go_backwards)
        self.forward_layer._name = f"forward_{self.forward_layer.name}"
        self.backward_layer._name = f"backward_{self.backward_layer.name}"
        if self.forward_layer.go_backwards == self.backward_layer.go_backwards:
            raise ValueError(
                "Forward layer and backward layer should have different `go_backwards` value."
            )
        for name in ("stateful", "return_sequences", "return_state"):
            if getattr(self.forward_layer, name) != getattr(self.backward_layer, name):
                raise ValueError(
                    "Forward layer and backward layer are expected to have the same value for "
                    f"attribute {name}"
                )
        for each in (self.forward_layer, self.backward_layer):
            if hasattr(each, "zero_output_for_mask"):
                each.zero_output_for_mask = each.return_sequences
        if weights:
            half = len(weights) // 2
            self.forward_layer._initial_weights = weights[:half]
            self.backward_layer._initial_weights = weights[half:]
        self.merge_mode = merge_mode
        self.stateful, self.return_sequences = known.stateful, known.return_sequences
        self.return_state = known.return_state
        self._num_constants = 0
        self.input_spec = layer.input_spec

    def _self_sublayers(self) -> list[Any]:
        return [each for each in (self.forward_layer, self.backward_layer) if each is not None]

    def _checkpoint_children(self) -> dict[str, Any]:
        """Both layers, by their names and as a list; the one that was given is no part."""
        return {
            "forward_layer": self.forward_layer,
            "_layers": [self.forward_layer, self.backward_layer],
            "backward_layer": self.backward_layer,
        }

    def build(self, input_shape: Any = None) -> None:
        """Builds both layers, each in a name scope of its own."""
        if isinstance(input_shape, list):
            input_shape = input_shape[0]
        for each in (self.forward_layer, self.backward_layer):
            with ops.name_scope(each.name):
                each.build(input_shape)
                each.built = True
                if each._initial_weights is not None:
                    each.set_weights(each._initial_weights)
        self.built = True

    def __call__(
        self, inputs: Any, initial_state: Any = None, constants: Any = None, **kwargs: Any
    ) -> Any:
        """The outputs of sequences; see `RNN`."""
        if isinstance(inputs, list):
            inputs, *rest = inputs
            if self._num_constants and constants is None:
                constants = rest[-self._num_constants :]
                rest = rest[: -self._num_constants]
            initial_state = rest or initial_state
        states = [] if initial_state is None else nest.flatten(initial_state)
        if len(states) % 2:
            raise ValueError(
                "When passing `initial_state` to a Bidirectional RNN, the state should be a list "
                f"containing the states of the underlying RNNs. Found: {initial_state}"
            )
        if constants is not None:
            constants = nest.flatten(constants)
            self._num_constants = len(constants)
        further = [*states, *(constants or ())]
        if not of_layers(further, type(self).__name__):
            if states:
                kwargs["initial_state"] = states
            if constants is not None:
                kwargs["constants"] = constants
            return super().__call__(inputs, **kwargs)
        spec, self.input_spec = self.input_spec, None
        try:
            return super().__call__([inputs, *further], **kwargs)
        finally:
            self.input_spec = spec

    def call(
        self,
        inputs: Any,
        training: Any = None,
        mask: Any = None,
        initial_state: Any = None,
        constants: Any = None,
    ) -> Any:
        """Both outputs, joined, and the states of both if they are wanted."""
        more: dict[str, Any] = {}
        if training is not None and _takes(self.forward_layer, "training"):
            more["training"] = training
        if mask is not None and _takes(self.forward_layer, "mask"):
            more["mask"] = nest.flatten(mask)[0]
        if isinstance(inputs, list):
            inputs, *further = inputs
            count = self._num_constants
            constants = further[len(further) - count :]
            initial_state = further[: len(further) - count]
        half = len(initial_state or ()) // 2
        ways: list[dict[str, Any]] = [{}, {}]
        if half:
            ways[0]["initial_state"] = initial_state[:half]
            ways[1]["initial_state"] = initial_state[half:]
        if constants:
            for way in ways:
                way["constants"] = constants
        forward = self.forward_layer(inputs, **more, **ways[0])
        backward = self.backward_layer(inputs, **more, **ways[1])
        after: list[Any] = []
        if self.return_state:
            after = [*forward[1:], *backward[1:]]
            forward, backward = forward[0], backward[0]
        if self.return_sequences:
            backward = ops.reverse(backward, [1])
        output: Any = [forward, backward]
        if self.merge_mode == "concat":
            output = ops.concat(output, -1)
        elif self.merge_mode == "mul":
            output = forward * backward
        elif self.merge_mode is not None:
            output = (forward + backward) / (2 if self.merge_mode == "ave" else 1)
        if not self.return_state:
            return output
        return [*output, *after] if self.merge_mode is None else [output, *after]

    @property
    def constraints(self) -> dict[Any, Any]:
        """Those that programs' own layers tell of."""
        found: dict[Any, Any] = {}
        for each in (self.forward_layer, self.backward_layer):
            found.update(getattr(each, "constraints", {}))
        return found

    def reset_states(self) -> None:
        """Resets those of both layers."""
        self.forward_layer.reset_states()
        self.backward_layer.reset_states()

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The mask of the steps, if they are given."""
        known = nest.flatten(mask)[0] if mask is not None else None
        output: Any = known if self.return_sequences else None
        if self.merge_mode is None:
            output = [output, output]
        if not self.return_state:
            return output
        states = [None] * 2 * len(nest.flatten(self.forward_layer.cell.state_size))
        return [*output, *states] if isinstance(output, list) else [output, *states]

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of the joined outputs, and those of the states."""
        shape = self.forward_layer.compute_output_shape(input_shape)
        states = shape[1:] if self.return_state else []
        first: list[Any] = as_shape(shape[0] if self.return_state else shape).as_list()
        if self.merge_mode == "concat":
            first[-1] *= 2
        output: Any = TensorShape(first)
        if self.merge_mode is None:
            return [output, output, *states, *states]
        return [output, *states, *states] if self.return_state else output

    def get_config(self) -> dict[str, Any]:
        """The layer inside and the merge mode."""
        config = {**super().get_config(), "merge_mode": self.merge_mode}
        if self._num_constants:
            config["num_constants"] = self._num_constants
        if self._own_backward is not None:
            cls = type(self.backward_layer).__name__
            config["backward_layer"] = {"class_name": cls, "config": self._own_backward}
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """The layer once more."""
        from dataflow.keras.layers import deserialize

        config = dict(config)
        constants = config.pop("num_constants", 0)
        if config.get("backward_layer") is not None:
            config["backward_layer"] = deserialize(config["backward_layer"], custom_objects)
        made = cls(deserialize(config.pop("layer"), custom_objects), **config)
        made._num_constants = constants
        return made


def _again(layer: Any, go_backwards: bool | None = None) -> Any:
    """A layer of the same configuration, perhaps in the other direction."""
    config = layer.get_config()
    if go_backwards is not None:
        config["go_backwards"] = go_backwards
    if "custom_objects" not in inspect.signature(type(layer).from_config).parameters:
        return type(layer).from_config(config)
    cells = [layer.cell, *getattr(layer.cell, "cells", ())] if hasattr(layer, "cell") else []
    known = {type(each).__name__: type(each) for each in cells}
    return type(layer).from_config(config, custom_objects=known)
